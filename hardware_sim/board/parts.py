"""What hangs on the pins of a simulated board: chips on SPI, and sensors on I2C."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from hardware_sim.board.rc522_chip import Rc522Chip
from hardware_sim.pn532_chip import Pn532Chip
from hardware_sim.tags import make_tag

_ACK = bytes.fromhex("0000FF00FF00")
_WRITE, _STATUS, _READ = 0x01, 0x02, 0x03


def _turned(data: bytes) -> bytes:
    return bytes(int(f"{byte:08b}"[::-1], 2) for byte in data)


class Antenna(Protocol):
    """A reader's chip, as people at the table see it."""

    def put(self, uid: bytes) -> None:
        """Lay a tag there."""

    def take(self, uid: bytes) -> None:
        """Take it away."""

    @property
    def sends(self) -> bool:
        """Whether its field is on, so that neighbours are disturbed."""


class Pn532Antenna:
    """A PN532 on a serial line. Over SPI its bytes are turned and asked for (6.2.5).

    Attributes:
        silent: it hears nothing and says nothing, as without power.
    """

    def __init__(self) -> None:
        self.chip = Pn532Chip()
        self.silent = False
        self._tags = {}  # type: ignore[var-annotated]
        self._spoken = b""
        self._said = b""
        self._mode: int | None = None

    @property
    def sends(self) -> bool:
        """Whether its field is on."""
        return self.chip.field.on and not self.silent

    def put(self, uid: bytes) -> None:
        """Lay a tag there."""
        tag = self._tags.setdefault(uid, make_tag(uid, None, None))
        self.chip.put(tag)

    def take(self, uid: bytes) -> None:
        """Take it away."""
        tag = self._tags.get(uid)
        if tag is not None:
            self.chip.take(tag)

    def brown_out(self) -> None:
        """Lose the power for a moment: the chip forgets everything, and the tags stay."""
        before, self.chip = self.chip, Pn532Chip()
        self._said = b""
        for tag in before.field.tags:
            self.chip.put(tag)

    def write(self, data: bytes, now_ms: int) -> None:
        """Bytes from the host, over UART."""
        if not self.silent:
            self.chip.feed(data, now_ms)

    def read(self, now_ms: int) -> bytes:
        """Bytes to the host, over UART."""
        return b"" if self.silent else self.chip.output(now_ms)

    def select(self, level: int) -> None:
        """The select line falls, which wakes the chip, or rises, which ends a frame."""
        self._mode = None
        if level:
            return
        if not self.chip.awake and not self.silent:
            self.chip.feed(b"\x55", 0)
        self._spoken = b""

    def transfer(self, data: bytes, now_ms: int) -> bytes:
        """Some bytes of a transaction; what comes back."""
        if self.silent:
            return bytes(len(data))
        given = _turned(data)
        answer = b""
        if self._mode is None:
            self._mode, given, answer = given[0], given[1:], b"\x00"
            self._said += self.chip.output(now_ms)
            if self._mode == _READ:
                self._spoken, self._said = _first_frame(self._said)
        if self._mode == _STATUS:
            answer += bytes([bool(self._said)] * len(given))
        elif self._mode == _READ:
            piece, self._spoken = self._spoken[: len(given)], self._spoken[len(given) :]
            answer += piece.ljust(len(given), b"\x00")
        else:
            if self._mode == _WRITE:
                self.chip.feed(given, now_ms)
                self._said = b""  # whoever is spoken to forgets what it was about to say
            answer += bytes(len(given))
        return _turned(answer)


def _first_frame(said: bytes) -> tuple[bytes, bytes]:
    """The first frame of what a chip has to say, and what it says after that one."""
    end = len(_ACK) if said.startswith(_ACK) else len(said)
    return said[:end], said[end:]


