"""Nobody is told by any page, answer or stream what he may not know.

Two games that look the same to a viewer, and differ in what lies hidden from him, are played
in two whole services. Whatever the two send to that viewer must be the same, byte for byte.
"""

from __future__ import annotations

import json
import re

import pytest
from every_page import addresses

from companion.codec import action_to_json
from companion.drivers import registry
from companion.drivers.api import DeviceBack, Driver
from companion.rules.api import Refusal
from tests.support.random_games import timeline_of
from tests.support.service import TOKEN
from tests.support.tables import still_clocks
from tests.support.twins import ALARM, EXTRA_SALT, SALT, twins
from tests.support.whole import whole

KINDS = {"salt": SALT, "extra salt": EXTRA_SALT, "alarm": ALARM}
VIEWERS = {"stranger": None, "first seat": 0, "second seat": 1}
BEARER = {"Authorization": f"Bearer {TOKEN}"}
PHYSICAL = ("virtual.",)
"""The virtual table is the table itself: who plays there moves the cards of all."""
OF_THIS_MACHINE = ("diagnostics", "healthz")
"""Pages that show how long ago something was, and how warm the processor is."""
STREAMS = ("/stream?page=tv", "/stream?page=phone", "/api/v1/table/stream")

NAMED_ANEW = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"  # tables and games
    r"|(?<![0-9a-f])[0-9a-f]{12,64}(?![0-9a-f])"  # runs, devices, keys of forms
    r"|\b[1-9]\d{9,}\b"  # revisions, which count what readers say as well
    r"|\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(\+\d\d:\d\d|Z)?"
)


def a_pair(kind, seat, most=30, wanted=lambda *_: True):
    for seed in range(400):
        try:
            pair = twins(KINDS[kind], seed, most, seat)
        except Refusal:
            continue
        if pair is not None and wanted(*pair):
            return pair
    raise AssertionError("no twins were found")


def told(its, client):
    """All that is sent to this device: its address, its status and its bytes."""
    code = its.parts.link.join_code
    for endpoint, path in addresses(its.app):
        if endpoint.startswith((*PHYSICAL, *OF_THIS_MACHINE)):
            continue
        response = client.get(path)
        yield same(path.encode(), code), response.status_code, same(response.get_data(), code)
    for path in STREAMS:
        response = client.get(path)
        if response.status_code == 200:
            parts = iter(response.response)
            body = b"".join(next(parts) for _ in range(2))
            yield path, 200, same(body, code)
        response.close()


def same(body, code):
    """The bytes without what is of one table alone."""
    text = body.decode("utf-8", "replace").replace(code, "CODE")
    return NAMED_ANEW.sub("X", text)


def play(its, setup, actions):
    helper = its.client()
    for action in actions:
        body = json.loads(json.dumps(action_to_json(action)))
        response = helper.post("/api/v1/actions", json=body, headers=BEARER)
        assert response.status_code == 200, response.text


def everything(folder, monkeypatch, setup, actions, seat):
    # Without the virtual ship, which moves in its own time.
    settings = {
        "game": setup.game,
        "players": setup.players,
        "set": setup.options,
        "clocks": still_clocks(),
    }
    monkeypatch.setattr(registry, "make", lambda name: Quiet())
    with whole(folder, monkeypatch, **settings) as its:
        client = its.client() if seat is None else its.seat(setup.players[seat])
        play(its, setup, actions)
        return {path: (status, body) for path, status, body in told(its, client)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("viewer", VIEWERS)
def test_games_that_look_the_same_are_the_same_to_the_last_byte(
    tmp_path, monkeypatch, kind, viewer
):
    seat = VIEWERS[viewer]
    setup, one, other = a_pair(kind, seat)
    first = everything(tmp_path / "one", monkeypatch, setup, one, seat)
    second = everything(tmp_path / "other", monkeypatch, setup, other, seat)
    assert len(first) > 15
    assert first.keys() == second.keys()
    assert {
        path: [what, second[path]] for path, what in first.items() if second[path] != what
    } == {}


class Quiet(Driver):
    """A reader on which nothing is ever laid."""

    def open(self, report, clock):
        report(DeviceBack("quiet", "Quiet reader", clock()))

    def close(self):
        pass


def last_hand_differs(setup, one, other):
    matches = [timeline_of(setup, actions).match for actions in (one, other)]
    views = [match.game.view(match.state, setup.players[-1]) for match in matches]
    return views[0] != views[1]


def test_what_only_others_know_is_noticed(tmp_path, monkeypatch):
    """The same comparison with the eyes of a player whose own cards are not the same."""
    setup, one, other = a_pair("salt", 0, wanted=last_hand_differs)
    seat = len(setup.players) - 1
    first = everything(tmp_path / "one", monkeypatch, setup, one, seat)
    second = everything(tmp_path / "other", monkeypatch, setup, other, seat)
    differ = {path for path, what in first.items() if second[path] != what}
    assert differ == {"/play", "/stream?page=phone"}
