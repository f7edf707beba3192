"""The world behind the pins of a simulated board: it answers what the stub `machine` asks.

See `hardware_sim/board/stubs/world.py` for the other end of the line.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from firmware_bridge.board import PINS
from hardware_sim.board.parts import I2cSensor, Pn532Antenna, Rc522Antenna

UPRIGHT = (0, 0, 1000)

Light = tuple[int, int, int]


def now_ms() -> int:
    """Milliseconds of the machine's monotonic clock."""
    return time.monotonic_ns() // 1_000_000


class World:
    """What hangs on the board, and what happens to it. By any thread.

    Args:
        pins: which of the board's tables of pins, such as `pico`.
        reader: `pn532-spi`, `pn532-uart` or `rc522`.
        places: how many readers.
        ship: `none`, `tilt-switch` or the name of an accelerometer.
        on_reset: called when the firmware resets the board.

    Attributes:
        antennas: the reader at each place.
        sensor: the ship's accelerometer, if it has one.
        shown: all lights and tones there were: place, what, in order.
        looks: how often the field at each place went on.
        changed: notified whenever something is shown, or a field goes on or off.
        on_shown: called then, with the same.
        crowded: how often a field was on while a neighbour's was.
    """

    def __init__(
        self, pins: str, reader: str, places: int, ship: str, on_reset: Callable[[], None]
    ) -> None:
        table = PINS[pins]
        self._lock = threading.RLock()
        self.changed = threading.Condition(self._lock)
        self.antennas: list[Pn532Antenna | Rc522Antenna] = [
            Rc522Antenna() if reader == "rc522" else Pn532Antenna() for _ in range(places)
        ]
        self.sensor = None if ship in ("none", "tilt-switch") else I2cSensor(ship)
        self._tilted = False
        self._selects = dict(zip(table["select"], self.antennas, strict=False))  # type: ignore[call-overload]
        self._uarts = {
            wires["id"]: antenna
            for wires, antenna in zip(table["uart"], self.antennas, strict=False)  # type: ignore[call-overload]
            if reader == "pn532-uart"
        }
        self._buttons = dict.fromkeys(table["buttons"][:places], False)  # type: ignore[index]
        self._button_pins: tuple[int, ...] = table["buttons"][:places]  # type: ignore[index]
        self._buzzer_pins: tuple[int, ...] = table["buzzers"][:places]  # type: ignore[index]
        self._tilt_pin = table["tilt"] if ship == "tilt-switch" else None
        self._selected: Pn532Antenna | Rc522Antenna | None = None
        self._on_reset = on_reset
        self._colours: list[Light] = [(0, 0, 0)] * places
        self._tones: dict[int, int] = {}
        self.shown: list[tuple[int, Light | int]] = []
        self.on_shown: Callable[[int, Light | int], None] | None = None
        self.crowded = 0
        self.looks = [0] * places
        self._sent = [False] * places
        self._broken = False

    # --- from the table's side --------------------------------------------------------

    def put(self, place: int, uid: bytes) -> None:
        """Lay a tag at a place."""
        with self._lock:
            self.antennas[place].put(uid)

    def take(self, place: int, uid: bytes) -> None:
        """Take it away."""
        with self._lock:
            self.antennas[place].take(uid)

    def tilt(self, axes: tuple[int, int, int]) -> None:
        """What the ship feels, in thousandths of g; a tilt switch opens above 45 degrees."""
        with self._lock:
            x, y, z = axes
            self._tilted = z * abs(z) < x * x + y * y
            if self.sensor is not None:
                self.sensor.axes = axes

    def hold(self, place: int, *, down: bool) -> None:
        """Press the button of a place, or let it go."""
        with self._lock:
            self._buttons[self._button_pins[place]] = down

    def silence(self, place: int, *, on: bool = True) -> None:
        """Take the power from a place's chip, or give it back: then it has forgotten all."""
        with self._lock:
            self.antennas[place].silent = on
            self.antennas[place].brown_out()

    def dark(self) -> None:
        """The board has no power: its lights are out, and nothing is selected."""
        with self._lock:
            self._selected = None
            self._colours = [(0, 0, 0)] * len(self._colours)
            self._tones = {}

    def wait_for_looks(self, place: int, count: int, limit_s: float = 60.0) -> bool:
        """Whether the field at a place goes on so many times more within the limit."""
        with self.changed:
            wanted = self.looks[place] + count
            return self.changed.wait_for(lambda: self.looks[place] >= wanted, limit_s)

    def break_next_answer(self) -> None:
        """Answer the board's next question about a bus with too much, which its driver rejects."""
        with self._lock:
            self._broken = True

    # --- from the board's side --------------------------------------------------------

    def serve(self, connection: socket.socket) -> None:
        """Answer one board until it hangs up."""
        with connection, connection.makefile("rb") as requests, suppress(ConnectionError):
            while len(head := requests.read(2)) == 2:
                request = requests.read(struct.unpack(">H", head)[0])
                if not request:
                    return
                if request == b"R":
                    self._on_reset()
                    return
                with self._lock:
                    answer = self._answer(request[:1], request[1:])
                connection.sendall(struct.pack(">H", len(answer)) + answer)

    def _answer(self, letter: bytes, data: bytes) -> bytes:
        match letter:
            case b"S":
                return self._transfer(data)
            case b"p":
                return bytes([self._level(data[0])])
            case b"P":
                self._set_level(data[0], data[1])
            case b"U":
                antenna = self._uarts[data[0]]
                assert isinstance(antenna, Pn532Antenna)  # noqa: S101 - for the type checker
                antenna.write(data[1:], now_ms())
            case b"u":
                antenna = self._uarts[data[0]]
                assert isinstance(antenna, Pn532Antenna)  # noqa: S101
                self._watch_fields()
                return antenna.read(now_ms())
            case b"I":
                return self._sensor_at(data[0], lambda sensor: sensor.read(data[1], data[2]))
            case b"i":
                return self._sensor_at(
                    data[0], lambda sensor: b"\x01" * sensor.write(data[1], data[2:])
                )
            case b"T":
                pin, tone_hz = struct.unpack(">BH", data)
                if self._tones.get(pin, 0) != tone_hz:
                    self._tones[pin] = tone_hz
                    self._show(self._buzzer_pins.index(pin), tone_hz)
            case b"L":
                self._show_lights(data[1:])
        return b""

    def _transfer(self, data: bytes) -> bytes:
        if self._selected is None:
            return b"\xff" * len(data)
        answer = self._selected.transfer(data, now_ms())
        if self._broken:
            self._broken = False
            answer += b"\x00"
        self._watch_fields()
        return answer

    def _watch_fields(self) -> None:
        sends = [antenna.sends for antenna in self.antennas]
        if sends == self._sent:
            return
        self.crowded += sum(sends) > 1
        for place, (is_on, was_on) in enumerate(zip(sends, self._sent, strict=True)):
            self.looks[place] += is_on and not was_on
        self._sent = sends
        self.changed.notify_all()

    def _level(self, pin: int) -> int:
        if pin == self._tilt_pin:
            return int(self._tilted)
        return int(not self._buttons.get(pin, False))

    def _set_level(self, pin: int, level: int) -> None:
        antenna = self._selects.get(pin)
        if antenna is None:
            return
        antenna.select(level)
        if not level:
            self._selected = antenna
        elif self._selected is antenna:
            self._selected = None

    def _sensor_at(self, address: int, do: Callable[[I2cSensor], bytes]) -> bytes:
        if self.sensor is None or self.sensor.address != address:
            return b""
        return do(self.sensor)

    def _show_lights(self, chain: bytes) -> None:
        for place, before in enumerate(self._colours):
            red, green, blue = chain[3 * place : 3 * place + 3]
            if (red, green, blue) != before:
                self._colours[place] = (red, green, blue)
                self._show(place, (red, green, blue))

    def _show(self, place: int, what: Light | int) -> None:
        self.shown.append((place, what))
        self.changed.notify_all()
        if self.on_shown is not None:
            self.on_shown(place, what)
