"""A ship on a table, and a ball on a cord that may hit it: plain mechanics in a plane.

The ball is a damped pendulum. The ship rocks about the edges of its keel, or, with a round
hull, about its middle; beyond its tipping angle it falls until it lies, or leans against
something. Each blow of the ball is an impulse. Units are metres, seconds, kilograms and
radians; angles of the ship are 0 upright, positive to the right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

GRAVITY = 9.81
STEP_S = 0.002
"""The ship is integrated at 500 Hz."""

QUIET_S = 0.3
"""Ship and ball that hardly move for so long have come to rest against each other."""

Ending = Literal["upright", "capsized", "leaning"]


@dataclass(frozen=True, slots=True)
class Hull:
    """A ship.

    Attributes:
        mass: of the whole ship, kg.
        half_beam: from the middle of the keel to its edge, m.
        centre: height of the centre of mass, m.
        top: height of the mast, m.
        sensor: height of the sensor, m.
        bounce: what is left of its turning when the keel strikes the table, 0 to 1.
        lies: the angle at which it lies on its side, rad.
        leans: the angle at which something beside it stops its fall; None when nothing does.
        rounded: it rocks smoothly on a round hull.
        damping: of a round hull, 1/s.
    """

    mass: float = 0.03
    half_beam: float = 0.02
    centre: float = 0.03
    top: float = 0.09
    sensor: float = 0.015
    bounce: float = 0.8
    lies: float = math.pi / 2
    leans: float | None = None
    rounded: bool = False
    damping: float = 0.5

    @property
    def tipping(self) -> float:
        """The angle from which it falls by itself, rad."""
        return math.atan2(self.half_beam, self.centre)

    @property
    def inertia(self) -> float:
        """About the edge of the keel, kg m²: that of a block."""
        return 4 / 3 * self.mass * (self.half_beam**2 + self.centre**2)


@dataclass(frozen=True, slots=True)
class Ball:
    """A ball on a cord, and how it is swung.

    Attributes:
        mass: kg.
        radius: m.
        cord: from the pole's top to the middle of the ball, m.
        height: of its middle above the table where it hangs still, m.
        damping: of its swinging, 1/s.
        bounce: of its blows, 0 to 1.
        away: from where it hangs to the middle of the ship, m.
        pulled: the angle from which it is let go, on the side away from the ship, rad.
        beside: how far its way leads past the middle of the ship, m.
    """

    mass: float = 0.03
    radius: float = 0.015
    cord: float = 0.3
    height: float = 0.04
    damping: float = 0.2
    bounce: float = 0.5
    away: float = 0.08
    pulled: float = math.radians(50)
    beside: float = 0.0


class World:
    """A ship and a ball, from the moment when the ball is let go on.

    Attributes:
        angle, turning: of the ship, rad and rad/s.
        blows: how often the ball struck the ship.
        fell: the ship lay or leaned at some time.
    """

    def __init__(self, hull: Hull, ball: Ball) -> None:
        self.hull = hull
        self.ball = ball
        self.angle = 0.0
        self.turning = 0.0
        self.blows = 0
        self.fell = False
        self.time_s = 0.0
        reach = ball.radius + hull.half_beam
        past = min(1.0, abs(ball.beside) / reach)
        self._squarely = math.sqrt(1 - past * past)
        self._swing = -ball.pulled
        self._swing_rate = 0.0
        self._hangs = not self._squarely
        self._resting = True
        self._sliding = False
        self._jolt = 0.0
        self._quiet_s = 0.0
        self._stiffness = (
            hull.mass * GRAVITY * math.hypot(hull.half_beam, hull.centre) / hull.inertia
        )
        # Gravity turns the ship so fast within two steps: less than that is no movement.
        self._creep = 2 * self._stiffness * STEP_S

    @property
    def still(self) -> bool:
        """Nothing will move the ship any more."""
        return self._resting and self._hangs

    @property
    def ending(self) -> Ending:
        """How the ship lies now, in the words of rule 7's thresholds."""
        degrees = abs(math.degrees(self.angle))
        return "upright" if degrees <= 30 else "capsized" if degrees >= 45 else "leaning"

    def let_go(self) -> None:
        """Let the ball go (again) from where it is pulled to."""
        self._swing, self._swing_rate = -self.ball.pulled, 0.0
        self._hangs = not self._squarely  # it passes beside the ship, and might as well hang

    def hold_ball(self) -> None:
        """The ball is held, and hits nothing until it is let go."""
        self._hangs = True

    def place(self, angle: float) -> None:
        """A hand lays the ship so, at rest."""
        self.angle, self.turning, self._resting = angle, 0.0, True

    def advance(self, to_s: float) -> tuple[float, float, float]:
        """Let time pass.

        Returns:
            What the ship feels across and along its mast, on average since the last call,
            and the hardest of it that was no gravity; in g.
        """
        across = along = hardest = 0.0
        steps = 0
        while self.time_s < to_s:
            self.time_s += STEP_S
            if not self._hangs:
                self._swing_on()
                self._calm_down()
            if self._resting and not self._jolt:
                continue
            before, self._jolt = self.turning - self._jolt, 0.0
            self._rock()
            pushed = self.hull.sensor * (self.turning - before) / STEP_S / GRAVITY
            pulled = self.hull.sensor * self.turning * self.turning / GRAVITY
            across += pushed - math.sin(self.angle)
            along += math.cos(self.angle) - pulled
            hardest = max(hardest, abs(pushed), pulled)
            steps += 1
        if not steps:
            return -math.sin(self.angle), math.cos(self.angle), 0.0
        return across / steps, along / steps, hardest

    def _swing_on(self) -> None:
        ball = self.ball
        cosine, sine = math.cos(self._swing), math.sin(self._swing)
        self._swing_rate -= (GRAVITY / ball.cord * sine + ball.damping * self._swing_rate) * STEP_S
        before = self._swing
        self._swing += self._swing_rate * STEP_S
        if before * self._swing <= 0 and self._reach() < self._nearest():
            self._hangs = True
        x = ball.cord * sine - ball.away
        wide = ball.radius + self.hull.half_beam + self.hull.top * abs(math.sin(self.angle))
        if abs(x) > wide:
            self._sliding = False
        else:
            self._meet(x, ball.height + ball.cord * (1 - cosine), cosine, sine)

    def _reach(self) -> float:
        """How far the ball will swing out, from its speed where it hangs."""
        ball = self.ball
        highest = (self._swing_rate * ball.cord) ** 2 / (2 * GRAVITY)
        cosine = max(-1.0, 1 - highest / ball.cord)
        return ball.cord * math.sqrt(1 - cosine * cosine)

    def _nearest(self) -> float:
        """How far the ball must swing out to touch the ship as it lies."""
        hull, ball = self.hull, self.ball
        tip = min(0.0, hull.top * math.sin(self.angle))
        return ball.away + tip - hull.half_beam - ball.radius

    def _meet(self, x: float, y: float, cosine: float, sine: float) -> None:
        """The ball may touch the ship: x and y from the middle of the keel to the ball."""
        hull, ball = self.hull, self.ball
        lean, upright = math.sin(self.angle), math.cos(self.angle)
        up = x * lean + y * upright
        beside = x * upright - y * lean
        speed = self._swing_rate * ball.cord
        if abs(self.angle) > 1.0:  # it lies, or nearly: the ball can only strike its mast's end
            self._meet_end(x, y, speed, cosine)
            return
        if not 0 < up < hull.top or abs(beside) > ball.radius + hull.half_beam / 2:
            self._sliding = False
            return
        facing = cosine * upright - sine * lean
        closing = speed * facing - up * self.turning
        if closing * beside >= 0 or self._sliding:
            return  # it goes away from the ship, or slides along it
        give = facing * facing / ball.mass + up * up / hull.inertia
        blow = (1 + ball.bounce) * closing / give * self._squarely
        self._swing_rate -= blow * facing / ball.mass / ball.cord
        self._strike(blow * up / hull.inertia)
        self._sliding = self._squarely < 0.9

    def _meet_end(self, x: float, y: float, speed: float, cosine: float) -> None:
        hull, ball = self.hull, self.ball
        side = math.copysign(1.0, self.angle)
        closing = speed * cosine
        if closing * side >= 0 or y - ball.radius > 2 * hull.half_beam:
            return
        if abs(x - hull.top * math.sin(self.angle)) > ball.radius or self._sliding:
            self._sliding = False
            return
        lever = hull.half_beam
        give = cosine * cosine / ball.mass + lever * lever / hull.inertia
        blow = (1 + ball.bounce) * closing / give * self._squarely
        self._swing_rate -= blow * cosine / ball.mass / ball.cord
        self._strike(blow * lever / hull.inertia)
        self._sliding = True

    def _calm_down(self) -> None:
        moves = abs(self.turning) > self._creep / 2 or abs(self._swing_rate) > 0.2
        self._quiet_s = 0.0 if moves else self._quiet_s + STEP_S
        if self._quiet_s > QUIET_S:
            self.turning, self._resting, self._hangs, self._quiet_s = 0.0, True, True, 0.0

    def _strike(self, turned: float) -> None:
        self.turning += turned
        self._jolt += turned
        self._resting = False
        self.blows += 1

    def _rock(self) -> None:
        hull = self.hull
        angle, tipping = self.angle, hull.tipping
        side = 1.0 if angle > 0 or (angle == 0 and self.turning > 0) else -1.0
        tilt = abs(angle)
        if hull.rounded and tilt < tipping:
            righting = self._stiffness * math.sin(tipping) * math.sin(math.pi * tilt / tipping)
            self.turning -= (side * righting + hull.damping * self.turning) * STEP_S
        else:
            self.turning -= side * self._stiffness * math.sin(tipping - tilt) * STEP_S
        self.angle += self.turning * STEP_S
        self._strike_table(side)

    def _strike_table(self, side: float) -> None:
        hull = self.hull
        limit = hull.lies if hull.leans is None or side < 0 else hull.leans
        if self.angle * side >= limit:
            self.angle = side * limit
            if self.turning * side > 0:
                self.turning *= -0.3
            if abs(self.turning) < self._creep and limit > hull.tipping:
                self.turning, self._resting, self.fell = 0.0, True, True
        elif hull.rounded:
            if abs(self.angle) < 0.002 and abs(self.turning) < 0.02:
                self.angle, self.turning, self._resting = 0.0, 0.0, True
        elif self.angle * side <= 0:
            self.turning *= hull.bounce
            if abs(self.turning) < self._creep:
                self.angle, self.turning, self._resting = 0.0, 0.0, True
