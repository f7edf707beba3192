"""The append-only record in SQLite: what happened at the table, in order, for ever.

The state of a game is a fold over its entries. Only the table's thread writes entries;
`companion tags` may write tags from another process at the same time.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from companion.clocks import Clocks
from companion.errors import PlainError
from companion.match import Setup
from companion.snapshot import Source

SCHEMA_VERSION = 1
BUSY_TIMEOUT_S = 1.0
"""How long to wait for another process that writes, such as `companion tags import`."""


class JournalError(PlainError):
    """The record cannot be opened or played again."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a game's record.

    Attributes:
        entry: 1, 2, 3 …: with the table and the game it names the entry for ever.
        step: the number of actions in force after it.
        command: as in the play protocol, `{"do": …}` or `{"undo": n}`.
        source: where it came from.
        uid: of the tag that was read, if one was.
        request: the id that the sender gave it, if any.
    """

    entry: int
    step: int
    command: dict[str, Any]
    source: Source
    uid: str | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """A game in the record."""

    id: str
    setup: Setup


class Journal:
    """The record of one table in one SQLite file.

    The caller may open it in one thread and use it in another, but in one at a time.

    Raises:
        JournalError: the file is no record, is damaged, or was made by a newer version.
    """

    def __init__(self, path: Path, clocks: Clocks) -> None:
        self._clocks = clocks
        # It holds the table's token and hidden hands: no other user may read it.
        with suppress(OSError):  # SQLite says better what is wrong
            path.touch(mode=0o600)
        try:
            self._connection = sqlite3.connect(
                path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            # Every acknowledged action survives a power cut; NORMAL loses hundreds.
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._prepare(path)
        except sqlite3.Error as error:
            raise JournalError(
                f"The record {path} cannot be opened ({error}): put it aside, or choose another "
                "folder with --data."
            ) from error

    def _prepare(self, path: Path) -> None:
        with self._transaction():
            (found,) = self._connection.execute("PRAGMA user_version").fetchone()
            if found > SCHEMA_VERSION:
                raise JournalError(
                    f"The record {path} was made by a newer version: update this program, or "
                    "choose another folder with --data."
                )
            if found == 0:
                self._create()
        self.table_id = self._about("table")

    def _create(self) -> None:
        schema = files("companion").joinpath("schema.sql").read_text(encoding="utf-8")
        statement = ""
        for line in schema.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                self._connection.execute(statement)
                statement = ""
        self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        self.remember("table", str(uuid.uuid4()))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        try:
            self._connection.execute("COMMIT")
        except sqlite3.Error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _about(self, name: str) -> str:
        (value,) = self._connection.execute(
            "SELECT value FROM about WHERE name = ?", (name,)
        ).fetchone()
        return str(value)

    def remember(self, name: str, value: str) -> None:
        """Keep a fact about the table that there is one of."""
        self._connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def recall(self, name: str) -> str | None:
        """Such a fact, or None."""
        row = self._connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def count_run(self) -> int:
        """Count one more run of the service on this record; how many that makes."""
        (runs,) = self._connection.execute(
            "INSERT INTO about VALUES ('runs', '1') ON CONFLICT (name)"
            " DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) RETURNING value"
        ).fetchone()
        return int(runs)

    def begin(self, setup: Setup) -> Begun:
        """Write down that a new game begins."""
        begun = Begun(str(uuid.uuid4()), setup)
        with self._transaction():
            self._connection.execute(
                "INSERT INTO game VALUES"
                " (?, ?, (SELECT coalesce(max(number), 0) + 1 FROM game), ?, ?, ?, ?, ?, ?)",
                (
                    begun.id,
                    self.table_id,
                    setup.game,
                    _dump(setup.players),
                    setup.starter,
                    _dump(setup.options),
                    version("tidetable"),
                    self._clocks.wall().isoformat(),
                ),
            )
        return begun

    def newest(self) -> Begun | None:
        """The game that was begun last, or None."""
        row = self._connection.execute(
            "SELECT id, rules, players, starter, options FROM game ORDER BY number DESC LIMIT 1"
        ).fetchone()
        if row is None:
            return None
        identity, rules, players, starter, options = row
        try:
            setup = Setup(rules, tuple(json.loads(players)), starter, json.loads(options))
        except ValueError:
            raise JournalError(
                f"The record of the game {identity} is damaged: begin another with --new."
            ) from None
        return Begun(identity, setup)

    def untouched(self, game: str) -> bool:
        """Whether nothing was ever done in this game."""
        (count,) = self._connection.execute(
            "SELECT count(*) FROM entry WHERE game = ?", (game,)
        ).fetchone()
        return bool(count == 0)

    def append(self, game: str, entry: Entry) -> None:
        """Add one entry; when this returns it is on the disk.

        Raises:
            sqlite3.Error: it is not on the disk, and nothing has changed.
        """
        with self._transaction():
            self._connection.execute(
                "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    game,
                    entry.entry,
                    entry.step,
                    _dump(entry.command),
                    entry.source.kind,
                    entry.source.name,
                    entry.uid,
                    entry.request,
                    self._clocks.monotonic_ns(),
                    self._clocks.boot,
                    self._clocks.wall().isoformat(),
                ),
            )

    def entries(self, game: str) -> Iterator[Entry]:
        """The entries of a game, in order."""
        for entry, step, command, source, reader, uid, request in self._connection.execute(
            "SELECT entry, step, command, source, reader, uid, request FROM entry"
            " WHERE game = ? ORDER BY entry",
            (game,),
        ):
            yield Entry(entry, step, json.loads(command), Source(source, reader), uid, request)

    def last_read(self) -> frozenset[str]:
        """The UIDs that each reader's last entry came from, in whatever game."""
        rows = self._connection.execute(
            "SELECT uid, max(rowid) FROM entry WHERE uid IS NOT NULL GROUP BY reader"
        )
        return frozenset(uid for uid, _ in rows)

    def find_request(self, request: str) -> tuple[str, int, dict[str, Any]] | None:
        """Game, entry and command of the request with this id, or None."""
        row = self._connection.execute(
            "SELECT game, entry, command FROM entry WHERE request = ?", (request,)
        ).fetchone()
        return None if row is None else (row[0], row[1], json.loads(row[2]))

    def component(self, uid: str) -> str | None:
        """What this tag is on, or None when it is not enrolled."""
        row = self._connection.execute("SELECT component FROM tag WHERE uid = ?", (uid,)).fetchone()
        return None if row is None else str(row[0])

    def tags(self) -> dict[str, str]:
        """All enrolled tags: component by UID, sorted by component."""
        return dict(
            self._connection.execute("SELECT uid, component FROM tag ORDER BY component, uid")
        )

    def enrol(self, tags: dict[str, str]) -> None:
        """Add tags, component by UID, all or none; a known UID moves to its new component."""
        with self._transaction():
            self._connection.executemany("INSERT OR REPLACE INTO tag VALUES (?, ?)", tags.items())

    def forget_tag(self, uid: str) -> bool:
        """Take a tag out; whether it was there."""
        return self._connection.execute("DELETE FROM tag WHERE uid = ?", (uid,)).rowcount > 0

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
