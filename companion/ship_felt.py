"""What the ships' sensors felt last, for telling how a ship stands."""

from __future__ import annotations

import threading
from collections import deque

from companion.calibration import Pose, pose
from companion.drivers.api import Attitude, Reading
from companion.ship import S, Thresholds

KEPT_S = 2
"""A pose is the mean of a second; what is older tells nothing of now."""
MOST = 1_000
"""Readings of one sensor, at most."""


class Felt:
    """The last readings of the sensor that was heard last. Any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readings: deque[Attitude] = deque(maxlen=MOST)

    def heard(self, reading: Reading) -> None:
        """A driver reports this."""
        if not isinstance(reading, Attitude):
            return
        with self._lock:
            if self._readings and self._readings[-1].reader != reading.reader:
                self._readings.clear()
            self._readings.append(reading)
            while reading.at_ns - self._readings[0].at_ns > KEPT_S * S:
                self._readings.popleft()

    def pose(self, thresholds: Thresholds, now_ns: int) -> Pose | None:
        """How the ship has stood or lain for a second; None while it moves or nothing tells it.

        Raises:
            CalibrationError: the sensor is at rest and does not feel gravity.
        """
        with self._lock:
            readings = tuple(self._readings)
        if not readings or now_ns - readings[-1].at_ns > S:
            return None
        return pose(readings, thresholds)
