"""The drivers of a table while it is served: opened, started again one by one, and closed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence

from companion.drivers import registry
from companion.drivers.api import (
    Clock,
    DeviceBack,
    DeviceGone,
    DeviceLost,
    Driver,
    DriverError,
    DriverMissing,
    Reading,
    Report,
    Settling,
    Signalling,
    SimulatedDriver,
)
from companion.said import say
from companion.tap_watch import TapWatch

log = logging.getLogger(__name__)


class Readers:
    """Opens drivers, and knows which reader belongs to which of them.

    Args:
        drivers: each with the name by which it was asked for, such as `pcsc:`.
        report: where readings go.
        settle: returns when the table has taken all readings so far.
        clock: the one that readings are stamped with.

    Attributes:
        taps: compares the readers while somebody asks for it.
    """

    def __init__(
        self,
        drivers: Sequence[tuple[str, Driver]],
        report: Report,
        settle: Callable[[], object],
        clock: Clock,
    ) -> None:
        self._drivers = tuple(drivers)
        self._report = report
        self._settle = settle
        self._clock = clock
        self._lock = threading.Lock()
        self._bus: dict[str, str] = {}
        self._answers: dict[str, str] = {}  # what it is, of each reader that answers now
        self._closed = False
        self.taps = TapWatch(clock, self._answering)

    def open(self) -> None:
        """Open all of them; returns at once, also where no hardware is there yet.

        Raises:
            DriverError: one cannot be opened, and no hardware will change that.
        """
        for name, driver in self._drivers:
            self._begin(name, driver)

    @property
    def signalling(self) -> Sequence[Signalling]:
        """Those that can signal."""
        return [driver for _, driver in self._drivers if isinstance(driver, Signalling)]

    def follow(self, names: Sequence[str]) -> None:
        """These are the readers now: who is not named any more goes, and others come.

        Tables in software come and go at the next start alone: pages and things are made for
        them. A name that is none changes nothing. Both are told in the log.
        """
        with self._lock:
            if self._closed:
                return
            held = dict(self._drivers)
            try:
                fresh = {name: registry.make(name) for name in names if name not in held}
            except DriverError as fault:
                log.warning("%s The readers stay as they were.", fault)
                return
            gone = {name: driver for name, driver in held.items() if name not in names}
            for changed, when in ((gone, "goes"), (fresh, "comes")):
                for name in [name for name, each in changed.items() if _in_software(each)]:
                    del changed[name]
                    log.info("%s %s at the next start.", name, when)
            for name, driver in gone.items():
                driver.close()
                self._let_go(name)
            kept = [(name, driver) for name, driver in self._drivers if name not in gone]
            self._drivers = (*kept, *fresh.items())
            for name, driver in fresh.items():
                try:
                    self._begin(name, driver)
                except DriverError as fault:
                    log.warning("%s", fault)
                    self._report(DeviceLost(name, str(fault), self._clock()))

    def close(self) -> None:
        """Close all of them; what was opened last is closed first."""
        with self._lock:
            self._closed = True
            for _, driver in reversed(self._drivers):
                driver.close()

    def bus_of(self, reader: str) -> str:
        """The name by which the driver of this reader was asked for; empty for an unknown one."""
        return self._bus.get(reader, "")

    def restart(self, reader: str) -> bool:
        """Close the driver of this reader and open it again; takes a second at most.

        Everything else that belongs to the same driver is started again with it.

        Returns:
            Whether there is such a reader.
        """
        bus = self._bus.get(reader)
        if bus is None:
            return False
        with self._lock:
            for name, driver in self._drivers:
                if name == bus and not self._closed:
                    log.info("%s is started again.", name)
                    driver.close()
                    self._say_away(name, say("It is being started again."))
                    self._open(name, driver)
        return True

    def _begin(self, name: str, driver: Driver) -> None:
        if isinstance(driver, Settling):
            driver.settle_with(self._settle)
        self._open(name, driver)

    def _open(self, name: str, driver: Driver) -> None:
        """A reader whose library is missing must not keep the others, and the pages, from working."""

        def report(reading: Reading) -> None:
            self._bus.setdefault(reading.reader, name)
            if isinstance(reading, DeviceBack):
                if reading.reader not in self._answers:
                    log.info("%s: answers. %s", reading.reader, reading.hardware)
                self._answers[reading.reader] = reading.hardware
            elif isinstance(reading, DeviceLost):
                self._answers.pop(reading.reader, None)
            if not self.taps.takes(reading):
                self._report(reading)

        try:
            driver.open(report, self._clock)
        except DriverMissing as error:
            log.warning("%s", error)
            report(DeviceLost(name, str(error), self._clock()))

    def _answering(self) -> Iterator[DeviceBack]:
        """The readers on which a card can be laid by hand, and that answer now."""
        for reader, bus in tuple(self._bus.items()):
            hardware = self._answers.get(reader)
            if hardware is not None and not bus.startswith(("sim:", "gpio:")):
                yield DeviceBack(reader, hardware, self._clock())

    def _let_go(self, name: str) -> None:
        """Nobody misses what belonged to this driver."""
        self._say_away(name, say("The settings do not name it any more."))
        for reader, bus in tuple(self._bus.items()):
            if bus == name:
                del self._bus[reader]
                self._report(DeviceGone(reader, self._clock()))

    def _say_away(self, name: str, reason: str) -> None:
        for reader, bus in tuple(self._bus.items()):
            if bus == name and self._answers.pop(reader, None) is not None:
                self._report(DeviceLost(reader, reason, self._clock()))


def _in_software(driver: Driver) -> bool:
    return isinstance(driver, SimulatedDriver)
