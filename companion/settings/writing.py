"""A change is written into a file of settings: comments and order stay, and nothing gets lost.

What was in the file and what is to be changed are put together, checked, written to a file
beside it, brought to the disk and put in its place. So whatever happens in between, even a power
cut, the file is the old one or the new one. What somebody wrote by hand meanwhile is never written
over: then it all begins again with the newer text. (Where the disk cannot let two files change
places, as FAT, only what was written in the very moment of the renaming is.)
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import tomlkit
from tomlkit.exceptions import TOMLKitError

from companion.errors import PlainError
from companion.said import say
from companion.settings.exchange import CannotExchange, exchange, name_if_free
from companion.settings.reading import bytes_of, look_at
from companion.settings.secret import secrets_of

Changes: TypeAlias = Mapping[tuple[str, ...], Any]
"""What to write, by place, such as `("ship", "rest_s")`; None takes a key away."""

ATTEMPTS = 5
"""So often somebody else may write the file at the same moment."""


class NotWritten(PlainError):
    """The file of the settings does not take the change; nothing has changed."""


def nothing_more(text: str) -> Sequence[str]:
    """No fault beyond those that the class of the settings names itself."""
    del text
    return ()


def write(
    kind: type[Any],
    path: Path,
    changes: Changes,
    judge: Callable[[str], Sequence[str]] = nothing_more,
) -> str:
    """Change a file of settings, or make it.

    Args:
        kind: the class of all settings.
        path: of the file; a link is followed.
        changes: what to write.
        judge: gives what else is wrong with the text that the file would have.

    Returns:
        What is in the file now.

    Raises:
        NotWritten: the file has a fault already, the disk does not take it, or it would not be
            read again as it is written.
    """
    path = path.resolve()
    try:
        with _alone(path.parent) as folder:
            for _ in range(ATTEMPTS):
                before = _bytes_of(path)
                text = changed(kind, path, _text(path, before), changes, judge)
                if _replaced(path, folder, before, text, secret=_has_secrets(kind, path, text)):
                    return text
    except OSError as error:
        raise NotWritten(
            say(
                "The settings in %(file)s cannot be written (%(error)s), so nothing has changed: "
                "make room, mend the disk or give the service the right to write there.",
                file=f"{path}",
                error=f"{error.strerror}",
            )
        ) from None
    raise NotWritten(
        say(
            "Somebody else writes %(file)s all the time: wait a moment and do it again.",
            file=f"{path}",
        )
    )


def changed(
    kind: type[Any],
    path: Path,
    text: str,
    changes: Changes,
    judge: Callable[[str], Sequence[str]] = nothing_more,
) -> str:
    """The text of a file with these changes.

    Raises:
        NotWritten: it has a fault, before or after.
    """
    found = look_at(kind, path, text)
    if found.faults:
        raise NotWritten(
            say(
                "The settings cannot be changed while their file has a fault: %(fault)s",
                fault=found.faults[0],
            )
        )
    try:
        document = tomlkit.parse(text)
        for place, value in changes.items():
            _put(document, place, value)
        after = tomlkit.dumps(document)
        if None in changes.values():
            after = _without_tail(after)
    except TOMLKitError as error:
        raise NotWritten(
            say(
                "The file %(file)s is written so that it cannot be changed here (%(error)s): "
                "change it by hand.",
                file=f"{path}",
                error=f"{error}",
            )
        ) from error
    faults = look_at(kind, path, after).faults or judge(after)
    if faults:
        raise NotWritten(say("That cannot be, so nothing has changed: %(fault)s", fault=faults[0]))
    return after


def _has_secrets(kind: type[Any], path: Path, text: str) -> bool:
    """Whether the file holds something that only its owner may read."""
    return any(secrets_of(kind(**look_at(kind, path, text).values)))


def _put(document: Any, place: tuple[str, ...], value: Any) -> None:  # noqa: ANN401 - tomlkit's
    *tables, key = place
    table = document
    for name in tables:
        if name not in table:
            if value is None:
                return
            table[name] = tomlkit.table()
        table = table[name]
    if value is None:
        table.pop(key, None)
    else:
        table[key] = _plain(value)


def _without_tail(text: str) -> str:
    """Without the empty lines that stood before a section which was the last one."""
    whole = text.rstrip()
    return whole + text[len(whole) :].lstrip(" \t").partition("\n")[0] + "\n" if whole else ""


def _plain(value: object) -> object:
    """As tomlkit takes it: with whole numbers where nothing is lost."""
    match value:
        case Path():
            return f"{value}"
        case tuple() | list():
            return [_plain(each) for each in value]
        case Mapping():
            return {name: _plain(each) for name, each in value.items()}
    return value


@contextmanager
def _alone(folder: Path) -> Iterator[int]:
    """The folder, open, while no other process that does this writes in it."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield opened
    finally:
        os.close(opened)


def _bytes_of(path: Path) -> bytes | None:
    try:
        return bytes_of(path)
    except FileNotFoundError:
        return None


def _text(path: Path, data: bytes | None) -> str:
    try:
        return (data or b"").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotWritten(
            say("%(file)s is not UTF-8 text: save it in UTF-8 first.", file=f"{path}")
        ) from None


def _replaced(path: Path, folder: int, before: bytes | None, text: str, *, secret: bool) -> bool:
    """Put the new text in the place of the old one; False when that is not the old one any more."""
    beside = path.with_name(f".{path.name}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    try:
        new = os.open(beside, flags, 0o600)
        try:
            _belong_as(path, new, secret=secret)
            left = text.encode()
            while left:
                left = left[os.write(new, left) :]
            os.fsync(new)
        finally:
            os.close(new)
        if _bytes_of(path) != before or not _in_place(beside, path, before):
            return False
        os.fsync(folder)
    finally:
        beside.unlink(missing_ok=True)
    return True


def _in_place(new: Path, path: Path, before: bytes | None) -> bool:
    """Give the new file the name; False, and all as it was, where another one has it by now."""
    try:
        if before is None:
            name_if_free(new, path)
            return True
        exchange(new, path)
    except CannotExchange:
        os.replace(new, path)  # noqa: PTH105 - beside the other calls of its kind
        return True
    except (FileExistsError, FileNotFoundError):
        return False
    if _is_still(new, before):
        return True
    exchange(new, path)
    return False


def _is_still(path: Path, before: bytes) -> bool:
    try:
        return bytes_of(path) == before
    except OSError:
        return False


def _belong_as(path: Path, new: int, *, secret: bool) -> None:
    """The new file belongs to whom the old one did, or the folder; secrets are its owner's alone."""
    try:
        old = path.stat()
        mode = stat.S_IMODE(old.st_mode)
    except FileNotFoundError:
        old, mode = path.parent.stat(), 0o644
    if os.geteuid() == 0:
        os.fchown(new, old.st_uid, old.st_gid)
    os.fchmod(new, mode & 0o600 if secret else mode)
