"""From a tag on a reader to a change of the game, without a screen."""

from __future__ import annotations

import sqlite3

import pytest

from companion.drivers.api import DeviceBack, DeviceLost, SeveralTags, TagOff, TagOn, TagUnreadable
from companion.match import Setup
from companion.record.journal import Journal
from companion.rules.tentacles_words import Reveal
from tests.support.tables import API, SECOND_NS, Hands, running

STOP, UNDO, SHUFFLE = "C0000001", "C0000002", "C0000003"
CARDS = {
    f"0400000000{place:02X}{copy:02X}": f"tentacles/{face}"
    for place, face in enumerate(
        f"{pattern}{sign}"
        for pattern in ("dots", "rings", "stars", "stripes", "waves")
        for sign in ("", "-eyes", "-tentacle")
    )
    for copy in range(2)
} | {"0400000000FF00": "tentacles/octopus"}
TAGS = (
    CARDS
    | {STOP: "control/stop", UNDO: "control/undo", SHUFFLE: "control/shuffle"}
    | {f"D000000{number}": f"player/{number}" for number in range(1, 7)}
)


def uid(face: str, copy: int = 0) -> str:
    return [tag for tag, component in TAGS.items() if component == f"tentacles/{face}"][copy]


@pytest.fixture
def hands(tmp_path):
    with running(tmp_path, tags=TAGS) as table:
        yield Hands(table)


def scores(hands):
    return hands.table.snapshot.standing.scores


def test_a_tapped_card_is_revealed(hands):
    snapshot = hands.tap(uid("dots"))
    assert snapshot.standing.scores == {"Ann": 1, "Bo": 0}
    assert snapshot.event.source.name == "r1"


def test_the_stop_tag_stops(hands):
    hands.tap(uid("dots"))
    assert hands.tap(STOP).standing.turn == "Bo"


def test_the_undo_tag_takes_back_also_a_won_game(hands):
    for pattern in ("dots", "rings", "stars", "stripes", "waves"):
        hands.tap(uid(pattern))
    assert hands.table.snapshot.standing.over
    snapshot = hands.tap(UNDO)
    assert (snapshot.step, snapshot.standing.turn) == (4, "Ann")


def steal_question(hands):
    hands.tap(uid("dots"))
    hands.tap(STOP)
    snapshot = hands.tap(uid("dots-tentacle"))
    assert (snapshot.standing.turn, snapshot.standing.phase) == ("Bo", "steal")


def test_a_players_tag_names_the_victim(hands):
    steal_question(hands)
    assert hands.tap("D0000001").standing.scores == {"Ann": 0, "Bo": 1}


def test_the_stop_tag_declines_a_theft(hands):
    steal_question(hands)
    snapshot = hands.tap(STOP)
    assert snapshot.standing.scores == {"Ann": 1, "Bo": 0}
    assert snapshot.standing.turn == "Ann"


@pytest.mark.parametrize("own", ["D0000002", "D0000005"])
def test_a_tag_of_no_victim_is_refused_with_the_reason(hands, own):
    steal_question(hands)
    snapshot = hands.tap(own)
    assert (snapshot.event.kind, snapshot.event.code) == ("refused", "unknown-player")
    assert snapshot.standing.phase == "steal"


def test_a_refused_tap_says_why_and_changes_nothing(hands):
    before = hands.table.snapshot
    snapshot = hands.tap(STOP)
    assert (snapshot.event.kind, snapshot.event.code) == ("refused", "not-legal")
    assert snapshot.event.message
    assert (snapshot.step, snapshot.state) == (before.step, before.state)


def test_a_card_that_lies_there_is_one_read(hands):
    first = hands.lay(uid("dots"))
    for _ in range(5):
        hands.lay(uid("dots"))
    assert hands.table.snapshot.step == 1
    assert hands.table.snapshot.event is first.event


def test_a_card_turned_before_is_refused_by_its_tag_though_a_copy_is_left(hands):
    hands.tap(uid("dots"))
    snapshot = hands.tap(uid("dots"))
    assert (snapshot.event.kind, snapshot.event.code) == ("refused", "card-not-available")
    assert snapshot.step == 1
    assert hands.tap(uid("dots", 1)).step == 2


