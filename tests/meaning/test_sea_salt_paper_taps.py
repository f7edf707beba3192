"""What each tap means with full tracking: by its place, and by what is legal."""

from __future__ import annotations

import pytest
from sea_salt_taps import done, given, listening, lying_there, tap

from companion.rules.sea_salt_paper.words import Duo

TAKE = {"phase": "take", "hands": ("crab-black", "fish-green", "")}
EMPTY_ONE = {**TAKE, "piles": ("", "boat-yellow-2")}

DEALT = [
    ("discard-1 crab-grey; discard-2 fish-green", "deal crab-grey fish-green"),
    ("discard-2 crab-grey; discard-1 fish-green", "deal fish-green crab-grey"),
    ("- crab-grey; - fish-green", "deal crab-grey fish-green"),
    ("discard-1 crab-grey", "wait"),
    ("discard-1 crab-grey; discard-1 crab-grey", "known"),
    ("discard-1 crab-grey; discard-1 fish-green", "refuse not-legal"),
    ("discard-1 crab-grey; discard-2 crab-grey", "refuse card-not-available"),
    ("discard-1 crab-grey; = forget; discard-1 fish-green; discard-2 crab-grey",
     "deal fish-green crab-grey"),
    ("draw crab-grey", "refuse card-not-available"),
    ("seat-1 crab-grey", "refuse card-not-available"),
    ("pass", "refuse not-legal"),
]  # fmt: skip


@pytest.mark.parametrize(("taps", "meaning"), DEALT)
def test_two_taps_at_the_piles_deal(taps, meaning):
    assert tap(listening(), taps) == meaning


TAKEN = [
    ("draw shell-grey", "wait"),
    ("draw shell-grey; draw shell-grey", "known"),
    ("draw shell-grey; draw octopus-grey", "draw shell-grey octopus-grey"),
    ("- shell-grey; - octopus-grey", "draw shell-grey octopus-grey"),
    # One of the two says what the other is, and a tap at the deck may be missing.
    ("seat-1 shell-grey", "wait"),
    ("draw shell-grey; seat-1 shell-grey", "wait"),
    ("seat-1 shell-grey; discard-2 octopus-grey",
     "draw shell-grey octopus-grey; keep shell-grey; discard 2"),
    ("discard-2 octopus-grey; seat-1 shell-grey",
     "draw octopus-grey shell-grey; keep shell-grey; discard 2"),
    ("draw shell-grey; discard-1 octopus-grey",
     "draw shell-grey octopus-grey; keep shell-grey; discard 1"),
    ("draw shell-grey; discard-1 shell-grey; draw octopus-grey",
     "draw shell-grey octopus-grey; keep octopus-grey; discard 1"),
    ("draw shell-grey; seat-1 octopus-grey", "draw shell-grey octopus-grey; keep octopus-grey"),
    ("seat-1 shell-grey; seat-1 octopus-grey", "refuse not-legal"),
    ("discard-1 shell-grey; discard-1 octopus-grey", "refuse card-not-available"),
    ("seat-1 shell-grey; discard-1 shell-grey", "refuse card-not-available"),
    # The top of a pile.
    ("seat-1 crab-grey", "take 1"),
    ("- boat-yellow-2", "take 2"),
    ("discard-1 crab-grey", "known"),
    ("discard-2 crab-grey", "refuse card-not-available"),
    ("draw crab-grey", "refuse card-not-available"),
    ("seat-2 crab-grey", "refuse card-not-available"),
    ("draw shell-grey; seat-1 crab-grey", "refuse not-legal"),
    ("draw shell-grey; = forget; seat-1 crab-grey", "take 1"),
    # Somebody else's, and what cannot be.
    ("seat-2 shell-grey", "refuse card-not-available"),
    ("seat-2 fish-green", "known"),
    ("seat-1 crab-black", "known"),
    ("seat-1 fish-green", "refuse card-not-available"),
    ("draw crab-black", "refuse card-not-available"),
    ("play crab-black", "refuse card-not-available"),
    ("- crab-black", "refuse card-not-available"),
    ("play shell-grey", "refuse card-not-available"),
    ("seat-4 shell-grey", "refuse unknown-player"),
    ("seat-1 starfish-yellow", "refuse unknown-card"),
    ("pass", "refuse not-legal"),
    ("draw shell-grey; pass", "refuse not-legal"),
]  # fmt: skip


@pytest.mark.parametrize(("taps", "meaning"), TAKEN)
def test_taking_a_card(taps, meaning):
    assert tap(given(**TAKE), taps) == meaning


