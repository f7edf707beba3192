"""A ship to push on a page: it stands, falls, rocks, and its sensor feels it.

Nothing is reported while nothing moves and no alarm runs, as a board sleeps that has nothing to
tell. Otherwise a thread tells the sensor's reading fifty times a second, until the ship has
rested for a while.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal

from companion.drivers.api import Attitude, Clock, Report

Push = Literal["falls", "stands", "wobbles"]

SECOND_NS = 1_000_000_000
EVERY_S = 0.02
RESTS_S = 8.0
"""Told for so long after a movement: longer than any judge waits."""

HANDS_COME_S = 0.8
"""Before that the sensor has felt for a while how the ship stood."""

TREMBLES_MG = 2.0
LIES_DEG = 86.0
LEANS_MOST_DEG = 100.0

_LASTS_S = {"falls": 1.2, "wobbles": 2.0, "stands": 1.0, "carried": 1.2}


@dataclass(frozen=True, slots=True)
class _Motion:
    """From one rest to another.

    Attributes:
        kind: a push, or `carried`.
        begun_ns: when.
        start: the angle before, degrees.
        end: the angle after.
    """

    kind: str
    begun_ns: int
    start: float
    end: float

    def angle(self, passed_s: float) -> float:
        """The angle after so long, degrees."""
        passed_s = max(0.0, passed_s)
        part = min(1.0, passed_s / _LASTS_S[self.kind])
        if self.kind == "wobbles" and part < 1:
            return self.start + 14 * math.sin(math.tau * 2.2 * passed_s) * (1 - part)
        if self.kind == "falls":
            # Hit first, then over, with a bounce on the table.
            over = min(1.0, max(0.0, passed_s - 0.25) / 0.45)
            bounce = 9 * math.sin(math.tau * 3 * passed_s) * (1 - part)
            return self.start + (self.end - self.start) * over**2 + bounce
        if self.kind == "carried" and part < 1:
            return self.start + 9 * math.sin(math.tau * 1.5 * passed_s)
        return self.start + (self.end - self.start) * (3 - 2 * part) * part**2

    def jolt_mg(self, passed_s: float) -> float:
        """How hard hands, ball or table push it, thousandths of g."""
        left = max(0.0, 1 - passed_s / _LASTS_S[self.kind]) if passed_s >= 0 else 0.0
        hardest = {"falls": 3200.0, "wobbles": 2800.0}.get(self.kind, 350.0)
        return hardest * left**2


class VirtualShip:
    """One ship with its sensor.

    Args:
        reader: the sensor's name.
        report: takes its readings.
        clock: stamps them.
        chance: what trembles.
        start: runs a loop beside the service; a thread where left out.

    Attributes:
        angle: how far it rests from upright, in whole degrees.
    """

    def __init__(
        self,
        reader: str,
        report: Report,
        clock: Clock,
        chance: Random,
        start: Callable[[Callable[[], None]], object] | None = None,
    ) -> None:
        self.reader = reader
        self._report = report
        self._clock = clock
        self._chance = chance
        self._start = start or _in_a_thread
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._runs = False
        self._armed = False
        self._motion = _Motion("stands", clock() - 60 * SECOND_NS, 0.0, 0.0)

    @property
    def angle(self) -> int:
        """How far it is from upright when it has come to rest, degrees."""
        return round(self._motion.end)

    def push(self, how: Push) -> None:
        """Fell it, stand it up, or hit it so that it rocks for two seconds."""
        end = {"falls": LIES_DEG, "stands": 0.0}.get(how, self._motion.end)
        self._move(how, end)

    def lean(self, degrees: float) -> None:
        """Lay it down at this angle from upright, by hand."""
        self._move("stands", max(0.0, min(LEANS_MOST_DEG, degrees)))

    def carry(self) -> None:
        """Hands come after a moment, and put it down in another place."""
        self._move("carried", self._motion.end, after_s=HANDS_COME_S)

    def arm(self, *, armed: bool) -> None:
        """An alarm runs, or has ended."""
        self._armed = armed
        if armed:
            self._wake()

    def close(self) -> None:
        """Tell nothing more."""
        self._end.set()

    def tick(self) -> None:
        """Tell what the sensor feels now."""
        now_ns = self._clock()
        motion = self._motion
        passed_s = (now_ns - motion.begun_ns) / SECOND_NS
        leans = math.radians(motion.angle(passed_s))
        jolt = motion.jolt_mg(passed_s)
        spread = TREMBLES_MG + jolt / 2
        felt = [
            round(1000 * part + self._chance.gauss(0, 1) * spread)
            for part in (math.sin(leans), 0.0, math.cos(leans))
        ]
        self._report(Attitude(self.reader, felt[0], felt[1], felt[2], now_ns))

    def _move(self, kind: str, end: float, after_s: float = 0.0) -> None:
        now_ns = self._clock()
        passed_s = (now_ns - self._motion.begun_ns) / SECOND_NS
        begun_ns = now_ns + int(after_s * SECOND_NS)
        self._motion = _Motion(kind, begun_ns, self._motion.angle(passed_s), end)
        self._wake()

    def _wake(self) -> None:
        with self._lock:
            if self._runs or self._end.is_set():
                return
            self._runs = True
        self._start(self._run)

    def _run(self) -> None:
        while not self._end.wait(EVERY_S):
            self.tick()
            with self._lock:
                rested_s = (self._clock() - self._motion.begun_ns) / SECOND_NS
                if not self._armed and rested_s > RESTS_S:
                    self._runs = False
                    return


def _in_a_thread(run: Callable[[], None]) -> None:
    threading.Thread(target=run, name="virtual ship", daemon=True).start()
