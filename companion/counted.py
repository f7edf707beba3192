"""The newest taps, for when some of them turn out to be none."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from companion.repair.timeline import Link

REMEMBERED = 8


@dataclass(frozen=True, slots=True)
class Counted:
    """A tap that counted.

    Attributes:
        reader: where.
        uid: of the tag; None for a button.
        at_ns: monotonic time.
        tap: its number among the taps that are kept.
        entries: those that it made; empty where it waits or asks.
    """

    reader: str
    uid: str | None
    at_ns: int
    tap: int
    entries: range


class CountedTaps:
    """Remembers the newest taps."""

    def __init__(self) -> None:
        self._taps: deque[Counted] = deque(maxlen=REMEMBERED)

    def add(self, counted: Counted) -> None:
        """A tap counted."""
        self._taps.append(counted)

    def none(self, since_ns: int, *, reader: str | None, uid: str | None) -> bool:
        """Whether no such tap counted since then (see `newest`)."""
        return not any(
            tap.at_ns >= since_ns and reader in (None, tap.reader) and uid in (None, tap.uid)
            for tap in self._taps
        )

    def newest(
        self, since_ns: int, last_tap: int, *, reader: str | None = None, uid: str | None = None
    ) -> tuple[Counted, ...]:
        """The taps in a row since then, the last of all among them; newest first.

        Args:
            since_ns: monotonic time.
            last_tap: the number of the newest of all taps and answers.
            reader: only those there; None for anywhere.
            uid: only those of this tag; None for any.
        """
        found: list[Counted] = []
        for counted in reversed(self._taps):
            due = last_tap - len(found)
            fits = reader in (None, counted.reader) and uid in (None, counted.uid)
            if counted.tap != due or counted.at_ns < since_ns or not fits:
                break
            found.append(counted)
        return tuple(found)


def to_take_back(taps: Sequence[Counted], links: Sequence[Link]) -> int | None:
    """How many of the last actions in force these taps made; None where others came after."""
    made = {entry for tap in taps for entry in tap.entries}
    newest = sum(1 for _ in takewhile(lambda link: link.entry in made, reversed(links)))
    return newest if newest == sum(link.entry in made for link in links) else None
