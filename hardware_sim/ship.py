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
from hardware_sim.ship_physics import GRAVITY, Ball, Ending, Hull, World
from hardware_sim.ship_sensors import Accelerometer, Sample, Shaken, TiltSwitch

SensorKind: TypeAlias = Literal["accelerometer", "tilt switch"]

S = 1_000_000_000
"""Nanoseconds in a second."""

MOMENT_S = 0.002
"""What the table does to the ship is looked at so often."""

FADED = 10
"""A knock is over after so many times in each of which two thirds of it go."""

LONGEST_S = 90.0
"""After so long an alarm is left."""


@dataclass(frozen=True, slots=True)
class Knock:
    """A knock on the table, which rings.

    Attributes:
        at_s: when.
        jolt: how hard it begins, g.
        rings_hz: how fast the table swings.
        fades_s: after so long a third of it is left.
        steep: the direction: rad above the table.
        phase: of its swinging at the beginning, rad.
    """

    at_s: float
    jolt: float
    rings_hz: float
    fades_s: float
    steep: float
    phase: float

    @property
    def ends_s(self) -> float:
        """When nothing of it is left."""
        return self.at_s + FADED * self.fades_s

    def felt(self, time_s: float) -> tuple[float, float]:
        """What the ship feels of it across and along its mast, g."""
        since_s = time_s - self.at_s
        if not 0 <= since_s <= FADED * self.fades_s:
            return 0.0, 0.0
        left = self.jolt * math.exp(-since_s / self.fades_s)
        pushed = left * math.cos(math.tau * self.rings_hz * since_s + self.phase)
        return pushed * math.cos(self.steep), pushed * math.sin(self.steep)


@dataclass(frozen=True, slots=True)
class Shove:
    """Somebody leans on the table, or pushes it a little: slow, and without ringing.

    Attributes:
        at_s: when.
        lasts_s: from where the table was to where it comes to.
        way_m: how far it is pushed, m.
        leans: how far it tilts meanwhile, rad.
    """

    at_s: float
    lasts_s: float
    way_m: float
    leans: float

    @property
    def ends_s(self) -> float:
        """When nothing of it is left."""
        return self.at_s + self.lasts_s

    def felt(self, time_s: float) -> tuple[float, float]:
        """What the ship feels of it across and along its mast, g."""
        done = (time_s - self.at_s) / self.lasts_s
        if not 0 < done < 1:
            return 0.0, 0.0
        hardest = math.tau * self.way_m / self.lasts_s**2 / GRAVITY
        tilted = self.leans * math.sin(math.pi * done)
        return hardest * math.sin(math.tau * done) + math.sin(tilted), math.cos(tilted) - 1


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


def random_knocks(random: Random, count: int) -> tuple[Knock, ...]:
    """Mostly from above, 0.1 to 2 g, 0.3 to 2.5 s apart."""
    knocks, at_s = [], random.uniform(0.3, 2.0)
    for _ in range(count):
        knocks.append(
            Knock(
                at_s=at_s,
                jolt=_as_often(random, 0.1, 2.0),
                rings_hz=random.uniform(15, 60),
                fades_s=random.uniform(0.005, 0.06),
                steep=math.radians(90 - min(90.0, abs(random.gauss(0, 30)))),
                phase=random.uniform(0, math.tau),
            )
        )
        at_s += random.uniform(0.3, 2.5)
    return tuple(knocks)


def random_shove(random: Random) -> Shove:
    """Up to 2 cm within 0.3 to 1 s, and up to 2 degrees."""
    return Shove(
        at_s=random.uniform(0.3, 4.0),
        lasts_s=random.uniform(0.3, 1.0),
        way_m=random.uniform(0.0, 0.02),
        leans=math.radians(random.uniform(0, 2)),
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
        rate_hz: how often the sensor is looked at.
        let_go_s: when the ball is let go, seconds after the alarm began.
        shaking: what is done to the table meanwhile; the ship is not moved by it.

    Args:
        random: every chance comes out of it.
        kind: of sensor.
        reader: its name.
        knocks: how often somebody knocks on the table before the ball is let go.
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
        self.rate_hz = random.choice(
            (25.0, 50.0, 50.0, 100.0) if is_accelerometer else (50.0, 100.0)
        )
        self.let_go_s = min(20.0, 0.7 + random.expovariate(0.7))
        self.shaking: tuple[Knock | Shove, ...] = ()
        if knocks:
            self.shaking = random_knocks(random, knocks)
            self.let_go_s += self.shaking[-1].at_s
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
        time_s, period_s = 0.0, 1 / self.rate_hz
        while time_s < LONGEST_S:
            time_s += period_s * self._random.uniform(0.8, 1.2)
            if time_s >= self.let_go_s:
                self._let_go()
            x, y, z = self._sampled(time_s)
            yield Attitude(self._reader, x, y, z, round(time_s * S))

    def _sampled(self, time_s: float) -> Sample:
        since_s = self.world.time_s
        across, along, jolt = self.world.advance(time_s)
        return self.sensor.sample(time_s, across, along, jolt, self._shaken(since_s, time_s))

    def _shaken(self, since_s: float, time_s: float) -> Shaken:
        now = [one for one in self.shaking if one.at_s <= time_s and since_s <= one.ends_s]
        if not now:
            return ()
        count = max(1, round((time_s - since_s) / MOMENT_S))
        moments = (time_s - (time_s - since_s) * n / count for n in reversed(range(count)))
        felt = ([one.felt(moment) for one in now] for moment in moments)
        return [(sum(across for across, _ in one), sum(along for _, along in one)) for one in felt]

    def _let_go(self) -> None:
        if not self._gone:
            self._gone = True
            self.world.let_go()

    def _calibrated(self) -> tuple[float, float, float]:
        felt = [self.sensor.sample(n / 50, 0.0, 1.0, 0.0) for n in range(50)]
        x, y, z = (sum(axis) / len(felt) for axis in zip(*felt, strict=True))
        return x, y, z
