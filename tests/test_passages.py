"""What passes the chain is written down: by whom, when, and nothing that is secret."""

from __future__ import annotations

import threading
from random import Random

import pytest

from companion.drivers.api import (
    Attitude,
    ButtonPressed,
    ClockJumped,
    DeviceBack,
    DeviceGone,
    DeviceLost,
    SeveralTags,
    TagOff,
    TagOn,
    TagUnreadable,
)
from companion.passages import MOST_READERS, Passages, S
from companion.ship import Thresholds
from companion.ship_trace import TRACE_S, ShipTrace
from hardware_sim.ship import Swing
from tests.support.tables import running

DOTS, STOP, STRANGE = "04A3C6CAE26180", "8B6566B9", "82ACB95D"
TAGS = {DOTS: "tentacles/dots", STOP: "control/stop"}


class HandClock:
    def __init__(self):
        self.now_ns = 1000 * S

    def __call__(self):
        return self.now_ns

    def pass_s(self, seconds):
        self.now_ns += round(seconds * S)


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def passages(clock):
    return Passages(clock)


@pytest.fixture
def table(tmp_path, clock):
    with running(tmp_path, tags=TAGS, clock=clock) as table:
        yield table


def tap(table, clock, uid, reader="pcsc-1"):
    clock.pass_s(2)
    table.report(TagOn(reader, uid, clock()))
    table.report(TagOff(reader, uid, clock()))
    table.settle()
    return table.passages.now()


def only(passed):
    (reader,) = passed.readers
    return reader


def test_nothing_has_passed_at_the_start(passages, clock):
    passed = passages.now()
    assert (passed.readers, passed.tag, passed.driver_ns, passed.engine) == ((), None, None, None)
    clock.pass_s(60)
    assert passages.now().stuck_s == 0


def test_a_known_tag_passes_all_links(table, clock):
    passed = tap(table, clock, DOTS)
    reader, tag = passed.tag
    assert (reader, tag.known, tag.component, tag.end) == ("pcsc-1", True, "tentacles/dots", "")
    assert tag.at_ns == passed.driver_ns == passed.looked_ns == passed.engine.at_ns == clock()
    assert (passed.engine.kind, passed.engine.reader) == ("action", "pcsc-1")
    assert passed.revision == table.snapshot.revision
    assert (passed.waiting, passed.stuck_s) == (0, 0)


def test_an_unknown_tag_passes_the_driver_and_is_known_by_two_digits(table, clock):
    _, tag = tap(table, clock, STRANGE).tag
    assert (tag.known, tag.end, tag.component) == (False, "5D", "")


def test_no_uid_is_kept_whole(table, clock):
    for uid in (STRANGE, DOTS, STOP):
        assert uid not in repr(tap(table, clock, uid))


def test_a_token_is_named_and_a_refusal_is_told(table, clock):
    passed = tap(table, clock, STOP)
    assert passed.tag[1].component == "control/stop"
    assert passed.engine.kind == "refused"


def test_the_same_read_once_more_is_no_news_to_the_table_of_tags(table, clock):
    looked_ns = tap(table, clock, DOTS).looked_ns
    clock.pass_s(0.2)
    table.report(TagOn("pcsc-1", DOTS, clock()))
    table.settle()
    passed = table.passages.now()
    assert passed.driver_ns > looked_ns
    assert passed.engine.kind == "action"


def test_readers_are_lost_and_come_back(passages, clock):
    passages.heard(DeviceBack("pcsc-1", "A reader", clock()))
    clock.pass_s(5)
    passages.heard(DeviceLost("pcsc-1", "Plug it in.", clock()))
    clock.pass_s(12)
    reader = only(passages.now())
    assert (reader.ready, reader.hardware, reader.trouble) == (False, "A reader", "Plug it in.")
    assert clock() - reader.since_ns == 12 * S
    passages.heard(DeviceLost("pcsc-1", "Plug it in.", clock()))
    assert clock() - only(passages.now()).since_ns == 12 * S
    passages.heard(DeviceBack("pcsc-1", "A reader", clock()))
    reader = only(passages.now())
    assert (reader.ready, reader.trouble, reader.losses) == (True, "", 1)


def test_a_reader_that_is_taken_away_for_good_is_forgotten(passages, clock):
    passages.heard(TagOn("ship", DOTS, clock()))
    passages.heard(Attitude("ship", 0, 0, 1000, clock()))
    passages.heard(DeviceGone("ship", clock()))
    passed = passages.now()
    assert (passed.readers, passed.ships, passed.tag) == ((), (), None)


def test_readings_are_counted_over_a_minute(passages, clock):
    for _ in range(30):
        passages.heard(ButtonPressed("b", "stop", clock()))
        clock.pass_s(1)
    assert only(passages.now()).a_minute == 30
    clock.pass_s(40)
    assert 0 < only(passages.now()).a_minute < 30
    clock.pass_s(30)
    assert only(passages.now()).a_minute == 0


def test_a_reader_that_was_only_lost_and_found_read_nothing(passages, clock):
    passages.heard(DeviceLost("pcsc-1", "unplugged", clock()))
    passages.heard(DeviceBack("pcsc-1", "A reader", clock()))
    assert only(passages.now()).a_minute == 0


