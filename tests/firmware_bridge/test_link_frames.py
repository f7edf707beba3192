"""COBS, CRC and frames, against other implementations and against noise."""

import binascii
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import cobs
from firmware_bridge.crc16 import crc16
from firmware_bridge.frames import LONGEST_FRAME, LONGEST_PAYLOAD, Unframer, frame

PAYLOADS = st.binary(min_size=1, max_size=LONGEST_PAYLOAD)
WITH_ZEROS = st.lists(
    st.sampled_from([b"\0", b"\1", b"\xff", b"x" * 253, b"x" * 254, b"x" * 255]), max_size=6
).map(b"".join)


def cobs_by_definition(data):
    """Byte by byte, as the paper has it: the code counts to the next zero, 255 is full."""
    out, block = [], []
    data = [*data, 0]  # the zero that the paper puts behind the packet
    for index, byte in enumerate(data):
        if byte:
            block.append(byte)
            if len(block) == 254:
                out += [255, *block]
                block = []
                if index == len(data) - 2:
                    return bytes(out)
        else:
            out += [len(block) + 1, *block]
            block = []
    return bytes(out)


def cobs_undone_by_definition(stuffed):
    out, left, zero_follows = [], 0, False
    for byte in stuffed:
        if left:
            out.append(byte)
            left -= 1
            continue
        if zero_follows:
            out.append(0)
        left, zero_follows = byte - 1, byte != 255
    return bytes(out)


@pytest.mark.parametrize(
    ("plain", "stuffed"),
    [
        ("", "01"),
        ("00", "0101"),
        ("0000", "010101"),
        ("001100", "01021101"),
        ("11220033", "0311220233"),
        ("11223344", "0511223344"),
        ("11000000", "0211010101"),
        (bytes(range(1, 255)).hex(), "ff" + bytes(range(1, 255)).hex()),
        (bytes(range(255)).hex(), "01ff" + bytes(range(1, 255)).hex()),
        (bytes(range(1, 256)).hex(), "ff" + bytes(range(1, 255)).hex() + "02ff"),
        ((bytes(range(2, 256)) + b"\0").hex(), "ff" + bytes(range(2, 256)).hex() + "0101"),
        ((bytes(range(3, 256)) + b"\0\1").hex(), "fe" + bytes(range(3, 256)).hex() + "0201"),
    ],
)
def test_cobs_has_the_published_vectors(plain, stuffed):
    assert cobs.encode(bytes.fromhex(plain)).hex() == stuffed
    assert cobs.decode(bytes.fromhex(stuffed)).hex() == plain


@given(st.binary(max_size=700) | WITH_ZEROS)
def test_cobs_does_what_the_definition_says(data):
    stuffed = cobs.encode(data)
    assert stuffed == cobs_by_definition(data)
    assert cobs.decode(stuffed) == cobs_undone_by_definition(stuffed) == data
    assert 0 not in stuffed
    assert len(stuffed) <= len(data) + 1 + len(data) // 254


@pytest.mark.parametrize("bad", ["00", "0300", "05112233", "ff01", "020003"])
def test_what_no_encoder_gives_is_refused(bad):
    with pytest.raises(ValueError, match="COBS"):
        cobs.decode(bytes.fromhex(bad))


def test_the_check_value_of_the_crc_is_the_published_one():
    assert crc16(b"123456789") == 0x29B1
    assert crc16(b"") == 0xFFFF


@given(st.binary(max_size=300))
def test_the_crc_is_that_of_the_standard_library(data):
    assert crc16(data) == binascii.crc_hqx(data, 0xFFFF)


def test_a_payload_that_is_too_long_is_refused():
    assert len(frame(bytes(LONGEST_PAYLOAD))) <= LONGEST_FRAME + 1
    with pytest.raises(ValueError, match="250"):
        frame(bytes(LONGEST_PAYLOAD + 1))


