"""What can be wrong with the simulated PN532, each fault alone and some together."""

import dataclasses
import random

import pytest

from hardware_sim.pn532_chip import GLUE_MS, Pn532Chip
from hardware_sim.pn532_faults import GARBAGE, MEANINGS, NO_FAULTS, BadLine, Faults, parse_faults
from hardware_sim.pn532_frames import ACK, FrameReader, Kind
from hardware_sim.tags import make_tag
from tests.support.pn532_host import (
    FIRMWARE_VERSION,
    GET_FIRMWARE_VERSION,
    LOOK_FOR_ONE,
    NO_TARGET,
    NTAG_FOUND,
    NTAG_UID,
    SAM_CONFIGURATION,
    WAKE_UP,
    Host,
)


def ready(faults=NO_FAULTS, seed=1, retries="01"):
    """A host of a configured chip with a tag, which then is as faulty as asked."""
    chip = Pn532Chip(chance=random.Random(seed).random)
    chip.put(make_tag(NTAG_UID))
    host = Host(chip)
    host.send(WAKE_UP)
    host.answer(SAM_CONFIGURATION)
    host.ask("3205FF01" + retries)
    chip.faults = faults
    return host


def looks(host, count):
    return [host.answer(LOOK_FOR_ONE) for _ in range(count)]


# --- the line -------------------------------------------------------------------------


def test_bytes_get_lost_both_ways():
    host = ready(Faults(drop=100))
    assert host.send(GET_FIRMWARE_VERSION) + host.wait(100) == b""
    line = BadLine(random.Random(1).random)
    share = len(line.bytes(bytes(10_000), Faults(drop=20))) / 10_000
    assert 0.77 < share < 0.83


def test_bytes_come_twice():
    host = ready()
    host.send(GET_FIRMWARE_VERSION)
    host.chip.faults = Faults(duplicate=100)
    assert host.send(b"") == b""
    host.chip.reboot()
    assert host.send(b"") == b"\x00"  # what was sent before the fault began is whole
    host.chip.faults = NO_FAULTS
    host.send(GET_FIRMWARE_VERSION)
    line = BadLine(random.Random(1).random)
    assert line.bytes(b"\x12\x34", Faults(duplicate=100)) == b"\x12\x12\x34\x34"
    assert 12_700 < len(line.bytes(bytes(10_000), Faults(duplicate=30))) < 13_300


def test_bytes_are_garbled_by_one_bit():
    line = BadLine(random.Random(1).random)
    arrived = line.bytes(bytes(1000), Faults(garble=100))
    assert {byte.bit_count() for byte in arrived} == {1}
    assert len(set(arrived)) == 8
    arrived = line.bytes(bytes(10_000), Faults(garble=5))
    assert 400 < sum(map(bool, arrived)) < 600


def test_a_garbled_command_is_not_obeyed():
    assert ready(Faults(garble=100)).send(GET_FIRMWARE_VERSION) == b""


def test_everything_comes_later():
    host = ready(Faults(delay=40))
    assert host.send(GET_FIRMWARE_VERSION) + host.wait(39) == b""
    assert host.wait(1) == ACK + FIRMWARE_VERSION


def test_half_a_frame():
    host = ready(Faults(half=100))
    assert host.send(GET_FIRMWARE_VERSION) == ACK[:3] + FIRMWARE_VERSION[:6]


def test_the_tail_alone():
    host = ready(Faults(tail=100))
    assert host.send(GET_FIRMWARE_VERSION) == ACK[3:] + FIRMWARE_VERSION[6:]


def test_garbage_before_a_frame():
    host = ready(Faults(garbage=100))
    seen = set()
    for _ in range(30):
        received = host.send(GET_FIRMWARE_VERSION)
        before, _, rest = received.partition(ACK)
        between, _, after = rest.partition(FIRMWARE_VERSION)
        assert not after
        seen |= {before, between}
    assert seen == set(GARBAGE)


def test_ack_and_answer_in_one_piece():
    host = ready(Faults(glue=True))
    assert host.send(GET_FIRMWARE_VERSION) == b""
    assert host.wait(GLUE_MS) == ACK + FIRMWARE_VERSION
    assert host.send(LOOK_FOR_ONE) + host.wait(GLUE_MS - 1) == b""
    assert host.wait(1) == ACK + NTAG_FOUND


def test_glued_in_a_look_that_lasts_the_ack_comes_alone():
    host = ready(Faults(glue=True), retries="FF")
    host.chip.take(host.chip.field.tags[0])
    host.send(LOOK_FOR_ONE)
    assert host.wait(GLUE_MS) == ACK


# --- the chip -------------------------------------------------------------------------