@pytest.mark.parametrize(
    ("reading", "field"),
    [
        (SeveralTags("r", 0), "several"),
        (TagUnreadable("r", "no UID", 0), "unreadable"),
        (ClockJumped("r", 3.0, 0), ""),
    ],
)
def test_errors_are_counted_and_what_lies_there_is_told(passages, clock, reading, field):
    passages.heard(reading)
    reader = only(passages.now())
    assert (reader.errors, reader.field) == (1, field)
    passages.heard(TagOn("r", DOTS, clock()))
    assert only(passages.now()).field == ""


def test_noise_does_not_fill_the_memory(passages, clock):
    for number in range(3 * MOST_READERS):
        passages.heard(TagOff(f"line-1/{number}", DOTS, clock()))
        passages.heard(Attitude(f"line-1/{number}", 0, 0, 1000, clock()))
    passed = passages.now()
    assert len(passed.readers) == MOST_READERS
    assert len(passed.ships) == 4


def test_a_table_of_tags_that_fails_is_told_until_it_answers(passages):
    fails = True

    def look_up(uid):
        if fails:
            raise OSError(uid)
        return TAGS[uid]

    watched = passages.watched(look_up)
    with pytest.raises(OSError, match=DOTS):
        watched(DOTS)
    passed = passages.now()
    assert (passed.tags_failed, passed.looked_ns) == ("OSError", None)
    assert DOTS not in repr(passed)
    fails = False
    assert watched(DOTS) == "tentacles/dots"
    assert passages.now().tags_failed == ""


def test_a_table_that_is_held_up_is_seen_from_outside(tmp_path, clock):
    held, go_on = threading.Event(), threading.Event()

    def look_up(uid):
        held.set()
        assert go_on.wait(30)
        return TAGS.get(uid)

    with running(tmp_path, look_up=look_up, clock=clock) as table:
        table.report(TagOn("pcsc-1", DOTS, clock()))
        assert held.wait(30)
        table.report(TagOff("pcsc-1", DOTS, clock()))
        clock.pass_s(7)
        passed = table.passages.now()
        go_on.set()
        table.settle()
        assert (passed.stuck_s, passed.waiting) == (7, 1)
        assert table.passages.now().stuck_s == 0


def test_an_error_of_the_table_is_written_down(table, clock, monkeypatch, caplog):
    def fail(item):
        raise KeyError("zeppelin")

    monkeypatch.setattr(table._authority, "_hear", fail)
    passed = tap(table, clock, DOTS)
    assert (passed.failed, passed.failed_ns) == ("KeyError", clock())
    assert "zeppelin" not in repr(passed)


def test_any_thread_may_write_and_look_at_once(passages, clock):
    def write(name):
        for _ in range(300):
            passages.heard(TagOn(name, DOTS, clock()))
            passages.now()

    threads = [threading.Thread(target=write, args=(f"r{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    passed = passages.now()
    assert [reader.a_minute for reader in passed.readers] == [300] * 4
    assert passed.waiting == 1200


# The ship


def swung(seed):
    swing = Swing(Random(seed), "accelerometer")
    trace = ShipTrace("ship", Thresholds(upright=swing.upright))
    last_ns = 0
    for attitude in swing.readings():
        if attitude.at_ns > TRACE_S * S:
            break
        trace.heard(attitude)
        last_ns = attitude.at_ns
    return swing, trace.passed(last_ns)


@pytest.mark.parametrize("seed", range(6))
def test_a_swinging_ship_leaves_a_trace_and_settles(seed):
    swing, trace = swung(seed)
    assert swing.touched
    assert len(trace.points) > 150
    ages = [age for age, _ in trace.points]
    assert ages == sorted(ages, reverse=True)
    assert 0 <= ages[-1] <= ages[0] <= TRACE_S
    assert trace.settled
    assert trace.settled_s
    assert (trace.tilt >= 45) == (swing.truth() == "capsized")


def test_a_short_blow_is_not_thinned_out():
    trace = ShipTrace("ship", Thresholds())
    for tick in range(100):
        felt = (1000, 0, 0) if tick == 57 else (0, 0, 1000)
        trace.heard(Attitude("ship", *felt, tick * S // 50))
    tilts = [tilt for _, tilt in trace.passed(2 * S).points]
    assert max(tilts) == 90
    assert len(tilts) < 50


def test_movement_ends_the_rest_and_so_does_silence():
    trace = ShipTrace("ship", Thresholds())
    for tick in range(40):
        trace.heard(Attitude("ship", 0, 0, 1000, tick * S // 10))
    settled = trace.passed(4 * S)
    assert (settled.settled, len(settled.settled_s)) == (True, 1)
    assert not trace.passed(9 * S).settled
    trace.heard(Attitude("ship", 200, 0, 980, 4 * S))
    assert trace.passed(4 * S).rests_s == 0


def test_old_points_are_left_out():
    trace = ShipTrace("ship", Thresholds())
    for second in range(60):
        trace.heard(Attitude("ship", 0, 0, 1000, second * S))
    points = trace.passed(60 * S).points
    assert [age for age, _ in points] == list(range(TRACE_S, 0, -1))
