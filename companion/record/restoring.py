"""Going back to a backup or a copy; what was there is set aside, never deleted.

First all of it is laid down beside the present files and checked. Then a plan is written: with
that the step is taken. A service or a command that finds a plan carries it out to the end, however
often it was killed: what was laid down becomes the newest copy, and it comes back. So a data folder
has the old or the new.
"""

from __future__ import annotations

import errno
import json
import logging
import shutil
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.clocks import Clocks
from companion.data_folder import JOURNAL, SETTINGS, Hold
from companion.errors import PlainError
from companion.household import HOUSEHOLD, NewerHousehold, NotRemembered, remembered
from companion.record import backup, copies, files, manifest
from companion.record.journal import RUNS_AHEAD, UNREADABLE
from companion.record.manifest import MANIFEST, Manifest, NoManifest
from companion.record.reading import Newer, damaged_games, reading

log = logging.getLogger(__name__)

PLAN = "restoring.json"
_OF_A_PLAN = {"copy", "aside", "moved"}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
LATEST = "latest"
_NO_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, struct.error, ValueError)
"""What the reading of a damaged ZIP file ends with."""


class NotRestorable(PlainError):
    """It cannot be restored; nothing was touched."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored.

    Attributes:
        told: what is in it.
        aside: where that which was there lies now; None where nothing was.
    """

    told: Manifest
    aside: Path | None


def named(folder: Path, what: str) -> Path:
    """What people mean by a word: `latest`, the name of a copy, or a path.

    Raises:
        NotRestorable: it is nothing.
    """
    if what == LATEST:
        found = copies.copies(folder)
        if not found:
            raise NotRestorable(f"There is no copy in {folder / copies.FOLDER} yet.")
        return copies.place_of(found[0])
    path = Path(what)
    if path.name == what and (folder / copies.FOLDER / what).exists():
        return folder / copies.FOLDER / what
    try:
        if path.is_dir():
            next(path.iterdir(), None)  # what may not be read is told here
            return path
        if path.is_file():
            return path
    except OSError as error:
        raise _unread(path, error) from error
    raise NotRestorable(
        f"There is no backup {what}: name a file, a folder, {LATEST}, or one of those that "
        "companion restore lists."
    )


def lay_out(source: Path, into: Path, clocks: Clocks) -> Manifest:
    """Lay down all of a backup, copy or data folder, and check it wholly.

    Games before the newest that are damaged do not keep it from that: whoever has nothing else
    has the other games. The manifest tells which.

    Args:
        source: the file or the folder; it is only read.
        into: an empty folder.
        clocks: for what has no manifest.

    Raises:
        NotRestorable: something in it is not as it was written, or is of a newer version.
    """
    try:
        told = _lay_out(source, into, clocks)
        _check_sums(source, told, into)
        damaged = _check(source, into)
    except NoManifest as fault:
        raise NotRestorable(f"{source} cannot be restored. {fault}") from fault
    except (*_NO_ZIP, *UNREADABLE) as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            raise _no_room(source, into) from error
        raise NotRestorable(f"{source} is damaged or no backup ({error}).") from error
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise _no_room(source, into) from error
        raise _unread(source, error) from error
    return replace(told, damaged=damaged)


def _unread(source: Path, error: OSError) -> NotRestorable:
    instead = ""
    if isinstance(error, PermissionError):
        instead = (
            " Who does this may not read it, and with sudo that is the table's own user: put a "
            "copy where everybody may read it, such as /tmp, and delete that one afterwards."
        )
    return NotRestorable(f"{source} cannot be read ({error.strerror or error}).{instead}")


def _no_room(source: Path, into: Path) -> NotRestorable:
    return NotRestorable(
        f"There is no room for what is in {source} beside what is there, in {into.parent}: make "
        "room, then try again. Nothing was changed."
    )


def look_at(copy: Path) -> str:
    """Check a copy where it lies; what `damaged_games` says of it.

    Raises:
        NotRestorable: something in it is not as it was written, or is of a newer version.
    """
    try:
        told = manifest.read(copy) if copy.is_dir() else None
        if told is not None:
            _check_sums(copy, told, copy)
        return _check(copy, copy)
    except NoManifest as fault:
        raise NotRestorable(f"{copy} cannot be restored. {fault}") from fault
    except UNREADABLE as error:
        raise NotRestorable(f"{copy} is damaged ({error}).") from error
    except OSError as error:
        raise NotRestorable(f"{copy} cannot be read ({error.strerror or error}).") from error


