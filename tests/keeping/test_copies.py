"""Copies: what belongs to one, which are kept, how long, and where else they go."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from companion.cli import main
from companion.clocks import Clocks
from companion.data_folder import JOURNAL, SETTINGS
from companion.household import HOUSEHOLD, Household, remembered
from companion.record import copies, files, manifest, taking
from companion.record.backup_section import Backup
from companion.record.copier import A_DAY_S, Copier
from companion.record.household_file import household_of
from companion.record.journal import JournalError
from companion.record.recovery import opened
from companion.rules.tentacles_words import Reveal, Stop
from tests.journal import records
from tests.support.tables import API, running, still_clocks
from tests.support.waiting import until

VERSION_1 = Path(__file__).parents[1] / "journal" / "version_1" / "table.sqlite"


def names(folder):
    return sorted(path.name for path in (folder / "backups").iterdir())


class Days:
    """A wall clock that a test sets."""

    def __init__(self, boot="a-boot"):
        self.now = datetime(2026, 12, 1, 19, tzinfo=UTC)
        self.boot = boot

    @property
    def clocks(self):
        return Clocks(lambda: 0, lambda: self.now, self.boot)


class Table:
    """A record that always has something new."""

    def __init__(self, folder):
        self.folder, self.days, self.number = folder, Days(), 0

    def copy(self, **more):
        with closing(records.opened(self.folder)) as journal:
            newest = journal.newest() or journal.begin(records.SETUP)
            self.number += 1
            records.write(journal, newest.id, [self.number])
        return taking.take_copy(self.folder / JOURNAL, clocks=self.days.clocks, **more)


def kept_numbers(folder):
    return [int(copies.place_of(path).name[-6:]) for path in copies.copies(folder)]


def test_the_household_and_the_settings_belong_to_a_copy(tmp_path):
    with closing(Household(tmp_path / HOUSEHOLD)) as household:
        household.sit("phone", "Ann", "heart")
        (tmp_path / SETTINGS).write_text('host = "0.0.0.0"\n')
        copy = Table(tmp_path).copy(why="game").parent
    assert remembered(copy / HOUSEHOLD).shapes == {"Ann": "heart"}
    assert (copy / SETTINGS).read_text() == 'host = "0.0.0.0"\n'
    told = manifest.read(copy)
    assert (told.why, told.games, told.newest) == ("game", 1, "tentacles with Ann, Bo")
    assert set(told.files) == {JOURNAL, HOUSEHOLD, SETTINGS}
    for name, contents in told.files.items():
        assert manifest.contents(copy / name) == contents
    assert copy.stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in copy.iterdir()} == {0o600}


def test_a_household_that_is_being_written_is_not_read_meanwhile(tmp_path):
    """It has no log, so a copy of half a change would be a damaged one."""
    path = tmp_path / HOUSEHOLD
    Household(path).close()
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as writer,
        closing(files.to_read(path, held=True)) as reader,
    ):
        writer.execute("BEGIN EXCLUSIVE")
        reader.execute("PRAGMA busy_timeout = 0")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            reader.execute("SELECT * FROM thing")
        writer.execute("ROLLBACK")
        assert reader.execute("SELECT * FROM thing").fetchall() == []
    assert [each.name for each in tmp_path.iterdir()] == [HOUSEHOLD]


@pytest.mark.parametrize("what", ["household", "settings", "nothing"])
def test_a_change_of_household_or_settings_alone_is_worth_a_copy(tmp_path, what):
    with closing(Household(tmp_path / HOUSEHOLD)) as household:
        Table(tmp_path).copy()
        if what == "household":
            household.shape("Ann", "heart")
        elif what == "settings":
            (tmp_path / SETTINGS).write_text("port = 80\n")
        assert (taking.take_copy(tmp_path / JOURNAL) is None) == (what == "nothing")


def test_a_household_that_cannot_be_read_does_not_keep_the_games_out(tmp_path, caplog):
    (tmp_path / HOUSEHOLD).write_text("no database, though it is long enough to look like one")
    copy = Table(tmp_path).copy().parent
    assert JOURNAL in manifest.read(copy).files
    assert HOUSEHOLD not in manifest.read(copy).files
    assert "The household is not in the copy" in caplog.text


def test_restarts_of_one_evening_push_out_no_copy_of_another_day(tmp_path):
    table = Table(tmp_path)
    for _ in range(5):  # five days, each with ten starts
        for _ in range(10):
            table.copy()
        table.days.now += timedelta(days=1)
    assert kept_numbers(tmp_path) == [50, 49, 48, 40, 30, 20, 10]


def test_of_the_last_seven_days_on_which_one_was_taken_the_newest_is_kept(tmp_path):
    table = Table(tmp_path)
    for _ in range(12):
        table.copy()
        table.days.now += timedelta(days=20)
    assert kept_numbers(tmp_path) == list(range(12, 5, -1))
    table.copy(days=2)
    assert kept_numbers(tmp_path) == [13, 12, 11]


def test_a_clock_that_jumps_makes_days_and_no_disorder(tmp_path):
    table = Table(tmp_path)
    for year in (2026, 2060, 1970, 2019, 2026):
        table.days.now = table.days.now.replace(year=year)
        table.copy()
    assert kept_numbers(tmp_path) == [5, 4, 3, 2]  # the first one is of the day of the last
    with closing(opened(tmp_path, still_clocks()).journal) as journal:
        assert journal.newest() is not None


def test_while_the_clock_is_not_set_a_boot_counts_as_a_day(tmp_path):
    table = Table(tmp_path)
    table.days.now = datetime(1970, 1, 1, tzinfo=UTC)
    for boot in range(9):
        table.days.boot = f"boot-{boot}"
        table.copy()
        table.copy()
    assert kept_numbers(tmp_path) == [18, 17, 16, 14, 12, 10, 8, 6]


def test_copies_of_version_0_1_count_and_go_in_their_turn(tmp_path):
    table = Table(tmp_path)
    for number in range(3):
        first = copies.place_of(table.copy())
        (first / JOURNAL).rename(tmp_path / "backups" / f"table-{number + 1:06}.sqlite")
        shutil.rmtree(first)
    assert kept_numbers_of_both(tmp_path) == [3, 2, 1]
    table.copy()
    assert names(tmp_path) == ["copy-000004", "table-000002.sqlite", "table-000003.sqlite"]


def kept_numbers_of_both(folder):
    return [
        int("".join(filter(str.isdigit, copies.place_of(p).name))) for p in copies.copies(folder)
    ]


# Once a day


def test_a_copy_is_taken_once_a_day_whatever_the_wall_clock_says(tmp_path, monkeypatch):
    now_s = 0.0
    days = Days()
    with running(tmp_path) as table:
        copier = Copier(table, tmp_path / JOURNAL, clocks=days.clocks, seconds=lambda: now_s)
        copier.start()
        until(lambda: len(copies.copies(tmp_path)) == 1)
        table.act(Reveal("dots"), source=API)
        days.now += timedelta(days=400)  # the network told the time
        table.act(Stop(), source=API)
        assert len(copies.copies(tmp_path)) == 1
        now_s = A_DAY_S
        table.act(Reveal("dots"), source=API)
        until(lambda: len(copies.copies(tmp_path)) == 2)
        table.act(Stop(), source=API)
        table.close()
        copier.close()
    assert len(copies.copies(tmp_path)) == 2
    assert manifest.read(copies.copies(tmp_path)[0].parent).why == "day"


# When copies are damaged


def spoilt(record):
    """With a name that is no text: even what SQLite says of it is none."""
    with closing(sqlite3.connect(record)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET name = CAST(x'81' AS TEXT), sql = 'CREATE' WHERE name = 'head'"
        )


DAMAGES = {
    "its list is damaged": lambda copy: (copy / manifest.MANIFEST).write_bytes(b"\xff\x00"),
    "its list is away": lambda copy: (copy / manifest.MANIFEST).unlink(),
    "its texts are damaged": lambda copy: spoilt(copy / JOURNAL),
    "its record is away": lambda copy: (copy / JOURNAL).unlink(),
    "its record is none": lambda copy: (copy / JOURNAL).write_bytes(b"none" * 1000),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_newest_copy_ends_no_copies(tmp_path, stick, damage):
    """It gets a new one beside it, and so does the stick."""
    with running(tmp_path) as table:
        table.act(Reveal("dots"), source=API)
        DAMAGES[damage](taking.take_copy(tmp_path / JOURNAL).parent)
        copier = Copier(table, tmp_path / JOURNAL, Backup(folder=stick))
        copier._copy("start")
        copier._copy("start")
    assert "copy-000002" in names(tmp_path)
    assert "copy-000003" not in names(tmp_path)
    (home,) = stick.iterdir()
    assert records.read(copies.copies(home)[0]) == records.read(tmp_path / JOURNAL)


def test_a_record_with_a_damaged_text_is_said_and_ends_no_thread(tmp_path, caplog):
    with running(tmp_path) as table:
        copier = Copier(table, tmp_path / JOURNAL)
        spoilt(tmp_path / JOURNAL)
        copier._copy("day")
    assert "No copy of the record was made" in caplog.text
    assert not (tmp_path / "backups" / copies.PARTIAL).exists()


# Somewhere else, too


@pytest.fixture
def stick(tmp_path):
    folder = tmp_path / "stick"
    folder.mkdir()
    return folder


def test_copies_come_to_the_stick_in_a_folder_of_the_table(tmp_path, stick):
    table = Table(tmp_path)
    for _ in range(5):
        table.copy()
        place = taking.mirror(tmp_path, stick, 7)
    assert kept_numbers(place) == [5, 4, 3]
    assert taking.mirror(tmp_path, stick, 7) == place
    assert kept_numbers(place) == [5, 4, 3]
    assert records.read(copies.copies(place)[0]) == records.read(tmp_path / JOURNAL)


def test_a_table_that_began_again_pushes_out_nothing_of_the_one_before(tmp_path, stick):
    first, second = tmp_path / "first", tmp_path / "second"
    Table(first).copy()
    old = taking.mirror(first, stick, 7)
    table = Table(second)
    for _ in range(9):
        table.copy()
        taking.mirror(second, stick, 7)
    assert kept_numbers(old) == [1]


def test_a_stick_that_is_away_is_said_once_and_so_is_its_return(tmp_path, stick, caplog):
    caplog.set_level(logging.INFO)
    with running(tmp_path) as table:
        away = tmp_path / "away"
        copier = Copier(table, tmp_path / JOURNAL, Backup(folder=stick / "table"))
        for _ in range(3):
            copier._copy("start")
        assert caplog.text.count("No copy comes into") == 1
        assert not (stick / "table").exists()
        (stick / "table").mkdir()
        copier._copy("start")
        copier._copy("start")
        assert caplog.text.count("again.") == 1
        stick.rename(away)
        copier._copy("start")
        assert caplog.text.count("No copy comes into") == 2


def test_another_stick_gets_the_next_copy_and_none_gets_none(tmp_path, stick):
    with running(tmp_path) as table:
        copier = Copier(table, tmp_path / JOURNAL)
        copier._copy("start")
        copier.use(Backup(folder=stick))
        copier._copy("day")
        assert len(list(stick.rglob(JOURNAL))) == 1
        copier.use(Backup())
        copier._copy("day")
        assert len(list(stick.rglob(JOURNAL))) == 1


@pytest.mark.parametrize("wrong", [{"kept": 0}, {"kept": 366}, {"folder": Path("stick")}])
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError, match=r"^(kept|folder) is"):
        Backup(**wrong)


# Before an upgrade


def test_a_record_is_kept_as_it_was_before_it_is_brought_on(tmp_path):
    shutil.copy(VERSION_1, tmp_path)
    opened(tmp_path, still_clocks()).journal.close()
    (kept,) = copies.kept_apart(tmp_path)
    assert kept.name == "before-version-2"
    with closing(sqlite3.connect(kept / JOURNAL)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM entry").fetchone() == (720,)
    table = Table(tmp_path)
    table.number = 1000
    with closing(sqlite3.connect(tmp_path / JOURNAL)) as connection:
        (table.number,) = connection.execute(
            "SELECT max(entry) FROM entry JOIN game ON id = game WHERE number ="
            " (SELECT max(number) FROM game)"
        ).fetchone()
    for _ in range(12):
        table.copy()
        table.days.now += timedelta(days=1)
    assert copies.kept_apart(tmp_path) == [kept]


def test_the_same_record_is_kept_once_and_another_one_beside_it(tmp_path):
    for _ in range(2):
        shutil.copy(VERSION_1, tmp_path)
        opened(tmp_path, still_clocks()).journal.close()
    assert names(tmp_path) == ["before-version-2"]
    shutil.copy(VERSION_1, tmp_path)
    with closing(sqlite3.connect(tmp_path / JOURNAL)) as connection, connection:
        connection.execute("INSERT INTO tag VALUES ('04A3C6CAE26199', 'player/2')")
    opened(tmp_path, still_clocks()).journal.close()
    assert names(tmp_path) == ["before-version-2", "before-version-2-2"]


def test_without_a_copy_nothing_is_brought_on(tmp_path):
    shutil.copy(VERSION_1, tmp_path)
    before = (tmp_path / JOURNAL).read_bytes()
    (tmp_path / "backups").write_text("in the way")
    with pytest.raises(JournalError, match="it is as it was"):
        opened(tmp_path, still_clocks())
    assert (tmp_path / JOURNAL).read_bytes() == before


# The household


def test_a_damaged_household_gives_way_to_its_last_good_copy(tmp_path, caplog):
    with closing(Household(tmp_path / HOUSEHOLD)) as household:
        household.shape("Ann", "heart")
    Table(tmp_path).copy()
    (tmp_path / HOUSEHOLD).write_bytes(b"damaged" * 1000)
    with closing(household_of(tmp_path, still_clocks())) as household:
        assert household.now.shapes == {"Ann": "heart"}
    assert len(list(tmp_path.glob("household.damaged-*"))) == 1
    assert "The last good copy" in caplog.text


def test_an_empty_household_gives_way_to_its_last_good_copy_and_a_new_one_stays(
    tmp_path, caplog, capsys
):
    """As a power cut may leave a file; no word is said of one that never had anything in it."""
    (tmp_path / HOUSEHOLD).touch()
    table = Table(tmp_path)
    table.copy()
    household_of(tmp_path, still_clocks()).close()
    assert "empty" not in caplog.text
    with closing(Household(tmp_path / HOUSEHOLD)) as household:
        household.shape("Ann", "heart")
    table.copy()
    (tmp_path / HOUSEHOLD).write_bytes(b"")
    assert main(["verify", "--data", str(tmp_path)]) == 1
    assert "it is empty; the next start goes on with" in capsys.readouterr().out
    with closing(household_of(tmp_path, still_clocks())) as household:
        assert household.now.shapes == {"Ann": "heart"}
    assert "was empty. The last good copy" in caplog.text
