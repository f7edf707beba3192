"""A damaged record at the start: set aside under a name that tells, and what goes on instead."""

from __future__ import annotations

import random
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing

import pytest

from companion.data_folder import JOURNAL
from companion.errors import PlainError
from companion.record.copier import Copier
from companion.record.copies import checkpoint, copies
from companion.record.journal import Note
from companion.record.reading import Empty, games, reading
from companion.record.recovery import UNFINISHED, opened
from companion.record.taking import NEWEST, take_copy
from companion.rules.api import Leave
from companion.rules.tentacles_words import Reveal
from tests.journal import records
from tests.support.tables import API, running, still_clocks
from tests.support.waiting import until

ASIDE = "table.damaged-2026-01-01T00-00-00.sqlite"


@pytest.fixture
def folder(tmp_path):
    """A record of three entries, with a copy that has the first two."""
    journal = records.opened(tmp_path)
    game = journal.begin(records.SETUP).id
    records.write(journal, game, [1, 2])
    take_copy(tmp_path / JOURNAL)
    records.write(journal, game, [3])
    journal.close()
    return tmp_path


def start(folder):
    """What a start says, and how many entries the newest game then has."""
    found = opened(folder, still_clocks())
    with closing(found.journal) as journal:
        newest = journal.newest()
        return found.sentences, sum(1 for _ in journal.entries(newest.id)) if newest else None


def test_a_good_record_is_opened_without_a_word(folder):
    before = {path.name for path in folder.iterdir()}
    assert start(folder) == ((), 3)
    assert {path.name for path in folder.iterdir()} == before


def foreign(path):
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text)")


