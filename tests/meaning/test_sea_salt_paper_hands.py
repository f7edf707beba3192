"""What taps mean with score tracking: a call, everybody's cards, and what was left over."""

from __future__ import annotations

import pytest
from sea_salt_taps import done, listening, tap

from companion.rules.sea_salt_paper.cards import DECK, names_of
from companion.rules.sea_salt_paper.score_tracking import Tally
from companion.rules.sea_salt_paper.words import Hand

SEVEN = "shell-green shell-grey shell-black octopus-grey octopus-green"


def round_of(call="stop", **options):
    """Ann has ended a round by a call."""
    table = listening(("Ann", "Bo"), tracking="score", **options)
    assert tap(table, f"player/1; {call}") == f"call Ann {call}"
    return table


def cards(names):
    """Taps of these cards at the one reader."""
    return "; ".join(f"- {name}" for name in names.split())


def told(table, first=SEVEN, second="crab-grey crab-black"):
    """Both hands."""
    tap(table, f"{cards(first)}; stop; {cards(second)}; stop")
    return table


CALLED = [
    ("stop", "ask who: player-1 player-2"),
    ("stop; = player-2", "call Bo stop"),
    ("stop; player/2", "call Bo stop"),
    ("player/2; last-chance", "call Bo last-chance"),
    ("last-chance; player/1", "call Ann last-chance"),
    ("player/1; player/2; stop", "call Bo stop"),
    ("mermaids; player/2", "call Bo mermaids"),
    ("seat-2 stop", "call Bo stop"),
    ("seat-4 stop", "refuse unknown-player"),
    ("player/2", "wait"),
    ("pass", "no-meaning"),
    # Cards come before a call.
    ("- crab-grey", "ask ended: stop last-chance deck-empty mermaids"),
    ("- crab-grey; = stop", "ask who: player-1 player-2"),
    ("- crab-grey; = stop; = player-1", "call Ann stop"),
    ("- crab-grey; = deck-empty; player/2", "call Bo deck-empty"),
    ("- starfish-yellow", "refuse unknown-card"),
    ("seat-3 crab-grey", "refuse unknown-player"),
]


@pytest.mark.parametrize(("taps", "meaning"), CALLED)
def test_who_ended_the_round_and_how(taps, meaning):
    assert tap(listening(("Ann", "Bo"), tracking="score"), taps) == meaning


TWO = "- crab-grey; - crab-black"
HANDS = [
    (TWO, "wait"),
    (f"{TWO}; stop", "hand Ann crab-grey crab-black"),
    (f"{TWO}; player/1", "hand Ann crab-grey crab-black"),
    (f"{TWO}; = all", "hand Ann crab-grey crab-black"),
    (f"{TWO}; = anew; - crab-grey; stop", "hand Ann crab-grey"),
    # Whose cards come is said by a token, by a seat, or by the order.
    (f"player/2; {TWO}; stop", "hand Bo crab-grey crab-black"),
    ("seat-2 crab-grey; seat-2 stop", "hand Bo crab-grey"),
    ("seat-2 crab-grey; - crab-black; stop", "hand Bo crab-grey crab-black"),
    ("seat-2 crab-grey; seat-1 crab-black; seat-2 stop", "hand Bo crab-grey"),
    (f"{TWO}; stop; - crab-yellow-1; stop", "hand Bo crab-yellow-1"),
    (f"{TWO}; stop; player/1", "known"),
    (f"{TWO}; stop; seat-1 crab-grey", "known"),
    (f"{TWO}; stop; seat-1 crab-yellow-1", "refuse not-legal"),
    (f"{TWO}; player/2", "ask changed: all no"),
    (f"{TWO}; player/2; = all", "hand Ann crab-grey crab-black"),
    (f"{TWO}; player/2; = all; - crab-yellow-1; stop", "hand Bo crab-yellow-1"),
    (
        f"{TWO}; player/2; = no; - crab-yellow-1; stop",
        "hand Ann crab-grey crab-black crab-yellow-1",
    ),
    # No card at all.
    ("stop", "ask none: none tap"),
    ("stop; = none", "hand Ann"),
    ("stop; = tap", "wait"),
    ("player/2; stop; = none", "hand Bo"),
    # One card twice.
    (f"{TWO}; - crab-grey", "ask twice: stay out"),
    (f"{TWO}; - crab-grey; - crab-yellow-1; stop", "hand Ann crab-grey crab-black crab-yellow-1"),
    (f"{TWO}; - crab-grey; = stay; stop", "hand Ann crab-grey crab-black"),
    (f"{TWO}; - crab-grey; = out; stop", "hand Ann crab-black"),
    # One card for two.
    ("seat-1 crab-grey; seat-2 crab-grey", "ask whose: player-1 player-2"),
    ("seat-1 crab-grey; seat-2 crab-grey; = player-1; player/1", "hand Ann crab-grey"),
    ("seat-1 crab-grey; seat-2 crab-grey; = player-2; player/2", "hand Bo crab-grey"),
    (f"{TWO}; stop; - crab-grey", "ask whose: player-1 player-2"),
    (f"{TWO}; stop; - crab-grey; = player-1; - crab-yellow-1; stop", "hand Bo crab-yellow-1"),
    (f"{TWO}; stop; - crab-grey; = player-2", "undo"),
    (f"{TWO}; stop; - crab-grey; = player-2; stop", "hand Ann crab-black"),
    (f"{TWO}; stop; - crab-grey; = player-2; stop; stop", "hand Bo crab-grey"),
    # What cannot be.
    ("- starfish-yellow", "refuse unknown-card"),
    ("last-chance", "refuse not-legal"),
    ("seat-3 crab-grey", "refuse unknown-player"),
]  # fmt: skip


