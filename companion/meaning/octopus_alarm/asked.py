"""The questions of octopus alarm: how they are put, and how they are waved aside."""

from __future__ import annotations

from collections.abc import Sequence

from companion.meaning.api import Ask
from companion.rules.octopus_alarm_words import State
from companion.said import say
from companion.snapshot import Choice, Question

NONE = "none"
"""The choice that the tap was none: it is forgotten."""

NOT_FLIPPED = say("It was not flipped")


def ask(
    key: str,
    text: str,
    choices: Sequence[Choice],
    state: State,
    none: str = NOT_FLIPPED,
) -> Ask:
    """Ask the player in turn what a tap means; all else waits.

    Args:
        key: of the question.
        text: one plain sentence.
        choices: the meanings that are possible.
        state: of the rules.
        none: the label of the choice `NONE`, that comes after these.
    """
    player = state.terms.players[state.seat]
    return Ask(Question(key, text, (*choices, Choice(NONE, none)), player, blocking=True))
