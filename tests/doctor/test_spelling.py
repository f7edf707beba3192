"""One tag, spelt in every way that readers and their libraries are known to spell it."""

from __future__ import annotations

from functools import reduce
from operator import xor

import pytest

from companion.doctor.spelling import SENTENCES, quoted, relation
from companion.uid import UidError, parse

SEVEN, FOUR, ZERO = "04A3C6CAE26180", "8B6566B9", "ED0BA996"


def raw(uid):
    return bytes.fromhex(uid)


def with_check(part):
    return part + bytes([reduce(xor, part)])


@pytest.mark.parametrize(
    ("uid", "text", "what"),
    [
        (SEVEN, SEVEN, "same"),
        (SEVEN, "04:a3:c6:ca:e2:61:80", "same"),
        (SEVEN, "0x04 0xA3 0xC6 0xCA 0xE2 0x61 0x80", "same"),
        (SEVEN, "8061E2CAC6A304", "reversed"),
        (FOUR, "B966658B", "reversed"),
        (FOUR, "8B6566B931", "check-byte"),
        (FOUR, with_check(raw(FOUR)).hex(), "check-byte"),
        (SEVEN, "8804A3C6", "cut"),
        (SEVEN, with_check(bytes([0x88]) + raw(SEVEN)[:3]).hex(), "cut"),
        (SEVEN, "C6A30488", "cut"),
        (SEVEN, "04A3C6CA", "cut"),
        (ZERO, "EDBA996", "dropped-zero"),
        (SEVEN, "4A3C6CAE26180", "dropped-zero"),
        (FOUR, str(int(FOUR, 16)), "decimal"),
        (FOUR, str(int.from_bytes(raw(FOUR), "little")), "decimal"),
        (SEVEN, str(int(SEVEN, 16)), "decimal"),
        (FOUR, bytes(byte ^ 255 for byte in raw(FOUR)).hex(), "inverted"),
        (FOUR, bytes(int(f"{byte:08b}"[::-1], 2) for byte in raw(FOUR)).hex(), "mirrored"),
        ("08112233", "08AABBCC", "random"),
        (FOUR, "82ACB95D", "other"),
    ],
)
def test_what_was_done_to_a_uid(uid, text, what):
    assert relation(uid, text) == what
    assert what == "same" or what in SENTENCES


@pytest.mark.parametrize(
    ("text", "what"),
    [("EDBA996", "dropped-zero"), (str(int(ZERO, 16)), "decimal")],
)
def test_what_a_refusal_quotes_is_recognised(text, what):
    with pytest.raises(UidError) as refusal:
        parse(text)
    assert relation(ZERO, quoted(str(refusal.value))) == what


def test_the_refusal_of_a_cut_uid_quotes_it():
    with pytest.raises(UidError) as refusal:
        parse("8804A3C6")
    assert relation(SEVEN, quoted(str(refusal.value))) == "cut"


def test_a_sentence_without_a_uid_quotes_nothing():
    assert quoted("hold the card closer, for 3 seconds") is None
