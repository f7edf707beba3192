"""The newest taps that counted, for when one turns out to be none."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from companion.repair.timeline import Link

REMEMBERED = 8


class _Counted(NamedTuple):
    reader: str
    uid: str | None
    at_ns: int
    entries: range


class CountedTaps:
    """Remembers which entries each of the newest taps made."""

    def __init__(self) -> None:
        self._taps: deque[_Counted] = deque(maxlen=REMEMBERED)

    def add(self, reader: str, uid: str | None, at_ns: int, entries: range) -> None:
        """A tap counted, and made these entries."""
        self._taps.append(_Counted(reader, uid, at_ns, entries))

    def to_take_back(
        self,
        links: Sequence[Link],
        since_ns: int,
        *,
        reader: str | None = None,
        uid: str | None = None,
    ) -> int:
        """How many of the last actions in force come from taps since then.

        Args:
            links: of the actions in force.
            since_ns: monotonic time.
            reader: only those there; None for anywhere.
            uid: only those of this tag; None for any.
        """
        made = {
            entry
            for tap in self._taps
            if tap.at_ns >= since_ns and reader in (None, tap.reader) and uid in (None, tap.uid)
            for entry in tap.entries
        }
        return sum(1 for _ in takewhile(lambda link: link.entry in made, reversed(links)))
