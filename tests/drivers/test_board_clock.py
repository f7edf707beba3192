"""A board's clock beside the host's: late heartbeats, jumps, and a clock that stands still."""

import pytest

from companion.drivers.bridge.clock import BoardClock

MS = 1_000_000
HALF_S = 500


def beats(clock, start_ms, count, offset_ms=0, late_ms=0):
    """Heartbeats each half a second; what was found, by the host's milliseconds."""
    found = {}
    for number in range(count):
        board_ms = start_ms + number * HALF_S
        jumped_ms = clock.heard((board_ms + offset_ms) & 0x3FFFFFFF, (board_ms + late_ms) * MS)
        if jumped_ms:
            found[board_ms] = jumped_ms
    return found


@pytest.fixture
def clock():
    clock = BoardClock()
    assert beats(clock, 0, 40) == {}
    return clock


def test_a_clock_that_goes_on_as_it_should_is_no_news(clock):
    assert beats(clock, 20_000, 1000) == {}


@pytest.mark.parametrize("late_ms", [100, 1900, 30_000])
def test_heartbeats_that_come_late_at_once_are_no_jump(clock, late_ms):
    for number in range(late_ms // HALF_S):
        assert clock.heard(20_000 + number * HALF_S, (20_000 + late_ms) * MS) == 0
    assert beats(clock, 20_000 + late_ms, 40) == {}


def test_a_jump_on_is_found_at_once(clock):
    assert beats(clock, 20_000, 40, offset_ms=7000) == {20_000: 7000}


def test_a_jump_back_is_found_when_it_lasts(clock):
    assert beats(clock, 20_000, 40, offset_ms=-7000) == {25_000: -7000}


def test_a_clock_that_stands_still_is_found(clock):
    found = [clock.heard(20_000, (20_000 + number * HALF_S) * MS) for number in range(20)]
    assert [jumped_ms for jumped_ms in found if jumped_ms] == [-7500]


def test_a_counter_that_wraps_has_not_jumped():
    clock = BoardClock()
    assert beats(clock, (1 << 30) - 10_000, 100) == {}


def test_a_board_that_starts_anew_has_not_jumped(clock):
    clock.restarted()
    assert beats(clock, 20_000, 40, offset_ms=-19_000) == {}


def test_after_a_jump_times_are_those_of_the_new_clock(clock):
    beats(clock, 20_000, 40, offset_ms=7000)
    assert clock.at_ns(47_000, 60_000 * MS) == 40_000 * MS
