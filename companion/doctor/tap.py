"""`companion doctor --tap`: one card on every reader, and what each of them made of it."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TextIO

from companion.check_talk import CheckTalk
from companion.doctor.taps import HOLD_S, S, Taps, Verdict
from companion.drivers import registry
from companion.drivers.api import Clock, DeviceLost, Driver, DriverError, Reading
from companion.errors import PlainError

KINDS = tuple(kind for kind in registry.KINDS if kind not in ("gpio:", "sim:"))
"""Drivers that see cards, and are no table in software."""

LIMIT_S = 60.0
"""So long nobody does anything before it ends."""

GATHER_S = 3.0
TICK_S = 0.1


_PLAIN = re.compile(r"line:.*|line-\d+")
"""A plain board as a whole, by the name of its driver or of its reader."""


class NoReaders(PlainError):
    """There is nothing to lay a card on."""


def tap(
    drivers: Sequence[tuple[str, Driver]],
    clock: Clock,
    lines: Iterable[str],
    out: TextIO,
    *,
    hold_s: float = HOLD_S,
    limit_s: float = LIMIT_S,
    gather_s: float = GATHER_S,
) -> Sequence[Verdict]:
    """Lead a person with one card from reader to reader.

    Args:
        drivers: with their names, not open yet.
        clock: for the drivers.
        lines: what is typed; a line ends it.
        out: where to print.
        hold_s: how long the card lies on each reader.
        limit_s: how long to wait for people.
        gather_s: how long to wait for readers that answer late.

    Raises:
        NoReaders: none is named that could see a card.
    """
    if not drivers:
        raise NoReaders(
            "No reader is named that could see a card: name one, such as "
            "companion doctor --tap --reader pcsc:"
        )
    # A plain board tells its places by cards alone, so nobody knows when they were all there.
    plain = sum(name.startswith("line:") for name, _ in drivers)
    talk = _Talk(clock, out, hold_s, limit_s, plain)
    with ExitStack() as stack:
        for name, driver in drivers:
            try:
                driver.open(talk.heard.put, clock)
            except DriverError as error:
                talk.heard.put(DeviceLost(name, str(error), clock()))
                continue
            stack.callback(driver.close)
        threading.Thread(target=talk.read, args=(lines,), name="typed", daemon=True).start()
        talk.meet(gather_s)
        talk.lead()
    return talk.taps.verdicts()


class _Talk(CheckTalk):
    """What is heard and said."""

    def __init__(
        self, clock: Clock, out: TextIO, hold_s: float, limit_s: float, plain: int
    ) -> None:
        super().__init__(clock, out)
        self.taps = Taps(hold_s)
        self._hold_s = hold_s
        self._limit_s = limit_s
        self._plain = plain

    def meet(self, gather_s: float) -> None:
        """Wait for the readers; who answers late has a little more time."""
        self.say("Looking for the readers …")
        for _ in self._listen(gather_s, anew=True):
            pass
        for reader, reason in self.reasons.items():
            self.say(f"  {reader} does not answer: {reason}")
        for reader in self.taps.missing:
            self.say(f"  {reader} answers: {self.hardware.get(reader, '')}")

    @property
    def _endless(self) -> bool:
        """Whether a plain board is there, which may have places that nobody has heard of."""
        return self._plain > sum(bool(_PLAIN.fullmatch(name)) for name in self.reasons)

    def lead(self) -> None:
        """From reader to reader, in whatever order the person likes."""
        if not self.taps.missing and not self._endless:
            return
        self.say(
            "\nTake one card; best one that belongs to no game. Lay it flat on each reader for "
            f"{self._hold_s:g} seconds, one reader after the other:\n  {self._left()}\n"
            "(Enter: that was all)"
        )
        shown: dict[str, str] = {}
        quiet_since_ns = self.clock()
        while self.taps.missing or self._endless:
            for _ in self._listen(TICK_S):
                quiet_since_ns = self.clock()
            for reader in self.taps.readers:
                end = self.taps.end_of(reader)
                if end and shown.get(reader) != end and reader in self.taps.missing:
                    self.say(f"  {reader}: a card that ends with {end}. Leave it there …")
                    shown[reader] = end
            for reader in self.taps.look(self.clock()):
                self.say(f"  {reader}: enough. Next: {self._left()}")
                quiet_since_ns = self.clock()
            if self._typed or self.clock() - quiet_since_ns > self._limit_s * S:
                return

    def _left(self) -> str:
        more = ["each place of the plain board"] if self._endless else []
        return ", ".join([*self.taps.missing, *more]) or "nothing more"

    def _listen(self, limit_s: float, *, anew: bool = False) -> Iterator[Reading]:
        for reading in self.readings(limit_s, skips=False, anew=anew):
            self.taps.heard(reading, self.clock())
            yield reading