@given(st.lists(PAYLOADS, max_size=5), st.data())
def test_any_pieces_give_the_same_payloads(payloads, data):
    stream = b"".join(map(frame, payloads))
    unframer, found = Unframer(), []
    while stream:
        size = data.draw(st.integers(0, len(stream)))
        found += unframer.feed(stream[: size or 1])
        stream = stream[size or 1 :]
    assert found == payloads
    assert (unframer.good, unframer.bad) == (len(payloads), 0)


def test_every_split_of_a_stream_gives_the_same_payloads():
    payloads = [b"\0", b"one", b"", bytes(range(250)), b"\xff\0\xff", b"end"]
    stream = b"".join(frame(payload) for payload in payloads if payload)
    for first in range(len(stream) + 1):
        for second in {first, min(first + 1, len(stream)), len(stream)}:
            unframer = Unframer()
            found = unframer.feed(stream[:first])
            found += unframer.feed(stream[first:second])
            found += unframer.feed(stream[second:])
            assert found == [payload for payload in payloads if payload]


@given(st.binary(max_size=900), PAYLOADS, PAYLOADS)
def test_after_noise_at_most_one_frame_is_lost(noise, first, second):
    unframer = Unframer()
    unframer.feed(noise)
    found = unframer.feed(frame(first) + frame(second))
    assert found in ([first, second], [second])


@given(PAYLOADS)
def test_half_a_frame_is_forgotten_when_the_line_was_cut(payload):
    unframer = Unframer()
    unframer.feed(frame(b"half of this")[:7])
    unframer.reset()
    assert unframer.feed(frame(payload)) == [payload]
    assert unframer.bad == 0


@given(PAYLOADS, st.data())
def test_no_burst_of_sixteen_bits_passes(payload, data):
    """What the polynomial promises, looked at where it holds: before the stuffing."""
    checked = int.from_bytes(payload + crc16(payload).to_bytes(2, "big"), "big")
    length = 8 * (len(payload) + 2)
    burst = data.draw(st.integers(1, 0xFFFF)) << data.draw(st.integers(0, length - 16))
    spoilt = (checked ^ burst).to_bytes(len(payload) + 2, "big")
    assert crc16(spoilt[:-2]) != int.from_bytes(spoilt[-2:], "big")


MILLION = 1_000_000


def pieces_of(stream, chance):
    start = 0
    while start < len(stream):
        end = start + chance.randrange(1, 4096)
        yield stream[start:end]
        start = end


def test_ten_million_random_bytes_hold_next_to_no_frame():
    """A CRC of 16 bits lets one in 65536 noises of the right form pass; these hold none."""
    chance = random.Random(4)
    unframer, found = Unframer(), []
    for piece in pieces_of(chance.randbytes(10 * MILLION), chance):
        found += unframer.feed(piece)
    assert found == []
    assert unframer.bad > 30_000
    unframer.feed(b"\0")
    assert unframer.feed(frame(b"here")) == [b"here"]


def test_five_million_mutated_bytes_give_only_what_was_sent():
    """Every frame that was not touched arrives, no other does, and all in order."""
    chance = random.Random(20)
    sent = []
    stream = bytearray()
    starts = []
    while len(stream) < 5 * MILLION:
        payload = len(sent).to_bytes(4, "big") + chance.randbytes(chance.randrange(1, 60))
        sent.append(payload)
        starts.append(len(stream))
        stream += frame(payload)
    starts.append(len(stream))
    touched = set()  # frames whose bytes, or whose delimiter before them, were changed
    index = 0
    places = sorted(chance.sample(range(len(stream)), 60_000))
    for place in places:
        stream[place] = chance.choice((0, stream[place] ^ 1 << chance.randrange(8), 255))
        while place >= starts[index + 1]:
            index += 1
        touched.add(index)
        if place == starts[index + 1] - 1:
            touched.add(index + 1)
    unframer, found = Unframer(), []
    for piece in pieces_of(bytes(stream), chance):
        found += unframer.feed(piece)
    numbers = [int.from_bytes(payload[:4], "big") for payload in found]
    assert numbers == sorted(set(numbers))
    assert all(sent[number] == payload for number, payload in zip(numbers, found, strict=True))
    assert set(range(len(sent))) - set(numbers) <= touched
    assert len(found) > len(sent) / 2
