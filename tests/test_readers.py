"""The drivers of a table while it is served: a helper starts one again, and it is back soon."""

from __future__ import annotations

import time
from random import Random

import pytest

from companion.drivers.api import DeviceBack, DeviceLost, Driver, DriverMissing, TagOn, Turned
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


def test_a_cable_that_was_pulled_and_put_back_is_green_within_five_seconds(opened, readings, link):
    with DeviceOnPty(Pn532Chip(), link):
        opened((f"pn532:{link}", Pn532Driver(str(link))))
        readings.expect_back("pn532-1", "PN532 1.6")
    assert isinstance(readings.next(), DeviceLost)
    with DeviceOnPty(Pn532Chip(), link):
        began_s = time.monotonic()
        assert isinstance(readings.next(), DeviceBack)
        assert time.monotonic() - began_s < BACK_S
