"""The thread of one serial port: it opens, reads, writes, and heals by itself.

What is said there is the matter of a `Talk`, which is handed bytes and the time. A driver of
something at a serial port is a `PortDriver`.
"""

from __future__ import annotations

import logging
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import ClassVar

from companion.drivers import ports
from companion.drivers.api import (
    Attitude,
    Clock,
    DeviceLost,
    Driver,
    DriverError,
    Reading,
    Report,
    TagUnreadable,
)
from companion.said import say

logger = logging.getLogger(__name__)

CLOSE_LIMIT_S = 0.9
FIRST_BACKOFF_S = 0.1
LONGEST_BACKOFF_S = 1.0


class _GivenUp(Exception):
    """Nobody waits for this thread any more: what it heard must not be acknowledged."""


class Talk(ABC):
    """What is said over a port, without the port. Only the port's thread calls it.

    Times are nanoseconds of the driver's monotonic clock.
    """

    @abstractmethod
    def opened(self, at_ns: int) -> None:
        """The port was opened (again)."""

    @abstractmethod
    def heard(self, data: bytes, at_ns: int) -> Iterable[Reading]:
        """These bytes came; none is said too, so that time passes."""

    @abstractmethod
    def lost(self, reason: str, at_ns: int) -> Iterable[Reading]:
        """The port cannot be opened or was lost; told at every try."""

    def to_say(self, at_ns: int) -> bytes:  # noqa: ARG002 - who only listens says nothing
        """What to write now."""
        return b""

    def gave_up(self, at_ns: int) -> bool:  # noqa: ARG002 - who only listens is patient
        """Whether the port is to be opened anew, since nobody answers."""
        return False


