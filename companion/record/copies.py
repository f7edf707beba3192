"""Copies of the record, for the day on which it is damaged; and setting a damaged one aside.

A copy is taken by SQLite's online backup, in a connection and a thread of its own, in small
steps: the table goes on writing meanwhile. It bears its name only when it is whole and on
the disk.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from companion.table import Table

log = logging.getLogger(__name__)

FOLDER = "backups"
KEPT = 3
PAGES_A_STEP = 256
"""One MiB at the usual page size: a few milliseconds of a slow card."""
PAUSE_S = 0.02
"""Between two steps, so that the table's own writes get their turn."""
LONGEST_WAIT_S = 3600.0
PARTS = ("", "-wal", "-shm", "-journal")
"""What a database is made of; the last one only while it is being made."""
_NAME = re.compile(r"table-(\d{6,})\.sqlite")


def copies(folder: Path) -> list[Path]:
    """The copies in a data folder, newest first."""
    found = (folder / FOLDER).glob("table-*.sqlite")
    numbered = [(int(match[1]), path) for path in found if (match := _NAME.fullmatch(path.name))]
    return [path for _, path in sorted(numbered, reverse=True)]


def take_copy(record: Path, pause: Callable[[], None] = lambda: None) -> Path | None:
    """Copy the record beside it; the oldest copies go. None when the newest copy is as new.

    Args:
        record: the file; others may write to it meanwhile.
        pause: called after each step, to wait, or to raise when the copy is given up.

    Raises:
        sqlite3.Error, OSError: no copy was made; those there were are kept.
    """
    folder = record.parent / FOLDER
    folder.mkdir(exist_ok=True)
    former = copies(record.parent)
    number = 1 + (int(former[0].stem.rpartition("-")[2]) if former else 0)
    partial = folder / "partial.sqlite"
    with closing(_to_read(record)) as source:
        # Within one transaction nobody else's write makes the copy begin anew.
        source.execute("BEGIN")
        last = _last_row(source)
        if former and last == _last_row_in(former[0]):
            return None
        try:
            _copy(source, partial, pause)
        except BaseException:
            partial.unlink(missing_ok=True)  # a full disk needs the room
            raise
    whole = folder / f"table-{number:06}.sqlite"
    partial.rename(whole)
    _sync(folder)
    for old in copies(record.parent)[KEPT:]:
        old.unlink()
    return whole


def _copy(source: sqlite3.Connection, partial: Path, pause: Callable[[], None]) -> None:
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600)

    def after_step(status: int, remaining: int, total: int) -> None:
        del status, total
        if remaining:
            _sync(partial)  # else the table's own small write would wait behind all of these
            pause()

    with closing(sqlite3.connect(partial, isolation_level=None)) as copy:
        # Nothing but the end matters: the name comes when all is on the disk.
        copy.execute("PRAGMA synchronous = OFF")
        source.backup(copy, pages=PAGES_A_STEP, progress=after_step)
        copy.execute("PRAGMA journal_mode = DELETE")
    _sync(partial)


def _to_read(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None)


def _last_row(connection: sqlite3.Connection) -> object:
    """What differs between two states of a record: its newest game's end, its tags, its runs."""
    newest = connection.execute(
        "SELECT number, row, hash FROM game JOIN head ON game = id ORDER BY number DESC LIMIT 1"
    ).fetchone()
    tags = connection.execute("SELECT * FROM tag ORDER BY uid").fetchall()
    return newest, tags


def _last_row_in(path: Path) -> object:
    try:
        with closing(_to_read(path)) as connection:
            return _last_row(connection)
    except sqlite3.Error:
        return None


def restore(copy: Path, record: Path) -> None:
    """Put a copy in the place of a record that is not there any more.

    Raises:
        OSError: it cannot be written.
    """
    new = unfinished(record)
    shutil.copyfile(copy, new)
    new.chmod(0o600)
    finish(record)


def unfinished(record: Path) -> Path:
    """Where a record is made before it bears its name; what a killed service left there goes."""
    new = record.with_name(f"new-{record.name}")
    for part in PARTS:
        _part(new, part).unlink(missing_ok=True)
    return new


def finish(record: Path) -> None:
    """Give a record that was made, and closed, its name."""
    new = record.with_name(f"new-{record.name}")
    _sync(new)
    new.rename(record)
    _sync(record.parent)


def checkpoint(record: Path) -> None:
    """Bring the log into the database file, as far as nobody is in the way.

    Raises:
        sqlite3.Error: it could not be done; the log has all of it as before.
    """
    place = f"file:{quote(str(record))}?mode=rw"
    with closing(sqlite3.connect(place, uri=True, timeout=0, isolation_level=None)) as connection:
        # The first lets others write meanwhile; then little is left for the one that does not.
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def set_aside(record: Path, trouble: str, when: datetime) -> Path:
    """Give a record, with its log, a name that tells; nothing of it is deleted.

    Args:
        record: the file.
        trouble: for its name: `damaged` or `incomplete`.
        when: for its name, too.

    Returns:
        Its new place.

    Raises:
        OSError: it cannot be renamed.
    """
    for path in _names(record, trouble, when):
        if not any(_part(path, part).exists() for part in PARTS):
            for part in PARTS:
                with suppress(FileNotFoundError):
                    _part(record, part).rename(_part(path, part))
            _sync(record.parent)
            return path
    raise AssertionError


def _names(record: Path, trouble: str, when: datetime) -> Iterator[Path]:
    stem = f"{record.stem}.{trouble}-{when:%Y-%m-%dT%H-%M-%S}"
    yield record.with_name(f"{stem}{record.suffix}")
    number = 2
    while True:
        yield record.with_name(f"{stem}-{number}{record.suffix}")
        number += 1


def _part(path: Path, part: str) -> Path:
    return path.with_name(path.name + part)


def _sync(path: Path) -> None:
    """Have a file's contents, or a folder's names, on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class _Ending(Exception):
    """The service ends: the copy is given up, and the next start takes one."""


class Copier:
    """Takes a copy when it starts and after each finished game, while the table plays on.

    Before that, and when a game has begun, it sees to it that the database file has all of
    the log: whoever carries the file alone away, or loses the log, has the game.
    """

    def __init__(self, table: Table, record: Path) -> None:
        self._table = table
        self._record = record
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="copies", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def close(self) -> None:
        """Give up a copy that is being taken. The table is closed before."""
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        snapshot = self._table.snapshot
        begun = snapshot.game
        copied = begun if snapshot.standing.over else ""
        self._checkpoint()
        self._copy()
        while not self._table.closed:
            snapshot = self._table.wait(snapshot.revision, LONGEST_WAIT_S)
            if snapshot.game != begun:
                begun = snapshot.game
                self._checkpoint()
            if not snapshot.standing.over:
                copied = ""  # also of a game whose end was taken back
            elif snapshot.game != copied:
                copied = snapshot.game
                self._checkpoint()
                self._copy()

    def _checkpoint(self) -> None:
        try:
            checkpoint(self._record)
        except sqlite3.Error as error:
            log.warning("The record's log waits to be brought into it (%s).", error)

    def _copy(self) -> None:
        with suppress(_Ending):
            try:
                take_copy(self._record, self._pause)
            except (sqlite3.Error, OSError) as error:
                log.warning("No copy of the record was made (%s); the table plays on.", error)

    def _pause(self) -> None:
        if self._ending.wait(PAUSE_S):
            raise _Ending
