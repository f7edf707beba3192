"""Joining: by code, at a seat of the game or as somebody new, and as a helper by the PIN."""

from __future__ import annotations

import re

import pytest
from evening import TOKEN

from companion.household import MOST_DEVICES, Household
from tests.support.settings import chosen
from web_ui import create_app


class Clock:
    """Stands still until it is moved."""

    now_s = 1000.0

    def __call__(self):
        return self.now_s


class Door:
    """A table that people join, and its clock."""

    def __init__(self, evening, placeholders=("Ann", "Bo"), **more):
        self.table = evening.table
        self.evening = evening
        self.clock = Clock()
        self.household = Household()
        self.settings = chosen()
        self.app = create_app(
            evening.table,
            token=TOKEN,
            virtual=evening.virtual,
            household=self.household,
            settings=self.settings,
            placeholders=placeholders,
            clock=self.clock,
            **more,
        )
        self.link = self.app.extensions["tidetable"].link
        self.code = self.link.join_code

    def client(self):
        return self.app.test_client()

    def sit(self, client=None, **form):
        client = client or self.client()
        response = client.post("/join", data={"code": self.code, **form})
        assert response.status_code == 303, response.text
        assert response.headers["Location"] == "/play"
        return client


@pytest.fixture
def door(evening):
    return Door(evening)


def test_the_first_who_join_take_the_places_of_nobody(door):
    first = door.sit(name="Kari", shape="heart")
    assert door.table.snapshot.players == ("Kari", "Bo")
    door.sit(name="  Ola\n")
    assert door.table.snapshot.players == ("Kari", "Ola")
    door.sit(name="Zosia")
    assert door.table.snapshot.players == ("Kari", "Ola", "Zosia")
    assert door.household.now.names == ("Zosia", "Ola", "Kari")
    assert door.household.now.shapes["Kari"] == "heart"
    assert "Kari" in first.get("/play").text


def test_a_seat_of_the_game_is_taken_and_shared(door):
    door.evening.do("dots")
    for client in (door.sit(seat="Ann"), door.sit(seat="Ann")):
        assert 'data-turn="yours"' in client.get("/play").text
    shown = door.client().get(f"/join/{door.code}").text
    assert "has a phone" in shown
    assert "I am new here" not in shown


def test_nobody_new_sits_down_when_the_game_has_begun(door):
    door.evening.do("dots")
    response = door.client().post("/join", data={"code": door.code, "name": "Late"})
    assert response.status_code == 409
    assert "take a seat" in response.text
    assert door.table.snapshot.players == ("Ann", "Bo")
    assert door.household.now.devices == {}


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"name": " \t\r\n "}, "A name is missing"),
        ({"name": "W" * 25}, "too long"),
        ({"name": "kari"}, "is called so"),
        ({"name": "Ola", "shape": "heart"}, "has this shape"),
        ({"name": "Ola", "shape": "star"}, "has this shape"),
        ({"seat": "Nobody"}, "no such seat"),
    ],
)
def test_what_cannot_be_is_said_on_the_page(door, form, says):
    door.sit(name="Kari", shape="heart")
    response = door.client().post("/join", data={"code": door.code, **form})
    assert response.status_code in {400, 409, 422}
    assert says in response.text
    assert len(door.household.now.devices) == 1


def test_shapes_of_others_are_not_offered(door):
    door.sit(name="Kari", shape="heart")
    shown = door.client().get(f"/join/{door.code}").text
    offered = re.findall(r'name="shape" value="([a-z]+)"', shown)
    assert "heart" not in offered
    assert len(offered) == 5


def test_names_of_other_evenings_are_offered_with_their_shape(door):
    door.household.remember(("Zosia", "Tim"))
    door.household.shape("Zosia", "plus")
    client = door.client()
    assert 'name="known" value="Zosia"' in client.get(f"/join/{door.code}").text
    door.sit(client, known="Zosia")
    assert door.household.now.shapes["Zosia"] == "plus"


def test_a_table_full_of_people_takes_no_more(evenings):
    names = tuple("ABCDEF")
    door = Door(evenings(names), placeholders=())
    assert "I am new here" not in door.client().get(f"/join/{door.code}").text


def test_a_phone_that_stood_up_sees_nothing_of_the_seat_any_more(door):
    client = door.sit(seat="Ann")
    key = re.search('name="key" value="([^"]+)"', client.get("/play").text)[1]
    assert client.post("/stand-up", data={"key": "0" * 32}).status_code == 403
    assert client.post("/stand-up", data={"key": key}).headers["Location"] == (f"/join/{door.code}")
    assert client.get("/play").headers["Location"] == "/join"


def test_nobody_takes_the_seats_from_those_who_play_by_joining_often(door):
    ann, bo = door.sit(seat="Ann"), door.sit(seat="Bo")
    quiet = door.client()
    door.sit(quiet, seat="Bo")
    for client in (ann, bo):
        assert client.get("/play").status_code == 200
    for _ in range(MOST_DEVICES + 5):
        late = door.sit(seat="Ann")
        late.get("/play")
    assert len(door.household.now.devices) == MOST_DEVICES
    for client in (ann, bo, late):
        assert client.get("/play").status_code == 200
    assert quiet.get("/play").status_code == 303


def test_wrong_codes_are_slowed_down_and_three_slips_are_not(door):
    client = door.client()
    for _ in range(4):
        assert client.get("/join?code=AAAAA").status_code == 404
    assert client.get(f"/join/{door.code.lower()}").status_code == 200
    for _ in range(5):
        assert client.get("/join/AAAAA").status_code == 404
    response = client.get(f"/join/{door.code}")
    assert response.status_code == 429
    assert response.headers["Retry-After"] == "5"
    assert client.post("/join", data={"code": door.code, "seat": "Ann"}).status_code == 429
    door.clock.now_s += 5
    assert client.get(f"/join/{door.code}").status_code == 200


def test_who_was_let_in_is_not_kept_out_by_guesses_of_others(door):
    inside = door.sit(seat="Ann")
    for _ in range(6):
        door.client().get("/join/AAAAA")
    assert door.client().get(f"/join/{door.code}").status_code == 429
    assert inside.post("/join", data={"code": door.code, "seat": "Bo"}).status_code == 303
    assert inside.get("/join").status_code == 200


def test_a_second_phone_on_a_seat_is_told_on_the_first(door):
    first = door.sit(seat="Ann")
    assert 'id="sharing"' not in first.get("/play").text
    second = door.sit(seat="Ann")
    for phone in (first, second):
        assert "2 phones have this seat" in phone.get("/play").text


def test_the_pin_makes_a_helper(door):
    client = door.client()
    assert client.post("/helper", data={"pin": "abc"}).status_code == 403
    assert client.get("/cards").status_code == 401
    assert client.post("/helper", data={"pin": f" {door.link.pin} "}).status_code == 303
    assert client.get("/cards").status_code == 200
    elsewhere = {"Origin": "http://evil.example"}
    form = {"pin": door.link.pin}
    assert door.client().post("/helper", data=form, headers=elsewhere).status_code == 403


def test_a_phone_has_little_to_load(door):
    door.evening.do("dots", "rings")
    client, packed = door.sit(seat="Ann"), {"Accept-Encoding": "gzip"}
    files = set(re.findall(r'"(/static/[^"#]+)', client.get("/play").text))
    sent = [client.get(path, headers=packed).data for path in ("/play", *files)]
    assert len(sent) + 1 <= 8
    assert sum(map(len, sent)) <= 40_000
