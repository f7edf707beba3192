"""Where the engine deals octopus alarm: the tiles, the reef and the ball."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from companion.rules.api import Action, Chance, Refusal
from companion.rules.octopus_alarm_words import (
    AREAS,
    BILLY,
    CHIPS,
    STACK,
    UNKNOWN,
    WAVE,
    Flip,
    Reef,
    State,
    Swing,
)
from companion.said import Thing, say


def arranged(always: Sequence[str], animals: Sequence[str], chance: Chance) -> tuple[str, ...]:
    """The faces by place, all arrangements being equally likely."""
    apart = [face for face in (WAVE, BILLY) if face not in always]
    loose = chance.shuffled("tiles", (*apart * AREAS, *animals))
    size = 4 - len(always)
    return tuple(
        face
        for area in range(AREAS)
        for face in chance.shuffled(
            f"area {area}", (*always, *loose[area * size : (area + 1) * size])
        )
    )


def dealt(state: State, action: Action, chance: Chance) -> Action:
    """The action with the chip, the face or the end of the ship that comes (see `Game.deal`)."""
    terms, reef = state.terms, state.reef
    match action:
        case Reef(stack, named) if state.phase == "reef" and reef.tops[stack] == UNKNOWN:
            chips = chance.shuffled("reef", terms.animals * CHIPS)
            comes = chips[STACK * (stack + 1) - reef.left[stack]]
            if named is None or named == comes:
                return Reef(stack, comes)
            wrong = named in terms.animals
            what = say(
                "The program deals, and the top of stack %(stack)s is not %(face)s: leave it out.",
                stack=stack,
                face=Thing(named),
            )
        case Flip(tile, named) if state.phase in ("flip", "choose"):
            place = 4 * state.ship + tile
            comes = arranged(terms.always, terms.animals, chance)[place]
            if named is None or named == comes:
                return Flip(tile, comes)
            wrong = named in (WAVE, BILLY, *terms.animals) and state.seen[place] is None
            what = say(
                "The program deals, and tile %(tile)s of area %(area)s is not %(face)s: leave it out.",
                tile=tile,
                area=state.ship,
                face=Thing(named),
            )
        case Swing(named) if state.phase == "alarm":
            ends: tuple[Literal["capsized", "upright"], ...] = ("capsized", "upright")
            ship = chance.shuffled(f"swing {state.swings}", ends)[0]
            if named is None or named == ship:
                return Swing(ship)
            wrong = True
            what = say(
                "The program deals, and the ship is not %(ship)s: leave it out.", ship=Thing(named)
            )
        case _:
            return action
    if not wrong:
        return action  # which `apply` refuses for a better reason
    raise Refusal(
        "card-not-available",
        what,
    )
