"""`companion calibrate ship`: what a ship's sensor feels when the ship stands, by two poses.

People stand the ship up, then lay it down; each pose is the mean of a second at rest. How
the sensor is mounted in the ship does not matter.
"""

from __future__ import annotations

import math
import queue
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TextIO

from companion.drivers.api import Attitude, Clock, DeviceLost, Driver, Reading, Signalling
from companion.errors import PlainError
from companion.ship import STRANGE_MG, S, Thresholds, Vector, tilt_deg

POSE_S = 1.0
"""A pose is the mean of so long a rest."""

LEAST_READINGS = 3
LIMIT_S = 10.0
"""A ship that does not rest within this time, or a sensor that tells nothing, is given up."""

LEAST_APART_DEG = 60.0
"""Poses closer together leave no room between upright and capsized."""


class CalibrationError(PlainError, ValueError):
    """The ship cannot be calibrated so; the text says what to do."""


_NO_SENSOR = re.compile(r"(pcsc|pn532|line|sim):|gpio:.*[?&]kind=(?!tilt(&|$))")


def refuse_without_sensor(names: Sequence[str]) -> None:
    """Say before people move the ship that nothing there can feel it.

    Args:
        names: of readers, such as `pn532:/dev/serial0`.

    Raises:
        CalibrationError: none of them has a ship's sensor.
    """
    if all(_NO_SENSOR.match(name) for name in names):
        raise CalibrationError(
            f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'} no ship's sensor: name "
            "the bridge: board or the gpio: pin of the ship with --reader."
        )


@dataclass(frozen=True, slots=True)
class Pose:
    """What a sensor felt at rest.

    Attributes:
        mean: thousandths of g.
        strayed_mg: how far the furthest of its readings was from the mean.
    """

    mean: Vector
    strayed_mg: float


def pose(readings: Sequence[Attitude], thresholds: Thresholds) -> Pose | None:
    """The pose of the last readings; None while they are no second of rest.

    Args:
        readings: of one sensor, in order.
        thresholds: what counts as no movement.

    Raises:
        CalibrationError: the sensor is at rest and does not feel gravity.
    """
    if not readings:
        return None
    began_ns = readings[-1].at_ns - round(POSE_S * S)
    if readings[0].at_ns > began_ns:
        return None
    felt = [
        (reading.x_mg, reading.y_mg, reading.z_mg)
        for reading in readings
        if reading.at_ns >= began_ns
    ]
    if len(felt) < LEAST_READINGS:
        return None
    x, y, z = (sum(axis) / len(felt) for axis in zip(*felt, strict=True))
    strayed_mg = max(math.dist((x, y, z), vector) for vector in felt)
    if strayed_mg > thresholds.still_mg:
        return None
    gravity_mg = math.hypot(x, y, z)
    if abs(gravity_mg - 1000) > STRANGE_MG:
        raise CalibrationError(
            f"At rest the sensor feels {gravity_mg / 1000:.2f} g, and gravity is 1: look at its "
            "wiring and its battery."
        )
    return Pose((x, y, z), strayed_mg)


def press_enter(what: str) -> None:
    """Tell people on the terminal what to do, and wait until they press Enter.

    Raises:
        CalibrationError: nobody is there to press it.
    """
    sys.stderr.write(f"{what}\n")
    sys.stderr.flush()
    if sys.stdin is None or not sys.stdin.readline():
        raise CalibrationError("Nobody can press Enter here: run this in a terminal.")


def calibrate(
    drivers: Sequence[Driver],
    clock: Clock,
    thresholds: Thresholds,
    ask: Callable[[str], object],
    out: TextIO,
    *,
    limit_s: float = LIMIT_S,
) -> Vector:
    """Ask for the two poses, and show them.

    Args:
        drivers: not open yet; one of them has the ship's sensor.
        clock: for the drivers.
        thresholds: of the table.
        ask: says something to people, and returns when they have done it.
        out: where to print.
        limit_s: how long to wait for a pose.

    Returns:
        What the sensor feels when the ship stands, in whole thousandths of g.

    Raises:
        CalibrationError: no sensor, no rest, or poses that are no poses.
        DriverError: a driver cannot be opened.
    """
    readings: queue.SimpleQueue[Reading] = queue.SimpleQueue()
    with ExitStack() as stack:
        for driver in drivers:
            driver.open(readings.put, clock)
            stack.callback(driver.close)
            if isinstance(driver, Signalling):
                driver.arm(armed=True)
                stack.callback(driver.arm, armed=False)
        ask("Stand the ship upright, take your hand away and press Enter.")
        upright = _next_pose(readings, clock(), thresholds, limit_s)
        out.write(_in_words("upright", upright))
        ask("Lay the ship on its side, take your hand away and press Enter.")
        lying = _next_pose(readings, clock(), thresholds, limit_s)
        out.write(_in_words("lying", lying))
    apart = tilt_deg(lying.mean, upright.mean)
    if apart < LEAST_APART_DEG:
        raise CalibrationError(
            f"The two poses are only {apart:.0f} degrees apart, and {LEAST_APART_DEG:.0f} are "
            "needed: lay the ship down flat, and look whether the sensor sits firmly."
        )
    out.write(
        f"They are {apart:.0f} degrees apart: {apart - thresholds.capsized_deg:.0f} more than "
        f"the {thresholds.capsized_deg:g} from which the ship has capsized.\n"
    )
    x, y, z = upright.mean
    return float(round(x)), float(round(y)), float(round(z))


def _next_pose(
    readings: queue.SimpleQueue[Reading], since_ns: int, thresholds: Thresholds, limit_s: float
) -> Pose:
    """The first second of rest from then on, of the first sensor that tells anything."""
    heard: list[Attitude] = []
    missing = (
        "No sensor told how the ship lies: look at its battery and its wires, and whether "
        "--reader names it."
    )
    until_ns = since_ns + round(limit_s * S)
    while not heard or heard[-1].at_ns < until_ns:
        try:
            reading = readings.get(timeout=limit_s)
        except queue.Empty:
            break
        if isinstance(reading, DeviceLost):
            missing = reading.reason
        if not isinstance(reading, Attitude) or reading.at_ns < since_ns:
            continue
        if heard and reading.reader != heard[0].reader:
            raise CalibrationError(
                f"Two sensors tell how a ship lies, {heard[0].reader} and {reading.reader}: name "
                "one with --reader."
            )
        heard.append(reading)
        found = pose(heard, thresholds)
        if found is not None:
            return found
    if not heard:
        raise CalibrationError(missing)
    raise CalibrationError(
        f"The ship did not rest for a second within {limit_s:g} s: put it on a firm table, take "
        "your hand away, and begin again."
    )


def _in_words(name: str, found: Pose) -> str:
    x, y, z = found.mean
    return (
        f"{name + ':':<9}{x:6.0f} {y:6.0f} {z:6.0f} thousandths of g, still within "
        f"{found.strayed_mg:.0f}\n"
    )
