"""The board: its pins, and what hangs on them. This and `main` alone touch the machine.

The table of pins holds for a Raspberry Pi Pico, with or without W, and for an ESP32. Numbers
are GPIO numbers. Neighbours share a buzzer, since a Pico has 26 pins and no more: with eight
places all of them are used.
"""

import os
import sys
import time

from firmware_bridge.messages import HAS_BUTTONS, HAS_BUZZERS, HAS_LIGHTS, HAS_SHIP
from firmware_bridge.milliseconds import COUNTER, since
from firmware_bridge.pn532 import Pn532
from firmware_bridge.ports import SerialPort, TcpPort
from firmware_bridge.rc522 import Rc522
from firmware_bridge.sensors import AccelerometerOnI2c, TiltSwitch
from firmware_bridge.settings import Settings, SettingsError, accelerometer_named
from firmware_bridge.wires import Pn532SpiWire, Rc522SpiWire, UartWire

TYPE_CHECKING = False  # MicroPython has no `typing`
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Part: TypeAlias = Any
    """A thing of the module `machine`, which has no types."""

PINS = {
    "pico": {
        "spi": {"id": 0, "sck": 18, "mosi": 19, "miso": 16},
        "select": (0, 1, 2, 3, 4, 5, 6, 7),  # of the reader at each place
        "uart": ({"id": 0, "tx": 0, "rx": 1}, {"id": 1, "tx": 4, "rx": 5}),  # instead of SPI
        "i2c": {"id": 0, "sda": 20, "scl": 21},
        "tilt": 20,  # instead of I2C
        "lights": 22,  # a chain of WS2812, one for each place
        "buttons": (8, 9, 10, 11, 12, 13, 14, 27),  # to ground
        "buzzers": (17, 17, 15, 15, 26, 26, 28, 28),
        "pulled_outside": (),
    },
    "esp32": {
        "spi": {"id": 2, "sck": 18, "mosi": 23, "miso": 19},
        "select": (5, 13, 14, 15, 16, 17, 25, 26),
        "uart": ({"id": 1, "tx": 17, "rx": 16}, {"id": 2, "tx": 26, "rx": 25}),
        "i2c": {"id": 0, "sda": 21, "scl": 22},
        "tilt": 21,
        "lights": 27,
        "buttons": (32, 33, 4, 0, 34, 35, 36, 39),
        "buzzers": (2, 2, 2, 2, 12, 12, 12, 12),
        "pulled_outside": (34, 35, 36, 39),  # they have no resistor: 10 kOhm to 3.3 V
    },
}
TABLE_OF_PLATFORM = {"rp2": "pico", "esp32": "esp32"}

SPI_BAUD = 1_000_000
UART_BAUD = 115_200
UART_BUFFER = 512
I2C_BAUD = 400_000
I2C_LIMIT_US = 2_000
UART_ACK_MS = 30
"""15 ms, and the time that the longest command takes on the line."""
PAUSE_MS = 20
FULL_VOLUME = 32768
WIFI_CHECK_MS = 5_000


