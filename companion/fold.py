"""A game out of its record: the fold of the entries in force."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from companion.codec import action_from_json
from companion.journal import Begun, Entry, Journal, JournalError
from companion.match import Match
from companion.rules.api import Outcome, Refusal


def folded(journal: Journal, begun: Begun) -> tuple[Match, list[Entry], int]:
    """Play the record of a game again.

    Returns:
        The game as it stands, the entries of its actions in force, and how many entries
        there are in all.

    Raises:
        JournalError: it is damaged, or makes no sense.
    """
    in_force: list[Entry] = []
    last = 0
    try:
        match = Match.start(begun.setup)
        for entry in journal.entries(begun.id):
            if "undo" in entry.command:
                match = match.undo(entry.command["undo"])
                del in_force[match.step :]
            else:
                match = match.do(action_from_json(begun.setup.game, entry.command))
                in_force.append(entry)
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
    return match, in_force, last


def outcomes_of(match: Match, in_force: Sequence[Entry], number: int) -> tuple[Outcome, ...]:
    """What the action of this entry brought about; () when it is not in force."""
    past = zip(match.back(), reversed(in_force), strict=True)
    return next((each.outcomes for each, entry in past if entry.entry == number), ())


def spent(match: Match, in_force: Sequence[Entry]) -> frozenset[str]:
    """UIDs of the cards turned since the last shuffle."""
    uids: set[str] = set()
    for past, entry in zip(match.back(), reversed(in_force), strict=True):
        if past.action is not None and past.game.gathers(past.action):
            break
        if entry.uid is not None:
            uids.add(entry.uid)
    return frozenset(uids)
