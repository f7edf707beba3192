"""The wizard: from a language to a game that has begun."""

from __future__ import annotations

import html
import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from evening import HOSTILE_NAMES
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from companion.household import SHAPES
from companion.rules import GAMES, game_named
from web_ui.names import LONGEST_NAME, one_line
from web_ui.setup.draft import Draft

QUERY = "game=tentacles&player=Kari&shape=heart&player=Ola&shape=circle"


@pytest.fixture
def helper(evening):
    return evening.client(helper=True)


def read(query):
    return Draft.read(MultiDict(parse_qsl(query, keep_blank_values=True)))


def fields(page):
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
    return MultiDict((name, html.unescape(value)) for name, value in found)


def start(client, query, **more):
    page = client.get(f"/setup/summary?{query}").text
    return client.post(
        "/setup/start", data=MultiDict([*fields(page).items(multi=True), *more.items()])
    )


def test_a_game_is_set_up_from_page_to_page(evening, helper):
    first = helper.get("/setup").text
    address = re.search(r'id="game-tentacles" class="game" href="([^"]+)"', first)[1]
    page = helper.get(address).text
    assert page.count('class="chair seat-') == 2
    on = helper.get(f"/setup/players?{QUERY}&do=next")
    assert (on.status_code, urlsplit(on.location).path) == (303, "/setup/readers")
    page = helper.get(on.location).text
    on = helper.post("/setup/readers/done", data=fields(page))
    assert (on.status_code, urlsplit(on.location).path) == (303, "/setup/rules")
    rules = helper.get(on.location).text
    assert "The fish must be taken" in rules
    chosen = urlsplit(on.location).query + "&o-steal=forced&o-octopus=5&o-octopus_takes=all"
    summary = helper.get(f"/setup/summary?{chosen}").text
    assert "The fish must be taken" in summary
    assert "All your fish" not in summary  # as usual, so it is not told again
    began = start(helper, chosen)
    assert (began.status_code, began.location) == (303, "/")
    snapshot = evening.table.snapshot
    assert snapshot.players == ("Kari", "Ola")
    assert (snapshot.options["steal"], snapshot.options["octopus"]) == ("forced", 5)
    assert snapshot.standing.turn == "Kari"
    remembered = evening.app.extensions["tidetable"].household.now
    assert remembered.names == ("Kari", "Ola")
    assert remembered.shapes["Kari"] == "heart"
    assert "#heart" in helper.get("/").text


def test_a_game_that_goes_on_is_ended_only_when_that_is_said(evening, helper):
    evening.do("dots")
    before = evening.table.snapshot.game
    page = helper.get(f"/setup/summary?{QUERY}").text
    assert 'id="b-instead"' in page
    assert 'id="b-start"' not in page
    assert start(helper, QUERY).status_code == 409
    assert evening.table.snapshot.game == before
    assert start(helper, QUERY, instead="yes").status_code == 303
    assert evening.table.snapshot.players == ("Kari", "Ola")


def test_a_summary_that_is_out_of_date_starts_nothing(evening, helper):
    page = helper.get(f"/setup/summary?{QUERY}").text
    evening.do("dots")
    form = fields(page)
    form["instead"] = "yes"
    response = helper.post("/setup/start", data=form)
    assert response.status_code == 409
    assert evening.table.snapshot.players == ("Ann", "Bo")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("game=tentacles&player=Kari&player=", "This game is for 2 to 6"),
        ("game=octopus-alarm&player=A&player=B&player=C&player=D&player=E", "is for 2 to 4"),
        ("game=tentacles&player=Kari&player=Kari", "Two have the same name"),
        ("game=tentacles&player=Kari&player=KARI", "Two have the same name"),
        ("game=tentacles&player=Kari&player=%E2%A0%80%E3%85%A4", "This game is for 2 to 6"),
        ("game=nonsense", "This game is for 2 to 4"),
    ],
)
def test_players_who_cannot_play_so_are_told_why(helper, query, words):
    for path in (f"/setup/players?{query}&do=next", f"/setup/summary?{query}"):
        response = helper.get(path)
        assert response.status_code == 200
        assert words in response.text
        assert 'id="chairs"' in response.text


@pytest.mark.parametrize(
    "option", ["o-octopus=21", "o-octopus=many", "o-deck=dots 5", "o-deck=dots", "o-steal=maybe"]
)
def test_a_rule_that_cannot_be_is_told_where_it_was_chosen(helper, option):
    page = helper.get(f"/setup/summary?{QUERY}&{option}").text
    assert 'id="fault"' in page
    assert 'id="house"' in page
    assert 'id="chairs"' not in page


def test_the_buttons_of_the_players_page_move_people(helper):
    def names(button):
        page = helper.get(f"/setup/players?{QUERY}&player=Zosia&do={button}").text
        return re.findall(r'name="player" value="([^"]*)"', page)

    assert names("up-2") == ["Kari", "Zosia", "Ola"]
    assert names("down-0") == ["Ola", "Kari", "Zosia"]
    assert names("away-1") == ["Kari", "Zosia"]
    assert names("more") == ["Kari", "Ola", "Zosia", ""]
    for nonsense in ("up-0", "down-2", "up-9", "away-", "up--1", "known-7", "fly-1"):
        assert names(nonsense) == ["Kari", "Ola", "Zosia"]


