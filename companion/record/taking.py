"""The turn of the copies: one is taken and looked at, the oldest go, and another place gets them.

A copy in which something is damaged never pushes out the newest one that has it whole: that one
is kept apart, where no turn reaches it.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from companion.clocks import Clocks, machine_clocks
from companion.data_folder import JOURNAL, SETTINGS
from companion.errors import PlainError
from companion.household import HOUSEHOLD
from companion.record import files, manifest
from companion.record.backup_section import Backup
from companion.record.copies import (
    PARTIAL,
    begun,
    copies,
    free_name,
    gather,
    kept_apart,
    kind_of,
    manifest_of,
    name,
    next_number,
    place_of,
    remove,
    tell,
)
from companion.record.files import sync, to_read
from companion.record.journal import UNREADABLE
from companion.record.reading import damage_of, has_all, reading, reading_without_a_trace

log = logging.getLogger(__name__)

NEWEST = 3
"""So many copies are kept, of whatever day."""
DAYS = Backup().kept
"""And of so many days the newest one."""


def take_copy(
    record: Path,
    pause: Callable[[], None] = lambda: None,
    *,
    why: str = "start",
    days: int = DAYS,
    clocks: Clocks | None = None,
) -> Path | None:
    """Copy the record and what lies beside it, and look at the copy; the oldest copies go.

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
    number = next_number(home)
    with begun(home) as partial:
        made = gather(home, partial, why, pause, clocks or machine_clocks())
        damage = damage_of(partial / JOURNAL, pause)
        if damage:
            tell(partial, replace(made, damaged=damage))
            kept = _keep_the_whole(home, damage, f"before-damage-{number}")
            log.warning("The record is damaged: %s. Play goes on.%s", damage, kept)
    whole = name(partial, f"copy-{number:06}")
    thin_out(home, days)
    return whole / JOURNAL


def _keep_the_whole(folder: Path, damage: str, wanted: str) -> str:
    """Keep the newest copy that is as it was taken and has not this damage; a sentence of it.

    Args:
        folder: the data folder.
        damage: in words.
        wanted: the name under which it is kept.
    """
    for record in copies(folder):
        copy = place_of(record)
        told = manifest_of(copy)
        if told is None or manifest.contents(record) != told.files[JOURNAL]:
            continue
        if told.damaged == damage:
            return ""  # it was kept when the damage was new
        if not told.damaged and damage_of(record):
            continue  # it was taken before copies were looked at
        kept = name(copy, free_name(folder, wanted))
        return f" The newest copy without that was kept as {kept}: companion restore lists it."
    return " There is no copy without that."


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
    _thin_out_apart(folder)


def _thin_out_apart(folder: Path) -> None:
    """Of what was kept before upgrades and restorations the newest three of each kind stay.

    Of the others one that has a game, or more of one, than the newest copy has, stays all the same.
    """
    newest = next(iter(copies(folder)), None)
    told = None if newest is None else manifest_of(place_of(newest))
    if newest is None or told is None or told.damaged:
        return
    for kind, kept in groupby(kept_apart(folder), kind_of):
        for place in [] if kind == "damage" else [*kept][:-NEWEST]:
            if _has_all_of(newest, place / JOURNAL):
                _let_go(place)


def _has_all_of(newest: Path, kept: Path) -> bool:
    try:
        with reading(newest) as connection, reading_without_a_trace(kept) as former:
            return has_all(connection, former)
    except (PlainError, *UNREADABLE):
        return False  # nobody can tell


def _day(copy: Path) -> str:
    """The day that a copy counts for."""
    told = manifest_of(copy)
    return told.day if told else "unknown"


def _let_go(copy: Path) -> None:
    """Delete a copy; one of which half is left bears its name no more."""
    if copy.is_dir():
        partial = copy.with_name(PARTIAL)
        remove(partial)
        copy.rename(partial)
        remove(partial)
    else:
        copy.unlink()


def mirror(folder: Path, elsewhere: Path, days: int) -> Path | None:
    """Have the newest copy of a data folder in another place, too; the oldest ones there go.

    What was kept before upgrades and damage comes along. Each table has a folder of its
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
    there += [manifest_of(path) for path in kept_apart(home)]
    for copy in (*kept_apart(folder), *newest):
        told = manifest_of(copy)
        if told is None or told in there:
            continue
        with begun(home) as partial:
            for each in copy.iterdir():
                files.copy(each, partial / each.name)
            sync(partial)
        counted = copy in newest
        name(partial, f"copy-{next_number(home):06}" if counted else free_name(home, copy.name))
    thin_out(home, days)
    return home
