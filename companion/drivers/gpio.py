"""Pins of a Raspberry Pi: the ship's tilt switch, buttons, a buzzer or a lamp, by gpiozero.

A switch that is hit or pressed closes and opens some times before it rests. So its level is
sampled a hundred times a second and believed when it has stayed: what gpiozero offers for
this differs from one kind of pins to the next.
"""

from __future__ import annotations

import logging
import os
import tempfile
import threading
import warnings
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias
from urllib.parse import parse_qsl

from companion.drivers.api import (
    Attitude,
    ButtonPressed,
    Clock,
    DeviceBack,
    DeviceLost,
    Driver,
    DriverError,
    DriverMissing,
    DriverName,
    Reading,
    Report,
    Sign,
)
from companion.said import say

logger = logging.getLogger(__name__)

_Untyped: TypeAlias = Any
"""Something of gpiozero, which has no types."""

MS = 1_000_000
SAMPLE_S = 0.01
RETRY_S = 1.0
CLOSE_LIMIT_S = 0.9

TILT_NS = 100 * MS
"""A tilt switch is believed after this time: its ball may bounce for 200 ms, with pauses."""

PRESS_NS = 30 * MS
RELEASE_NS = 250 * MS
"""A button is pressed soon and released late, so that one press is never two."""

ARMED_BEAT_NS = 20 * MS
BEAT_NS = 500 * MS
"""How often the attitude is told though nothing has changed: in an alarm, and otherwise."""

PATTERNS: Mapping[Sign, tuple[float, ...]] = {
    "accepted": (0.1,),
    "refused": (0.7,),
    "your-turn": (0.1, 0.1, 0.1),
    "alarm": (0.3, 0.15, 0.3, 0.15, 0.3, 0.15, 0.3),
}
"""Each sign as seconds of on, off, on, and so on: short, long, twice short, four times."""

PAUSE_S = 0.2
LONGEST_QUEUE = 3

INPUTS = ("tilt", "stop", "undo", "shuffle")
OUTPUTS = ("buzzer", "led")
SAYS = (
    "gpio: takes the BCM number of a pin from 0 to 27, such as gpio:17, gpio:17?upright=high, "
    "gpio:22?kind=stop (or undo, shuffle), gpio:27?kind=buzzer or gpio:5?kind=led&at=pcsc-1"
)


class Debounce:
    """A level that is believed when it has stayed the same for a while.

    Args:
        on_ns: how long it has to be on.
        off_ns: how long it has to be off.

    Attributes:
        level: what is believed; None until the first level has stayed.
    """

    def __init__(self, on_ns: int, off_ns: int) -> None:
        self.level: bool | None = None
        self._limits_ns = (off_ns, on_ns)
        self._seen: bool | None = None
        self._since_ns = 0

    def sampled(self, level: bool, now_ns: int) -> bool:  # noqa: FBT001 - it is all there is
        """Take a sample; whether the believed level has just become another."""
        if level != self._seen:
            self._seen, self._since_ns = level, now_ns
        if level == self.level or now_ns - self._since_ns < self._limits_ns[level]:
            return False
        was_known = self.level is not None
        self.level = level
        return was_known


class TiltSwitch:
    """The attitude of a ship with a tilt switch, from the level of its pin.

    In an alarm each change of a sample is told at once: the chatter of a ship that is hit is
    how its judge feels the ball, and the judge itself waits until it rests. Otherwise it is
    debounced.

    Attributes:
        armed: an alarm runs: the attitude is told 50 times a second, too.
    """

    def __init__(self, reader: str, *, upright_low: bool) -> None:
        self.armed = False
        self._reader = reader
        self._upright_low = upright_low
        self._upright = Debounce(TILT_NS, TILT_NS)
        self._told: bool | None = None
        self._told_ns = 0

    def sampled(self, now_ns: int, *, low: bool) -> Attitude | None:
        """Take a sample; the attitude when it is to be told."""
        raw = low == self._upright_low
        self._upright.sampled(raw, now_ns)
        upright = raw if self.armed else self._upright.level
        if upright is None:
            return None
        beat_ns = ARMED_BEAT_NS if self.armed else BEAT_NS
        if upright == self._told and now_ns - self._told_ns < beat_ns:
            return None
        self._told, self._told_ns = upright, now_ns
        x_mg, z_mg = (0, 1000) if upright else (1000, 0)
        return Attitude(self._reader, x_mg, 0, z_mg, now_ns)


