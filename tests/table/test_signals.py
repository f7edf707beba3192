"""What the lights and sounds are told: by the readers that a tap came from, and in an alarm."""

from __future__ import annotations

import queue
from contextlib import contextmanager

import pytest

from companion.drivers.api import (
    Attitude,
    ButtonPressed,
    DeviceBack,
    Signalling,
    TagOn,
    TagUnreadable,
)
from companion.enrolling.acts import Begin, Undo
from companion.match import Setup
from companion.rules.octopus_alarm_words import Flip, Reef, Sail, Swing
from companion.rules.tentacles_words import Reveal, Stop
from companion.signals import Signals
from tests.support.tables import API, running

TAGS = {"04000000000001": "tentacles/dots", "C0000001": "control/stop"}
DOTS, STOP = TAGS
OCTOPUS = Setup("octopus-alarm", ("Ann", "Bo"))
LIMIT_S = 20


class Lamp:
    """Remembers what it was told, in order."""

    def __init__(self):
        self.told = queue.Queue()

    def signal(self, reader, sign):
        self.told.put((reader, sign))

    def arm(self, *, armed):
        self.told.put(("arm", armed))

    def next(self):
        return self.told.get(timeout=LIMIT_S)


class Broken(Lamp):
    def signal(self, reader, sign):
        raise OSError("burnt out")

    def arm(self, *, armed):
        raise OSError("burnt out")


@contextmanager
def signalled(folder, drivers, seats=(), **options):
    with running(folder, tags=TAGS, **options) as table:
        signals = Signals(table, lambda: drivers, lambda: seats)
        signals.start()
        yield table
    signals.close()
    assert not signals._thread.is_alive()


def test_the_fakes_are_what_a_driver_is():
    assert isinstance(Lamp(), Signalling)


def test_a_tap_is_answered_at_its_reader(tmp_path):
    lamp = Lamp()
    with signalled(tmp_path, [lamp]) as table:
        table.report(TagOn("pcsc-1", DOTS, 0))
        assert lamp.next() == ("pcsc-1", "accepted")
        table.report(TagOn("pcsc-2", "04999999999999", 10**10))
        assert lamp.next() == ("pcsc-2", "refused")
        table.report(ButtonPressed("gpio-22", "pass", 2 * 10**10))
        assert lamp.next() == ("gpio-22", "refused")
        table.report(ButtonPressed("gpio-22", "undo", 3 * 10**10))
        assert lamp.next() == ("gpio-22", "accepted")


def test_touch_and_programs_need_no_sign_but_a_turn_does(tmp_path):
    lamp = Lamp()
    with signalled(tmp_path, [lamp], ["bridge-1/0", "bridge-1/1"]) as table:
        table.act(Reveal("dots"), source=API)
        table.act(Stop(), source=API)
        assert lamp.next() == ("bridge-1/1", "your-turn")
        table.undo(1, source=API)
        assert lamp.next() == ("bridge-1/0", "your-turn")


@pytest.mark.parametrize("seats", [[], ["", ""], ["bridge-1/0"]])
def test_where_nobody_says_which_reader_is_whose_no_turn_is_told(tmp_path, seats):
    lamp = Lamp()
    with signalled(tmp_path, [lamp], seats) as table:
        table.act(Reveal("dots"), source=API)
        table.act(Stop(), source=API)
        table.report(ButtonPressed("gpio-22", "pass", 0))
        assert lamp.next() == ("gpio-22", "refused")


def to_alarm(table):
    for stack, animal in enumerate(("crab", "fish", "squid", "snail")):
        table.act(Reef(stack, animal), source=API)
    table.act(Sail(2), source=API)
    return table.act(Flip(0, "wave"), source=API)


def test_an_alarm_arms_the_drivers_and_is_told_everywhere(tmp_path):
    lamp = Lamp()
    with signalled(tmp_path, [lamp], setup=OCTOPUS) as table:
        table.report(DeviceBack("pcsc-1", "ACME", 0))
        table.report(DeviceBack("gpio-27", "Buzzer", 0))
        assert to_alarm(table).code is None
        assert [lamp.next() for _ in range(3)] == [
            ("arm", True),
            ("pcsc-1", "alarm"),
            ("gpio-27", "alarm"),
        ]
        table.act(Swing("capsized"), source=API)
        assert lamp.next() == ("arm", False)
        table.undo(1, source=API)
        assert lamp.next() == ("arm", True)


def test_a_verdict_of_the_ship_is_no_tap(tmp_path):
    lamp = Lamp()
    with signalled(tmp_path, [lamp], ["a", "b"], setup=OCTOPUS) as table:
        to_alarm(table)
        assert lamp.next() == ("arm", True)
        step = 10**9 // 50
        for number in range(700):
            hit = 60 < number < 90 or 200 < number < 250
            x_mg = 1000 if number > 250 or (hit and number % 2) else 0
            table.report(Attitude("gpio-17", x_mg, 0, 1000 - x_mg, number * step))
        assert table.settle().event.action == Swing("capsized")
        assert lamp.next() == ("arm", False)
        assert lamp.next() == ("b", "your-turn")


def test_an_alarm_that_runs_at_the_start_is_armed(tmp_path):
    with running(tmp_path, OCTOPUS) as table:
        to_alarm(table)
    lamp = Lamp()
    with signalled(tmp_path, [lamp], setup=OCTOPUS):
        assert lamp.next() == ("arm", True)


def test_a_driver_that_fails_matters_to_nobody(tmp_path, caplog):
    lamp = Lamp()
    with signalled(tmp_path, [Broken(), lamp], setup=OCTOPUS) as table:
        table.report(DeviceBack("pcsc-1", "ACME", 0))
        to_alarm(table)
        assert [lamp.next(), lamp.next()] == [("arm", True), ("pcsc-1", "alarm")]
        table.report(ButtonPressed("pcsc-1", "stop", 0))
        assert lamp.next() == ("pcsc-1", "refused")
    assert caplog.text.count("burnt out") == 1


def test_a_tag_that_is_enrolled_is_answered_at_its_reader(tmp_path):
    lamp = Lamp()
    with signalled(tmp_path, [lamp]) as table:
        table.enrol(Begin("tentacles"), source=API)
        table.report(TagOn("pcsc-1", "04A1A2A3A4A5A6", 0))
        assert lamp.next() == ("pcsc-1", "accepted")
        table.report(TagOn("pcsc-2", "04A1A2A3A4A5A6", 10**10))  # it is there already
        assert lamp.next() == ("pcsc-2", "refused")
        table.enrol(Undo(), source=API)
        table.report(TagOn("pcsc-2", "08A1A2A3", 2 * 10**10))
        assert lamp.next() == ("pcsc-2", "refused")
        table.report(TagUnreadable("pcsc-3", "it gives no UID", 3 * 10**10))
        assert lamp.next() == ("pcsc-3", "refused")
