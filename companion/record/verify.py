"""Whether a record is what was written, and still plays: SQLite, the chain and the fold."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from companion.data_folder import holder_of
from companion.errors import PlainError
from companion.household import HOUSEHOLD, NewerHousehold, NotRemembered, remembered
from companion.record import copies, files, reading, recovery, restoring, schema
from companion.record.household_file import emptied
from companion.record.journal import UNREADABLE, Entry
from companion.record.reading import Broken, RecordedGame
from companion.record.summaries import SUMMARIES
from companion.record.wal import tail_of
from companion.repair.timeline import Timeline
from companion.rules import GAMES
from companion.rules.api import Refusal

MOST_LINES = 20
"""Of what SQLite itself finds wrong: a torn file would give thousands."""


class DoesNotPlay(PlainError):
    """A game's entries do not lead where the record says."""


@dataclass(slots=True)
class Found:
    """What was looked at so far.

    Attributes:
        games: how many.
        rows: entries and notes, of all games.
        troubles: one sentence each.
    """

    games: int = 0
    rows: int = 0
    troubles: list[str] = field(default_factory=list)


def verified(
    connection: sqlite3.Connection, progress: Callable[[int], None] = lambda _: None
) -> Found:
    """Look at all of a record.

    Args:
        connection: to read it.
        progress: told the number of games after each one.
    """
    found = Found()
    found.troubles += _file(connection)
    numbers: list[int] = []
    try:
        for game in reading.games(connection):
            found.games += 1
            numbers.append(game.number)
            trouble = _game(connection, game, found)
            if trouble:
                found.troubles.append(f"Game {game.number} ({game.rules}, {game.id}): {trouble}.")
            progress(found.games)
    except UNREADABLE as error:
        found.troubles.append(
            f"The games after number {numbers[-1:] or 0} cannot be read: {error}."
        )
    missing = sorted(set(range(1, max(numbers, default=0) + 1)) - set(numbers))
    if missing:
        found.troubles.append(f"Missing games, by their number: {', '.join(map(str, missing))}.")
    return found


def _file(connection: sqlite3.Connection) -> Iterator[str]:
    try:
        for (line,) in connection.execute(f"PRAGMA integrity_check({MOST_LINES})"):
            if line != "ok":
                yield f"The file: {' '.join(line.split())}."
        if not schema.is_whole(connection):
            yield "The file: its tables are not those of a record."
        for table, *_ in connection.execute("PRAGMA foreign_key_check"):
            yield f"The file: a row of {table} belongs to a game that is missing."
    except UNREADABLE as error:
        yield f"The file: {error}."


def _game(connection: sqlite3.Connection, game: RecordedGame, found: Found) -> str:
    try:
        reading.check_chain(connection, game)
        (found_rows,) = connection.execute(
            "SELECT row FROM head WHERE game = ?", (game.id,)
        ).fetchone()
        found.rows += found_rows
        folded(connection, game)
    except (Broken, DoesNotPlay) as trouble:
        return str(trouble)
    except UNREADABLE as error:
        return f"it cannot be read: {error}"
    return ""


def folded(connection: sqlite3.Connection, game: RecordedGame) -> Timeline:
    """Play a game's entries anew.

    Raises:
        DoesNotPlay: one is refused, or leads to another step than the record says.
    """
    last = 0
    try:
        timeline = Timeline.start(game.setup)
        for row in reading.rows(connection, game.id):
            content = row.content
            if isinstance(content, Entry):
                timeline = timeline.after(content.command, content.entry, content.uid)
                last = content.entry
                if timeline.match.step != content.step:
                    raise DoesNotPlay(
                        f"entry {last} leads to step {timeline.match.step}, and the record says "
                        f"{content.step}"
                    )
    except Refusal as refusal:
        now = GAMES[game.rules].rules_version if game.rules in GAMES else None
        old = (
            "" if now == game.rules_version else f" (by version {game.rules_version} of the rules)"
        )
        raise DoesNotPlay(
            f"after entry {last}{old} it stops making sense: {refusal.message}"
        ) from None
    except ValueError as error:
        raise DoesNotPlay(f"after entry {last} it is no JSON: {error}") from None
    return timeline


def end_of(record: Path) -> Iterator[str]:
    """What is lost at the end of a record, which nothing in the rows that are left tells.

    A sentence when the end of the log is damaged, which SQLite drops without a word, and one
    when the newest copy has what the record has not. An unfinished write is no damage.
    """
    log = files.part(record, "-wal")
    if log.exists() and holder_of(record.parent) is None:
        tail = tail_of(log.read_bytes())
        if not tail.unfinished:
            yield (
                f"The end of its log is damaged: {tail.left} bytes with its last writes cannot be "
                "read."
            )
    found = recovery.lacking(record)
    if found is not None:
        _, lost = found
        yield f"{lost} The next start goes on with the copy."


def others(folder: Path) -> Iterator[tuple[str, bool]]:
    """What lies beside the record: a line for each, and whether it is as it should be.

    The household, the summaries of the history, and the copies; of these only those that are
    damaged or that nobody can go back to have a line of their own.
    """
    household = folder / HOUSEHOLD
    if household.exists():
        try:
            remembered(household)
            lost = emptied(folder)
            if lost is not None:
                yield f"{household}: it is empty; the next start goes on with {lost}.", False
            else:
                yield f"{household}: as it should be.", True
        except (NotRemembered, NewerHousehold) as fault:
            yield f"{household}: {fault}", False
    history = folder / SUMMARIES
    if history.exists():
        damage = _summaries(history)
        yield f"{history}: {damage or 'as it should be'}.", not damage
    wrong = 0
    places = [copies.place_of(record) for record in copies.copies(folder)]
    # What a restoration set aside may have been damaged, and so it was set aside.
    places += [each for each in copies.kept_apart(folder) if "restore" not in each.name]
    for place in places:
        try:
            damaged = restoring.look_at(place)
            trouble = f"damaged in it: {damaged}" if damaged else ""
        except restoring.NotRestorable as fault:
            trouble = f"{fault}".rstrip(".")
        if trouble:
            wrong += 1
            yield f"{place}: {trouble}.", False
    if places:
        count = "1 copy" if len(places) == 1 else f"{len(places)} copies"
        yield f"{folder / copies.FOLDER}: {count}, {wrong or 'none'} damaged.", not wrong


def _summaries(history: Path) -> str:
    """What is wrong with the summaries; empty when nothing is."""
    try:
        with closing(files.to_read(history)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except UNREADABLE as error:
        verdict = str(error)
    damaged = "damaged; the next start makes it anew"
    return "" if verdict == "ok" else f"{damaged} ({' '.join(str(verdict).split())})"
