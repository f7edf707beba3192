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
from urllib.parse import quote

from companion.clocks import CLOCK_KNOWN_FROM, Clocks, machine_clocks
from companion.data_folder import JOURNAL, SETTINGS
from companion.household import HOUSEHOLD
from companion.record import files, manifest
from companion.record.backup_section import Backup
from companion.record.files import belong, sync, to_read
from companion.record.manifest import MANIFEST, Manifest, NoManifest

log = logging.getLogger(__name__)

FOLDER = "backups"
NEWEST = 3
"""So many copies are kept, of whatever day."""
DAYS = Backup().kept
"""And of so many days the newest one."""
PAGES_A_STEP = 256
"""One MiB at the usual page size: a few milliseconds of a slow card."""
PARTIAL = "partial"
"""A copy while it is made, or while it goes."""
_NAME = re.compile(r"copy-(\d{6,})|table-(\d{6,})\.sqlite")
"""A copy, or one of version 0.1: the record alone."""
_NEVER_GO = re.compile(r"before-(version|household|restore)-\d+(-\d+)?")


def copies(folder: Path) -> list[Path]:
    """The records in the copies of a data folder, newest first.

    Those before an upgrade or a restoration are not among them (see `kept_for_ever`).
    """
    return [path for _, path in _numbered(folder)]


def kept_for_ever(folder: Path) -> list[Path]:
    """The folders of what was kept before upgrades and restorations, sorted by name."""
    there = (folder / FOLDER).glob("before-*")
    return sorted(path for path in there if _NEVER_GO.fullmatch(path.name) and path.is_dir())


def place_of(record: Path) -> Path:
    """The copy that this record belongs to: its folder, or the record of version 0.1 itself."""
    return record.parent if _NAME.fullmatch(record.parent.name) else record


def next_number(folder: Path) -> int:
    """The number of the next copy; also what is left of one without its record has its number."""
    return 1 + max((number for number, _ in _named(folder)), default=0)


def _numbered(folder: Path) -> list[tuple[int, Path]]:
    return sorted((each for each in _named(folder) if each[1].is_file()), reverse=True)


def _named(folder: Path) -> Iterator[tuple[int, Path]]:
    for path in (folder / FOLDER).glob("*"):
        if match := _NAME.fullmatch(path.name):
            yield int(match[1] or match[2]), path / JOURNAL if match[1] else path


def take_copy(
    record: Path,
    pause: Callable[[], None] = lambda: None,
    *,
    why: str = "start",
    days: int = DAYS,
    clocks: Clocks | None = None,
) -> Path | None:
    """Copy the record, and what lies beside it; the oldest copies go.

    Args:
        record: the file; others may write to it meanwhile.
        pause: called after each step, to wait, or to raise when the copy is given up.
        why: `start`, `day`, `game`.
        days: of so many days the newest copy is kept, beside the newest three.
        clocks: of the machine, else.

    Returns:
        The record in it; None when the newest copy is as new, and can be understood.

    Raises:
        sqlite3.Error, OSError, ValueError: no copy was made; those there were are kept.
    """
    home = record.parent
    former = copies(home)
    if former and manifest_of(place_of(former[0])) and _state(record) == _state(former[0]):
        return None
    with begun(home) as partial:
        gather(home, partial, why, pause, clocks or machine_clocks())
    whole = name(partial, f"copy-{next_number(home):06}")
    thin_out(home, days)
    return whole / JOURNAL


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
        for former in kept_for_ever(home):
            told = manifest_of(former)
            if told and told.files[JOURNAL] == made.files[JOURNAL]:
                shutil.rmtree(partial)
                return former
    return name(partial, free_name(home, f"before-{what}"))


def free_name(folder: Path, wanted: str) -> str:
    """This name for what is kept for ever, with a number where there is one already."""
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
    _remove(partial)
    _remove(backups / "partial.sqlite")  # as version 0.1 called it
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


def describe(into: Path, why: str, pause: Callable[[], None], clocks: Clocks) -> Manifest:
    """Write the manifest of the files in a folder.

    Raises:
        sqlite3.Error, OSError: something could not be read or written.
    """
    there = [into / each for each in manifest.KEPT_FILES if (into / each).exists()]
    made = replace(
        told_of(into / JOURNAL, why, clocks),
        files={path.name: manifest.contents(path, pause) for path in there},
    )
    path = into / MANIFEST
    path.touch(mode=0o600)
    path.write_text(made.to_json(), encoding="utf-8")
    for each in (*there, path):
        belong(each, into)
    sync(path)
    sync(into)
    return made


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


