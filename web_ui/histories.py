"""The history of the game in progress, folded once for each new entry."""

from __future__ import annotations

import threading

from companion.repair.history import History, Past, continued, history
from companion.repair.timeline import Timeline
from companion.rules.api import Refusal
from companion.said import say
from web_ui.contracts import Table


class Histories:
    """Folds what the table was told; may be asked by any thread."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._known: tuple[tuple[str, int], History] | None = None

    @property
    def newest(self) -> History:
        """The history as it is now, with everybody's secrets."""
        past = self._table.past
        key = past.game, len(past.entries)
        with self._lock:
            if self._known is None or self._known[0] != key:
                self._known = key, self._folded(past)
            return self._known[1]

    def _folded(self, past: Past) -> History:
        """The history, from the one that is known where the record only grew."""
        if self._known is not None:
            (game, count), known = self._known
            if game == past.game and count <= len(past.entries):
                return continued(known, past.entries[count:])
        return history(past.setup, past.entries)

    def around(self, entry: int) -> tuple[Timeline, Timeline]:
        """The timelines before and after an entry.

        Raises:
            Refusal: `not-legal`, there is no such entry.
        """
        past = self._table.past
        if not 1 <= entry <= len(past.entries):
            raise Refusal(
                "not-legal", say("There is no entry %(entry)s in this game.", entry=entry)
            )
        before = _fold(past, entry - 1)
        last = past.entries[entry - 1]
        return before, before.after(last.command, last.entry, last.uid)

    def newest_entry(self, kinds: tuple[str, ...]) -> int | None:
        """The number of the last entry that is one of these: `undo`, `correct`, `restore`."""
        entries = reversed(self._table.past.entries)
        return next((each.entry for each in entries if any(k in each.command for k in kinds)), None)


def _fold(past: Past, count: int) -> Timeline:
    timeline = Timeline.start(past.setup)
    for entry in past.entries[:count]:
        timeline = timeline.after(entry.command, entry.entry, entry.uid)
    return timeline