def without_its_notes(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE note")


def changed_row(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (trigger,) = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE name = 'entry_stays'"
        ).fetchone()
        connection.execute("DROP TRIGGER entry_stays")
        connection.execute('UPDATE entry SET command = \'{"do": "stop"}\' WHERE entry = 2')
        connection.execute(trigger)


def garbage_in_the_middle(path):
    data = bytearray(path.read_bytes())
    data[4096:-4096] = random.Random(1).randbytes(len(data) - 8192)
    path.write_bytes(data)


DAMAGES = {
    "empty": (lambda path: path.write_bytes(b""), "it is empty"),
    "one byte": (lambda path: path.write_bytes(b"S"), "not a database"),
    "text": (lambda path: path.write_bytes(b"This is no database. " * 500), "not a database"),
    "half": (lambda path: path.write_bytes(path.read_bytes()[: 4096 * 4]), "cut off"),
    "a byte short": (lambda path: path.write_bytes(path.read_bytes()[:-1]), "cut off"),
    "header alone": (lambda path: path.write_bytes(path.read_bytes()[:100]), "cut off"),
    "garbage": (garbage_in_the_middle, ""),
    "foreign": (foreign, "not a record of this program"),
    "a table short": (without_its_notes, "not a record of this program"),
    "changed": (changed_row, "row 4 was changed"),
    "log alone": (
        lambda path: path.rename(path.with_name(JOURNAL + "-wal")),
        "its log is there without it",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_record_gives_way_to_its_last_good_copy(folder, damage):
    spoil, reason = DAMAGES[damage]
    spoil(folder / JOURNAL)
    spoilt = {path.name: path.read_bytes() for path in folder.glob(f"{JOURNAL}*")}
    (sentence,), entries = start(folder)
    assert entries == 2
    assert sentence.startswith("The record is damaged (")
    assert reason in sentence
    assert f"set aside as {folder / ASIDE}" in sentence
    assert "the last good copy" in sentence.lower()
    for name, data in spoilt.items():
        if not name.endswith("-shm"):
            assert (folder / name.replace(JOURNAL, ASIDE)).read_bytes() == data
    assert start(folder) == ((), 2)


@pytest.mark.parametrize("damage", DAMAGES)
def test_without_a_copy_a_new_record_begins_and_says_so(folder, damage):
    for copy in copies(folder):
        copy.unlink()
    DAMAGES[damage][0](folder / JOURNAL)
    (sentence,), entries = start(folder)
    assert entries is None
    assert "no good copy, so a new record begins" in sentence
    assert list(folder.glob("table.damaged-*"))


def test_a_damaged_copy_is_passed_over(folder):
    record = folder / JOURNAL
    take_copy(record)
    newest, older = copies(folder)
    newest.write_bytes(newest.read_bytes()[:9000])
    record.write_bytes(b"")
    (sentence,), entries = start(folder)
    assert str(older) in sentence
    assert entries == 2


def test_what_was_set_aside_before_is_never_overwritten(folder):
    record = folder / JOURNAL
    for content in (b"first", b"second"):
        record.write_bytes(content)
        start(folder)
    aside = sorted(path.read_bytes() for path in folder.glob("table.damaged-*"))
    assert aside == [b"first", b"second"]


def test_a_record_of_a_newer_version_is_no_damaged_one(folder):
    with closing(sqlite3.connect(folder / JOURNAL)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(PlainError, match="newer version"):
        start(folder)
    assert not list(folder.glob("table.damaged-*"))


def test_a_torn_last_write_is_dropped_with_a_sentence(tmp_path):
    written = records.written(tmp_path / "made", page_bytes=4096)
    (_, _), (_, rows), (whole, _) = written.ends
    written.put(tmp_path, written.log[: whole - 100])
    assert start(tmp_path) == ((UNFINISHED,), 4)
    assert records.read(tmp_path / JOURNAL) == rows
    assert start(tmp_path) == ((), 4)


def test_a_damaged_log_is_kept_and_named(tmp_path):
    written = records.written(tmp_path / "made", page_bytes=4096)
    log = bytearray(written.log)
    log[-2000] ^= 1
    written.put(tmp_path, bytes(log))
    (sentence,), entries = start(tmp_path)
    assert entries == 4
    assert "The end of the record is damaged" in sentence
    (kept,) = tmp_path.glob("table.damaged-*")
    assert str(kept) in sentence
    assert kept.read_bytes() == log


def test_a_byte_of_the_database_turned_round_is_never_a_wrong_record(memory):
    """Either the game is as it was written, or the start says that it is damaged."""
    journal = records.opened(memory, page_bytes=512)
    records.write(journal, journal.begin(records.SETUP).id, [1, 2, 3])
    journal.close()
    path = memory / JOURNAL
    good, rows = path.read_bytes(), records.read(path)
    noticed = 0
    for at in range(0, len(good), 67):
        for aside in memory.glob("table*"):
            aside.unlink()
        data = bytearray(good)
        data[at] ^= 1 << at % 8
        path.write_bytes(data)
        try:
            sentences, _ = start(memory)
        except PlainError as error:
            assert "newer version" in str(error)  # noqa: PT017 - one bit can say so
            continue
        noticed += bool(sentences)
        assert sentences or records.read(path) == rows
    assert noticed > 30


def test_a_new_record_is_whole_from_the_moment_at_which_it_is_there(tmp_path, monkeypatch):
    (tmp_path / f"new-{JOURNAL}").write_bytes(b"half of one, from a service that was killed")

    def fail(folder):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("companion.record.files.finish", fail)
        with pytest.raises(PlainError, match="cannot be opened or set aside"):
            start(tmp_path)
        assert not (tmp_path / JOURNAL).exists()
    assert start(tmp_path) == ((), None)
    assert [path.name for path in tmp_path.iterdir()] == [JOURNAL]


def test_a_service_that_was_killed_while_it_made_the_record_begins_anew(tmp_path):
    """SQLite's own journal is left then, which a reader alone cannot roll back."""
    path = tmp_path / JOURNAL
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("CREATE TABLE waste (a)")
        connection.execute("DROP TABLE waste")
        connection.execute("VACUUM")
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE half (a)")
        connection.execute("INSERT INTO half VALUES (randomblob(100000))")
        left = {each: each.read_bytes() for each in tmp_path.iterdir()}
    assert len(left) == 2
    for each, data in left.items():
        each.write_bytes(data)
    sentences, entries = start(tmp_path)
    assert (sentences, entries) == ((), None)
    assert not list(tmp_path.glob("table.damaged-*"))


# A record that has lost something


def incomplete(folder):
    (aside,) = folder.glob("table.incomplete-*.sqlite")
    return aside


def without_its_log(folder, log):
    """What a copy of the database file alone has, while the newest entries are in the log."""
    path = folder / JOURNAL
    journal = records.opened(folder)
    before = path.read_bytes()
    game = journal.newest() or journal.begin(records.SETUP)
    last = sum(1 for _ in journal.entries(game.id))
    records.write(journal, game.id, [last + 1, last + 2])
    take_copy(path)
    assert path.read_bytes() == before
    journal.close()
    path.write_bytes(before)
    if log is not None:
        path.with_name(f"{JOURNAL}-wal").write_bytes(log)


@pytest.mark.parametrize("log", [None, b""], ids=["missing", "empty"])
def test_a_record_whose_log_was_lost_gives_way_to_its_copy(folder, log):
    without_its_log(folder, log)
    (sentence,), entries = start(folder)
    assert entries == 5
    assert f"copy {copies(folder)[0]} has (the end of game 1)" in sentence
    assert f"set aside as {incomplete(folder)}" in sentence
    assert len(records.read(incomplete(folder))) == 6
    assert start(folder) == ((), 5)


def test_a_record_that_lost_its_only_game_gives_way_to_its_copy(tmp_path):
    records.opened(tmp_path).close()
    without_its_log(tmp_path, None)
    (sentence,), entries = start(tmp_path)
    assert entries == 2
    assert "(1 of the 1 games in it)" in sentence


def test_a_record_that_went_on_without_what_it_lost_gives_way_to_its_copy(folder):
    """The copy's last row is not the one that now has its number."""
    without_its_log(folder, None)
    journal = records.opened(folder)
    for number in (6, 7, 8):
        journal.append(journal.newest().id, (), (Note(3, "tap", {"number": number}),))
        journal.append(journal.newest().id, (), (Note(3, "tap", {"number": number}),))
    journal.close()
    (sentence,), entries = start(folder)
    assert entries == 5
    assert "lost" in sentence


def test_a_torn_log_that_lacks_what_the_copy_has_is_told_as_one_loss(tmp_path):
    written = records.written(tmp_path / "made", page_bytes=4096)
    made = written.put(tmp_path, written.log)
    take_copy(made)
    written.put(tmp_path, written.log[: len(written.log) * 3 // 10])
    (sentence,), entries = start(tmp_path)
    assert entries == 5
    assert "has lost what its copy" in sentence


def test_a_torn_log_that_has_all_of_the_copy_assures_no_more_than_is_known(tmp_path):
    written = records.written(tmp_path / "made", page_bytes=4096)
    whole = written.ends[1][0]
    take_copy(written.put(tmp_path, written.log[:whole]))
    written.put(tmp_path, written.log[: whole + 100])
    assert start(tmp_path) == ((UNFINISHED,), 4)


def test_a_copy_of_another_table_says_nothing_of_this_one(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    records.opened(other).close()
    (other / JOURNAL).replace(folder / JOURNAL)
    assert start(folder) == ((), None)


def test_a_damaged_copy_is_not_gone_on_with(folder):
    without_its_log(folder, None)
    changed_row(copies(folder)[0])
    assert start(folder) == ((), 3)


@pytest.mark.parametrize("empty", [False, True])
def test_where_the_record_is_gone_its_copy_goes_on(folder, empty):
    (folder / JOURNAL).unlink()
    if empty:
        with closing(sqlite3.connect(folder / JOURNAL)) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA journal_mode = WAL")
    (sentence,), entries = start(folder)
    assert entries == 2
    assert ("set aside" in sentence) == empty
    assert start(folder) == ((), 2)


# Copies


def test_a_copy_is_the_record_and_the_last_three_are_kept(folder):
    record = folder / JOURNAL
    for number in range(4, 9):
        journal = records.opened(folder)
        records.write(journal, journal.newest().id, [number])
        taken = take_copy(record)
        journal.close()
        assert records.read(taken) == records.read(record)
        assert taken.stat().st_mode & 0o777 == 0o600
    assert [path.parent.name for path in copies(folder)] == [f"copy-{n:06}" for n in (6, 5, 4)]
    assert len(list((folder / "backups").iterdir())) == NEWEST


def test_no_copy_is_taken_when_nothing_has_changed(folder):
    assert take_copy(folder / JOURNAL) is not None
    assert take_copy(folder / JOURNAL) is None


def test_the_table_writes_while_a_copy_is_taken_and_the_copy_is_of_one_moment(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("companion.record.copies.PAGES_A_STEP", 8)
    journal = records.opened(tmp_path)
    game = journal.begin(records.SETUP).id
    records.write(journal, game, range(1, 100))
    rows = records.read(tmp_path / JOURNAL)
    written = []

    def pause():
        number = 100 + len(written)
        records.write(journal, game, [number])
        written.append(number)

    taken = take_copy(tmp_path / JOURNAL, pause)
    assert written
    assert records.read(taken) == rows
    assert len(records.read(tmp_path / JOURNAL)) == len(rows) + 2 * len(written)


def test_a_copy_that_is_given_up_leaves_the_former_ones(folder, monkeypatch):
    monkeypatch.setattr("companion.record.copies.PAGES_A_STEP", 8)

    class GivenUp(Exception):
        pass

    def give_up():
        raise GivenUp

    journal = records.opened(folder)
    records.write(journal, journal.newest().id, range(4, 100))
    before = copies(folder)
    with pytest.raises(GivenUp):
        take_copy(folder / JOURNAL, give_up)
    assert copies(folder) == before
    assert take_copy(folder / JOURNAL) is not None


def test_a_copy_is_taken_at_the_start_and_after_each_finished_game(tmp_path):
    with running(tmp_path) as table:
        copier = Copier(table, tmp_path / JOURNAL)
        copier.start()
        until(lambda: len(copies(tmp_path)) == 1)
        table.act(Reveal("dots"), source=API)
        table.act(Leave("Ann"), source=API)
        assert table.snapshot.standing.over
        until(lambda: len(copies(tmp_path)) == 2)
        table.new_game(source=API)
        table.close()
        copier.close()
    entries = [len(records.read(copy)) for copy in copies(tmp_path)]
    assert entries[0] > entries[1] == 0


def entries_in_the_file_alone(folder, elsewhere):
    """Of each game, when the log is left behind; None while the log is being brought in."""
    alone = elsewhere / JOURNAL
    # In this process its closing would take SQLite's locks away.
    subprocess.run(["cp", folder / JOURNAL, alone], check=True)
    try:
        found = Counter(row.table for row in records.read(alone))
        with reading(alone) as connection:
            return sum(1 for _ in games(connection)), found["entry"]
    except Empty:
        return 0, 0
    except sqlite3.DatabaseError:
        return None  # copied in the middle of it


def test_the_database_file_has_a_game_that_began_and_one_that_is_finished(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with running(tmp_path) as table:
        copier = Copier(table, tmp_path / JOURNAL)
        copier.start()
        until(lambda: entries_in_the_file_alone(tmp_path, elsewhere) == (1, 0))
        table.act(Reveal("dots"), source=API)
        until(lambda: entries_in_the_file_alone(tmp_path, elsewhere) == (1, 0))
        table.act(Leave("Ann"), source=API)
        until(lambda: entries_in_the_file_alone(tmp_path, elsewhere) == (1, 2))
        table.new_game(source=API)
        until(lambda: entries_in_the_file_alone(tmp_path, elsewhere) == (2, 2))
        table.close()
        copier.close()


def test_a_log_that_cannot_be_brought_in_ends_nothing(folder):
    journal = records.opened(folder)
    records.write(journal, journal.newest().id, [4])
    with closing(sqlite3.connect(folder / JOURNAL, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        checkpoint(folder / JOURNAL)
        other.execute("ROLLBACK")
    records.write(journal, journal.newest().id, [5])
    checkpoint(folder / JOURNAL)
    assert (folder / f"{JOURNAL}-wal").stat().st_size == 0
    journal.close()
    assert len(records.read(folder / JOURNAL)) == 10


def test_a_copier_is_closed_while_it_copies(tmp_path, monkeypatch):
    monkeypatch.setattr("companion.record.copies.PAGES_A_STEP", 1)
    monkeypatch.setattr("companion.record.copier.PAUSE_S", 600)
    with running(tmp_path) as table:
        copier = Copier(table, tmp_path / JOURNAL)
        copier.start()
        until((tmp_path / "backups" / "partial").exists)
        table.close()
        copier.close()
    assert list((tmp_path / "backups").iterdir()) == []


def test_a_copy_that_cannot_be_made_ends_nothing(tmp_path, caplog):
    (tmp_path / "backups").write_text("in the way")
    with running(tmp_path) as table:
        copier = Copier(table, tmp_path / JOURNAL)
        copier.start()
        until(lambda: "No copy of the record was made" in caplog.text)
        assert table.act(Reveal("dots"), source=API).code is None
        table.close()
        copier.close()
