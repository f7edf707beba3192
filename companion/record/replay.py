"""An exported game played again: step by step, bit for bit.

Or it is refused, with the first step that does not lead where the file says.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.codec import parse_json
from companion.errors import PlainError
from companion.match import Setup
from companion.record import shape
from companion.record.chain import link
from companion.record.export import FORMAT, shown
from companion.repair.timeline import Timeline
from companion.rules import GAMES
from companion.rules.api import Refusal


class CannotReplay(PlainError):
    """The file is no exported game, or does not replay to what it says."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that is whole; whether it plays is not known yet.

    Attributes:
        header: its first line.
        rows: entries and notes, as in the file.
    """

    header: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]

    @property
    def hidden(self) -> bool:
        """Whether actions were left out: then the game can be shown, and not played."""
        return any("entry" in row and row["command"] is None for row in self.rows)

    @property
    def other_rules(self) -> int | None:
        """The version of the rules that it was played by, if it is not ours."""
        known = GAMES.get(self.header["game"])
        version: int = self.header["rules_version"]
        return version if known is None or version != known.rules_version else None


def read(data: bytes) -> Exported:
    """The file, checked for being whole and as it was written.

    Raises:
        CannotReplay: it is not.
    """
    lines = data.splitlines(keepends=True)
    values = []
    for number, line in enumerate(lines, 1):
        try:
            value = parse_json(line)
        except Refusal:
            value = None
        if not isinstance(value, dict):
            raise CannotReplay(f"Line {number} of the file is not an object of JSON.")
        values.append(value)
    if not values or "tidetable_game" not in values[0]:
        raise CannotReplay("The file is no exported game: companion export writes one.")
    file_format = values[0]["tidetable_game"]
    if type(file_format) is int and file_format > FORMAT:
        raise CannotReplay("The file was written by a newer version: update this program.")
    end = {"end": len(values) - 2, "sha256": hashlib.sha256(b"".join(lines[:-1])).hexdigest()}
    if not _same(values[-1], end):
        raise CannotReplay(
            "The file is cut off or was changed: its last line does not fit the rest."
        )
    header, *rows = values[:-1]
    wrong = shape.wrong_in(header, rows)
    if wrong is not None:
        raise CannotReplay(f"The file is not as companion export writes it: {wrong}.")
    return Exported(header, rows)


def _same(value: object, other: object) -> bool:
    """Whether both are the same JSON; Python alone takes true for 1, and 1.0 too."""
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


def replayed(file: Exported) -> Iterator[Mapping[str, Any]]:
    """Each row, after it was played and found to lead where the file says.

    Raises:
        CannotReplay: a row does not.
    """
    last = 0
    try:
        header = file.header
        setup = Setup(
            header["game"], tuple(header["players"]), header["starter"], header["options"]
        )
        timeline = Timeline.start(setup)
        if not _same(shown(timeline.match), header["shown"]):
            raise CannotReplay("The game does not begin as the file says.")
        end = _game_hash(header)
        plays = not file.hidden
        for row in file.rows:
            if file.header["secrets"]:
                end = link(end, *_columns(row))
                if end.hex() != row["hash"]:
                    raise CannotReplay(f"Row {row['row']} of the file is not what was written.")
            if "entry" in row:
                if plays:
                    timeline = timeline.after(row["command"], row["entry"], row.get("uid"))
                    outcomes = "do" in row["command"]
                    if not _same(shown(timeline.match, outcomes=outcomes), row["shown"]):
                        raise CannotReplay(
                            f"Entry {row['entry']} of the file does not lead to what it says."
                        )
                last = row["entry"]
            yield row
    except Refusal as refusal:
        raise CannotReplay(
            f"The file does not play: after entry {last} the rules say no. {refusal.message}"
        ) from None


def _game_hash(header: Mapping[str, Any]) -> bytes:
    keys = ("id", "table", "number", "game", "players", "starter", "options", "program")
    texts = {key: _dump(header[key]) for key in ("players", "options")}
    columns = [texts.get(key, header[key]) for key in keys]
    return link(b"", *columns, header["rules_version"], *_when(header))


def _columns(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What the row's hash covers (see `companion.record.journal.Journal.append`)."""
    if "note" in row:
        return ("note", row["row"], row["after"], row["note"], _dump(row["body"]), *_when(row))
    return (
        *("entry", row["entry"], row["row"], row["shown"]["step"], _dump(row["command"])),
        *(row["source"], row["reader"], row["uid"], row["request"], *_when(row)),
    )


def _when(row: Mapping[str, Any]) -> tuple[Any, ...]:
    at = row["at"]
    return at["monotonic_ns"], at["boot"], at["wall"]


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# In words


def in_words(row: Mapping[str, Any], turn: str | None) -> str:
    """A row as a line for people.

    Args:
        row: of the file.
        turn: who was in turn before it.
    """
    time = row["at"]["wall"][11:19]
    if "note" in row:
        body = f" {_dump(row['body'])}" if "body" in row else ""
        return f"      {time}  ({row['note']}{body})"
    after = row["shown"]
    said = "; ".join(filter(None, map(_outcome, after["outcomes"])))
    scores = ", ".join(f"{player} {score}" for player, score in after["scores"].items())
    where = f" [{row['reader'] or row['source']}]"
    what = _command(row["command"], turn)
    end = f" | over, won by {' and '.join(after['winners']) or 'nobody'}" if after["over"] else ""
    return f"{row['entry']:>4}  {time}  {what}{where}{f': {said}' if said else ''} | {scores}{end}"


def _command(command: Mapping[str, Any] | None, turn: str | None) -> str:
    match command:
        case None:
            return f"{turn}: an action that names a hidden card"
        case {"undo": count}:
            return f"undo of {count}"
        case {"restore": entry}:
            return f"correction {entry} is taken back"
        case {"correct": edits}:
            return f"correction: {'; '.join(map(_edit, edits))}"
    return f"{command.get('player', turn)}: {_pairs(command, 'do')}"


def _edit(edit: Mapping[str, Any]) -> str:
    if "before" in edit:
        place = "at the end" if edit["before"] is None else f"before {edit['before']}"
        return f"{place} {_pairs(edit, 'do', 'before')}"
    if "keep" in edit:
        return f"{edit['entry']} stays"
    what = "never happened" if edit["do"] is None else f"was {_pairs(edit, 'do', 'entry')}"
    return f"{edit['entry']} {what}"


def _outcome(outcome: Mapping[str, Any]) -> str:
    return _pairs(outcome, "what")


def _pairs(body: Mapping[str, Any], verb: str, *without: str) -> str:
    rest = [
        _value(value)
        for key, value in body.items()
        if key != verb and key not in without and value is not None
    ]
    return " ".join([str(body[verb]), *rest])


def _value(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return value if isinstance(value, str) else _dump(value)
