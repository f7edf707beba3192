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
            hidden = f"the top of stack {stack}"
        case Flip(tile, named) if state.phase in ("flip", "choose"):
            place = 4 * state.ship + tile
            comes = arranged(terms.always, terms.animals, chance)[place]
            if named is None or named == comes:
                return Flip(tile, comes)
            wrong = named in (WAVE, BILLY, *terms.animals) and state.seen[place] is None
            hidden = f"tile {tile} of area {state.ship}"
        case Swing(named) if state.phase == "alarm":
            ends: tuple[Literal["capsized", "upright"], ...] = ("capsized", "upright")
            ship = chance.shuffled(f"swing {state.swings}", ends)[0]
            if named is None or named == ship:
                return Swing(ship)
            wrong = True
            hidden = "the ship"
        case _:
            return action
    if not wrong:
        return action  # which `apply` refuses for a better reason
    raise Refusal(
        "card-not-available", f"The program deals, and {hidden} is not {named}: leave it out."
    )