def test_what_the_rules_refuse_is_said_before_what_the_tag_forbids(hands):
    steal_question(hands)
    assert hands.tap(uid("dots")).event.code == "not-legal"


def test_after_an_undo_the_card_can_come_again(hands):
    hands.tap(uid("dots"))
    hands.tap(UNDO)
    assert hands.tap(uid("dots")).step == 1


def test_after_a_shuffle_every_card_can_come_again(tmp_path):
    few = {tag: component for tag, component in TAGS.items() if component not in CARDS.values()}
    for face in ("dots", "rings", "stars", "stripes", "waves", "octopus"):
        few[uid(face)] = f"tentacles/{face}"
    deck = dict.fromkeys(("dots", "rings", "stars", "stripes", "waves", "octopus"), 1)
    with running(
        tmp_path, Setup("tentacles", ("Ann", "Bo"), None, {"deck": deck}), tags=few
    ) as table:
        hands = Hands(table)
        for face in ("dots", "octopus", "rings", "stars", "stripes", "waves"):
            assert hands.tap(uid(face)).event.kind == "action"
        assert hands.tap(uid("dots")).event.code == "not-legal"
        assert hands.tap(SHUFFLE).event.kind == "action"
        assert hands.tap(uid("dots")).step == 8


def test_a_trembling_hand_is_one_tap(hands):
    for card in ("dots", "rings"):
        hands.tap(uid(card))
    hands.lay(UNDO)
    hands.lift(UNDO, after_s=0.5)
    hands.lay(UNDO, after_s=0.5)
    assert hands.table.snapshot.step == 1


def test_a_blinking_antenna_is_one_tap_however_long_it_blinks(hands):
    for card in ("dots", "rings"):
        hands.tap(uid(card))
    hands.lay(UNDO)
    for _ in range(10):
        hands.lift(UNDO, after_s=0.5)
        hands.lay(UNDO, after_s=0.2)
    assert hands.table.snapshot.step == 1


def test_a_tag_laid_down_again_and_again_is_not_ignored_for_ever(hands):
    for card in ("dots", "rings", "stars", "waves"):
        hands.tap(uid(card))
    for _ in range(6):
        hands.lay(UNDO, after_s=0.5)
        hands.lift(UNDO, after_s=0.6)
    assert hands.table.snapshot.step == 1


def test_a_card_counts_at_once_when_it_was_taken_back_by_touch(hands):
    hands.tap(uid("dots"), after_s=0.3)
    hands.table.undo(1, source=API)
    assert hands.tap(uid("dots"), after_s=0.3).step == 1


def test_what_the_disk_did_not_take_can_be_done_again_at_once(hands, mocker):
    full = mocker.patch.object(
        Journal, "append", side_effect=sqlite3.OperationalError("database or disk is full")
    )
    assert hands.tap(uid("dots"), after_s=0.3).event.code == "storage"
    mocker.stop(full)
    assert hands.tap(uid("dots"), after_s=0.3).step == 1


def test_a_quick_stop_after_another_card_is_a_tap_of_its_own(hands):
    hands.tap(uid("dots"), after_s=0.3)
    hands.tap(STOP, after_s=0.3)
    hands.tap(uid("rings"), after_s=0.3)
    assert hands.tap(STOP, after_s=0.3).standing.turn == "Ann"


def test_a_tag_between_two_antennas_counts_once(hands):
    hands.tap(uid("dots"))
    hands.tap(uid("rings"))
    hands.lay(UNDO, reader="r1")
    hands.lay(UNDO, reader="r2", after_s=0.1)
    assert hands.table.snapshot.step == 1


def test_a_swap_within_one_poll_is_two_cards(hands):
    hands.lay(uid("dots"))
    hands.now_ns += SECOND_NS
    hands.table.report(TagOff("r1", uid("dots"), hands.now_ns))
    hands.table.report(TagOn("r1", uid("rings"), hands.now_ns))
    assert hands.table.settle().standing.scores["Ann"] == 2


