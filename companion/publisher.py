"""The newest snapshot, and those who wait for a newer one."""

from __future__ import annotations

import threading

from companion.snapshot import Snapshot


class Publisher:
    """The table's thread publishes; anybody may read and wait."""

    def __init__(self) -> None:
        self._published = threading.Condition()
        self._snapshot: Snapshot | None = None
        self.closed = False

    @property
    def snapshot(self) -> Snapshot:
        """The newest one. There is one before the table is started."""
        if self._snapshot is None:
            raise RuntimeError("Nothing was published yet.")
        return self._snapshot

    def publish(self, snapshot: Snapshot) -> None:
        """Make it the newest one, and wake those who wait."""
        with self._published:
            self._snapshot = snapshot
            self._published.notify_all()

    def close(self) -> None:
        """Nothing newer will come: nobody waits any more."""
        with self._published:
            self.closed = True
            self._published.notify_all()

    def wait(self, after_revision: int, timeout_s: float) -> Snapshot:
        """Wait for a newer revision, the end, or the end of the time; the newest in any case."""
        with self._published:
            self._published.wait_for(
                lambda: self.closed or self.snapshot.revision > after_revision, timeout_s
            )
            return self.snapshot
