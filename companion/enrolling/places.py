"""What there is to enrol for a game: its pieces, those of additions to it, and tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from companion.rules import game_named
from companion.tags import controls_of

Part = Literal["cards", "additions", "tokens"]
"""Of what there is to enrol: what the game needs, additions to it, tokens beside it."""


@dataclass(frozen=True, slots=True)
class Place:
    """A kind of thing that can carry tags.

    Attributes:
        component: such as `tentacles/dots`, `player/1`.
        part: to what it belongs.
        wanted: how many of it there are.
        exact: more than that cannot be, so one of the tags is on the wrong thing.
    """

    component: str
    part: Part
    wanted: int
    exact: bool


@cache
def places_of(game: str) -> Mapping[str, Place]:
    """What there is to enrol for a game, by component, in the order in which it is asked for.

    Raises:
        Refusal: `bad-option`, there is no such game.
    """
    rules = game_named(game)
    boxes = rules.boxes
    if not boxes:
        players = [f"{number}" for number in range(rules.seats.start)]
        boxes = (rules.pieces(rules.start(players)).total or dict.fromkeys(rules.components, 1),)
    exact = rules.with_enrolled({}, {rules.components[0]: 1}) == {}
    found = [
        Place(f"{game}/{name}", "additions" if number else "cards", count, exact)
        for number, box in enumerate(boxes)
        for name, count in box.items()
    ]
    tokens = [f"player/{number}" for number in range(1, rules.seats.stop)]
    tokens += [f"control/{name}" for name in controls_of(game)]
    found += [Place(token, "tokens", 1, exact=False) for token in tokens]
    return {place.component: place for place in found}
