"""A second scorer of Sea Salt & Paper, for the tests alone: slow, and written differently.

It knows cards by their names only, and finds what is best by trying everything: every way
to make duos, every choice of colours for the mermaids, every family for the seahorse. It
scores the duos of hand and table apart, as they lie (the program takes them together).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import combinations

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
NAME = re.compile(rf"([a-z-]+?)-({'|'.join(COLOURS)})(?:-\d)?")
MATCHES = (
    ("crab", "crab"),
    ("boat", "boat"),
    ("fish", "fish"),
    ("swimmer", "shark"),
    ("crab", "lobster"),
    ("swimmer", "jellyfish"),
)
FAMILIES = {
    "shell": (0, 2, 4, 6, 8, 10),
    "octopus": (0, 3, 6, 9, 12),
    "penguin": (1, 3, 5),
    "sailor": (0, 5),
}
EACH = {
    "lighthouse": ("boat", 1),
    "shoal": ("fish", 1),
    "colony": ("penguin", 2),
    "captain": ("sailor", 3),
    "cast-of-crabs": ("crab", 1),
}


def kind_and_colour(name: str) -> tuple[str, str]:
    """`crab-dark-blue-1` as `("crab", "dark-blue")`."""
    found = NAME.fullmatch(name)
    assert found, name
    return found[1], found[2]


def points(hand: Sequence[str], table: Sequence[str]) -> tuple[int, ...]:
    """Points of mermaids, duos, collectors and multipliers, their sum, and the colour bonus.

    Args:
        hand: names of cards.
        table: names of cards that lie there in whole duos, or trios with a starfish.
    """
    in_hand = [kind_and_colour(name) for name in hand]
    on_table = [kind_and_colour(name) for name in table]
    kinds = by_kinds([kind for kind, _ in in_hand], [kind for kind, _ in on_table])
    mermaids = sum(kind == "mermaid" for kind, _ in in_hand + on_table)
    mermaid_points, bonus = by_colours([colour for _, colour in in_hand + on_table], mermaids)
    return (mermaid_points, *kinds, mermaid_points + sum(kinds), bonus)


def by_kinds(hand: Sequence[str], table: Sequence[str] = ()) -> tuple[int, int, int]:
    """Points of duos, collectors and multipliers."""
    duos = max(made + 2 * min(made, hand.count("starfish")) for made in numbers_of_duos(hand))
    duos += max(numbers_of_duos(table)) + 2 * table.count("starfish")
    cards = [*hand, *table]
    return duos, collectors(cards), multipliers(cards)


def numbers_of_duos(kinds: Sequence[str]) -> frozenset[int]:
    """How many duos there are, for each way to make some or none of these cards."""
    in_duos = {kind for match in MATCHES for kind in match}
    return _numbers_of_duos(tuple(sorted(kind for kind in kinds if kind in in_duos)))


@cache
def _numbers_of_duos(kinds: tuple[str, ...]) -> frozenset[int]:
    if not kinds:
        return frozenset({0})
    first, *others = kinds
    numbers = set(_numbers_of_duos(tuple(others)))
    for place, other in enumerate(others):
        if (first, other) in MATCHES or (other, first) in MATCHES:
            left = (*others[:place], *others[place + 1 :])
            numbers |= {1 + number for number in _numbers_of_duos(left)}
    return frozenset(numbers)


def collectors(cards: Sequence[str]) -> int:
    """The best that they bring, with the seahorse as one more of each family in turn."""
    plain = [family_points(family, cards.count(family)) for family in FAMILIES]
    best = sum(plain)
    if "seahorse" in cards:
        for family, table in FAMILIES.items():
            if 1 <= cards.count(family) < len(table):
                more = [*cards, family]
                best = max(best, sum(family_points(each, more.count(each)) for each in FAMILIES))
    return best


def family_points(family: str, count: int) -> int:
    return FAMILIES[family][count - 1] if count else 0


def multipliers(cards: Sequence[str]) -> int:
    points = 0
    for card in cards:
        if card in EACH:
            counted, each = EACH[card]
            for other in cards:
                if other == counted:
                    points += each
    return points


def by_colours(colours: Sequence[str], mermaids: int) -> tuple[int, int]:
    """Points of that many mermaids, and the colour bonus."""
    counts = {colour: list(colours).count(colour) for colour in set(colours)}
    choices = combinations(counts.values(), min(mermaids, len(counts)))
    return max(map(sum, choices)), max(counts.values(), default=0)
