"""Octopus alarm in short sentences (see `in_words`): `sail 2`, `flip 1`, `swing capsized`.

The tiles lie as in `BOARD`, so a flip needs no face: a tile shows what lies there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import in_words

from companion.rules import game_named

GAME = game_named("octopus-alarm")
BOARD = (
    ("wave", "billy", "crab", "fish"),
    ("wave", "billy", "jellyfish", "seahorse"),
    ("wave", "billy", "snail", "squid"),
    ("wave", "billy", "starfish", "turtle"),
)
TOPS = "crab fish jellyfish crab"


class Table(in_words.Table):
    """A game at a physical table, after these tops of the reef were told."""

    game = "octopus-alarm"
    fields: ClassVar = {
        "reef": ("stack", "animal"),
        "sail": ("areas",),
        "flip": ("tile", "face"),
        "take": ("stack",),
        "swing": ("ship",),
        "leave": ("player",),
    }

    def __init__(self, players="Ann Bo", starter=None, *, tops=TOPS, board=BOARD, **options):
        super().__init__(players, starter, **options)
        self.board = board
        for stack, animal in enumerate(tops.split()):
            self.do(f"reef {stack} {animal}")

    def body_of(self, text):
        body = super().body_of(text)
        if body["do"] == "flip" and "face" not in body and body["tile"] in range(4):
            body["face"] = self.board[self.state["ship"]][body["tile"]]
        return body

    def put(self, **changes):
        """Have it come to this in some other way."""
        self.match = replace(self.match, state=self.match.state._replace(**changes))

    def chips(self, player):
        return " ".join(self.state["animals"][player])

    def provisions(self, player):
        return self.state["provisions"][player]

    @property
    def up(self):
        return set(self.state["face_up"])
