"""What a sensor in the ship tells of what the ship feels, with all that sensors do.

A sensor is asked at each of its samples, `sample(time_s, …)`, and gives a vector in
thousandths of g. What befalls a sensor (`silenced`,
`stuck`, `running_flat`, `restless`) is a filter over its readings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import TypeAlias

from companion.drivers.api import Attitude

Sample: TypeAlias = tuple[int, int, int]
"""What was felt along the sensor's axes, thousandths of g."""

Axes: TypeAlias = tuple[float, float, float]

Shaken: TypeAlias = Sequence[tuple[float, float]]
"""What the table does to the ship since the last sample, moment by moment: across, along, g."""

S = 1_000_000_000
"""Nanoseconds in a second."""

UPRIGHT, TILTED = (0, 0, 1000), (1000, 0, 0)


class Accelerometer:
    """An accelerometer, mounted in the ship in any direction.

    Args:
        random: its noise, offset and mounting.
        noise_mg: standard deviation on each axis.
        step_mg: the least difference that it tells.
        offset_mg: the largest constant error of an axis.
        range_mg: it tells no more than this, either way.
        blurred: it averages over a sample; else it looks at moments.
        straight: it is mounted with its axes along the ship's.
    """

    def __init__(
        self,
        random: Random,
        *,
        noise_mg: float = 3.0,
        step_mg: int = 4,
        offset_mg: float = 40.0,
        range_mg: int = 2000,
        blurred: bool = True,
        straight: bool = False,
    ) -> None:
        self._random = random
        self._noise_mg = noise_mg
        self._step_mg = step_mg
        self._range_mg = range_mg
        self._blurred = blurred
        self._offset = tuple(random.uniform(-offset_mg, offset_mg) for _ in range(3))
        self._across: Axes = (1.0, 0.0, 0.0)
        self._along: Axes = (0.0, 0.0, 1.0)
        if not straight:
            self._across, self._along = _mounting(random)

    def sample(
        self, time_s: float, across: float, along: float, jolt: float, shaken: Shaken = ()
    ) -> Sample:
        """One sample.

        Args:
            time_s: when.
            across: what the ship feels to its right on average, g.
            along: what it feels along its mast, g.
            jolt: the hardest of it that was no gravity, g.
            shaken: what the table adds to that.
        """
        del time_s
        if jolt and not self._blurred:
            across += self._random.uniform(-jolt, jolt)
            along += self._random.uniform(-jolt, jolt)
        if shaken:
            moments = shaken if self._blurred else shaken[-1:]
            across += sum(moment[0] for moment in moments) / len(moments)
            along += sum(moment[1] for moment in moments) / len(moments)
        x, y, z = (
            self._told(1000 * (a * across + b * along) + offset)
            for a, b, offset in zip(self._across, self._along, self._offset, strict=True)
        )
        return x, y, z

    def _told(self, felt_mg: float) -> int:
        felt_mg += self._random.gauss(0.0, self._noise_mg)
        told = round(felt_mg / self._step_mg) * self._step_mg
        return max(-self._range_mg, min(self._range_mg, told))


def _mounting(random: Random) -> tuple[Axes, Axes]:
    """Two axes of the ship, across the fall and along the mast, as the sensor has them."""
    a, b, c = _direction(random)
    x, y, z = _direction(random)
    across = b * z - c * y, c * x - a * z, a * y - b * x
    length = math.hypot(*across)
    return (across[0] / length, across[1] / length, across[2] / length), (a, b, c)


def _direction(random: Random) -> Axes:
    x, y, z = (random.gauss(0.0, 1.0) for _ in range(3))
    length = math.hypot(x, y, z)
    return x / length, y / length, z / length


class TiltSwitch:
    """A ball in a tube that opens a contact when the ship tilts, and chatters when jolted.

    Args:
        random: its chatter.
        on_deg: it tells a tilt from this angle on …
        off_deg: … and none below this one.
        chatter_g: a jolt of so much makes it chatter: 3 to 15 edges within 5 to 200 ms.
    """

    def __init__(
        self,
        random: Random,
        *,
        on_deg: float = 42.0,
        off_deg: float = 34.0,
        chatter_g: float = 0.25,
    ) -> None:
        self._random = random
        self._on_deg = on_deg
        self._off_deg = off_deg
        self._chatter_g = chatter_g
        self._edges: list[float] = []
        self.tilted = False

    def sample(
        self, time_s: float, across: float, along: float, jolt: float, shaken: Shaken = ()
    ) -> Sample:
        """The level at this moment; see `Accelerometer.sample`."""
        before = self.tilted
        jolt = max(jolt, *(math.hypot(*moment) for moment in shaken), 0.0)
        if jolt < self._chatter_g:  # what it feels in a jolt says nothing of its angle
            tilt_deg = math.degrees(math.atan2(abs(across), along))
            self.tilted = tilt_deg >= (self._off_deg if before else self._on_deg)
        edges = self._edges
        if not edges and (jolt >= self._chatter_g or self.tilted != before):
            lasts_s = self._random.uniform(0.005, 0.2)
            edges += [lasts_s] + [
                self._random.uniform(0.0, lasts_s) for _ in range(self._random.randint(2, 14))
            ]
            edges[:] = [time_s + after_s for after_s in sorted(edges)]
        while edges and edges[0] <= time_s:
            del edges[0]
        return TILTED if self.tilted != bool(len(edges) % 2) else UPRIGHT


def silenced(readings: Iterable[Attitude], at_s: float, for_s: float) -> Iterator[Attitude]:
    """The sensor tells nothing for a while."""
    for reading in readings:
        if not at_s * S <= reading.at_ns < (at_s + for_s) * S:
            yield reading


def stuck(readings: Iterable[Attitude], at_s: float) -> Iterator[Attitude]:
    """The sensor tells the very same for ever."""
    last: Attitude | None = None
    for reading in readings:
        if last is None or reading.at_ns < at_s * S:
            last = reading
        yield replace(last, at_ns=reading.at_ns)


def running_flat(readings: Iterable[Attitude], at_s: float, for_s: float) -> Iterator[Attitude]:
    """The battery runs flat: what the sensor tells shrinks, then there is nothing."""
    for reading in readings:
        left = 1 - max(0.0, reading.at_ns / S - at_s) / for_s
        if left > 0:
            x, y, z = reading.x_mg, reading.y_mg, reading.z_mg
            yield replace(reading, x_mg=round(x * left), y_mg=round(y * left), z_mg=round(z * left))


def restless(readings: Iterable[Attitude], at_s: float, random: Random) -> Iterator[Attitude]:
    """A loose contact: the sensor tells noise without end."""
    for reading in readings:
        if reading.at_ns < at_s * S:
            yield reading
        else:
            x, y, z = (random.randint(-2000, 2000) for _ in range(3))
            yield replace(reading, x_mg=x, y_mg=y, z_mg=z)
