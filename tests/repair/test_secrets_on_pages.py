"""Pages and answers about corrections are the same for games that look the same to a spectator."""

from __future__ import annotations

import html
import json
import re
from contextlib import contextmanager
from random import Random

import pytest
from test_secrets_of_corrections import OCTOPUSES, POOR, TABLE, tried_edits

from companion.repair import timeline as timeline_module
from companion.repair.timeline import Insert, edits_to_json
from companion.rules.sea_salt_paper import words as salt
from tests.support.random_games import timeline_of
from tests.support.tables import API, running
from tests.support.twins import ALARM, EXTRA_SALT, SALT, twins
from web_ui import create_app

TOKEN = "a" * 32
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@contextmanager
def a_phone(folder, setup, actions):
    """A phone that holds the link of a table on which this was told."""
    with a_table(folder, setup, actions) as (client, _):
        yield client


@contextmanager
def a_table(folder, setup, actions):
    """A phone that holds the link of such a table, and the table."""
    folder.mkdir()
    with running(folder, setup) as table:
        for action in actions:
            assert table.act(action, source=API).code is None
        client = create_app(table, token=TOKEN).test_client()
        client.get(f"/link/{TOKEN}")
        yield client, table


def plain(response):
    """The page, without what is of one table alone: its key and its version."""
    text = re.sub(r'name="(key|view)" value="[^"]*"', "", response.text)
    return response.status_code, re.sub(r'"revision":\s*\d+', "", text)


def told(client, labels, edits):
    """All pages and answers, one after another."""
    yield plain(client.get("/correct?all"))
    for label in labels:
        for part in ("", "/missing", "/back"):
            yield plain(client.get(f"/correct/entry/{label}{part}"))
        yield plain(client.get(f"/api/v1/entries/{label}/likely", headers=BEARER))
    form = dict(
        re.findall(r'name="(key|view)" value="([^"]*)"', client.get("/correct/entry/1").text)
    )
    form = {name: html.unescape(value) for name, value in form.items()}
    for each in edits:
        body = edits_to_json(each)
        yield plain(client.post("/correct/preview", data={**form, "add": json.dumps(body)}))
        yield plain(
            client.post("/api/v1/corrections/preview", json={"edits": body}, headers=BEARER)
        )
    for count in range(1, 1 + len(labels)):
        yield plain(
            client.post("/api/v1/corrections/preview", json={"undo": count}, headers=BEARER)
        )


def assert_alike(folder, setup, one, other, edits):
    labels = [link.label for link in timeline_of(setup, one).links]
    with (
        a_phone(folder / "one", setup, one) as first,
        a_phone(folder / "other", setup, other) as second,
    ):
        pairs = zip(told(first, labels, edits), told(second, labels, edits), strict=True)
        for (status, text), also in pairs:
            assert status < 500
            assert (status, text) == also


@pytest.mark.parametrize("kind", [SALT, EXTRA_SALT, ALARM], ids=["salt", "extra salt", "alarm"])
def test_games_that_look_the_same_have_the_same_pages(tmp_path, kind):
    pair = next(found for seed in range(100) if (found := twins(kind, seed, 36)))
    edits = list(tried_edits(timeline_of(*pair[:2]), Random(1), 40))
    assert_alike(tmp_path, *pair, edits)


def test_with_points_told_in_a_preview_the_same_test_fails(tmp_path, monkeypatch):
    pair = TABLE, POOR, OCTOPUSES, [[Insert(None, salt.Stop())]]
    assert_alike(tmp_path, *pair)
    monkeypatch.setattr(timeline_module, "concealed", lambda *_: False)
    (tmp_path / "again").mkdir()
    with pytest.raises(AssertionError):
        assert_alike(tmp_path / "again", *pair)


@pytest.mark.parametrize(("actions", "status"), [(POOR, 409), (OCTOPUSES, 200)])
def test_what_is_not_told_before_is_done_or_refused_before_everybody(tmp_path, actions, status):
    with a_table(tmp_path / "table", TABLE, actions) as (client, table):
        page = client.get("/correct/entry/1").text
        form = {
            name: html.unescape(value)
            for name, value in re.findall(r'name="(key|view)" value="([^"]*)"', page)
        }
        edits = json.dumps([{"before": None, "do": "stop"}])
        page = client.post("/correct/preview", data={**form, "add": edits}).text
        assert "nobody is told before" in page
        assert "Fix it" in page
        assert "→" not in page
        done = client.post("/correct", data={**form, "edits": edits}, follow_redirects=True)
        assert done.status_code == status
        assert ("This is not possible there" in done.text) == (status == 409)
        record = client.get("/api/v1/history").get_json()
        assert record["restorable"] == (None if status == 409 else len(actions) + 1)
        told = table.snapshot.event
        assert told.kind == ("refused" if status == 409 else "corrected")
