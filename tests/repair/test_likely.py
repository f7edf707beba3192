"""What may have been misread comes first, and nothing is told that a spectator may not know."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from companion.codec import action_to_json
from companion.match import Match, Setup
from companion.repair.likely import (
    Blank,
    instead_of,
    instead_of_misfit,
    missed_before,
)
from companion.repair.timeline import Delete, DoesNotFit, Insert, Keep, Replace
from companion.rules.api import Leave, Refusal
from companion.rules.octopus_alarm_words import ANIMALS, Flip, Reef, Sail
from companion.rules.sea_salt_paper import words as salt
from companion.rules.tentacles_words import Decline, Reveal, Steal, Stop
from tests.support.random_games import accepted, could_be, games, played, timeline_of

TWO = Setup("tentacles", ("Ann", "Bo"))
ALARM = Setup("octopus-alarm", ("Ann", "Bo"))
SALT = Setup("sea-salt-paper", ("Ann", "Bo"))
REEF = [Reef(stack, animal) for stack, animal in enumerate(("crab", "squid", "snail", "turtle"))]


def likely(setup, *actions, label):
    return list(instead_of(timeline_of(setup, actions), label).likely)


def test_a_card_read_twice_never_happened():
    told = (Reveal("dots"), Reveal("dots"))
    assert likely(TWO, *told, label="2")[0] == Delete("2")
    assert Delete("1") not in likely(TWO, *told, label="1")


def test_the_card_read_before_comes_first_then_the_same_pattern_with_another_sign():
    told = (Reveal("stars"), Reveal("dots"))
    assert likely(TWO, *told, label="2") == [
        Replace("2", Reveal("stars")),
        Replace("2", Reveal("dots-eyes")),
        Replace("2", Reveal("dots-tentacle")),
    ]


def test_what_leaves_all_later_actions_in_place_comes_first():
    """Eyes would have ended Ann's turn: what came after was hers."""
    told = (Reveal("dots"), Stop(), Reveal("rings"), Stop(), Reveal("dots-eyes"), Reveal("waves"))
    found = likely(TWO, *told, label="5")
    assert len(found) == 3
    for edit in found:
        assert timeline_of(TWO, told).corrected([edit], 9).match.step == len(told)
    assert Replace("5", Reveal("dots")) not in found


def test_whom_to_rob_and_whether_at_all():
    told = (Reveal("dots"), Stop(), Reveal("dots-tentacle"), Decline())
    assert likely(TWO, *told, label="4") == [
        Replace("4", Steal("Ann")),
        Replace("4", Leave("Ann")),
        Replace("4", Leave("Bo")),
    ]


def test_a_look_alike_and_a_neighbour_in_the_area():
    told = (*REEF, Sail(1), Flip(1, "squid"))
    assert likely(ALARM, *told, label="6") == [
        Replace("6", Flip(1, "jellyfish")),
        Replace("6", Flip(0, "squid")),
        Replace("6", Flip(2, "squid")),
    ]
    assert likely(ALARM, *told[:-1], label="5")[0] == Replace("5", Sail(2))


def test_what_is_most_like_the_action_told_comes_first():
    told = (*REEF, Sail(1), Flip(1, "squid"))
    actions = instead_of(timeline_of(ALARM, told), "6").actions
    alike = [
        (action.tile == 1) + (action.face == "squid")
        for action in actions[:40]
        if isinstance(action, Flip)
    ]
    assert alike == sorted(alike, reverse=True)
    assert {type(action) for action in actions[-2:]} == {Leave}


def test_only_what_may_lie_in_that_area():
    """Each area has one wave: a second one is not offered."""
    told = (*REEF, Sail(1), Flip(0, "crab"), Reef(0, "fish"), Flip(1, "billy"))
    faces = {
        action.face
        for action in instead_of(timeline_of(ALARM, told), "8").actions
        if isinstance(action, Flip) and action.tile == 1
    }
    assert faces == {"wave", *ANIMALS} - {"crab"}


