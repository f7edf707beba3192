"""A room with a real table in it: its record in a real file, its readers and clocks by hand.

Nothing sleeps here. Time goes on when something is done, and the table is waited for after
each reading, so that what it published can be read.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from companion.clocks import Clocks
from companion.course import Course
from companion.drivers.api import DeviceBack, DeviceLost, Reading, TagOff
from companion.match import Match, Setup
from companion.record.journal import Journal
from companion.repair.timeline import Timeline
from companion.said import say
from companion.ship import Thresholds
from companion.snapshot import Event, Snapshot, Source
from companion.table import Table
from hardware_sim.evening.faults import Step

SECOND_NS = 1_000_000_000
MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
RECORD = "table.sqlite"
UNPLUGGED = say("The reader is unplugged: plug it in again.")


def quick_folder() -> Path:
    """Where a record is written quickest: in memory, where the system has such a place."""
    return MEMORY_DISK if MEMORY_DISK.is_dir() else Path(gettempdir())


class HandClock:
    """A monotonic clock that goes on when it is told to.

    Attributes:
        now_ns: what it shows.
    """

    def __init__(self) -> None:
        self.now_ns = SECOND_NS

    def __call__(self) -> int:
        """What it shows, as the clocks of drivers do."""
        return self.now_ns

    def pass_time(self, seconds: float) -> None:
        """So much time goes by."""
        self.now_ns += int(seconds * SECOND_NS)


class Disk(Journal):
    """A record on a disk that may be full.

    Attributes:
        full: nothing more is taken.
    """

    full = False

    def append(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - as the record has it
        """Add to the record (see `Journal.append`)."""
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")
        super().append(*arguments, **named)


class Room:
    """A table, with a reader at each station.

    Args:
        folder: for the record; one that exists goes on.
        setup: how the game begins.
        tags: component by UID.
        stations: where readers stand.
        clock: by which everything is stamped.
        thresholds: of the judge of the ship.

    Attributes:
        folder: of the record; another one after a kill.
        table: runs already.
        disk: its record.
        lost: names of the readers that do not answer.
        heard: every event since `listen` was called last, oldest first.
    """

    def __init__(
        self,
        folder: Path,
        setup: Setup,
        tags: Mapping[str, str],
        stations: Sequence[str] = ("play",),
        *,
        clock: HandClock | None = None,
        thresholds: Thresholds | None = None,
    ) -> None:
        self.folder = folder
        self._setup = setup
        self._tags = tags
        self.reader_at = {
            station: f"reader-{number}" for number, station in enumerate(stations, start=1)
        }
        self.clock = clock or HandClock()
        self._thresholds = thresholds
        self.wall_offset = timedelta()
        self.lost: set[str] = set()
        self.heard: list[Event] = []
        self._lives = 0
        self._open()

    # The service

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        began = datetime(2026, 1, 1, tzinfo=UTC)
        clocks = Clocks(
            self.clock,
            lambda: began + self.wall_offset + timedelta(seconds=self.now_ns / SECOND_NS),
            "boot",
        )
        self.disk = Disk(self.folder / RECORD, clocks)
        stations = {reader: station for station, reader in self.reader_at.items()}
        self.table = Table(
            self.disk,
            self._tags.get,
            lambda: self._setup,
            clock=self.clock,
            thresholds=self._thresholds,
            stations=stations,
        )
        self.table.start()
        self._number = self.table.snapshot.event.number
        for reader in self.reader_at.values():
            self.lost.discard(reader)
            self.report(DeviceBack(reader, "Reader by hand", self.now_ns))

    def kill(self) -> None:
        """The service ends without warning and begins again on the files as they are now."""
        self._lives += 1
        self.look()
        saved = self.folder.with_name(f"{self.folder.name.partition('~')[0]}~{self._lives}")
        shutil.copytree(self.folder, saved, ignore=shutil.ignore_patterns("*-shm"))
        self.close()
        shutil.rmtree(self.folder)
        self.folder = saved
        self._open()

    def close(self) -> None:
        """End the service in order."""
        self.table.close()
        self.disk.close()

    def clear(self) -> None:
        """Remove the record, when the service has ended."""
        shutil.rmtree(self.folder)

    def set_wall_clock(self, hours: float) -> None:
        """The wall clock is wrong from now on; the monotonic one never is."""
        self.wall_offset = timedelta(hours=hours)

    def begin_again(self) -> None:
        """Another game begins with the same people; what is asked about the last one is left.

        Raises:
            RuntimeError: the table does not begin one.
        """
        answer = self.table.new_game(source=Source("page"))
        if answer.code is not None:
            raise RuntimeError(answer.message)
        self.listen()

    # What happens in the room

    @property
    def now_ns(self) -> int:
        """What the monotonic clock shows."""
        return self.clock()

    @property
    def snapshot(self) -> Snapshot:
        """What every screen shows."""
        return self.table.snapshot

    def pass_time(self, seconds: float) -> None:
        """Nothing happens for so long."""
        self.clock.pass_time(seconds)

    def report(self, reading: Reading) -> Snapshot:
        """A device tells something; the table has taken it when this returns."""
        self.table.report(reading)
        return self.look()

    def look(self) -> Snapshot:
        """Wait for the table; remember what it told."""
        snapshot = self.table.settle()
        if snapshot.event.number != self._number:
            self._number = snapshot.event.number
            self.heard.append(snapshot.event)
        return snapshot

    def listen(self) -> list[Event]:
        """What was told since this was called last."""
        heard, self.heard = self.heard, []
        return heard

    def play(self, steps: Sequence[Step]) -> None:
        """Tell what a reader reads, step by step; a lost reader tells nothing."""
        for after_s, reading_at in steps:
            self.pass_time(after_s)
            reading = reading_at(self.now_ns)
            if reading.reader in self.lost:
                continue
            if isinstance(reading, TagOff):
                self.table.report(reading)  # of which nobody is ever told
            else:
                self.report(reading)

    def lose(self, *readers: str) -> None:
        """These do not answer any more."""
        for reader in readers:
            if reader not in self.lost:
                self.lost.add(reader)
                self.report(DeviceLost(reader, UNPLUGGED, self.now_ns))

    def give_back(self, *readers: str) -> None:
        """These answer again."""
        for reader in readers:
            if reader in self.lost:
                self.lost.discard(reader)
                self.report(DeviceBack(reader, "Reader by hand", self.now_ns))

    # For the judge alone

    @property
    def record(self) -> Match:
        """What the table holds to be true. People cannot see it; only the judge looks here."""
        return self.table._authority.course.match  # noqa: SLF001 - the judge reads its mind

    @property
    def timeline(self) -> Timeline:
        """The actions in force with their labels, as the page of corrections shows them."""
        return self.table._authority.course.timeline  # noqa: SLF001 - what that page shows

    def on_disk(self) -> Match:
        """The record as the file has it, folded anew; call it when the service has ended."""
        journal = Journal(self.folder / RECORD, Clocks(lambda: 0, lambda: datetime.now(UTC), ""))
        try:
            begun = journal.newest()
            assert begun is not None  # noqa: S101 - a game was begun here
            return Course.resume(journal, begun).match
        finally:
            journal.close()
