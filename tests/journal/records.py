"""Records to damage: real files, with what was truly written beside them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from companion.data_folder import JOURNAL
from companion.match import Setup
from companion.record.journal import Entry, Journal, Note
from companion.record.reading import Row, games, reading, rows
from companion.snapshot import Source
from tests.support.tables import still_clocks

SETUP = Setup("tentacles", ("Ann", "Bo"), "Bo")
CARDS = ("dots", "rings", "stars", "stripes")


def opened(folder: Path, *, page_bytes: int = 4096) -> Journal:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / JOURNAL
    if not path.exists():
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA page_size = {page_bytes}")
            connection.execute("VACUUM")
    return Journal(path, still_clocks())


def write(journal: Journal, game: str, numbers: Sequence[int]) -> None:
    """For each number an entry with a tap before it, each pair in a transaction of its own."""
    for number in numbers:
        uid = f"04A3C6CAE2{number:04}"
        entry = Entry(
            number,
            number,
            {"do": "reveal", "card": CARDS[number % len(CARDS)]},
            Source("reader", "pcsc-1"),
            uid,
            f"{game}-{number}",
        )
        journal.append(game, (entry,), (Note(number - 1, "tap", {"uid": uid, "station": "play"}),))


def read(path: Path) -> list[Row]:
    """All rows of the record, game by game."""
    with reading(path) as connection:
        return [row for game in games(connection) for row in rows(connection, game.id)]


@dataclass(frozen=True)
class Written:
    """A record as `kill -9` would leave it: the database, its log, and what is in them.

    Attributes:
        ends: where the log ended after each of the last transactions, with the rows then.
    """

    database: bytes
    log: bytes
    ends: Sequence[tuple[int, list[Row]]]

    def put(self, folder: Path, log: bytes, database: bytes | None = None) -> Path:
        """Lay the files down with this log; the record."""
        path = folder / JOURNAL
        path.with_name(JOURNAL + "-shm").unlink(missing_ok=True)
        path.write_bytes(self.database if database is None else database)
        path.with_name(JOURNAL + "-wal").write_bytes(log)
        return path


def written(folder: Path, *, page_bytes: int, transactions: int = 2) -> Written:
    """A record with some actions, of which the last `transactions` are told apart."""
    journal = opened(folder, page_bytes=page_bytes)
    game = journal.begin(SETUP).id
    path = folder / JOURNAL
    log = path.with_name(JOURNAL + "-wal")
    write(journal, game, [1, 2])
    journal.close()  # what was written so far goes from the log into the database
    journal = opened(folder)
    write(journal, game, [3])
    ends = [(log.stat().st_size, read(path))]
    for number in range(4, 4 + transactions):
        write(journal, game, [number])
        ends.append((log.stat().st_size, read(path)))
    found = Written(path.read_bytes(), log.read_bytes(), ends)
    journal.close()
    return found
