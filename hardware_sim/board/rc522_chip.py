"""An RC522 (MFRC522) as its SPI pins show it, and tags that answer it bit by bit.

It shares nothing with `firmware_bridge.rc522`: registers are those of the data sheet, tags
are those of ISO/IEC 14443-3, down to which bits collide.
"""

from __future__ import annotations

from dataclasses import dataclass, field

VERSION_2 = 0x92

_COMMAND, _COM_IRQ, _ERROR = 0x01, 0x04, 0x06
_FIFO_DATA, _FIFO_LEVEL, _CONTROL, _BIT_FRAMING, _COLL = 0x09, 0x0A, 0x0C, 0x0D, 0x0E
_TX_CONTROL, _VERSION = 0x14, 0x37
_RESET_VALUES = {_COMMAND: 0x20, _COM_IRQ: 0x14, _TX_CONTROL: 0x80, _VERSION: VERSION_2}
_TRANSCEIVE, _SOFT_RESET = 0x0C, 0x0F
_RX_IRQ, _TIMER_IRQ = 0x20, 0x01
_COLL_ERROR = 0x08
_LEVELS = {0x93: 0, 0x95: 1, 0x97: 2}
_CASCADE_TAG = 0x88


def checksum(data: bytes) -> bytes:
    """CRC_A, bit by bit (ISO/IEC 13239 turned round, start value 6363)."""
    crc = 0x6363
    for byte in data:
        for bit in range(8):
            odd = (crc ^ byte >> bit) & 1
            crc = crc >> 1 ^ (0x8408 if odd else 0)
    return crc.to_bytes(2, "little")


def cascade(uid: bytes) -> list[bytes]:
    """What a tag answers at each level: four bytes and the check byte over them.

    Args:
        uid: 4, 7 or 10 bytes.
    """
    parts = []
    while len(uid) > 4:
        parts.append(bytes([_CASCADE_TAG]) + uid[:3])
        uid = uid[3:]
    parts.append(uid)
    return [part + bytes([part[0] ^ part[1] ^ part[2] ^ part[3]]) for part in parts]


@dataclass(slots=True)
class _Tag:
    uid: bytes
    state: str = "idle"
    level: int = 0

    def answer(self, frame: bytes, bits: int) -> list[int] | None:
        """The bits of the answer; None for silence."""
        parts = cascade(self.uid)
        if bits == 7:
            awake = self.state == "idle" or (self.state == "halted" and frame[0] == 0x52)
            self.state, self.level = ("ready", 0) if awake else (self._unmoved(), 0)
            return _bits(b"\x44\x00" if len(self.uid) > 4 else b"\x04\x00") if awake else None
        if self.state == "active":
            self.state = "halted" if frame == b"\x50\x00" + checksum(b"\x50\x00") else "idle"
            return None
        if self.state != "ready" or _LEVELS.get(frame[0]) != self.level:
            self.state = self._unmoved()
            return None
        part = parts[self.level]
        if frame[1] == 0x70:
            if frame[2:7] != part or frame[7:] != checksum(frame[:7]):
                self.state = "idle"
                return None
            last = self.level + 1 == len(parts)
            self.state, self.level = ("active", 0) if last else ("ready", self.level + 1)
            acknowledged = b"\x00" if last else b"\x04"
            return _bits(acknowledged + checksum(acknowledged))
        known = (frame[1] >> 4) * 8 - 16 + (frame[1] & 0x0F)
        own = _bits(part)
        return own[known:] if own[:known] == _bits(frame[2:])[:known] else None

    def _unmoved(self) -> str:
        return "halted" if self.state == "halted" else "idle"