class Button:
    """Presses of a button, from the level of its pin; one that is held at the start is none."""

    def __init__(self, reader: str, button: str) -> None:
        self._reader = reader
        self._button = button
        self._pressed = Debounce(PRESS_NS, RELEASE_NS)

    def sampled(self, now_ns: int, *, low: bool) -> ButtonPressed | None:
        """Take a sample; the press when it has just happened."""
        if self._pressed.sampled(low, now_ns) and self._pressed.level:
            return ButtonPressed(self._reader, self._button, now_ns)
        return None


class _Sensed(Protocol):
    def sampled(self, now_ns: int, *, low: bool) -> Reading | None: ...


class _Pin(Driver):
    """One pin, watched by a thread that goes on after every failure."""

    def __init__(self, pin: int, what: str) -> None:
        self.reader = f"gpio-{pin}"
        self._pin = pin
        self._what = what
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self, report: Report, clock: Clock) -> None:
        """Start to use the pin; returns at once.

        Raises:
            DriverMissing: gpiozero is not installed, or finds no way to the pins.
            DriverError: it is open already.
        """
        if self._thread is not None:
            raise DriverError(f"Pin {self._pin} is open already: close it first.")
        library = _library()
        self._stopping.clear()
        self._thread = threading.Thread(
            target=self._supervise, args=(library, report, clock), name=self.reader, daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop at once and give the pin back."""
        thread, self._thread = self._thread, None
        self._stopping.set()
        if thread is not None:
            thread.join(CLOSE_LIMIT_S)

    def _supervise(self, library: _Untyped, report: Report, clock: Clock) -> None:
        lost = False
        while not self._stopping.is_set():
            try:
                with self._device(library) as device:
                    ways = type(library.Device.pin_factory).__name__.removesuffix("Factory")
                    report(DeviceBack(self.reader, f"{self._what} ({ways})", clock()))
                    lost = False
                    self._serve(device, report, clock)
            except Exception as error:  # noqa: BLE001 - each kind of pins has errors of its own
                if not lost:
                    lost = True
                    reason = say(
                        "Pin %(pin)s cannot be used (%(error)s): see that nothing else uses it. It is tried "
                        "again by itself.",
                        pin=self._pin,
                        error=f"{error}",
                    )
                    logger.warning("%s: lost. %s", self.reader, reason)
                    report(DeviceLost(self.reader, reason, clock()))
                self._stopping.wait(RETRY_S)

    @abstractmethod
    def _device(self, library: _Untyped) -> _Untyped:
        """The pin as gpiozero has it."""

    @abstractmethod
    def _serve(self, device: _Untyped, report: Report, clock: Clock) -> None:
        """Use it until the driver stops."""


class _Input(_Pin):
    """A switch between the pin and ground; the pin is pulled up inside the Pi."""

    @abstractmethod
    def _sensed(self) -> _Sensed:
        """What the samples are told to, anew after each failure."""

    def _device(self, library: _Untyped) -> _Untyped:
        return library.InputDevice(self._pin, pull_up=True)

    def _serve(self, device: _Untyped, report: Report, clock: Clock) -> None:
        sensed = self._sensed()
        while not self._stopping.wait(SAMPLE_S):
            reading = sensed.sampled(clock(), low=bool(device.is_active))
            if reading is not None:
                report(reading)


class TiltDriver(_Input):
    """The ship's tilt switch."""

    def __init__(self, pin: int, *, upright_low: bool) -> None:
        super().__init__(pin, f"Tilt switch on pin {pin}")
        self._upright_low = upright_low
        self._armed = False
        self._switch: TiltSwitch | None = None

    def signal(self, reader: str, sign: Sign) -> None:
        """A switch has nothing to tell with."""

    def arm(self, *, armed: bool) -> None:
        """An alarm runs, or has ended."""
        self._armed = armed
        if self._switch is not None:
            self._switch.armed = armed

    def _sensed(self) -> _Sensed:
        self._switch = TiltSwitch(self.reader, upright_low=self._upright_low)
        self._switch.armed = self._armed
        return self._switch


class ButtonDriver(_Input):
    """A button that does what the control token of its name does."""

    def __init__(self, pin: int, button: str) -> None:
        super().__init__(pin, f"Button {button} on pin {pin}")
        self._button = button

    def _sensed(self) -> _Sensed:
        return Button(self.reader, self._button)


class SignDriver(_Pin):
    """A buzzer or a lamp; each sign has a pattern of its own.

    Args:
        at: the readers at whose place it stands; empty for the whole table.
    """

    def __init__(self, pin: int, kind: str, at: frozenset[str]) -> None:
        super().__init__(pin, f"{'LED' if kind == 'led' else 'Buzzer'} on pin {pin}")
        self._at = at
        self._changed = threading.Condition()
        self._waiting: list[Sign] = []

    def signal(self, reader: str, sign: Sign) -> None:
        """Tell this soon, unless it is being told or waits already."""
        if self._at and reader not in self._at:
            return
        with self._changed:
            if sign not in self._waiting and len(self._waiting) < LONGEST_QUEUE:
                self._waiting.append(sign)
                self._changed.notify()

    def arm(self, *, armed: bool) -> None:
        """It looks at no ship."""

    def close(self) -> None:
        """Be dark and silent at once, and give the pin back."""
        self._stopping.set()
        with self._changed:
            self._changed.notify()
        super().close()

    def _device(self, library: _Untyped) -> _Untyped:
        return library.OutputDevice(self._pin)

    def _serve(self, device: _Untyped, report: Report, clock: Clock) -> None:
        del report, clock
        while not self._stopping.is_set():
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._stopping.is_set())
                if not self._waiting:
                    return
                sign = self._waiting[0]
            for number, seconds in enumerate((*PATTERNS[sign], PAUSE_S)):
                device.value = number % 2 == 0 and number < len(PATTERNS[sign])
                if self._stopping.wait(seconds):
                    break
            device.off()
            with self._changed:
                self._waiting.pop(0)


