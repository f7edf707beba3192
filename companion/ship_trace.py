"""The last seconds of a ship's sensor, thinned out so that they can be drawn."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from companion.drivers.api import Attitude
from companion.ship import S, Thresholds, Vector, tilt_deg

TRACE_S = 20
STEP_NS = S // 10
"""Of each tenth of a second the least and the greatest tilt are kept: a blow is short."""

GAP_S = 2.5
"""With no reading for longer than this nobody knows that the ship did not move meanwhile; at
rest a sensor is looked at once a second."""

MOST_SHIPS = 4
MOST_MARKS = 10


@dataclass(frozen=True, slots=True)
class Trace:
    """What a ship's sensor told in the last TRACE_S seconds.

    Attributes:
        reader: the sensor.
        points: seconds before now, and degrees from upright; oldest first, thinned out.
        settled_s: so many seconds ago it came to be at rest for long enough to be judged.
        rests_s: for how long it has been at rest.
        tilt: as it was told last, degrees from upright.
        heard_ns: when that was.
        thresholds: by which it is judged.
    """

    reader: str
    points: tuple[tuple[float, float], ...]
    settled_s: tuple[float, ...]
    rests_s: float
    tilt: float
    heard_ns: int
    thresholds: Thresholds

    @property
    def settled(self) -> bool:
        """Whether it has been at rest for as long as the judge asks for."""
        return self.rests_s >= self.thresholds.rest_s


@dataclass(slots=True)
class _Step:
    """One tenth of a second: when it was heard of first, and the bounds of what was felt."""

    number: int
    low: float
    high: float
    low_ns: int
    high_ns: int


class ShipTrace:
    """Takes readings one by one; its owner sees to it that one thread does so at a time.

    Args:
        reader: the sensor.
        thresholds: of the judge of the ship.
    """

    def __init__(self, reader: str, thresholds: Thresholds) -> None:
        self._reader = reader
        self._thresholds = thresholds
        self._steps: deque[_Step] = deque(maxlen=TRACE_S * S // STEP_NS + 1)
        self._marks: deque[int] = deque(maxlen=MOST_MARKS)
        self._tilt = 0.0
        self._heard_ns = 0
        self._rest_ns = 0  # since when it is at rest
        self._readings = 0  # since then
        self._total: Vector = (0.0, 0.0, 0.0)
        self._marked = False

    def heard(self, attitude: Attitude) -> None:
        """The sensor told how the ship lies."""
        at_ns = attitude.at_ns
        felt: Vector = (attitude.x_mg, attitude.y_mg, attitude.z_mg)
        self._rest(felt, at_ns)
        self._heard_ns = at_ns
        self._tilt = tilt = tilt_deg(felt, self._thresholds.upright)
        number = at_ns // STEP_NS
        last = self._steps[-1] if self._steps else None
        if last is None or last.number != number:
            self._steps.append(_Step(number, tilt, tilt, at_ns, at_ns))
            return
        if tilt < last.low:
            last.low, last.low_ns = tilt, at_ns
        if tilt > last.high:
            last.high, last.high_ns = tilt, at_ns

    def _rest(self, felt: Vector, at_ns: int) -> None:
        (x, y, z), count = self._total, self._readings
        moved = not count or at_ns - self._heard_ns > GAP_S * S
        if not moved:
            mean = (x / count, y / count, z / count)
            moved = math.dist(mean, felt) > self._thresholds.still_mg
        if moved:
            self._rest_ns, self._readings, self._total = at_ns, 1, felt
            self._marked = False
            return
        self._readings = count + 1
        self._total = (x + felt[0], y + felt[1], z + felt[2])
        if not self._marked and at_ns - self._rest_ns >= self._thresholds.rest_s * S:
            self._marked = True
            self._marks.append(at_ns)

    def passed(self, now_ns: int) -> Trace:
        """What is to be drawn now."""
        first_ns = now_ns - TRACE_S * S
        points: list[tuple[float, float]] = []
        for step in self._steps:
            both = {(step.low_ns, step.low), (step.high_ns, step.high)}
            points += [
                ((now_ns - at_ns) / S, tilt) for at_ns, tilt in sorted(both) if at_ns >= first_ns
            ]
        rests_ns = self._heard_ns - self._rest_ns
        return Trace(
            reader=self._reader,
            points=tuple(points),
            settled_s=tuple((now_ns - at_ns) / S for at_ns in self._marks if at_ns >= first_ns),
            rests_s=rests_ns / S if now_ns - self._heard_ns <= GAP_S * S else 0.0,
            tilt=self._tilt,
            heard_ns=self._heard_ns,
            thresholds=self._thresholds,
        )
