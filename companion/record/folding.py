"""A game of the record in full: its rows are looked at, and folded."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import replace

from companion.chronicle import (
    DamagedGame,
    Played,
    Summary,
    Time,
    length_ns,
    renamed,
    renamed_setup,
    renamed_source,
    tallies,
    turns,
)
from companion.record import reading
from companion.record.journal import UNREADABLE, Entry, tells_of_damage
from companion.record.reading import Broken, RecordedGame
from companion.repair.history import history
from companion.rules.api import Refusal


def folded_game(
    connection: sqlite3.Connection, game: RecordedGame, names: Mapping[str, str]
) -> Played:
    """Fold a game, after its chain was looked at.

    Args:
        connection: to the record.
        game: which one.
        names: players to be called otherwise.

    Raises:
        DamagedGame: it is not what was written, or does not play.
        sqlite3.Error: the record cannot be read, and not for damage.
    """
    try:
        reading.check_chain(connection, game)
        rows = [(Time(*row.when), row.content) for row in reading.rows(connection, game.id)]
        times = {each.entry: when for when, each in rows if isinstance(each, Entry)}
        entries = [_renamed(each, names) for _, each in rows if isinstance(each, Entry)]
        past = history(renamed_setup(game.setup, names), entries)
    except Broken as broken:
        raise DamagedGame(str(broken)) from None
    except Refusal as refusal:
        raise DamagedGame(f"it does not play: {refusal.message}") from None
    except UNREADABLE as error:
        if isinstance(error, sqlite3.Error) and not tells_of_damage(error):
            raise
        raise DamagedGame(f"it cannot be read: {error}") from None
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise DamagedGame(f"it makes no sense ({type(error).__name__})") from None
    match = past.timeline.match
    standing = match.game.standing(match.state)
    began = next(iter(times.values()), Time(*game.when))
    summary = Summary(
        id=game.id,
        number=game.number,
        game=game.rules,
        players=match.setup.players,
        options=match.setup.options,
        state="over" if standing.over else "given-up",
        began=began.known,
        length_s=round(length_ns([*times.values()]) / 1_000_000_000),
        actions=match.step,
        corrections=sum("correct" in each.command for each in entries),
        scores=dict(standing.scores),
        winners=tuple(standing.winners),
    )
    played = Played(summary, past, times, {each.entry: each.source for each in entries})
    matches = played.matches
    summary = replace(summary, turns=len(turns(matches)) - 1, tallies=tallies(matches))
    return replace(played, summary=summary)


def _renamed(entry: Entry, names: Mapping[str, str]) -> Entry:
    if not names:
        return entry
    return replace(
        entry,
        command=renamed(entry.command, names),
        source=renamed_source(entry.source, names),
    )


def unfolded(game: RecordedGame, trouble: str = "") -> Summary:
    """A game as far as its first row tells of it: damaged, or where nothing is wrong unread."""
    try:
        players = tuple(str(player) for player in game.setup.players)
    except (ValueError, TypeError):
        players = ()
    return Summary(
        id=game.id,
        number=game.number,
        game=game.rules,
        players=players,
        options={},
        state="damaged" if trouble else "unread",
        began=Time(*game.when).known,
        trouble=trouble,
    )
