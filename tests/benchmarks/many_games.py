"""A data folder with many finished games, written straight into the tables."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.clocks import machine_clocks
from companion.codec import action_to_json
from companion.data_folder import JOURNAL
from companion.record import schema
from companion.record.chain import link
from companion.record.journal import Journal
from tests.benchmarks.games import Recorded, record

DIFFERENT = 50
"""So many games are played; the others are the same with other ids and times."""


@dataclass(frozen=True)
class _Texts:
    players: tuple[str, ...]
    commands: tuple[str, ...]
    taps: tuple[str, ...]


def make(folder: Path, count: int) -> int:
    """Write so many finished games of five tentacles, each action with a tap; how many rows."""
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder / JOURNAL, machine_clocks())
    connection = journal._connection
    connection.execute("PRAGMA synchronous = OFF")
    played = [_texts(game) for game in _games()]
    made = 0
    # In the order of their ids, so that each page is written once.
    identities = sorted(str(uuid.uuid4()) for _ in range(count))
    connection.execute("BEGIN")
    for number, identity in enumerate(identities, 1):
        game, rows, end = _game(identity, journal.table_id, number, played[number % len(played)])
        connection.execute(schema.insert("game"), game)
        connection.executemany(schema.insert("note"), rows["note"])
        connection.executemany(schema.insert("entry"), rows["entry"])
        row = len(rows["note"]) + len(rows["entry"])
        connection.execute(schema.insert("head"), (game[0], row, end))
        made += row
    connection.execute("COMMIT")
    journal.close()
    return made


def _games() -> Iterator[Recorded]:
    for seed in range(DIFFERENT):
        yield from record(1, players=2 + seed % 3, seed=seed)


def _texts(game: Recorded) -> _Texts:
    commands = [_dump(action_to_json(action)) for action in game.actions]
    taps = [
        _dump({"component": f"tentacles/{n}", "uid": f"04A3C6CA{n:06}", "station": "play"})
        for n in range(len(commands))
    ]
    return _Texts(game.players, tuple(commands), tuple(taps))


def _game(
    identity: str, table: str, number: int, texts: _Texts
) -> tuple[tuple[Any, ...], dict[str, list[tuple[Any, ...]]], bytes]:
    when = (number * 1_000_000_000_000, "a-boot", "2026-11-01T18:00:00+00:00")
    game = (
        *(identity, table, number, "tentacles", _dump(texts.players), None, "{}"),
        *("0.1.0", 1, *when),
    )
    end = link(b"", *game)
    rows: dict[str, list[tuple[Any, ...]]] = {"note": [], "entry": []}
    row = 0
    for entry, (command, tap) in enumerate(zip(texts.commands, texts.taps, strict=True), 1):
        note = (row + 1, entry - 1, "tap", tap, *when)
        end = link(end, "note", *note)
        rows["note"].append((identity, *note, end))
        row += 2
        done = (entry, row, entry, command, "reader", "pcsc-1", f"04A3C6CA{entry:06}", None, *when)
        end = link(end, "entry", *done)
        rows["entry"].append((identity, *done, end))
    return game, rows, end


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
