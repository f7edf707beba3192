"""Five tentacles in short sentences (see `in_words`): `reveal dots`, `steal Bo` or `stop`."""

from __future__ import annotations

from typing import ClassVar

import in_words

from companion.rules import game_named

GAME = game_named("tentacles")
NO_FISH = "reveal stars-eyes"


class Table(in_words.Table):
    """A game at a physical table."""

    game = "tentacles"
    fields: ClassVar = {
        "reveal": ("card",),
        "steal": ("from",),
        "lose": ("pattern",),
        "leave": ("player",),
    }

    def fish(self, player):
        return " ".join(self.state["fish"][player])


def given(players="Ann Bo", *, fish, **options):
    """A game in which the players hold these fish, and the first of them is in turn.

    Each of them had one turn: cards of their patterns, or one with eyes that did nothing.
    """
    table = Table(players, **options)
    for player in players.split():
        own = fish.get(player, "").split()
        cards = [f"reveal {pattern}" for pattern in own] or [NO_FISH]
        table.do("; ".join([*cards, "stop"]))
    return table
