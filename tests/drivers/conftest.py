"""What the driver tests share."""

import time

import pytest

from companion.drivers.pcsc import PcscDriver
from tests.support.pcscd import pcscd
from tests.support.readings import Readings

__all__ = ["pcscd"]


@pytest.fixture
def readings():
    return Readings()


@pytest.fixture
def opened(readings):
    """Opens a PC/SC driver that reports into `readings`, and closes it at the end."""
    drivers = []

    def opened(which=""):
        driver = PcscDriver(which)
        driver.open(readings, time.monotonic_ns)
        drivers.append(driver)
        return driver

    yield opened
    readings.let_go()
    for driver in drivers:
        driver.close()
