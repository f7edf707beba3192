"""What a driver reported, one reading after the other, with a deadline for each."""

import queue
import threading
from dataclasses import replace

import pytest

from companion.drivers.api import (
    DeviceBack,
    DeviceLost,
    Reading,
    TagOff,
    TagOn,
    TagUnreadable,
)

LIMIT_S = 20.0
"""Far more than anything takes: a busy machine is no fault of the code."""


class Readings:
    """Is called as the driver's `report`."""

    def __init__(self):
        self._queue = queue.Queue()
        self._held: type[Reading] | None = None
        self._gate = threading.Event()

    def __call__(self, reading: Reading) -> None:
        held = self._held is not None and isinstance(reading, self._held)
        self._queue.put(reading)
        if not held:
            return
        assert self._gate.wait(60), "the test has forgotten to open the gate"

    def hold_at(self, kind: type[Reading]) -> None:
        """Keep the driver's thread inside its next report of this kind until `let_go`."""
        self._held, self._gate = kind, threading.Event()

    def let_go(self) -> None:
        self._held = None
        self._gate.set()

    def next(self, limit_s: float = LIMIT_S) -> Reading:
        try:
            return self._queue.get(timeout=limit_s)
        except queue.Empty:
            pytest.fail(f"no reading within {limit_s} s")

    def take(self, count: int) -> list[Reading]:
        return [self.next() for _ in range(count)]

    def expect_on(self, reader, uid, limit_s: float = LIMIT_S, lay_there=None) -> None:
        """A tag came, or lay there; which of them matters only where it is said."""
        reading = self.next(limit_s)
        assert isinstance(reading, TagOn), reading
        assert (reading.reader, reading.uid) == (reader, uid)
        assert lay_there in (None, reading.lay_there)

    def expect_off(self, reader, uid, limit_s: float = LIMIT_S) -> None:
        assert _timeless(self.next(limit_s)) == TagOff(reader, uid, 0)

    def expect_back(self, reader, hardware, limit_s: float = LIMIT_S) -> None:
        assert _timeless(self.next(limit_s)) == DeviceBack(reader, hardware, 0)

    def expect_lost(self, reader, words, limit_s: float = LIMIT_S) -> None:
        reading = self.next(limit_s)
        assert isinstance(reading, DeviceLost), reading
        assert reading.reader == reader
        assert words in reading.reason

    def expect_unreadable(self, reader, words, limit_s: float = LIMIT_S) -> None:
        reading = self.next(limit_s)
        assert isinstance(reading, TagUnreadable), reading
        assert reading.reader == reader
        assert words in reading.reason

    def expect_all(self, *wanted: Reading) -> None:
        """These, in any order: readings of several readers."""
        found = {_timeless(self.next()) for _ in wanted}
        assert found == {_timeless(reading) for reading in wanted}

    def expect_nothing(self, for_s: float) -> None:
        try:
            reading = self._queue.get(timeout=for_s)
        except queue.Empty:
            return
        pytest.fail(f"{reading} was not expected")


def _timeless(reading):
    return replace(reading, at_ns=0)
