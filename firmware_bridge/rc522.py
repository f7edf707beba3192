"""The RC522 (MFRC522) on SPI: tags in its field, found by ISO/IEC 14443-3 done in software.

Pure, with the same face as `Pn532`: `output` gives the bytes of the next transaction on the
bus, `feed` takes what came back in it, `next_event` tells what came of it. The chip has
registers and nothing else, so what a PN532 does by itself is done here: the request, the
anticollision, the selection of each cascade level.
"""

from firmware_bridge.milliseconds import since

TYPE_CHECKING = False  # MicroPython has no `typing`
if TYPE_CHECKING:
    from collections.abc import Generator

# Registers (data sheet MFRC522, table 20).
COMMAND = 0x01
COM_IRQ = 0x04
ERROR = 0x06
FIFO_DATA = 0x09
FIFO_LEVEL = 0x0A
CONTROL = 0x0C
BIT_FRAMING = 0x0D
COLLISION = 0x0E
MODE = 0x11
TX_CONTROL = 0x14
TX_ASK = 0x15
RECEIVER_GAIN = 0x26
TIMER_MODE = 0x2A
TIMER_PRESCALER = 0x2B
TIMER_RELOAD_HIGH = 0x2C
TIMER_RELOAD_LOW = 0x2D
VERSION = 0x37

IDLE, TRANSCEIVE, SOFT_RESET = 0x00, 0x0C, 0x0F
FIELD_ON, FIELD_OFF = 0x83, 0x80
FULL_MODULATION = 0x40
"""Of TX_ASK, which is 0 after power on: so it also tells whether the chip was set up."""

SET_UP = (
    (TIMER_MODE, 0x80),  # the timer starts with the end of what is sent
    (TIMER_PRESCALER, 0xA9),  # and ticks 25 us
    (TIMER_RELOAD_HIGH, 0x00),
    (TIMER_RELOAD_LOW, 0xC8),  # 200 ticks: whoever answers does so within 5 ms
    (TX_ASK, FULL_MODULATION),
    (MODE, 0x3D),
    (RECEIVER_GAIN, 0x70),  # 48 dB: a card lies under cardboard
)

SEVERAL_ANSWER = 0x08
"""Of ERROR: bits of two answers collided."""
BROKEN_ANSWER = 0x13
"""Of ERROR: buffer overflow, parity or protocol."""

WAKE_ALL, REQUEST = 0x52, 0x26
SELECT = (0x93, 0x95, 0x97)
CASCADE_TAG = 0x88
MORE_LEVELS = 0x04
HALT = b"\x50\x00"

RESET_MS = 50
FIELD_RISE_MS = 5
"""A tag has 5 ms to wake in a field (ISO/IEC 14443-3, 5)."""
ANSWER_LOOKS = 20
FIRST_BACKOFF_MS = 50
LONGEST_BACKOFF_MS = 1000
ATTEMPTS = 3
SET_UP_AGAIN_LOOKS = 200
"""Some chips fall deaf after a while and say nothing of it, so each is reset now and then."""


class _Broken(Exception):
    """An answer that cannot be believed."""


def crc_a(data: bytes) -> bytes:
    """The check bytes of a frame, low byte first (ISO/IEC 14443-3, annex B)."""
    crc = 0x6363
    for byte in data:
        byte ^= crc & 0xFF  # noqa: PLW2901 - the annex writes it so
        byte = (byte ^ (byte << 4)) & 0xFF  # noqa: PLW2901
        crc = (crc >> 8) ^ (byte << 8) ^ (byte << 3) ^ (byte >> 4)
    return bytes([crc & 0xFF, crc >> 8])


def written(register: int, values: bytes) -> bytes:
    """The transaction that writes these values, one after the other, to a register."""
    return bytes([register << 1]) + values


def read(*registers: int) -> bytes:
    """The transaction that reads these registers; what comes back begins with one idle byte."""
    return bytes([0x80 | register << 1 for register in registers]) + b"\x00"


