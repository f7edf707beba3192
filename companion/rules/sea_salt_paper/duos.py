"""Which two cards make a duo, and what it does."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

from companion.rules.sea_salt_paper.cards import CARDS, OF_KIND

Effect = Literal["crabs", "boats", "fish", "steal", "lobster", "jellyfish"]

_EFFECT_OF_KINDS: dict[frozenset[str], Effect] = {
    frozenset({"crab"}): "crabs",
    frozenset({"boat"}): "boats",
    frozenset({"fish"}): "fish",
    frozenset({"swimmer", "shark"}): "steal",
    frozenset({"lobster", "crab"}): "lobster",
    frozenset({"jellyfish", "swimmer"}): "jellyfish",
}

EFFECT_OF: dict[int, Effect] = {
    1 << one.number | 1 << other.number: _EFFECT_OF_KINDS[frozenset({one.kind, other.kind})]
    for one, other in combinations(CARDS, 2)
    if frozenset({one.kind, other.kind}) in _EFFECT_OF_KINDS
}
"""By the set of its two cards, what each duo does (rules 8 to 11, 31 and 32)."""

STARFISH = OF_KIND["starfish"]


def pairs_in(hand: int) -> list[int]:
    """The sets of every two cards of this hand that make a duo."""
    return [pair for pair in EFFECT_OF if pair & hand == pair]
