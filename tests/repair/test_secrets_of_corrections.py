"""Nothing hidden is found out by asking what would be, if something had been otherwise.

Two games that look the same to a spectator, whatever lies hidden in them, are offered the same
choices, and shown the same previews, down to the last byte.
"""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from companion.codec import action_to_json
from companion.match import Setup
from companion.repair import likely as likely_module
from companion.repair import preview as preview_module
from companion.repair import timeline as timeline_module
from companion.repair.by_hand import shows_hidden
from companion.repair.likely import instead_of, instead_of_misfit, missed_before
from companion.repair.preview import (
    moves_ahead,
    preview,
    preview_of_restoring,
    preview_of_undo,
    preview_to_json,
)
from companion.repair.suspects import names_in_play
from companion.repair.timeline import (
    Concealed,
    Delete,
    DoesNotFit,
    Insert,
    Keep,
    Replace,
    edit_to_json,
)
from companion.rules.api import Refusal
from companion.rules.octopus_alarm_words import Flip, Reef, Sail, Stop, Take
from companion.rules.sea_salt_paper import words as salt
from tests.support.random_games import accepted, timeline_of
from tests.support.twins import ALARM, EXTRA_SALT, SALT, twins

KINDS = st.sampled_from((SALT, EXTRA_SALT, ALARM))


def choices_told(choices):
    return [
        [edit_to_json(edit) for edit in choices.likely],
        [action_to_json(action) for action in choices.actions],
        [
            [action_to_json(each.action), each.field, each.names, each.fewest, each.most]
            for each in choices.blanks
        ],
    ]


def preview_told(timeline, shown):
    return [preview_to_json(shown), [move.text for move in moves_ahead(timeline, shown)]]


def refused(ask):
    try:
        return ask()
    except Refusal as refusal:
        return [refusal.code, refusal.message]


def edits_told(timeline, edits):
    """The preview, and what is offered where something does not fit."""
    told = [refused(lambda: preview_told(timeline, preview(timeline, edits)))]
    try:
        timeline.corrected(edits, 1000, silently=True)
    except DoesNotFit as misfit:
        told.append(choices_told(instead_of_misfit(timeline, misfit)))
    except (Concealed, Refusal):
        pass
    return told


def any_action(match, chance):
    """An action of any verb, mostly one that is not possible."""
    names = names_in_play(match)
    card, two = chance.choice(names), tuple(chance.sample(names, 2))
    if match.setup.game == "octopus-alarm":
        tile = chance.randrange(4)
        return chance.choice(
            (Flip(tile, card), Sail(1), Sail(2), Stop(), Take(tile), Reef(tile, card))
        )
    pile = chance.choice((1, 2))
    player = chance.choice(match.setup.players)
    return chance.choice(
        (
            *(kind(two) for kind in (salt.Deal, salt.Draw, salt.Duo)),
            *(kind(card) for kind in (salt.Keep, salt.Pick, salt.DrawOne)),
            *(kind(pile) for kind in (salt.Take, salt.Discard, salt.Look)),
            *(salt.Skip(), salt.Pass(), salt.Stop(), salt.LastChance(), salt.Mermaids()),
            *(salt.Steal(player, card), salt.Steal(player), salt.Draw((card,))),
        )
    )


def tried_edits(timeline, chance, count):
    """Some corrections, from those that people make to any."""
    labels = [link.label for link in timeline.links]
    actions = [match.action for match in timeline.match.back()][::-1]
    for _ in range(count):
        place = chance.randrange(len(labels))
        label, told = labels[place], actions[place]
        action = chance.choice((any_action(timeline.match, chance), chance.choice(actions)))
        yield chance.choice(
            (
                [Delete(label)],
                [Delete(each) for each in labels[place : place + chance.randint(2, 9)]],
                [Delete(each) for each in labels[place:]],
                [Replace(label, action)],
                [Insert(label, action)],
                [Insert(None, action)],
                [Insert(None, action), Insert(None, any_action(timeline.match, chance))],
                [Delete(label), *map(Keep, labels[place + 1 :])],
                [Keep(label)],
                [Replace(label, told), Insert(None, action)],
            )
        )


def all_told(timeline, edits):
    """All that anybody is told in silence, for these corrections."""
    told = []
    for label in [link.label for link in timeline.links]:
        told += [choices_told(instead_of(timeline, label))]
        told += [choices_told(missed_before(timeline, label))]
    told.append(choices_told(missed_before(timeline, None)))
    told += [edits_told(timeline, each) for each in edits]
    for count in range(1, 1 + len(timeline.links)):
        told.append(preview_told(timeline, preview_of_undo(timeline, count)))
        told.append(shows_hidden(timeline.match, count))
    return [json.dumps(each) for each in told]


def assert_alike(pair, seed, count=60):
    setup, one, other = pair
    first, second = timeline_of(setup, one), timeline_of(setup, other)
    edits = list(tried_edits(first, Random(seed), count))
    for told, also in zip(all_told(first, edits), all_told(second, edits), strict=True):
        assert told == also
    for each in edits:
        assert_restored_alike(first, second, each)


