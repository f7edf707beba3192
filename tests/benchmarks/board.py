"""From a tag that enters the field at a place of a board to `TagOn`, and how often each is looked at.

The board is the real firmware in the real MicroPython, with simulated chips on its pins,
and its driver runs as it does at a table, with pyserial on a pseudo terminal. One place
looks at a time, so of eight places each waits for seven others. Beside it stands a loop
that does nothing but look, at one chip without a board.
"""

from __future__ import annotations

import queue
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import serial

from companion.drivers.api import DeviceBack, Reading, TagOff, TagOn
from companion.drivers.bridge import BridgeDriver
from hardware_sim.board.simulated_board import NoMicroPython, SimulatedBoard
from hardware_sim.board.world import World
from tests.benchmarks.pn532 import (
    FIELD_OFF,
    FLOOR_NAME,
    LOOK,
    NO_TARGET,
    SET_UP,
    UID,
    bare_taps,
    chip_on_pty,
)
from tests.benchmarks.report import Row, percentile

BOARDS = (("PN532", "pn532-spi", 1), ("PN532", "pn532-spi", 8), ("RC522", "rc522", 8))
"""The chip, what the settings of the board call it, and how many places there are."""

LIMIT_S = 10.0
LOOK_FLOOR_NAME = "a bare loop, shared by as many"


def measure(*, quick: bool) -> list[Row]:
    looks_s = 1.0 if quick else 1.5
    rows: list[Row] = []
    try:
        bare_looks = _bare_looks(looks_s)
        bare = bare_taps(8 if quick else 24)
        for chip, reader, places in BOARDS:
            # A tag takes a second to be off, and where there is one place that is waited for.
            taps = (2 if quick else 6) if places == 1 else (4 if quick else 12)
            looks, ons = _board(reader, places, taps, looks_s)
            name = f"looks at each of {places} {chip}"
            if chip == "PN532":
                rows.append(Row(name, looks, "/s", bare_looks / places, LOOK_FLOOR_NAME))
            else:
                rows.append(Row(name, looks, "/s"))  # the loop says nothing of another chip
            for which, percent in (("median", 50), ("worst", 100)):
                name = f"tag at one of {places} {chip} to TagOn, {which}"
                floor = percentile(bare, percent)
                rows.append(Row(name, percentile(ons, percent), "ms", floor, FLOOR_NAME))
    except NoMicroPython as missing:
        return [Row("tag at a place to TagOn", None, "ms", note=f"No board: {missing}")]
    return rows


def _board(reader: str, places: int, taps: int, looks_s: float) -> tuple[float, Sequence[float]]:
    """Looks a second at the place that gets the fewest, and milliseconds to each `TagOn`."""
    with _watched(reader, places) as watch:
        return watch.looks(looks_s), [watch.tap(number % places) for number in range(taps)]


def _bare_looks(for_s: float) -> float:
    """Looks a second where nothing lies, the field off before each as the firmware has it."""
    with chip_on_pty() as (_, path), serial.Serial(path, timeout=LIMIT_S) as port:
        for command in SET_UP:
            port.write(bytes.fromhex(command))
            port.read(15)
        count, began_s = 0, time.perf_counter()
        while time.perf_counter() - began_s < for_s:
            for command, answer_bytes in ((FIELD_OFF, 15), (LOOK, len(NO_TARGET))):
                port.write(command)
                port.read(answer_bytes)
            count += 1
        return count / (time.perf_counter() - began_s)


@contextmanager
def _watched(reader: str, places: int) -> Iterator[_Watch]:
    """A board whose places have all answered."""
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / "board"
        with SimulatedBoard(link, places, reader=reader) as board:
            watch = _Watch(board.world)
            driver = BridgeDriver(board.path)
            driver.open(watch.report, time.monotonic_ns)
            try:
                watch.until(lambda: watch.found == places)
                yield watch
            finally:
                driver.close()


class _Watch:
    """The places of a board, and what its driver has reported of them.

    Attributes:
        found: how many places have answered.
    """

    def __init__(self, world: World) -> None:
        self.found = 0
        self._world = world
        self._on: set[str] = set()
        self._chance = random.Random(1)
        self._readings: queue.SimpleQueue[Reading] = queue.SimpleQueue()
        self.report = self._readings.put

    def until(self, condition: Callable[[], bool]) -> None:
        """Hear what is reported until this holds."""
        while not condition():
            match self._readings.get(timeout=LIMIT_S):
                case DeviceBack(reader=reader):
                    self.found += "/" in reader  # and not the board itself
                case TagOn(reader=reader):
                    self._on.add(reader)
                case TagOff(reader=reader):
                    self._on.discard(reader)
                case other:
                    raise TypeError(f"{other} was not expected")

    def looks(self, for_s: float) -> float:
        """Looks a second at the place that gets the fewest."""
        before, began_s = list(self._world.looks), time.perf_counter()
        threading.Event().wait(for_s)
        counts = [now - then for now, then in zip(self._world.looks, before, strict=True)]
        return min(counts) / (time.perf_counter() - began_s)

    def tap(self, place: int) -> float:
        """Milliseconds from a tag's entering to its `TagOn`."""
        reader, uid = f"bridge-1/{place}", bytes.fromhex(UID)
        self.until(lambda: reader not in self._on)
        # The tag comes at any moment of a round.
        threading.Event().wait(self._chance.uniform(0.1, 0.4))
        began_s = time.perf_counter()
        self._world.put(place, uid)
        self.until(lambda: reader in self._on)
        took_s = time.perf_counter() - began_s
        self._world.take(place, uid)
        return 1000 * took_s
