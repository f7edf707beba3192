"""The append-only record in SQLite: what happened at the table, in order, for ever.

A game has entries, which change it and whose fold is its state, and notes, which do not.
Both are rows of one chain (`companion.record.chain`). Only the table's thread writes them;
`companion tags` may write tags from another process at the same time.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from companion.clocks import Clocks
from companion.data_folder import newer
from companion.disk_words import RecordGone
from companion.errors import PlainError
from companion.match import Setup
from companion.record import copies, schema
from companion.record.chain import link
from companion.record.schema import SCHEMA_VERSION
from companion.rules import game_named
from companion.snapshot import Source

log = logging.getLogger(__name__)

BUSY_TIMEOUT_S = 1.0
"""How long to wait for another process that writes, such as `companion tags import`."""

RUNS_AHEAD = 1000
"""More starts than there were since a copy, whose record cannot say how many."""

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What the reading of a damaged file ends with: even SQLite's own message may be no UTF-8."""


class JournalError(PlainError):
    """The record cannot be opened or played again."""


class DamagedJournal(JournalError):
    """The file is no record, or its contents are not those that were written."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a game's record: it changes the game.

    Attributes:
        entry: 1, 2, 3 …: with the table and the game it names the entry for ever.
        step: the number of actions in force after it.
        command: `{"do": …}` or `{"undo": n}` as in the play protocol, `{"correct": [edit, …]}`
            or `{"restore": entry}`.
        source: where it came from.
        uid: of the tag that was read, if one was.
        request: the id that the sender gave it, if any.
    """

    entry: int
    step: int
    command: Mapping[str, Any]
    source: Source
    uid: str | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """Something that does not change the game, and is kept all the same.

    Attributes:
        after: the number of the entry that it came after; 0 before the first.
        kind: such as `tap`, `answer`, `refused`, `device-lost`.
        body: what is to be kept of it: an object of JSON.
    """

    after: int
    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Begun:
    """A game in the record."""

    id: str
    setup: Setup