FIRST_PILE_EMPTY = [
    ("draw shell-grey; draw octopus-grey; seat-1 shell-grey", "keep shell-grey"),
    ("draw shell-grey; draw octopus-grey; discard-1 octopus-grey", "keep shell-grey"),
    ("draw shell-grey; draw octopus-grey; discard-2 octopus-grey", "refuse not-legal"),
    ("seat-1 shell-grey; discard-1 octopus-grey", "draw shell-grey octopus-grey; keep shell-grey"),
    ("seat-1 shell-grey; discard-2 octopus-grey", "refuse not-legal"),
]


@pytest.mark.parametrize(("taps", "meaning"), FIRST_PILE_EMPTY)
def test_an_empty_pile_is_filled_first(taps, meaning):
    assert tap(given(**EMPTY_ONE), taps) == meaning


def test_with_both_piles_empty_the_other_card_opens_pile_1():
    table = given(**{**TAKE, "piles": ("", "")})
    assert tap(table, "seat-1 shell-grey; discard-2 octopus-grey") == "refuse not-legal"
    assert tap(table, "discard-1 octopus-grey") == "draw shell-grey octopus-grey; keep shell-grey"


LAST_CARD = [
    ("draw shell-grey", "draw shell-grey"),
    ("seat-1 shell-grey", "draw shell-grey"),
    ("- shell-grey", "draw shell-grey"),
    ("discard-1 shell-grey", "refuse not-legal"),
]


@pytest.mark.parametrize(("taps", "meaning"), LAST_CARD)
def test_the_last_card_of_the_deck_does_not_wait(taps, meaning):
    assert tap(given(**TAKE, deck="shell-grey"), taps) == meaning


KEPT = [
    ("seat-1 shell-grey", "keep shell-grey"),
    ("discard-2 shell-grey", "keep octopus-grey; discard 2"),
    ("seat-1 octopus-grey; discard-1 shell-grey", "discard 1"),
    ("draw shell-grey", "known"),
    ("seat-1 shell-grey; seat-1 shell-grey", "known"),
    ("seat-1 shell-grey; discard-1 shell-grey", "refuse card-not-available"),
    ("seat-1 shell-grey; seat-1 octopus-grey", "refuse card-not-available"),
    ("discard-1 shell-grey; seat-1 octopus-grey", "known"),
    ("discard-1 shell-grey; discard-1 shell-grey", "known"),
    ("seat-2 shell-grey", "refuse card-not-available"),
    ("draw shell-black", "refuse card-not-available"),
    ("- shell-grey", "ask kept: kept pile-1 pile-2"),
    ("- shell-grey; = kept", "keep shell-grey"),
    ("- shell-grey; = pile-2", "keep octopus-grey; discard 2"),
    ("- shell-grey; = kept; - octopus-grey", "ask laid: pile-1 pile-2"),
    ("- shell-grey; = kept; - octopus-grey; = pile-1", "discard 1"),
    ("- shell-grey; - octopus-grey; = kept", "keep octopus-grey"),
]


@pytest.mark.parametrize(("taps", "meaning"), KEPT)
def test_keeping_one_tells_the_other(taps, meaning):
    table = given(**TAKE)
    assert tap(table, "draw shell-grey; draw octopus-grey") == "draw shell-grey octopus-grey"
    assert tap(table, taps) == meaning


def test_with_an_empty_pile_and_one_reader_no_other_pile_is_offered():
    table = given(**EMPTY_ONE)
    assert tap(table, "- shell-grey; - octopus-grey; - shell-grey") == "ask kept: kept pile-1"