class Board:
    """All that hangs on the pins, by the settings; what `App` is handed.

    Raises:
        SettingsError: the board has no table of pins of that name.
    """

    def __init__(self, settings: Settings) -> None:
        import machine  # noqa: PLC0415 - elsewhere the table is of use without it
        import neopixel  # noqa: PLC0415

        table = settings.pins or TABLE_OF_PLATFORM.get(sys.platform, "pico")
        if table not in PINS:
            raise SettingsError(f"pins is one of {', '.join(PINS)}.")
        pins: dict[str, Any] = PINS[table]
        self._machine = machine
        self.name = table
        self.capabilities = 0
        self.button_kinds = settings.buttons
        self.readers = self._readers(settings, pins)
        self.sensor = self._sensor(settings.ship, pins)
        # The first also where there is no place: held down at the start, it keeps the prompt.
        buttons = pins["buttons"][: max(1, settings.places)]
        self._buttons = [self._input(pin, pins) for pin in buttons]
        self._buzzers = self._tones(pins["buzzers"][: settings.places])
        self._lights = None
        if settings.places:
            self.capabilities |= HAS_LIGHTS | HAS_BUZZERS | HAS_BUTTONS
            self._lights = neopixel.NeoPixel(machine.Pin(pins["lights"]), settings.places)
            self._lights.write()

    def touched(self, place: int) -> bool:
        """Whether the button of that place is down; it bounces."""
        return not self._buttons[place].value()

    def light(self, place: int, colour: tuple[int, int, int]) -> None:
        """Show red, green and blue, 0 to 255 each, at that place."""
        if self._lights is not None:
            self._lights[place] = colour
            self._lights.write()

    def sound(self, place: int, tone_hz: int) -> None:
        """Sound this tone at that place, 0 for silence."""
        buzzer = self._buzzers[place]
        if tone_hz:
            buzzer.freq(tone_hz)
        buzzer.duty_u16(FULL_VOLUME if tone_hz else 0)

    def reset(self) -> None:
        """Start anew, as after power on."""
        self._machine.reset()

    def _readers(self, settings: Settings, pins: "dict[str, Any]") -> "list[tuple[Part, Part]]":
        machine = self._machine
        if settings.reader == "pn532-uart":
            return [
                (Pn532(pause_ms=PAUSE_MS, ack_ms=UART_ACK_MS), UartWire(self._uart(wires)))
                for wires in pins["uart"][: settings.places]
            ]
        spi = machine.SPI(
            pins["spi"]["id"],
            baudrate=SPI_BAUD,
            polarity=0,
            phase=0,
            sck=machine.Pin(pins["spi"]["sck"]),
            mosi=machine.Pin(pins["spi"]["mosi"]),
            miso=machine.Pin(pins["spi"]["miso"]),
        )
        # All are raised before anything is said, or two of them would answer.
        selects = [
            machine.Pin(pin, machine.Pin.OUT, value=1) for pin in pins["select"][: settings.places]
        ]
        if settings.reader == "rc522":
            return [(Rc522(), Rc522SpiWire(spi, pin)) for pin in selects]
        return [(Pn532(pause_ms=PAUSE_MS), Pn532SpiWire(spi, pin)) for pin in selects]

    def _uart(self, wires: dict[str, int]) -> "Part":
        machine = self._machine
        return machine.UART(
            wires["id"],
            baudrate=UART_BAUD,
            tx=machine.Pin(wires["tx"]),
            rx=machine.Pin(wires["rx"]),
            rxbuf=UART_BUFFER,
        )

    def _sensor(self, ship: str, pins: "dict[str, Any]") -> AccelerometerOnI2c | TiltSwitch | None:
        machine = self._machine
        if ship == "none":
            return None
        self.capabilities |= HAS_SHIP
        kind = accelerometer_named(ship)
        if kind is None:
            return TiltSwitch(self._input(pins["tilt"], pins).value)
        i2c = machine.I2C(
            pins["i2c"]["id"],
            sda=machine.Pin(pins["i2c"]["sda"]),
            scl=machine.Pin(pins["i2c"]["scl"]),
            freq=I2C_BAUD,
            timeout=I2C_LIMIT_US,
        )
        return AccelerometerOnI2c(i2c, kind)

    def _input(self, pin: int, pins: "dict[str, Any]") -> "Part":
        machine = self._machine
        pull = None if pin in pins["pulled_outside"] else machine.Pin.PULL_UP
        return machine.Pin(pin, machine.Pin.IN, pull)

    def _tones(self, pins: tuple[int, ...]) -> "list[Part]":
        machine = self._machine
        shared = {pin: machine.PWM(machine.Pin(pin), freq=1000, duty_u16=0) for pin in pins}
        return [shared[pin] for pin in pins]


class Wifi:
    """The network, joined in the background and joined again when it was lost."""

    def __init__(self, name: str, password: str) -> None:
        import network  # noqa: PLC0415 - a Pico without W has none

        self._name, self._password = name, password
        self._station = network.WLAN(network.STA_IF)
        self._station.active(True)  # noqa: FBT003 - it is called so
        self._tried_ms: int | None = None

    def look_after(self, now_ms: int) -> None:
        """Join, unless it is joined or was tried a moment ago."""
        if self._tried_ms is not None and since(now_ms, self._tried_ms) < WIFI_CHECK_MS:
            return
        self._tried_ms = now_ms
        if not self._station.isconnected():
            self._station.connect(self._name, self._password)


def now_ms() -> int:
    """The board's milliseconds; they wrap at 2**30 on every board."""
    return time.ticks_ms() & COUNTER  # type: ignore[attr-defined,no-any-return]


def new_boot_id() -> int:
    """Another number at each start, never 0."""
    return int.from_bytes(os.urandom(4), "big") or 1


def make_port(settings: Settings) -> "SerialPort | TcpPort":
    """Where the host is."""
    if settings.wifi is not None:
        return TcpPort(settings.wifi[2])
    return SerialPort(sys.stdin, sys.stdout)
