"""How bytes get to a reader's chip and back: over a UART, or over SPI with a select line.

Each wire has one method, `exchange`, that never waits. It is handed its bus.
"""

TYPE_CHECKING = False  # MicroPython has no `typing`
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class _Uart(Protocol):
        """`machine.UART`, as far as it is used."""

        def write(self, data: bytes) -> int | None: ...
        def any(self) -> int: ...
        def read(self, size: int) -> bytes | None: ...

    class _Spi(Protocol):
        """`machine.SPI`, as far as it is used."""

        def write(self, data: bytes) -> object: ...
        def readinto(self, buffer: bytearray) -> object: ...
        def write_readinto(self, data: bytes, buffer: bytearray) -> object: ...


START = b"\x00\x00\xff"
ACK = b"\x00\x00\xff\x00\xff\x00"
LONGEST_FRAME = 300


def _turned(byte: int) -> int:
    """The bits in the other order."""
    turned = 0
    for _ in range(8):
        turned = turned << 1 | byte & 1
        byte >>= 1
    return turned


TURNED = bytes([_turned(byte) for byte in range(256)])
"""A PN532 takes the lowest bit first, and a Pico's SPI gives the highest first."""

WRITE = TURNED[0x01]
STATUS = bytes([TURNED[0x02]])
READ = bytes([TURNED[0x03]])
READY = TURNED[0x01]


def turned(data: bytes) -> bytes:
    """The same bytes with the bits of each in the other order."""
    return bytes([TURNED[byte] for byte in data])


class UartWire:
    """A chip on a serial line: bytes out, bytes in."""

    def __init__(self, uart: "_Uart") -> None:
        self._uart = uart

    def exchange(self, data: bytes) -> bytes:
        """Send these bytes, if any, and take what has come."""
        if data:
            self._uart.write(data)
        waiting = self._uart.any()
        return (self._uart.read(waiting) or b"") if waiting else b""


class Pn532SpiWire:
    """A PN532 on SPI: it is asked whether it has something to say (user manual, 6.2.5).

    Args:
        spi: the bus.
        select: called with 0 before and with 1 after each transaction.
    """

    def __init__(self, spi: "_Spi", select: "Callable[[int], object]") -> None:
        self._spi = spi
        self._select = select
        self._status = bytearray(1)

    def exchange(self, data: bytes) -> bytes:
        """Send these bytes, or else take the frame that the chip has ready."""
        if data:
            self._send(data)
            return b""
        self._select(0)
        self._spi.write(STATUS)
        self._spi.readinto(self._status)
        self._select(1)
        return self._frame() if self._status[0] & READY else b""

    def _send(self, data: bytes) -> None:
        start = data.find(START)
        if start < 0:  # the select line is what wakes it
            self._select(0)
            self._select(1)
            return
        while start < len(data):
            # An ACK that ends the last command goes in a transaction of its own.
            end = start + len(ACK) if data[start : start + len(ACK)] == ACK else len(data)
            self._select(0)
            self._spi.write(bytes([WRITE]) + turned(data[start:end]))
            self._select(1)
            start = end

    def _frame(self) -> bytes:
        frame = b""
        self._select(0)
        self._spi.write(READ)
        missing = missing_bytes(frame)
        while missing:
            part = bytearray(missing)
            self._spi.readinto(part)
            frame += turned(bytes(part))
            missing = missing_bytes(frame)
        self._select(1)
        return frame


def missing_bytes(frame: bytes) -> int:
    """How many bytes to read on, from what was read so far of one frame.

    0 when it is whole, or when there is none: the select line must rise at its end.
    """
    start = frame.find(START)
    if start < 0:
        return 6 if not frame else (1 if len(frame) < 2 * len(ACK) else 0)
    head = start + 5
    if len(frame) < head:
        return head - len(frame)
    length, check = frame[head - 2], frame[head - 1]
    # The lengths of ACK and NACK do not add up to 0, and nothing but a last byte follows.
    whole = head + 1 if (length + check) & 0xFF else head + length + 2
    return max(0, min(whole, LONGEST_FRAME) - len(frame))


class Rc522SpiWire:
    """An RC522 on SPI: as many bytes come back as go out."""

    def __init__(self, spi: "_Spi", select: "Callable[[int], object]") -> None:
        self._spi = spi
        self._select = select

    def exchange(self, data: bytes) -> bytes:
        """Do this transaction, if there is one; what came back in it."""
        if not data:
            return b""
        received = bytearray(len(data))
        self._select(0)
        self._spi.write_readinto(data, received)
        self._select(1)
        return bytes(received)