FULL_HAND = (
    "crab-black crab-green boat-black-1 fish-black-1 fish-black-2 swimmer-black shark-black "
    "boat-black-2 shell-black"
)
PLAYED = [
    ("play crab-black", "wait"),
    ("play shell-black", "wait"),  # that it makes no duo is nobody's business yet
    ("play crab-black; play crab-green", "duo crab-black crab-green"),
    ("- crab-black; - crab-green", "duo crab-black crab-green"),
    ("play shark-black; play swimmer-black", "duo shark-black swimmer-black"),
    ("play crab-black; play fish-black-1", "wait"),
    ("play crab-black; play fish-black-1; play fish-black-2", "duo fish-black-1 fish-black-2"),
    ("play crab-black; play crab-black", "ask twice: stay out"),
    ("play boat-black-1; play boat-black-2; play boat-black-1", "known"),
    ("play crab-black; play crab-black; = stay; play crab-green", "duo crab-black crab-green"),
    ("play crab-black; play crab-black; = out; play crab-green", "wait"),
    ("play crab-black; seat-1 crab-black", "wait"),
    ("play crab-black; seat-1 crab-black; pass", "pass"),
    ("play crab-black; = forget; pass", "pass"),
    ("play crab-black; pass", "ask unfinished/pass: forget stay"),
    ("play crab-black; pass; pass", "pass"),
    ("play crab-black; pass; = forget", "pass"),
    ("play crab-black; pass; = stay; play crab-green", "duo crab-black crab-green"),
    ("play fish-green", "refuse card-not-available"),  # Bo's
    ("play octopus-grey", "refuse card-not-available"),  # in the deck
    ("- crab-grey", "refuse card-not-available"),  # on a pile
    ("draw shell-grey", "refuse card-not-available"),
    ("discard-1 crab-grey", "known"),
    ("pass", "pass"),
    ("seat-1 pass", "pass"),
    ("seat-2 pass", "refuse not-legal"),
    ("stop", "stop"),
    ("last-chance", "last-chance"),
    ("mermaids", "refuse not-legal"),
    ("shuffle", "no-meaning"),
    ("player/2", "no-meaning"),
]


@pytest.mark.parametrize(("taps", "meaning"), PLAYED)
def test_playing_and_ending_a_turn(taps, meaning):
    shells = "shell-grey shell-green shell-yellow shell-dark-blue shell-light-blue"
    table = given(hands=(FULL_HAND, "fish-green", "shark-green"), tables=(shells, "", ""))
    assert tap(table, taps) == meaning


EFFECTS = [
    # Crabs: at the seat it is both, elsewhere only which pile.
    ("crab-black", "crab-green", "seat-1 octopus-green", "look 1; pick octopus-green"),
    ("crab-black", "crab-green", "seat-1 boat-yellow-2", "look 2; pick boat-yellow-2"),
    ("crab-black", "crab-green", "discard-1 crab-grey", "look 1"),
    ("crab-black", "crab-green", "discard-1 octopus-green", "look 1"),
    ("crab-black", "crab-green", "discard-2 octopus-green", "refuse card-not-available"),
    ("crab-black", "crab-green", "- octopus-green", "look 1; pick octopus-green"),
    ("crab-black", "crab-green", "- crab-grey", "look 1; pick crab-grey"),
    ("crab-black", "crab-green", "discard-1 crab-grey; seat-1 crab-grey", "pick crab-grey"),
    ("crab-black", "crab-green", "discard-1 crab-grey; discard-1 crab-grey", "known"),
    ("crab-black", "crab-green", "discard-1 crab-grey; seat-1 boat-yellow-2",
     "refuse card-not-available"),
    ("crab-black", "crab-green", "seat-1 shell-grey", "refuse card-not-available"),
    ("crab-black", "crab-green", "pass", "refuse not-legal"),
    # Boats: another turn.
    ("boat-black-1", "boat-black-2", "seat-1 crab-grey", "take 1"),
    ("boat-black-1", "boat-black-2", "draw shell-grey; draw octopus-grey",
     "draw shell-grey octopus-grey"),
    # Fish: a card of the deck, at the deck or at the seat.
    ("fish-black-1", "fish-black-2", "draw shell-grey", "draw-one shell-grey"),
    ("fish-black-1", "fish-black-2", "seat-1 shell-grey", "draw-one shell-grey"),
    ("fish-black-1", "fish-black-2", "- shell-grey", "draw-one shell-grey"),
    ("fish-black-1", "fish-black-2", "discard-1 shell-grey", "refuse card-not-available"),
    ("fish-black-1", "fish-black-2", "seat-2 shell-grey", "refuse card-not-available"),
    ("fish-black-1", "fish-black-2", "seat-1 crab-grey", "refuse card-not-available"),
    # Swimmer and shark: whose card it is says from whom.
    ("swimmer-black", "shark-black", "seat-1 shark-green", "steal Cy shark-green"),
    ("swimmer-black", "shark-black", "- fish-green", "steal Bo fish-green"),
    ("swimmer-black", "shark-black", "seat-2 fish-green", "known"),
    ("swimmer-black", "shark-black", "seat-1 shell-grey", "refuse card-not-available"),
    ("swimmer-black", "shark-black", "play fish-green", "refuse card-not-available"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "taps", "meaning"), EFFECTS)
