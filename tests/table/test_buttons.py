"""Buttons do what the control tokens do, and a card between two places counts at neither."""

from __future__ import annotations

import sqlite3

import pytest

from companion.drivers.api import ButtonPressed, TagOff, TagOn
from companion.record.journal import Journal
from companion.rules.tentacles_words import Reveal
from tests.support.tables import API, SECOND_NS, Hands, running

TAGS = {
    "04000000000001": "tentacles/dots",
    "04000000000002": "tentacles/rings",
    "C0000001": "control/stop",
    "C0000002": "control/undo",
    "D0000001": "player/1",
}
DOTS, RINGS, STOP, UNDO, _ = TAGS


@pytest.fixture
def hands(tmp_path):
    with running(tmp_path, tags=TAGS) as table:
        yield Hands(table)


def press(hands, button, after_s=0.5):
    hands.now_ns += int(after_s * SECOND_NS)
    hands.table.report(ButtonPressed("gpio-22", button, hands.now_ns))
    return hands.table.settle()


def test_the_stop_button_stops(hands):
    hands.tap(DOTS)
    snapshot = press(hands, "stop")
    assert snapshot.standing.turn == "Bo"
    assert (snapshot.event.source.name, snapshot.event.source.sense) == ("gpio-22", "button")


def test_the_undo_button_takes_back_as_often_as_it_is_pressed(hands):
    hands.tap(DOTS)
    hands.tap(RINGS)
    assert press(hands, "undo").step == 1
    assert press(hands, "undo", after_s=0.3).step == 0
    assert press(hands, "undo").event.kind == "refused"


def test_the_shuffle_button_is_refused_as_the_token_is(hands):
    snapshot = press(hands, "shuffle")
    assert (snapshot.event.kind, snapshot.event.code) == ("refused", "not-legal")


def test_a_button_that_nobody_knows_means_nothing(hands):
    snapshot = press(hands, "self-destruct")
    assert (snapshot.event.kind, snapshot.event.code) == ("notice", "no-meaning")
    assert snapshot.step == 0


def test_after_a_button_the_same_tag_is_a_new_tap(hands):
    hands.tap(DOTS, after_s=0.1)
    press(hands, "undo", after_s=0.1)
    assert hands.tap(DOTS, after_s=0.1).step == 1


# --- one card, two places ----------------------------------------------------------------


def lay_between(hands, uid, apart_s, first="bridge-1/0", second="bridge-1/1"):
    hands.lay(uid, reader=first)
    return hands.lay(uid, reader=second, after_s=apart_s)


@pytest.mark.parametrize(
    ("first", "second"), [("bridge-1/0", "bridge-1/1"), ("pcsc-1", "bridge-1/0")]
)
@pytest.mark.parametrize("apart_s", [0, 0.1, 0.29, -0.05])
def test_a_card_that_two_places_see_at_once_counts_at_neither(hands, first, second, apart_s):
    """Also when the readings of two drivers come in another order than they were made."""
    snapshot = lay_between(hands, DOTS, apart_s, first, second)
    assert (snapshot.event.kind, snapshot.event.code) == ("notice", "two-places")
    assert "lay it on one" in snapshot.event.message
    assert snapshot.event.source.name == second
    assert snapshot.step == 0
    assert hands.table.spent == frozenset()


def test_it_counts_when_it_was_lifted_and_laid_on_one(hands):
    lay_between(hands, DOTS, 0.1)
    hands.lift(DOTS, reader="bridge-1/0")
    hands.lift(DOTS, reader="bridge-1/1", after_s=0.1)
    snapshot = hands.lay(DOTS, reader="bridge-1/1", after_s=0.5)
    assert (snapshot.event.kind, snapshot.step) == ("action", 1)


def test_while_it_lies_between_it_is_told_once_and_never_counts(hands):
    told = lay_between(hands, DOTS, 0.1).event
    for _ in range(5):
        hands.lift(DOTS, reader="bridge-1/0", after_s=0.4)
        hands.lay(DOTS, reader="bridge-1/0", after_s=0.4)
    snapshot = hands.lay(DOTS, reader="bridge-1/2", after_s=1)
    assert snapshot.event is told
    assert snapshot.step == 0


def test_another_card_that_is_laid_meanwhile_counts(hands):
    lay_between(hands, DOTS, 0.1)
    assert hands.lay(RINGS, reader="bridge-1/2", after_s=1).step == 1


def test_what_was_done_in_between_is_not_taken_back(hands):
    hands.lay(DOTS, reader="bridge-1/0")
    hands.table.act(Reveal("stars"), source=API)
    snapshot = hands.lay(DOTS, reader="bridge-1/1", after_s=0.1)
    assert snapshot.event.code == "two-places"
    assert snapshot.step == 2


def test_a_card_that_was_refused_at_two_places_takes_nothing_back(hands):
    hands.tap(DOTS, reader="bridge-1/0")
    snapshot = lay_between(hands, DOTS, 0.1)
    assert snapshot.event.code == "two-places"
    assert snapshot.step == 1


@pytest.mark.parametrize("token", [UNDO, STOP])
def test_a_token_means_the_same_at_both_places_and_counts_once(hands, token):
    hands.tap(DOTS)
    hands.tap(RINGS)
    snapshot = lay_between(hands, token, 0.1)
    assert snapshot.event.kind != "notice"
    assert snapshot.step == (1 if token == UNDO else 3)


def test_a_card_that_is_moved_to_another_place_in_time_is_no_doubt(hands):
    hands.lay(DOTS, reader="bridge-1/0")
    hands.table.report(TagOn("bridge-1/1", DOTS, hands.now_ns + SECOND_NS))
    hands.table.report(TagOff("bridge-1/0", DOTS, hands.now_ns + SECOND_NS))
    assert hands.table.settle().step == 1
    assert hands.table.snapshot.event.code == ""


def test_when_the_disk_does_not_take_it_back_it_says_so(hands, mocker):
    hands.lay(DOTS, reader="bridge-1/0")
    mocker.patch.object(Journal, "append", side_effect=sqlite3.OperationalError("full"))
    snapshot = hands.lay(DOTS, reader="bridge-1/1", after_s=0.1)
    assert (snapshot.event.code, snapshot.step) == ("storage", 1)