def test_the_first_command_is_not_heard():
    chip = Pn532Chip(Faults(no_first_ack=True))
    host = Host(chip)
    host.send(WAKE_UP)
    assert host.send(SAM_CONFIGURATION) + host.wait(1000) == b""
    assert host.answer(SAM_CONFIGURATION)
    assert host.answer(GET_FIRMWARE_VERSION) == FIRMWARE_VERSION
    chip.brown_out()
    host.send(WAKE_UP)
    assert host.send(GET_FIRMWARE_VERSION) == b""
    assert host.answer(GET_FIRMWARE_VERSION) == FIRMWARE_VERSION


def test_looks_miss_at_random():
    host = ready(Faults(miss=30))
    found = looks(host, 1000)
    assert set(found) == {NTAG_FOUND, NO_TARGET}
    assert 250 < found.count(NO_TARGET) < 350


def test_an_endless_look_misses_attempts_and_finds_the_tag_in_the_end():
    host = ready(Faults(miss=90), retries="FF")
    assert looks(host, 5) != [NTAG_FOUND] * 5
    host = ready(Faults(miss=90), retries="FF")
    assert host.answer(LOOK_FOR_ONE, 10_000) == NTAG_FOUND


def test_silent_instead_of_no_targets():
    host = ready(Faults(silent=True))
    assert looks(host, 2) == [NTAG_FOUND] * 2
    host.chip.take(host.chip.field.tags[0])
    assert host.answer(LOOK_FOR_ONE, 60_000) == b""


def test_the_power_fails_after_so_many_commands():
    host = ready(Faults(brown_out=4))
    assert looks(host, 2) == [NTAG_FOUND] * 2  # two more had configured it
    assert host.send(LOOK_FOR_ONE) + host.wait(1000) == b""
    assert not host.chip.awake
    assert host.send(LOOK_FOR_ONE) + host.wait(1000) == b""
    host.send(WAKE_UP)
    assert host.answer(LOOK_FOR_ONE, 1000) == b""  # asleep it has forgotten its SAM
    host.answer(SAM_CONFIGURATION)
    assert host.answer(LOOK_FOR_ONE) == NTAG_FOUND


def test_it_starts_anew_after_so_many_commands():
    host = ready(Faults(reboot=3))
    assert looks(host, 1) == [NTAG_FOUND]
    assert host.send(LOOK_FOR_ONE) == b"\x00"
    assert host.chip.awake
    assert host.answer(LOOK_FOR_ONE, 1000) == b""
    host.answer(SAM_CONFIGURATION)
    assert looks(host, 1) == [NTAG_FOUND]


def test_power_failure_in_mid_look():
    host = ready()
    told = []
    host.chip.on_change = lambda: told.append(True)
    assert host.send(LOOK_FOR_ONE) == ACK
    host.chip.brown_out()
    assert told
    assert host.wait(1000) == b""
    assert host.chip.field.on is False


def test_deaf_after_so_many_looks_until_it_is_configured_again():
    host = ready(Faults(deaf=3))
    assert looks(host, 5) == [NTAG_FOUND] * 3 + [b""] * 2
    assert host.answer(GET_FIRMWARE_VERSION) == FIRMWARE_VERSION
    host.answer(SAM_CONFIGURATION)
    assert looks(host, 4) == [NTAG_FOUND] * 3 + [b""]


# --- all of them ----------------------------------------------------------------------


def conversation(seed):
    faults = Faults(drop=1, duplicate=1, garble=1, half=5, tail=5, garbage=5, miss=30, delay=3)
    host = ready(faults, seed)
    return b"".join(host.send(LOOK_FOR_ONE) + host.wait(30) for _ in range(200))


def test_faults_together_repeat_with_their_seed():
    first = conversation(seed=7)
    assert conversation(seed=7) == first
    assert conversation(seed=8) != first
    answers = [frame for frame in FrameReader().feed(first) if frame.kind is Kind.INFORMATION]
    assert 10 < len(answers) < 100


def test_faults_can_be_ended():
    host = ready(Faults(drop=100))
    host.send(GET_FIRMWARE_VERSION)
    host.chip.faults = NO_FAULTS
    assert host.answer(GET_FIRMWARE_VERSION) == FIRMWARE_VERSION


def test_every_fault_is_described():
    assert [each.name for each in dataclasses.fields(Faults)] == list(MEANINGS)


def test_faults_in_words():
    words = ["drop=2.5", "glue", "no-first-ack", "deaf=40", "brown_out=9"]
    assert parse_faults(words) == Faults(
        drop=2.5, glue=True, no_first_ack=True, deaf=40, brown_out=9
    )
    assert parse_faults([]) == NO_FAULTS


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("drip=1", "'drip' is no fault; there are drop, "),
        ("drop", "drop takes a number, such as drop=5"),
        ("drop=much", "drop takes a number"),
        ("drop=101", "percent of bytes"),
        ("drop=nan", "percent of bytes"),
        ("miss=-1", "percent of looks"),
        ("deaf=1.5", "deaf takes a number"),
        ("glue=1", "glue takes no number"),
    ],
)
def test_faults_that_cannot_be(word, told):
    with pytest.raises(ValueError, match=told):
        parse_faults([word])