def turns(*faces):
    """Ann and Bo flip one tile each in turn, in the areas that they come to."""
    told = [*REEF]
    ship, billy = 0, 3
    for face in faces:
        areas = 1 if (ship + 1) % 4 != billy else 2
        ship = (ship + areas) % 4
        told += [Sail(areas), Flip(0, face)]
    return told


def test_what_lies_face_down_again_is_not_told():
    """Ann saw the seahorse; it ended her turn. Bo's turn does not tell what it was."""
    told = turns("seahorse", "jellyfish")
    timeline = timeline_of(ALARM, told)
    assert instead_of(timeline, "6").likely == ()
    every = {Flip(0, face) for face in ("wave", "billy", *ANIMALS)}
    assert every <= set(instead_of(timeline, "6").actions)
    assert every <= set(missed_before(timeline, "6").actions)
    other = timeline_of(ALARM, turns("starfish", "jellyfish"))
    for label in (*"5678", None):
        if label is not None:
            assert told_of(instead_of(timeline, label)) == told_of(instead_of(other, label))
        assert told_of(missed_before(timeline, label)) == told_of(missed_before(other, label))


def test_what_was_missed():
    timeline = timeline_of(TWO, (Reveal("dots"), Stop()))
    choices = missed_before(timeline, "2")
    assert Reveal("waves-eyes") in choices.actions
    assert Stop() in choices.actions
    assert all(isinstance(edit, Insert) and edit.before == "2" for edit in choices.likely)
    for edit in choices.likely:
        timeline.corrected([edit], 3)
    assert [edit.before for edit in missed_before(timeline, None).likely] == [None] * 3


def test_what_does_not_fit_may_be_kept_where_the_rules_allow_it():
    timeline = timeline_of(TWO, (Reveal("dots"), Stop(), Reveal("stars")))
    with pytest.raises(DoesNotFit) as refusal:
        timeline.corrected([Delete("2")], 4)
    choices = instead_of_misfit(timeline, refusal.value)
    assert choices.likely[0] == Keep("3")
    assert all(edit.label == "3" for edit in choices.likely)
    timeline = timeline_of(TWO, (Reveal("dots"), Stop(), Reveal("dots-tentacle"), Decline()))
    with pytest.raises(DoesNotFit) as refusal:
        timeline.corrected([Delete("1")], 5)
    assert refusal.value.label == "2"
    assert Keep("2") not in instead_of_misfit(timeline, refusal.value).likely


# Secrets

DRAWN = (
    salt.Deal(("crab-grey", "boat-yellow-2")),
    salt.Draw(("fish-green", "shoal-grey")),
    salt.Keep("shoal-grey"),
    salt.Discard(1),
)


def test_a_hidden_card_has_no_likely_ones():
    assert likely(SALT, *DRAWN, label="2") == []
    assert likely(SALT, *DRAWN, label="3") == []


def test_calls_are_offered_whatever_the_points_and_are_never_likely():
    timeline = timeline_of(SALT, (*DRAWN, salt.Pass()))
    choices = instead_of(timeline, "5")
    assert choices.likely == ()
    assert {salt.Stop(), salt.LastChance(), salt.Mermaids()} <= set(choices.actions)
    assert missed_before(timeline, "5").likely == ()


def test_cards_to_choose_from_are_those_that_nobody_sees_elsewhere():
    timeline = timeline_of(SALT, DRAWN)
    (draw,) = instead_of(timeline, "2").blanks
    assert (draw.action, draw.fewest, draw.most) == (salt.Draw(), 2, 2)
    assert {"fish-green", "shoal-grey"} < set(draw.names)
    assert not {"crab-grey", "boat-yellow-2"} & set(draw.names)
    assert draw.field == "cards"
    (keep,) = instead_of(timeline, "3").blanks
    assert (type(keep.action), keep.field, keep.most) == (salt.Keep, "card", 1)
    assert len(instead_of(timeline, "1").blanks[0].names) == 58


