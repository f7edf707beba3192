"""What the two ends of the link tell each other: kinds of messages and their bodies.

A kind from 0x80 is unreliable: it is sent once or not at all, and never kept. The others
are delivered once and in order (see `firmware_bridge.link`). Numbers are little-endian;
`t_ms` are the board's milliseconds, which wrap at 2**30. Every `unpack` raises ValueError
for a body that no `pack` gives. docs/board-protocol.md has the same as a table.
"""

import struct

PROTOCOL = 1
"""The version of all this; both ends have to speak the same."""

# From the board.
TAG_ON = 0x01
TAG_OFF = 0x02
SEVERAL = 0x03
UNREADABLE = 0x04
PLACE_LOST = 0x05
PLACE_BACK = 0x06
BUTTON = 0x07
OVERFLOW = 0x08
# To the board.
SIGNAL = 0x10
SAMPLING = 0x11
RESET = 0x12
VERSION = 0x13
"""Asks for a HELLO; the link itself answers it."""

UNRELIABLE = 0x80
HELLO = 0x80
HEARTBEAT = 0x81
ACK = 0x82
ATTITUDE = 0x90

SHIP = 127
"""The place of the ship's sensor, in PLACE_LOST, PLACE_BACK and SIGNAL."""

# Signs of SIGNAL.
ACCEPTED = 1
REFUSED = 2
YOUR_TURN = 3
ALARM = 4

# Buttons of BUTTON.
STOP = 1
UNDO = 2
SHUFFLE = 3

# Capabilities in HELLO, added up.
HAS_SHIP = 1
"""An accelerometer or tilt switch: ATTITUDE comes."""
HAS_LIGHTS = 2
HAS_BUZZERS = 4
HAS_BUTTONS = 8

LONGEST_BODY = 240
LONGEST_TEXT = 80
LAY_THERE = 0x80
_WRAP = 0x3FFFFFFF


def pack_hello(firmware: str, capabilities: int, places: list[str]) -> bytes:
    """What an end tells of itself; the link adds protocol version and boot id.

    Args:
        firmware: name and version, for people, such as `Pico W, Tidetable 1.0`.
        capabilities: HAS_ constants, added up.
        places: what each place calls itself, by number from 0, such as `PN532 v1.6`.

    Raises:
        ValueError: it does not fit into one frame.
    """
    body = struct.pack("<HB", capabilities, len(places)) + _text(firmware)
    for place in places:
        body += _text(place)
    if len(body) > LONGEST_BODY - 16:
        raise ValueError(f"a HELLO of {len(body)} bytes is too long: use shorter names")
    return body


def unpack_hello(body: bytes) -> tuple[str, int, list[str]]:
    """Name and version of the firmware, capabilities, names of the places."""
    if len(body) < 3:
        raise ValueError("a HELLO that is too short")
    capabilities, count = struct.unpack("<HB", body[:3])
    texts = []
    start = 3
    for _ in range(count + 1):
        end = start + 1 + (body[start] if start < len(body) else 0)
        if end > len(body) or start >= len(body):
            raise ValueError("a HELLO whose end is missing")
        texts.append(_decoded(body[start + 1 : end]))
        start = end
    return texts[0], capabilities, texts[1:]


def pack_tag_on(place: int, uid: bytes, t_ms: int, *, lay_there: bool = False) -> bytes:
    """TAG_ON: a tag lies at this place.

    Args:
        place: number of the place, 0 to 126.
        uid: 4, 7 or 10 bytes in transmission order.
        t_ms: when it was seen.
        lay_there: it lay there when the place began to answer.
    """
    return pack_place(place | (LAY_THERE if lay_there else 0), t_ms) + uid


def unpack_tag_on(body: bytes) -> tuple[int, bytes, int, bool]:
    """Place, UID, t_ms, whether it lay there when the place began to answer."""
    place, uid, t_ms = _unpack_tag(body)
    return place & ~LAY_THERE, uid, t_ms, bool(place & LAY_THERE)


def pack_tag_off(place: int, uid: bytes, t_ms: int) -> bytes:
    """TAG_OFF: the tag left this place."""
    return pack_place(place, t_ms) + uid