class Journal:
    """The record of one table in one SQLite file.

    The caller may open it in one thread and use it in another, but in one at a time.

    Raises:
        DamagedJournal: the file is no record, or is damaged.
        JournalError: it cannot be opened, or was made by a newer version.
    """

    def __init__(self, path: Path, clocks: Clocks) -> None:
        self._clocks = clocks
        self._path = path
        # It holds the table's token and hidden hands: no other user may read it.
        with suppress(OSError):  # SQLite says better what is wrong
            path.touch(mode=0o600)
        try:
            self._connection = sqlite3.connect(
                path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            self._file: tuple[int, int] | None = None
            self._file = self._file_now()
            try:
                self._prepare(path)
            except BaseException:
                self._connection.close()
                raise
        except UNREADABLE as error:
            if tells_of_damage(error):
                raise DamagedJournal(
                    f"The record {path} cannot be opened ({error}): put it aside, or choose "
                    "another folder with --data."
                ) from error
            raise JournalError(
                f"The record {path} cannot be opened ({error}): make room, mend the disk or give "
                "yourself the right to write, then try again; the games in it are as they were."
            ) from error

    def _prepare(self, path: Path) -> None:
        found = self._version(path)
        if 0 < found < SCHEMA_VERSION:
            self._keep_as_it_was(path)
        self._connection.execute("PRAGMA journal_mode = WAL")
        # Every acknowledged action survives a power cut; NORMAL loses hundreds.
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        if found < SCHEMA_VERSION:
            with self._transaction():
                found = self._version(path)  # somebody else may have been quicker
                if found < SCHEMA_VERSION:
                    schema.migrate(self._connection, found)
                if found == 0:
                    self.remember("table", str(uuid.uuid4()))
        table = self.recall("table")
        if table is None:
            raise DamagedJournal(
                f"The record {path} does not say which table it is of: put it aside, or choose "
                "another folder with --data."
            )
        self.table_id = table

    @staticmethod
    def _keep_as_it_was(path: Path) -> None:
        """The way back, should the new version be none that people want."""
        try:
            kept = copies.keep_before(path, f"version-{SCHEMA_VERSION}")
        except (sqlite3.Error, OSError) as error:
            raise JournalError(
                f"The record {path} is of an older version, and no copy of it could be made before "
                f"it is brought on ({error}): make room, then try again; it is as it was."
            ) from error
        log.info("The record is brought on to a newer version; as it was it lies in %s.", kept)

    def _version(self, path: Path) -> int:
        found = schema.version_of(self._connection)
        if found is None:
            raise DamagedJournal(
                f"The file {path} is not a record of this program: put it aside, or choose "
                "another folder with --data."
            )
        if found > SCHEMA_VERSION:
            raise JournalError(newer("record", path))
        return found

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._file_now() != self._file:
            raise RecordGone("the record's file is gone from its place")
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            # A full disk may have ended the transaction already.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _file_now(self) -> tuple[int, int] | None:
        """What tells the file from another one of its name; None where there is none."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        except OSError:
            return self._file  # SQLite says better what is wrong
        return found.st_dev, found.st_ino

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

    def skip_runs(self, count: int) -> None:
        """Let the number of runs go on from one that no run of this record can have had."""
        self._connection.execute(
            "UPDATE about SET value = CAST(CAST(value AS INTEGER) + ? AS TEXT) WHERE name = 'runs'",
            (count,),
        )

    def begin(self, setup: Setup) -> Begun:
        """Write down that a new game begins."""
        begun = Begun(str(uuid.uuid4()), setup)
        rules_version = game_named(setup.game).rules_version
        with self._transaction():
            (number,) = self._connection.execute(
                "SELECT coalesce(max(number), 0) + 1 FROM game"
            ).fetchone()
            row = (
                begun.id,
                self.table_id,
                number,
                setup.game,
                _dump(setup.players),
                setup.starter,
                _dump(setup.options),
                version("tidetable"),
                rules_version,
                *self._now(),
            )
            self._connection.execute(schema.insert("game"), row)
            self._connection.execute(schema.insert("head"), (begun.id, 0, link(b"", *row)))
        return begun

    def _now(self) -> tuple[int, str, str]:
        return self._clocks.monotonic_ns(), self._clocks.boot, self._clocks.wall().isoformat()

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

    def in_words(self) -> str:
        """How many games there are, and the newest one."""
        (games,) = self._connection.execute("SELECT count(*) FROM game").fetchone()
        newest = self.newest() if games else None
        if newest is None:
            return "no game yet."
        who = ", ".join(newest.setup.players)
        return f"{games} game{'s' if games > 1 else ''}, the newest {newest.setup.game} with {who}."

    def untouched(self, game: str) -> bool:
        """Whether nothing was ever done in this game."""
        (untouched,) = self._connection.execute(
            "SELECT NOT EXISTS (SELECT 1 FROM entry WHERE game = ?)", (game,)
        ).fetchone()
        return bool(untouched)

    def append(self, game: str, entries: Sequence[Entry], notes: Sequence[Note] = ()) -> None:
        """Add notes and entries, all or none; when this returns they are on the disk.

        Args:
            game: its id.
            entries: what changes it, in order.
            notes: written before the entries, in order.

        Raises:
            sqlite3.Error: they are not on the disk, and nothing has changed.
        """
        now = self._now()
        with self._transaction():
            row, end = self._connection.execute(
                "SELECT row, hash FROM head WHERE game = ?", (game,)
            ).fetchone()
            for note in notes:
                row += 1
                said = (row, note.after, note.kind, _dump(note.body), *now)
                end = link(end, "note", *said)
                self._connection.execute(schema.insert("note"), (game, *said, end))
            for entry in entries:
                row += 1
                done = (
                    entry.entry,
                    row,
                    entry.step,
                    _dump(entry.command),
                    entry.source.kind,
                    entry.source.name,
                    entry.uid,
                    entry.request,
                    *now,
                )
                end = link(end, "entry", *done)
                self._connection.execute(schema.insert("entry"), (game, *done, end))
            self._connection.execute(
                "UPDATE head SET row = ?, hash = ? WHERE game = ?", (row, end, game)
            )

    def entries(self, game: str) -> Iterator[Entry]:
        """The entries of a game, in order."""
        for columns in self._connection.execute(
            "SELECT entry, step, command, source, reader, uid, request FROM entry"
            " WHERE game = ? ORDER BY entry",
            (game,),
        ):
            yield _entry(columns)

    def record(self, game: str) -> Iterator[Entry | Note]:
        """The entries and notes of a game, in the order in which they were written."""
        for is_note, _, *columns in self._connection.execute(
            "SELECT 0, row, entry, step, command, source, reader, uid, request FROM entry"
            " WHERE game = ?1 UNION ALL"
            " SELECT 1, row, after, kind, body, NULL, NULL, NULL, NULL FROM note"
            " WHERE game = ?1 ORDER BY 2",
            (game,),
        ):
            if is_note:
                after, kind, body, *_ = columns
                yield Note(after, kind, json.loads(body))
            else:
                yield _entry(columns)

    def away_s(self, game: str) -> float | None:
        """Seconds since the last row of this game; None where another boot wrote it, or none."""
        row = self._connection.execute(
            "SELECT max(monotonic_ns), boot FROM (SELECT monotonic_ns, boot FROM"
            " (SELECT monotonic_ns, boot FROM entry WHERE game = :game ORDER BY entry DESC LIMIT 1)"
            " UNION ALL SELECT monotonic_ns, boot FROM"
            " (SELECT monotonic_ns, boot FROM note WHERE game = :game ORDER BY row DESC LIMIT 1))",
            {"game": game},
        ).fetchone()
        if row is None or row[1] != self._clocks.boot:
            return None
        return float((self._clocks.monotonic_ns() - row[0]) / 1_000_000_000)

    def last_read(self) -> frozenset[str]:
        """The UIDs that each reader's last entry came from.

        Only the two newest games count: in a game just begun the last card of the one before
        may still lie there.
        """
        last = dict(
            self._connection.execute(
                "SELECT reader, uid FROM (SELECT id, number FROM game ORDER BY number DESC LIMIT 2)"
                " JOIN entry ON game = id WHERE uid IS NOT NULL ORDER BY number, entry"
            )
        )
        return frozenset(last.values())

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

    def change_tags(self, tags: Mapping[str, str | None], about: Mapping[str, str | None]) -> None:
        """Put tags on other things and keep facts about the table with it, all or none.

        Args:
            tags: what each UID is on from now on; None takes it out.
            about: by name, what to keep (see `remember`); None forgets it.

        Raises:
            sqlite3.Error: it is not on the disk, and nothing has changed.
        """
        with self._transaction():
            for uid, component in tags.items():
                if component is None:
                    self.forget_tag(uid)
                else:
                    self._connection.execute(
                        "INSERT OR REPLACE INTO tag VALUES (?, ?)", (uid, component)
                    )
            for name, value in about.items():
                if value is None:
                    self._connection.execute("DELETE FROM about WHERE name = ?", (name,))
                else:
                    self.remember(name, value)

    def forget_tag(self, uid: str) -> bool:
        """Take a tag out; whether it was there."""
        return self._connection.execute("DELETE FROM tag WHERE uid = ?", (uid,)).rowcount > 0

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def tells_of_damage(error: Exception) -> bool:
    """Whether the file is at fault, and not a full, locked or forbidden disk."""
    if type(error) is not sqlite3.OperationalError:
        return isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError)
    code = getattr(error, "sqlite_errorcode", None)  # a text that is not UTF-8 has none
    return code in (None, sqlite3.SQLITE_IOERR_SHORT_READ)


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _entry(columns: Sequence[Any]) -> Entry:
    entry, step, command, source, reader, uid, request = columns
    return Entry(entry, step, json.loads(command), Source(source, reader), uid, request)