def test_the_top_of_a_pile_can_be_picked_out_of_it():
    told = (
        salt.Deal(("shell-grey", "boat-yellow-2")),
        *(salt.Draw(("crab-dark-blue-1", "fish-green")), salt.Keep("crab-dark-blue-1")),
        *(salt.Discard(1), salt.Pass(), salt.Take(2), salt.Pass()),
        *(salt.Draw(("crab-dark-blue-2", "shark-green")), salt.Keep("crab-dark-blue-2")),
        *(
            salt.Duo(("crab-dark-blue-1", "crab-dark-blue-2")),
            salt.Look(1),
            salt.Pick("shell-grey"),
        ),
    )
    timeline = timeline_of(SALT, told)
    assert timeline.match.before.game.standing(timeline.match.before.state).phase == "pick"
    (pick,) = instead_of(timeline, timeline.links[-1].label).blanks
    assert {"fish-green", "shell-grey"} <= set(pick.names)
    assert not {"crab-dark-blue-1", "crab-dark-blue-2"} & set(pick.names)


def told_of(choices):
    return json.dumps(
        [
            [action_to_json(action) for action in choices.actions],
            [[type(blank.action).__name__, blank.names, blank.most] for blank in choices.blanks],
            len(choices.likely),
        ]
    )


@given(games(fewest=1, most=60), st.data())
@settings(max_examples=120)
def test_what_is_offered_is_possible(game, data):
    setup, actions = game
    assume(actions)
    timeline = timeline_of(setup, actions)
    place = data.draw(st.integers(0, len(actions) - 1))
    label = str(place + 1)
    here = played(setup, actions[:place])
    choices = instead_of(timeline, label)
    assert len(choices.likely) <= 3
    for edit in choices.likely:
        event(type(edit).__name__)
        # What a tile was seen to be does not count: people are to remember it themselves.
        if not isinstance(edit, Delete) and not isinstance(edit.action, Flip):
            assert accepted(here, edit.action)
    if setup.game != "sea-salt-paper":
        others = [action for action in choices.actions if not isinstance(action, Flip)]
        assert all(accepted(here, action) for action in others)
        for other in could_be(here, Random(place)):
            assert other in (*choices.actions, actions[place])
        assert choices.blanks == ()
    for blank in choices.blanks:
        assert isinstance(blank, Blank)
        assert 0 <= blank.fewest <= blank.most


@given(st.integers(0, 2**32))
@settings(max_examples=40)
def test_a_spectator_is_offered_the_same_whatever_is_hidden(seed):
    """Two games that look alike from outside: other cards in the hands."""
    chance = Random(seed)
    names = [name for name in Match.start(SALT).game.components[:58] if "mermaid" not in name]
    chance.shuffle(names)
    first, second, *deck = names

    def game(drawn):
        return timeline_of(
            SALT,
            (
                salt.Deal((first, second)),
                salt.Draw(drawn),
                salt.Keep(drawn[0]),
                salt.Discard(1),
                salt.Pass(),
                salt.Take(2),
            ),
        )

    one, other = game((deck[0], deck[1])), game((deck[2], deck[1]))
    for label in "23456":
        assert told_of(instead_of(one, label)) == told_of(instead_of(other, label))
        assert told_of(missed_before(one, label)) == told_of(missed_before(other, label))
    assert told_of(missed_before(one, None)) == told_of(missed_before(other, None))


def test_an_action_that_is_not_in_force():
    for ask in (instead_of, missed_before):
        with pytest.raises(Refusal, match="no action 9"):
            ask(timeline_of(TWO, (Reveal("dots"),)), "9")


def test_nothing_is_offered_after_the_end_but_a_turn_may_still_be_missing_before():
    cards = ("dots", "rings", "stars", "stripes", "waves")
    timeline = timeline_of(TWO, tuple(map(Reveal, cards)))
    assert missed_before(timeline, None).actions == ()
    assert missed_before(timeline, "5").actions