def test_who_played_before_is_offered_and_keeps_the_shape(evening, helper):
    start(helper, QUERY)
    page = helper.get("/setup/players?game=tentacles&player=Zosia").text
    assert re.findall(r'id="known-\d" .*?<bdi>(\w+)</bdi>', page) == ["Kari", "Ola"]
    seated = helper.get("/setup/players?game=tentacles&player=Zosia&do=known-0").text
    assert re.findall(r'name="player" value="([^"]*)"', seated) == ["Zosia", "Kari"]
    assert '<option value="heart" selected>' in seated


def test_who_plays_now_is_offered_also_where_no_wizard_and_no_phone_told_the_names(evening, helper):
    first, *others = evening.table.snapshot.players
    page = helper.get(f"/setup/players?game=sea-salt-paper&player={first}").text
    assert re.findall(r'id="known-\d" .*?<bdi>(\w+)</bdi>', page) == others


def test_play_at_once_leads_into_a_game_in_one_tap(evening, helper):
    page = helper.get("/setup").text
    view = fields(page)
    response = helper.post("/setup/at-once", data={**view, "game": "sea-salt-paper"})
    assert (response.status_code, response.location) == (303, "/virtual")
    assert evening.table.snapshot.game_name == "sea-salt-paper"


def test_play_at_once_never_ends_a_game(evening, helper):
    evening.do("dots")
    before = evening.table.snapshot.game
    form = fields(helper.get("/setup").text)
    assert helper.post("/setup/at-once", data={**form, "game": "tentacles"}).status_code == 303
    assert evening.table.snapshot.game == before


def test_hostile_names_are_written_as_they_are_or_cut(evening, helper):
    query = "&".join(["game=tentacles", *(f"player={name}" for name in ("<b>x</b>", "a%26b"))])
    assert start(helper, query).status_code == 303
    assert evening.table.snapshot.players == ("<b>x</b>", "a&b")
    assert "<b>x</b>" not in helper.get("/").text
    for name in HOSTILE_NAMES:
        (chair,) = Draft.read(MultiDict([("game", "tentacles"), ("player", name)])).chairs
        assert len(chair.name) <= LONGEST_NAME
        assert chair.name.isprintable()


def test_a_name_is_written_one_way_and_shows_what_it_has():
    assert one_line("Zoe\u0301") == one_line("Zo\u00e9") == "Zo\u00e9"
    assert one_line("\u2800\u3164 \u200b") == ""
    assert one_line("Z" + "\u0323" * 40) == "\u1e92\u0323\u0323"


@given(
    st.sampled_from(sorted(GAMES)),
    st.lists(st.tuples(st.text(max_size=40), st.sampled_from([*SHAPES, "", "star"])), max_size=8),
    st.dictionaries(
        st.sampled_from(["steal", "octopus", "target", "salt", "x"]), st.text(max_size=9)
    ),
)
def test_an_address_carries_the_whole_draft(game, chairs, options):
    given_now = MultiDict([("game", game)])
    for name, shape in chairs:
        given_now.add("player", name)
        given_now.add("shape", shape)
    for name, text in options.items():
        given_now.add(f"o-{name}", text)
    draft = Draft.read(given_now)
    assert read(urlsplit(draft.address("/setup/rules")).query) == draft
    shapes = [chair.shape for chair in draft.chairs]
    assert len(set(shapes)) == len(shapes)
    assert set(shapes) <= {*SHAPES}


@pytest.mark.parametrize("path", ["", "/players", "/rules", "/summary"])
def test_only_those_who_help_set_up(evening, path):
    assert evening.client().get(f"/setup{path}").status_code == 401
    assert evening.client().post("/setup/start").status_code == 401


ASKED = {"octopus": 5, "steal": "forced", "ink": 1}


def test_what_the_settings_ask_of_a_new_game_is_offered(evening, helper):
    def offered(name):
        page = helper.get("/setup").text
        address = re.search(rf'id="game-{name}" class="game" href="([^"]+)"', page)[1]
        return read(urlsplit(html.unescape(address)).query)

    assert offered("tentacles") == Draft("tentacles")
    evening.settings.change(
        {("players",): ("Ann", "Bo", "Cy"), ("starter",): "Bo", ("set",): ASKED}
    )
    draft = offered("tentacles")
    assert draft.players == ("Bo", "Cy", "Ann")
    assert draft.chosen() == {"octopus": 5, "steal": "forced"}
    assert offered("octopus-alarm") == Draft("octopus-alarm")
    evening.settings.change({("game",): "octopus-alarm", ("set",): {"landing": "alarm"}})
    assert offered("tentacles") == Draft("tentacles")
    assert offered("octopus-alarm").chosen() == {"landing": "alarm"}


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("tentacles", {"pattern": 3, "dry_tentacle": "continue"}),
        ("tentacles", {"deck": {"dots": 5, "rings": 4}}),
        ("sea-salt-paper", {"salt": True}),
        ("octopus-alarm", {"target": 4}),
    ],
)
def test_an_option_of_the_settings_is_the_same_in_the_wizard(game, options):
    known = {option.name for option in game_named(game).options}
    asked = {name: value for name, value in options.items() if name in known}
    draft = Draft.asked(game, ("Ann", "Bo"), "Zoe", options)
    assert read(urlsplit(draft.address("/setup/players")).query).chosen() == asked
    assert draft.players == ("Ann", "Bo")
