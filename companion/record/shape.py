"""The shape of an exported game: which keys there are, and what each of them holds.

What the values mean is for the rules to say (`companion.record.replay`); here it is only seen to
that every line is made as `companion.record.export` makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args, get_type_hints

from companion.record.export import FORMAT, PUBLIC_NOTES
from companion.snapshot import Source

DEEPEST = 50
"""How many objects and lists may lie in one another; in a real game there are some five."""

SOURCES = get_args(get_type_hints(Source)["kind"])

Check = Callable[[Any], bool]


def _of(*kinds: type) -> Check:
    """Exactly of one of these types: to Python true is a number as well."""
    return lambda value: type(value) in kinds


def _list_of(check: Check) -> Check:
    return lambda value: type(value) is list and all(map(check, value))


def _number(value: object) -> bool:
    return type(value) is int and value >= 0


def _scores(value: object) -> bool:
    return type(value) is dict and all(map(_of(int), value.values()))


def _outcome(value: object) -> bool:
    return type(value) is dict and _text(value.get("what"))


def _edit(value: object) -> bool:
    """One of `edit_to_json` of `companion.repair.timeline`."""
    if type(value) is not dict or ("entry" in value) == ("before" in value):
        return False
    if "before" in value:
        return _of(str, type(None))(value["before"]) and _text(value.get("do"))
    done = value.get("keep") is True or ("do" in value and _of(str, type(None))(value["do"]))
    return _text(value["entry"]) and done


def _command(value: object) -> bool:
    if type(value) is not dict:
        return False
    if len(value) == 1:
        for key, check in (("undo", _number), ("restore", _number), ("correct", _list_of(_edit))):
            if key in value:
                return check(value[key])
    return _text(value.get("do"))


_text = _of(str)
_object = _of(dict)
_text_or_null = _of(str, type(None))

_WHEN = {"monotonic_ns": _of(int), "boot": _text, "wall": _text}
_SHOWN = {
    "step": _number,
    "outcomes": _list_of(_outcome),
    "turn": _text_or_null,
    "phase": _text,
    "scores": _scores,
    "over": _of(bool),
    "winners": _list_of(_text),
    "state": _object,
}
_HEADER = {
    "tidetable_game": lambda value: type(value) is int and value == FORMAT,
    "exported_by": _text,
    "secrets": _of(bool),
    "id": _text,
    "table": _text,
    "number": _number,
    "game": _text,
    "rules_version": _number,
    "program": _text,
    "players": _list_of(_text),
    "starter": _text_or_null,
    "options": _object,
    "at": _object,
    "shown": _object,
}
_ENTRY = {
    "row": _number,
    "entry": _number,
    "command": _command,
    "source": lambda value: value in SOURCES,
    "reader": _text,
    "at": _object,
    "shown": _object,
}
_OF_SECRET_ENTRY = {"uid": _text_or_null, "request": _text_or_null, "hash": _text}
_NOTE = {"row": _number, "note": _text, "after": _number, "at": _object}


def wrong_in(header: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str | None:
    """What in the lines of a file is not as an export is made; None when nothing is.

    Args:
        header: the first line.
        rows: the lines between the first and the last.
    """
    wrong = _wrong_line(header, _HEADER)
    if wrong is not None:
        return f"in its header {wrong}"
    entries = 0
    for number, row in enumerate(rows, 1):
        entries += "entry" in row
        wrong = _wrong_row(row, number, entries, secrets=header["secrets"])
        if wrong is not None:
            return f"in row {number} {wrong}"
    return None


def _wrong_row(row: Mapping[str, Any], number: int, entries: int, *, secrets: bool) -> str | None:
    checks: dict[str, Check]
    if "entry" in row:
        checks = _ENTRY | (_OF_SECRET_ENTRY if secrets else {"command": _command_or_null})
    else:
        body = secrets or row.get("note") in list(PUBLIC_NOTES)
        checks = _NOTE | ({"body": _object} if body else {}) | ({"hash": _text} if secrets else {})
    wrong = _wrong_line(row, checks)
    if wrong is not None:
        return wrong
    if row["row"] != number:
        return "row is another number"
    if row.get("entry", entries) != entries:
        return "entry is another number"
    return "after is of no entry before it" if row.get("after", 0) > entries else None


def _command_or_null(value: object) -> bool:
    return value is None or _command(value)


def _wrong_line(line: Mapping[str, Any], checks: Mapping[str, Check]) -> str | None:
    if _is_too_deep(line):
        return "too much lies in one another"
    return (
        _wrong_keys(line, checks)
        or _wrong_keys(line["at"], _WHEN, "at.")
        or ("shown" in checks and _wrong_keys(line["shown"], _SHOWN, "shown."))
        or None
    )


def _wrong_keys(value: Mapping[str, Any], checks: Mapping[str, Check], of: str = "") -> str | None:
    for key, check in checks.items():
        if key not in value:
            return f"{of}{key} is missing"
        if not check(value[key]):
            return f"{of}{key} is of another kind"
    more = next((key for key in value if key not in checks), None)
    return None if more is None else f"{of}{more[:40]} is one key too many"


def _is_too_deep(value: object) -> bool:
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for each in level
            if isinstance(each, dict | list)
            for child in (each.values() if isinstance(each, dict) else each)
        ]
    return bool(level)
