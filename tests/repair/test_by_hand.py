"""Moves by hand: the shortest list that brings the real things to where the record has them."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from companion.match import Setup
from companion.repair.by_hand import moves, needed, shows_hidden
from companion.repair.things import Transfer, carried_out, transfers
from companion.repair.timeline import Delete, DoesNotFit, Insert, Keep, Replace
from companion.rules.octopus_alarm_words import Flip, Reef, Sail, Swing
from companion.rules.sea_salt_paper import words as salt
from companion.rules.sea_salt_paper.cards import KINDS
from companion.rules.tentacles_words import Reveal, Steal, Stop
from tests.support.random_games import corrections, games, timeline_of

TWO = Setup("tentacles", ("Ann", "Bo"))
ALARM = Setup("octopus-alarm", ("Ann", "Bo"))
SALT = Setup("sea-salt-paper", ("Ann", "Bo"))
REEF = [Reef(stack, animal) for stack, animal in enumerate(("crab", "squid", "snail", "turtle"))]


def corrected(setup, actions, *edits):
    timeline = timeline_of(setup, actions)
    return [move.text for move in moves(timeline, timeline.corrected(edits, 1000))]


def undone(setup, actions, count):
    timeline = timeline_of(setup, actions)
    return [move.text for move in moves(timeline, timeline.undo(count))]


# Five tentacles


def test_a_fish_that_was_won_by_mistake_goes_back_into_the_sea():
    assert undone(TWO, (Reveal("dots"),), 1) == ["Ann: put the fish on dots into the sea."]


def test_a_fish_that_was_lost_by_mistake_comes_back():
    told = (Reveal("stripes"), Reveal("stripes-eyes"))
    assert undone(TWO, told, 1) == ["Ann: put a fish from the sea on stripes."]


def test_another_pattern_is_one_move_since_all_fish_are_alike():
    assert corrected(TWO, (Reveal("dots"),), Replace("1", Reveal("waves"))) == [
        "Ann: move the fish on dots to waves."
    ]


def test_a_fish_that_was_stolen_goes_back():
    told = (Reveal("dots"), Stop(), Reveal("dots-tentacle"), Steal("Ann"))
    assert undone(TWO, told, 1) == ["Bo: give the fish on dots to Ann, for dots."]


def test_where_only_the_turn_changes_nothing_is_moved():
    told = (Reveal("dots"), Stop())
    assert undone(TWO, told, 1) == []
    assert corrected(TWO, told, Insert("2", Reveal("octopus")), Delete("2")) == [
        "Ann: put the fish on dots into the sea."
    ]


def test_the_keys_of_a_list_are_different():
    timeline = timeline_of(TWO, (Reveal("dots"), Reveal("waves")))
    first, second = moves(timeline, timeline.undo(2))
    assert first.key != second.key
    assert (first.player, second.player) == ("Ann", "Ann")


# Octopus alarm


def test_ship_and_tile_and_chip():
    told = (*REEF, Sail(1), Flip(2, "crab"))
    assert undone(ALARM, told, 2) == [
        "Ann: put the crab back on stack 0 of the reef.",
        "Turn tile 2 of area 1 face down.",
        "Put the ship in area 0.",
    ]
    assert corrected(ALARM, told, Replace("6", Flip(2, "snail"))) == [
        "Ann: put the crab back on stack 0 of the reef.",
        "Ann: take the snail from stack 2 of the reef.",
    ]


def test_two_chips_of_one_stack_go_back_in_the_order_in_which_they_lay():
    told = (*REEF, Sail(1), Flip(2, "crab"), Reef(0, "fish"), Flip(1, "fish"))
    assert undone(ALARM, told, 3)[:2] == [
        "Ann: put the fish back on stack 0 of the reef.",
        "Ann: put the crab back on stack 0 of the reef.",
    ]


def test_a_chip_that_was_misread_stays_where_it_is():
    told = (*REEF, Sail(1), Flip(2, "crab"))
    edits = Replace("1", Reef(0, "fish")), Replace("6", Flip(2, "fish"))
    assert corrected(ALARM, told, *edits) == []


def test_lille_billy_and_the_provisions():
    told = (*REEF, Sail(2), Flip(0, "wave"), Swing("capsized"))
    assert undone(ALARM, told, 1) == [
        "Turn tile 0 of area 2 face up.",
        "Ann: take one of your provisions back.",
    ]
    assert corrected(ALARM, told, Replace("7", Swing("upright"))) == [
        "Ann: take one of your provisions back."
    ]
    told = (*REEF, Sail(1), Flip(0, "billy"))
    assert undone(ALARM, told, 1) == [
        "Turn tile 0 of area 1 face down.",
        "Put Lille-Billy in area 3.",
    ]


# Sea Salt & Paper

DRAWN = (
    salt.Deal(("crab-grey", "boat-yellow-2")),
    salt.Draw(("fish-green", "shoal-grey")),
    salt.Keep("shoal-grey"),
    salt.Discard(1),
)


def test_cards_of_a_hand_have_no_name():
    assert undone(SALT, DRAWN, 3) == [
        "Put the fish (green) from pile 1 back on top of the deck.",
        "Ann: put the card that you took last back on top of the deck.",
    ]
    assert undone(SALT, DRAWN, 1) == ["Ann: put the fish (green) from pile 1 into your hand."]


def test_a_card_that_was_misread_stays_where_it_is():
    drawn = salt.Draw(("fish-green", "captain-light-orange"))
    edits = Replace("2", drawn), Replace("3", salt.Keep("captain-light-orange"))
    assert corrected(SALT, DRAWN, *edits) == []


def test_the_other_card_was_kept():
    assert corrected(SALT, DRAWN, Replace("3", salt.Keep("fish-green"))) == [
        "Ann: put the fish (green) from pile 1 into your hand.",
        "Ann: put the shoal (grey) on pile 1.",
    ]


def test_the_other_pile():
    assert corrected(SALT, DRAWN, Replace("4", salt.Discard(2))) == [
        "Put the fish (green) from pile 1 on pile 2."
    ]


def test_after_a_new_deal_nothing_can_be_brought_back():
    timeline = timeline_of(SALT, DRAWN[:1])
    (only,) = moves(timeline, timeline.undo(1))
    assert only.player is None
    assert only.text.startswith("All cards were gathered and shuffled since")


def test_score_tracking_follows_no_card():
    scoring = Setup("sea-salt-paper", ("Ann", "Bo"), None, {"tracking": "score"})
    told = (salt.Call("Ann", "stop"), salt.Hand("Ann", ("crab-grey",)))
    assert undone(scoring, told, 1) == []
    assert shows_hidden(timeline_of(scoring, told).match, 2) == ""


def test_a_card_goes_back_below_others():
    before = {"pile/1": ("a", "c", "d"), "hand/Ann": ("b",)}
    after = {"pile/1": ("a", "b", "c", "d"), "hand/Ann": ()}
    (move,) = transfers(before, after, ["pile/1"])
    assert move == Transfer("b", "hand/Ann", "pile/1", 1)
    assert carried_out(before, [move]) == after


def test_things_that_are_alike_go_where_it_is_nearest():
    before = {"Ann/dots": ("fish",), "Bo/rings": ("fish",), "Bo/dots": (), "Ann/rings": ()}
    after = {"Ann/rings": ("fish",), "Bo/dots": ("fish",), "Ann/dots": (), "Bo/rings": ()}
    assert {(move.source, move.target) for move in transfers(before, after)} == {
        ("Ann/dots", "Bo/dots"),
        ("Bo/rings", "Ann/rings"),
    }


# For random games


def multisets(things, piles=("pile/1", "pile/2")):
    return {
        place: list(here) if place in piles else Counter(here)
        for place, here in things.items()
        if here
    }


def fewest(need):
    """How many things must be moved at least: those that are too many where they lie."""
    surplus = 0
    for place, here in need.before.items():
        wanted = need.after.get(place, ())
        surplus += (Counter(here) - Counter(wanted)).total()
    return surplus


def check(before, after):
    need = needed(before, after)
    done = carried_out(need.before, need.transfers)
    assert multisets(done) == multisets(need.after)
    if need.transfers or need.before:
        assert len(need.moves) == len(need.transfers)
        assert len({move.key for move in need.moves}) == len(need.moves)
    if "pile/1" not in need.before:
        assert len(need.transfers) == fewest(need)
    secret = hidden_cards(before) & hidden_cards(after)
    # Of two cards that are called alike one may be seen.
    seen = (
        {words(card) for card in before.match.game.components if card not in secret}
        if secret
        else ()
    )
    text = " ".join(move.text for move in need.moves)
    assert [
        card for card in secret if f"the {words(card)}" in text and words(card) not in seen
    ] == []
    return need


def words(card):
    kind = next(kind for kind in KINDS if card.startswith(f"{kind}-"))
    colour = card.removeprefix(f"{kind}-").rstrip("-1234")
    return f"{kind} ({colour})".replace("-", " ")


def hidden_cards(timeline):
    """The cards that a spectator sees nowhere."""
    match = timeline.match
    if match.game.name != "sea-salt-paper":
        return set()
    view = str(match.game.view(match.state, None))
    return {name for name in match.game.components if f"'{name}'" not in view}


@given(corrections())
@settings(max_examples=200)
def test_the_moves_after_a_correction_bring_the_things_to_where_they_belong(correction):
    setup, actions, edits = correction
    before = timeline_of(setup, actions)
    try:
        after = before.corrected(edits, 1000)
    except DoesNotFit:
        return
    need = check(before, after)
    event(f"{setup.game}: {min(len(need.moves), 3)} moves")
    check(after, after.restored(1000))
    if before.match.state == after.match.state and not need.moves:
        event("nothing to move")


@given(games(fewest=1), st.integers(1, 30))
@settings(max_examples=150)
def test_the_moves_after_an_undo_bring_the_things_to_where_they_belong(game, count):
    setup, actions = game
    before = timeline_of(setup, actions)
    count = min(count, len(actions))
    check(before, before.undo(count))
    shown = shows_hidden(before.match, count)
    kinds = {type(action).__name__ for action in actions[len(actions) - count :]}
    seen = kinds & {"Reveal", "Flip", "Reef", "Deal", "Draw", "DrawOne", "Steal", "Pick"}
    if setup.game == "tentacles":
        seen -= {"Steal"}
    assert bool(shown) == bool(seen)


@given(games())
@settings(max_examples=30)
def test_where_nothing_changed_nothing_is_moved(game):
    timeline = timeline_of(*game)
    assert moves(timeline, timeline) == ()
    if timeline.links:
        kept = timeline.corrected([Keep(link.label) for link in timeline.links], 1000)
        assert moves(timeline, kept) == ()


# What was seen


@pytest.mark.parametrize(
    ("setup", "told", "says"),
    [
        (TWO, (Reveal("dots"), Stop()), "What was seen stays seen: a card was turned up."),
        (
            ALARM,
            (*REEF, Sail(1), Flip(2, "crab")),
            "What was seen stays seen: 4 chips of the reef came to light, a tile was flipped.",
        ),
        (
            SALT,
            DRAWN,
            "What was seen stays seen: a round was dealt, cards were drawn.",
        ),
    ],
)
def test_what_was_seen_is_named(setup, told, says):
    assert shows_hidden(timeline_of(setup, told).match, len(told)) == says


def test_what_was_decided_or_felt_is_nothing_hidden():
    assert shows_hidden(timeline_of(TWO, (Reveal("dots"), Stop())).match, 1) == ""
    told = (*REEF, Sail(2), Flip(0, "wave"), Swing("upright"))
    assert shows_hidden(timeline_of(ALARM, told).match, 1) == ""
