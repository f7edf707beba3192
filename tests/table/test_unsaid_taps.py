"""Taps that turn out to be none: what they did is taken back, and so is what was remembered."""

from __future__ import annotations

import pytest

from companion.drivers.api import TagOff, TagOn
from companion.match import Setup
from companion.rules.sea_salt_paper.cards import NAMES
from tests.support.tables import API, SECOND_NS, Hands, running

SETUP = Setup("sea-salt-paper", ("Ann", "Bo"))
UIDS = {name: f"04{number:012X}" for number, name in enumerate(NAMES)}
TAGS = {uid: f"sea-salt-paper/{name}" for name, uid in UIDS.items()} | {
    "D0000001": "player/1",
    "C0000001": "control/stop",
}
STATIONS = {"1": "discard-1", "2": "discard-2", "deck": "draw", "ann": "seat-1", "bo": "seat-2"}
OPENED = ("shell-black", "shell-green")


def uid(name):
    return UIDS[name]


@pytest.fixture
def hands(tmp_path):
    with running(tmp_path, SETUP, tags=TAGS, stations=STATIONS) as table:
        hands = Hands(table)
        for reader, name in zip("12", OPENED, strict=True):
            hands.tap(uid(name), reader=reader)
        assert table.snapshot.standing.phase == "take"
        yield hands


def between(hands, name, first, second):
    """Two readers see one card within a moment."""
    hands.lay(uid(name), reader=first)
    hands.lay(uid(name), reader=second, after_s=0.05)
    hands.lift(uid(name), reader=first, after_s=0.1)
    return hands.lift(uid(name), reader=second, after_s=0.1)


def test_a_card_between_deck_and_pile_waits_nowhere(hands):
    snapshot = between(hands, "fish-green", "1", "deck")
    assert (snapshot.event.code, snapshot.waiting) == ("two-places", "")
    hands.tap(uid("fish-green"), reader="deck")
    assert hands.tap(uid("boat-black-1"), reader="deck").standing.phase == "keep"


def test_it_is_forgotten_also_after_a_restart(tmp_path):
    with running(tmp_path, SETUP, tags=TAGS, stations=STATIONS) as table:
        hands = Hands(table)
        hands.tap(uid(OPENED[0]), reader="1")
        hands.tap(uid(OPENED[1]), reader="2")
        between(hands, "fish-green", "deck", "ann")
    with running(tmp_path, SETUP, tags=TAGS, stations=STATIONS) as table:
        assert table.snapshot.waiting == ""
        hands = Hands(table, now_ns=100 * SECOND_NS)
        hands.tap(uid("crab-black"), reader="deck")
        assert table.snapshot.standing.phase == "take", "one card is not two"


def test_what_waited_before_still_waits(hands):
    waits = hands.tap(uid("fish-green"), reader="deck").waiting
    assert waits
    first, second = uid("crab-black"), uid("boat-black-1")
    hands.lay(first, reader="ann")
    for old, new in [(first, second), (second, first), (first, second)]:
        hands.now_ns += SECOND_NS // 5
        hands.table.report(TagOff("ann", old, hands.now_ns))
        hands.table.report(TagOn("ann", new, hands.now_ns))
    snapshot = hands.table.settle()
    assert (snapshot.event.code, snapshot.waiting, snapshot.step) == ("several-tags", waits, 1)


def test_a_hand_that_is_tapped_loses_only_the_card_between_two_seats(tmp_path):
    setup = Setup("sea-salt-paper", ("Ann", "Bo"), options={"tracking": "score"})
    with running(tmp_path, setup, tags=TAGS, stations=STATIONS) as table:
        hands = Hands(table)
        hands.tap("D0000001", reader="ann")
        hands.tap("C0000001", reader="ann")
        one = hands.tap(uid("shell-black"), reader="ann").waiting
        assert between(hands, "shell-green", "ann", "bo").waiting == one


def test_what_came_after_keeps_what_a_tap_did(hands):
    hands.tap(uid("fish-green"), reader="deck")
    hands.lay(uid("boat-black-1"), reader="deck")
    step = hands.table.snapshot.step
    assert hands.table.undo(1, source=API).code is None
    hands.lay(uid("boat-black-1"), reader="bo", after_s=0.05)
    assert hands.table.snapshot.step == step - 1


def test_a_card_of_two_people_goes_to_whom_they_say_though_a_hand_was_told(tmp_path):
    setup = Setup("sea-salt-paper", ("Ann", "Bo"), options={"tracking": "score"})
    with running(tmp_path, setup, tags=TAGS) as table:
        hands = Hands(table)
        for tag in ("D0000001", "C0000001", uid("crab-black"), uid("crab-green"), "C0000001"):
            hands.tap(tag)
        (asked,) = hands.tap(uid("crab-black")).questions
        assert asked.key == "whose"
        table.answer("whose", "player-2", source=API)
    with running(tmp_path, setup, tags=TAGS) as table:
        hands = Hands(table, now_ns=100 * SECOND_NS)
        hands.tap("C0000001")
        snapshot = hands.tap("C0000001")
        told = [match.action for match in table.timeline.match.back()]
    assert [sorted(hand.cards) for hand in reversed(told[:2])] == [["crab-green"], ["crab-black"]]
    assert snapshot.standing.phase == "call"


def test_what_is_said_to_count_at_neither_does_not(hands):
    """With another card between, what was read stands, and that is said."""
    hands.lay(uid("fish-green"), reader="deck")
    hands.lay(uid("boat-black-1"), reader="ann", after_s=0.08)
    snapshot = hands.lay(uid("fish-green"), reader="1", after_s=0.08)
    assert snapshot.event.code == "two-places"
    stands = snapshot.step > 1 or bool(snapshot.waiting)
    assert ("what was read stands" in snapshot.event.message) == stands
    assert stands