class Rc522:
    """One chip. Between two looks its field is off, for the sake of its neighbours.

    A look begins with a call of `output`, and goes on with each. What it found is an event:
    `("ready", text)` once the chip answers, `("targets", uids)` for each look that ended
    well, `("lost", reason)` once when it does not answer any more. A look that met with
    errors alone is no event: it says nothing about what lies there.

    Args:
        max_targets: how many tags to tell apart at the most, 1 or 2.
    """

    def __init__(self, max_targets: int = 2) -> None:
        self._max_targets = max_targets
        self._events: list[tuple[str, object]] = []
        self._answers: bool | None = None
        self._now_ms: int | None = None
        self._rest_ms: int | None = None
        self._since_ms: int | None = None
        self._at_rest = False
        self._work = self._for_ever()
        self._transaction = b""
        self._advance(None)

    def output(self, now_ms: int) -> bytes:
        """The next transaction; empty while there is none. What it brings goes to `feed`."""
        self._now_ms = now_ms
        if self._since_ms is None:  # the first rest begins when there is a clock
            self._since_ms = now_ms
        if self._rest_ms is not None and since(now_ms, self._since_ms) >= self._rest_ms:
            self._advance(None)
        return self._transaction

    def feed(self, data: bytes, now_ms: int) -> None:
        """What came back in the transaction that `output` gave: as many bytes.

        Raises:
            ValueError: another number of bytes, which is an error of whoever moves them.
        """
        if len(data) != len(self._transaction):
            raise ValueError("A transaction brings as many bytes as it sends.")
        self._now_ms = now_ms
        if data:
            self._advance(data[1:])

    def next_event(self) -> "tuple[str, object] | None":
        """The oldest event that was not told yet."""
        return self._events.pop(0) if self._events else None

    @property
    def resting(self) -> bool:
        """Whether nothing is under way and the field is off: the time for a neighbour's look."""
        return self._at_rest

    def _advance(self, received: bytes | None) -> None:
        wish = self._work.send(received)
        if isinstance(wish, int):
            self._transaction = b""
            self._rest_ms = wish
            self._since_ms = self._now_ms
        else:
            self._transaction = wish
            self._rest_ms = None

    # Each generator below gives a transaction and gets what it brought, or gives the
    # milliseconds to wait.

    def _for_ever(self) -> "Generator[bytes | int, bytes | None, None]":
        yield 0
        backoff_ms = FIRST_BACKOFF_MS
        while True:
            version = yield from self._set_up()
            if version is None:
                self._lost("The RC522 does not answer: look at its power and its wires.")
                yield backoff_ms
                backoff_ms = min(2 * backoff_ms, LONGEST_BACKOFF_MS)
                continue
            backoff_ms = FIRST_BACKOFF_MS
            if not self._answers:
                self._answers = True
                self._events.append(("ready", f"RC522, version {version:02X}"))
                yield from self._between_looks()
            for _ in range(SET_UP_AGAIN_LOOKS):
                kept = yield from self._registers(VERSION, TX_ASK)
                if kept != bytes([version, FULL_MODULATION]):
                    break  # it lost its power for a moment, or for longer
                yield from self._look()
                yield from self._between_looks()

    def _between_looks(self) -> "Generator[bytes | int, bytes | None, None]":
        self._at_rest = True
        yield 0
        self._at_rest = False

    def _lost(self, reason: str) -> None:
        if self._answers is not False:
            self._events.append(("lost", reason))
        self._answers = False

    def _registers(self, *registers: int) -> "Generator[bytes | int, bytes | None, bytes]":
        received = yield read(*registers)
        return received or b""

    def _write(self, register: int, *values: int) -> "Generator[bytes | int, bytes | None, None]":
        yield written(register, bytes(values))

    def _set_up(self) -> "Generator[bytes | int, bytes | None, int | None]":
        yield from self._write(COMMAND, SOFT_RESET)
        yield RESET_MS
        (version,) = yield from self._registers(VERSION)
        if version in (0x00, 0xFF):  # nobody drives the line
            return None
        for register, value in SET_UP:
            yield from self._write(register, value)
        yield from self._write(TX_CONTROL, FIELD_OFF)
        (kept,) = yield from self._registers(TX_ASK)
        return version if kept == FULL_MODULATION else None

    def _look(self) -> "Generator[bytes | int, bytes | None, None]":
        for _ in range(ATTEMPTS):
            yield from self._write(TX_CONTROL, FIELD_ON)
            yield FIELD_RISE_MS
            try:
                uids = yield from self._targets()
            except _Broken:
                uids = None
            yield from self._write(TX_CONTROL, FIELD_OFF)
            if uids is not None:
                self._events.append(("targets", uids))
                return
            yield FIELD_RISE_MS  # without a field long enough to forget what they were asked

    def _targets(self) -> "Generator[bytes | int, bytes | None, tuple[bytes, ...]]":
        uids: list[bytes] = []
        while len(uids) < self._max_targets:
            # A tag that was told to halt answers to the first of these only.
            request = REQUEST if uids else WAKE_ALL
            answer = yield from self._transceive(bytes([request]), 7)
            if answer is None:
                break
            uid = yield from self._uid()
            uids.append(uid)
            yield from self._transceive(HALT + crc_a(HALT))  # whoever obeys is silent
        return tuple(uids)

    def _uid(self) -> "Generator[bytes | int, bytes | None, bytes]":
        uid = b""
        for select in SELECT:
            part = yield from self._anticollide(select)
            frame = bytes([select, 0x70]) + part
            answer = yield from self._transceive(frame + crc_a(frame))
            if answer is None:
                raise _Broken
            errors, data, _ = answer
            if errors or len(data) != 3 or crc_a(data[:1]) != data[1:]:
                raise _Broken
            if not data[0] & MORE_LEVELS:
                return uid + part[:4]
            if part[0] != CASCADE_TAG:
                raise _Broken
            uid += part[1:4]
        raise _Broken

    def _anticollide(self, select: int) -> "Generator[bytes | int, bytes | None, bytes]":
        """The four bytes and their check byte that a tag answers at a cascade level.

        Where the answers of two tags differ, the one with a 1 there is followed.
        """
        known, bits = 0, 0
        while bits < 32:
            whole, rest = divmod(bits, 8)
            asked = known.to_bytes(5, "little")[: whole + (1 if rest else 0)]
            frame = bytes([select, (2 + whole) << 4 | rest]) + asked
            answer = yield from self._transceive(frame, rest, rest)
            if answer is None:
                raise _Broken
            errors, data, position = answer
            known |= (int.from_bytes(data, "little") << 8 * whole) & ~((1 << bits) - 1)
            if errors & SEVERAL_ANSWER:
                if position <= bits:
                    raise _Broken
                known = known & ((1 << position) - 1) | 1 << (position - 1)
                bits = position
                continue
            part = known.to_bytes(5, "little") if known < 1 << 40 else b""
            if errors or whole + len(data) != 5 or part[0] ^ part[1] ^ part[2] ^ part[3] ^ part[4]:
                raise _Broken
            return part
        raise _Broken

    def _transceive(
        self, data: bytes, last_bits: int = 0, align: int = 0
    ) -> "Generator[bytes | int, bytes | None, tuple[int, bytes, int] | None]":
        """Send a frame; the errors of the answer, its bytes, and where answers collided.

        Args:
            data: the frame.
            last_bits: how many bits of the last byte are sent, 0 for all.
            align: where in the first byte the answer's first bit belongs.

        Returns:
            None when nobody answered.
        """
        yield from self._write(COMMAND, IDLE)
        yield from self._write(COM_IRQ, 0x7F)
        yield from self._write(FIFO_LEVEL, 0x80)
        yield from self._write(FIFO_DATA, *data)
        yield from self._write(COLLISION, 0x00)
        yield from self._write(BIT_FRAMING, align << 4 | last_bits)
        yield from self._write(COMMAND, TRANSCEIVE)
        yield from self._write(BIT_FRAMING, 0x80 | align << 4 | last_bits)
        for _ in range(ANSWER_LOOKS):
            (interrupts,) = yield from self._registers(COM_IRQ)
            if interrupts & 0x30:  # something was received, or the chip went idle
                break
            if interrupts & 0x01:  # the timer ran out
                return None
            yield 1
        else:
            return None
        errors, level, collision = yield from self._registers(ERROR, FIFO_LEVEL, COLLISION)
        if errors & BROKEN_ANSWER or level > 64:
            # Two requests that are answered at once may look like this: somebody is there.
            return errors | 0x01, b"", 0
        received = b""
        if level:
            received = yield from self._registers(*(FIFO_DATA,) * level)
        # The 32nd bit is counted as 0, and the sixth bit says that there is no position.
        position = 0 if collision & 0x20 else collision & 0x1F or 32
        return errors & SEVERAL_ANSWER, received, position
