"""Copies of what a data folder keeps, for the day on which it is damaged.

A copy is a folder in `backups/`: the record, the household, the settings, and a manifest with
checksums. Databases are copied by SQLite's online backup, in a connection of its own, in small
steps: the table goes on writing meanwhile. It bears its name only when it is whole and on the
disk.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from companion.clocks import CLOCK_KNOWN_FROM, Clocks, machine_clocks
from companion.data_folder import COPIES, JOURNAL, SETTINGS
from companion.household import HOUSEHOLD
from companion.record import files, manifest
from companion.record.files import belong, sync, to_read
from companion.record.manifest import MANIFEST, Manifest, NoManifest

log = logging.getLogger(__name__)

FOLDER = COPIES
PAGES_A_STEP = 256
"""One MiB at the usual page size: a few milliseconds of a slow card."""
PARTIAL = "partial"
"""A copy while it is made, or while it goes."""
_NAME = re.compile(r"copy-(\d{6,})|table-(\d{6,})\.sqlite")
"""A copy, or one of version 0.1: the record alone."""
_APART = re.compile(r"before-(version|household|restore|damage)-(\d+)(?:-(\d+))?")
"""What was kept before what: an upgrade, a restoration, or the first copy with some damage."""


def copies(folder: Path) -> list[Path]:
    """The records in the copies of a data folder, newest first.

    Those that were kept apart are not among them (see `kept_apart`).
    """
    return [path for _, path in _numbered(folder)]


def kept_apart(folder: Path) -> list[Path]:
    """The folders that no later copy pushes out; of each kind the oldest first."""
    found = [
        (match[1], int(match[2]), int(match[3] or 1), path)
        for path in (folder / FOLDER).glob("before-*")
        if (match := _APART.fullmatch(path.name)) and path.is_dir()
    ]
    return [path for *_, path in sorted(found)]


def kind_of(kept: Path) -> str:
    """Before what it was kept: `version`, `household`, `restore` or `damage`."""
    return kept.name.split("-")[1]


def place_of(record: Path) -> Path:
    """The copy that this record belongs to: its folder, or the record of version 0.1 itself."""
    home = record.parent
    return home if _NAME.fullmatch(home.name) or _APART.fullmatch(home.name) else record


def next_number(folder: Path) -> int:
    """The number of the next copy; also what is left of one without its record has its number."""
    return 1 + max((number for number, _ in _named(folder)), default=0)


def _numbered(folder: Path) -> list[tuple[int, Path]]:
    return sorted((each for each in _named(folder) if each[1].is_file()), reverse=True)


def _named(folder: Path) -> Iterator[tuple[int, Path]]:
    for path in (folder / FOLDER).glob("*"):
        if match := _NAME.fullmatch(path.name):
            yield int(match[1] or match[2]), path / JOURNAL if match[1] else path


def keep_before(record: Path, what: str, pause: Callable[[], None] = lambda: None) -> Path:
    """Copy what a data folder has, under a name that says before what; no later copy pushes it out.

    Args:
        record: the file.
        what: such as `version-3`.
        pause: called after each step.

    Returns:
        The copy's folder; one that is there already with the same record is left as it is.

    Raises:
        sqlite3.Error, OSError: no copy was made.
    """
    home = record.parent
    with begun(home) as partial:
        made = gather(home, partial, f"before-{what}", pause, machine_clocks())
        for former in kept_apart(home):
            told = manifest_of(former)
            if told and told.files[JOURNAL] == made.files[JOURNAL]:
                shutil.rmtree(partial)
                return former
    return name(partial, free_name(home, f"before-{what}"))


def free_name(folder: Path, wanted: str) -> str:
    """This name for what is kept apart, with a number where there is one already."""
    return files.free(folder / FOLDER / wanted).name


@contextmanager
def begun(folder: Path) -> Iterator[Path]:
    """An empty folder in which a copy is made; what was left of one goes.

    When it is given up, or fails, nothing is left of it: a full disk needs the room.

    Raises:
        OSError: it cannot be made.
    """
    backups = folder / FOLDER
    if not backups.is_dir():
        backups.mkdir(mode=0o700)
        belong(backups, folder)
    partial = backups / PARTIAL
    remove(partial)
    remove(backups / "partial.sqlite")  # as version 0.1 called it
    partial.mkdir(mode=0o700)
    belong(partial, folder)
    try:
        yield partial
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def name(partial: Path, wanted: str) -> Path:
    """Give a copy that is whole its name."""
    whole = partial.with_name(wanted)
    partial.rename(whole)
    sync(whole.parent)
    return whole


def gather(home: Path, into: Path, why: str, pause: Callable[[], None], clocks: Clocks) -> Manifest:
    """Copy the record, the household and the settings of a data folder, and say what they are.

    Args:
        home: the data folder; others may write to it meanwhile.
        into: an empty folder, which is whole and on the disk when this returns.
        why: see `Manifest`.
        pause: called after each step.
        clocks: for the manifest.

    Raises:
        sqlite3.Error, OSError: something could not be read or written.
    """
    copy_database(home / JOURNAL, into / JOURNAL, pause)
    if (home / HOUSEHOLD).exists():
        try:
            copy_database(home / HOUSEHOLD, into / HOUSEHOLD, pause)
        except sqlite3.Error as error:
            # The games are more: a household that cannot be read does not keep them out.
            log.warning("The household is not in the copy of the record (%s).", error)
            (into / HOUSEHOLD).unlink(missing_ok=True)
    if (home / SETTINGS).exists():
        files.copy(home / SETTINGS, into / SETTINGS)
    return describe(into, why, pause, clocks)


def describe(
    into: Path, why: str, pause: Callable[[], None], clocks: Clocks, damaged: str = ""
) -> Manifest:
    """Write the manifest of the files in a folder.

    Raises:
        sqlite3.Error, OSError: something could not be read or written.
    """
    there = [into / each for each in manifest.KEPT_FILES if (into / each).exists()]
    made = replace(
        told_of(into / JOURNAL, why, clocks),
        files={path.name: manifest.contents(path, pause) for path in there},
        damaged=damaged,
    )
    for each in there:
        belong(each, into)
    tell(into, made)
    return made


def tell(into: Path, told: Manifest) -> None:
    """Write the manifest of a copy, and have it on the disk.

    Raises:
        OSError: it cannot be written.
    """
    path = into / MANIFEST
    path.touch(mode=0o600)
    path.write_text(told.to_json(), encoding="utf-8")
    belong(path, into)
    sync(path)
    sync(into)


def told_of(record: Path, why: str, clocks: Clocks) -> Manifest:
    """The manifest of a record, without its files.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    with closing(to_read(record)) as connection:
        table = connection.execute("SELECT value FROM about WHERE name = 'table'").fetchone()
        (games,) = connection.execute("SELECT count(*) FROM game").fetchone()
        (tags,) = connection.execute("SELECT count(*) FROM tag").fetchone()
        row = connection.execute(
            "SELECT rules, players FROM game ORDER BY number DESC LIMIT 1"
        ).fetchone()
    wall = clocks.wall()
    day = f"{wall:%Y-%m-%d}"
    return Manifest(
        taken=wall.isoformat(timespec="seconds"),
        day=day if day >= CLOCK_KNOWN_FROM else f"boot {clocks.boot}",
        why=why,
        program=version("tidetable"),
        table="" if table is None else str(table[0]),
        games=games,
        newest="" if row is None else _in_words(*row),
        tags=tags,
    )