def test_two_cards_read_in_turn_are_told_once(hands):
    first, second = uid("dots"), uid("rings")
    hands.lay(first)
    events = []
    for old, new in [(first, second), (second, first)] * 4:
        hands.now_ns += SECOND_NS // 5
        hands.table.report(TagOff("r1", old, hands.now_ns))
        hands.table.report(TagOn("r1", new, hands.now_ns))
        events.append(hands.table.settle().event)
    assert [event.code for event in events[2:]] == ["several-tags"] * 6
    assert len({event.number for event in events[2:]}) == 1
    assert hands.table.snapshot.step == 0, "none of the two counts"
    hands.lift(first)
    assert hands.tap(uid("stars")).event.kind == "action"


@pytest.mark.parametrize("gap_s", [0, 0.04, 0.2])
def test_cards_that_take_turns_count_none_though_the_reader_is_empty_for_a_moment(hands, gap_s):
    cards = [uid("dots"), uid("rings")]
    for number in range(4):
        card = cards[number % 2]
        hands.lay(card, after_s=gap_s)
        hands.lift(card, after_s=0.06)
    snapshot = hands.table.settle()
    assert (snapshot.step, snapshot.event.code) == (0, "several-tags")


def test_three_cards_that_take_turns_count_none(hands):
    cards = [uid("dots"), uid("rings"), uid("stars")]
    hands.tap(uid("waves"), reader="r2")
    for number in range(5):
        hands.lay(cards[number % 3], after_s=0.05 if number else 2)
        hands.lift(cards[number % 3], after_s=0.06)
    assert hands.table.settle().step == 1


def test_what_came_before_two_cards_that_lie_together_stays(hands):
    hands.tap(uid("stars"))
    hands.tap(STOP)
    hands.tap(uid("dots"), reader="r2")
    first, second = uid("rings"), uid("rings", 1)
    hands.lay(first)
    for old, new in [(first, second), (second, first), (first, second)]:
        hands.now_ns += SECOND_NS // 5
        hands.table.report(TagOff("r1", old, hands.now_ns))
        hands.table.report(TagOn("r1", new, hands.now_ns))
    snapshot = hands.table.settle()
    assert (snapshot.event.code, snapshot.step) == ("several-tags", 3)
    assert snapshot.standing.scores == {"Ann": 1, "Bo": 1}


def test_quick_hands_that_swap_back_and_forth_are_not_two_cards(hands):
    """A reader that looks twice a second sees no empty moment between quick taps."""
    hands.tap(uid("dots"), reader="r2")
    hands.lay(STOP)
    for old, new in [(STOP, uid("rings")), (uid("rings"), STOP)]:
        hands.now_ns += SECOND_NS // 2
        hands.table.report(TagOff("r1", old, hands.now_ns))
        hands.table.report(TagOn("r1", new, hands.now_ns))
        assert hands.table.settle().event.kind == "action"
    assert hands.table.snapshot.step == 4


def test_one_card_that_blinks_is_not_two(hands):
    first = hands.lay(uid("dots"))
    for _ in range(4):
        hands.now_ns += SECOND_NS // 5
        hands.table.report(TagOff("r1", uid("dots"), hands.now_ns))
        hands.table.report(TagOn("r1", uid("dots"), hands.now_ns))
    assert hands.table.settle().event is first.event


def test_two_cards_on_one_reader(hands):
    hands.table.report(SeveralTags("r1", 1))
    snapshot = hands.table.settle()
    assert (snapshot.event.kind, snapshot.event.code) == ("notice", "several-tags")
    assert "one card at a time" in snapshot.event.message
    assert snapshot.step == 0


@pytest.mark.parametrize(
    ("reading", "code"),
    [
        (TagOn("r1", "04A3C6CAE26180", 1), "unknown-tag"),
        (TagOn("r1", "08112233", 1), "unknown-tag"),
        (TagUnreadable("r1", "it was pulled away", 1), "unreadable-tag"),
    ],
)
def test_what_means_nothing_is_told_and_changes_nothing(hands, reading, code):
    hands.table.report(reading)
    snapshot = hands.table.settle()
    assert (snapshot.event.kind, snapshot.event.code, snapshot.step) == ("notice", code, 0)
    assert "A3C6" not in snapshot.event.message


