"""The record: whether it is whole, and whether there are copies of it."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from companion.data_folder import JOURNAL
from companion.doctor import remedies
from companion.doctor.api import Check, Finding, Unseen, bad, warning
from companion.doctor.checks.storage import is_ours_to_see
from companion.doctor.here import unit_file
from companion.doctor.system import System
from companion.household import HOUSEHOLD, NewerHousehold, NotRemembered, remembered
from companion.installing.files import UNIT_NAME
from companion.record import schema
from companion.record.copies import copies, manifest_of, place_of
from companion.record.reading import Newer, NotARecord, Unreadable, reading_without_a_trace

DAY_S = 86_400
DROP_INS = f"/etc/systemd/system/{UNIT_NAME}.d"
OLD_DAYS = 2
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR})


def _record(system: System) -> Path:
    return system.data / JOURNAL


def _has_record(system: System) -> bool:
    return _has(system, _record(system))


def _has(system: System, path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return not is_ours_to_see(system)  # then the check says that it cannot tell


def _whole(system: System) -> Iterator[Finding]:
    path = _record(system)
    try:
        with reading_without_a_trace(path) as connection:
            (said,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if said != "ok" or not schema.is_whole(connection):
                yield _damaged(system, "its tables are not whole")
    except Newer:
        yield bad(
            "record-newer",
            f"The record {path} was made by a newer version of this program.",
            "Update this program, or go back to what was kept before the upgrade: this lists it.",
            remedies.with_data(system, "restore"),
        )
    except NotARecord:
        yield _damaged(system, "it is no record")
    except Unreadable as error:
        raise Unseen(str(error)) from None
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGE:
            raise Unseen(f"The record cannot be read now ({error}).") from None
        yield _damaged(system, str(error))
    except UnicodeDecodeError:
        yield _damaged(system, "one of its texts is none")
    except PermissionError:
        raise Unseen("The record is for the service's own user.") from None


def _damaged(system: System, why: str) -> Finding:
    return bad(
        "record-damaged",
        f"The record {_record(system)} is damaged ({why}).",
        "Start the service anew: it sets the record aside and goes on from the newest copy.",
        remedies.restart(system),
    )


def _has_household(system: System) -> bool:
    return _has(system, system.data / HOUSEHOLD)


def _household(system: System) -> Iterator[Finding]:
    path = system.data / HOUSEHOLD
    try:
        if not system.probes.may(path, os.R_OK):
            raise Unseen("The household is for the service's own user.")
        if path.with_name(f"{path.name}-journal").exists():
            raise Unseen("The household is being written now.")
        remembered(path)
    except NewerHousehold:
        yield bad(
            "household-newer",
            f"The household {path} was made by a newer version of this program.",
            "Update this program, or go back to what was kept before the upgrade: this lists it.",
            remedies.with_data(system, "restore"),
        )
    except NotRemembered as error:
        yield warning(
            "household-damaged",
            str(error),
            "Start the service: it sets the file aside and goes on from the newest copy.",
            remedies.restart(system),
        )


def _copies(system: System) -> Iterator[Finding]:
    path = _record(system)
    try:
        found = copies(system.data)
        written = max(
            part.stat().st_mtime
            for part in (path, path.with_name(f"{path.name}-wal"))
            if part.exists() and part.stat().st_size  # a log that is empty says when it was made
        )
        newest = max((copy.stat().st_mtime for copy in found), default=None)
        told = manifest_of(place_of(found[0])) if found else None
        # A link that leads nowhere has a time of its own.
        began = min(each.lstat().st_mtime for each in system.data.iterdir())
    except PermissionError:
        raise Unseen("The copies of the record are for the service's own user.") from None
    if told is not None and told.damaged:
        yield warning(
            "record-game-damaged",
            f"When the newest copy was taken, this was damaged in the record: {told.damaged}.",
            "Play on, the other games are whole; or go back to the copy of before, which is kept "
            "as before-damage and lacks what was played since: this lists the copies.",
            remedies.with_data(system, "restore"),
        )
    # Compared with each other, and not with a clock that may be wrong.
    days = (written - (began if newest is None else newest)) / DAY_S
    if days > OLD_DAYS:
        yield warning(
            "copies-old",
            f"The newest copy of the record is {days:.0f} days older than the record."
            if newest is not None
            else f"In {days:.0f} days no copy of the record was made.",
            "Make one now; the service makes one at each start, if the disk has room.",
            remedies.with_data(system, "backup"),
        )


def _has_place(system: System) -> bool:
    return _place(system) is not None


def _place(system: System) -> Path | None:
    """The other place that the settings name for copies."""
    config = system.settings.config
    return None if config is None else config.backup.folder


def _elsewhere(system: System) -> Iterator[Finding]:
    place = _place(system)
    if place is None:
        return
    if not system.probes.may(place, os.R_OK | os.W_OK | os.X_OK):
        if not is_ours_to_see(system):
            raise Unseen("The other place for copies is for the service's own user.")
        yield _away(system, place)
    elif _is_shut(system, place):
        yield warning(
            "copies-shut",
            f"systemd lets the service write in its data folder alone, so no copy of the record is "
            f"made in {place}.",
            "Let it write there, too, by a drop-in of its unit.",
            f"printf '[Service]\\nReadWritePaths=-%s\\n' {shlex.quote(str(place))} | sudo install -D "
            f"-m 644 /dev/stdin {DROP_INS}/copies.conf && sudo systemctl daemon-reload && "
            f"{remedies.restart(system)}",
        )


def _away(system: System, place: Path) -> Finding:
    try:
        there = place.exists()
    except PermissionError:
        there = True
    if there:
        return warning(
            "copies-denied",
            f"{system.user.name} may not write {place}, so no copy of the record is made there.",
            "Give it to that user; a stick that cannot be written at all wants another one.",
            remedies.give(system, place),
        )
    return warning(
        "copies-away",
        f"There is no folder {place}, so no copy of the record is made there.",
        "Plug in the stick that it is on, or make the folder there once.",
        f"ls -ld {shlex.quote(str(place))}; lsblk -f",
    )


def _is_shut(system: System, place: Path) -> bool:
    """Whether the unit of the service keeps it from writing there."""
    unit = unit_file(system.root)
    if unit is None:
        return False
    parts = [unit, *system.glob(f"{DROP_INS}/*.conf")]
    lines = "\n".join(system.text(system.name(part)) or "" for part in parts)
    if not re.search(r"^ProtectSystem=strict", lines, re.MULTILINE):
        return False
    told = re.findall(r"^ReadWritePaths=(.*)$", lines, re.MULTILINE)
    may = [Path(word.lstrip("-+").strip('"')) for words in told for word in words.split()]
    return not any(place.is_relative_to(folder) for folder in (system.data, *may))


CHECKS = (
    Check("record", "the record is whole", ("record-newer", "record-damaged"), _whole, _has_record),
    Check(
        "household",
        "what is remembered of people and devices",
        ("household-newer", "household-damaged"),
        _household,
        _has_household,
    ),
    Check(
        "copies",
        "there are copies of the record",
        ("record-game-damaged", "copies-old"),
        _copies,
        _has_record,
    ),
    Check(
        "copies-elsewhere",
        "copies of the record can be made at the other place, too",
        ("copies-away", "copies-denied", "copies-shut"),
        _elsewhere,
        _has_place,
    ),
)