def make(spec: str) -> Driver:
    """The driver for what stands behind `gpio:`, such as `17`, `22?kind=stop`, `5?kind=led`.

    Raises:
        DriverName: there is no such pin or kind of thing.
    """
    number, _, query = spec.partition("?")
    try:
        options = dict(parse_qsl(query, strict_parsing=True)) if query else {}
    except ValueError:
        options = {"": query}
    kind = options.pop("kind", "tilt")
    right_pin = number.isascii() and number.isdecimal() and int(number) <= 27
    if not right_pin or kind not in (*INPUTS, *OUTPUTS):
        raise DriverName(f"{SAYS}, and not gpio:{spec}.")
    pin = int(number)
    driver: Driver
    if kind == "tilt":
        upright = options.pop("upright", "low")
        if upright not in ("low", "high"):
            raise DriverName(
                f"The level of an upright ship is low or high, and not {upright!r}: {SAYS}."
            )
        driver = TiltDriver(pin, upright_low=upright == "low")
    elif kind in INPUTS:
        driver = ButtonDriver(pin, kind)
    else:
        at = options.pop("at", "")
        driver = SignDriver(pin, kind, frozenset(filter(None, at.split(","))))
    if options:
        raise DriverName(f"A pin of kind {kind} takes no {next(iter(options))!r}: {SAYS}.")
    return driver


def _library() -> _Untyped:
    """gpiozero, with a way to the pins.

    Raises:
        DriverMissing: not installed, or nothing under it that reaches the pins.
    """
    if not os.access(os.curdir, os.W_OK):
        # lgpio makes a pipe in the working directory, which a service may not write to.
        os.environ.setdefault("LG_WD", tempfile.gettempdir())
    try:
        import gpiozero  # noqa: PLC0415
    except ImportError as error:
        raise DriverMissing(
            say(
                "Pins need gpiozero, and Python cannot import it (%(error)s): install it with "
                ".venv/bin/pip install gpiozero lgpio, and start again.",
                error=f"{error}",
            )
        ) from error
    try:
        with warnings.catch_warnings(record=True) as tried:
            warnings.simplefilter("always")
            gpiozero.Device.ensure_pin_factory()
    except Exception as error:
        raise DriverMissing(
            say(
                "gpiozero finds no way to the pins of this machine (%(error)s): on a Raspberry Pi "
                "install lgpio with .venv/bin/pip install lgpio, let this user use the pins (group "
                "gpio), and start again.",
                error=f"{error}",
            )
        ) from error
    for warning in tried:
        logger.info("gpiozero: %s", warning.message)
    return gpiozero
