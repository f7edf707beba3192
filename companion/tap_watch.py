"""One card on every reader of a table that runs: what they read is compared, and not played."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from companion.doctor.taps import HOLD_S, S, Taps, in_json
from companion.drivers.api import (
    Clock,
    DeviceBack,
    Reading,
    SeveralTags,
    TagOff,
    TagOn,
    TagUnreadable,
)

LEASE_S = 10.0
"""Whoever compares asks how it stands; who does not any more has gone, and the game goes on."""


class TapWatch:
    """Compares the readers while somebody asks for it. For any thread; no UID leaves it.

    Args:
        clock: the one that readings are stamped with.
        answering: gives the readers that answer now.
        hold_s: how long the card lies on each reader.
    """

    def __init__(
        self,
        clock: Clock,
        answering: Callable[[], Iterable[DeviceBack]] = tuple,
        hold_s: float = HOLD_S,
    ) -> None:
        self._clock = clock
        self._answering = answering
        self._hold_s = hold_s
        self._lock = threading.Lock()
        self._taps: Taps | None = None
        self._until_ns = 0
        self._lying: set[str] = set()

    def begin(self) -> None:
        """Compare from now on."""
        answering = tuple(self._answering())
        with self._lock:
            self._taps = Taps(self._hold_s)
            self._lying = set()
            now_ns = self._clock()
            for reading in answering:
                self._taps.heard(reading, now_ns)
            self._until_ns = now_ns + round(LEASE_S * S)

    def end(self) -> None:
        """Compare no more."""
        with self._lock:
            self._until_ns = 0

    def takes(self, reading: Reading) -> bool:
        """Whether this reading is for the comparison alone, and the table must not hear it."""
        with self._lock:
            now_ns = self._clock()
            runs = self._taps is not None and now_ns < self._until_ns
            if runs and self._taps is not None:
                self._taps.heard(reading, now_ns)
            match reading:
                case TagOn(reader=reader) if runs:
                    self._lying.add(reader)
                case TagOff(reader=reader) if reader in self._lying:
                    # The table did not hear that it came, so it does not hear that it goes.
                    self._lying.discard(reader)
                    return True
                case TagOff():
                    return False
            return runs and isinstance(reading, TagOn | SeveralTags | TagUnreadable)

    def now(self) -> dict[str, Any]:
        """How it stands, as JSON; to ask is to go on."""
        with self._lock:
            now_ns = self._clock()
            taps = self._taps
            runs = taps is not None and now_ns < self._until_ns
            if taps is None:
                return {"running": False, "missing": [], "lying": {}, **in_json(())}
            if runs:
                self._until_ns = now_ns + round(LEASE_S * S)
                taps.look(now_ns)
            ends = {reader: taps.end_of(reader) for reader in taps.readers}
            return {
                "running": runs,
                "missing": list(taps.missing),
                "lying": {reader: end for reader, end in ends.items() if end},
                **in_json(taps.verdicts()),
            }
