"""How one tag's UID, as a reader gives it, differs from how another one gives it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from operator import xor
from typing import Literal, TypeAlias

from companion.uid import CASCADE_TAG, is_random

Relation: TypeAlias = Literal[
    "same",
    "reversed",
    "check-byte",
    "cut",
    "dropped-zero",
    "decimal",
    "inverted",
    "mirrored",
    "random",
    "other",
]

SENTENCES: dict[Relation, tuple[str, str]] = {
    "reversed": (
        "gives the bytes of a UID in reversed order",
        "set its firmware to the order in which the tag sends them, or take another reader",
    ),
    "check-byte": (
        "appends the check byte (BCC) to the UID",
        "let its firmware give the UID alone",
    ),
    "cut": (
        "gives only a part of UIDs of seven bytes: its library stops after the first cascade level",
        "use a library that goes on while bit 04 of the SAK says so",
    ),
    "dropped-zero": (
        "drops the leading zero of a byte",
        "let its firmware write two digits a byte (%02X)",
    ),
    "decimal": (
        "gives the UID as a decimal number",
        "let its firmware write it in hexadecimal",
    ),
    "inverted": (
        "gives all bits of the UID inverted",
        "mend the inversion in its firmware",
    ),
    "mirrored": (
        "gives the bits of each byte in reversed order",
        "set its firmware to least significant bit first, as the standard sends them",
    ),
    "random": (
        "saw a number that this card makes up anew at each tap, as passports and phones do",
        "take a plain card or sticker, and begin again",
    ),
    "other": (
        "gave a UID that is no other spelling of that of the other readers",
        "lay one and the same card on every reader, and begin again",
    ),
}
"""What a reader does, and what to do about it."""


def relation(reference: str, text: str) -> Relation:
    """What was done to a UID to make this text of it.

    Args:
        reference: the UID, canonical.
        text: as another reader told it, canonical or not.
    """
    plain = text.strip()
    digits = re.sub("[^0-9A-F]", "", re.sub("0[xX]", "", plain).upper())
    raw = bytes.fromhex(reference)
    for way in _spelt(raw, digits, plain):
        return way
    if is_random(reference) and is_random(digits):
        return "random"
    return "other"


def _spelt(raw: bytes, digits: str, plain: str) -> Iterator[Relation]:
    check = bytes([reduce(xor, raw)])
    if digits == _hex(raw):
        yield "same"
    if digits == _hex(raw[::-1]):
        yield "reversed"
    if digits in (_hex(raw + check), _hex(check + raw[::-1])):
        yield "check-byte"
    if len(raw) > 4:
        for part in (raw[:4], bytes([CASCADE_TAG]) + raw[:3]):
            with_check = part + bytes([reduce(xor, part)])
            if digits in map(_hex, (part, part[::-1], with_check)):
                yield "cut"
    for way in (raw, raw[::-1]):
        if plain.isdigit() and int(plain) == int.from_bytes(way, "big"):
            yield "decimal"
        if digits == "".join(f"{byte:X}" for byte in way):
            yield "dropped-zero"
    if digits == _hex(bytes(byte ^ 0xFF for byte in raw)):
        yield "inverted"
    if digits == _hex(bytes(int(f"{byte:08b}"[::-1], 2) for byte in raw)):
        yield "mirrored"


def _hex(raw: bytes) -> str:
    return raw.hex().upper()


def quoted(reason: str) -> str | None:
    """What a reader told, as the sentence quotes it that refuses it; None where it does not."""
    found = re.search(r"'([0-9A-Fa-fxX :.\-]{4,40})'|\b(\d{8,20})\b", reason)
    return None if found is None else found[1] or found[2]
