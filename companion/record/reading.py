"""Reading a record without writing to it: rows as they stand, and whether the chain holds."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.data_folder import newer
from companion.errors import PlainError
from companion.match import Setup
from companion.record import files, schema
from companion.record.chain import Column, link
from companion.record.journal import UNREADABLE, Entry, Note, tells_of_damage
from companion.snapshot import Source

MOST_NAMED = 3
"""Of the games that are damaged; of more the number is told."""


class Unreadable(PlainError):
    """The file is no record, or one that this version cannot read."""


class Newer(Unreadable):
    """The record was made by a newer version of the program."""


class NotARecord(Unreadable):
    """The file is a database of another program, or a part of ours is missing."""


class Empty(NotARecord):
    """The file is a database that nothing was ever written to."""


class Broken(PlainError):
    """A game's rows are not those that were written."""


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game as it stands in the record.

    Attributes:
        columns: of its row, in the order of the table.
    """

    columns: tuple[Any, ...]

    @property
    def id(self) -> str:
        """Its UUID."""
        return str(self.columns[0])

    @property
    def number(self) -> int:
        """Counts the games of this table from 1."""
        return int(self.columns[2])

    @property
    def setup(self) -> Setup:
        """How it began.

        Raises:
            ValueError: it is not JSON.
        """
        _, _, _, rules, players, starter, options, *_ = self.columns
        return Setup(rules, tuple(json.loads(players)), starter, json.loads(options))

    @property
    def rules(self) -> str:
        """The game's name."""
        return str(self.columns[3])

    @property
    def program(self) -> str:
        """The version of the program that began it."""
        return str(self.columns[7])

    @property
    def rules_version(self) -> int:
        """Of the rules that it began with."""
        return int(self.columns[8])

    @property
    def when(self) -> tuple[int, str, str]:
        """Monotonic time in nanoseconds, boot and wall clock of its beginning."""
        monotonic_ns, boot, wall = self.columns[9:12]
        return monotonic_ns, boot, wall

    @property
    def hash(self) -> bytes:
        """What its first row's hash covers."""
        return link(b"", *self.columns)


@dataclass(frozen=True, slots=True)
class Row:
    """An entry or a note as it stands in the record.

    Attributes:
        table: `entry` or `note`.
        row: its place in the game's chain, from 1.
        columns: in the order of the table, without the game and the hash.
        hash: as written.
    """

    table: str
    row: int
    columns: tuple[Column, ...]
    hash: bytes

    @property
    def content(self) -> Entry | Note:
        """What it says.

        Raises:
            ValueError: it is not JSON.
        """
        columns: Sequence[Any] = self.columns
        if self.table == "note":
            _, after, kind, body, *_ = columns
            return Note(after, kind, json.loads(body))
        entry, _, step, command, source, reader, uid, request, *_ = columns
        return Entry(entry, step, json.loads(command), Source(source, reader), uid, request)

    @property
    def when(self) -> tuple[int, str, str]:
        """Monotonic time in nanoseconds, boot and wall clock."""
        columns: Sequence[Any] = self.columns
        monotonic_ns, boot, wall = columns[-3:]
        return monotonic_ns, boot, wall


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """The record, to be read only; an older one is brought on in memory.

    Raises:
        Unreadable: it is no record, or too new.
        sqlite3.Error: it is damaged.
    """
    if not path.is_file():
        raise Unreadable(f"There is no record {path}: nothing was played with this data folder.")
    with _reading(path, files.to_read(path)) as connection:
        yield connection


@contextmanager
def reading_without_a_trace(path: Path) -> Iterator[sqlite3.Connection]:
    """As `reading`, and nothing new stays beside a record that nobody has open and has no log.

    Raises:
        Unreadable: it is no record, or too new, or somebody opened it meanwhile.
        sqlite3.Error: it is damaged.
    """
    before = _state(path)
    if before is None or not files.rests(path):
        with reading(path) as connection:
            yield connection
        return
    try:
        with _reading(path, files.to_read(path, held=True)) as connection:
            yield connection
    finally:
        # SQLite believed that the file would stay as it was: then what it read may be wrong.
        if _state(path) != before:
            raise Unreadable(f"The record {path} was opened for play just now: try again.")


def _state(path: Path) -> tuple[int, int, bool] | None:
    """What tells that a file was written to, and whether anybody has it open; None without it."""
    if not path.is_file():
        return None
    found = path.stat()
    return found.st_mtime_ns, found.st_size, files.part(path, "-shm").exists()


