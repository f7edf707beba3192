"""What is wrong with those who are told, in the log: one line, and seldom the same again."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

AGAIN_S = 3600.0
"""The same trouble is named again after so long."""


class Complaints:
    """Says each trouble once, and that it is over.

    Args:
        log: that they are written to.
        clock: monotonic time in seconds.
    """

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._said: dict[str, float] = {}

    def say(self, trouble: str) -> None:
        """One sentence on what is wrong, and what to do."""
        now = self._clock()
        said = self._said.get(trouble)
        if said is None or now - said >= AGAIN_S:
            self._said[trouble] = now
            self._log.warning("%s", trouble)

    def over(self, sentence: str) -> None:
        """All is well; that is worth a line where something was wrong before."""
        if self._said:
            self._said.clear()
            self._log.info("%s", sentence)
