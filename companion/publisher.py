"""The newest snapshot, and those who wait for a newer one."""

from __future__ import annotations

import threading
from collections import deque
from typing import Protocol

from companion.snapshot import Moment, Snapshot

KEPT = 256
"""So many snapshots wait for who wants each of them; more than anybody is ever behind."""


class Publishing(Protocol):
    """The table, for those who follow what it publishes."""

    @property
    def snapshot(self) -> Snapshot:
        """The newest one."""
        ...

    @property
    def closed(self) -> bool:
        """Whether the service is ending."""
        ...

    def wait(self, after_revision: int, timeout_s: float) -> Snapshot:
        """The newest snapshot, as soon as it is newer than that revision or time is over."""
        ...

    def since(self, after_revision: int, timeout_s: float) -> tuple[Snapshot, ...]:
        """The snapshots after that revision, as soon as there are some or time is over."""
        ...


class Publisher:
    """The table's thread publishes; anybody may read and wait."""

    def __init__(self) -> None:
        self._published = threading.Condition()
        self._moment: Moment | None = None
        self._kept: deque[Snapshot] = deque(maxlen=KEPT)
        self.closed = False

    @property
    def snapshot(self) -> Snapshot:
        """The newest one. There is one before the table is started."""
        return self.moment.snapshot

    @property
    def moment(self) -> Moment:
        """The newest snapshot with what each player may see of the same moment."""
        if self._moment is None:
            raise RuntimeError("Nothing was published yet.")
        return self._moment

    def publish(self, moment: Moment) -> None:
        """Make it the newest one, and wake those who wait."""
        with self._published:
            self._moment = moment
            self._kept.append(moment.snapshot)
            self._published.notify_all()

    def close(self) -> None:
        """Nothing newer will come: nobody waits any more."""
        with self._published:
            self.closed = True
            self._published.notify_all()

    def wait(self, after_revision: int, timeout_s: float) -> Snapshot:
        """Wait for a newer revision, the end, or the end of the time; the newest in any case."""
        with self._published:
            self._wait(after_revision, timeout_s)
            return self.snapshot

    def since(self, after_revision: int, timeout_s: float) -> tuple[Snapshot, ...]:
        """Wait as `wait` does; every snapshot of a newer revision, oldest first.

        Of more than `KEPT` the newest are there.
        """
        with self._published:
            self._wait(after_revision, timeout_s)
            return tuple(each for each in self._kept if each.revision > after_revision)

    def _wait(self, after_revision: int, timeout_s: float) -> None:
        self._published.wait_for(
            lambda: self.closed or self.snapshot.revision > after_revision, timeout_s
        )
