"""How the computer does, as far as a program can read it without rights. Nothing here raises."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

FIRST_YEAR = 2026
"""A clock that tells an earlier year was never set."""

KEEP_S = 5.0
"""Facts are read anew after so long, however many pages ask for them."""

_VCGENCMD_S = 1.0
_UNDER_VOLTAGE_NOW = 1 << 0
_UNDER_VOLTAGE_EVER = 1 << 16
_TOO_HOT_NOW = 1 << 3
_TOO_HOT_EVER = 1 << 19
_UNSYNCHRONISED = 5  # TIME_ERROR of adjtimex(2)


@dataclass(frozen=True, slots=True)
class Machine:
    """What is known of the computer; None where it does not tell.

    Attributes:
        celsius: of the processor.
        under_voltage: `now`, `earlier` (since it was switched on) or `never`.
        too_hot: the processor is slowed down for its heat: `now`, `earlier` or `never`.
        disk_free: bytes left where the record is.
        disk_size: bytes there.
        year_is_right: the clock tells a year that can be.
        synchronised: the clock follows that of the network.
        wifi_dbm: signal of the Wi-Fi; -50 is strong, -80 is weak.
        load: processes that run or want to, on average over the last minute.
        processors: how many there are.
        up_s: for how long it runs.
    """

    celsius: float | None = None
    under_voltage: str | None = None
    too_hot: str | None = None
    disk_free: int | None = None
    disk_size: int | None = None
    year_is_right: bool | None = None
    synchronised: bool | None = None
    wifi_dbm: int | None = None
    load: float | None = None
    processors: int | None = None
    up_s: float | None = None


class MachineFacts:
    """Reads the facts, and keeps them for a moment. Any thread may ask.

    Args:
        data: the folder of the record; None where there is none.
        root: of the file system.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        data: Path | None = None,
        *,
        root: Path = Path("/"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._data = data
        self._root = root
        self._clock = clock
        self._lock = threading.Lock()
        self._read: tuple[float, Machine] | None = None

    def now(self) -> Machine:
        """The facts, at most KEEP_S old."""
        with self._lock:
            if self._read is None or self._clock() - self._read[0] >= KEEP_S:
                self._read = (self._clock(), self._facts())
            return self._read[1]

    def _facts(self) -> Machine:
        free, size = _disk(self._data)
        bits = self._throttled()
        return Machine(
            celsius=self._celsius(),
            under_voltage=_when(bits, _UNDER_VOLTAGE_NOW, _UNDER_VOLTAGE_EVER) or self._rpi_volt(),
            too_hot=_when(bits, _TOO_HOT_NOW, _TOO_HOT_EVER),
            disk_free=free,
            disk_size=size,
            year_is_right=datetime.now(UTC).year >= FIRST_YEAR,
            synchronised=_synchronised(),
            wifi_dbm=self._wifi_dbm(),
            load=_load(),
            processors=os.cpu_count(),
            up_s=_number(self._root / "proc/uptime"),
        )

    def _celsius(self) -> float | None:
        zones = sorted(self._root.glob("sys/class/thermal/thermal_zone*"))
        # That of the processor has "cpu" in its name, on a Pi and on most others.
        zones.sort(key=lambda zone: "cpu" not in _text(zone / "type"))
        found = (_number(zone / "temp") for zone in zones)
        milli = next((value for value in found if value is not None), None)
        return None if milli is None else round(milli / 1000, 1)

    def _throttled(self) -> int | None:
        """The bits by which the firmware of a Pi tells of power and heat."""
        for path in sorted(self._root.glob("sys/devices/platform/soc*/soc*firmware/get_throttled")):
            return _hexadecimal(_text(path))
        told = _vcgencmd() if self._root == Path("/") else ""
        return _hexadecimal(told.partition("=")[2])

    def _rpi_volt(self) -> str | None:
        for monitor in sorted(self._root.glob("sys/class/hwmon/hwmon*")):
            if _text(monitor / "name") == "rpi_volt":
                alarm = _number(monitor / "in0_lcrit_alarm")
                return None if alarm is None else "now" if alarm else "never"
        return None

    def _wifi_dbm(self) -> int | None:
        for line in _text(self._root / "proc/net/wireless").splitlines()[2:]:
            words = line.split()
            try:
                level = round(float(words[3]))
            except (IndexError, ValueError):
                continue
            # Some drivers tell it as a byte of two's complement.
            return level - 256 if level > 0 else level
        return None


def _hexadecimal(text: str) -> int | None:
    try:
        return int(text.strip(), 16)
    except ValueError:
        return None


def _when(bits: int | None, now: int, ever: int) -> str | None:
    if bits is None:
        return None
    return "now" if bits & now else "earlier" if bits & ever else "never"


def _vcgencmd() -> str:
    program = shutil.which("vcgencmd")
    if program is None:
        return ""
    try:
        done = subprocess.run(  # noqa: S603 - nothing of it comes from outside
            [program, "get_throttled"],
            capture_output=True,
            text=True,
            timeout=_VCGENCMD_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def _disk(folder: Path | None) -> tuple[int | None, int | None]:
    if folder is None:
        return None, None
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return None, None
    return usage.free, usage.total


def _synchronised() -> bool | None:
    """Whether the kernel's clock follows another one, whichever program sees to it."""
    try:
        # All zero asks and sets nothing; the structure is shorter than this everywhere.
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(512))
    except (OSError, AttributeError):
        return None
    return None if state < 0 else state != _UNSYNCHRONISED


def _load() -> float | None:
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> float | None:
    words = _text(path).split()
    try:
        return float(words[0])
    except (IndexError, ValueError):
        return None
