"""Contactless readers over PC/SC: one thread for each reader, one that looks for readers.

pyscard's own CardMonitor is not used: it tells cards apart by their ATR, which all
NTAG21x share, and its thread ends for good when pcscd does.
"""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from companion import uid
from companion.drivers.api import (
    Clock,
    DeviceLost,
    Driver,
    DriverError,
    Reading,
    Report,
    TagUnreadable,
)
from companion.drivers.pcsc import names as pcsc_names
from companion.drivers.pcsc.field import REST_MS, FieldMemory
from companion.drivers.pcsc.library import UNAWARE, NoUid, PcscLibrary, ReaderState
from companion.drivers.pcsc.results import (
    COMM_ERROR,
    NO_READER,
    PcscFailure,
    Trouble,
    card_reason,
    device_reason,
    none_matches,
    unplugged,
)
from companion.said import say

logger = logging.getLogger(__name__)

CLOSE_LIMIT_S = 0.9
FIRST_BACKOFF_S = 0.1
LONGEST_BACKOFF_S = 1.0
LONGEST_BACKOFF_UNEXPECTED_S = 10.0
LOOK_AGAIN_MS = 5_000
"""Readers are listed this often though nothing was heard: one may come in between."""

POLL_READERS_S = 1.0
"""How often readers are listed where the platform does not tell of new ones."""

SHORTEST_TURN_S = 0.05
"""The least time of a turn that found nothing new, so that no library can spin us."""

SECOND_LOOK_S = 0.2
"""How long to wait before a reader or a denial is blamed: the service may be ending."""


class PcscDriver(Driver):
    """Every contactless reader that PC/SC shows, or those of a name.

    The readers are called `pcsc-1`, `pcsc-2` and so on: seats that a reader keeps when
    it is plugged in again or pcscd restarts (see `companion.drivers.pcsc.names`).

    Args:
        which: text that a reader's PC/SC name has to contain, in any case; empty takes
            every contactless reader.
    """

    def __init__(self, which: str) -> None:
        self._which = which
        self._running: _Discovery | None = None
        self._seats: tuple[pcsc_names.Seat, ...] = pcsc_names.FIRST_SEATS

    def open(self, report: Report, clock: Clock) -> None:
        """Start to look for readers and to report; returns at once.

        Raises:
            DriverMissing: pyscard is not installed.
            DriverError: it is open already.
        """
        if self._running is not None:
            raise DriverError("The PC/SC readers are open already: close them first.")
        discovery = _Discovery(PcscLibrary(), self._which, self._seats, report, clock)
        self._running = discovery
        discovery.start()

    def close(self) -> None:
        """Stop reporting at once and end the threads, within a second.

        A thread that waits for a card's answer ends when the card has answered: PC/SC
        has no time limit for that. Nothing of it is reported any more.
        """
        discovery, self._running = self._running, None
        if discovery is not None:
            discovery.stop()
            # Who opens it again finds each reader at its seat.
            self._seats = discovery.seats


@dataclass(frozen=True, slots=True)
class _Place:
    """What discovery knows of a seat: the reader there, or why there is none."""

    pcsc_name: str | None
    reason: str


