"""The cards of Sea Salt & Paper, and of its small addition Extra Salt.

A set of cards is a whole number with one bit for each card: `1 << card.number`. So a hand
is counted, compared and joined at the speed of the machine, and no card can be in it twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

COLOURS = (
    "dark-blue",
    "light-blue",
    "black",
    "yellow",
    "green",
    "white",
    "purple",
    "grey",
    "light-orange",
    "pink",
    "orange",
)

_PLAIN: tuple[tuple[str, dict[str, int]], ...] = (
    # kind, how many of each colour (rule 1)
    (
        "crab",
        {"dark-blue": 2, "light-blue": 2, "black": 1, "yellow": 2, "green": 1, "grey": 1},
    ),
    ("boat", {"dark-blue": 2, "light-blue": 2, "black": 2, "yellow": 2}),
    ("fish", {"dark-blue": 2, "light-blue": 1, "black": 2, "yellow": 1, "green": 1}),
    (
        "swimmer",
        {"dark-blue": 1, "light-blue": 1, "black": 1, "yellow": 1, "light-orange": 1},
    ),
    ("shark", {"dark-blue": 1, "light-blue": 1, "black": 1, "green": 1, "purple": 1}),
    ("mermaid", {"white": 4}),
    (
        "shell",
        {"dark-blue": 1, "light-blue": 1, "black": 1, "yellow": 1, "green": 1, "grey": 1},
    ),
    ("octopus", {"light-blue": 1, "yellow": 1, "green": 1, "purple": 1, "grey": 1}),
    ("penguin", {"purple": 1, "light-orange": 1, "pink": 1}),
    ("sailor", {"pink": 1, "orange": 1}),
    ("lighthouse", {"purple": 1}),
    ("shoal", {"grey": 1}),
    ("colony", {"green": 1}),
    ("captain", {"light-orange": 1}),
)
_SALT: tuple[tuple[str, dict[str, int]], ...] = (
    ("jellyfish", {"purple": 1, "pink": 1}),
    ("lobster", {"black": 1}),
    ("cast-of-crabs", {"green": 1}),
    ("starfish", {"dark-blue": 1, "light-blue": 1, "yellow": 1}),
    ("seahorse", {"white": 1}),
)


class Card(NamedTuple):
    """One card.

    Attributes:
        number: its bit in a set of cards.
        name: such as `crab-dark-blue-1`; the last number only where there are several alike.
        kind: such as `crab`.
        colour: one of `COLOURS`.
    """

    number: int
    name: str
    kind: str
    colour: str


def _cards() -> Iterator[Card]:
    number = 0
    for kind, colours in (*_PLAIN, *_SALT):
        for colour, count in colours.items():
            for copy in range(1, count + 1):
                name = f"{kind}-{colour}-{copy}" if count > 1 else f"{kind}-{colour}"
                yield Card(number, name, kind, colour)
                number += 1


CARDS = tuple(_cards())
"""All 66, by number; Extra Salt's come last."""

NAMES = tuple(card.name for card in CARDS)
BIT = {card.name: 1 << card.number for card in CARDS}
"""By name, the set of that card alone."""

PLAIN_COUNT = sum(sum(colours.values()) for _, colours in _PLAIN)
DECK = (1 << PLAIN_COUNT) - 1
"""The 58 cards of the game."""

SALT_DECK = (1 << len(CARDS)) - 1
"""Those and the eight of Extra Salt (rule 30)."""


def all_of(*kinds: str) -> int:
    """The set of all cards of these kinds."""
    return sum(1 << card.number for card in CARDS if card.kind in kinds)


KINDS = tuple(dict.fromkeys(card.kind for card in CARDS))
OF_KIND = {kind: all_of(kind) for kind in KINDS}
OF_COLOUR = {
    colour: sum(1 << card.number for card in CARDS if card.colour == colour) for colour in COLOURS
}
MERMAIDS = OF_KIND["mermaid"]


def set_of(names: Iterable[str]) -> int:
    """The set of these cards; a KeyError for a name that is none."""
    cards = 0
    for name in names:
        cards |= BIT[name]
    return cards


@cache
def name_of(bit: int) -> str:
    """The name of the one card in that set."""
    return NAMES[bit.bit_length() - 1]


def names_of(cards: int) -> list[str]:
    """The names of the cards of a set, by number."""
    return [card.name for card in CARDS if cards >> card.number & 1]
