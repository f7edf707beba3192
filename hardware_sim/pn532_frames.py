"""The frames between a host and a PN532 on its serial line (user manual UM0701-02, 6.2.1).

    00 00 FF LEN LCS TFI data… DCS 00            normal, LEN counts TFI and data
    00 00 FF FF FF LENM LENL LCS TFI data… DCS 00  extended, from 256 bytes on
    00 00 FF 00 FF 00                            ACK
    00 00 FF FF 00 00                            NACK: send that again
    00 00 FF 01 FF 7F 81 00                      error: the command was not understood

LEN and LCS, and all of TFI, data and DCS, add up to 0 modulo 256. TFI is D4 from the host
and D5 from the chip.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

ACK = bytes.fromhex("0000FF00FF00")
NACK = bytes.fromhex("0000FFFF0000")
ERROR = bytes.fromhex("0000FF01FF7F8100")
FROM_HOST, FROM_CHIP = 0xD4, 0xD5
LONGEST_BYTES = 265
"""TFI and data of the longest extended frame."""

_START = b"\x00\xff"


class Kind(Enum):
    """What a frame is."""

    INFORMATION = "information"
    ACK = "ack"
    NACK = "nack"


class Frame(NamedTuple):
    """One frame.

    Attributes:
        kind: what it is.
        body: TFI and data of an information frame, else empty.
    """

    kind: Kind
    body: bytes = b""


def encode(body: bytes) -> bytes:
    """An information frame around TFI and data; extended where it is too long for a normal one.

    Raises:
        ValueError: empty, or longer than 265 bytes.
    """
    size = len(body)
    if not 1 <= size <= LONGEST_BYTES:
        raise ValueError(f"A frame has 1 to {LONGEST_BYTES} bytes, and this one {size}.")
    if size < 256:
        length = bytes([size, -size & 0xFF])
    else:
        two = size.to_bytes(2, "big")
        length = b"\xff\xff" + two + bytes([-sum(two) & 0xFF])
    return b"\x00" + _START + length + body + bytes([-sum(body) & 0xFF, 0])


class FrameReader:
    """Finds the frames in a stream of bytes, however it is cut and whatever lies between.

    A frame with a wrong checksum is passed over without a word, as the chip does.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def clear(self) -> None:
        """Forget what has come of a frame."""
        self._buffer.clear()

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are complete now."""
        self._buffer += data
        frames: list[Frame] = []
        while (start := self._buffer.find(_START)) >= 0:
            del self._buffer[:start]
            parsed = self._parse()
            if parsed is None:
                return frames
            frame, size = parsed
            if frame is not None:
                frames.append(frame)
            del self._buffer[:size]
        del self._buffer[:-1]
        return frames

    def _parse(self) -> tuple[Frame | None, int] | None:
        """The frame at the head with its size; None for the frame where it is none."""
        buffer = self._buffer
        if len(buffer) < 4:
            return None
        if buffer[2:4] == b"\x00\xff":
            return Frame(Kind.ACK), 4
        if buffer[2:4] == b"\xff\x00":
            return Frame(Kind.NACK), 4
        head = 4
        length, checked = buffer[2], buffer[2:4]
        if checked == b"\xff\xff":
            head = 7
            if len(buffer) < head:
                return None
            length, checked = int.from_bytes(buffer[4:6], "big"), buffer[4:7]
        if sum(checked) & 0xFF or not 1 <= length <= LONGEST_BYTES:
            return None, 1
        end = head + length
        if len(buffer) <= end:
            return None
        if sum(buffer[head : end + 1]) & 0xFF:
            return None, 1
        return Frame(Kind.INFORMATION, bytes(buffer[head:end])), end + 1
