"""What was asked of a new game, and is not so in the game that goes on."""

from __future__ import annotations

import pytest

from companion.beginning import unmet
from companion.match import Setup
from companion.rules.octopus_alarm_setup import TARGETS

ANN_AND_BO = Setup("tentacles", ("Ann", "Bo"), None, {"octopus": 4})


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ((None, (), None, {}), ()),
        (("tentacles", ("Ann", "Bo"), "Ann", {"octopus": 4}), ()),
        ((None, (), None, {"octopus": 5}), ("set",)),
        ((None, ("Bo", "Ann"), None, {}), ("players",)),
        ((None, (), "Bo", {}), ("starter",)),
        (("octopus-alarm", ("Cy",), "Cy", {"x": 1}), ("game",)),
        ((None, ("Cy", "Di"), "Di", {"octopus": 1}), ("players", "starter", "set")),
    ],
)
def test_only_what_differs_was_asked_in_vain(asked, names):
    assert unmet(ANN_AND_BO, *asked) == names


def test_what_is_as_usual_was_not_asked_in_vain():
    asked = {"dry_tentacle": "end", "pattern": 4}
    assert unmet(ANN_AND_BO, None, (), None, asked) == ()
    three = Setup("octopus-alarm", ("Ann", "Bo", "Cy"), None, {})
    assert unmet(three, None, (), None, {"target": TARGETS[3]}) == ()
    assert unmet(three, None, (), None, {"target": TARGETS[3] + 1}) == ("set",)
