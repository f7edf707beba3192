"""What a table may choose in octopus alarm, and how a game begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.rules.api import Choice, Names, Number, Option, OptionValue, Refusal
from companion.rules.octopus_alarm_tiles import LAYOUTS
from companion.rules.octopus_alarm_words import (
    ANIMALS,
    AREAS,
    BILLY,
    CHIPS,
    STACK,
    TARGETS,
    UNKNOWN,
    WAVE,
    Crew,
    Stacks,
    State,
    Terms,
)
from companion.said import say

OPTIONS: tuple[Option, ...] = (
    # Beyond 12 even two players could empty the reef (rule 8).
    Number("target", TARGETS, 1, 12),
    Number("provisions", 3, 1, 1000),
    Choice("landing", ("forbidden", "alarm")),
    Choice("stranded", ("end-excluded", "end-included", "eliminate")),
    Choice("tie", ("provisions", "shared")),
    Choice("layout", tuple(LAYOUTS)),
    Number("ship", 0, 0, AREAS - 1),
    Number("billy", 3, 0, AREAS - 1),
    Names("animals", ANIMALS, (WAVE, BILLY, UNKNOWN)),
    Choice("memory_aid", ("off", "on")),
)


def first_state(players: Sequence[str], starter: str, options: Mapping[str, OptionValue]) -> State:
    """The state before the first top of the reef is told (see `Game.setup`).

    Raises:
        Refusal: `bad-option`, for a target with which the reef could run dry (rule 8).
    """
    count = len(players)
    chosen: dict[str, Any] = {option.name: option.default for option in OPTIONS}
    chosen |= {"target": TARGETS[count], **options}
    chips = len(chosen["animals"]) * CHIPS
    if count * (chosen["target"] - 1) >= chips:
        raise Refusal(
            "bad-option",
            say(
                "With %(count)s players the target is at most %(most)s: else the reef could run dry "
                "(rule 8).",
                count=count,
                most=(chips - 1) // count + 1,
            ),
        )
    return State(
        terms=Terms(
            players=tuple(players),
            animals=chosen["animals"],
            always=LAYOUTS[chosen["layout"]],
            target=chosen["target"],
            landing=chosen["landing"] == "alarm",
            stranded=chosen["stranded"],
            tie_shared=chosen["tie"] == "shared",
            memory_aid=chosen["memory_aid"] == "on",
        ),
        reef=Stacks(tops=(UNKNOWN,) * 4, left=(STACK,) * 4, told=()),
        crew=Crew(
            animals=((),) * count,
            provisions=(chosen["provisions"],) * count,
            after=tuple((seat + 1) % count for seat in range(count)),
            winners=(),
        ),
        ship=chosen["ship"],
        billy=chosen["billy"],
        up=0,
        seen=(None,) * (4 * AREAS),
        seat=players.index(starter),
        phase="reef",
        animal="",
        swings=0,
    )
