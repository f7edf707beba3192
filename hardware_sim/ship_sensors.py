"""What a sensor in the ship tells of what the ship feels, with all that sensors do.

A sensor is asked at each of its samples, `sample(time_s, …)`, and gives vectors in
thousandths of g with their times, one or several. What befalls a sensor (`silenced`,
`stuck`, `running_flat`, `restless`) is a filter over its readings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import TypeAlias

from companion.drivers.api import Attitude

Sample: TypeAlias = tuple[float, tuple[int, int, int]]
"""When, in seconds, and what was felt along the sensor's axes, thousandths of g."""

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
        self._across, self._along = ((1, 0, 0), (0, 0, 1)) if straight else _mounting(random)

    def sample(self, time_s: float, across: float, along: float, jolt: float) -> list[Sample]:
        """One sample.

        Args:
            time_s: when.
            across, along: what the ship feels on average, g.
            jolt: the hardest of it that was no gravity, g.
        """
        if jolt and not self._blurred:
            across += self._random.uniform(-jolt, jolt)
            along += self._random.uniform(-jolt, jolt)
        axes = zip(self._across, self._along, self._offset, strict=True)
        x, y, z = (
            self._told(1000 * (a * across + b * along) + offset) for a, b, offset in axes
        )
        return [(time_s, (x, y, z))]

    def _told(self, felt_mg: float) -> int:
        felt_mg += self._random.gauss(0.0, self._noise_mg)
        told = round(felt_mg / self._step_mg) * self._step_mg
        return max(-self._range_mg, min(self._range_mg, told))


def _mounting(random: Random) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two axes of the ship, across the fall and along the mast, as the sensor has them."""
    along = _direction(random)
    other = _direction(random)
    inner = math.sumprod(along, other) if hasattr(math, "sumprod") else _dot(along, other)
    across = [b - inner * a for a, b in zip(along, other, strict=True)]
    length = math.hypot(*across)
    return tuple(a / length for a in across), along


def _dot(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _direction(random: Random) -> tuple[float, ...]:
    axes = [random.gauss(0.0, 1.0) for _ in range(3)]
    length = math.hypot(*axes)
    return tuple(axis / length for axis in axes)


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
        chatter_g: float = 0.4,
    ) -> None:
        self._random = random
        self._on_deg = on_deg
        self._off_deg = off_deg
        self._chatter_g = chatter_g
        self._edges: list[float] = []
        self.tilted = False

    def sample(self, time_s: float, across: float, along: float, jolt: float) -> list[Sample]:
        """The edges since the last sample, and the level now; see `Accelerometer.sample`."""
        tilt_deg = math.degrees(math.atan2(abs(across), along))
        before = self.tilted
        if not jolt or jolt < self._chatter_g:  # a jolt says nothing of the angle
            self.tilted = tilt_deg >= (self._off_deg if before else self._on_deg)
        if not self._edges and (jolt >= self._chatter_g or self.tilted != before):
            lasts_s = self._random.uniform(0.005, 0.2)
            self._edges = sorted(
                time_s + self._random.uniform(0.0, lasts_s)
                for _ in range(self._random.randint(3, 15))
            )
        samples: list[Sample] = []
        while self._edges and self._edges[0] <= time_s:
            samples.append((self._edges[0], self._level(len(self._edges))))
            del self._edges[0]
        samples.append((time_s, self._level(len(self._edges))))
        return samples

    def _level(self, edges_to_come: int) -> tuple[int, int, int]:
        return TILTED if self.tilted != bool(edges_to_come % 2) else UPRIGHT


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
            yield replace(
                reading, x_mg=round(x * left), y_mg=round(y * left), z_mg=round(z * left)
            )


def restless(readings: Iterable[Attitude], at_s: float, random: Random) -> Iterator[Attitude]:
    """A loose contact: the sensor tells noise without end."""
    for reading in readings:
        if reading.at_ns < at_s * S:
            yield reading
        else:
            x, y, z = (random.randint(-2000, 2000) for _ in range(3))
            yield replace(reading, x_mg=x, y_mg=y, z_mg=z)
