"""Setting the past right through the HTTP API."""

from __future__ import annotations

import json

import pytest
from evening import TOKEN
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_http_api import BEARER, conforms

from companion.match import Setup
from companion.rules.sea_salt_paper import words as salt
from tests.support.tables import API, running
from web_ui import create_app

HISTORY = "/api/v1/history"
PREVIEW = "/api/v1/corrections/preview"
CORRECTIONS = "/api/v1/corrections"
RESTORE = "/api/v1/corrections/{entry}/restore"
LIKELY = "/api/v1/entries/{label}/likely"
WAVES = {"entry": "1", "do": "reveal", "card": "waves"}


def post(client, path, body, described=None):
    response = client.post(path, json=body, headers=BEARER)
    return conforms(response, described or path, "post")


def past(client):
    return conforms(client.get(HISTORY), HISTORY, "get")


def likely(client, label):
    response = client.get(f"/api/v1/entries/{label}/likely", headers=BEARER)
    return conforms(response, LIKELY, "get")


def error(body):
    return body["error"]["code"]


def test_a_correction_from_the_preview_to_taking_it_back(evening):
    evening.do("dots", {"do": "stop"})
    client = evening.client()
    shown = post(client, PREVIEW, {"edits": [WAVES]})
    assert (shown["fits"], shown["replayed"], shown["fitting"]) == (True, 1, 1)
    assert shown["moves"][0]["text"] == "Ann: move the fish on dots to waves."
    assert past(client)["history"][0]["now"]["action"] == {"do": "reveal", "card": "dots"}

    wish = {"edits": [WAVES], "revision": shown["revision"], "id": "one"}
    fixed = post(client, CORRECTIONS, wish)
    assert fixed["state"]["fish"] == {"Ann": ["waves"], "Bo": []}
    assert (fixed["entry"], fixed["moves"]) == (3, shown["moves"])
    assert post(client, CORRECTIONS, wish)["repeated"] is True
    told = past(client)
    assert (told["entries"], told["restorable"]) == (3, 3)
    card, stop = told["history"]
    assert card["first"]["action"] == {"do": "reveal", "card": "dots"}
    assert card["now"]["action"] == {"do": "reveal", "card": "waves"}
    assert [(change["by"], change["what"]) for change in card["changes"]] == [(3, "replaced")]
    assert (card["source"], card["changes"][0]["source"], stop["changes"]) == ("reader", "api", [])

    shown = post(client, PREVIEW, {"restore": 3})
    assert shown["moves"][0]["text"] == "Ann: move the fish on waves to dots."
    back = post(client, f"{CORRECTIONS}/3/restore", {}, RESTORE)
    assert back["state"]["fish"] == {"Ann": ["dots"], "Bo": []}
    assert (back["entry"], past(client)["restorable"]) == (4, None)
    assert error(post(client, f"{CORRECTIONS}/3/restore", {}, RESTORE)) == "not-legal"


def test_what_does_not_fit_is_named_and_nothing_changes(evening):
    evening.do("dots", {"do": "stop"}, "rings")
    client = evening.client()
    edits = [{"entry": "2", "do": None}]
    shown = post(client, PREVIEW, {"edits": edits})
    assert (shown["fits"], shown["moves"]) == (False, [])
    misfit = shown["misfit"]
    assert (misfit["entry"], misfit["player"], misfit["rest"]) == ("3", "Bo", ["3"])
    body = post(client, CORRECTIONS, {"edits": edits})
    assert error(body) == "not-legal"
    assert body["error"]["message"].startswith("Action 3 would no longer fit. It was Bo's")
    assert len(past(client)["history"]) == 3
    kept = post(client, CORRECTIONS, {"edits": [*edits, {"entry": "3", "keep": True}]})
    assert kept["scores"] == {"Ann": 2, "Bo": 0}


def test_the_preview_of_an_undo_says_what_was_seen(evening):
    evening.do("dots", {"do": "stop"})
    shown = post(evening.client(), PREVIEW, {"undo": 2})
    assert shown["shows_hidden"] == "What was seen stays seen: a card was turned up."
    assert shown["after"]["scores"] == {"Ann": 0, "Bo": 0}
    assert evening.table.snapshot.step == 2


def test_a_stale_correction_changes_nothing(evening):
    evening.do("dots")
    seen = evening.table.snapshot.revision
    evening.do({"do": "stop"})
    body = post(evening.client(), CORRECTIONS, {"edits": [WAVES], "revision": seen})
    assert error(body) == "stale"
    assert body["table"]["step"] == 2


