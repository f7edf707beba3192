"""Guesses at the table's code and PIN, slowed down until guessing is hopeless.

A family that mistypes a few times notices nothing. Whoever goes on waits longer after each wrong
guess, and all wrong guesses of all devices together have a limit as well.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass

FREE = 4
"""So many wrong guesses of one device cost nothing."""
FIRST_WAIT_S = 5.0
"""After the next one; it doubles with each further one."""
LONGEST_WAIT_S = 600.0
FORGOTTEN_AFTER_S = 3600.0
"""A device that guessed nothing wrong for so long begins anew."""
TOGETHER = 40
"""So many wrong guesses of all devices are taken at once, …"""
TOGETHER_EVERY_S = 60.0
"""… and then one in this time: a year for half of all PINs, and far more for the codes."""
MOST_ADDRESSES = 2000


@dataclass(slots=True)
class _Wrong:
    count: int
    last_s: float

    @property
    def free_at_s(self) -> float:
        beyond = self.count - FREE
        if beyond <= 0:
            return self.last_s
        return self.last_s + min(FIRST_WAIT_S * 2.0 ** min(beyond - 1, 30), LONGEST_WAIT_S)


class Guesses:
    """Counts the wrong guesses at one secret; may be asked by any thread.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._wrong: dict[str, _Wrong] = {}
        self._left = float(TOGETHER)
        self._counted_s = clock()

    def take(self, address: str, *, right: bool) -> int:
        """Take a guess of this device, unless it has to wait.

        Returns:
            How many whole seconds it has to wait before the next guess is looked at; 0 when
            this one was.
        """
        with self._lock:
            now = self._clock()
            self._left = min(
                float(TOGETHER), self._left + (now - self._counted_s) / TOGETHER_EVERY_S
            )
            self._counted_s = now
            wrong = self._wrong.get(address)
            if wrong is not None and now - wrong.last_s > FORGOTTEN_AFTER_S:
                del self._wrong[address]
                wrong = None
            wait_s = 0.0 if self._left >= 1 else (1 - self._left) * TOGETHER_EVERY_S
            if wrong is not None:
                wait_s = max(wait_s, wrong.free_at_s - now)
            if wait_s > 0:
                return math.ceil(wait_s)
            if right:
                self._wrong.pop(address, None)
            else:
                self._count(address, now)
            return 0

    def _count(self, address: str, now: float) -> None:
        self._left -= 1
        # Taken out and put in again: the first one is the one that was quiet for longest.
        before = self._wrong.pop(address, _Wrong(0, now))
        self._wrong[address] = _Wrong(before.count + 1, now)
        while len(self._wrong) > MOST_ADDRESSES:
            del self._wrong[next(iter(self._wrong))]
