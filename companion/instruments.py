"""What diagnostics are read from, handed to the pages by the service."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from companion.log_tail import LogTail
from companion.machine import MachineFacts
from companion.passages import Passages
from companion.tap_watch import TapWatch


def _none(reader: str) -> bool:
    del reader
    return False


def _no_bus(reader: str) -> str:
    del reader
    return ""


@dataclass(frozen=True, slots=True)
class Instruments:
    """All of them; each may be read by any thread.

    Attributes:
        passages: what passed the links of the chain.
        tail: the last warnings of the log.
        machine: how the computer does.
        restart: starts the driver of a reader again; False when there is no such reader.
        bus_of: the name by which the driver of a reader was asked for.
        taps: compares the readers while somebody asks for it.
    """

    passages: Passages = field(default_factory=lambda: Passages(time.monotonic_ns))
    tail: LogTail = field(default_factory=LogTail)
    machine: MachineFacts = field(default_factory=MachineFacts)
    restart: Callable[[str], bool] = _none
    bus_of: Callable[[str], str] = _no_bus
    taps: TapWatch = field(default_factory=lambda: TapWatch(time.monotonic_ns))
