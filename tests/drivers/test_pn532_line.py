"""The PN532's driver as it runs: pyserial on a pseudo terminal, the simulated chip behind it."""

import contextlib
import threading
import time

import pytest
import serial

from companion.drivers import registry
from companion.drivers.api import DriverError, SeveralTags
from companion.drivers.pn532 import Pn532Driver
from hardware_sim.pn532_chip import Pn532Chip
from hardware_sim.pn532_faults import NO_FAULTS, Faults
from hardware_sim.pty import DeviceOnPty, PseudoTerminal
from hardware_sim.tags import make_tag

A, B = "04A3C6CAE26180", "82ACB95D"
READER, HARDWARE = "pn532-1", "PN532 1.6"


@pytest.fixture
def tags():
    return {uid: make_tag(bytes.fromhex(uid)) for uid in (A, B)}


@pytest.fixture
def chip():
    return Pn532Chip()


@pytest.fixture
def link(tmp_path):
    return tmp_path / "serial0"


@pytest.fixture
def plugged(chip, link):
    """The chip's line, which can be pulled with `close`."""
    with DeviceOnPty(chip, link) as device:
        yield device


@pytest.fixture
def opened(readings, link):
    with contextlib.ExitStack() as stack:

        def opened(option=""):
            driver = registry.make(f"pn532:{link}{option}")
            driver.open(readings, time.monotonic_ns)
            stack.callback(driver.close)
            return driver

        yield opened
        readings.let_go()


def test_tags_come_and_go(plugged, chip, tags, opened, readings):
    began_ns = time.monotonic_ns()
    opened()
    readings.expect_back(READER, HARDWARE)
    chip.looked.clear()
    assert chip.looked.wait(20)
    for uid in (A, B):
        chip.looked.clear()
        readings.expect_nothing(0.4)
        chip.put(tags[uid])
        readings.expect_on(READER, uid, lay_there=False)
        chip.take(tags[uid])
        readings.expect_off(READER, uid)
    chip.put(tags[A])
    chip.put(tags[B])
    reading = readings.next()
    assert isinstance(reading, SeveralTags)
    assert began_ns < reading.at_ns <= time.monotonic_ns()


def test_one_target_is_asked_for_where_it_is_wished(plugged, chip, tags, opened, readings):
    chip.put(tags[A])
    chip.put(tags[B])
    opened("?targets=1&number=4")
    readings.expect_back("pn532-4", HARDWARE)
    readings.expect_on("pn532-4", A, lay_there=True)


def test_a_tag_that_lies_there_is_told_as_such(plugged, chip, tags, opened, readings):
    chip.put(tags[A])
    opened()
    readings.expect_back(READER, HARDWARE)
    readings.expect_on(READER, A, lay_there=True)


FAULTS = {
    "drop": Faults(drop=1),
    "garble": Faults(garble=1),
    "duplicate": Faults(duplicate=1),
    "delay": Faults(delay=10),
    "half": Faults(half=10),
    "tail": Faults(tail=10),
    "garbage": Faults(garbage=30),
    "glue": Faults(glue=True),
    "no first acknowledgement": Faults(no_first_ack=True),
    "miss": Faults(miss=30),
    "silent": Faults(silent=True),
    "brown-out": Faults(brown_out=40),
    "reboot": Faults(reboot=40),
    "deaf": Faults(deaf=10),
}


@pytest.mark.usefixtures("plugged")
@pytest.mark.parametrize("name", FAULTS)
def test_whatever_is_wrong_a_tag_comes_stays_and_goes(name, chip, tags, opened, readings):
    chip.faults = FAULTS[name]
    opened()
    readings.expect_back(READER, HARDWARE)
    chip.put(tags[A])
    readings.expect_on(READER, A)
    readings.expect_nothing(0.5)
    chip.take(tags[A])
    readings.expect_off(READER, A)


def test_a_chip_that_is_away_for_a_moment_is_set_up_again(plugged, chip, tags, opened, readings):
    chip.put(tags[A])
    opened()
    readings.take(2)
    chip.brown_out()
    chip.looked.clear()
    assert chip.looked.wait(20), "it was woken and looks again"
    readings.expect_nothing(0.5)
    chip.take(tags[A])
    readings.expect_off(READER, A)


def test_a_mute_chip_is_lost_and_told_when_it_speaks(plugged, chip, tags, opened, readings):
    chip.faults = Faults(drop=100)
    chip.put(tags[A])
    opened()
    readings.expect_lost(READER, "TX")
    chip.faults = NO_FAULTS
    readings.expect_back(READER, HARDWARE)
    readings.expect_on(READER, A, lay_there=True)
    chip.faults = Faults(drop=100)
    readings.expect_lost(READER, "does not answer any more")
    chip.faults = NO_FAULTS
    readings.expect_back(READER, HARDWARE)
    readings.expect_nothing(0.5)  # the tag lies there as before


def test_a_line_that_is_pulled_and_plugged_in_again(chip, link, tags, opened, readings):
    with DeviceOnPty(chip, link):
        chip.put(tags[A])
        opened()
        readings.take(2)
    readings.expect_lost(READER, "plug")
    readings.expect_nothing(0.3)
    chip.brown_out()
    with DeviceOnPty(chip, link):
        readings.expect_back(READER, HARDWARE)
        readings.expect_nothing(0.3)
        chip.take(tags[A])
        readings.expect_off(READER, A)


def test_a_port_that_is_not_there_yet(chip, link, opened, readings):
    opened()
    readings.expect_lost(READER, str(link))
    with DeviceOnPty(chip, link):
        readings.expect_back(READER, HARDWARE)


def test_a_port_that_another_program_holds(plugged, link, opened, readings):
    with serial.Serial(str(link), exclusive=True):
        opened()
        readings.expect_lost(READER, "Another program")
    readings.expect_back(READER, HARDWARE)


def test_a_login_shell_on_the_port(link, opened, readings):
    """It sends back whatever it hears."""

    class Shell:
        on_change = None
        heard = b""

        def feed(self, data, now_ms):
            self.heard += data

        def output(self, now_ms):
            echo, self.heard = self.heard, b""
            return echo

        def due_ms(self):
            return None

    with DeviceOnPty(Shell(), link):
        opened()
        readings.expect_lost(READER, "login shell")


def test_nobody_reads_what_is_written(link, opened, readings):
    """A line that takes no more bytes blocks nobody for long."""
    with PseudoTerminal(link):
        driver = opened()
        readings.expect_lost(READER, "No PN532 answers")
        began_s = time.monotonic()
        driver.close()
        assert time.monotonic() - began_s < 3


def test_it_closes_within_a_second_and_leaves_no_thread(plugged, chip, tags, link, readings):
    before = set(threading.enumerate())
    for _ in range(3):
        driver = Pn532Driver(str(link))
        driver.open(readings, time.monotonic_ns)
        with pytest.raises(DriverError, match="open already"):
            driver.open(readings, time.monotonic_ns)
        readings.expect_back(READER, HARDWARE)
        began_s = time.monotonic()
        driver.close()
        assert time.monotonic() - began_s < 3
        driver.close()
        assert set(threading.enumerate()) <= before
    chip.put(tags[A])
    readings.expect_nothing(0.3)
