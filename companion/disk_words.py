"""What people are told when the disk did not take what they did."""

from __future__ import annotations

import sqlite3

from companion.said import Said, say


class RecordGone(sqlite3.OperationalError):
    """The record's file is away, or another one is in its place: what is written would be lost."""


def not_taken(error: sqlite3.Error) -> Said:
    """One sentence; what SQLite says is in it where it is more than that the disk is full."""
    if isinstance(error, RecordGone):
        return say(
            "The record's file is gone from its place, so nothing has changed: put it back, or start "
            "the table anew."
        )
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
        return say("The disk is full, so nothing has changed: make room, then do it again.")
    return say(
        "The disk did not take it (%(error)s), so nothing has changed: make room or mend the disk, "
        "then do it again.",
        error=f"{error}",
    )