class Rc522Antenna:
    """An RC522 on SPI.

    Attributes:
        silent: nothing drives its line, as without power.
    """

    def __init__(self) -> None:
        self.chip = Rc522Chip()
        self._uids: list[bytes] = []

    @property
    def silent(self) -> bool:
        """Whether nothing drives its line."""
        return self.chip.dead

    @silent.setter
    def silent(self, dead: bool) -> None:
        self.chip.dead = dead

    @property
    def sends(self) -> bool:
        """Whether its field is on."""
        return self.chip.field_on

    def put(self, uid: bytes) -> None:
        """Lay a tag there."""
        if uid not in self._uids:
            self._uids = [*self._uids, uid]
        self.chip.lay(self._uids)

    def take(self, uid: bytes) -> None:
        """Take it away."""
        self._uids = [other for other in self._uids if other != uid]
        self.chip.lay(self._uids)

    def brown_out(self) -> None:
        """Lose the power for a moment."""
        self.chip.brown_out()

    def select(self, level: int) -> None:
        """The select line; a transaction is one transfer."""

    def transfer(self, data: bytes, now_ms: int) -> bytes:
        """A transaction; what comes back."""
        del now_ms
        return self.chip.transfer(data)


@dataclass
class I2cSensor:
    """An accelerometer's registers, after its data sheet.

    Attributes:
        kind: `lis3dh`, `adxl345` or `mpu6050`.
        axes: what it feels, in thousandths of g.
        silent: it does not answer.
    """

    kind: str
    axes: tuple[int, int, int] = (0, 0, 1000)
    silent: bool = False
    _registers: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.brown_out()

    @property
    def address(self) -> int:
        """Where it answers on the bus."""
        return {"lis3dh": 0x19, "adxl345": 0x53, "mpu6050": 0x68}[self.kind]

    def brown_out(self) -> None:
        """Lose the power for a moment, and with it every setting."""
        self._registers = {
            "lis3dh": {0x0F: 0x33, 0x20: 0x07},
            "adxl345": {0x00: 0xE5, 0x2C: 0x0A},
            "mpu6050": {0x75: 0x68, 0x6B: 0x40},
        }[self.kind].copy()

    def read(self, register: int, count: int) -> bytes:
        """Registers from this one on; nothing when it does not answer."""
        if self.silent:
            return b""
        measured = dict(
            enumerate(self._measured(), {"lis3dh": 0x28, "adxl345": 0x32}.get(self.kind, 0x3B))
        )
        everything = self._registers | measured
        if self.kind == "lis3dh":
            step, register = register >> 7, register & 0x7F
        else:
            step = 1
        return bytes(everything.get(register + step * index, 0) for index in range(count))

    def write(self, register: int, data: bytes) -> bool:
        """Write a register; whether it answers."""
        if not self.silent:
            self._registers[register] = data[0]
        return not self.silent

    def _measured(self) -> bytes:
        registers = self._registers
        if self.kind == "lis3dh":
            if not registers.get(0x20, 0) & 0xF0:
                return bytes(6)  # powered down
            mg_a_digit = (1, 2, 4, 12)[registers.get(0x23, 0) >> 4 & 3]
            return _words([mg / mg_a_digit for mg in self.axes], 12, "little", left=4)
        if self.kind == "adxl345":
            if not registers.get(0x2D, 0) & 0x08:
                return bytes(6)  # standby
            full = registers.get(0x31, 0) & 0x08
            bits = 10 + (registers.get(0x31, 0) & 3 if full else 0)
            scale = 256 if full else 256 >> (registers.get(0x31, 0) & 3)
            return _words([mg * scale / 1000 for mg in self.axes], bits, "little")
        if registers.get(0x6B, 0) & 0x40:
            return bytes(6)  # asleep
        scale = 16384 >> (registers.get(0x1C, 0) >> 3 & 3)
        return _words([mg * scale / 1000 for mg in self.axes], 16, "big")


def _words(digits: list[float], bits: int, order: str, left: int = 0) -> bytes:
    highest = (1 << bits - 1) - 1
    whole = [max(-highest - 1, min(highest, round(digit))) << left for digit in digits]
    if order == "little":
        return b"".join(word.to_bytes(2, "little", signed=True) for word in whole)
    return b"".join(word.to_bytes(2, "big", signed=True) for word in whole)
