"""What tells how the ship lies: an accelerometer on I2C, or a tilt switch. Handed its bus."""

from firmware_bridge.accelerometer import AXES_BYTES, Accelerometer
from firmware_bridge.milliseconds import since

TYPE_CHECKING = False  # MicroPython has no `typing`
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class _I2c(Protocol):
        """`machine.I2C`, as far as it is used."""

        def readfrom_mem_into(self, address: int, register: int, buffer: bytearray) -> None: ...
        def writeto_mem(self, address: int, register: int, data: bytes) -> None: ...


CHECK_MS = 1000
"""How often the sensor's settings are compared, and one that is silent is looked for."""

UPRIGHT = (0, 0, 1000)
TILTED = (1000, 0, 0)


class AccelerometerOnI2c:
    """An accelerometer. One that lost its power in between is set up again by itself."""

    def __init__(self, i2c: "_I2c", kind: Accelerometer) -> None:
        self._i2c = i2c
        self._kind = kind
        self._address: int | None = None
        self._checked_ms: int | None = None
        self._one = bytearray(1)
        self._axes = bytearray(AXES_BYTES)

    def look(self, now_ms: int) -> tuple[int, int, int] | None:
        """x, y and z in thousandths of g; None while the sensor does not answer."""
        try:
            if self._checked_ms is None or since(now_ms, self._checked_ms) >= CHECK_MS:
                self._checked_ms = now_ms
                self._check()
            if self._address is None:
                return None
            self._i2c.readfrom_mem_into(self._address, self._kind.first, self._axes)
        except OSError:
            self._address = None
            return None
        return self._kind.decode(bytes(self._axes))

    def _check(self) -> None:
        if self._address is None:
            self._address = self._found()
        if self._address is None:
            return
        for register, value in self._kind.set_up:
            if self._register(self._address, register) != value:
                self._i2c.writeto_mem(self._address, register, bytes([value]))

    def _found(self) -> int | None:
        register, identities = self._kind.identity
        for address in self._kind.addresses:
            try:
                if self._register(address, register) in identities:
                    return address
            except OSError:  # nobody has this address
                continue
        return None

    def _register(self, address: int, register: int) -> int:
        self._i2c.readfrom_mem_into(address, register, self._one)
        return self._one[0]


class TiltSwitch:
    """A ball or mercury switch that is closed while the ship is upright.

    Its chatter is left to the judge of the alarm, who looks at how long a ship lies.

    Args:
        level: the pin, pulled up: 0 while the switch is closed.
    """

    def __init__(self, level: "Callable[[], int]") -> None:
        self._level = level

    def look(self, now_ms: int) -> tuple[int, int, int] | None:
        """Upright or tilted, as an accelerometer would tell it."""
        del now_ms
        return TILTED if self._level() else UPRIGHT