def test_what_a_duo_says_is_told_by_the_card_that_it_brings(one, other, taps, meaning):
    table = given(
        hands=(FULL_HAND, "fish-green", "shark-green"),
        piles=("octopus-green crab-grey", "boat-yellow-2"),
    )
    assert tap(table, f"play {one}; play {other}") == f"duo {one} {other}"
    assert tap(table, taps) == meaning


def test_with_one_pile_the_pick_is_all():
    table = given(hands=(FULL_HAND, "", ""), piles=("", "octopus-green crab-grey"))
    assert tap(table, "play crab-black; play crab-green; seat-1 octopus-green") == (
        "pick octopus-green"
    )


def test_with_nothing_to_take_skipping_follows_from_whatever_comes():
    bare = {"hands": (FULL_HAND, "", ""), "piles": ("", ""), "deck": "", "phase": "take"}
    assert (
        tap(given(**bare), "play crab-black; play crab-green") == "skip; duo crab-black crab-green"
    )
    table = lying_there(given(**bare), caller=0)
    assert tap(table, "pass") == "skip; pass"
    # The token may have been read twice.
    assert tap(table, "pass") == "ask passed: yes no"
    assert tap(table, "= no; pass; pass") == "skip; pass"


def test_four_mermaids():
    mermaids = " ".join(f"mermaid-white-{number}" for number in range(1, 5))
    table = given(hands=(mermaids, "", ""))
    assert tap(table, "mermaids") == "mermaids"
    assert tap(table, "seat-1 shell-grey") == "refuse game-over"
    assert tap(table, "pass") == "refuse game-over"


def test_what_lies_openly_is_told_with_the_refusal():
    table = given(hands=("crab-black", "", ""), tables=("", "fish-black-1 fish-black-2", ""))
    memory, here = table.memory, table.tap("fish-black-1", "seat-1")
    assert "it lies on the table before Bo by the record" in here.message
    assert table.memory == memory
    assert "on pile 1" in table.tap("crab-grey", "discard-2").message
    open_hand = lying_there(given(hands=("", "crab-black", "")), revealed=(False, True, False))
    assert "in the open hand of Bo" in open_hand.tap("crab-black", "seat-1").message


def test_when_a_round_is_closed_people_compare_points_and_cards():
    seven = "shell-green shell-grey shell-black octopus-grey octopus-green"
    table = given(hands=(seven, "crab-black", ""), tables=("", "", "fish-black-1 fish-black-2"))
    closing = table.understanding.closing
    assert closing(table.known) == ""
    assert tap(table, "stop") == "stop"
    assert closing(table.known) == (
        "Ann 7, Bo 0, Cy 1; cards in the hand and on the table: Ann 5 and 0, Bo 1 and 0, Cy 0 and 2"
    )
    tap(table, "discard-1 crab-grey; discard-2 boat-yellow-2")
    assert closing(table.known) == ""


def test_what_waits_is_told_and_forgotten_when_the_game_changes():
    table = given(**TAKE)
    assert table.waiting == ""
    assert table.question is None
    tap(table, "draw shell-grey")
    assert table.waiting == "One card was drawn: tap the other one."
    assert table.question.who == "Ann"
    tap(table, "seat-1 shell-grey")
    assert table.waiting == "One card was kept: tap the one that was laid down."
    tap(table, "= forget; discard-2 shell-grey")
    assert table.waiting == "A card was laid on pile 2: tap the other one."
    table = given(hands=(FULL_HAND, "", ""))
    tap(table, "play crab-black")
    assert table.waiting == "A card was tapped to be played: tap what goes with it."
    table.touch(Duo(("fish-black-1", "fish-black-2")))
    assert table.waiting == ""
    assert tap(table, "draw shell-grey") == "draw-one shell-grey"


AGAIN = [
    # With one reader a tap may be the same as before.
    ("- boat-yellow-2", "ask again: now again"),
    ("- boat-yellow-2; = now", "take 2"),
    ("- boat-yellow-2; = again; - crab-grey", "take 1"),
    ("- crab-grey; - crab-grey", "ask again: now again"),
    ("- crab-grey; - crab-grey; = again; pass", "pass"),
    ("- crab-grey; - crab-grey; = now; pass", "ask unfinished/pass: forget stay"),
    ("- crab-grey; pass; - crab-grey", "refuse card-not-available"),
    ("- shell-grey; - octopus-grey; - octopus-grey", "ask kept: kept pile-1 pile-2"),
    ("seat-1 boat-yellow-2", "take 2"),
]


