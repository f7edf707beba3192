"""The drivers of a table while it is served: opened, started again one by one, and closed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from companion.drivers.api import (
    Clock,
    DeviceBack,
    DeviceLost,
    Driver,
    DriverMissing,
    Reading,
    Report,
    Settling,
)
from companion.said import say

log = logging.getLogger(__name__)


class Readers:
    """Opens drivers, and knows which reader belongs to which of them.

    Args:
        drivers: each with the name by which it was asked for, such as `pcsc:`.
        report: where readings go.
        settle: returns when the table has taken all readings so far.
        clock: the one that readings are stamped with.
    """

    def __init__(
        self,
        drivers: Sequence[tuple[str, Driver]],
        report: Report,
        settle: Callable[[], object],
        clock: Clock,
    ) -> None:
        self._drivers = drivers
        self._report = report
        self._settle = settle
        self._clock = clock
        self._lock = threading.Lock()
        self._bus: dict[str, str] = {}
        self._ready: dict[str, bool] = {}
        self._closed = False

    def open(self) -> None:
        """Open all of them; returns at once, also where no hardware is there yet.

        Raises:
            DriverError: one cannot be opened, and no hardware will change that.
        """
        for name, driver in self._drivers:
            if isinstance(driver, Settling):
                driver.settle_with(self._settle)
            self._open(name, driver)

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
                    self._say_away(name)
                    self._open(name, driver)
        return True

    def _open(self, name: str, driver: Driver) -> None:
        """A reader whose library is missing must not keep the others, and the pages, from working."""

        def report(reading: Reading) -> None:
            self._bus.setdefault(reading.reader, name)
            if isinstance(reading, DeviceBack | DeviceLost):
                was_ready = self._ready.get(reading.reader)
                self._ready[reading.reader] = isinstance(reading, DeviceBack)
                if isinstance(reading, DeviceBack) and not was_ready:
                    log.info("%s: answers. %s", reading.reader, reading.hardware)
            self._report(reading)

        try:
            driver.open(report, self._clock)
        except DriverMissing as error:
            log.warning("%s", error)
            report(DeviceLost(name, str(error), self._clock()))

    def _say_away(self, name: str) -> None:
        reason = say("It is being started again.")
        for reader, bus in tuple(self._bus.items()):
            if bus == name and self._ready.get(reader):
                self._ready[reader] = False
                self._report(DeviceLost(reader, reason, self._clock()))
