"""Games of octopus alarm for the tests of its face: played for real, and stopped where wanted."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from still_table import StillTable

from companion.codec import action_from_json
from companion.match import Match, Setup
from companion.repair.history import Past
from companion.ship_watch import CARRY, LAID, PLACED
from companion.snapshot import Moment, ReaderStatus, ShipStatus, Snapshot
from tests.support.tables import API, running

FOUR = ("Kari", "Ola", "Zosia", "Tim")
READY = ReaderStatus("play", ready=True, hardware="Virtual reader", trouble="")
AWAY = replace(READY, ready=False, trouble="The reader is unplugged: plug it in again.")


_KEPT: dict[str, tuple[Match, Past]] = {}
"""Of the games played here: how they stand, and all that was told of them."""


class SeaTable(StillTable):
    """Stands still at a snapshot of a game that was really played."""

    @property
    def moment(self) -> Moment:
        return Moment(self.snapshot, _KEPT[self.snapshot.game][0])

    @property
    def past(self) -> Past:
        return _KEPT[self.snapshot.game][1]

    def refresh(self) -> None:
        self.snapshot = replace(self.snapshot, revision=self.snapshot.revision + 1)


def reef(*animals: str) -> list[dict[str, Any]]:
    return [{"do": "reef", "stack": stack, "animal": each} for stack, each in enumerate(animals)]


def sail(areas: int) -> dict[str, Any]:
    return {"do": "sail", "areas": areas}


def flip(tile: int, face: str) -> dict[str, Any]:
    return {"do": "flip", "tile": tile, "face": face}


def take(stack: int) -> dict[str, Any]:
    return {"do": "take", "stack": stack}


def top(stack: int, animal: str) -> dict[str, Any]:
    return {"do": "reef", "stack": stack, "animal": animal}


def swing(ship: str) -> dict[str, Any]:
    return {"do": "swing", "ship": ship}


STOP: dict[str, Any] = {"do": "stop"}
REEF = reef("crab", "fish", "crab", "turtle")
CAUGHT = [*REEF, sail(1), flip(0, "fish"), top(1, "snail")]
ALARM = [*REEF, sail(2), flip(1, "wave")]


def played(
    commands: Sequence[Mapping[str, Any]],
    players: Sequence[str] = FOUR,
    *,
    ship: ShipStatus | None = None,
    readers: Sequence[ReaderStatus] = (READY,),
    refused: Mapping[str, Any] | None = None,
    **options: Any,
) -> Snapshot:
    """The table after these commands, and one that the rules refuse."""
    setup = Setup("octopus-alarm", tuple(players), None, options)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), setup) as table:
        for command in commands:
            answer = table.act(action_from_json("octopus-alarm", command), source=API)
            assert answer.code is None, answer.message
        if refused is not None:
            answer = table.act(action_from_json("octopus-alarm", refused), source=API)
            assert answer.code is not None
        _KEPT[table.snapshot.game] = table.moment._match, table.past
        return replace(table.snapshot, readers=tuple(readers), ship=ship or table.snapshot.ship)


def long_game(players: Sequence[str] = FOUR) -> Snapshot:
    """Everybody has caught something, and the ship has capsized now and then."""
    commands = [*REEF, sail(1), flip(0, "fish"), top(1, "snail"), STOP]
    commands += [
        sail(1),
        flip(0, "turtle"),
        top(3, "squid"),
        flip(1, "snail"),
        top(1, "squid"),
        STOP,
    ]
    commands += [sail(2), flip(2, "crab"), take(0), top(0, "jellyfish"), STOP]
    commands += [sail(1), flip(0, "fish")]
    return played(commands, players)


SHIPS = {
    "armed": ShipStatus("armed", 2, ""),
    "placed": ShipStatus("armed", 2, PLACED),
    "carry": ShipStatus("armed", 2, CARRY),
    "laid": ShipStatus("stand-up", 88, LAID),
    "stand-up": ShipStatus("stand-up", 88, ""),
    "swinging": ShipStatus("swinging", 12, ""),
    "settling": ShipStatus("settling", 3, ""),
    "asking": ShipStatus(
        "asking", 40, "The ship leans by 40 degrees: say whether it has capsized (rule 7)."
    ),
    "judged": ShipStatus("judged", 2, ""),
    "unwatched": ShipStatus("unwatched", None, ""),
}
OWN = "cat,dog,humpback whale,pig,🐄,fox,<b>owl</b>,crab"
