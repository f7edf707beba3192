"""One card, many spellings: those seen in the field, and all that can be made up."""

from functools import reduce
from operator import xor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion import uid
from companion.uid import UidError

uids = st.sampled_from(uid.SIZES_BYTES).flatmap(
    lambda size: st.binary(min_size=size, max_size=size)
)
trusted = uids.filter(lambda raw: len(raw) != 4 or raw[0] != uid.CASCADE_TAG)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("04A3C6CAE26180", "04A3C6CAE26180"),
        ("0x04a3c6cae26180", "04A3C6CAE26180"),
        ("04:A3:C6:CA:E2:61:80", "04A3C6CAE26180"),
        (" 04 a3 c6 ca e2 61 80\n", "04A3C6CAE26180"),
        ("8B 65 66 B9 31", "8B6566B9"),  # its check byte appended (miguelbalboa/rfid#604)
        ("55-67-23-2D", "5567232D"),  # esphome/esphome#147
        ("77.E5.EB.59", "77E5EB59"),
        ("1D5B00760D1080", "1D5B00760D1080"),  # a maker other than NXP
        ("04010203040506070809", "04010203040506070809"),
        ("08112233", "08112233"),
    ],
)
def test_spellings_that_are_taken(text, canonical):
    assert uid.parse(text) == canonical


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0x8804a3c6", "cuts 7-byte UIDs"),  # cefn/micropython-mfrc522#2
        ("88 04 A3 C6 E9", "cuts 7-byte UIDs"),  # the same with its check byte
        ("1432822573", "decimal"),  # 5567232D, esphome/esphome#147
        ("EDBA996", "leading zero"),  # ED0BA996, esp-rfid#466
        ("ED:B:A9:96", "one digit"),
        ("E5DFF1", "has 3"),  # 24-bit Wiegand, esp-rfid#395
        ("1A200E", "has 3"),
        ("8B 65 66 B9 32", "has 5"),
        ("", "empty"),
        ("  ", "empty"),
        ("04A3C6CAE2618O", "not hexadecimal"),
        ("04A3::C6", "not hexadecimal"),
        ("04A3C6CAE26180 9000", "has 9"),
    ],
)
def test_spellings_that_are_refused(text, why):
    with pytest.raises(UidError, match=why):
        uid.parse(text)


@pytest.mark.parametrize("size", [0, 1, 3, 5, 6, 8, 9, 11])
def test_other_sizes_are_refused(size):
    with pytest.raises(UidError, match=f"has {size}"):
        uid.from_bytes(bytes(size))


def test_a_long_text_is_shown_short():
    with pytest.raises(UidError) as caught:
        uid.parse("z" * 1000)
    assert len(str(caught.value)) < 80


@pytest.mark.parametrize(
    ("text", "random"),
    [("08112233", True), ("04A3C6CAE26180", False), ("08A3C6CAE26180", False), ("8B6566B9", False)],
)
def test_random_uids_are_known(text, random):
    assert uid.is_random(text) is random


@given(uids)
def test_what_a_reader_transmits_has_one_form(raw):
    canonical = uid.from_bytes(raw)
    assert bytes.fromhex(canonical) == raw
    assert canonical == canonical.upper()


@given(
    trusted,
    st.sampled_from(["", " ", ":", ".", "-"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", " ", "\t"]),
)
def test_every_spelling_comes_to_the_same(raw, separator, prefixed, lower, margin):
    text = raw.hex(separator) if separator else raw.hex()
    text = ("0x" if prefixed else "") + (text if lower else text.upper())
    assert uid.parse(margin + text + margin) == uid.from_bytes(raw)


@given(trusted)
def test_the_canonical_form_stays(raw):
    canonical = uid.from_bytes(raw)
    assert uid.parse(canonical) == canonical


@given(trusted.filter(lambda raw: len(raw) == 4))
def test_a_check_byte_is_cut(raw):
    checked = raw + bytes([reduce(xor, raw)])
    assert uid.parse(checked.hex(":")) == uid.from_bytes(raw)


@given(st.binary(min_size=3, max_size=3))
def test_a_cut_uid_is_never_believed(raw):
    with pytest.raises(UidError):
        uid.parse((bytes([uid.CASCADE_TAG]) + raw).hex())


@given(st.text(max_size=30))
def test_any_text_gives_a_uid_or_a_refusal(text):
    try:
        canonical = uid.parse(text)
    except UidError:
        return
    assert len(canonical) // 2 in uid.SIZES_BYTES
    assert uid.parse(canonical) == canonical
