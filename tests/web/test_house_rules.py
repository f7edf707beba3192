"""The rules that a table may choose, in plain words, and what a household switches on and off."""

from __future__ import annotations

import re

import pytest
from evening import Evening
from every_page import sit

from companion.rules import GAMES
from companion.rules.api import Choice, Counts, Names, Number, Switch
from web_ui.house_rules import default_of, house_rules, in_short

SEATED = [(name, players) for name, game in GAMES.items() for players in game.seats]


@pytest.fixture
def words(evening):
    """The words of a request in English."""
    with evening.app.test_request_context("/"):
        yield


@pytest.mark.parametrize(("name", "players"), SEATED)
def test_each_option_of_each_game_has_words_for_each_value(words, name, players):
    game = GAMES[name]
    told = {rule.name: rule for rule in house_rules(game.name, players)}
    assert sorted(told) == sorted(option.name for option in game.options)
    for option in game.options:
        rule = told[option.name]
        assert rule.title.text
        assert rule.title.text != option.name
        assert rule.usual == default_of(option, players)
        match option:
            case Choice():
                assert [each.value for each in rule.values] == list(option.words)
            case Switch():
                assert [each.value for each in rule.values] == [False, True]
            case Number():
                assert rule.number == (option.low, option.high)
            case Counts() | Names():
                assert rule.free_text
        texts = [each.told.text for each in rule.values]
        assert len(set(texts)) == len(texts)
        assert rule.told(None).text


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_in_short_are_told_with_pictures(words, game):
    lines = in_short(game)
    assert len(lines) >= 8
    assert all(line.icon and line.text.endswith(".") for line in lines)


@pytest.fixture
def forced(tmp_path):
    evening = Evening(tmp_path, ("Ann", "Bo"), {"steal": "forced", "octopus": 4})
    yield evening
    evening.close()


def test_everybody_reads_which_rules_are_in_force(forced):
    page = forced.client().get("/rules").text
    assert "The fish must be taken" in page
    assert page.count("our own rule") == 2
    ours = re.findall(r'<div class="ours">.*?</div>', page, re.DOTALL)
    assert any("Octopus cards in all" in each and "4" in each for each in ours)


def switch(client, name, value):
    page = client.get("/settings").text
    key = re.search(r'name="key" value="([^"]+)"', page)[1]
    return client.post("/settings", data={"key": key, "name": name, "value": value})


@pytest.mark.parametrize("name", ["odds", "hints", "players_correct"])
def test_what_is_switched_on_stays_on_and_the_pages_are_told(evening, name):
    client = evening.client(helper=True)
    settings = evening.app.extensions["tidetable"].settings
    before, revision = getattr(settings.now.choices, name), evening.table.snapshot.revision
    assert switch(client, name, "off" if before else "on").status_code == 303
    assert getattr(settings.now.choices, name) is not before
    assert evening.table.snapshot.revision == revision + 1
    assert (
        f'id="switch-{name}" class="switch {"off" if before else "on"}"'
        in client.get("/settings").text
    )


def test_odds_and_hints_are_off_at_first(evening):
    choices = evening.app.extensions["tidetable"].settings.now.choices
    assert (choices.odds, choices.hints) == (False, False)


@pytest.mark.parametrize(("name", "value"), [("odds", "maybe"), ("colour", "on"), ("", "")])
def test_what_is_no_setting_is_refused(evening, name, value):
    client = evening.client(helper=True)
    assert switch(client, name, value).status_code == 400
    assert client.post("/settings", data={"name": "odds", "value": "on"}).status_code == 403
    assert evening.client().get("/settings").status_code == 401


def test_the_risk_is_shown_only_where_the_table_wants_it(evening):
    evening.do("dots", "rings")
    assert 'id="risk"' not in evening.client().get("/").text
    switch(evening.client(helper=True), "odds", "on")
    page = evening.client().get("/").text
    # Of 41 cards four have eyes on dots or rings, and three are the octopus.
    assert "7 of 41 cards take fish" in page


def test_a_hint_is_on_the_phone_in_turn_only_where_the_table_wants_it(evening):
    evening.do("dots", "rings")
    phones = {}
    for player in ("Ann", "Bo"):
        phones[player] = evening.client()
        sit(evening.app, lambda path, form, to=phones[player]: to.post(path, data=form), player)
        assert 'id="tip"' not in phones[player].get("/play").text
    switch(evening.client(helper=True), "hints", "on")
    assert "7 of 41 cards take fish" in phones["Ann"].get("/play").text
    assert 'id="tip"' not in phones["Bo"].get("/play").text