def _in_words(game: str, players: str) -> str:
    try:
        return f"{game} with {', '.join(map(str, json.loads(players)))}"
    except (ValueError, TypeError):  # a damaged game; `companion verify` says more of it
        return game


def time_of(path: Path) -> str:
    """When a file was written, as manifests have it."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")


def copy_database(path: Path, copy: Path, pause: Callable[[], None]) -> None:
    """Copy a database that others may write to, in small steps.

    Raises:
        sqlite3.Error, OSError: it cannot be read or written.
    """
    copy.touch(mode=0o600)

    def after_step(status: int, remaining: int, total: int) -> None:
        del status, total
        if remaining:
            sync(copy)  # else the table's own small write would wait behind all of these
            pause()

    with (
        closing(to_read(path, held=True)) as source,
        closing(sqlite3.connect(copy, isolation_level=None)) as made,
    ):
        # Within one transaction nobody else's write makes the copy begin anew.
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        # Nothing but the end matters: the name comes when all is on the disk.
        made.execute("PRAGMA synchronous = OFF")
        source.backup(made, pages=PAGES_A_STEP, progress=after_step)
        made.execute("PRAGMA journal_mode = DELETE")
    sync(copy)


def remove(path: Path) -> None:
    """Delete a file or a folder, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def checkpoint(record: Path) -> None:
    """Bring the log into the database file, as far as nobody is in the way.

    Raises:
        sqlite3.Error: it could not be done; the log has all of it as before.
    """
    place = files.uri(record, "rw")
    with closing(sqlite3.connect(place, uri=True, timeout=0, isolation_level=None)) as connection:
        # The first lets others write meanwhile; then little is left for the one that does not.
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def manifest_of(copy: Path) -> Manifest | None:
    """The manifest of a copy; None where there is none that can be understood."""
    try:
        return manifest.read(copy) if copy.is_dir() else None
    except (NoManifest, OSError):
        return None