@pytest.mark.parametrize(("taps", "meaning"), HANDS)
def test_the_cards_of_each_player(taps, meaning):
    assert tap(round_of(), taps) == meaning


def test_the_sum_grows_and_is_agreed_to():
    table = round_of()
    sums = []
    for name in SEVEN.split():
        tap(table, f"- {name}")
        sums.append(table.waiting)
    assert sums == [
        "Ann: 1 card, 0 points.",
        "Ann: 2 cards, 2 points.",
        "Ann: 3 cards, 4 points.",
        "Ann: 4 cards, 4 points.",
        "Ann: 5 cards, 7 points.",
    ]
    asked = table.question
    assert asked.text == "Ann: 5 cards, 7 points. Is that all?"
    assert (asked.who, asked.blocking) == ("Ann", False)
    tap(table, "stop")
    assert (table.waiting, table.question) == ("", None)


def test_a_round_is_scored():
    table = told(round_of())
    assert done(table) == (
        "call Ann stop; hand Ann shell-green shell-grey shell-black octopus-grey octopus-green; "
        "hand Bo crab-grey crab-black"
    )
    state = table.match.state
    assert isinstance(state, Tally)
    assert (state.round, state.phase, state.totals) == (2, "call", (7, 1))
    closing = table.understanding.closing(table.known)
    assert closing == "Ann 7, Bo 1; cards: Ann 5, Bo 2"


def test_a_hand_that_was_taken_back_goes_on_where_it_was():
    table = round_of()
    tap(table, f"{TWO}; stop; - crab-yellow-1")
    table.undo()
    assert table.waiting == "Ann: 2 cards, 1 point."
    assert tap(table, "- crab-green; stop") == "hand Ann crab-grey crab-black crab-green"
    assert tap(table, "stop") == "hand Bo crab-yellow-1"
    table.undo()
    assert tap(table, "- boat-black-1; player/2") == "hand Bo crab-yellow-1 boat-black-1"


def test_another_round_begins_with_empty_hands():
    table = told(round_of())
    assert tap(table, "player/2; stop; - crab-grey; stop") == "hand Bo crab-grey"
    assert tap(table, "- crab-black; stop") == "hand Ann crab-black"


def test_the_token_that_ended_the_last_hand_does_not_say_who_calls_next():
    """It may have been read twice."""
    table = round_of()
    assert tap(table, f"{cards(SEVEN)}; stop; - crab-grey; player/2") == "hand Bo crab-grey"
    assert tap(table, "player/2") == "wait"
    assert table.waiting == ""
    assert tap(table, "stop") == "ask who: player-1 player-2"
    assert tap(table, "player/2") == "call Bo stop"
    table.undo()
    assert tap(table, "player/1; stop") == "call Ann stop"


