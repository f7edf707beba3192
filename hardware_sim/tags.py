"""NFC tags as a reader finds them: NTAG213, 215 and 216, and the MIFARE Classic 1K.

A tag keeps the state of ISO/IEC 14443-3 (idle, active, halted) and its memory, and answers
what a type 2 or a MIFARE reader sends. What it answers is one of three: bytes (without
CRC), a four-bit acknowledgement (an int: 10 for well done, else refused) or nothing.

Facts: data sheets NTAG213/215/216 (chapters 8 to 10) and MF1S50yyX.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from operator import xor

UID_SIZES_BYTES = (4, 7, 10)
PAGE_BYTES = 4
BLOCK_BYTES = 16
EMPTY_NDEF = bytes.fromhex("0103A00C340300FE")
"""What a new NTAG213 holds from page 4: lock control TLV, empty message, terminator."""

ACKNOWLEDGED = 0xA
INVALID_ARGUMENT = 0x0
NOT_AUTHENTICATED = 0x4

Reply = bytes | int | None
"""Bytes without CRC, a four-bit acknowledgement, or silence."""

_CASCADE_TAG = 0x88
_ATQA = {4: 0x0004, 7: 0x0044, 10: 0x0084}
_READ, _FAST_READ, _WRITE, _GET_VERSION = 0x30, 0x3A, 0xA2, 0x60
_PASSWORD, _SIGNATURE, _HALT, _AUTHENTICATE_C = 0x1B, 0x3C, 0x50, 0x1A
_CLASSIC_WRITE = 0xA0


class State(Enum):
    """Where a tag stands in ISO/IEC 14443-3, figure 7."""

    IDLE = "idle"
    ACTIVE = "active"
    HALTED = "halted"


@dataclass(frozen=True, slots=True)
class Ntag:
    """What tells one kind of NTAG from another.

    Attributes:
        name: as people write it.
        user_bytes: how many bytes are free from page 4 on.
        version: the eight bytes of GET_VERSION.
        container: page 3, the capability container.
        blank: what a new one holds from page 4.
        lock_pages: how many pages one dynamic lock bit locks.
    """

    name: str
    user_bytes: int
    version: bytes
    container: bytes
    blank: bytes
    lock_pages: int

    @property
    def pages(self) -> int:
        """All pages: four of the head, the user's, and five of locks and configuration."""
        return 4 + self.user_bytes // PAGE_BYTES + 5


NTAG213 = Ntag(
    "NTAG213",
    144,
    bytes.fromhex("0004040201000F03"),
    bytes.fromhex("E1101200"),
    bytes.fromhex("0103A00C34"),
    2,
)
NTAG215 = Ntag(
    "NTAG215", 504, bytes.fromhex("0004040201001103"), bytes.fromhex("E1103E00"), b"", 16
)
NTAG216 = Ntag(
    "NTAG216", 888, bytes.fromhex("0004040201001303"), bytes.fromhex("E1106D00"), b"", 16
)

DEFAULT_KEY = bytes.fromhex("FFFFFFFFFFFF")
MAD_KEY = bytes.fromhex("A0A1A2A3A4A5")
NDEF_KEY = bytes.fromhex("D3F7D3F7D3F7")
KEY_A, KEY_B = 0x60, 0x61
"""The MIFARE commands that authenticate with one key or the other."""


def parse_uid(text: str) -> bytes:
    """The bytes of a UID in hexadecimal; spaces, colons and hyphens may part the bytes.

    Raises:
        ValueError: not hexadecimal, or not 4, 7 or 10 bytes.
    """
    digits = text.translate(str.maketrans("", "", " :-"))
    try:
        uid = bytes.fromhex(digits)
    except ValueError:
        raise ValueError(f"{text!r} is not hexadecimal, two digits a byte") from None
    if len(uid) not in UID_SIZES_BYTES:
        raise ValueError(f"{text!r} has {len(uid)} bytes, and a UID has 4, 7 or 10")
    return uid


def ntag213_memory(uid: bytes, user_bytes: bytes = EMPTY_NDEF) -> bytes:
    """The 180 bytes of an NTAG213; see `ntag_memory`."""
    return ntag_memory(NTAG213, uid, user_bytes)


def ntag_memory(kind: Ntag, uid: bytes, user_bytes: bytes) -> bytes:
    """All bytes of an NTAG (data sheet NTAG213/215/216, 8.5).

    Pages 0 to 2 hold the UID with its two check bytes and the lock bytes, page 3 the
    capability container, then come the user bytes and five pages of dynamic lock bytes,
    configuration and password.

    Args:
        kind: which of them.
        uid: 7 bytes; of another size, the pages hold as much as fits and zeros.
        user_bytes: from page 4; the rest is zero.

    Raises:
        ValueError: more user bytes than it holds.
    """
    if len(user_bytes) > kind.user_bytes:
        raise ValueError(
            f"An {kind.name} holds {kind.user_bytes} user bytes, and these are {len(user_bytes)}."
        )
    seven = uid[:7].ljust(7, b"\x00")
    first_check = reduce(xor, seven[:3], _CASCADE_TAG)
    second_check = reduce(xor, seven[3:])
    head = seven[:3] + bytes([first_check]) + seven[3:] + bytes([second_check])
    configuration = bytes.fromhex("000000BD 040000FF 00050000 00000000 00000000")
    return (
        head
        + bytes.fromhex("480000")
        + kind.container
        + user_bytes.ljust(kind.user_bytes, b"\x00")
        + configuration
    )