def assert_restored_alike(first, second, edits):
    """The preview of taking a correction back, where everybody could see that it fits."""
    try:
        corrected = [each.corrected(edits, 1000, silently=True) for each in (first, second)]
    except (Concealed, Refusal):
        return
    told = [preview_told(each, preview_of_restoring(each, 1000)) for each in corrected]
    assert json.dumps(told[0]) == json.dumps(told[1])


@given(KINDS, st.integers(0, 2**32), st.integers(10, 40))
@settings(max_examples=25)
def test_games_that_look_the_same_are_told_the_same(kind, seed, most):
    pair = twins(kind, seed, most)
    assume(pair is not None)
    assert_alike(pair, seed)


# A planted leak is noticed


def round_of(*kept):
    """Ann draws and keeps these; Bo takes what she lays down. Ann is in turn, and may call."""
    told = [salt.Deal(("crab-grey", "crab-black"))]
    left = ["crab-green", "boat-black-1", "boat-yellow-1", "swimmer-black"]
    for number, (card, other) in enumerate(zip(kept, left, strict=True), 1):
        told += [salt.Draw((card, other)), salt.Keep(card), salt.Discard(1)]
        told += [salt.Pass(), salt.Take(1), salt.Pass()] * (number < len(kept))
    return tuple(told)


OCTOPUSES = round_of(*(f"octopus-{colour}" for colour in ("light-blue", "yellow", "green", "grey")))
POOR = round_of("shell-grey", "octopus-yellow", "penguin-pink", "sailor-pink")
TABLE = Setup("sea-salt-paper", ("Ann", "Bo"))


def last_chance(card):
    """Ann has called, and Bo, in whose hand this card is, has had a last turn but for passing."""
    drawn = (card, "boat-yellow-2")
    turn = (salt.Draw(drawn), salt.Keep(card), salt.Discard(1))
    return (*OCTOPUSES, salt.LastChance(), *turn)


def about_to_discard(other):
    drawn = ("fish-green", other)
    return salt.Deal(("crab-grey", "crab-black")), salt.Draw(drawn), salt.Keep("fish-green")


def tile(face):
    """Ann saw this tile; it ended her turn, and Bo has sailed on."""
    reef = [Reef(stack, name) for stack, name in enumerate(("crab", "squid", "snail", "turtle"))]
    return (*reef, Sail(1), Flip(0, face), Sail(1))


ALARM_TABLE = Setup("octopus-alarm", ("Ann", "Bo"))
CALLS = [[Insert(None, kind())] for kind in (salt.Stop, salt.LastChance, salt.Mermaids, salt.Pass)]
LEAKS = {
    "points": (TABLE, POOR, OCTOPUSES, [[Insert(None, salt.Stop())]], "concealed"),
    "a call told before": (
        TABLE,
        (*POOR, salt.Pass()),
        (*OCTOPUSES, salt.Pass()),
        [[Replace("23", salt.Stop())]],
        "concealed",
    ),
    "a card in a hand": (
        TABLE,
        (*POOR, salt.Pass()),
        (*OCTOPUSES, salt.Pass()),
        [[Insert(None, salt.Draw(("octopus-green", "shark-green")))]],
        "concealed",
    ),
    "hands counted by passing": (
        TABLE,
        last_chance("fish-black-1"),
        last_chance("lighthouse-purple"),
        CALLS,
        "lays_open",
    ),
    "a tile seen before": (
        ALARM_TABLE,
        tile("seahorse"),
        tile("starfish"),
        [[Replace("6", Flip(0, "seahorse"))], [Insert("6", Flip(0, "starfish"))]],
        "concealed",
    ),
    "the card about to be laid down": (
        TABLE,
        about_to_discard("shell-grey"),
        about_to_discard("shark-green"),
        [[Insert(None, salt.Discard(1))]],
        "cards_lie_hidden",
    ),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_with_a_leak_in_the_preview_the_same_test_fails(monkeypatch, leak):
    setup, one, other, edits, guard = LEAKS[leak]

    def look():
        first, second = timeline_of(setup, one), timeline_of(setup, other)
        for told, also in zip(all_told(first, edits), all_told(second, edits), strict=True):
            assert told == also

    look()
    for module in (timeline_module, preview_module):
        monkeypatch.setattr(module, guard, lambda *_: False, raising=False)
    with pytest.raises(AssertionError):
        look()


def test_with_calls_offered_as_the_points_allow_the_same_test_fails(monkeypatch):
    one, other = ((*actions, salt.Pass()) for actions in (POOR, OCTOPUSES))
    honest = likely_module.hidden_verbs

    def look():
        assert all_told(timeline_of(TABLE, one), []) == all_told(timeline_of(TABLE, other), [])

    look()
    monkeypatch.setattr(
        likely_module,
        "hidden_verbs",
        lambda here: tuple(
            verb
            for verb in honest(here)
            if not isinstance(verb, (salt.Stop, salt.LastChance)) or accepted(here, verb)
        ),
    )
    with pytest.raises(AssertionError):
        look()
