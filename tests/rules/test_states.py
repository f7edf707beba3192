"""What a state says of itself holds after every command of the golden playthroughs.

Nobody reads, say, the pattern of a tentacle card that is done with. It is empty all the same,
so that states that mean the same are equal.
"""

from __future__ import annotations

import sys
from itertools import takewhile

import pytest
from golden_playthroughs import playthroughs

from companion.play import Player
from companion.rules.octopus_alarm_words import ShipCapsized, ShipUpright
from companion.rules.sea_salt_paper.state import DECK_LOOKED_AT
from companion.rules.sea_salt_paper.words import Deal, Pick
from companion.rules.tentacles_words import Reshuffled


def matches_of(game):
    """Every match that the golden playthroughs of the game come to."""
    for playthrough in playthroughs():
        if playthrough.game != game:
            continue
        player = Player(sys.stderr)
        for command in playthrough.commands:
            player.answer(command.encode())
            if player._match is not None:
                yield player._match


def times(match, *kinds):
    """How often one of these outcomes came so far."""
    return sum(isinstance(outcome, kinds) for each in match.back() for outcome in each.outcomes)


def test_tentacles():
    for match in matches_of("tentacles"):
        state = match.state
        assert state.pile == sum(state.left)
        assert (state.pattern != "") == (state.phase == "steal")
        assert isinstance(state.pattern, str)
        assert state.shuffles == times(match, Reshuffled)


def test_octopus_alarm():
    for match in matches_of("octopus-alarm"):
        state = match.state
        assert (state.animal != "") == (state.phase == "take")
        assert isinstance(state.animal, str)
        assert (state.crew.winners != ()) == (state.phase == "over")
        assert state.swings == times(match, ShipCapsized, ShipUpright)


def shuffles_of_this_round(match):
    """The lobster's, who looks at the deck."""
    this_round = takewhile(lambda each: not isinstance(each.action, Deal), match.back())
    return sum(
        isinstance(each.action, Pick) and each.before.state.looking == DECK_LOOKED_AT
        for each in this_round
    )


def test_sea_salt_paper():
    for match in matches_of("sea-salt-paper"):
        state = match.state
        if match.setup.options.get("tracking") == "score":
            waits = {"call": state.reason is None, "hand": state.reason is not None}
            assert waits.get(state.phase, True)
            assert state.caller in range(len(state.totals))
            continue
        assert (state.drawn != ()) == (state.phase in {"keep", "discard"})
        assert (state.looking is not None) == (state.phase == "pick")
        assert state.looked == 0 or state.looking == DECK_LOOKED_AT
        assert state.shuffles == shuffles_of_this_round(match)
        assert (state.winners != ()) == (state.phase == "over")


@pytest.mark.parametrize("name", ["tentacles", "octopus-alarm", "sea-salt-paper"])
def test_the_playthroughs_come_to_every_phase(name):
    """Those that the states' own words list; else the tests above would say little."""
    states = [match.state for match in matches_of(name)]
    documented = {phase for kind in set(map(type, states)) for phase in phases_in(kind.__doc__)}
    assert {state.phase for state in states} == documented


def phases_in(text):
    """The words in backquotes behind `phase:`."""
    _, _, rest = text.partition(" phase: ")
    listed, _, _ = rest.partition(".")
    return listed.split("`")[1::2]
