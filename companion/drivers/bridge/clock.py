"""From a board's milliseconds to the host's monotonic nanoseconds."""

from __future__ import annotations

from collections import deque

from firmware_bridge.milliseconds import since

PAIRS = 20
"""The last ten seconds of heartbeats: longer, and two clocks drift apart by over a millisecond."""

_MS = 1_000_000


class BoardClock:
    """Learns from heartbeats how a board's counter lies on the host's clock.

    A heartbeat is heard after it was sent, never before, so the one that was the least
    late is the truest.
    """

    def __init__(self) -> None:
        self._pairs: deque[tuple[int, int]] = deque(maxlen=PAIRS)

    def restarted(self) -> None:
        """The board counts from anew."""
        self._pairs.clear()

    def heard(self, board_ms: int, at_ns: int) -> None:
        """The board said that it was `board_ms`, and that was heard at `at_ns`."""
        self._pairs.append((board_ms, at_ns))

    def at_ns(self, board_ms: int, now_ns: int) -> int:
        """When it was `board_ms` on the host's clock: never later than now."""
        times = (heard_ns + since(board_ms, at_ms) * _MS for at_ms, heard_ns in self._pairs)
        return min(now_ns, *times)