def _state(record: Path) -> object:
    """What differs between two states of a data folder; another object where it cannot be read.

    Its newest game's end, its tags, its household and its settings.
    """
    try:
        with closing(to_read(record)) as connection:
            newest = connection.execute(
                "SELECT number, row, hash FROM game JOIN head ON game = id"
                " ORDER BY number DESC LIMIT 1"
            ).fetchone()
            tags = connection.execute("SELECT * FROM tag ORDER BY uid").fetchall()
    except (sqlite3.Error, ValueError):  # a text that is none is the latter
        return object()
    household = record.with_name(HOUSEHOLD)
    things: object = None
    try:
        if household.exists():
            with closing(to_read(household)) as connection:
                things = connection.execute("SELECT * FROM thing ORDER BY key").fetchall()
        settings = record.with_name(SETTINGS)
        return newest, tags, things, settings.read_bytes() if settings.exists() else None
    except (sqlite3.Error, OSError, ValueError):
        return newest, tags, None, None


def thin_out(folder: Path, days: int) -> None:
    """Let the copies go that are none of the newest three, nor the newest of one of so many days."""
    kept_days: list[str] = []
    for place, record in enumerate(copies(folder)):
        copy = place_of(record)
        day = _day(copy)
        last_of_its_day = day not in kept_days and len(kept_days) < days
        if last_of_its_day:
            kept_days.append(day)
        if place >= NEWEST and not last_of_its_day:
            _let_go(copy)


def _day(copy: Path) -> str:
    """The day that a copy counts for."""
    told = manifest_of(copy)
    return told.day if told else "unknown"


def _let_go(copy: Path) -> None:
    """Delete a copy; one of which half is left bears its name no more."""
    if copy.is_dir():
        partial = copy.with_name(PARTIAL)
        _remove(partial)
        copy.rename(partial)
        _remove(partial)
    else:
        copy.unlink()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def checkpoint(record: Path) -> None:
    """Bring the log into the database file, as far as nobody is in the way.

    Raises:
        sqlite3.Error: it could not be done; the log has all of it as before.
    """
    place = f"file:{quote(str(record))}?mode=rw"
    with closing(sqlite3.connect(place, uri=True, timeout=0, isolation_level=None)) as connection:
        # The first lets others write meanwhile; then little is left for the one that does not.
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def mirror(folder: Path, elsewhere: Path, days: int) -> Path | None:
    """Have the newest copy of a data folder in another place, too; the oldest ones there go.

    What is kept before upgrades and restorations comes along. Each table has a folder of its
    own there, in which copies are counted anew: so a table that began again after its card
    was lost pushes out nothing of the one before.

    Args:
        folder: the data folder.
        elsewhere: a folder that is there, such as one on a USB stick.
        days: see `take_copy`.

    Returns:
        The folder there; None while there is no copy yet.

    Raises:
        OSError: it could not be written; copies there are whole all the same.
    """
    understood = [place for place in map(place_of, copies(folder)) if manifest_of(place)]
    newest = understood[:1]
    told = manifest_of(newest[0]) if newest else None
    if told is None:
        return None
    home = elsewhere / f"table-{told.table[:8]}"
    home.mkdir(mode=0o700, exist_ok=True)
    there = [manifest_of(place_of(record)) for record in copies(home)[:1]]
    there += [manifest_of(path) for path in kept_for_ever(home)]
    for copy in (*kept_for_ever(folder), *newest):
        told = manifest_of(copy)
        if told is None or told in there:
            continue
        with begun(home) as partial:
            for each in copy.iterdir():
                files.copy(each, partial / each.name)
            sync(partial)
        counted = copy in newest
        name(partial, f"copy-{next_number(home):06}" if counted else free_name(home, told.why))
    thin_out(home, days)
    return home


def manifest_of(copy: Path) -> Manifest | None:
    """The manifest of a copy; None where there is none that can be understood."""
    try:
        return manifest.read(copy) if copy.is_dir() else None
    except (NoManifest, OSError):
        return None
