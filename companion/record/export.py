"""A game as one file: a header, the rows of the record with what all could see, an end.

Lines of JSON, described in docs/journal.md. Without secrets there are no UIDs, no hidden
cards and no contents of notes in it: then it shows the game as everybody at the table saw it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from companion.codec import action_from_json, outcome_to_json
from companion.errors import PlainError
from companion.match import Match
from companion.record import reading
from companion.record.journal import Entry, Note
from companion.record.reading import Broken, RecordedGame, Row
from companion.record.verify import DoesNotPlay, folded
from companion.repair.timeline import Insert, Replace, Timeline, edits_from_json
from companion.rules.api import Game

FORMAT = 1
PUBLIC_NOTES = frozenset({"device-lost", "device-back"})
"""Kinds of notes in which nothing of a card or a tag can be."""


class CannotExport(PlainError):
    """There is no such game, or its record cannot be trusted."""


def find(connection: sqlite3.Connection, which: str) -> RecordedGame:
    """The game that a person means.

    Args:
        connection: to the record.
        which: its id, its number, or `last`.

    Raises:
        CannotExport: there is none.
    """
    if which == "last":
        newest = reading.newest_game(connection)
        if newest is None:
            raise CannotExport("There is no game in this record.")
        return newest
    key = "number" if which.isdecimal() else "id"
    for columns in connection.execute(f"SELECT * FROM game WHERE {key} = ?", (which,)):  # noqa: S608
        return RecordedGame(columns)
    raise CannotExport(
        f"There is no game {which} in this record: name it by its number, by its id, or as last."
    )


def exported(
    connection: sqlite3.Connection, game: RecordedGame, *, secrets: bool
) -> Iterator[bytes]:
    """The lines of the file.

    Raises:
        CannotExport: the record of this game is damaged, or does not play.
    """
    connection.execute("BEGIN")  # one moment, whatever is played meanwhile
    try:
        reading.check_chain(connection, game)
        folded(connection, game)
    except (Broken, DoesNotPlay) as trouble:
        raise CannotExport(
            f"Game {game.number} is damaged ({trouble}): companion verify says more."
        ) from None
    digest = hashlib.sha256()
    count = 0
    for value in _values(connection, game, secrets=secrets):
        line = to_line(value)
        digest.update(line)
        count += 1
        yield line
    yield to_line({"end": count - 1, "sha256": digest.hexdigest()})


def to_line(value: object) -> bytes:
    """A line of the file."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _values(
    connection: sqlite3.Connection, game: RecordedGame, *, secrets: bool
) -> Iterator[dict[str, Any]]:
    identity, table, number, rules, players, starter, options, program, *_ = game.columns
    timeline = Timeline.start(game.setup)
    yield {
        "tidetable_game": FORMAT,
        "exported_by": version("tidetable"),
        "secrets": secrets,
        "id": identity,
        "table": table,
        "number": number,
        "game": rules,
        "rules_version": game.rules_version,
        "program": program,
        "players": json.loads(players),
        "starter": starter,
        "options": json.loads(options),
        "at": _when(game.when),
        "shown": shown(timeline.match),
    }
    for row in reading.rows(connection, game.id):
        content = row.content
        if isinstance(content, Note):
            yield _note(row, content, secrets=secrets)
            continue
        timeline = timeline.after(content.command, content.entry, content.uid)
        yield _entry(row, content, timeline, secrets=secrets)


def _when(when: tuple[int, str, str]) -> dict[str, Any]:
    monotonic_ns, boot, wall = when
    return {"monotonic_ns": monotonic_ns, "boot": boot, "wall": wall}


def _note(row: Row, note: Note, *, secrets: bool) -> dict[str, Any]:
    line: dict[str, Any] = {"row": row.row, "note": note.kind, "after": note.after}
    if secrets or note.kind in PUBLIC_NOTES:
        line["body"] = note.body
    line["at"] = _when(row.when)
    return {**line, "hash": row.hash.hex()} if secrets else line


def _entry(row: Row, entry: Entry, timeline: Timeline, *, secrets: bool) -> dict[str, Any]:
    hidden = not secrets and tells(timeline.match.game, entry.command)
    line: dict[str, Any] = {
        "row": row.row,
        "entry": entry.entry,
        "command": None if hidden else entry.command,
        "source": entry.source.kind,
        "reader": entry.source.name,
    }
    if secrets:
        line |= {"uid": entry.uid, "request": entry.request, "hash": row.hash.hex()}
    return {
        **line,
        "at": _when(row.when),
        "shown": shown(timeline.match, outcomes="do" in entry.command),
    }


def tells(game: Game[Any], command: Mapping[str, Any]) -> bool:
    """Whether a command names what not everybody may see."""
    if "correct" in command:
        edits = edits_from_json(game.name, command["correct"])
        told = (edit.action for edit in edits if isinstance(edit, Replace | Insert))
        return any(map(game.secret, told))
    return "do" in command and game.secret(action_from_json(game.name, command))


def shown(match: Match, *, outcomes: bool = False) -> dict[str, Any]:
    """What everybody can see of a game, as JSON; with what the last action brought about."""
    standing = match.game.standing(match.state)
    view: dict[str, Any] = {
        "step": match.step,
        "outcomes": [outcome_to_json(each) for each in match.outcomes] if outcomes else [],
        "turn": standing.turn,
        "phase": standing.phase,
        "scores": standing.scores,
        "over": standing.over,
        "winners": standing.winners,
        "state": match.game.view(match.state, None),
    }
    plain: dict[str, Any] = json.loads(json.dumps(view))
    return plain
