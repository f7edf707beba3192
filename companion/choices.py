"""What a household chooses for its table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choices:
    """The section `[choices]`; the page /settings switches them.

    Attributes:
        odds: pages tell how likely the next card or tile is what.
        hints: phones say what could be done, beyond what is legal.
        players_correct: players may take back and set right what happened, and not helpers alone.
    """

    odds: bool = False
    hints: bool = False
    players_correct: bool = True
