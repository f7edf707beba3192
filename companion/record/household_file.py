"""The household's file at the start: one that is damaged gives way to its last good copy."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

from companion.clocks import Clocks
from companion.data_folder import JOURNAL
from companion.household import (
    HOUSEHOLD,
    HOUSEHOLD_VERSION,
    Household,
    NotRemembered,
    NotWritable,
    remembered,
    version_of,
)
from companion.record import copies, files

log = logging.getLogger(__name__)


def household_of(folder: Path, clocks: Clocks) -> Household:
    """What the household remembers; a file that cannot be read is set aside, never deleted.

    Args:
        folder: the data folder.
        clocks: for the name of what is set aside.

    Raises:
        NewerHousehold: it was made by a newer version of this program.
        NotRemembered, OSError: it cannot be read, and nothing could be done about it.
        NotWritable: the disk does not take it.
    """
    path = folder / HOUSEHOLD
    lost = emptied(folder)
    if lost is not None:
        files.put(lost, path)
        log.warning(
            "The household's file %s was empty. The last good copy, %s, goes on.", path, lost
        )
    version = version_of(path)
    if version is not None and version < HOUSEHOLD_VERSION:
        _keep_as_it_was(folder)
    try:
        return Household(path)
    except NotRemembered as fault:
        aside = files.set_aside(path, "damaged", clocks.wall())
        instead = _copy(folder)
        if instead is None:
            goes_on = "There is no good copy, so a new one begins, and everybody joins again"
        else:
            files.put(instead, path)
            goes_on = f"The last good copy, {instead}, goes on"
        log.warning("%s It was set aside as %s. %s.", fault, aside, goes_on)
        return Household(path)


def emptied(folder: Path) -> Path | None:
    """The copy that an empty household gives way to; None where there is more, or never was."""
    path = folder / HOUSEHOLD
    if not path.is_file() or path.stat().st_size:
        return None
    copy = _copy(folder)
    return copy if copy is not None and version_of(copy) is not None else None


def _keep_as_it_was(folder: Path) -> None:
    """The way back: what moves from here into the settings an older program would miss."""
    try:
        kept = copies.keep_before(folder / JOURNAL, f"household-{HOUSEHOLD_VERSION}")
    except (sqlite3.Error, OSError) as error:
        raise NotWritable(
            f"The household in {folder} is of an older version, and no copy of it could be made "
            f"before it is brought on ({error}): make room, then try again; it is as it was."
        ) from error
    log.info("The household is brought on to a newer version; as it was it lies in %s.", kept)


def _copy(folder: Path) -> Path | None:
    """The newest copy of the household that can be read."""
    for record in copies.copies(folder):
        copy = record.with_name(HOUSEHOLD)
        if copies.place_of(record).is_dir() and copy.exists():
            try:
                remembered(copy)
            except NotRemembered:
                continue
            return copy
    return None
