"""The clocks of the machine, handed in wherever time matters."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

CLOCK_KNOWN_FROM = "2025-01-01"
"""A wall clock that says an earlier day was not set: a Pi has no battery."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Clocks:
    """Time as the record keeps it.

    Attributes:
        monotonic_ns: for every delay and order; never goes back, starts anew at each boot.
        wall: for people; a Pi without a battery may be wrong by years.
        boot: names the boot that the monotonic time belongs to.
    """

    monotonic_ns: Callable[[], int]
    wall: Callable[[], datetime]
    boot: str


def machine_clocks() -> Clocks:
    """The real ones."""
    boot = BOOT_ID.read_text().strip() if BOOT_ID.exists() else "unknown"
    return Clocks(time.monotonic_ns, lambda: datetime.now(UTC), boot)