@pytest.mark.parametrize(("taps", "meaning"), AGAIN)
def test_the_card_that_told_the_last_action(taps, meaning):
    table = listening()
    tap(table, "- crab-grey; - boat-yellow-2")
    assert tap(table, taps) == meaning


@pytest.mark.parametrize("taps", ["- crab-black; - crab-grey", "- crab-grey; = now; - crab-black"])
def test_a_card_that_has_just_come_is_played(taps):
    table = given(phase="take", hands=("crab-black", "", ""))
    assert tap(table, "- crab-grey") == "take 1"
    assert tap(table, taps).startswith("duo ")


# --- Extra Salt -----------------------------------------------------------------------

SALT_HAND = (
    "crab-black crab-green starfish-yellow starfish-dark-blue swimmer-black jellyfish-pink "
    "lobster-black fish-black-1 fish-black-2 crab-yellow-1"
)
SALT = [
    ("play starfish-yellow; play crab-black; play crab-green",
     "duo crab-black crab-green starfish-yellow"),
    ("play crab-black; play starfish-yellow; play crab-green",
     "duo crab-black crab-green starfish-yellow"),
    ("play starfish-yellow; play starfish-dark-blue; play crab-black; play crab-green",
     "duo crab-black crab-green starfish-dark-blue"),
    ("play starfish-yellow; play crab-black; play fish-black-1; play fish-black-2",
     "duo fish-black-1 fish-black-2 starfish-yellow"),
    ("play starfish-yellow; play crab-black; play crab-green; play starfish-dark-blue", "wait"),
    ("play starfish-yellow; pass", "ask unfinished/pass: forget stay"),
    ("play jellyfish-pink; play swimmer-black", "duo jellyfish-pink swimmer-black"),
    # A starfish after the pair: does it belong to it?
    ("play crab-black; play crab-green; play starfish-yellow", "ask trio: trio none"),
    ("play crab-black; play crab-green; - starfish-yellow; = none", "wait"),
    ("play crab-black; play crab-green; play starfish-yellow; = trio", "undo"),
    ("play jellyfish-pink; play swimmer-black; play starfish-yellow", "ask trio: trio another"),
    ("- jellyfish-pink; - swimmer-black; - starfish-yellow; = another; - crab-black; - crab-green",
     "duo crab-black crab-green starfish-yellow"),
    ("play crab-black; play lobster-black; seat-1 shell-grey", "pick shell-grey"),
    ("play crab-black; play lobster-black; - shell-grey", "pick shell-grey"),
    ("play crab-black; play lobster-black; draw shell-grey", "known"),
    ("play crab-black; play lobster-black; seat-1 crab-grey", "refuse card-not-available"),
]  # fmt: skip


@pytest.mark.parametrize(("taps", "meaning"), SALT)
def test_extra_salt(taps, meaning):
    assert tap(given(hands=(SALT_HAND, "fish-green", ""), salt=True), taps) == meaning


def test_a_trio_that_was_told_as_a_pair_is_taken_back_and_told_anew():
    table = given(hands=(SALT_HAND, "", ""), salt=True)
    tap(table, "play crab-black; play crab-green; play starfish-yellow; = trio")
    assert table.match.step == 0
    assert table.waiting == ""
    tap(table, "play starfish-yellow; play crab-black; play crab-green")
    assert done(table) == "duo crab-black crab-green starfish-yellow"


STUNG = [
    ("draw shell-grey", "draw-one shell-grey"),
    ("seat-2 shell-grey", "draw-one shell-grey"),
    ("seat-1 shell-grey", "refuse card-not-available"),
    ("pass", "refuse not-legal"),
    ("play fish-green", "refuse card-not-available"),
    ("seat-2 crab-grey", "refuse card-not-available"),
]


@pytest.mark.parametrize(("taps", "meaning"), STUNG)
def test_whoever_is_stung_only_draws(taps, meaning):
    table = given(hands=(SALT_HAND, "fish-green", ""), salt=True)
    tap(table, "play jellyfish-pink; play swimmer-black; pass")
    assert tap(table, taps) == meaning


def test_whoever_is_stung_and_finds_no_deck_passes():
    table = given(hands=("", "fish-green", ""), deck="", salt=True, phase="stung")
    assert tap(table, "seat-1 fish-green") == "refuse card-not-available"
    assert tap(lying_there(table, caller=2), "pass") == "pass"
