"""An alarm as it happens in the world: a ship, a ball, a sensor, and people at a table.

`Swing` draws all of it from a generator of random numbers and tells what the sensor tells.
How the ship really lies in the end is `Swing.truth`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from companion.drivers.api import Attitude
from hardware_sim.ship_physics import Ball, Ending, Hull, World
from hardware_sim.ship_sensors import Accelerometer, Sample, TiltSwitch

SensorKind: TypeAlias = Literal["accelerometer", "tilt switch"]

S = 1_000_000_000
"""Nanoseconds in a second."""

KNOCK_S = 0.02
"""A knock on the table lasts so long."""

LONGEST_S = 90.0
"""After so long an alarm is left."""


@dataclass(frozen=True, slots=True)
class Knock:
    """A knock on the table: when, in seconds, and how hard, in g."""

    at_s: float
    jolt: float


def _as_often(random: Random, low: float, high: float) -> float:
    """From low to high, twice as much as often as half of it."""
    return low * math.pow(high / low, random.random())


def random_hull(random: Random) -> Hull:
    """A ship of 8 to 80 g and 6 to 12 cm; seldom something stands where it may fall."""
    return Hull(
        mass=_as_often(random, 0.008, 0.08),
        half_beam=random.uniform(0.012, 0.03),
        centre=random.uniform(0.02, 0.04),
        top=random.uniform(0.06, 0.12),
        sensor=random.uniform(0.008, 0.04),
        bounce=random.uniform(0.6, 0.9),
        lies=math.radians(random.uniform(65, 115)),
        leans=math.radians(random.uniform(30, 80)) if random.random() < 0.02 else None,
        rounded=random.random() < 0.3,
        damping=random.uniform(0.8, 3.0),
    )


def random_ball(random: Random) -> Ball:
    """A ball of 4 to 50 g on a cord of 15 to 50 cm, not always aimed well."""
    cord = random.uniform(0.15, 0.5)
    return Ball(
        mass=_as_often(random, 0.004, 0.05),
        radius=random.uniform(0.01, 0.02),
        cord=cord,
        height=random.uniform(0.025, 0.05),
        damping=random.uniform(0.15, 0.5),
        bounce=random.uniform(0.2, 0.7),
        away=random.uniform(0.15, 0.35) * cord,
        pulled=math.radians(random.uniform(25, 75)),
        beside=abs(random.gauss(0.0, 0.018)),
    )


def random_accelerometer(random: Random) -> Accelerometer:
    """As LIS3DH, ADXL345 and MPU-6050 are, and somewhat worse."""
    return Accelerometer(
        random,
        noise_mg=random.uniform(2.0, 12.0),
        step_mg=random.choice((1, 1, 4)),
        offset_mg=random.choice((20.0, 40.0, 60.0)),
        range_mg=random.choice((2000, 4000, 16000)),
        blurred=random.random() < 0.5,
    )


def random_tilt_switch(random: Random) -> TiltSwitch:
    """One that opens between the angles of upright and capsized, as the ship needs it."""
    off_deg = random.uniform(31.0, 38.0)
    return TiltSwitch(
        random,
        on_deg=random.uniform(off_deg + 2, 44.0),
        off_deg=off_deg,
        chatter_g=random.uniform(0.1, 0.4),
    )


class Swing:
    """One alarm, with all its chances.

    Attributes:
        world: ship and ball.
        upright: what the sensor felt on average when it was calibrated, thousandths of g.
        let_go_s: when the ball is let go, seconds after the alarm began.
        knocks: on the table meanwhile.

    Args:
        random: every chance comes out of it.
        kind: of sensor.
        reader: its name.
        knocks: how many knocks on the table there are before the ball is let go.
    """

    def __init__(
        self, random: Random, kind: SensorKind, *, reader: str = "ship", knocks: int = 0
    ) -> None:
        self._random = random
        self._reader = reader
        self._gone = False
        self.world = World(random_hull(random), random_ball(random))
        self.world.hold_ball()
        is_accelerometer = kind == "accelerometer"
        self.sensor: Accelerometer | TiltSwitch = (
            random_accelerometer(random) if is_accelerometer else random_tilt_switch(random)
        )
        self._rate_hz = random.choice(
            (25.0, 50.0, 50.0, 100.0) if is_accelerometer else (50.0, 100.0)
        )
        self.let_go_s = min(20.0, 0.7 + random.expovariate(0.7))
        self.knocks = tuple(
            Knock(random.uniform(0.3, self.let_go_s), random.uniform(0.1, 2.0))
            for _ in range(knocks)
        )
        self.upright = self._calibrated()

    @property
    def touched(self) -> bool:
        """The ball has struck the ship."""
        return self.world.blows > 0

    def truth(self) -> Ending:
        """How the ship lies when all has come to rest; the world goes on until then."""
        self._let_go()
        while not self.world.still and self.world.time_s < LONGEST_S:
            self.world.advance(self.world.time_s + 0.1)
        return self.world.ending

    def readings(self) -> Iterator[Attitude]:
        """What the sensor tells, from the moment when the alarm begins at 0 on."""
        time_s, period_s = 0.0, 1 / self._rate_hz
        while time_s < LONGEST_S:
            time_s += period_s * self._random.uniform(0.8, 1.2)
            if time_s >= self.let_go_s:
                self._let_go()
            x, y, z = self._sampled(time_s)
            yield Attitude(self._reader, x, y, z, round(time_s * S))

    def _sampled(self, time_s: float) -> Sample:
        across, along, jolt = self.world.advance(time_s)
        for knock in self.knocks:
            if knock.at_s <= time_s < knock.at_s + KNOCK_S:
                along += self._random.uniform(-knock.jolt, knock.jolt)
                jolt = max(jolt, knock.jolt)
        return self.sensor.sample(time_s, across, along, jolt)

    def _let_go(self) -> None:
        if not self._gone:
            self._gone = True
            self.world.let_go()

    def _calibrated(self) -> tuple[float, float, float]:
        felt = [self.sensor.sample(n / 50, 0.0, 1.0, 0.0) for n in range(50)]
        x, y, z = (sum(axis) / len(felt) for axis in zip(*felt, strict=True))
        return x, y, z