def text_message(text: str, language: str = "en") -> bytes:
    """An NDEF message of one text record, in UTF-8 (NFC Forum, Text Record Type Definition)."""
    code = language.encode("ascii")
    payload = bytes([len(code)]) + code + text.encode()
    if len(payload) < 256:
        return bytes([0xD1, 1, len(payload)]) + b"T" + payload
    return b"\xc1\x01" + len(payload).to_bytes(4, "big") + b"T" + payload


def ndef_user_bytes(kind: Ntag, message: bytes) -> bytes:
    """A message as it lies from page 4 on: the blank tag's TLVs, the message, a terminator."""
    size = len(message)
    length = bytes([size]) if size < 255 else b"\xff" + size.to_bytes(2, "big")
    return kind.blank + b"\x03" + length + message + b"\xfe"


class Tag:
    """A type A tag of which only the UID can be read.

    Args:
        uid: 4, 7 or 10 bytes.
        sak: what it says when it is selected; 0x00 for a type 2 tag, 0x08 for a Classic 1K.

    Attributes:
        uid: its bytes in the order of transmission.
        atqa: its answer to a request, 16 bits.
        sak: as above.
        state: where it stands; losing the field makes it idle.
    """

    def __init__(self, uid: bytes, sak: int = 0x00) -> None:
        if len(uid) not in UID_SIZES_BYTES:
            raise ValueError(f"A UID has 4, 7 or 10 bytes, and this one has {len(uid)}.")
        self.uid = uid
        self.atqa = _ATQA[len(uid)]
        self.sak = sak
        self.state = State.IDLE

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.uid.hex().upper()} {self.state.value}>"

    def lose_field(self) -> None:
        """The reader's field is off, or the tag has left it."""
        self.state = State.IDLE

    def request(self) -> bool:
        """REQA: whether it answers. An active tag does not, and falls back to idle."""
        answers = self.state is State.IDLE
        if self.state is State.ACTIVE:
            self.state = State.IDLE
        return answers

    def select(self) -> None:
        """It was chosen: from now on it takes commands."""
        self.state = State.ACTIVE

    def exchange(self, command: bytes) -> Reply:
        """What it answers to a command, without CRC on either side."""
        if self.state is not State.ACTIVE or not command:
            return None
        if command[0] == _HALT:
            self.state = State.HALTED
            return None
        reply = self._answer(command)
        if reply is None or (isinstance(reply, int) and reply != ACKNOWLEDGED):
            self.state = State.IDLE
        return reply

    def _answer(self, command: bytes) -> Reply:  # noqa: ARG002 - for the kinds below
        return None


