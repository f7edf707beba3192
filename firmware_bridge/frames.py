"""From payloads to bytes on the wire and back: check value, COBS, and a zero byte at the end."""

from firmware_bridge import cobs
from firmware_bridge.crc16 import crc16

LONGEST_PAYLOAD = 250
LONGEST_FRAME = LONGEST_PAYLOAD + 3
"""On the wire, without the delimiter: payload, check value, one byte of COBS."""

DELIMITER = b"\x00"


def frame(payload: bytes) -> bytes:
    """The payload with its check value (low byte first), stuffed, and the delimiter.

    Raises:
        ValueError: the payload is longer than `LONGEST_PAYLOAD`.
    """
    if len(payload) > LONGEST_PAYLOAD:
        raise ValueError(f"a payload has at most {LONGEST_PAYLOAD} bytes, not {len(payload)}")
    crc = crc16(payload)
    return cobs.encode(payload + bytes((crc & 0xFF, crc >> 8))) + DELIMITER


class Unframer:
    """Finds the payloads in a stream of bytes that may come in any pieces and hold noise.

    Attributes:
        good: how many frames were right.
        bad: how many were not: noise, a wrong check value, too long.
    """

    def __init__(self) -> None:
        self.good = 0
        self.bad = 0
        self._held = b""
        self._overlong = False

    def reset(self) -> None:
        """Forget half a frame: the line was cut."""
        self._held = b""
        self._overlong = False

    def feed(self, data: bytes) -> list[bytes]:
        """The payloads of the frames that these bytes complete."""
        pieces = data.split(DELIMITER)
        unfinished = pieces.pop()
        payloads = []
        for piece in pieces:
            whole = self._held + piece
            overlong = self._overlong
            self.reset()
            if overlong or len(whole) > LONGEST_FRAME:
                self.bad += 1
            elif whole:  # nothing between two delimiters is no frame
                payload = self._checked(whole)
                if payload is not None:
                    payloads.append(payload)
        self._held += unfinished
        if len(self._held) > LONGEST_FRAME:
            self._held = b""
            self._overlong = True
        return payloads

    def _checked(self, stuffed: bytes) -> bytes | None:
        try:
            content = cobs.decode(stuffed)
        except ValueError:
            content = b""
        payload = content[:-2]
        if not payload or crc16(payload) != content[-2] | content[-1] << 8:
            self.bad += 1
            return None
        self.good += 1
        return payload
