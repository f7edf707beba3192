"""The RC522's driver against a chip whose tags answer bit by bit."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.rc522 import SET_UP_AGAIN_LOOKS, Rc522, crc_a, read, written
from hardware_sim.board.rc522_chip import Rc522Chip, cascade

FOUR = bytes.fromhex("82ACB95D")
SEVEN = bytes.fromhex("04A3C6CAE26180")
TEN = bytes.fromhex("04010203040506070809")
WRAP = 1 << 30


class Bench:
    """A chip, its driver and a clock that runs while nothing is to be done."""

    def __init__(self, start_ms=0, max_targets=2):
        self.chip = Rc522Chip()
        self.driver = Rc522(max_targets)
        self.now_ms = start_ms

    def events(self, count, limit_ms=60_000):
        told = []
        for _ in range(limit_ms):
            for _ in range(500):
                event = self.driver.next_event()
                if event is not None:
                    told.append(event)
                    if len(told) == count:
                        return told
                transaction = self.driver.output(self.now_ms)
                if not transaction:
                    break
                self.driver.feed(self.chip.transfer(transaction), self.now_ms)
            else:
                raise AssertionError("The driver is never at rest.")
            self.now_ms = (self.now_ms + 1) % WRAP
        raise AssertionError(f"Only {told} in {limit_ms} ms.")

    def look(self):
        ((kind, found),) = self.events(1)
        assert kind == "targets"
        return found


@pytest.fixture
def bench():
    bench = Bench()
    assert bench.events(1) == [("ready", "RC522, version 92")]
    return bench


def test_check_bytes():
    """HLTA and the SELECT's answer, as the standard prints them."""
    assert crc_a(b"\x50\x00") == bytes.fromhex("57CD")
    assert crc_a(b"\x00\x00") == bytes.fromhex("A01E")
    assert crc_a(b"\x12\x34") == bytes.fromhex("26CF")


def test_transactions():
    assert read(0x37) == bytes.fromhex("EE00")
    assert read(0x06, 0x0A) == bytes.fromhex("8C9400")
    assert written(0x09, b"\x26") == bytes.fromhex("1226")


@pytest.mark.parametrize("uid", [FOUR, SEVEN, TEN], ids=["four", "seven", "ten"])
def test_a_tag_of_each_size(bench, uid):
    assert bench.look() == ()
    bench.chip.lay([uid])
    assert bench.look() == (uid,)
    assert bench.look() == (uid,)
    bench.chip.lay([])
    assert bench.look() == ()


@given(first=st.sampled_from([4, 7, 10]), second=st.sampled_from([4, 7, 10]), seed=st.integers())
def test_any_two_tags_are_told_apart(first, second, seed):
    chance = random.Random(seed)
    uids = []
    for size in (first, second):
        own = 0x08 if size == 4 else 0x04
        uids.append(bytes([own]) + chance.randbytes(size - 1))
    if uids[0] == uids[1]:
        return
    bench = Bench()
    bench.chip.lay(uids)
    bench.events(1)
    assert sorted(bench.look()) == sorted(uids)


def test_two_tags_that_differ_in_the_last_bit_alone(bench):
    uids = [SEVEN, SEVEN[:-1] + b"\x81"]
    bench.chip.lay(uids)
    assert sorted(bench.look()) == sorted(uids)


def test_three_tags_are_more_than_one(bench):
    bench.chip.lay([FOUR, SEVEN, TEN])
    found = bench.look()
    assert len(found) == 2
    assert set(found) <= {FOUR, SEVEN, TEN}


def test_one_target_at_the_most():
    bench = Bench(max_targets=1)
    bench.chip.lay([FOUR, SEVEN])
    bench.events(1)
    assert len(bench.look()) == 1


def test_the_field_is_off_whenever_something_was_told(bench):
    for _ in range(3):
        bench.chip.field_was_on = False
        bench.look()
        assert bench.chip.field_was_on
        assert not bench.chip.field_on


def test_a_garbled_answer_is_asked_again(bench):
    bench.chip.lay([SEVEN])
    for garbled in range(1, 8):
        bench.chip.garbled = garbled
        assert bench.look() == (SEVEN,)


def test_a_look_of_errors_alone_says_nothing(bench):
    bench.chip.lay([SEVEN])
    bench.chip.garbled = 1 << 30
    with pytest.raises(AssertionError, match=r"Only \[\]"):
        bench.events(1, limit_ms=2_000)
    bench.chip.garbled = 0
    assert bench.look() == (SEVEN,)


@pytest.mark.parametrize("dead", [True, False])
def test_a_chip_that_loses_its_power(bench, dead):
    bench.chip.lay([FOUR])
    assert bench.look() == (FOUR,)
    bench.chip.brown_out()
    bench.chip.dead = dead
    if dead:
        ((kind, reason),) = bench.events(1)
        assert kind == "lost"
        assert "power" in reason
        with pytest.raises(AssertionError, match=r"Only \[\]"):
            bench.events(1, limit_ms=5_000)  # told once
        bench.chip.dead = False
        assert bench.events(1) == [("ready", "RC522, version 92")]
    assert bench.look() == (FOUR,)


def test_a_chip_that_was_never_there():
    bench = Bench()
    bench.chip.dead = True
    ((kind, _),) = bench.events(1)
    assert kind == "lost"
    bench.chip.dead = False
    assert [kind for kind, _ in bench.events(2)] == ["ready", "targets"]


def test_a_line_that_reads_ones():
    driver = Rc522()
    now_ms = 0
    while (event := driver.next_event()) is None:
        transaction = driver.output(now_ms)
        driver.feed(b"\xff" * len(transaction), now_ms)
        now_ms += 1
    assert event[0] == "lost"


def test_a_chip_that_fell_deaf_hears_again(bench):
    bench.chip.lay([FOUR])
    bench.chip.deaf = True
    looks = [bench.look() for _ in range(SET_UP_AGAIN_LOOKS + 2)]
    assert looks[0] == ()
    assert looks[-1] == (FOUR,)


@pytest.mark.parametrize("start_ms", [WRAP - 1, WRAP - 40, WRAP // 2, WRAP // 2 + 1])
def test_the_clock_may_wrap(start_ms):
    bench = Bench(start_ms)
    bench.chip.lay([SEVEN])
    assert [event[0] for event in bench.events(2, limit_ms=200)] == ["ready", "targets"]


@given(answers=st.binary(min_size=2000, max_size=4000))
def test_nonsense_on_the_line_ends_nothing(answers):
    driver = Rc522()
    now_ms = 0
    for start in range(0, len(answers), 8):
        transaction = driver.output(now_ms)
        driver.feed((answers[start:] + bytes(100))[: len(transaction)], now_ms)
        now_ms += 7
        driver.next_event()


def test_another_number_of_bytes_is_refused(bench):
    bench.driver.output(bench.now_ms)
    with pytest.raises(ValueError, match="as many bytes"):
        bench.driver.feed(bytes(40), bench.now_ms)


def test_the_parts_of_a_uid_carry_their_check_bytes():
    assert cascade(FOUR) == [FOUR + b"\xca"]
    assert [part[0] for part in cascade(TEN)] == [0x88, 0x88, 0x06]
