"""A game without a face of its own: what its page says, and that it can be read everywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import pytest
from evening import HOSTILE_NAMES, TOKEN, serving
from still_table import (
    ALARM,
    ASKING,
    BOATS,
    STATES,
    AnimalTaken,
    Flip,
    Give,
    LastChance,
    Steal,
    StillTable,
    Stop,
    Swing,
    Take,
    TileSeen,
    snapshot,
)
from test_browser import GEOMETRY, SIZES, in_every_size, screens
from test_pages import Page

from companion.drivers.api import Turned
from companion.rules.api import Action, GameWon, Leave, Nothing, PlayerLeft, TurnEnded
from companion.ship_watch import CARRY, PLACED
from companion.snapshot import ShipStatus, Source
from hardware_sim.virtual_table import VirtualReader
from web_ui import create_app
from web_ui.games.face import spelled_out
from web_ui.replies import table_reply

__all__ = ["screens"]

SIZES_OF_A_FAMILY = ("tv", "hd", "pi", "phone")


def shown(which, *, helper=False) -> Page:
    client = create_app(StillTable(which), token=TOKEN).test_client()
    if helper:
        client.get(f"/link/{TOKEN}")
    return Page(client.get("/").text)


def test_turn_phase_and_title():
    page = shown(snapshot(phase="reef", legal=[Flip(0), Take(1), Take(2), LastChance()]))
    assert "Ann Reef: flip, take or last chance" in page.text
    assert "Sunken garden" in page.text
    assert "Flip or stop" in shown(snapshot(phase="flip", legal=[Flip(0), Stop()])).text
    assert "Ann Dark water" in shown(snapshot(phase="dark_water")).text


def test_scores_and_a_shared_win():
    page = shown(STATES["over"])
    assert "Ann Cy The game is over" in page.text
    assert [row["id"] for row in page.with_class("winner")] == ["row-1", "row-3"]
    assert "Ann wins Cy wins" in page.text


def test_what_is_told_by_player_stands_in_the_players_rows_and_the_rest_in_a_table():
    page = shown(BOATS)
    for words in (
        "Ann Animals crab, seal, puffin, whale Provisions 3 4",
        "Cy Provisions 0 0",
        "Ship 0 Billy 3 Face up 0-0: wave, 0-1: wave",
        "Reef crab, —, unknown, crab Reef left 6, 5, 6, 6 Target 9 Swinger —",
    ):
        assert words in page.text
    assert "Piles top: crab-dark-blue-1, count: 4; top: —, count: 0" in shown(STATES["cards"]).text


def test_what_only_repeats_the_scores_is_left_out():
    page = shown(STATES["cards"])
    assert "Hand counts 5" in page.text
    assert "Totals" not in page.text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "—"),
        ([], "—"),
        ({}, "—"),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        ("light-blue", "light-blue"),
        ([1, None], "1, —"),
        ({"a": [1, 2]}, "a: 1, 2"),
        ([[1, 2], [3]], "1, 2; 3"),
    ],
)
def test_every_value_of_json_is_a_short_text(value, text):
    assert f"Some thing {text} " in shown(snapshot(state={"some_thing": value})).text


def test_a_button_for_whatever_needs_nothing_more_from_the_table():
    legal = [Take(0), Steal("Bo"), Flip(1), Give(Nothing.NOTHING), Give("crab", 2), LastChance()]
    page = shown(snapshot(legal=legal), helper=True)
    buttons = [button for button in page.all("button") if button.get("name") == "action"]
    assert [button["value"] for button in buttons] == [
        '{"do":"take","stack":0}',
        '{"do":"steal","from":"Bo"}',
        '{"do":"give","card":null}',
        '{"do":"give","card":"crab","times":2}',
        '{"do":"last-chance"}',
    ]
    for label in (
        "Take, stack 0",
        "Steal, from Bo",
        "Give, card —",
        "Give, crab, times 2",
        "Last chance",
    ):
        assert label in page.text
    assert "seat-2" in buttons[1]["class"]
    assert shown(snapshot(legal=legal)).all("button") == []


def test_a_word_that_chance_decides_has_a_button_of_its_own():
    page = shown(ALARM, helper=True)
    buttons = [button for button in page.all("button") if button.get("name") == "action"]
    assert [button["value"] for button in buttons] == [
        '{"do":"swing","ship":"capsized"}',
        '{"do":"swing","ship":"upright"}',
    ]
    assert all("answer" in button["class"] for button in buttons)
    assert "Capsized Upright" in page.text
    assert shown(ALARM).all("button") == []


def test_only_a_few_words_that_are_left_open_alone_have_buttons():
    assert list(spelled_out(Swing())) == [Swing("capsized"), Swing("upright")]
    assert list(spelled_out(Swing("upright"))) == [Swing("upright")]
    for action in (Take(1), Flip(0), Stop(), Wind(), Wind("north"), Dice(), Gust()):
        assert list(spelled_out(action)) == [action]


@dataclass(frozen=True, slots=True)
class Wind(Action):
    """Two things are open."""

    quarter: Literal["north", "south"] | None = None
    force: Literal["weak", "strong"] | None = None
    third: str | None = None


@dataclass(frozen=True, slots=True)
class Dice(Action):
    """What is open is a number."""

    eyes: Literal[1, 2, 3] | None = None


@dataclass(frozen=True, slots=True)
class Gust(Action):
    """What is open is one of many."""

    quarter: Literal["n", "e", "s", "w", "none"] | None = None


@pytest.mark.parametrize(
    ("phase", "said"),
    [
        ("unwatched", "Alarm! Cy swings the ball"),
        ("armed", "Alarm! Cy swings the ball"),
        ("stand-up", "Stand the ship up, then Cy swings the ball"),
        ("swinging", "Hands off until the ship is at rest"),
        ("settling", "Hands off until the ship is at rest"),
        ("asking", "Is the ship standing?"),
        ("judged", "Is the ship standing?"),
    ],
)
def test_the_banner_says_what_the_ship_waits_for(phase, said):
    assert f"Bo {said}" in shown(replace(ALARM, ship=ShipStatus(phase, None, ""))).text


@pytest.mark.parametrize("phase", ["armed", "swinging", "settling"])
def test_the_banner_asks_to_carry_the_ship_first_and_not_for_hands_off(phase):
    said = "Bo Put the ship in its place, then Cy swings the ball"
    assert said in shown(replace(ALARM, ship=ShipStatus(phase, None, CARRY))).text
    assert said not in shown(replace(ALARM, ship=ShipStatus(phase, None, PLACED))).text


def test_after_an_alarm_the_banner_asks_to_stand_the_ship_up():
    lying = replace(BOATS, ship=ShipStatus("stand-up", 90, "", alarm=False), legal=(Stop(),))
    assert "Bo Stand the ship up; Take: stop" in shown(lying).text


def test_the_judge_who_asks_says_why():
    page = shown(ASKING)
    assert "Is the ship standing? Tell it by touch" in page.text
    assert "leans by 40 degrees" in page.text
    assert "sensor of the ship: gpio-17" in page.text


@pytest.mark.parametrize(
    ("kind", "sense", "text"),
    [
        ("action", "button", "button gpio-22"),
        ("undo", "button", "taken back: button gpio-22"),
        ("action", "ship", "sensor of the ship: gpio-22"),
        ("undo", "tag", "taken back: tag on gpio-22"),
    ],
)
def test_what_brought_it_about(kind, sense, text):
    source = Source("reader", "gpio-22", sense)
    which = replace(BOATS, event=replace(BOATS.event, kind=kind, source=source, action=None))
    assert text in shown(which).text


def test_programs_see_how_the_ship_is_judged():
    with create_app(StillTable(ASKING), token=TOKEN).app_context():
        assert table_reply(ASKING)["ship"] == {
            "phase": "asking",
            "angle": 40,
            "reason": "The ship leans by 40 degrees.",
            "alarm": True,
        }
        assert table_reply(BOATS)["ship"] is None


@pytest.mark.parametrize(
    ("outcomes", "action", "text"),
    [
        ((AnimalTaken("Ann", "crab", 2),), None, "Ann: animal taken, crab, stack 2"),
        (
            (TileSeen(0, "wave"), TurnEnded("Ann")),
            None,
            "Ann: tile seen, area 0, wave; the turn ends",
        ),
        (
            (TileSeen(1, "wave"), AnimalTaken("Bo", "ray", 0), GameWon("Bo")),
            None,
            "Ann: tile seen, area 1, wave; Bo: animal taken, ray, stack 0; Bo wins",
        ),
        ((TurnEnded("Ann"),), Stop(), "Ann: stop; the turn ends"),
        ((), Take(3), "Ann: take, stack 3"),
        ((PlayerLeft("Bo"),), Leave("Bo"), "Bo leaves"),
        ((), None, "Ann: a secret move"),
    ],
)
def test_what_happened_in_words(outcomes, action, text):
    event = {"kind": "action", "outcomes": outcomes, "action": action}
    which = snapshot(event=event)
    with create_app(StillTable(which), token=TOKEN).app_context():
        assert table_reply(which)["last_event"]["text"] == text


def test_hostile_names_stay_names_here_too():
    client = create_app(StillTable(STATES["hostile"]), token=TOKEN).test_client()
    client.get(f"/link/{TOKEN}")
    html = client.get("/").text
    assert "<script>alert" not in html
    assert html.count("<script") == 2
    assert HOSTILE_NAMES[5].replace("&", "&amp;").replace('"', "&#34;") in html


def test_a_game_without_cards_has_none_to_turn_at_the_virtual_table():
    reader = VirtualReader("")
    reader.lay_out({}, ["control/stop"], {}, lambda: Turned((), {}), lambda: None)
    client = create_app(StillTable(BOATS), token=TOKEN, virtual=reader).test_client()
    page = Page(client.get(f"/link/{TOKEN}?to=virtual", follow_redirects=True).text)
    buttons = [button["id"] for button in page.all("button")]
    assert "v-o-1" in buttons
    assert "v-top" not in buttons
    assert "Choose a card yourself" not in page.text


NO_SCROLLING = """() => ['.rows', '.state', '.touch'].filter((name) => {
  const node = document.querySelector(name);
  return node && (node.scrollHeight > node.clientHeight + 1 || node.scrollWidth > node.clientWidth + 1);
})"""
SMALLEST_PRINT = """() => Math.min(...[...document.querySelectorAll('#view *')]
  .filter((node) => [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim()))
  .map((node) => parseFloat(getComputedStyle(node).fontSize)))"""

WHOLE_WORD = """node => {
  const whole = node.cloneNode(true);
  whole.style.cssText = 'display:inline-block;position:fixed;white-space:nowrap';
  node.parentNode.append(whole);
  const cut = whole.getBoundingClientRect().width > node.getBoundingClientRect().width + 1;
  whole.remove();
  return !cut;
}"""


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("state", ["start", "boats", "cards", "refused", "over", "alarm", "asking"])
@pytest.mark.parametrize("helper", [True, False])
def test_all_of_it_is_seen_without_scrolling(screens, state, helper):
    with serving(create_app(StillTable(STATES[state]), token=TOKEN)) as server:
        for size, page in in_every_size(screens, server, SIZES_OF_A_FAMILY, helper=helper):
            assert (size, page.evaluate(GEOMETRY)) == (size, [])
            assert (size, page.evaluate(NO_SCROLLING)) == (size, [])
            assert page.evaluate(SMALLEST_PRINT) >= {"tv": 22, "hd": 14}.get(size, 12), size


@pytest.mark.needs("chromium")
def test_the_answers_are_big_whole_words_that_can_be_pressed(screens):
    with serving(create_app(StillTable(ASKING), token=TOKEN)) as server:
        for size, page in in_every_size(screens, server, SIZES_OF_A_FAMILY):
            for number in (1, 2):
                button = page.locator(f"#b-answer-{number}")
                box = button.bounding_box()
                assert box["height"] >= 64, size
                assert box["width"] >= 140, size
                # An unwrapped copy is no wider: nothing is cut off.
                assert button.locator("span").evaluate(WHOLE_WORD), size


@pytest.mark.needs("chromium")
def test_whatever_people_are_called_nothing_leaves_the_page_sideways(screens):
    with serving(create_app(StillTable(STATES["hostile"]), token=TOKEN)) as server:
        for size, page in in_every_size(screens, server, SIZES_OF_A_FAMILY):
            faults = page.evaluate(GEOMETRY)
            outside = [fault for fault in faults if "sideways" in fault or " lies on #" in fault]
            assert (size, outside) == (size, [])
            assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0], size
