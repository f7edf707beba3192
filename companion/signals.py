"""What lights and sounds tell people, from what the table publishes.

One thread waits for snapshots and tells the drivers that can signal: whether a tap was
accepted, whose turn it is, and that an alarm begins or has ended. A driver that fails is
named in the log, and never matters to the game.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial

from companion.drivers.api import Sign, Signalling
from companion.publisher import Publishing
from companion.snapshot import Event, Snapshot

log = logging.getLogger(__name__)

WAIT_S = 60.0


class Signals:
    """Tells the drivers what people at the table should see or hear.

    Args:
        table: whose snapshots are told of.
        drivers: gives those that can signal.
        seats: gives the readers at the players' places, in seating order; empty where none stands.
    """

    def __init__(
        self,
        table: Publishing,
        drivers: Callable[[], Sequence[Signalling]],
        seats: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._table = table
        self._drivers = drivers
        self._seats = seats
        self._armed = False
        self._failed: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="signals", daemon=True)

    def start(self) -> None:
        """Begin with what is true now."""
        self._thread.start()

    def close(self) -> None:
        """End with the table, which has to be closed before."""
        self._thread.join(1.0)

    def _run(self) -> None:
        snapshot = self._table.snapshot
        self._arm(snapshot)
        while not self._table.closed:
            newer = self._table.wait(snapshot.revision, WAIT_S)
            if newer.revision != snapshot.revision:
                self._tell(snapshot, newer)
                snapshot = newer

    def _tell(self, before: Snapshot, now: Snapshot) -> None:
        event = now.event
        if event.number != before.event.number and event.source.kind == "reader":
            sign = _answer_to(event)
            if sign is not None:
                self._signal(event.source.name, sign)
        self._enrolled(before, now)
        self._arm(now)
        turn = now.standing.turn
        if turn is not None and turn != before.standing.turn:
            seat = now.players.index(turn)
            seats = self._seats()
            if seat < len(seats) and seats[seat]:
                self._signal(seats[seat], "your-turn")

    def _enrolled(self, before: Snapshot, now: Snapshot) -> None:
        """A tag was laid for enrolment: the hand that laid it need not look at a page."""
        was, is_ = before.enrolment, now.enrolment
        if is_ is not None and is_.told.reader and (was is None or was.number != is_.number):
            self._signal(is_.told.reader, "refused" if is_.told.warns else "accepted")

    def _arm(self, snapshot: Snapshot) -> None:
        if snapshot.alarm == self._armed:
            return
        self._armed = snapshot.alarm
        for driver in self._drivers():
            self._try(driver, partial(driver.arm, armed=snapshot.alarm))
        if snapshot.alarm:
            for reader in snapshot.readers:
                self._signal(reader.name, "alarm")

    def _signal(self, reader: str, sign: Sign) -> None:
        for driver in self._drivers():
            self._try(driver, partial(driver.signal, reader, sign))

    def _try(self, driver: Signalling, tell: Callable[[], None]) -> None:
        try:
            tell()
        except Exception as error:  # noqa: BLE001 - a lamp that fails must not matter
            text = f"{type(driver).__name__} could not give a sign ({error!r})."
            if text not in self._failed:
                self._failed.add(text)
                log.warning("%s", text)


def _answer_to(event: Event) -> Sign | None:
    """What the person hears who laid the tag or pressed the button; a ship hears nothing."""
    if event.source.sense == "ship":
        return None
    return "accepted" if event.kind in ("action", "undo", "taken") else "refused"
