"""Opening the record of a data folder, whatever became of it.

What is cheap is looked at: the end of the log, the file's shape, the chain of the newest game,
and whether all that its newest copy has is there. Who takes a copy looks at the other games, and
`companion verify` at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from companion.clocks import Clocks
from companion.data_folder import JOURNAL, newer
from companion.errors import PlainError
from companion.record import copies, files, manifest, restoring, schema
from companion.record.journal import (
    RUNS_AHEAD,
    UNREADABLE,
    DamagedJournal,
    Journal,
    tells_of_damage,
)
from companion.record.reading import (
    Broken,
    Empty,
    Newer,
    NotARecord,
    check_chain,
    damaged_games,
    has_row,
    newest_game,
    reading,
    reading_without_a_trace,
    table_and_games,
)
from companion.record.wal import tail_of

SMALL_BYTES = 16 << 20
"""Up to this size the whole file's shape is looked at: some tens of milliseconds."""
HEADER_BYTES = 100
UNFINISHED = (
    "The end of the record's log is an unfinished write, which was dropped. If the service was "
    "killed or the power failed, nothing in it was acknowledged; if the log was cut or copied in "
    "part, look whether the last actions at the table are there."
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

    @property
    def in_one_line(self) -> str:
        """What was found, for the log and for the service's status."""
        how = "had to be mended" if self.sentences else "opens as it should"
        return f"The record {how}: {self.journal.in_words()}"


def opened(folder: Path, clocks: Clocks) -> Opened:
    """Open the record in this folder, which is held.

    One that is damaged, or has lost what a copy has, gives way to its last good copy.

    Raises:
        Newer: it was made by a newer version.
        JournalError, sqlite3.Error: it is not damaged and cannot be opened all the same.
        Irrecoverable: it cannot even be set aside.
    """
    record = folder / JOURNAL
    try:
        restoring.finish(folder)
        _refuse_newer(record)
        told = _look_at_the_log(record, clocks)
        damage = _damage(record)
        if damage is None:
            found_more = lacking(record)
            if found_more is not None:
                copy, lost = found_more
                trouble = "incomplete" if record.exists() else None
                journal, sentence = _instead(record, clocks, trouble, [[copy]])
                told = tuple(each for each in told if each != UNFINISHED)  # the cut lost more
                return Opened(journal, (*told, f"{lost} {sentence}"))
            if not record.exists() and any(found := _all_copies(folder)):
                journal, sentence = _instead(record, clocks, None, found)
                return Opened(journal, (*told, f"The record is missing. {sentence}"))
            try:
                return Opened(_journal(record, clocks), told)
            except DamagedJournal as error:
                damage = str(error.__cause__ or error)
        found = _all_copies(folder)
        journal, sentence = _instead(record, clocks, "damaged", found)
    except OSError as error:
        raise Irrecoverable(
            f"The record {record} cannot be opened or set aside ({error.strerror}): make room, mend "
            "the disk, or choose another folder with --data."
        ) from error
    return Opened(journal, (*told, f"The record is damaged ({damage}). {sentence}"))


def _all_copies(folder: Path) -> list[list[Path]]:
    """The records in all copies, the newest first, and those that were kept apart."""
    kept = reversed(copies.kept_apart(folder))
    return [copies.copies(folder), [each / JOURNAL for each in kept]]


def _refuse_newer(record: Path) -> None:
    """Before anything is touched, and be it by SQLite.

    Raises:
        Newer: it was made by a newer version.
    """
    if not record.is_file():
        return
    try:
        with closing(files.to_read(record, held=True)) as connection:
            version = schema.version_of(connection)
    except UNREADABLE:
        return  # what is wrong is found out below
    if version is not None and version > schema.SCHEMA_VERSION:
        raise Newer(newer("record", record))


def _journal(record: Path, clocks: Clocks) -> Journal:
    """The record; one that is not there is whole from the moment at which it is."""
    if not record.exists():
        Journal(files.unfinished(record), clocks).close()
        files.finish(record)
    return Journal(record, clocks)


def _instead(
    record: Path, clocks: Clocks, trouble: str | None, found: Sequence[Sequence[Path]]
) -> tuple[Journal, str]:
    """Set a record aside, and open the first good one of these copies, or a new record.

    Args:
        record: the file.
        clocks: of the table.
        trouble: for the name that the record gets; None where there is no record.
        found: copies, the best first; any of the first list is better than those of the next,
            which may be years old.
    """
    aside = ""
    if trouble is not None:
        aside = f"It was set aside as {files.set_aside(record, trouble, clocks.wall())}. "
    for copies_there in found:
        # A copy in which an old game is damaged is still better than none.
        for is_good in (_is_good, lambda copy: _damage(copy) is None):
            for copy in filter(is_good, copies_there):
                files.put(copy, record)
                journal = Journal(record, clocks)
                journal.skip_runs(RUNS_AHEAD)  # pages know views that the copy knows nothing of
                after = " What was played after it is at most in the one set aside."
                return journal, f"{aside}{_restored(journal, copy)}{after if aside else ''}"
    return _journal(record, clocks), (
        f"{aside}There is no good copy, so a new record begins, without games and tags."
    )


def _restored(journal: Journal, copy: Path) -> str:
    begun = journal.newest()
    if begun is None:
        return f"The last good copy, {copy}, goes on: it has no game yet."
    return (
        f"The last good copy, {copy}, goes on: its newest game is one of {begun.setup.game} with "
        f"{', '.join(begun.setup.players)}."
    )


def _damage(record: Path) -> str | None:
    """What is wrong with the record, as far as a quick look tells; None when nothing is."""
    log = files.part(record, "-wal")
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
    except Empty:
        return None  # a service was killed while it made the record
    except NotARecord:
        return "it is not a record of this program"
    except UNREADABLE as error:
        if not tells_of_damage(error):
            raise
        return str(error)
    return None


def lacking(record: Path) -> tuple[Path, str] | None:
    """A good copy that has what this record, which is not damaged, has not, with a sentence.

    None where there is no such copy. Only the newest that can be read is asked: those before it
    have less.
    """
    for copy in copies.copies(record.parent):
        try:
            lost = _lost(record, copy)
        except (PlainError, *UNREADABLE):
            continue
        if lost is None:
            return None
        if _is_good(copy):
            there = record.exists()
            what = f"has lost what its copy {copy} has ({lost})" if there else "is missing"
            return copy, f"The record {what}."
    return None


def _lost(record: Path, copy: Path) -> str | None:
    """What a copy of a record has and the record has not; None of another table's copy, too.

    Raises:
        PlainError, sqlite3.Error, UnicodeDecodeError: one of them cannot be read.
    """
    with reading_without_a_trace(copy) as former:
        newest = newest_game(former)
        if newest is None:
            return None
        head = former.execute("SELECT row, hash FROM head WHERE game = ?", (newest.id,)).fetchone()
        if head is None:
            raise Broken("the end of its chain is missing")
        table, known = table_and_games(former)
    if not record.exists():
        return "all of it"
    try:
        with reading_without_a_trace(record) as connection:
            table_now, known_now = table_and_games(connection)
            there = has_row(connection, newest.id, *head)
    except Empty:
        return "all of it"
    if table_now != table:
        return None
    missing = len(known - known_now)
    if missing:
        return f"{missing} of the {len(known)} games in it"
    return None if there else f"the end of game {newest.number}"


def _damaged_shape(record: Path, *, logged: bool) -> str | None:
    """What the file's length and its first bytes tell; SQLite takes a stump for a new database.

    See "The SQLite Database File Format", section 1.3, "The Database Header".
    """
    length = record.stat().st_size
    with record.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if length == 0:
        return "it is empty"
    if not header.startswith(files.SQLITE):
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
    """Whether all of a copy is as it was written, or as it was in the record already."""
    try:
        with reading(copy) as connection:
            damaged = damaged_games(connection)
    except (PlainError, *UNREADABLE):
        return False
    told = copies.manifest_of(copies.place_of(copy))
    return not damaged or (told is not None and manifest.contents(copy) == told.files[JOURNAL])


def _look_at_the_log(record: Path, clocks: Clocks) -> tuple[str, ...]:
    """A sentence when SQLite will drop the end of the log, which it does without a word."""
    log = files.part(record, "-wal")
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