@contextmanager
def _reading(path: Path, connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    with closing(connection):
        version = schema.version_of(connection)
        if version is None:
            raise NotARecord(f"The file {path} is not a record of this program.")
        if version == 0:
            raise Empty(f"The file {path} is empty: it is no record.")
        if version > schema.SCHEMA_VERSION:
            raise Newer(newer("record", path))
        if version == schema.SCHEMA_VERSION:
            yield connection
            return
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
            connection.backup(copy)
            schema.migrate(copy, version)
            yield copy


def games(connection: sqlite3.Connection) -> Iterator[RecordedGame]:
    """All games, in the order in which they began."""
    for columns in connection.execute("SELECT * FROM game ORDER BY number"):
        yield RecordedGame(columns)


def newest_game(connection: sqlite3.Connection) -> RecordedGame | None:
    """The game that was begun last."""
    row = connection.execute("SELECT * FROM game ORDER BY number DESC LIMIT 1").fetchone()
    return None if row is None else RecordedGame(row)


def rows(connection: sqlite3.Connection, game: str) -> Iterator[Row]:
    """The rows of a game in their order; two that claim one place both come."""
    entries = connection.execute("SELECT * FROM entry WHERE game = ? ORDER BY row", (game,))
    notes = connection.execute("SELECT * FROM note WHERE game = ? ORDER BY row", (game,))
    found = [
        *(Row("entry", columns[2], columns[1:-1], columns[-1]) for columns in entries),
        *(Row("note", columns[1], columns[1:-1], columns[-1]) for columns in notes),
    ]
    yield from sorted(found, key=lambda row: row.row)


def check_chain(connection: sqlite3.Connection, game: RecordedGame) -> None:
    """Compare a game's rows with their hashes.

    Raises:
        Broken: one was changed, is missing, or stands in another's place.
    """
    end = follow(game.hash, rows(connection, game.id))
    head = connection.execute("SELECT row, hash FROM head WHERE game = ?", (game.id,)).fetchone()
    if head is None:
        raise Broken("the end of its chain is missing")
    if head != end:
        last, written = end[0], head[0]
        raise Broken(
            f"its rows end at {last}, and {written} were written"
            if last != written
            else "the game itself was changed"
            if last == 0
            else f"row {last} is not the last that was written"
        )


def damaged_games(connection: sqlite3.Connection, pause: Callable[[], None] = lambda: None) -> str:
    """Look at all of a record: the file, its tables, and the chain of every game.

    Args:
        connection: to read it.
        pause: called between two games.

    Returns:
        Which games before the newest are damaged, such as `game 3 (row 5 was changed, or stands
        in another's place)`; empty when none is.

    Raises:
        Broken: the file, its tables or the newest game are not as they were written.
        sqlite3.Error: it cannot be read.
    """
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise Broken(f"in the file, {' '.join(str(verdict).split())}")
    if not schema.is_whole(connection):
        raise Broken("its tables are not those of a record")
    found: list[str] = []
    last = newest_game(connection)
    expected = 1
    for game in games(connection):
        found += (f"game {number} (it is missing)" for number in range(expected, game.number))
        expected = game.number + 1
        try:
            check_chain(connection, game)
        except (Broken, *UNREADABLE) as trouble:
            if game == last or not (isinstance(trouble, Broken) or tells_of_damage(trouble)):
                raise
            found.append(f"game {game.number} ({trouble})")
        if game != last:
            pause()
    more = [f"{len(found) - MOST_NAMED} more"] if len(found) > MOST_NAMED else []
    return ", ".join((*found[:MOST_NAMED], *more))


def damage_of(copy: Path, pause: Callable[[], None] = lambda: None) -> str:
    """What is damaged in the record of a copy, in words; empty when nothing is.

    Raises:
        sqlite3.Error: it cannot be read, and is not at fault.
    """
    try:
        with reading(copy) as connection:
            return damaged_games(connection, pause)
    except PlainError as trouble:
        return f"{trouble}".rstrip(".")
    except UNREADABLE as error:
        if not tells_of_damage(error):
            raise
        return f"{error}"


def table_and_games(connection: sqlite3.Connection) -> tuple[object, set[str]]:
    """Which table a record is of, and the games in it."""
    table = connection.execute("SELECT value FROM about WHERE name = 'table'").fetchone()
    return table, {identity for (identity,) in connection.execute("SELECT id FROM game")}


def has_row(connection: sqlite3.Connection, game: str, row: int, value: bytes) -> bool:
    """Whether the row with this hash is in the chain of a game that is there; row 0 is the game."""
    if row == 0:
        return True
    found = connection.execute(
        "SELECT hash FROM note WHERE game = ?1 AND row = ?2"
        " UNION ALL SELECT hash FROM entry WHERE game = ?1 AND row = ?2",
        (game, row),
    )
    return (value,) in found.fetchall()


def has_all(connection: sqlite3.Connection, former: sqlite3.Connection) -> bool:
    """Whether a record has all games of another one of its table, as far as they went there."""
    table, known = table_and_games(former)
    table_now, known_now = table_and_games(connection)
    if table != table_now or not known <= known_now:
        return False
    ends = {game: end for game, *end in former.execute("SELECT game, row, hash FROM head")}
    return known == ends.keys() and all(
        has_row(connection, game, *end) for game, end in ends.items()
    )


def follow(end: bytes, chain: Iterator[Row]) -> tuple[int, bytes]:
    """Go along the chain that begins after this hash; number and hash of the last row.

    Raises:
        Broken: a row was changed, is missing, or stands in another's place.
    """
    last = entries = 0
    for row in chain:
        if row.row != last + 1:
            raise Broken(f"row {last + 1} is missing, or stands in another's place")
        end = link(end, row.table, *row.columns)
        last = row.row
        if end != row.hash:
            first = ", or the game itself" if last == 1 else ""
            raise Broken(f"row {last}{first} was changed, or stands in another's place")
        if row.table == "entry":
            entries += 1
            if row.columns[0] != entries:
                raise Broken(f"row {last} calls itself entry {row.columns[0]}, and is {entries}")
    return last, end
