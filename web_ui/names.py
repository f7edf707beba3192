"""Names of players as people type them."""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 24
"""A longer name would not be read on a TV."""
MOST_MARKS = 2
"""So many marks may stand on one letter."""

_BLANK = dict.fromkeys(map(ord, "\u2800\u3164\u115f\u1160\uffa0"), " ")
"""Characters that count as letters or signs, and show nothing."""


def one_line(text: str) -> str:
    """A name in one line and one spelling, with nothing in it that is not seen; maybe empty."""
    shown, marks = "", 0
    for character in unicodedata.normalize("NFC", text).translate(_BLANK):
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= MOST_MARKS:
            shown += character if character.isprintable() else " "
    return " ".join(shown.split())


def alike(one: str, other: str) -> bool:
    """Whether people would take the two for the same name."""
    return one.casefold() == other.casefold()
