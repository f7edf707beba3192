"""From a tag that enters the field of a simulated PN532 to `TagOn`, and from its leaving to `TagOff`.

The driver runs as it does at a table, with pyserial on a pseudo terminal. Beside it stands
what it cannot beat: a loop that does nothing but look, and believes whatever it sees at once.
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
from companion.drivers.pn532 import Pn532Driver
from hardware_sim.pn532_chip import Pn532Chip
from hardware_sim.pty import DeviceOnPty
from hardware_sim.tags import make_tag
from tests.benchmarks.report import Aim, Row, percentile

UID = "04A3C6CAE26180"
LIMIT_S = 10.0
REST_S = 0.2
ON_AIM_MS, OFF_AIM_MS = 150.0, 1000.0
FLOOR_NAME = "the first look of a bare loop"

SET_UP = (
    "5555" + 14 * "00" + "0000FF03FDD414011700",
    "0000FF06FAD43205FF0101F400",
)
LOOK = bytes.fromhex("0000FF04FCD44A0100E100")
FIELD_OFF = bytes.fromhex("0000FF04FCD4320100F900")
NO_TARGET = bytes.fromhex("0000FF00FF000000FF03FDD54B00E000")


def measure(*, quick: bool) -> list[Row]:
    taps = 4 if quick else 16
    ons, offs = _driver(taps)
    bare = bare_taps(5 * taps)
    return [
        Row(
            "tag in the field to TagOn, median",
            percentile(ons, 50),
            "ms",
            percentile(bare, 50),
            FLOOR_NAME,
        ),
        Row(
            "tag in the field to TagOn, worst",
            max(ons),
            "ms",
            max(bare),
            FLOOR_NAME,
            Aim(ON_AIM_MS),
        ),
        Row(
            "tag out of the field to TagOff, worst",
            max(offs),
            "ms",
            aim=Aim(OFF_AIM_MS),
            note="A tag is off after 18 looks in a row that saw nothing, so that one that lies "
            "badly is not.",
        ),
    ]


@contextmanager
def chip_on_pty() -> Iterator[tuple[Pn532Chip, str]]:
    with tempfile.TemporaryDirectory() as folder:
        chip = Pn532Chip()
        with DeviceOnPty(chip, Path(folder) / "serial0") as device:
            yield chip, device.path


def _driver(taps: int) -> tuple[Sequence[float], Sequence[float]]:
    """Milliseconds from entering to `TagOn`, and from leaving to `TagOff`."""
    chance = random.Random(1)
    readings: queue.Queue[Reading] = queue.Queue()
    ons, offs = [], []
    with chip_on_pty() as (chip, path):
        driver = Pn532Driver(path)
        driver.open(readings.put, time.monotonic_ns)
        try:
            _next(readings, DeviceBack)
            tag = make_tag(bytes.fromhex(UID))
            for _ in range(taps):
                # The tag comes at any moment between two looks, in a field at rest.
                threading.Event().wait(REST_S + chance.uniform(0, 0.5))
                ons.append(_milliseconds(lambda: chip.put(tag), readings, TagOn))
                threading.Event().wait(REST_S + chance.uniform(0, 0.5))
                offs.append(_milliseconds(lambda: chip.take(tag), readings, TagOff))
        finally:
            driver.close()
    return ons, offs


def _milliseconds(
    act: Callable[[], None], readings: queue.Queue[Reading], kind: type[Reading]
) -> float:
    began_s = time.perf_counter()
    act()
    _next(readings, kind)
    return 1000 * (time.perf_counter() - began_s)


def _next(readings: queue.Queue[Reading], kind: type[Reading]) -> None:
    reading = readings.get(timeout=LIMIT_S)
    if not isinstance(reading, kind):
        raise TypeError(f"{reading} came where {kind.__name__} was expected")


def bare_taps(taps: int) -> Sequence[float]:
    """Milliseconds from entering to the first look that sees it."""
    figures = []
    chance = random.Random(2)
    tag = make_tag(bytes.fromhex(UID))
    with chip_on_pty() as (chip, path), serial.Serial(path, timeout=LIMIT_S) as port:
        for command in SET_UP:
            port.write(bytes.fromhex(command))
            port.read(15)
        for _ in range(taps):
            _asked(port, FIELD_OFF, 15)
            laid = threading.Timer(chance.uniform(0.02, 0.1), _put, [chip, tag, began := []])
            laid.start()
            while _asked(port, LOOK, len(NO_TARGET)) == NO_TARGET:
                pass
            figures.append(1000 * (time.perf_counter() - began[0]))
            laid.join()
            port.timeout = 0.05
            port.read(64)
            port.timeout = LIMIT_S
            chip.take(tag)
    return figures


def _put(chip: Pn532Chip, tag: object, began: list[float]) -> None:
    began.append(time.perf_counter())
    chip.put(tag)


def _asked(port: serial.Serial, command: bytes, answer_bytes: int) -> bytes:
    port.write(command)
    return bytes(port.read(answer_bytes))
