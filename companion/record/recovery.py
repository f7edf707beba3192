"""Opening the record of a data folder, whatever became of it.

What is cheap is looked at: the end of the log, the file's shape, and the chain of the newest
game. So a start takes no longer with ten thousand games; `companion verify` looks at all.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from companion.clocks import Clocks
from companion.data_folder import JOURNAL
from companion.errors import PlainError
from companion.record import copies, schema
from companion.record.journal import UNREADABLE, DamagedJournal, Journal, tells_of_damage
from companion.record.reading import Broken, NotARecord, check_chain, games, newest_game, reading
from companion.record.wal import tail_of

SMALL_BYTES = 16 << 20
"""Up to this size the whole file's shape is looked at: some tens of milliseconds."""


MAGIC = b"SQLite format 3\0"
HEADER_BYTES = 100
UNFINISHED = (
    "The last write to the record was not finished when the service ended: it was dropped. All "
    "that was acknowledged before it is there."
)


class Irrecoverable(PlainError):
    """The record is damaged, and nothing could be done about it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A record that can be trusted.

    Attributes:
        journal: open.
        sentences: what people must be told of how it came about; mostly none.
    """

    journal: Journal
    sentences: tuple[str, ...]


def opened(folder: Path, clocks: Clocks) -> Opened:
    """Open the record in this folder, which is held; a damaged one gives way to its last good copy.

    Raises:
        Unreadable: it was made by a newer version.
        JournalError, sqlite3.Error: it is not damaged and cannot be opened all the same.
        Irrecoverable: it cannot even be set aside.
    """
    record = folder / JOURNAL
    try:
        told = _look_at_the_log(record, clocks)
        damage = _damage(record)
        if damage is None:
            try:
                return Opened(_journal(record, clocks), told)
            except DamagedJournal as error:
                damage = str(error.__cause__ or error)
        journal, sentence = _instead(record, clocks)
    except OSError as error:
        raise Irrecoverable(
            f"The record {record} cannot be opened or set aside ({error.strerror}): make room, mend "
            "the disk, or choose another folder with --data."
        ) from error
    return Opened(journal, (*told, f"The record is damaged ({damage}). {sentence}"))


def _journal(record: Path, clocks: Clocks) -> Journal:
    """The record; one that is not there is whole from the moment at which it is."""
    if not record.exists():
        Journal(copies.unfinished(record), clocks).close()
        copies.finish(record)
    return Journal(record, clocks)


def _instead(record: Path, clocks: Clocks) -> tuple[Journal, str]:
    """Set a damaged record aside, and open its last good copy, or a new one."""
    aside = f"It was set aside as {copies.set_aside(record, clocks.wall())}."
    found = copies.copies(record.parent)
    # A copy in which an old game is damaged is still better than none.
    for is_good in (_is_good, lambda copy: _damage(copy) is None):
        for copy in filter(is_good, found):
            copies.restore(copy, record)
            journal = Journal(record, clocks)
            return journal, f"{aside} {_restored(journal, copy)}"
    return _journal(record, clocks), (
        f"{aside} There is no good copy, so a new record begins, without games and tags."
    )


def _restored(journal: Journal, copy: Path) -> str:
    begun = journal.newest()
    if begun is None:
        return f"The last good copy, {copy}, goes on: it has no game yet."
    return (
        f"The last good copy, {copy}, goes on: its newest game is one of {begun.setup.game} with "
        f"{', '.join(begun.setup.players)}. What was played after it is only in the one set aside."
    )


def _damage(record: Path) -> str | None:
    """What is wrong with the record, as far as a quick look tells; None when nothing is."""
    log = record.with_name(record.name + "-wal")
    logged = log.exists() and log.stat().st_size > 0
    if not record.exists():
        return "its log is there without it" if logged else None
    damage = _damaged_shape(record, logged=logged)
    if damage is not None:
        return damage
    try:
        with reading(record) as connection:
            if not schema.is_whole(connection):
                return "its tables are not those of a record"
            if record.stat().st_size <= SMALL_BYTES:
                (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
                if verdict != "ok":
                    return " ".join(str(verdict).split())
            newest = newest_game(connection)
            if newest is not None:
                check_chain(connection, newest)
    except Broken as broken:
        return f"in its newest game {broken}"
    except NotARecord:
        return "it is not a record of this program"
    except UNREADABLE as error:
        if not tells_of_damage(error):
            raise
        return str(error)
    return None


def _damaged_shape(record: Path, *, logged: bool) -> str | None:
    """What the file's length and its first bytes tell; SQLite takes a stump for a new database.

    See "The SQLite Database File Format", section 1.3, "The Database Header".
    """
    length = record.stat().st_size
    with record.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if length == 0:
        return "it is empty"
    if not header.startswith(MAGIC):
        return "it is not a database"
    page_bytes = int.from_bytes(header[16:18], "big")
    if page_bytes in (0, 1):  # 65536 has no room in two bytes
        page_bytes = 65536
    pages = int.from_bytes(header[28:32], "big")
    if len(header) < HEADER_BYTES or length < page_bytes:
        return "it is cut off"
    # While pages wait in the log the file may rightly be shorter than its header says.
    if length % page_bytes or (length < pages * page_bytes and not logged):
        return f"it is cut off: {length} bytes are left of {pages * page_bytes}"
    return None


def _is_good(copy: Path) -> bool:
    """Whether all of a copy is as it was written."""
    try:
        with reading(copy) as connection:
            (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            for game in games(connection):
                check_chain(connection, game)
            return bool(verdict == "ok") and schema.is_whole(connection)
    except (PlainError, *UNREADABLE):
        return False


def _look_at_the_log(record: Path, clocks: Clocks) -> tuple[str, ...]:
    """A sentence when SQLite will drop the end of the log, which it does without a word."""
    log = record.with_name(record.name + "-wal")
    if not log.exists() or not record.exists():
        return ()
    tail = tail_of(log.read_bytes())
    if not tail.left:
        return ()
    if tail.unfinished:
        return (UNFINISHED,)
    kept = log.with_name(f"{record.stem}.damaged-{clocks.wall():%Y-%m-%dT%H-%M-%S}-log")
    shutil.copyfile(log, kept)
    sentence = (
        f"The end of the record is damaged: its last writes cannot be read ({tail.left} bytes, "
        f"kept as {kept}). Look whether the last actions at the table are there."
    )
    return (sentence,)