def _check_sums(source: Path, told: Manifest, there: Path) -> None:
    for name, contents in told.files.items():
        if manifest.contents(there / name) != contents:
            raise NotRestorable(f"{source} is damaged: {name} is not as it was written.")


def _lay_out(source: Path, into: Path, clocks: Clocks) -> Manifest:
    if source.is_dir():
        told = manifest.read(source)
        if told is None:
            if not (source / JOURNAL).is_file():
                raise NotRestorable(f"The folder {source} has no record, {JOURNAL}, in it.")
            (source / JOURNAL).open("rb").close()  # SQLite does not say that it is forbidden
            return copies.gather(source, into, "restored", lambda: None, clocks)
        for name in told.files:
            files.copy(source / name, into / name)
        return told
    with source.open("rb") as file:
        start = file.read(len(files.SQLITE))
    if start == files.SQLITE:  # a copy of version 0.1, or a record that somebody carried away
        copies.copy_database(source, into / JOURNAL, lambda: None)
        return copies.describe(into, "restored", lambda: None, clocks)
    return backup.unpack(source, into)


def _check(source: Path, laid_out: Path) -> str:
    """Look at all of what was laid out, as this program reads it; see `damaged_games`."""
    record = laid_out / JOURNAL if laid_out.is_dir() else laid_out
    try:
        with reading(record) as connection:
            damaged = damaged_games(connection)
    except Newer:
        raise _newer("record", source) from None
    except PlainError as fault:
        raise NotRestorable(
            f"The record in {source} is damaged: {f'{fault}'.rstrip('.')}."
        ) from fault
    try:
        remembered(record.with_name(HOUSEHOLD))
    except NewerHousehold:
        raise _newer("household", source) from None
    except NotRemembered as fault:
        raise NotRestorable(f"The household in {source} is damaged. {fault}") from fault
    return damaged


def _newer(what: str, source: Path) -> NotRestorable:
    return NotRestorable(
        f"The {what} in {source} was made by a newer version of this program: update this one, "
        "then restore it."
    )


def restored(folder: Path, source: Path, clocks: Clocks) -> Restored:
    """Go back to a backup, a copy or a data folder. The data folder is held by the caller.

    Raises:
        NotRestorable: nothing was touched.
        OSError: the disk does not take it; nothing was touched, or `finish` goes on.
    """
    finish(folder)
    with copies.begun(folder) as partial:
        damaged = lay_out(source, partial, clocks).damaged
        _count_on(folder / JOURNAL, partial / JOURNAL)
        # The times are those of the source: a list of copies is to tell of what they are.
        told = copies.describe(partial, "restored", lambda: None, clocks, damaged)
    number = copies.next_number(folder)
    moved = [
        name
        for kept in told.files
        for each in (files.PARTS if kept != SETTINGS else ("",))
        if (folder / (name := f"{kept}{each}")).exists()
    ]
    aside = copies.free_name(folder, f"before-restore-{number}") if moved else ""
    plan = {"copy": f"copy-{number:06}", "aside": aside, "moved": moved}
    new = files.unfinished(folder / PLAN)
    try:
        new.write_text(json.dumps(plan), encoding="utf-8")
        files.finish(folder / PLAN)
    except OSError:
        if not (folder / PLAN).exists():
            new.unlink(missing_ok=True)
            shutil.rmtree(partial, ignore_errors=True)
        raise
    finish(folder)
    return Restored(told, folder / copies.FOLDER / aside if aside else None)


def finish_before_a_start(folder: Path) -> None:
    """As `finish`, for who is about to read the settings in this folder and holds nothing yet.

    Raises:
        DataFolderError, OSError: it could not be done.
    """
    if (folder / PLAN).exists():
        with Hold(folder, "companion restore"):
            finish(folder)