def test_the_likeliest_come_first(evening):
    evening.do("stars", "dots")
    body = likely(evening.client(), "2")
    assert body["instead"]["likely"][0] == {"entry": "2", "do": "reveal", "card": "stars"}
    assert {"do": "reveal", "card": "octopus"} in body["instead"]["actions"]
    assert {"do": "stop"} in body["before"]["actions"]
    for edit in (*body["instead"]["likely"], *body["before"]["likely"]):
        assert post(evening.client(), PREVIEW, {"edits": [edit]})["ok"]
    assert error(likely(evening.client(), "9")) == "not-legal"
    assert error(likely(evening.client(), "kraken")) == "not-legal"


def test_a_correction_after_a_restart_is_in_the_history(evenings):
    first = evenings()
    first.do("dots")
    post(first.client(), CORRECTIONS, {"edits": [WAVES]})
    before = past(first.client())["history"]
    first.close()
    again = evenings()
    assert past(again.client())["history"] == before
    assert again.table.snapshot.state["fish"]["Ann"] == ["waves"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CORRECTIONS, {}),
        (CORRECTIONS, {"edits": []}),
        (CORRECTIONS, {"edits": [{}]}),
        (CORRECTIONS, {"edits": [WAVES], "undo": 1}),
        (CORRECTIONS, {"edits": [WAVES], "revision": -1}),
        (CORRECTIONS, {"edits": [WAVES], "id": ""}),
        (PREVIEW, {}),
        (PREVIEW, {"edits": [WAVES], "undo": 1}),
        (PREVIEW, {"undo": 0}),
        (PREVIEW, {"restore": "1"}),
        (f"{CORRECTIONS}/1/restore", {"edits": []}),
    ],
)
def test_what_is_no_correction(evening, path, body):
    evening.do("dots")
    described = RESTORE if path.endswith("restore") else path
    assert error(post(evening.client(), path, body, described)) == "bad-command"


@pytest.mark.parametrize("path", [CORRECTIONS, PREVIEW, f"{CORRECTIONS}/1/restore"])
def test_only_who_holds_the_link_sets_the_past_right(evening, path):
    evening.do("dots")
    client = evening.client()
    assert client.post(path, json={"edits": [WAVES]}).status_code == 401
    wrong = {"Authorization": "Bearer wrong"}
    assert client.post(path, json={"edits": [WAVES]}, headers=wrong).status_code == 401
    helper = evening.client(helper=True)
    foreign = {"Origin": "http://elsewhere.example"}
    assert helper.post(path, json={"edits": [WAVES]}, headers=foreign).status_code == 403
    assert helper.post(path, data="x", headers=BEARER).status_code == 415
    assert evening.table.past.entries[1:] == ()


def test_who_does_not_hold_the_link_is_told_of_nothing_likely(evening):
    evening.do("dots")
    assert evening.client().get("/api/v1/entries/1/likely").status_code == 401
    assert evening.client(helper=True).get("/api/v1/entries/1/likely").status_code == 200


def test_no_card_of_a_hand_leaves_by_the_history_or_what_is_likely(tmp_path):
    setup = Setup("sea-salt-paper", ("Ann", "Bo"))
    hidden = ("shoal-grey", "captain-light-orange", "fish-black-1")
    told = (
        salt.Deal(("crab-grey", "boat-yellow-2")),
        salt.Draw(("fish-green", "shoal-grey")),
        salt.Keep("shoal-grey"),
        salt.Discard(1),
        salt.Pass(),
        salt.Draw(("captain-light-orange", "shell-grey")),
        salt.Keep("captain-light-orange"),
        salt.Discard(2),
    )
    with running(tmp_path, setup) as table:
        for action in told:
            assert table.act(action, source=API).code is None
        client = create_app(table, token=TOKEN).test_client()
        drawn = {"entry": "2", "do": "draw", "cards": ["fish-green", "fish-black-1"]}
        texts = [json.dumps(past(client)), json.dumps(post(client, PREVIEW, {"edits": [drawn]}))]
        for count in range(1, 9):
            body = post(client, PREVIEW, {"undo": count})
            texts.append(json.dumps(body))
            choices = likely(client, str(count))
            # Cards to choose from are offered whether they are hidden or not.
            for part in ("instead", "before"):
                for blank in choices[part].pop("blanks"):
                    assert {*hidden} <= {*blank["names"]}
            texts.append(json.dumps(choices))
        kept = {"entry": "3", "do": "keep", "card": "fish-black-1"}
        done = post(client, CORRECTIONS, {"edits": [drawn, kept], "id": "one"})
        assert done["moves"] == []
        assert post(client, CORRECTIONS, {"edits": [drawn, kept], "id": "one"})["repeated"]
        texts += [json.dumps(done), json.dumps(past(client))]
    assert [card for card in hidden for text in texts if card in text] == []
    assert "fish-green" in texts[0]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=4))
@settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_whatever_is_sent_the_answer_is_as_described(evening, value):
    client = evening.client()
    for body in ({"edits": value}, {"edits": [{"entry": "1", "do": value}]}, {"restore": value}):
        post(client, PREVIEW, body)
        post(client, CORRECTIONS, body)
