"""The drivers of a table while it is served: a helper starts one again, and it is back soon."""

from __future__ import annotations

import logging
import time
from random import Random

import pytest

from companion.drivers import registry
from companion.drivers.api import (
    DeviceBack,
    DeviceGone,
    DeviceLost,
    Driver,
    DriverError,
    DriverMissing,
    DriverName,
    TagOn,
    Turned,
)
from companion.drivers.pn532 import Pn532Driver
from companion.readers import Readers
from hardware_sim.pn532_chip import Pn532Chip
from hardware_sim.pty import DeviceOnPty
from hardware_sim.tags import make_tag
from hardware_sim.virtual_table import VirtualReader
from tests.support.readings import Readings

UID = "04A3C6CAE26180"
BACK_S = 5.0
"""As long as people wait for green."""


def virtual():
    driver = VirtualReader("sim", Random(1))
    driver.lay_out({}, [], {}, lambda: Turned((), {}), lambda: None)
    return driver


@pytest.fixture
def readings():
    return Readings()


@pytest.fixture
def opened(readings):
    made = []

    def opened(*drivers):
        made.append(Readers(drivers, readings, lambda: None, time.monotonic_ns))
        made[-1].open()
        return made[-1]

    yield opened
    readings.let_go()
    for readers in made:
        readers.close()


class Missing(Driver):
    def open(self, report, clock):
        raise DriverMissing("There is no library: install it.")

    def close(self):
        pass


def test_a_reader_is_known_by_its_driver(opened, readings):
    readers = opened(("sim:", virtual()))
    readings.expect_back("sim", "Virtual reader")
    assert (readers.bus_of("sim"), readers.bus_of("pcsc-9")) == ("sim:", "")
    assert not readers.restart("pcsc-9")


def test_starting_again_says_that_it_is_away_and_then_back(opened, readings):
    readers = opened(("sim:", virtual()))
    readings.expect_back("sim", "Virtual reader")
    assert readers.restart("sim")
    assert isinstance(readings.next(), DeviceLost)
    readings.expect_back("sim", "Virtual reader")


def test_a_missing_library_keeps_no_other_reader_away(opened, readings):
    readers = opened(("pcsc:", Missing()), ("sim:", virtual()))
    lost = readings.next()
    assert (lost.reader, lost.reason) == ("pcsc:", "There is no library: install it.")
    readings.expect_back("sim", "Virtual reader")
    assert readers.restart("pcsc:")
    assert isinstance(readings.next(), DeviceLost)


def test_nothing_is_started_again_after_the_end(opened, readings):
    readers = opened(("sim:", virtual()))
    readings.expect_back("sim", "Virtual reader")
    readers.close()
    readers.restart("sim")
    readings.expect_nothing(0.1)


@pytest.fixture
def link(tmp_path):
    return tmp_path / "serial0"


def test_a_chip_on_a_line_is_started_again(opened, readings, link):
    chip = Pn532Chip()
    with DeviceOnPty(chip, link):
        readers = opened((f"pn532:{link}", Pn532Driver(str(link))))
        readings.expect_back("pn532-1", "PN532 1.6")
        began_s = time.monotonic()
        assert readers.restart("pn532-1")
        assert isinstance(readings.next(), DeviceLost)
        assert isinstance(readings.next(), DeviceBack)
        assert time.monotonic() - began_s < BACK_S
        chip.looked.clear()
        assert chip.looked.wait(20)
        readings.expect_nothing(0.5)
        chip.put(make_tag(bytes.fromhex(UID)))
        reading = readings.next()
        assert isinstance(reading, TagOn)
        assert reading.uid == UID


def test_a_cable_that_was_pulled_and_put_back_is_green_within_five_seconds(
    opened, readings, link, caplog
):
    caplog.set_level(logging.INFO, "companion")
    with DeviceOnPty(Pn532Chip(), link):
        opened((f"pn532:{link}", Pn532Driver(str(link))))
        readings.expect_back("pn532-1", "PN532 1.6")
    assert isinstance(readings.next(), DeviceLost)
    with DeviceOnPty(Pn532Chip(), link):
        began_s = time.monotonic()
        assert isinstance(readings.next(), DeviceBack)
        assert time.monotonic() - began_s < BACK_S
    # Each change is said once, whoever has noticed it first.
    assert caplog.messages.count("pn532-1: answers. PN532 1.6") == 2


class Fake(Driver):
    """Answers as soon as it is open."""

    def __init__(self, name, fault=None):
        self.name, self.fault, self.open_now = name, fault, False

    def open(self, report, clock):
        if self.fault:
            raise self.fault
        self.open_now = True
        report(DeviceBack(f"{self.name}-1", "Fake", clock()))

    def close(self):
        self.open_now = False


@pytest.fixture
def fakes(monkeypatch):
    made = {"bad:": Fake("bad", DriverError("It is no port."))}

    def make(name):
        if name == "sim:":
            return virtual()
        if name == "abacus:":
            raise DriverName("No reader is called 'abacus:'.")
        return made.setdefault(name, Fake(name.partition(":")[0]))

    monkeypatch.setattr(registry, "make", make)
    return made


def test_who_is_named_comes_and_who_is_not_goes(opened, readings, fakes):
    readers = opened(("one:", registry.make("one:")))
    readings.expect_back("one-1", "Fake")
    readers.follow(("one:", "two:"))
    readings.expect_back("two-1", "Fake")
    assert readers.bus_of("two-1") == "two:"
    readers.follow(("two:", "three:"))
    lost, gone = readings.next(), readings.next()
    assert (lost.reader, lost.reason) == ("one-1", "The settings do not name it any more.")
    assert (type(gone), gone.reader) == (DeviceGone, "one-1")
    readings.expect_back("three-1", "Fake")
    assert {name: fake.open_now for name, fake in fakes.items() if name != "bad:"} == {
        "one:": False,
        "two:": True,
        "three:": True,
    }
    assert readers.bus_of("one-1") == ""
    assert not readers.restart("one-1")
    readers.close()
    readers.follow(("one:",))
    assert not any(fake.open_now for fake in fakes.values())


def test_a_name_that_is_none_changes_nothing(opened, readings, fakes, caplog):
    caplog.set_level("WARNING")  # whatever another test left
    readers = opened(("one:", registry.make("one:")))
    readings.expect_back("one-1", "Fake")
    readers.follow(("two:", "abacus:"))
    readings.expect_nothing(0.05)
    assert fakes["one:"].open_now
    assert caplog.messages == ["No reader is called 'abacus:'. The readers stay as they were."]


def test_one_that_cannot_be_opened_keeps_no_other_away(opened, readings, fakes):
    readers = opened()
    readers.follow(("bad:", "two:"))
    lost = readings.next()
    assert (lost.reader, lost.reason) == ("bad:", "It is no port.")
    readings.expect_back("two-1", "Fake")


def test_tables_in_software_wait_for_the_next_start(opened, readings, fakes, caplog):
    caplog.set_level(logging.INFO)
    readers = opened(("sim:", virtual()))
    readings.expect_back("sim", "Virtual reader")
    readers.follow(("one:",))
    readings.expect_back("one-1", "Fake")
    assert readers.restart("sim")  # it is there still
    assert "sim: goes at the next start." in caplog.messages
    other = opened()
    other.follow(("sim:",))
    assert "sim: comes at the next start." in caplog.messages