class _Supervised(ABC):
    """A thread that goes on after every failure, and whose wait can be ended."""

    def __init__(self, library: PcscLibrary, name: str) -> None:
        self._library = library
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._context: int | None = None
        self._told = ""
        self._backoff_s = FIRST_BACKOFF_S
        # A daemon: a card that never answers must not keep the program from ending.
        self._thread = threading.Thread(target=self._supervise, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._wake.set()

    def cancel(self) -> bool:
        """End a wait inside PC/SC; False when the thread has ended."""
        context = self._context
        if context is not None:
            self._library.cancel(context)
        return self._thread.is_alive()

    def join(self, limit_s: float) -> bool:
        self._thread.join(limit_s)
        return not self._thread.is_alive()

    def _supervise(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            if self._stopping.is_set():  # set between the two lines above
                return
            error = _attempt(self._serve)
            if error is None:
                continue
            error = self._second_look(error)
            second_error = _attempt(partial(self._failed, error))
            if second_error is not None:
                self._log_once(f"The failure {error!r} could not be told: {second_error!r}")
            expected = isinstance(error, PcscFailure)
            longest_s = LONGEST_BACKOFF_S if expected else LONGEST_BACKOFF_UNEXPECTED_S
            self._wake.wait(self._backoff_s)
            self._backoff_s = min(self._backoff_s * 2, longest_s)

    def _second_look(self, error: Exception) -> Exception:
        """What is wrong in truth, told after a moment.

        A service that ends drops its readers first, and while it ends pcsc-lite may call
        it a denial (0x8010006A) when it hangs up.
        """
        doubted = (Trouble.READER, Trouble.ACCESS)
        if not isinstance(error, PcscFailure) or error.trouble not in doubted:
            return error
        self._stopping.wait(SECOND_LOOK_S)
        try:
            with self._library.context():
                return PcscFailure(COMM_ERROR) if error.trouble is Trouble.ACCESS else error
        except PcscFailure as service_failure:
            return service_failure

    def _went_well(self) -> None:
        self._backoff_s = FIRST_BACKOFF_S

    @abstractmethod
    def _serve(self) -> None:
        """Do the thread's work until it must end, or until something fails."""

    @abstractmethod
    def _failed(self, error: Exception) -> None:
        """Tell what failed."""

    def _log_once(self, text: str) -> None:
        if text != self._told:
            self._told = text
            logger.error("%s: %s", self._thread.name, text)


class _Reader(_Supervised):
    """Watches the reader of one seat."""

    def __init__(self, library: PcscLibrary, seat: str, report: Report, clock: Clock) -> None:
        super().__init__(library, seat)
        self._report = report
        self._clock = clock
        self._field = FieldMemory(seat)
        self._place: _Place | None = None

    def be_told(self, place: _Place) -> None:
        """Hear from discovery which reader this seat has; called by its thread."""
        if place != self._place:
            self._place = place
            self._wake.set()

    def _serve(self) -> None:
        place = self._place
        if place is None or place.pcsc_name is None:
            if place is not None:
                self._tell(self._field.lost(place.reason, self._clock()))
            self._wake.wait(LONGEST_BACKOFF_S)
            return
        with self._library.context() as context:
            self._context = context
            try:
                self._watch(context, place.pcsc_name, place)
            finally:
                self._context = None
        if self._place != place:
            # The reader is now known by another name: it was away in between.
            self._tell(self._field.lost(unplugged(place.pcsc_name), self._clock()))

    def _watch(self, context: int, reader: str, place: _Place) -> None:
        state, wait_ms = UNAWARE, REST_MS
        while True:
            before_ns = time.monotonic_ns()
            seen = self._library.wait_for_card(context, reader, state, wait_ms)
            if self._stopping.is_set() or self._place != place:
                return
            if seen.raw == state.raw and state is not UNAWARE:
                self._pace(before_ns, wait_ms)
            state = seen
            self._look(context, reader, seen)
            self._went_well()
            wait_ms = self._field.wait_ms(self._clock())

    def _look(self, context: int, reader: str, state: ReaderState) -> None:
        field, clock = self._field, self._clock
        self._tell(field.seen(reader, state.counter, clock(), present=state.present))
        if not field.uid_due:
            return
        try:
            canonical = uid.from_bytes(self._library.uid(context, reader, reset=field.reset_due))
        except PcscFailure as failure:
            if failure.trouble in (Trouble.SERVICE, Trouble.READER):
                raise
            self._tell(field.unreadable(card_reason(failure), clock()))
        except (NoUid, uid.UidError) as error:
            self._tell(field.unreadable(str(error), clock()))
        else:
            self._tell(field.read(canonical, clock()))

    def _pace(self, before_ns: int, wait_ms: int) -> None:
        """Wait a little if a library says that something changed and nothing did."""
        lasted_s = (time.monotonic_ns() - before_ns) / 1e9
        if lasted_s < min(SHORTEST_TURN_S, wait_ms / 1000):
            self._stopping.wait(SHORTEST_TURN_S)

    def _failed(self, error: Exception) -> None:
        place = self._place
        name = None if place is None else place.pcsc_name
        if not isinstance(error, PcscFailure):
            text = say(
                "The reader's thread failed (%(error)s) and starts again.", error=repr(error)
            )
            readings = self._field.lost(text, self._clock())
            if not readings:
                self._log_once(text)
            self._tell(readings)
            return
        reason = device_reason(error, name)
        if place is not None and name is None and error.trouble is Trouble.READER:
            reason = place.reason  # discovery has found it out first
        self._tell(self._field.lost(reason, self._clock()))

    def _tell(self, readings: tuple[Reading, ...]) -> None:
        for reading in readings:
            if self._stopping.is_set():
                return
            match reading:
                case DeviceLost(reason=reason):
                    logger.warning("%s: lost. %s", reading.reader, reason)
                case TagUnreadable(reason=reason):
                    logger.info("%s: unreadable. %s", reading.reader, reason)
                case _:
                    logger.debug("%s", reading)
            self._report(reading)


class _Discovery(_Supervised):
    """Looks for readers and gives each its seat."""

    def __init__(
        self,
        library: PcscLibrary,
        which: str,
        seats: tuple[pcsc_names.Seat, ...],
        report: Report,
        clock: Clock,
    ) -> None:
        super().__init__(library, "pcsc-discovery")
        self._which = which
        self._report = report
        self._clock = clock
        self._lock = threading.Lock()
        self._readers: dict[str, _Reader] = {}
        self.seats = seats

    def start(self) -> None:
        self._seat_everyone(_Place(None, NO_READER), told=False)
        super().start()

    def stop(self) -> None:
        deadline = time.monotonic() + CLOSE_LIMIT_S
        super().stop()
        with self._lock:  # after this nobody is seated any more
            threads: list[_Supervised] = [self, *self._readers.values()]
        for thread in threads[1:]:
            thread.stop()
        # In a thread of its own: with a frozen pcscd not even the cancelling returns.
        ended = threading.Event()
        canceller = threading.Thread(
            target=_cancel_all, args=(threads, ended), name="pcsc-close", daemon=True
        )
        canceller.start()
        left = [
            thread for thread in threads if not thread.join(max(0.0, deadline - time.monotonic()))
        ]
        ended.set()
        canceller.join(max(0.0, deadline - time.monotonic()))
        if left:
            logger.warning("%d reader threads still wait for PC/SC and end with it.", len(left))

    def _serve(self) -> None:
        with self._library.context() as context:
            self._context = context
            try:
                self._look_for_readers(context)
            finally:
                self._context = None

    def _look_for_readers(self, context: int) -> None:
        known: tuple[str, ...] | None = None
        while not self._stopping.is_set():
            names = self._library.reader_names(context)
            chosen = pcsc_names.chosen(names, self._which)
            self.seats = pcsc_names.assign(self.seats, chosen)
            reason = none_matches(self._which, names) if names else NO_READER
            self._seat_everyone(_Place(None, reason))
            self._went_well()
            if names == known:
                self._stopping.wait(SHORTEST_TURN_S)
            known = names
            if not self._library.wait_for_reader(context, len(names), LOOK_AGAIN_MS):
                self._stopping.wait(POLL_READERS_S)

    def _seat_everyone(self, nobody: _Place, *, told: bool = True) -> None:
        with self._lock:
            if self._stopping.is_set():
                return
            for seat in self.seats:
                reader = self._readers.get(seat.name)
                if reader is None:
                    reader = _Reader(self._library, seat.name, self._report, self._clock)
                    self._readers[seat.name] = reader
                    reader.start()
                if seat.present:
                    reader.be_told(_Place(seat.pcsc_name, ""))
                elif seat.pcsc_name is not None:
                    reader.be_told(_Place(None, unplugged(seat.pcsc_name)))
                elif told:
                    reader.be_told(nobody)

    def _failed(self, error: Exception) -> None:
        if isinstance(error, PcscFailure):
            reason = device_reason(error, None)
        else:
            reason = say(
                "The search for readers failed (%(error)s) and starts again.",
                error=repr(error),
            )
            self._log_once(reason)
        # Readers that have a seat find out for themselves what became of theirs.
        self._seat_everyone(_Place(None, reason))


def _cancel_all(threads: list[_Supervised], ended: threading.Event) -> None:
    alive = threads
    while alive and not ended.is_set():
        alive = [thread for thread in alive if thread.cancel()]
        ended.wait(0.02)


def _attempt(action: Callable[[], None]) -> Exception | None:
    try:
        action()
    except Exception as error:  # noqa: BLE001 - the supervisor tells, logs and tries again
        return error
    return None
