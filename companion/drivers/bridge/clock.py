"""From a board's milliseconds to the host's monotonic nanoseconds."""

from __future__ import annotations

from collections import deque

from firmware_bridge.milliseconds import since

PAIRS = 20
"""The last ten seconds of heartbeats: longer, and two clocks drift apart by over a millisecond."""

JUMP_MS = 2_000
"""A board's clock that goes on by so much more or less than the host's has jumped or stood still."""

LATE_NS = 5_000_000_000
"""Heartbeats may be late at once, after a stall of the host; but not time after time for so long."""

_MS = 1_000_000


class BoardClock:
    """Learns from heartbeats how a board's counter lies on the host's clock.

    A heartbeat is heard after it was sent, never before, so the one that was the least
    late is the truest.
    """

    def __init__(self) -> None:
        self._pairs: deque[tuple[int, int]] = deque(maxlen=PAIRS)
        self._late_since_ns: int | None = None

    def restarted(self) -> None:
        """The board counts from anew."""
        self._pairs.clear()
        self._late_since_ns = None

    def heard(self, board_ms: int, at_ns: int) -> int:
        """The board said that it was `board_ms`, and that was heard at `at_ns`.

        Returns:
            By how many milliseconds its clock was just found to have jumped on (above 0), or
            back, or stood still (below 0); 0 while it goes as it should.
        """
        ahead_ms = (self._expected_ns(board_ms, at_ns) - at_ns) // _MS
        jumped_ms = ahead_ms if ahead_ms > JUMP_MS else 0  # no heartbeat comes too early
        if ahead_ms >= -JUMP_MS:
            self._late_since_ns = None
        elif self._late_since_ns is None:
            self._late_since_ns = at_ns
        elif at_ns - self._late_since_ns >= LATE_NS:
            jumped_ms = ahead_ms
        if jumped_ms:
            self.restarted()
        self._pairs.append((board_ms, at_ns))
        return jumped_ms

    def at_ns(self, board_ms: int, now_ns: int) -> int:
        """When it was `board_ms` on the host's clock: never later than now."""
        return min(now_ns, self._expected_ns(board_ms, now_ns))

    def _expected_ns(self, board_ms: int, otherwise_ns: int) -> int:
        times = (heard_ns + since(board_ms, at_ms) * _MS for at_ms, heard_ns in self._pairs)
        return min(times, default=otherwise_ns)
