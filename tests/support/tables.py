"""A table on a real SQLite file, with clocks that a test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from companion.clocks import Clocks
from companion.drivers.api import TagOff, TagOn
from companion.match import Setup
from companion.record.journal import Journal
from companion.ship import Thresholds
from companion.snapshot import Snapshot, Source
from companion.table import Table

API = Source("api")
TWO = Setup("tentacles", ("Ann", "Bo"))
SECOND_NS = 1_000_000_000


@dataclass
class Hands:
    """Somebody who lays tags on readers, with time passing in between."""

    table: Table
    now_ns: int = 0
    reader: str = "r1"
    uids: dict[str, str] = field(default_factory=dict)

    def lay(self, uid: str, *, reader: str | None = None, after_s: float = 2) -> Snapshot:
        self.now_ns += int(after_s * SECOND_NS)
        self.table.report(TagOn(reader or self.reader, uid, self.now_ns))
        return self.table.settle()

    def lift(self, uid: str, *, reader: str | None = None, after_s: float = 0.5) -> Snapshot:
        self.now_ns += int(after_s * SECOND_NS)
        self.table.report(TagOff(reader or self.reader, uid, self.now_ns))
        return self.table.settle()

    def tap(self, uid: str, *, reader: str | None = None, after_s: float = 2) -> Snapshot:
        self.lay(uid, reader=reader, after_s=after_s)
        return self.lift(uid, reader=reader)


def still_clocks() -> Clocks:
    return Clocks(lambda: 0, lambda: datetime(2026, 1, 1, tzinfo=UTC), "boot")


@contextmanager
def running(
    folder: Path,
    setup: Setup = TWO,
    *,
    tags: Mapping[str, str] | None = None,
    look_up: Callable[[str], str | None] | None = None,
    fresh: bool = False,
    clock: Callable[[], int] = lambda: 0,
    thresholds: Thresholds | None = None,
    stations: Mapping[str, str] | None = None,
    clocks: Clocks | None = None,
) -> Iterator[Table]:
    """A started table on the record in `folder`; closed at the end."""
    folder.mkdir(exist_ok=True)
    journal = Journal(folder / "table.sqlite", clocks or still_clocks())
    table = Table(
        journal,
        look_up or (tags or {}).get,
        lambda: setup,
        fresh=fresh,
        clock=clock,
        thresholds=thresholds,
        stations=stations,
    )
    table.start()
    try:
        yield table
    finally:
        table.close()
        journal.close()