def test_a_call_that_was_taken_back_takes_the_cards_with_it():
    table = round_of()
    tap(table, TWO)
    table.undo()
    assert tap(table, "player/2; stop; player/1; - boat-black-1; stop") == "hand Ann boat-black-1"


def test_a_card_of_a_hand_told_earlier_is_set_right_by_a_correction():
    table = listening(("Ann", "Bo", "Cy"), tracking="score")
    tap(table, f"player/1; stop; {TWO}; stop; - boat-black-1; stop")
    assert tap(table, "- crab-grey; = player-3") == "refuse card-not-available"
    assert tap(table, "- crab-grey; = player-1; - crab-green; stop") == "hand Cy crab-green"


def test_a_card_that_two_tapped_is_named():
    table = round_of()
    tap(table, "seat-1 crab-grey; seat-2 crab-grey")
    assert table.question.text == "crab-grey was tapped for Ann and for Bo: whose is it?"


def test_a_hand_may_be_told_by_touch():
    table = round_of()
    table.touch(Hand("Ann", ("crab-grey",)))
    assert tap(table, "- crab-grey") == "ask whose: player-1 player-2"


# --- Gathering ------------------------------------------------------------------------

REST = [name for name in names_of(DECK) if name not in {*SEVEN.split(), "crab-grey", "crab-black"}]


def test_when_all_are_there_it_is_said():
    table = told(round_of())
    assert tap(table, f"{cards(' '.join(REST))}; = gathered") == "complete"
    assert (table.waiting == "", table.question) == (False, None)


def test_a_card_that_is_missing_is_named():
    table = told(round_of())
    tap(table, cards(" ".join(REST[2:])))
    assert table.waiting == "Gathering: 49 of 51 cards that were in no hand were tapped."
    meaning = table.answer("gathered")
    assert meaning.code == "missing-cards"
    assert f": {REST[0]}, {REST[1]}. " in meaning.message
    assert table.question is None
    assert tap(table, f"- {REST[1]}") == "wait"
    assert f": {REST[0]}. " in table.answer("gathered").message


def test_a_hand_that_is_set_right_counts_for_what_is_missing():
    table = told(round_of())
    tap(table, cards(" ".join(REST[1:])))
    table.undo()
    assert tap(table, f"- {REST[0]}; stop") == f"hand Bo crab-grey crab-black {REST[0]}"
    assert tap(table, f"{cards(' '.join(REST[1:]))}; = gathered") == "complete"


GATHERED = [
    ("- shell-light-blue", "wait"),
    ("- shell-light-blue; - shell-light-blue", "known"),
    ("- crab-grey", "known"),  # it was in a hand
    ("- starfish-yellow", "refuse unknown-card"),
    ("- shell-light-blue; = ended", "ask ended: stop last-chance deck-empty mermaids"),
    ("- shell-light-blue; player/2; stop", "ask unfinished: on not-yet"),
    ("- shell-light-blue; player/2; stop; = on", "call Bo stop"),
    ("- shell-light-blue; player/2; stop; stop", "call Bo stop"),
    ("- shell-light-blue; player/2; stop; = not-yet; - shell-yellow", "wait"),
    ("- shell-light-blue; = gathered; player/2; stop", "call Bo stop"),
    ("player/2; stop", "call Bo stop"),
]


@pytest.mark.parametrize(("taps", "meaning"), GATHERED)
def test_after_a_round_cards_are_gathered(taps, meaning):
    assert tap(told(round_of()), taps) == meaning


def test_after_an_empty_deck_all_cards_are_gathered():
    table = round_of("stop")
    table.undo()
    tap(table, "- crab-grey; = deck-empty; player/2; - crab-grey")
    assert table.waiting == "Gathering: 1 of 58 cards that were in no hand were tapped."


def test_after_the_last_round_too():
    table = round_of("mermaids")
    assert table.match.state.phase == "over"
    assert tap(table, f"{cards(' '.join(names_of(DECK)))}; = gathered") == "complete"
    assert tap(table, "stop") == "refuse game-over"


def test_with_extra_salt_there_are_66():
    table = told(round_of(salt=True), second="starfish-yellow seahorse-white")
    tap(table, "- crab-grey")
    assert table.waiting == "Gathering: 1 of 59 cards that were in no hand were tapped."