class Type2Tag(Tag):
    """An NTAG213, 215 or 216 with its memory.

    Args:
        uid: 4, 7 or 10 bytes; real ones have 7.
        kind: which NTAG.
        text: what the text record in it says; its UID in hexadecimal if left out.
        user_bytes: instead of a text: all that lies from page 4 on.
        password: what PWD_AUTH asks for; it protects nothing.

    Raises:
        ValueError: the UID cannot be, or the memory is too small.
    """

    def __init__(
        self,
        uid: bytes,
        kind: Ntag = NTAG213,
        *,
        text: str | None = None,
        user_bytes: bytes | None = None,
        password: bytes = b"\xff\xff\xff\xff",
    ) -> None:
        super().__init__(uid)
        self.kind = kind
        if user_bytes is None:
            text = uid.hex().upper() if text is None else text
            user_bytes = ndef_user_bytes(kind, text_message(text))
        self.memory = bytearray(ntag_memory(kind, uid, user_bytes))
        self._password = password

    def _answer(self, command: bytes) -> Reply:
        code, size = command[0], len(command)
        if code == _READ and size == 2:
            return self._pages(command[1], 4)
        if code == _FAST_READ and size == 3:
            first, last = command[1:]
            inside = first <= last < self.kind.pages
            return self._pages(first, last - first + 1) if inside else INVALID_ARGUMENT
        if code == _WRITE and size == 6:
            return self._write(command[1], command[2:])
        if code == _GET_VERSION and size == 1:
            return self.kind.version
        if code == _PASSWORD and size == 5:
            return b"\x00\x00" if command[1:] == self._password else INVALID_ARGUMENT
        if code == _SIGNATURE and size == 2:
            return bytes(32)
        # Real ones pass over this unknown command in silence: programs tell an
        # Ultralight C by it.
        return None if code == _AUTHENTICATE_C else INVALID_ARGUMENT

    def _pages(self, first: int, count: int) -> Reply:
        if first >= self.kind.pages:
            return INVALID_ARGUMENT
        # Behind its last page a type 2 tag begins again with the first.
        around = self.memory + self.memory
        return bytes(around[first * PAGE_BYTES : (first + count) * PAGE_BYTES])

    def _write(self, page: int, data: bytes) -> Reply:
        if not 2 <= page < self.kind.pages or self._locked(page):
            return INVALID_ARGUMENT
        start = page * PAGE_BYTES
        old = self.memory[start : start + PAGE_BYTES]
        if page == 2:
            # The second check byte and the internal byte stay; lock bits only ever rise.
            data = bytes(old[:2]) + bytes(a | b for a, b in zip(old[2:], data[2:], strict=True))
        elif page in (3, self.kind.pages - 5):
            data = bytes(a | b for a, b in zip(old, data, strict=True))
        self.memory[start : start + PAGE_BYTES] = data
        return ACKNOWLEDGED

    def _locked(self, page: int) -> bool:
        static = int.from_bytes(self.memory[10:12], "little")
        if 3 <= page <= 15:
            return bool(static >> page & 1)
        dynamic_page = self.kind.pages - 5
        if not 16 <= page < dynamic_page:
            return False
        start = dynamic_page * PAGE_BYTES
        dynamic = int.from_bytes(self.memory[start : start + 2], "little")
        return bool(dynamic >> (page - 16) // self.kind.lock_pages & 1)


class MifareClassic(Tag):
    """A MIFARE Classic 1K: 16 sectors of 4 blocks, read after authentication only.

    Args:
        uid: 4 bytes, or 7 of the newer ones.
        keys: key A of each sector from the first on; where there are too few, the key of
            a new card. Key B is that of a new card everywhere.
    """

    SECTORS = 16

    def __init__(self, uid: bytes, keys: Sequence[bytes] = ()) -> None:
        super().__init__(uid, sak=0x08)
        all_keys = [*keys, *[DEFAULT_KEY] * (self.SECTORS - len(keys))]
        blank = bytes(3 * BLOCK_BYTES)
        self.memory = bytearray(
            b"".join(blank + key + bytes.fromhex("FF078069") + DEFAULT_KEY for key in all_keys)
        )
        check = bytes([reduce(xor, uid)]) if len(uid) == 4 else b""
        head = uid + check + bytes([self.sak]) + self.atqa.to_bytes(2, "little")
        self.memory[: len(head)] = head
        self._open_sector: int | None = None

    def select(self) -> None:
        """See `Tag.select`; all sectors are closed."""
        super().select()
        self._open_sector = None

    def authenticate(self, block: int, which: int, key: bytes) -> bool:
        """Open a sector; a wrong key closes all and makes the tag idle.

        Args:
            block: any of the sector's.
            which: `KEY_A` or `KEY_B`.
            key: 6 bytes.
        """
        self._open_sector = None
        if self.state is not State.ACTIVE or block >= self.SECTORS * 4:
            return False
        trailer = self._block(block | 3)
        if (trailer[:6] if which == KEY_A else trailer[10:]) != key:
            self.state = State.IDLE
            return False
        self._open_sector = block // 4
        return True

    def _block(self, number: int) -> bytes:
        return bytes(self.memory[number * BLOCK_BYTES : (number + 1) * BLOCK_BYTES])

    def _answer(self, command: bytes) -> Reply:
        if len(command) < 2 or command[1] // 4 != self._open_sector:
            return NOT_AUTHENTICATED
        block = command[1]
        if command[0] == _READ and len(command) == 2:
            content = self._block(block)
            return bytes(6) + content[6:] if block % 4 == 3 else content
        if command[0] == _CLASSIC_WRITE and len(command) == 2 + BLOCK_BYTES and block:
            # On the air these are two frames; the reader chip hides that.
            self.memory[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES] = command[2:]
            return ACKNOWLEDGED
        return INVALID_ARGUMENT


KINDS = ("ntag213", "ntag215", "ntag216", "classic")


def make_tag(uid: bytes, kind: str | None = None, text: str | None = None) -> Tag:
    """A tag by the name of its kind.

    Args:
        uid: 4, 7 or 10 bytes.
        kind: one of `KINDS`; if left out, a Classic for 4 bytes and else an NTAG213.
        text: of the text record of an NTAG; its UID if left out.

    Raises:
        ValueError: an unknown kind, a text for a Classic, or one that is too long.
    """
    kind = kind or ("classic" if len(uid) == 4 else "ntag213")
    ntags = {"ntag213": NTAG213, "ntag215": NTAG215, "ntag216": NTAG216}
    if kind in ntags:
        return Type2Tag(uid, ntags[kind], text=text)
    if kind != "classic":
        raise ValueError(f"{kind!r} is no kind of tag; there are {', '.join(KINDS)}")
    if text is not None:
        raise ValueError("a Classic holds no text here: leave the text out or choose an NTAG")
    return MifareClassic(uid)
