"""The simulated PN532, byte for byte: sleep, frames, commands, looks and tags."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from hardware_sim.pn532_chip import Pn532Chip
from hardware_sim.pn532_frames import ACK, ERROR, NACK, Frame, FrameReader, Kind, encode
from hardware_sim.pn532_radio import Field, crc_a
from hardware_sim.tags import State, make_tag
from tests.support.pn532_host import (
    BOTH_FOUND,
    CLASSIC_FOUND,
    CLASSIC_UID,
    FIRMWARE_VERSION,
    GET_FIRMWARE_VERSION,
    LOOK_FOR_ONE,
    LOOK_FOR_TWO,
    NO_TARGET,
    NTAG_FOUND,
    NTAG_UID,
    SAM_CONFIGURATION,
    WAKE_UP,
    Host,
)


@pytest.fixture
def chip():
    return Pn532Chip()


@pytest.fixture
def host(chip):
    """A host that has woken and configured the chip, with looks that end."""
    host = Host(chip)
    assert host.send(WAKE_UP) == b""
    assert host.answer(SAM_CONFIGURATION) == bytes.fromhex("0000FF02FED5151600")
    assert host.ask("3205FF0102") == ""
    return host


@pytest.fixture
def ntag(chip):
    tag = make_tag(NTAG_UID)
    chip.put(tag)
    return tag


@pytest.fixture
def classic(chip):
    tag = make_tag(CLASSIC_UID)
    chip.put(tag)
    return tag


# --- frames ---------------------------------------------------------------------------


@given(st.lists(st.binary(min_size=1, max_size=265), min_size=1, max_size=4), st.data())
def test_frames_are_found_however_the_bytes_are_cut(bodies, data):
    stream = ACK.join(encode(body) for body in bodies) + NACK
    reader, found = FrameReader(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += reader.feed(stream[:size])
        stream = stream[size:]
    expected = [Frame(Kind.INFORMATION, bodies[0])]
    for body in bodies[1:]:
        expected += [Frame(Kind.ACK), Frame(Kind.INFORMATION, body)]
    assert found == [*expected, Frame(Kind.NACK)]


@given(st.binary(max_size=60).filter(lambda noise: b"\x00\xff" not in noise + b"\x00"))
def test_noise_without_a_start_code_costs_no_frame(noise):
    assert FrameReader().feed(noise + encode(b"\xd4\x02")) == [Frame(Kind.INFORMATION, b"\xd4\x02")]


def test_a_false_start_before_a_frame_costs_nothing():
    for noise in (b"\x00\xff", b"\x00\x00\xff", b"\x00\xff\x05", b"\xff\x00"):
        assert FrameReader().feed(noise + encode(b"\xd4\x02")) == [
            Frame(Kind.INFORMATION, b"\xd4\x02")
        ]


@given(st.binary(max_size=300))
def test_after_any_noise_it_is_in_step_again(noise):
    reader = FrameReader()
    reader.feed(noise)
    # A false head can claim at most the length of the longest frame.
    found = reader.feed(encode(b"\xd4\x02") * 40)
    assert found[-3:] == [Frame(Kind.INFORMATION, b"\xd4\x02")] * 3


@pytest.mark.parametrize("at", range(3, 9))
def test_a_turned_bit_is_noticed(at):
    frame = bytearray(GET_FIRMWARE_VERSION)
    frame[at] ^= 0x10
    assert FrameReader().feed(bytes(frame)) == (
        [] if at < 8 else [Frame(Kind.INFORMATION, b"\xd4\x02")]
    )


def test_long_frames_are_extended():
    assert encode(bytes(255))[3:5] == b"\xff\x01"
    assert encode(bytes(256))[3:8] == b"\xff\xff\x01\x00\xff"
    for size in (0, 266):
        with pytest.raises(ValueError, match="1 to 265"):
            encode(bytes(size))


# --- sleep ----------------------------------------------------------------------------


def test_it_sleeps_until_it_is_woken(chip):
    host = Host(chip)
    for _ in range(5):
        assert host.send(GET_FIRMWARE_VERSION) + host.wait(1000) == b""
    assert not chip.awake
    host.send(WAKE_UP)
    assert host.answer(GET_FIRMWARE_VERSION) == FIRMWARE_VERSION


@pytest.mark.parametrize("preamble", ["55", "5555000000", "00" * 10, "00" * 5])
def test_what_wakes_it(chip, preamble):
    assert Host(chip).send(bytes.fromhex(preamble) + GET_FIRMWARE_VERSION)


@pytest.mark.parametrize("preamble", ["", "00", "FFFFFFFFFFFF", "0000FF0000FF"])
def test_what_does_not_wake_it(chip, preamble):
    assert Host(chip).send(bytes.fromhex(preamble) + GET_FIRMWARE_VERSION) == b""


def test_power_down_keeps_what_was_configured(host, ntag):
    assert host.ask("16B000") == "00"
    assert host.send(LOOK_FOR_ONE) + host.wait(1000) == b""
    host.send(WAKE_UP)
    assert host.answer(LOOK_FOR_ONE) == NTAG_FOUND


def test_without_sam_configuration_it_looks_for_nothing(chip, ntag):
    host = Host(chip)
    host.send(WAKE_UP)
    assert host.answer(LOOK_FOR_ONE, 10_000) == b""
    host.ask("1401")
    assert host.answer(LOOK_FOR_ONE) == NTAG_FOUND


# --- acknowledgement ------------------------------------------------------------------


def test_ack_comes_at_once_and_the_answer_when_it_is_there(host, ntag):
    assert host.send(LOOK_FOR_ONE) == ACK
    assert host.wait(1) == b""
    due_ms = host.chip.due_ms()
    assert due_ms is not None
    assert host.wait(due_ms - host.now_ms) == NTAG_FOUND
    assert host.chip.due_ms() is None


def test_nack_brings_the_last_answer_again(host):
    assert host.answer(GET_FIRMWARE_VERSION) == FIRMWARE_VERSION
    assert host.send(NACK) == FIRMWARE_VERSION
    assert host.send(NACK) == FIRMWARE_VERSION


def test_ack_of_the_host_ends_a_look(host, chip):
    host.ask("3205FF01FF")
    assert host.send(LOOK_FOR_ONE) == ACK
    assert host.send(ACK) == b""
    chip.put(make_tag(NTAG_UID))
    assert host.wait(1000) == b""
    assert host.answer(GET_FIRMWARE_VERSION) == FIRMWARE_VERSION


def test_ack_of_the_host_ends_what_is_not_answered_yet(host):
    assert host.send(encode(bytes.fromhex("D4500100"))) == ACK
    assert host.chip.due_ms() is not None
    assert host.send(ACK) + host.wait(1000) == b""


def test_a_new_command_ends_a_look(host, ntag):
    assert host.send(LOOK_FOR_ONE) == ACK
    assert host.answer(GET_FIRMWARE_VERSION, 1000) == FIRMWARE_VERSION


@pytest.mark.parametrize(
    "body",
    ["D4", "D4FF", "D502", "D400", "D40099", "D414", "D41405", "D41401020304", "D4320500", "D432",
     "D43299", "D406", "D40663", "D4086305", "D4100A", "D41000FF", "D412", "D416", "D44A", "D44A0000",
     "D44A0300", "D44A0105", "D440", "D44001", "D444", "D4520101", "D454", "D40E00"],
)  # fmt: skip
def test_what_it_does_not_understand_gets_an_error_frame(host, body):
    assert host.answer(encode(bytes.fromhex(body))) == ERROR


def test_a_wrong_checksum_gets_nothing(host):
    assert host.send(bytes.fromhex("0000FF02FED4022B00")) + host.wait(1000) == b""


@given(st.binary(max_size=400))
def test_no_bytes_break_it(noise):
    chip = Pn532Chip()
    chip.put(make_tag(NTAG_UID))
    host = Host(chip)
    host.send(WAKE_UP + noise)
    host.wait(50)
    host.send(bytes(300))  # whatever a false head has claimed
    host.send(WAKE_UP)
    assert host.answer(GET_FIRMWARE_VERSION) == FIRMWARE_VERSION


# --- commands -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("0000FF05FBD4140100001700", "0000FF02FED5151600"),
        ("0000FF05FBD4140100011600", "0000FF02FED5151600"),
        ("0000FF06FAD43205FFFFFFF800", "0000FF02FED533F800"),
        ("0000FF03FDD412140600", "0000FF02FED5131800"),
        ("0000FF09F7D400006C69626E6663BE00", "0000FF09F7D501006C69626E6663BC00"),
        ("0000FF03FDD45200DA00", "0000FF03FDD55300D800"),
        ("0000FF03FDD410071500", "0000FF02FED5111A00"),
    ],
)
def test_frames_as_hosts_send_them(host, command, answer):
    assert host.answer(bytes.fromhex(command)) == bytes.fromhex(answer)


def test_the_line_test_of_the_longest_frame(host):
    data = bytes(range(256)) + bytes(6)
    frame = encode(b"\xd4\x00\x00" + data)
    assert frame[3:5] == b"\xff\xff"
    answer = FrameReader().feed(host.answer(frame))
    assert answer == [Frame(Kind.INFORMATION, b"\xd5\x01\x00" + data)]


def test_registers_keep_what_was_written(host):
    assert host.ask("08633D07" + "630512") == ""
    assert host.ask("06633D" + "6305" + "6306") == "071200"


def test_general_status_counts_targets(host, ntag):
    assert host.ask("04") == "000000" + "80"
    host.answer(LOOK_FOR_ONE)
    assert host.ask("04") == "000001" + "01000010" + "80"


@pytest.mark.parametrize("item", ["0103", "02000B0A", "0400", "05010001", "0A59F43F114D85616F266287",
                                  "0B69FF3F114185616F", "0CFF0485", "0D85158A8508B28501DA"])  # fmt: skip
def test_items_of_the_radio_configuration(host, item):
    assert host.ask("32" + item) == ""


@pytest.mark.parametrize("command", ["500100", "4E010000", "56000000", "46000000"])
def test_no_peer_answers(host, command):
    assert host.ask(command) == "01"


# --- looks ----------------------------------------------------------------------------


def test_one_tag_of_either_kind(host, chip, classic):
    assert host.answer(LOOK_FOR_ONE) == CLASSIC_FOUND
    chip.take(classic)
    assert host.answer(LOOK_FOR_ONE) == NO_TARGET
    chip.put(make_tag(NTAG_UID))
    assert host.answer(LOOK_FOR_ONE) == NTAG_FOUND


def test_two_tags(host, ntag, classic):
    assert host.answer(LOOK_FOR_TWO) == BOTH_FOUND


def test_of_two_tags_one_at_a_time_is_found_in_turn(host, ntag, classic):
    # The one that was selected does not answer the next request; the other does.
    found = [host.answer(LOOK_FOR_ONE) for _ in range(4)]
    assert found == [NTAG_FOUND, CLASSIC_FOUND, NTAG_FOUND, CLASSIC_FOUND]


def test_three_sizes_of_uid(host, chip):
    uid = bytes.fromhex("04010203040506070809")
    chip.put(make_tag(uid))
    assert host.ask("4A0100") == "01" + "01" + "0084" + "00" + "0A" + uid.hex().upper()


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("04517CE1ED2580", "01"),
        ("8804517CE1ED2580", "01"),
        ("82ACB95D", "01"),
        ("04517CE1ED2581", "00"),
    ],
)
def test_looking_for_one_certain_tag(host, ntag, classic, named, found):
    assert host.ask("4A0100" + named)[:2] == found


def test_a_ten_byte_uid_is_named_with_two_cascade_tags(host, chip):
    chip.put(make_tag(bytes.fromhex("04010203040506070809")))
    assert host.ask("4A0100" + "88040102" + "88030405" + "06070809")[:2] == "01"


@pytest.mark.parametrize("kind", ["01", "02", "03", "04"])
def test_tags_of_other_kinds_are_not_there(host, ntag, kind):
    assert host.ask(f"4A01{kind}00") == "00"


def test_with_no_retries_a_tag_is_found_every_second_time(host, ntag):
    host.ask("3205FF0100")
    found = [host.answer(LOOK_FOR_ONE) for _ in range(4)]
    assert found == [NTAG_FOUND, NO_TARGET, NTAG_FOUND, NO_TARGET]


def test_without_a_tag_it_is_silent_until_one_comes(chip):
    host = Host(chip)
    host.send(WAKE_UP)
    host.ask("1401")  # endless looks are what it starts with
    woken = []
    chip.on_change = lambda: woken.append(True)
    assert host.send(LOOK_FOR_ONE) == ACK
    assert host.wait(60_000) == b""
    assert chip.due_ms() is None
    chip.put(make_tag(NTAG_UID))
    assert woken
    assert host.wait(0) == b""
    assert host.wait(chip.due_ms() - host.now_ms) == NTAG_FOUND


def test_deselected_and_released_tags_are_silent_until_the_field_was_off(host, ntag):
    for command in ("4400", "5201"):
        host.answer(LOOK_FOR_ONE)
        assert host.ask(command) == "00"
        assert ntag.state is State.HALTED
        assert host.answer(LOOK_FOR_ONE) == NO_TARGET
        host.ask("320100")
        assert host.answer(LOOK_FOR_ONE) == NTAG_FOUND


def test_a_deselected_tag_can_be_selected_again_and_a_released_one_not(host, ntag):
    host.answer(LOOK_FOR_ONE)
    host.ask("4401")
    assert host.ask("40013000") == "01"
    assert host.ask("5401") == "00"
    assert host.ask("40013000").startswith("00" + "04517C")
    host.ask("5201")
    assert host.ask("5401") == "27"
    assert host.ask("40013000") == "27"
    assert host.ask("4401") == "27"


def test_a_tag_that_was_taken_is_not_selected(host, chip, ntag):
    host.answer(LOOK_FOR_ONE)
    chip.take(ntag)
    assert host.ask("5401") == "01"
    assert host.ask("40013000") == "01"


def test_without_a_field_nothing_is_selected(host, ntag):
    host.answer(LOOK_FOR_ONE)
    host.ask("320100")
    assert host.ask("5401") == "01"
    assert ntag.state is State.IDLE
    assert not Field().on
    assert Field().request(1) == ()


def test_a_tag_that_comes_from_another_antenna_has_forgotten_it(chip, ntag):
    other = Field()
    other.switch(on=True)
    ntag.select()
    other.put(ntag)
    assert other.request(1) == (ntag,)
    other.switch(on=False)
    assert other.request(1) == ()


# --- what passes to tags --------------------------------------------------------------


def test_pages_are_read_and_written(host, ntag):
    host.answer(LOOK_FOR_ONE)
    page_0 = "04517C" + "A1" + "E1ED2580" + "A9" + "480000" + "E1101200"
    assert host.ask("40013000") == "00" + page_0
    assert host.ask("4001A204DEADBEEF") == "00"
    assert host.ask("40013004")[:10] == "00DEADBEEF"
    assert host.ask("400160") == "00" + "0004040201000F03"
    assert host.ask("40011BFFFFFFFF") == "000000"


def test_a_refusing_tag_and_a_silent_one(host, ntag):
    host.answer(LOOK_FOR_ONE)
    assert host.ask("4001302D") == "01"
    assert host.ask("40013000") == "01"  # it fell back to idle
    assert host.ask("40023000") == "27"  # there is no second target


def test_both_of_two_targets_are_spoken_to(host, ntag, classic):
    host.answer(LOOK_FOR_TWO)
    assert host.ask("40013000")[:8] == "0004517C"
    assert host.ask("40023000") == "14"


def test_classic_blocks_need_a_key(host, classic):
    host.answer(LOOK_FOR_ONE)
    assert host.ask("4001" + "6004" + "A0A1A2A3A4A5" + "82ACB95D") == "14"
    host.answer(LOOK_FOR_ONE)
    assert host.ask("4001" + "6004" + "FFFFFFFFFFFF" + "00000000") == "14"
    assert host.ask("4001" + "6104" + "FFFFFFFFFFFF" + "82ACB95D") == "00"
    assert host.ask("4001" + "A004" + "11" * 16) == "00"
    assert host.ask("4001" + "3004") == "00" + "11" * 16
    assert host.answer(encode(bytes.fromhex("D440016004"))) == ERROR


@pytest.mark.parametrize(("command", "crc"), [("3000", "02A8"), ("5000", "57CD"), ("", "6363")])
def test_crc_a(command, crc):
    assert crc_a(bytes.fromhex(command)).hex().upper() == crc


def test_raw_frames_with_and_without_crc(host, ntag):
    host.answer(LOOK_FOR_ONE)
    version = "0004040201000F03"
    with_crc = version + crc_a(bytes.fromhex(version)).hex().upper()
    assert host.ask("4260") == "00" + version
    host.ask("08630300")  # the chip no longer checks what it receives
    assert host.ask("4260") == "00" + with_crc
    host.ask("08630200")  # nor adds a CRC to what it sends
    assert host.ask("4260" + crc_a(b"\x60").hex()) == "00" + with_crc
    assert host.ask("42600000") == "01"
    assert host.ask("42") == "01"
    host.answer(LOOK_FOR_ONE)  # a look sets both
    assert host.ask("4260") == "00" + version


def test_a_four_bit_answer_has_no_crc(host, ntag):
    host.answer(LOOK_FOR_ONE)
    assert host.ask("42302D") == "02"
    host.answer(LOOK_FOR_ONE)
    host.ask("08630300")
    assert host.ask("42302D") == "00" + "00"
    assert host.ask("423000") == "01"


def test_an_empty_field_leaves_its_request_in_the_buffer(host, chip):
    assert host.answer(LOOK_FOR_ONE) == NO_TARGET
    assert host.ask("066339") == "26"
    chip.put(make_tag(NTAG_UID))
    host.answer(LOOK_FOR_ONE)
    assert host.ask("066339") != "26"


def test_the_field_is_seen_in_a_register(host):
    assert host.ask("066304") == "80"
    host.ask("320101")
    assert host.ask("066304") == "83"


def test_putting_and_taking_twice_does_nothing(chip, ntag):
    chip.put(ntag)
    assert chip.field.tags == (ntag,)
    chip.take(ntag)
    chip.take(ntag)
    assert chip.field.tags == ()
