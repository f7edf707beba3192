"""Visits of tags at a reader, one after the other, as a script or a command line tells them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hardware_sim.tags import parse_uid

DEFAULT_HOLD_MS = 600
DEFAULT_GAP_MS = 600


class ScriptError(ValueError):
    """A script has lines that are not understood; the text names each of them."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One tag laid on the reader once, or several at once.

    Attributes:
        uid: upper-case hexadecimal; commas part those of several tags.
        hold_ms: how long it lies there, in milliseconds.
        gap_ms: how long the reader is empty after it, in milliseconds.
    """

    uid: str
    hold_ms: int
    gap_ms: int


def parse_script(text: str, hold_ms: int = DEFAULT_HOLD_MS, at_once: int = 1) -> tuple[Visit, ...]:
    """The visits of a script: a line each, `UID [hold_ms [gap_ms]]`.

    What follows `#` is a comment, and empty lines are passed over. The UID is written
    without spaces; where several tags may lie there at once, commas part their UIDs.

    Args:
        text: the script.
        hold_ms: for lines that name none.
        at_once: how many tags may lie there at once.

    Raises:
        ScriptError: lines that are not understood, each with its number.
    """
    visits, complaints = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            visits.append(_visit(words, hold_ms, at_once))
        except ValueError as error:
            complaints.append(f"line {number}: {error}")
    if complaints:
        raise ScriptError("\n".join(complaints))
    return tuple(visits)


def visits_of(
    uid: str | None, script: Path | None, hold_ms: int, at_once: int = 1
) -> tuple[Visit, ...]:
    """The visits that a command line asks for.

    Args:
        uid: of the option `--uid`, for one visit.
        script: of the option `--script`, else.
        hold_ms: of the option `--hold-ms`.
        at_once: how many tags may lie there at once.

    Raises:
        ScriptError: neither is given, or what is given cannot be read or understood.
    """
    if script is None:
        try:
            return (_visit([uid or ""], hold_ms, at_once),)
        except ValueError as error:
            raise ScriptError(f"--uid: {error}") from error
    try:
        text = script.read_text(encoding="utf-8")
    except OSError as error:
        raise ScriptError(f"{script} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ScriptError(f"{script} is no text in UTF-8.") from error
    try:
        return parse_script(text, hold_ms, at_once)
    except ScriptError as error:
        raise ScriptError(f"{script} was not understood:\n{error}") from error


def _visit(words: list[str], hold_ms: int, at_once: int) -> Visit:
    if len(words) > 3:
        raise ValueError(f"{len(words)} words, and UID, hold_ms and gap_ms are three")
    uids = words[0].split(",") if at_once > 1 else [words[0]]
    if len(uids) > at_once:
        raise ValueError(f"{len(uids)} tags, and at most {at_once} lie there at once")
    uid = ",".join(parse_uid(each).hex().upper() for each in uids)
    times_ms = [hold_ms, DEFAULT_GAP_MS]
    for index, word in enumerate(words[1:]):
        if not (word.isascii() and word.isdigit()):
            raise ValueError(f"{word!r} is no number of milliseconds")
        times_ms[index] = int(word)
    if times_ms[0] <= 0:
        raise ValueError(f"a tag cannot be held for {times_ms[0]} ms")
    return Visit(uid, *times_ms)
