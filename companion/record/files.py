"""Files of a data folder: whole and on the disk before they bear their names, and never deleted."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

SQLITE = b"SQLite format 3\0"
"""What a database begins with."""
WITH_A_LOG_AT, WITH_A_LOG = 19, b"\2"
"""Where a database says that it has a write-ahead log ("Database File Format", section 1.3.3)."""
PARTS = ("", "-wal", "-shm", "-journal")
"""What a database is made of; the last one only while it is being made."""


def part(path: Path, name: str) -> Path:
    """The file of a database that is called so (see `PARTS`)."""
    return path.with_name(path.name + name)


def rests(path: Path) -> bool:
    """Whether nobody has a database with a log open, and all of it is in its file.

    Others rest never: while they are read their lock keeps writers out, and nothing comes to lie
    beside them.
    """
    log = part(path, "-wal")
    logged = log.exists() and log.stat().st_size > 0
    if logged or part(path, "-shm").exists() or part(path, "-journal").exists():
        return False
    try:
        with path.open("rb") as file:
            return file.read(WITH_A_LOG_AT + 1)[WITH_A_LOG_AT:] == WITH_A_LOG
    except OSError:
        return False  # SQLite says better what is wrong


def to_read(path: Path, *, held: bool = False) -> sqlite3.Connection:
    """A connection that changes nothing but what a killed writer left to be rolled back.

    Args:
        path: the database.
        held: nobody opens it meanwhile; then nothing new comes to lie beside one that nobody
            has open.
    """
    mode = "rw" if part(path, "-journal").exists() else "ro"
    if held and rests(path):
        mode = "ro&immutable=1"
    return sqlite3.connect(uri(path, mode), uri=True, isolation_level=None)


def uri(path: Path, mode: str) -> str:
    """A database as SQLite is told of it: to be read (`ro`), written (`rw`), or made (`rwc`)."""
    return f"file:{quote(str(path))}?mode={mode}"


def sync(path: Path) -> None:
    """Have a file's contents, or a folder's names, on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unfinished(path: Path) -> Path:
    """Where a file is made before it bears its name; what a killed service left there goes."""
    new = path.with_name(f"new-{path.name}")
    for name in PARTS:
        part(new, name).unlink(missing_ok=True)
    return new


def finish(path: Path) -> None:
    """Give a file that was made, and closed, its name."""
    new = path.with_name(f"new-{path.name}")
    sync(new)
    new.rename(path)
    sync(path.parent)


def copy(source: Path, target: Path) -> None:
    """Copy a file for its owner alone, and have it on the disk.

    Raises:
        OSError: it cannot be read or written.
    """
    target.touch(mode=0o600)
    shutil.copyfile(source, target)
    belong(target, target.parent)
    sync(target)


def put(source: Path, path: Path) -> None:
    """Put a copy of a file in the place of one that may be there.

    Raises:
        OSError: it cannot be written.
    """
    new = unfinished(path)
    copy(source, new)
    finish(path)


def belong(path: Path, folder: Path) -> None:
    """What root makes in somebody's folder is that one's, too: the service could not read it."""
    if os.geteuid() == 0:
        owner = folder.stat()
        with suppress(OSError):  # a stick that knows no owners
            os.chown(path, owner.st_uid, owner.st_gid)


def free(path: Path) -> Path:
    """This path, with a number where something of a database or file of its name is there."""
    found, number = path, 1
    while any(part(found, name).exists() for name in PARTS):
        number += 1
        found = path.with_stem(f"{path.stem}-{number}")
    return found


def set_aside(path: Path, trouble: str, when: datetime) -> Path:
    """Give a database, with its log, a name that tells; nothing of it is deleted.

    Args:
        path: the file.
        trouble: for its name: `damaged` or `incomplete`.
        when: for its name, too.

    Returns:
        Its new place.

    Raises:
        OSError: it cannot be renamed.
    """
    aside = free(path.with_stem(f"{path.stem}.{trouble}-{when:%Y-%m-%dT%H-%M-%S}"))
    for name in PARTS:
        with suppress(FileNotFoundError):
            part(path, name).rename(part(aside, name))
    sync(path.parent)
    return aside
