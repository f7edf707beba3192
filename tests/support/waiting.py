"""Waiting for what another thread or program does, no longer than it takes."""

from __future__ import annotations

import threading
import time

LIMIT_S = 30.0
"""More than the slowest of it takes on a computer that has much else to do."""


def until(true, limit_s=LIMIT_S):
    """Wait until this function says that it is so."""
    pause = threading.Event()
    deadline_s = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < deadline_s, "it did not come true"
        pause.wait(0.01)
