"""The thread that takes copies while the table plays on."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from companion.clocks import Clocks, machine_clocks
from companion.record.backup_section import Backup
from companion.record.copies import checkpoint
from companion.record.disk import Disk
from companion.record.taking import mirror, take_copy
from companion.table import Table

log = logging.getLogger(__name__)

A_DAY_S = 86_400.0
"""By a clock that nobody sets: the day may be wrong by years, and has 24 hours all the same."""
LONGEST_CLOSE_S = 5.0
"""A stick that does not answer does not keep the service from ending."""
PAUSE_S = 0.02
"""Between two steps of a copy, so that the table's own writes get their turn."""
LOOK_EVERY_S = 2.0
"""So often a disk that took nothing is looked at."""


class _Ending(Exception):
    """The service ends: the copy is given up, and the next start takes one."""


class Copier:
    """Takes a copy when it starts, once a day and after each finished game.

    Before that, and when a game has begun, it sees to it that the database file has all of
    the log: whoever carries the file alone away, or loses the log, has the game.

    Args:
        table: whose record it is.
        record: the file.
        backup: how many are kept, and where else.
        clocks: of the machine, else.
        seconds: a clock that nobody sets.
        came_back: told once when the disk was pulled out and is in again (see `Disk`).
    """

    def __init__(
        self,
        table: Table,
        record: Path,
        backup: Backup | None = None,
        *,
        clocks: Clocks | None = None,
        seconds: Callable[[], float] = time.monotonic,
        came_back: Callable[[], None] = lambda: None,
    ) -> None:
        self._table = table
        self._record = record
        self._backup = backup or Backup()
        self._clocks = clocks or machine_clocks()
        self._seconds = seconds
        self._came_back = came_back
        self._disk = Disk(record.parent)
        self._away = False
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="copies", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def use(self, backup: Backup) -> None:
        """Keep copies so from the next one on."""
        self._backup, self._away = backup, False

    def close(self) -> None:
        """Give up a copy that is being taken. The table is closed before."""
        self._ending.set()
        self._thread.join(LONGEST_CLOSE_S)
        self._disk.close()

    def _run(self) -> None:
        snapshot = self._table.snapshot
        begun = snapshot.game
        copied = begun if snapshot.standing.over else ""
        due_s = self._seconds() + A_DAY_S
        self._checkpoint()
        self._copy("start")
        while not self._table.closed:
            snapshot = self._table.wait(snapshot.revision, max(0.0, due_s - self._seconds()))
            if snapshot.event.code == "storage":
                self._wait_for_the_disk(snapshot.revision)
            if self._seconds() >= due_s:
                due_s = self._seconds() + A_DAY_S
                self._checkpoint()
                self._copy("day")
            if snapshot.game != begun:
                begun = snapshot.game
                self._checkpoint()
            if not snapshot.standing.over:
                copied = ""  # also of a game whose end was taken back
            elif snapshot.game != copied:
                copied = snapshot.game
                self._checkpoint()
                self._copy("game")

    def _wait_for_the_disk(self, revision: int) -> None:
        """Something was refused: look now and then whether the disk is another one."""
        while self._table.snapshot.event.code == "storage" and not self._table.closed:
            if self._disk.is_another:
                self._came_back()
                self._ending.wait()
                return
            revision = self._table.wait(revision, LOOK_EVERY_S).revision

    def _checkpoint(self) -> None:
        try:
            checkpoint(self._record)
        except sqlite3.Error as error:
            log.warning("The record's log waits to be brought into it (%s).", error)

    def _copy(self, why: str) -> None:
        backup = self._backup  # which may change meanwhile
        with suppress(_Ending):
            try:
                take_copy(self._record, self._pause, why=why, days=backup.kept, clocks=self._clocks)
            except (sqlite3.Error, OSError, ValueError) as error:
                log.warning("No copy of the record was made (%s); the table plays on.", error)
            if backup.folder is not None:
                self._copy_elsewhere(backup.folder, backup.kept)

    def _copy_elsewhere(self, folder: Path, kept: int) -> None:
        """What is wrong is said once, and once that it is over."""
        try:
            if not folder.is_dir():
                raise FileNotFoundError(2, "it is not there")
            place = mirror(self._record.parent, folder, kept)
        except OSError as error:
            if not self._away:
                log.warning(
                    "No copy comes into %s (%s): the table plays on, and copies come there again "
                    "when that is mended.",
                    folder,
                    error.strerror or error,
                )
            self._away = True
            return
        if self._away and place is not None:
            log.info("Copies come into %s again.", folder)
            self._away = False

    def _pause(self) -> None:
        if self._ending.wait(PAUSE_S):
            raise _Ending