def finish(folder: Path) -> str | None:
    """Carry out what a restoration planned before it was killed; the copy that is back.

    Raises:
        OSError: the disk does not take it; it is to be tried again.
    """
    plan = _plan(folder)
    if plan is None:
        return None
    backups = folder / copies.FOLDER
    copy = backups / str(plan["copy"])
    if not copy.exists():
        copies.name(backups / copies.PARTIAL, copy.name)
    if plan["aside"]:
        aside = backups / plan["aside"]
        if not aside.is_dir():
            aside.mkdir(mode=0o700)
            files.belong(aside, folder)
        for name in plan["moved"]:
            # What lies there already was moved before this was killed: the new one has its name.
            if not (aside / name).exists():
                with suppress(FileNotFoundError):  # a log that somebody brought in meanwhile
                    (folder / name).rename(aside / name)
        files.sync(aside)
        files.sync(folder)
    for name in manifest.KEPT_FILES:
        if (copy / name).exists():
            files.put(copy / name, folder / name)
    (folder / PLAN).unlink()
    files.sync(folder)
    return copy.name


def _plan(folder: Path) -> dict[str, Any] | None:
    """What is to be carried out, and can be; else it is set aside, and what is there goes on."""
    path = folder / PLAN
    try:
        # It is whole when it has its name, unless the disk damaged it since.
        plan: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        places = (folder / copies.FOLDER / plan["copy"], folder / copies.FOLDER / copies.PARTIAL)
        if any((place / JOURNAL).is_file() for place in places) and plan.keys() >= _OF_A_PLAN:
            return plan
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError):
        pass
    aside = path.with_name(f"{path.stem}.damaged{path.suffix}")
    path.rename(aside)
    log.warning(
        "A restoration was begun and cannot be finished, since its plan is damaged (it was set "
        "aside as %s): restore the backup again.",
        aside,
    )
    return None


def _count_on(present: Path, new: Path) -> None:
    """Number the starts on: a page of before must not take the new views for older ones."""
    former, known = _runs(new) or 0, _runs(present)
    runs = former + RUNS_AHEAD if known is None else max(former, known)
    with closing(sqlite3.connect(new)) as connection, connection:
        connection.execute("INSERT OR REPLACE INTO about VALUES ('runs', ?)", (str(runs),))
    files.sync(new)


def _runs(record: Path) -> int | None:
    """How often a record was started; 0 where there is none, None where it cannot be read."""
    if not record.exists():
        return 0
    try:
        with closing(files.to_read(record, held=True)) as connection:
            row = connection.execute("SELECT value FROM about WHERE name = 'runs'").fetchone()
            return 0 if row is None else int(row[0])
    except (*UNREADABLE, ValueError):
        return None


# What there is


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that can be restored.

    Attributes:
        name: as `named` takes it.
        told: what is in it; None where nobody can tell.
    """

    name: str
    told: Manifest | None


def there_is(folder: Path, clocks: Clocks) -> Iterator[Kept]:
    """The copies in a data folder, newest first, then those that were kept apart."""
    places = [copies.place_of(record) for record in copies.copies(folder)]
    for place in (*places, *copies.kept_apart(folder)):
        yield Kept(place.name, copies.manifest_of(place) or _told(place, clocks))


def there_is_below(place: Path, clocks: Clocks) -> Iterator[Kept]:
    """The same in another place, such as a USB stick, and in the folders in it; by their paths.

    First the backups that lie there, the newest first.
    """
    found: list[tuple[str, Kept]] = []
    for file in place.glob("*.zip"):
        with suppress(NoManifest, OSError, *_NO_ZIP):
            told = backup.told_of(file)
            found.append((told.taken, Kept(str(file), told)))
    for _, kept in sorted(found, key=lambda each: each[0], reverse=True):
        yield kept
    for folder in (place, *sorted(place.iterdir())):
        for kept in there_is(folder, clocks):
            yield replace(kept, name=str(folder / copies.FOLDER / kept.name))


def _told(place: Path, clocks: Clocks) -> Manifest | None:
    """What is in a copy without a manifest: one of version 0.1, or what was set aside."""
    record = place / JOURNAL if place.is_dir() else place
    why = place.name.rpartition("-")[0] if place.is_dir() else "start"
    try:
        told = copies.told_of(record, why, clocks)
        there = [each for each in manifest.KEPT_FILES if place.is_dir() and (place / each).exists()]
        sizes = {each: manifest.Contents((place / each).stat().st_size, "") for each in there}
        return replace(told, taken=copies.time_of(record), files=sizes)
    except (OSError, *UNREADABLE):
        return None


def lies_in(place: Path) -> bool:
    """Whether a folder is itself something to restore, and not one that has some in it."""
    return (place / MANIFEST).exists() or (place / JOURNAL).exists()
