"""Which tag is on which card, player token or control token."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion import uid as uids
from companion.errors import PlainError
from companion.rules import GAMES
from companion.said import Listed, say

COLUMNS = ["uid", "component"]
MOST_PLAYERS = 6
CONTROLS = ("stop", "undo", "shuffle", "pass", "last-chance", "mermaids")
_CONTROLS_OF = {"sea-salt-paper": ("stop", "undo", "pass", "last-chance", "mermaids")}


class TagsError(PlainError, ValueError):
    """The file cannot be imported; one line for each fault, with its line number."""


@dataclass(frozen=True, slots=True)
class Import:
    """What a file of tags says.

    Attributes:
        tags: component by canonical UID.
        notes: sentences about what was read differently from how it was written.
    """

    tags: Mapping[str, str]
    notes: tuple[str, ...]


def components() -> tuple[str, ...]:
    """Everything that a tag can be on, such as `tentacles/dots`, `player/1`, `control/stop`."""
    return (
        *(f"{game.name}/{name}" for game in GAMES.values() for name in game.components),
        *(f"player/{number}" for number in range(1, MOST_PLAYERS + 1)),
        *(f"control/{name}" for name in CONTROLS),
    )


def controls_of(game: str) -> tuple[str, ...]:
    """The control tokens that mean something in this game."""
    return _CONTROLS_OF.get(game, ("stop", "undo", "shuffle"))


def read_csv(data: bytes, enrolled: Mapping[str, str], *, short: bool = False) -> Import:
    """Read a file with the columns `uid,component`; all of it or nothing.

    Args:
        data: the file's bytes, UTF-8. Semicolons may part the columns: so spreadsheets write
            them where the comma is the decimal mark, as in Poland and Norway.
        enrolled: component by UID, as it stands: a tag that is on something else already
            must be removed first.
        short: UIDs of four bytes that begin with 88 are taken as they are (see `uid.parse`).

    Raises:
        TagsError: every bad line, with its number and the reason.
    """
    text = _text(data, "CSV")
    parted = ";" if ";" in text.partition("\n")[0] else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=parted, strict=True)
    known = components()
    tags: dict[str, str] = {}
    line_of: dict[str, int] = {}
    notes: list[str] = []
    faults: list[str] = []
    try:
        header = next(rows, [])
        if [name.strip().lower() for name in header] != COLUMNS:
            raise TagsError(_nothing([_at(1, say("it must name the columns, uid,component"))]))
        for row in rows:
            if not any(field.strip() for field in row):
                continue
            try:
                written, component = _fields(row, known)
                uid = _enrollable(written, short=short or written in enrolled)
                _refuse_second(uid, component, line_of, enrolled)
            except ValueError as fault:
                faults.append(_at(rows.line_num, str(fault)))
                continue
            if _digits(written) != uid:
                notes.append(
                    f"line {rows.line_num}: {written} ends in its check byte; read as {uid}"
                )
            tags[uid] = component
            line_of[uid] = rows.line_num
    except csv.Error as error:
        faults.append(_at(rows.line_num, say("not CSV (%(error)s)", error=f"{error}")))
    if faults:
        raise TagsError(_nothing(faults))
    return Import(tags, tuple(notes))


def _nothing(faults: Sequence[str]) -> str:
    return Listed((say("Nothing was imported:"), *faults), "\n")


def _at(line: int, fault: str) -> str:
    return say("line %(line)s: %(fault)s", line=line, fault=fault)


def _fields(row: list[str], known: tuple[str, ...]) -> tuple[str, str]:
    if len(row) != len(COLUMNS):
        raise ValueError(say("it has %(count)s columns instead of uid,component", count=len(row)))
    written, component = (field.strip() for field in row)
    if component not in known:
        raise ValueError(
            say(
                "there is no component %(given)s; there are such as %(usual)s, player/1, "
                "control/stop",
                given=f"{component!r}",
                usual=known[0],
            )
        )
    return written, component


def read_json(data: bytes, enrolled: Mapping[str, str], *, short: bool = False) -> Import:
    """Read an object `{"tags": {uid: component}}`; all of it or nothing (see `read_csv`).

    Raises:
        TagsError: what is wrong, each with its place among the tags.
    """
    try:
        written = json.loads(_text(data, "JSON"), object_pairs_hook=tuple)
    except (ValueError, RecursionError) as error:
        raise TagsError(
            say("Nothing was imported: this is not JSON (%(error)s).", error=f"{error}")
        ) from None
    match written:
        case (("tags", tuple(pairs)),) if all(
            isinstance(text, str) for pair in pairs for text in pair
        ):
            pass
        case _:
            raise TagsError(
                say('Nothing was imported: the file must be an object {"tags": {uid: component}}.')
            )
    rows = io.StringIO()
    csv.writer(rows).writerows([COLUMNS, *pairs])
    return read_csv(rows.getvalue().encode(), enrolled, short=short)


def _text(data: bytes, kind: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TagsError(
            say("The file is not UTF-8 text: save it as %(kind)s in UTF-8.", kind=kind)
        ) from None


def _enrollable(written: str, *, short: bool) -> str:
    uid = uids.parse(written, short=short)
    if uids.is_random(uid):
        raise ValueError(
            say(
                "the tag %(uid)s makes up a new UID at each tap (4 bytes from 08): use another tag",
                uid=uid,
            )
        )
    return uid


def _refuse_second(
    uid: str, component: str, line_of: Mapping[str, int], enrolled: Mapping[str, str]
) -> None:
    if uid in line_of:
        raise ValueError(
            say("the tag %(uid)s stands in line %(line)s already", uid=uid, line=line_of[uid])
        )
    if enrolled.get(uid, component) != component:
        raise ValueError(
            say(
                "the tag %(uid)s is on %(component)s already: remove it first with companion tags "
                "remove %(uid)s",
                uid=uid,
                component=enrolled[uid],
            )
        )


def _digits(written: str) -> str:
    digits = "".join(character for character in written.upper() if character in "0123456789ABCDEF")
    return digits[1:] if written.upper().startswith("0X") else digits


def write_csv(tags: Mapping[str, str]) -> str:
    """The tags as a file that `read_csv` reads."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    rows.writerows(tags.items())
    return out.getvalue()


def write_json(tags: Mapping[str, str]) -> str:
    """The tags as a file that `read_json` reads."""
    return json.dumps({"tags": dict(tags)}, indent=1) + "\n"


def pieces_of(game: str, tags: Mapping[str, str]) -> dict[str, int]:
    """How many pieces of each kind are enrolled for this game, without its name before them."""
    prefix = f"{game}/"
    return dict(
        Counter(
            component.removeprefix(prefix)
            for component in tags.values()
            if component.startswith(prefix)
        )
    )
