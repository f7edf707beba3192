"""Helpers' pages about people, and what corrections say of those who made them."""

from __future__ import annotations

import re

import pytest
from evening import TOKEN
from test_joining import Door
from test_pages import Page

from companion.repair.history import history, history_to_json
from companion.snapshot import Source
from web_ui.phone import may_answer


@pytest.fixture
def door(evening):
    return Door(evening, placeholders=())


def helper_of(door):
    client = door.client()
    assert client.get(f"/link/{TOKEN}").status_code == 303
    return client


def people(client):
    response = client.get("/people")
    assert response.status_code == 200
    return Page(response.text)


def test_two_phones_on_one_seat_are_shown_and_one_is_taken_off(door):
    first, second = door.sit(seat="Ann"), door.sit(seat="Ann")
    helper = helper_of(door)
    shown = people(helper)
    assert "2 phones" in shown.text
    assert "no phone" in shown.text  # Bo
    numbers = [button["value"] for button in shown.all("button") if button.get("name") == "device"]
    assert len(numbers) == 2
    form = {"key": shown.fields()["key"], "device": numbers[0]}
    assert helper.post("/people/free", data=form).status_code == 303
    assert first.get("/play").status_code == 303
    assert second.get("/play").status_code == 200


def test_a_device_on_a_page_has_no_id_that_a_cookie_needs(door):
    door.sit(seat="Ann")
    (device,) = door.household.now.devices
    helper = helper_of(door)
    for path in ("/people", "/table", "/", "/join"):
        assert device not in helper.get(path).text


def test_shapes_are_swapped(door):
    door.sit(seat="Ann")
    helper = helper_of(door)
    key = people(helper).fields()["key"]
    form = {"key": key, "player": "Ann", "shape": "square"}  # Bo's
    assert helper.post("/people/shape", data=form).status_code == 303
    assert dict(door.household.now.shapes) == {"Ann": "square", "Bo": "circle"}
    for wrong in ({"shape": "star"}, {"player": "Cy"}):
        assert helper.post("/people/shape", data=form | wrong).status_code in {400, 422}


def test_somebody_is_forgotten_for_good(door):
    door.household.remember(("Zosia", "Tim"))
    door.household.shape("Zosia", "heart")
    helper = helper_of(door)
    shown = people(helper)
    assert "Zosia" in shown.text
    form = {"key": shown.fields()["key"], "player": "Zosia"}
    assert helper.post("/people/forget", data=form).status_code == 303
    assert "Zosia" not in people(helper).text
    assert "Tim" in people(helper).text
    assert "Zosia" not in str(door.household.now)


def test_the_hub_leads_only_to_pages_that_are_there(door):
    helper = helper_of(door)
    ways = [link["href"] for link in Page(helper.get("/table").text).with_class("hub-way")]
    assert {"/people", "/correct", "/cards", "/virtual"} <= set(ways)
    assert {helper.get(way).status_code for way in ways} == {200}
    assert 'href="/table"' in helper.get("/").text
    assert 'href="/table"' not in door.client().get("/").text


def fix(client, card):
    """Set the last card right, as three taps on a phone do it."""
    pencil = re.findall(r"/correct/entry/([0-9.]+)", client.get("/correct").text)[0]
    entry = Page(client.get(f"/correct/entry/{pencil}").text)
    edit = next(
        button["value"]
        for button in entry.all("button")
        if f'"card": "{card}"' in (button.get("value") or "")
    )
    fields = {name: value for name, value in entry.fields().items() if name in {"key", "view"}}
    shown = Page(client.post("/correct/preview", data={**fields, "edits": "[]", "add": edit}).text)
    return client.post("/correct", data=shown.fields())


def test_the_tv_says_what_it_is_now_and_the_feed_who_said_so(door):
    door.evening.do("dots")
    ann = door.sit(seat="Ann")
    assert fix(ann, "waves").status_code == 303
    board = Page(door.client().get("/").text)
    assert "Fixed: Ann: fish on waves" in board.text
    assert "phone of Ann" in board.text
    assert "set right" not in board.text
    feed = Page(ann.get("/correct").text)
    assert "corrected: phone of Ann" in feed.text
    assert [link["href"] for link in feed.all("a") if link.get("id") == "b-back"] == ["/play"]
    helper = helper_of(door)
    feed = Page(helper.get("/correct").text)
    assert [link["href"] for link in feed.all("a") if link.get("id") == "b-back"] == ["/"]


def test_what_never_happened_is_said_so(door):
    door.evening.do("dots", "waves")
    helper = helper_of(door)
    pencil = re.findall(r"/correct/entry/([0-9.]+)", helper.get("/correct").text)[0]
    entry = Page(helper.get(f"/correct/entry/{pencil}").text)
    never = next(button for button in entry.all("button") if button.get("id") == "b-never")
    fields = {name: value for name, value in entry.fields().items() if name in {"key", "view"}}
    shown = Page(
        helper.post("/correct/preview", data={**fields, "edits": "[]", "add": never["value"]}).text
    )
    assert helper.post("/correct", data=shown.fields()).status_code == 303
    board = Page(door.client().get("/").text)
    assert "Fixed: it never happened: Ann: fish on waves" in board.text


def test_questions_for_one_player_are_that_players(door):
    now = door.household.now
    assert may_answer(None, "Bo", now)
    assert may_answer("Ann", "Bo", now)  # Ann has no phone
    door.sit(seat="Ann")
    assert not may_answer("Ann", "Bo", door.household.now)
    assert may_answer("Ann", "Ann", door.household.now)


def test_a_history_that_grows_is_the_history_of_the_whole_record(door):
    """Folded step by step or at once: the same, whatever was taken back and set right."""
    its = door.app.extensions["tidetable"]
    helper = helper_of(door)
    for number, card in enumerate(("dots", "waves", "rings", "stars")):
        door.evening.do(card)
        if number % 2:
            assert fix(helper, "waves-eyes").status_code == 303
            door.table.undo(1, source=Source("api"))
            door.evening.do("dots-eyes")
        grown, past = its.histories.newest, door.table.past
        whole = history(past.setup, past.entries)
        assert history_to_json(grown) == history_to_json(whole)
        assert [one.struck for one in grown.told] == [one.struck for one in whole.told]
        assert grown.timeline.links == whole.timeline.links
        assert grown.entries == whole.entries


def test_a_full_disk_is_told_on_every_page_that_keeps_something(door, tmp_path, monkeypatch):
    helper, viewer = helper_of(door), door.client()
    key = people(helper).fields()["key"]
    joining = Page(viewer.get(f"/join/{door.code}").text).fields()
    door.household._file.execute("PRAGMA query_only = ON")  # as a full disk does: it takes nothing

    def full(number):
        raise OSError(28, "No space left on device")

    door.settings._path = tmp_path / "table.toml"
    monkeypatch.setattr("os.fsync", full)
    forms = {
        "/people/shape": {"player": "Ann", "shape": "square"},
        "/people/forget": {"player": "Zoe"},
        "/settings": {"name": "odds", "value": "on"},
        "/setup/readers/place": {"place": "sim|play", "topic": "game=tentacles"},
    }
    answers = {path: helper.post(path, data={"key": key, **form}) for path, form in forms.items()}
    answers["/join"] = viewer.post("/join", data={**joining, "seat": "Ann"})
    for path, answer in answers.items():
        assert answer.status_code == 503, path
        assert "so nothing has changed: make room" in answer.text, path
    assert not door.household.now.devices