class PortThread:
    """Keeps a port open and lets a `Talk` have it.

    Args:
        name: for the log and the thread.
        kind: the driver's kind, such as `bridge:`, for the note how to name a port for good.
        listing: the ports of this computer; pyserial's own if None.
        settle: returns when what was reported is kept for good; called after readings were
            reported, and before anything more is said. None where nobody keeps them.

    Raises:
        DriverMissing: pyserial is not installed.
    """

    def __init__(
        self,
        name: str,
        *,
        kind: str,
        address: ports.Address,
        talk: Talk,
        report: Report,
        clock: Clock,
        listing: ports.Listing | None,
        settle: Callable[[], object] | None = None,
    ) -> None:
        self._library = ports.SerialLibrary()
        self._listing = listing or self._library.listed
        self._kind = kind
        self._address = address
        self._talk = talk
        self._report = report
        self._clock = clock
        self._settle = settle
        self._asked: queue.SimpleQueue[Callable[[int], None]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._given_up = threading.Event()
        self._backoff_s = FIRST_BACKOFF_S
        self._noted = False
        self._told = ""
        # A daemon: opening an address in a dead network takes longer than people wait.
        self._thread = threading.Thread(target=self._supervise, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def ask(self, what: Callable[[int], None]) -> None:
        """Have the port's thread call this soon, with the time in nanoseconds."""
        self._asked.put(what)

    def stop(self) -> None:
        """Close the port and end, within a second; then nothing is reported any more."""
        self._stopping.set()
        # What it has just heard is still told and acknowledged: nobody hears it again.
        self._thread.join(CLOSE_LIMIT_S)
        self._given_up.set()

    def _supervise(self) -> None:
        while not self._stopping.is_set():
            try:
                self._serve()
            except ports.PortTrouble as trouble:
                self._lost(str(trouble))
            except OSError as error:
                logger.info("%s: %s", self._thread.name, error)
                self._lost(
                    say(
                        "The connection to %(where)s broke off: see that the cable is plugged in and the "
                        "board has power.",
                        where=str(self._address),
                    )
                )
            except Exception as error:  # noqa: BLE001 - nothing may end this thread
                self._lost(
                    say(
                        "The driver of %(where)s failed (%(error)s) and starts again.",
                        where=str(self._address),
                        error=repr(error),
                    )
                )
            self._stopping.wait(self._backoff_s)
            self._backoff_s = min(self._backoff_s * 2, LONGEST_BACKOFF_S)

    def _serve(self) -> None:
        port = self._library.open(ports.find(self._address, self._listing()), self._address.baud)
        try:
            self._note()
            self._talk.opened(self._clock())
            self._converse(port)
        finally:
            # In the end the last acknowledgement has to go out.
            ports.close(port, sent=self._stopping.is_set())

    def _converse(self, port: ports.Port) -> None:
        talk, clock = self._talk, self._clock
        while not self._stopping.is_set():
            data = ports.read(port)
            if data:
                self._backoff_s = FIRST_BACKOFF_S
            # Told and kept first: what is written next may acknowledge it.
            if self._tell(talk.heard(data, clock())) and self._settle is not None:
                self._settle()
                self._go_on()
            self._do_what_was_asked()
            out = talk.to_say(clock())
            if out:
                port.write(out)
            if talk.gave_up(clock()):
                return

    def _lost(self, reason: str) -> None:
        if self._stopping.is_set():
            return
        try:
            self._do_what_was_asked()
            self._tell(self._talk.lost(reason, self._clock()))
        except Exception as error:  # noqa: BLE001 - nothing may end this thread
            if str(error) != self._told:
                self._told = str(error)
                logger.error("%s: %r", self._thread.name, error)  # noqa: TRY400

    def _do_what_was_asked(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._asked.get_nowait()(self._clock())

    def _note(self) -> None:
        if not self._noted:
            self._noted = True
            advice = ports.note(self._kind, self._address, self._listing())
            if advice is not None:
                logger.warning("%s", advice)

    def _go_on(self) -> None:
        if self._given_up.is_set():
            raise _GivenUp

    def _tell(self, readings: Iterable[Reading]) -> bool:
        """Report them; whether one is worth waiting for.

        How the ship lies is not: nobody acknowledges it, and 20 ms later it is told again.
        """
        counts = False
        for reading in readings:
            self._go_on()
            counts = counts or not isinstance(reading, Attitude)
            match reading:
                case DeviceLost(reason=reason):
                    logger.warning("%s: lost. %s", reading.reader, reason)
                case TagUnreadable(reason=reason):
                    logger.info("%s: unreadable. %s", reading.reader, reason)
                case _:
                    logger.debug("%s", reading)
            self._report(reading)
        return counts


class PortDriver(Driver):
    """A driver of what speaks at one serial port; a kind of it says by a `Talk` what is spoken.

    Args:
        where: its port, as `companion.drivers.ports.parse` takes it; `?number=2` numbers it,
            where there are several of its kind.
        listing: the ports of this computer; pyserial's own if None.

    Raises:
        DriverName: no port is named, or an option has no such value.
    """

    kind: ClassVar[str]

    def __init__(self, where: str, listing: ports.Listing | None = None) -> None:
        where, number = ports.cut_option(self.kind, where, "number", 1, highest=99)
        self._address = ports.parse(self.kind, where)
        self._name = f"{self.kind.removesuffix(':')}-{number}"
        self._listing = listing
        self._settle: Callable[[], object] | None = None
        self._running: PortThread | None = None

    @abstractmethod
    def _talk(self) -> Talk:
        """A new one for each opening."""

    def open(self, report: Report, clock: Clock) -> None:
        """Start to look for the port and to report; returns at once.

        Raises:
            DriverMissing: pyserial is not installed.
            DriverError: it is open already.
        """
        if self._running is not None:
            raise DriverError(f"{self._name} is open already: close it first.")
        thread = PortThread(
            self._name,
            kind=self.kind,
            address=self._address,
            talk=self._talk(),
            report=report,
            clock=clock,
            listing=self._listing,
            settle=self._settle,
        )
        self._running = thread
        thread.start()

    def close(self) -> None:
        """Stop reporting and end the thread, within a second."""
        thread, self._running = self._running, None
        if thread is not None:
            thread.stop()
