"""Whether a ship that stood lies now, while no alarm runs: pure, told by its sensor's readings."""

from __future__ import annotations

from typing import NamedTuple

from companion.drivers.api import Attitude
from companion.ship import S, Thresholds, tilt_deg


class AtRest(NamedTuple):
    """How the ship lies, as far as readings outside an alarm tell it.

    Attributes:
        stands: as was last certain; None while nothing was.
        pose: what the newest readings agree on; None in between.
        since_ns: for how long they have.
    """

    stands: bool | None = None
    pose: bool | None = None
    since_ns: int = 0


def seen(before: AtRest, attitude: Attitude, thresholds: Thresholds) -> AtRest:
    """With one more reading. It has fallen when `stands` was true and comes to be false."""
    tilt = tilt_deg((attitude.x_mg, attitude.y_mg, attitude.z_mg), thresholds.upright)
    pose: bool | None = None
    if tilt <= thresholds.upright_deg:
        pose = True
    elif tilt >= thresholds.capsized_deg:
        pose = False
    if pose is None or pose != before.pose:
        return AtRest(before.stands, pose, attitude.at_ns)
    lasted_s = (attitude.at_ns - before.since_ns) / S
    return before._replace(stands=pose) if lasted_s >= thresholds.rest_s else before
