"""A file of settings such as `table.toml` is read: what it says, and each fault with its place."""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.said import Said, say, template
from companion.settings.sections import ConfigError, Fault, checked, fault_of

LARGEST = 1_000_000
"""Bytes of a file of settings; more would keep the table from its work while they are read."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is in a file.

    Attributes:
        values: what can be used of it, as arguments of the class.
        faults: the rest: a sentence each, with its place.
    """

    values: Mapping[str, Any]
    faults: tuple[str, ...]


def look_at(kind: type[Any], path: Path, text: str) -> Found:
    """What the text of a file says, with all its faults.

    Args:
        kind: the class of all settings.
        path: of the file, to be named.
        text: what is in it.
    """
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers and lists without end
        return Found({}, (_no_toml(path, text, error),))
    values, faults = checked(kind, table)
    if not faults:
        try:
            kind(**values)
        except ValueError as error:
            faults.append(fault_of(kind, "", error))
    return Found(values, placed(path, text, faults))


def load(kind: type[Any], path: Path) -> dict[str, Any]:
    """The settings of a file, checked, as arguments of the class.

    Raises:
        ConfigError: unreadable, not TOML, an unknown key, a wrong type, or what cannot be.
    """
    return usable(look_at(kind, path, text_of(path)))


def usable(found: Found) -> dict[str, Any]:
    """What was found, when there is no fault.

    Raises:
        ConfigError: the first fault, and how many more there are.
    """
    if found.faults:
        first, *more = found.faults
        if not more:
            raise ConfigError(first)
        raise ConfigError(
            say(
                "%(fault)s (And %(more)s more: companion config check tells them all.)",
                fault=first,
                more=len(more),
            )
        )
    return dict(found.values)


def text_of(path: Path) -> str:
    """What is in a file.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return bytes_of(path).decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(
            say(
                "The configuration %(file)s cannot be read (%(error)s).",
                file=f"{path}",
                error=f"{error.strerror}",
            )
        ) from None
    except UnicodeDecodeError:
        raise ConfigError(
            say("The configuration %(file)s is not UTF-8 text: save it in UTF-8.", file=f"{path}")
        ) from None


def bytes_of(path: Path) -> bytes:
    """What is in a file of settings, without ever waiting for it.

    Raises:
        OSError: it cannot be read, is no ordinary file, or larger than settings are.
    """
    # A pipe would keep whoever opens it waiting for another to write.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it is no ordinary file")
        data = b""
        while (more := os.read(handle, LARGEST)) and len(data) <= LARGEST:
            data += more
    finally:
        os.close(handle)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, "it is larger than 1 MB")
    return data


def placed(path: Path, text: str, faults: Iterable[Fault]) -> tuple[str, ...]:
    """Each fault in one line that begins with its place, in the order of the file."""
    lined = [(line_of(text, fault.section, fault.key), fault) for fault in faults]
    lined.sort(key=lambda each: each[0] or 0)
    return tuple(_told(path, line, fault) for line, fault in lined)


def _told(path: Path, line: object, fault: Fault) -> str:
    if line is None and not fault.section:
        return say("%(file)s: %(fault)s", file=f"{path}", fault=fault.sentence)
    if line is None:
        return say(
            "%(file)s, in [%(section)s]: %(fault)s",
            file=f"{path}",
            section=fault.section,
            fault=fault.sentence,
        )
    if not fault.section:
        return say(
            "%(file)s, line %(line)s: %(fault)s", file=f"{path}", line=line, fault=fault.sentence
        )
    return say(
        "%(file)s, line %(line)s, in [%(section)s]: %(fault)s",
        file=f"{path}",
        line=line,
        section=fault.section,
        fault=fault.sentence,
    )


_REASONS = (
    template("Invalid value"),
    template("Invalid statement"),
    template("Illegal character '\\n'"),
    template("Found invalid character '\\n'"),
    template('Expected "\'"'),
    template("Unterminated string"),
    template("Unescaped '\\' in a string"),
    template("Expected ']' at the end of a table declaration"),
    template("Expected '=' after a key in a key/value pair"),
    template("Expected newline or end of document after a statement"),
    template("Unclosed array"),
)
"""What tomllib says most often, so that pages can tell it; the rest stays English."""
_TWICE = template("it is there already, further up")


def _no_toml(path: Path, text: str, error: ValueError | RecursionError) -> str:
    why, _, where = f"{error}".partition(" (at ")
    if why.startswith(("Cannot overwrite", "Cannot declare")):
        why = _TWICE
    place = re.match(r"line (\d+), column (\d+)", where)
    line: object = len(text.splitlines()) or 1
    if place:
        line = say("%(line)s, column %(column)s", line=place[1], column=place[2])
    if not isinstance(error, tomllib.TOMLDecodeError):
        line, sentence = 1, say("somewhere in this file is a number or a list without end.")
    else:
        sentence = say(
            "this is not TOML (%(why)s); a text stands in quotes, a list in [ ], and each key in "
            "a line of its own.",
            why=Said(why, {}) if why in (*_REASONS, _TWICE) else why,
        )
    return _told(path, line, Fault("", "", sentence))


_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_ENTRY = re.compile(r"\s*((?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*[^=\s]+)?)\s*=")


def line_of(text: str, section: str, key: str) -> int | None:
    """Where a key stands, or else its section; counted from 1.

    It looks at the beginnings of lines alone, so what looks like a key inside a text of several
    lines may be taken for it.
    """
    at, best = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            at = header[1].strip("\"'")
            if at == key and not section:
                return number
            if at == section:
                best = best or number
            continue
        if not (entry := _ENTRY.match(line)):
            continue
        name = entry[1] if entry[1][0] in "\"'" else re.sub(r"\s*\.\s*", ".", entry[1])
        name = name.strip("\"'")
        whole = f"{at}.{name}" if at else name
        wanted = ".".join(filter(None, (section, key)))
        if key and (whole == wanted or whole.startswith(f"{wanted}.")):
            return number
        if not at and section and (name == section or name.startswith(f"{section}.")):
            best = best or number
    return best