@dataclass
class Rc522Chip:
    """One chip with its antenna. Not for several threads.

    Attributes:
        dead: nothing drives its line: every bit reads 0.
        deaf: tags are not heard, until the chip is reset.
        garbled: of the answers to come, how many arrive with a bit turned.
        field_was_on: whether its field was on since this was last set to False.
    """

    dead: bool = False
    deaf: bool = False
    garbled: int = 0
    field_was_on: bool = False
    _tags: list[_Tag] = field(default_factory=list)
    _registers: dict[int, int] = field(default_factory=lambda: dict(_RESET_VALUES))
    _fifo: bytearray = field(default_factory=bytearray)

    @property
    def field_on(self) -> bool:
        """Whether its antenna sends, so that neighbours are disturbed."""
        return not self.dead and self._registers.get(_TX_CONTROL, 0) & 0x03 == 0x03

    def lay(self, uids: list[bytes]) -> None:
        """These tags lie on the antenna now, and no others."""
        kept = {tag.uid: tag for tag in self._tags}
        self._tags = [kept.get(uid) or _Tag(uid) for uid in uids]

    def brown_out(self) -> None:
        """Lose the power for a moment, and with it every setting."""
        self._reset()

    def transfer(self, data: bytes) -> bytes:
        """One transaction, from chip select to chip select: what comes back in it."""
        if self.dead or not data:
            return bytes(len(data))
        if data[0] & 0x80:
            return b"\x00" + bytes(self._read(address >> 1 & 0x3F) for address in data[:-1])
        for value in data[1:]:
            self._write(data[0] >> 1 & 0x3F, value)
        return bytes(len(data))

    def _read(self, register: int) -> int:
        if register == _FIFO_DATA:
            return self._fifo.pop(0) if self._fifo else 0
        if register == _FIFO_LEVEL:
            return len(self._fifo)
        return self._registers.get(register, 0)

    def _write(self, register: int, value: int) -> None:
        if register == _FIFO_DATA:
            self._fifo.append(value)
        elif register == _FIFO_LEVEL:
            if value & 0x80:
                self._fifo.clear()
        elif register == _COM_IRQ:
            kept = self._registers.get(_COM_IRQ, 0)
            self._registers[_COM_IRQ] = kept | value & 0x7F if value & 0x80 else kept & ~value
        elif register == _COMMAND and value & 0x0F == _SOFT_RESET:
            self._reset()
        elif register != _VERSION:
            self._registers[register] = value
            if register == _TX_CONTROL:
                self._switch_field()
            sends = register == _BIT_FRAMING and value & 0x80
            if sends and self._registers.get(_COMMAND, 0) & 0x0F == _TRANSCEIVE:
                self._transceive(value & 0x07, value >> 4 & 0x07)

    def _reset(self) -> None:
        self._registers = dict(_RESET_VALUES)
        self._fifo.clear()
        self.deaf = False
        self._switch_field()

    def _switch_field(self) -> None:
        if self.field_on:
            self.field_was_on = True
            return
        for tag in self._tags:
            tag.state, tag.level = "idle", 0

    def _transceive(self, last_bits: int, align: int) -> None:
        frame = bytes(self._fifo)
        self._fifo.clear()
        self._registers[_ERROR] = 0
        self._registers[_COLL] = 0x20
        bits = 8 * len(frame) - (8 - last_bits if last_bits else 0)
        answers = [tag.answer(frame, bits) for tag in self._tags] if self.field_on else []
        heard = [answer for answer in answers if answer is not None and not self.deaf]
        if not heard:
            self._registers[_COM_IRQ] = self._registers.get(_COM_IRQ, 0) | _TIMER_IRQ
            return
        together, collided = _overlay(heard)
        if self.garbled:
            self.garbled -= 1
            together[-1] ^= 1
        if collided is not None:
            self._registers[_ERROR] = _COLL_ERROR
            known = bits - 16 if frame[0] in _LEVELS and bits > 7 else 0
            position = known + collided + 1
            self._registers[_COLL] = position & 0x1F if position <= 32 else 0x20
            together = together[:collided] + [0] * (len(together) - collided)
        self._fifo.extend(_bytes([0] * align + together))
        self._registers[_COM_IRQ] = self._registers.get(_COM_IRQ, 0) | _RX_IRQ


def _bits(data: bytes) -> list[int]:
    return [byte >> bit & 1 for byte in data for bit in range(8)]


def _bytes(bits: list[int]) -> bytes:
    padded = bits + [0] * (-len(bits) % 8)
    return bytes(
        sum(bit << place for place, bit in enumerate(padded[start : start + 8]))
        for start in range(0, len(padded), 8)
    )


def _overlay(answers: list[list[int]]) -> tuple[list[int], int | None]:
    """All answers at once, and where the first two differ."""
    longest = max(answers, key=len)
    for place in range(len(longest)):
        if len({answer[place] for answer in answers if place < len(answer)}) > 1:
            return list(longest), place
    return list(longest), None