def test_a_lost_reader_is_shown_until_it_is_back(hands):
    hands.table.report(DeviceBack("r1", "ACME", 1))
    hands.table.report(DeviceLost("r1", "Plug it in.", 2))
    (reader,) = hands.table.settle().readers
    assert (reader.ready, reader.hardware, reader.trouble) == (False, "ACME", "Plug it in.")
    hands.table.report(DeviceBack("r1", "ACME", 3))
    (reader,) = hands.table.settle().readers
    assert (reader.ready, reader.trouble) == (True, "")


def restarted(tmp_path, *, fresh=False):
    return running(tmp_path, tags=TAGS, fresh=fresh)


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("reader", ["r1", "r2"])
def test_a_tag_still_lying_there_after_a_restart_is_the_same_read(tmp_path, fresh, reader):
    """Also in a new game, and on a reader that has another name now."""
    with running(tmp_path, tags=TAGS) as table:
        hands = Hands(table)
        hands.tap(uid("dots"))
        hands.lay(STOP)
        table.act(Reveal("rings"), source=API)
        if fresh:
            table.undo(3, source=API)
    with restarted(tmp_path, fresh=fresh) as table:
        before = table.snapshot
        table.report(TagOn(reader, STOP, SECOND_NS, lay_there=True))
        assert table.settle().event is before.event
        table.report(TagOff(reader, STOP, 2 * SECOND_NS))
        table.report(TagOn(reader, STOP, 3 * SECOND_NS))
        assert table.settle().event is not before.event


def test_what_else_lies_there_at_the_start_is_asked_for_again(tmp_path):
    """A refused tag, one of another game, one laid down meanwhile: nobody can tell which."""
    with running(tmp_path, tags=TAGS) as table:
        Hands(table).tap(STOP)
    with restarted(tmp_path) as table:
        hands = Hands(table)
        table.report(TagOn("r1", uid("dots"), 0, lay_there=True))
        snapshot = table.settle()
        assert (snapshot.event.kind, snapshot.event.code) == ("notice", "lay-there")
        assert snapshot.step == 0
        hands.lift(uid("dots"))
        assert hands.lay(uid("dots"), after_s=0.5).step == 1


def test_a_card_changed_while_the_reader_was_away_counts(hands):
    hands.lay(uid("dots"))
    hands.table.report(DeviceLost("r1", "Plug it in.", hands.now_ns))
    hands.table.report(DeviceBack("r1", "ACME", hands.now_ns))
    hands.table.report(TagOff("r1", uid("dots"), hands.now_ns + SECOND_NS))
    hands.table.report(TagOn("r1", uid("rings"), hands.now_ns + SECOND_NS, lay_there=True))
    assert hands.table.settle().step == 2


def test_spent_cards_are_known_after_a_restart(tmp_path):
    with running(tmp_path, tags=TAGS) as table:
        Hands(table).tap(uid("dots"))
        assert table.spent == {uid("dots")}
    with running(tmp_path, tags=TAGS) as table:
        assert table.spent == {uid("dots")}


def test_what_was_laid_before_the_game_began_does_not_count(tmp_path):
    """A board tells late what it sensed while nobody listened: it is none of a new game."""
    with running(tmp_path, tags=TAGS, clock=lambda: 10 * SECOND_NS) as table:
        early = Hands(table, now_ns=4 * SECOND_NS).tap(uid("dots"))
        assert (early.event.code, early.step) == ("before-game", 0)
        assert Hands(table, now_ns=9 * SECOND_NS).tap(uid("dots")).step == 1


def test_what_was_laid_while_the_service_was_away_counts_in_a_game_that_goes_on(tmp_path):
    with running(tmp_path, tags=TAGS) as table:
        Hands(table).tap(uid("dots"))
    with running(tmp_path, tags=TAGS, clock=lambda: 10 * SECOND_NS) as table:
        assert Hands(table, now_ns=4 * SECOND_NS).tap(uid("rings")).step == 2