def unpack_tag_off(body: bytes) -> tuple[int, bytes, int]:
    """Place, UID, t_ms."""
    return _unpack_tag(body)


def pack_place(place: int, t_ms: int) -> bytes:
    """SEVERAL, PLACE_LOST and PLACE_BACK: the place, and when."""
    return struct.pack("<BI", place, t_ms & _WRAP)


def unpack_place(body: bytes) -> tuple[int, int]:
    """Place, t_ms."""
    _sized(body, 5)
    place, t_ms = struct.unpack("<BI", body)
    return place, t_ms


def pack_unreadable(place: int, reason: str, t_ms: int) -> bytes:
    """UNREADABLE: something lies there that gives no UID; the reason is cut to 80 bytes."""
    return pack_place(place, t_ms) + _text(reason)[1:]


def unpack_unreadable(body: bytes) -> tuple[int, str, int]:
    """Place, reason, t_ms."""
    place, t_ms = unpack_place(body[:5])
    return place, _decoded(body[5:]), t_ms


def pack_button(place: int, button: int, t_ms: int) -> bytes:
    """BUTTON: STOP, UNDO or SHUFFLE was pressed at this place."""
    return struct.pack("<BBI", place, button, t_ms & _WRAP)


def unpack_button(body: bytes) -> tuple[int, int, int]:
    """Place, button, t_ms."""
    _sized(body, 6)
    place, button, t_ms = struct.unpack("<BBI", body)
    return place, button, t_ms


def pack_attitude(x_mg: int, y_mg: int, z_mg: int, t_ms: int) -> bytes:
    """ATTITUDE: the acceleration that the ship's sensor feels, in thousandths of g."""
    return struct.pack("<hhhI", _short(x_mg), _short(y_mg), _short(z_mg), t_ms & _WRAP)


def unpack_attitude(body: bytes) -> tuple[int, int, int, int]:
    """x_mg, y_mg, z_mg, t_ms."""
    _sized(body, 10)
    x_mg, y_mg, z_mg, t_ms = struct.unpack("<hhhI", body)
    return x_mg, y_mg, z_mg, t_ms


def pack_overflow(count: int) -> bytes:
    """OVERFLOW: so many messages were lost at this point, since nobody took them."""
    return struct.pack("<I", min(count, 0xFFFFFFFF))


def unpack_overflow(body: bytes) -> int:
    """How many were lost."""
    _sized(body, 4)
    return int(struct.unpack("<I", body)[0])


def pack_signal(place: int, sign: int) -> bytes:
    """SIGNAL: show ACCEPTED, REFUSED, YOUR_TURN or ALARM at this place."""
    return struct.pack("<BB", place, sign)


def unpack_signal(body: bytes) -> tuple[int, int]:
    """Place, sign."""
    _sized(body, 2)
    return body[0], body[1]


def pack_sampling(rate_hz: int) -> bytes:
    """SAMPLING: how often the ship is to be looked at from now on, 1 to 255 times a second."""
    return struct.pack("<B", rate_hz)


def unpack_sampling(body: bytes) -> int:
    """The rate in Hz."""
    _sized(body, 1)
    return body[0]


def _unpack_tag(body: bytes) -> tuple[int, bytes, int]:
    if not 6 <= len(body) <= 15:
        raise ValueError("a tag's message of a wrong length")
    place, t_ms = struct.unpack("<BI", body[:5])
    return place, body[5:], t_ms


def _sized(body: bytes, size: int) -> None:
    if len(body) != size:
        raise ValueError(f"a body of {len(body)} bytes where {size} belong")


def _short(value: int) -> int:
    return max(-32768, min(32767, value))


def _text(text: str) -> bytes:
    """UTF-8 with its length before it, cut to LONGEST_TEXT bytes at a whole character."""
    data = text.encode()
    if len(data) > LONGEST_TEXT:
        end = LONGEST_TEXT
        while data[end] & 0xC0 == 0x80:
            end -= 1
        data = data[:end]
    return bytes((len(data),)) + data


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeError:  # MicroPython has no "replace"
        raise ValueError("a text that is not UTF-8") from None
