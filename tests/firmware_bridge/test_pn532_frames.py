"""The frames of a PN532, byte by byte: known ones, cut and spoilt ones, and chance."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.pn532 import (
    ACK,
    INCOMPLETE,
    LONGEST_BYTES,
    NACK,
    WRONG_CHECK,
    WRONG_SIZE,
    Frames,
    Malformed,
    Unreadable,
    frame,
    since,
    uids,
)

CLASSIC = "0000FF0CF4 D54B 01 01 0004 08 04 82ACB95D 8A00"
NTAG = "0000FF0FF1 D54B 01 01 0044 00 07 04517CE1ED2580 4F00"
BOTH = "0000FF18E8 D54B 02 01 0044 00 07 04517CE1ED2580 02 0004 08 04 82ACB95D F800"

KNOWN = [
    "0000FF03FD D41401 1700",
    "0000FF05FB D414010000 1700",
    "0000FF05FB D414010001 1600",
    "0000FF02FE D515 1600",
    "0000FF02FE D402 2A00",
    "0000FF06FA D50332010607 E800",
    "0000FF06FA D50332010407 EA00",
    "0000FF04FC D44A0100 E100",
    "0000FF04FC D44A0200 E000",
    "0000FF03FD D54B00 E000",
    CLASSIC,
    NTAG,
    BOTH,
    "0000FF05FB D440013000 BB00",
    "0000FF03FD D54101 E900",
    "0000FF03FD D45200 DA00",
    "0000FF06FA D43205FFFFFF F800",
    "0000FF02FE D533 F800",
    "0000FF03FD D41214 0600",
    "0000FF02FE D513 1800",
    "0000FF09F7 D400006C69626E6663 BE00",
    "0000FF01FF 7F 8100",
]
DATA = [bytes.fromhex(text)[5:-2] for text in KNOWN]


def contents(found):
    return [content for kind, content in found if kind == Frames.DATA]


def all_frames(data):
    frames = Frames()
    return frames.feed(data) + frames.resynchronise()


@pytest.mark.parametrize("text", KNOWN)
def test_a_known_frame_is_built_and_found(text):
    known = bytes.fromhex(text)
    data = known[5:-2]
    assert frame(data) == known
    assert Frames().feed(known) == [(Frames.DATA, data)]


def test_acknowledgements_are_told_from_data():
    assert ACK.hex(" ").upper() == "00 00 FF 00 FF 00"
    assert NACK.hex(" ").upper() == "00 00 FF FF 00 00"
    assert Frames().feed(ACK) == [(Frames.ACK, b"")]
    assert contents(Frames().feed(NACK)) == []


@pytest.mark.parametrize("size", [1, 2, 254, 255, 256, 264, LONGEST_BYTES])
def test_a_frame_of_any_size(size):
    data = bytes(number % 251 for number in range(size))
    assert Frames().feed(frame(data)) == [(Frames.DATA, data)]


def test_a_long_frame_is_extended():
    """Length in two bytes, high one first, with a check of both."""
    assert frame(bytes(256))[:8].hex() == "0000ffffff0100ff"
    assert frame(bytes(265))[:8].hex() == "0000ffffff0109f6"


def test_a_short_frame_may_be_written_as_an_extended_one():
    assert contents(Frames().feed(bytes.fromhex("0000FFFFFF0002FE D515 1600"))) == [b"\xd5\x15"]


def test_what_is_longer_than_any_frame_is_none():
    too_long = bytes.fromhex("0000FFFFFF010AF5")
    assert contents(Frames().feed(too_long + frame(b"\xd5\x15"))) == [b"\xd5\x15"]


@pytest.mark.parametrize(
    "spoilt",
    [
        "0000FF0CF5 D54B 01 01 0004 08 04 82ACB95D 8A00",  # check of the length
        "0000FF0CF4 D54B 01 01 0004 08 04 82ACB95C 8A00",  # a byte
        "0000FF0CF4 D54B 01 01 0004 08 04 82ACB95D 8B00",  # check of the data
        "0000FFFFFF000CF5 D54B 01 01 0004 08 04 82ACB95D 8A00",
        "0000FF0000",
    ],
)
def test_a_spoilt_frame_is_noticed_and_the_next_one_found(spoilt):
    found = Frames().feed(bytes.fromhex(spoilt) + frame(b"\xd5\x15"))
    assert (Frames.BROKEN, b"") in found
    assert contents(found) == [b"\xd5\x15"]


@pytest.mark.parametrize(
    ("around", "count"),
    [
        ("0000FF00FF00 0000FF02FED5151600", 2),  # acknowledgement and answer in one piece
        ("988098801E66 0000FF02FED5151600", 1),
        ("003FDFFFE9AF 0000FF02FED5151600", 1),
        ("00FEE2 0000FF02FED5151600", 1),  # the tail of something
        ("55550000000000 0000FF02FED5151600", 1),
        ("0000FF02FED5 0000FF02FED5151600", 1),  # the half of one, and then the whole
        ("0000FF0CF4 0000FF02FED5151600 00000000", 1),
        ("0000 0000FF02FED5151600", 1),
        ("00FF 0000FF02FED5151600", 1),
        ("FF 00 0000FF02FED5151600 FF 00", 1),
    ],
)
def test_a_frame_is_found_among_what_is_none(around, count):
    found = [each for each in all_frames(bytes.fromhex(around)) if each[0] != Frames.BROKEN]
    assert found[-1] == (Frames.DATA, b"\xd5\x15")
    assert len(found) == count


def test_the_answer_that_was_read_by_20_bytes():
    frames = Frames()
    answer = ACK + bytes.fromhex(NTAG)
    assert frames.feed(answer[:20]) == [(Frames.ACK, b"")]
    assert contents(frames.feed(answer[20:])) == [bytes.fromhex(NTAG)[5:-2]]


def test_a_half_frame_is_given_up_when_told():
    frames = Frames()
    assert frames.feed(bytes.fromhex("0000FF FF01 D5")) == []
    assert frames.feed(ACK + frame(b"\xd5\x15")) == []
    assert frames.resynchronise() == [(Frames.ACK, b""), (Frames.DATA, b"\xd5\x15")]
    assert frames.resynchronise() == []


def test_zeros_are_no_noise_and_the_rest_is():
    frames = Frames()
    frames.feed(ACK + bytes(10) + frame(b"\xd5\x15") + bytes(3))
    assert frames.noise == 0
    frames.feed(bytes.fromhex("988098801E66"))
    assert frames.noise == 6
    frames.feed(bytes.fromhex("0000FF0000 000000"))
    assert frames.noise == 7


STREAMS = st.lists(
    st.one_of(
        st.sampled_from(
            [ACK, NACK, b"\x00", b"\x00\x00", b"\x00\x00\xff", b"\x00\x00\xff\xff\xff"]
        ),
        st.sampled_from(DATA).map(frame),
        st.sampled_from(DATA).map(lambda data: frame(data)[:-4]),
        st.binary(max_size=265, min_size=1).map(frame),
        st.binary(max_size=8),
    ),
    max_size=8,
).map(b"".join)


@given(STREAMS, st.data())
def test_frames_are_the_same_however_they_are_cut(stream, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    whole, cut = Frames(), Frames()
    expected = whole.feed(stream)
    found = []
    for begin, end in pairwise([0, *cuts, len(stream)]):
        found += cut.feed(stream[begin:end])
    assert found == expected
    assert cut.resynchronise() == whole.resynchronise()
    assert cut.noise == whole.noise


def test_every_single_cut_and_every_byte_alone():
    stream = b"\x98\x80" + ACK + bytes.fromhex(BOTH) + b"\x00\x00\xff\x02" + frame(bytes(260))
    expected = Frames().feed(stream)
    assert len(contents(expected)) == 2
    for cut in range(len(stream)):
        frames = Frames()
        assert frames.feed(stream[:cut]) + frames.feed(stream[cut:]) == expected
    frames = Frames()
    assert [each for byte in stream for each in frames.feed(bytes([byte]))] == expected


@given(st.binary(max_size=40), st.sampled_from(DATA), st.sampled_from(DATA))
def test_after_anything_the_second_frame_is_found(garbage, first, second):
    found = contents(all_frames(garbage + frame(first) + frame(second)))
    assert found[-1:] == [second]


@given(st.sampled_from(DATA), st.data())
def test_one_wrong_byte_never_makes_another_frame(data, draw):
    spoilt = bytearray(frame(data))
    spoilt[draw.draw(st.integers(0, len(spoilt) - 1))] ^= draw.draw(st.integers(1, 255))
    assert contents(all_frames(bytes(spoilt))) in ([], [data])


# --- answers ---------------------------------------------------------------------------

A7, B4 = bytes.fromhex("04517CE1ED2580"), bytes.fromhex("82ACB95D")
TEN = bytes.fromhex("04010203040506070809")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("00", ()),
        ("01 01 0004 08 04 82ACB95D", (B4,)),
        ("01 01 0400 08 04 82ACB95D", (B4,)),  # the ATQA the other way round
        ("01 01 0044 00 07 04517CE1ED2580", (A7,)),
        ("02 01 0044 00 07 04517CE1ED2580 02 0004 08 04 82ACB95D", (A7, B4)),
        ("01 01 0084 00 0A 04010203040506070809", (TEN,)),
        ("01 01 0004 08 04 1ADA7444", (bytes.fromhex("1ADA7444"),)),
        # 88 is no cascade tag where the SAK says that the UID is whole
        ("01 01 0004 08 04 8804A3C6", (bytes.fromhex("8804A3C6"),)),
        ("01 01 0044 00 07 88517CE1ED2580", (bytes.fromhex("88517CE1ED2580"),)),
        # with its check byte
        ("01 01 0004 08 05 8B6566B931", (bytes.fromhex("8B6566B9"),)),
        # with an answer to select behind it (its first byte is its length)
        ("01 01 0344 20 07 04517CE1ED2580 06757781028000"[:-2], (A7,)),
        ("01 01 0344 20 07 04517CE1ED2580", (A7,)),
        ("02 01 0344 20 07 04517CE1ED2580 067577810280 02 0004 08 04 82ACB95D", (A7, B4)),
        ("02 01 0344 20 07 04517CE1ED2580 02 0004 08 04 82ACB95D", (A7, B4)),
        ("02 01 0004 28 04 82ACB95D 01 02 0344 20 07 04517CE1ED2580 0180"[:-2], (B4, A7)),
        # copies of the chip that count one tag several times
        ("03" + " 01 0004 08 04 82ACB95D" * 3, (B4,)),
    ],
)
def test_an_answer_names_these(answer, expected):
    assert uids(bytes.fromhex(answer)) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "01",
        "00 01",
        "01 01 0004 08 04 82ACB9",
        "01 01 0004 08 04 82ACB95D 00",
        "02 01 0004 08 04 82ACB95D",
        "01 01 0344 20 07 04517CE1ED2580 07757781",
        "01 01 0344 20 07 04517CE1ED2580 00",
        "FF" + " 01 0004 08 04 82ACB95D" * 20,
        "11" + " 01 0004 08 04 82ACB95D" * 17,
        "01 01 0004 08",
    ],
)
def test_an_answer_that_contradicts_itself(answer):
    with pytest.raises(Malformed):
        uids(bytes.fromhex(answer))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("01 01 0044 04 04 8804A3C6", INCOMPLETE),  # the first level of 04A3C6CAE26180
        ("01 01 0044 04 04 04A3C6CA", INCOMPLETE),
        ("01 01 0344 24 07 04517CE1ED2580", INCOMPLETE),
        ("01 01 0004 08 05 8B6566B932", WRONG_CHECK),
        ("01 01 0004 08 03 8B6566", WRONG_SIZE),
        ("01 01 0004 08 00", WRONG_SIZE),
        ("01 01 0044 00 08 8804517CE1ED2580", WRONG_SIZE),
        ("02 01 0044 00 07 04517CE1ED2580 02 0044 04 04 8804A3C6", INCOMPLETE),
    ],
)
def test_a_uid_that_cannot_be_believed(answer, reason):
    with pytest.raises(Unreadable, match=reason):
        uids(bytes.fromhex(answer))


@given(st.binary(max_size=60))
def test_any_answer_has_whole_uids_or_none(answer):
    try:
        found = uids(answer)
    except (Malformed, Unreadable):
        return
    assert all(len(uid) in (4, 7, 10) for uid in found)
    assert len(set(found)) == len(found)


# --- chance -------------------------------------------------------------------------------


LIKELY = bytes.fromhex("0000000000FFFFFFD54B 0101 02 04 07 08 0C F4 0F F1 FE FD 0044 00")
"""What frames are made of, so that chance makes many that are nearly right."""


@pytest.mark.parametrize(
    ("alphabet", "piece_bytes"), [(None, 64), (None, 4096), (LIKELY, 7), (LIKELY, 300)]
)
def test_ten_million_random_bytes_are_no_target(alphabet, piece_bytes):
    """Forty million in all; each piece as a wire or a bus may hand it over."""
    chance = random.Random(piece_bytes)
    letters = alphabet and (alphabet * 256)[:256]
    frames = Frames()
    for _ in range(10):
        noise = chance.randbytes(1_000_000)
        if letters:
            noise = noise.translate(letters)
        for begin in range(0, len(noise), piece_bytes):
            for kind, content in frames.feed(noise[begin : begin + piece_bytes]):
                assert kind != Frames.DATA or not targets(content)
            assert len(frames._bytes) < LONGEST_BYTES + 10
    assert frames.noise > 3_000_000


def targets(content):
    if content[:2] != b"\xd5\x4b":
        return ()
    try:
        return uids(content[2:])
    except (Malformed, Unreadable):
        return ()


def test_a_million_bytes_of_spoilt_frames_do_no_harm():
    """One byte in twenty is turned, doubled or lost; what is found is nearly always true."""
    chance = random.Random(1)
    frames = Frames()
    sent_bytes = sent = true = false = 0
    while sent_bytes < 1_000_000:
        data = chance.choice(DATA)
        spoilt = bytearray()
        for byte in ACK + frame(data):
            lot = chance.random()
            if lot < 0.02:
                spoilt.append(byte ^ 1 << chance.randrange(8))
            elif lot < 0.035:
                spoilt += bytes((byte, byte))
            elif lot >= 0.05:
                spoilt.append(byte)
        sent += 1
        sent_bytes += len(spoilt)
        found = contents(frames.feed(bytes(spoilt)))
        true += data in found
        false += any(each not in DATA for each in found)
    assert true / sent > 0.3
    # The checks have eight bits each, so that some slip through: hence two looks alike.
    assert 0 < false / sent < 0.02


@pytest.mark.parametrize(
    ("now", "then", "passed"),
    [(100, 40, 60), (5, (1 << 30) - 5, 10), ((1 << 30) + 7, (1 << 30) - 3, 10), (40, 100, -60)],
)
def test_milliseconds_are_counted_over_the_wrap(now, then, passed):
    assert since(now, then) == passed
