"""A game out of its record: the fold of its commands."""

from __future__ import annotations

import sqlite3

from companion.journal import Begun, Journal, JournalError
from companion.repair.timeline import Timeline
from companion.rules.api import Refusal


def folded(journal: Journal, begun: Begun) -> tuple[Timeline, int]:
    """Play the record of a game again.

    Returns:
        The game as it stands, and how many entries there are in all.

    Raises:
        JournalError: it is damaged, or makes no sense.
    """
    last = 0
    try:
        timeline = Timeline.start(begun.setup)
        for entry in journal.entries(begun.id):
            timeline = timeline.after(entry.command, entry.entry, entry.uid)
            last = entry.entry
    except (sqlite3.DatabaseError, ValueError) as error:
        raise JournalError(
            f"The record of the game is damaged after entry {last} ({error}): begin "
            "another with --new, or put the record aside."
        ) from error
    except Refusal as refusal:
        raise JournalError(
            f"The game in the record stops making sense after entry {last} "
            f"({refusal.message}): begin another with --new; this one stays in the record."
        ) from refusal
    return timeline, last
