"""The one spelling of a tag's UID: upper-case hex, in transmission order, no separators.

Readers, libraries and prints spell one UID in many ways. Those that can be told for
certain are brought into the canonical form; the others are refused with the reason,
because a wrong guess would put a wrong card on the table. A UID has 4, 7 or 10 bytes
(ISO/IEC 14443-3, single, double and triple size).
"""

from __future__ import annotations

import re
from functools import reduce
from operator import xor

from companion.said import say

SIZES_BYTES = (4, 7, 10)
CASCADE_TAG = 0x88
RANDOM_UID_PREFIX = 0x08
VIRTUAL_MAKER = "FE"
"""How UIDs of tags in software begin: no maker of tags has it (ISO/IEC 7816-6)."""

_SEPARATED = re.compile(r"(?:0[xX])?[0-9A-Fa-f]+(?:[ :.-][0-9A-Fa-f]+)*")


class UidError(ValueError):
    """The text is no UID that can be trusted; the message says why and what to do."""


def from_bytes(uid: bytes) -> str:
    """The canonical form of a UID as the reader transmitted it.

    Raises:
        UidError: not 4, 7 or 10 bytes.
    """
    if len(uid) not in SIZES_BYTES:
        raise UidError(
            say("A UID has 4, 7 or 10 bytes, and this one has %(number)s.", number=len(uid))
        )
    return uid.hex().upper()


def parse(text: str, *, short: bool = False) -> str:
    """The canonical form of a UID as people and programs write it.

    Taken: any case, `0x` before it, and bytes separated by spaces, colons, dots or
    hyphens; four bytes followed by their check byte (BCC, ISO/IEC 14443-3), which is cut.

    Args:
        text: as it is written.
        short: somebody has made sure that four bytes from 88 are a whole UID, and not one of
            seven bytes that was cut.

    Raises:
        UidError: not a UID, or one that a reader's library has spoilt.
    """
    stripped = text.strip()
    if not stripped:
        raise UidError("The UID is empty.")
    if not _SEPARATED.fullmatch(stripped):
        raise UidError(f"{_shown(stripped)} is not hexadecimal.")
    parts = re.split("[ :.-]", re.sub("^0[xX]", "", stripped))
    if len(parts) > 1 and any(len(part) % 2 for part in parts):
        raise UidError(
            f"{_shown(stripped)} has a byte of one digit: write each byte with two digits."
        )
    digits = "".join(parts)
    if len(digits) % 2:
        raise UidError(
            f"{_shown(stripped)} has an odd number of digits: a leading zero of a byte was "
            "dropped. Read the tag again with a program that writes two digits a byte."
        )
    uid = bytes.fromhex(digits)
    if len(uid) == 5 and stripped.isdigit():
        raise UidError(f"{stripped} looks like a decimal number: write the UID in hexadecimal.")
    if len(uid) == 5 and reduce(xor, uid) == 0:
        uid = uid[:4]
    if len(uid) == 4 and uid[0] == CASCADE_TAG and not short:
        raise UidError(
            say(
                "%(text)s begins with 88: your reader's library cuts 7-byte UIDs. Read the tag again "
                "with a program that gives all seven bytes.",
                text=_shown(stripped),
            )
        )
    return from_bytes(uid)


def looks_cut(uid: str) -> bool:
    """Whether a reader's library may have cut this from a longer UID (4 bytes from 88)."""
    return len(uid) == 8 and int(uid[:2], 16) == CASCADE_TAG


def is_random(uid: str) -> bool:
    """Whether the tag makes up a new UID at each tap (4 bytes from 08, ISO/IEC 14443-3)."""
    return len(uid) == 8 and int(uid[:2], 16) == RANDOM_UID_PREFIX


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
