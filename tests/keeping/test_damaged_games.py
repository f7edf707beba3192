"""An older game that is damaged: it is noticed, and what has it whole is not pushed out."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager

import pytest

from companion.data_folder import JOURNAL
from companion.record import copies, manifest, taking
from companion.record.reading import games, reading
from companion.record.recovery import opened
from tests.journal import records
from tests.keeping.two_tables import run
from tests.support.tables import still_clocks


@pytest.fixture
def folder(tmp_path):
    """Three games of three entries, with a copy after each."""
    folder = tmp_path / "data"
    for _ in range(3):
        plays(folder)
    return folder


def plays(folder, *, copy=True):
    """One more game."""
    with closing(records.opened(folder)) as journal:
        records.write(journal, journal.begin(records.SETUP).id, range(1, 4))
    return taking.take_copy(folder / JOURNAL) if copy else None


@contextmanager
def by_hand(record, game):
    """A connection that may change what is written, and the id of this game."""
    with closing(sqlite3.connect(record)) as connection, connection:
        guards = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection, *connection.execute("SELECT id FROM game WHERE number = ?", (game,))
        for _, statement in guards:
            connection.execute(statement)


def damage(record, game):
    with by_hand(record, game) as (connection, identity):
        assert connection.execute(
            "UPDATE entry SET command = '{}' WHERE game = ? AND row = 2", identity
        ).rowcount


def lose(record, game):
    with by_hand(record, game) as (connection, identity):
        for column in ("head.game", "entry.game", "note.game", "game.id"):
            table = column.partition(".")[0]
            connection.execute(f"DELETE FROM {table} WHERE {column} = ?", identity)


def test_each_damaged_copy_is_told_by_verify_and_the_kept_one_is_not(folder, capsys):
    damage(folder / JOURNAL, 2)
    copy = plays(folder).parent
    assert run("verify", "--data", folder) == 1
    told = [line for line in capsys.readouterr().out.splitlines() if "backups" in line]
    assert told[0].startswith(f"{copy}: damaged in it: game 2 (row 2 was changed")
    assert told[1:] == [f"{folder / 'backups'}: 4 copies, 1 damaged."]


def lies_apart(folder):
    return [path.name for path in copies.kept_apart(folder)]


def games_of(place):
    return manifest.read(place).games


def games_after_a_start(folder):
    opened(folder, still_clocks()).journal.close()
    with reading(folder / JOURNAL) as connection:
        return len([*games(connection)])


@pytest.mark.parametrize("how", [damage, lose])
def test_the_newest_copy_that_has_a_game_whole_is_kept_when_it_is_damaged(folder, caplog, how):
    how(folder / JOURNAL, 2)
    for _ in range(9):
        plays(folder)
    (kept,) = copies.kept_apart(folder)
    assert kept.name == "before-damage-4"
    assert copies.copies(folder)[0].parent.name == "copy-000012"
    assert games_of(kept) == 3
    assert caplog.text.count("The record is damaged: game 2 (") == 9
    assert caplog.text.count(f"kept as {kept}") == 1
    assert manifest.read(copies.copies(folder)[0].parent).damaged.startswith("game 2 (")
    assert run("restore", kept.name, "--data", folder) == 0
    assert games_after_a_start(folder) == 3


def test_another_game_that_is_damaged_later_has_its_copy_too(folder):
    damage(folder / JOURNAL, 1)
    plays(folder)
    plays(folder)
    damage(folder / JOURNAL, 4)
    for _ in range(5):
        plays(folder)
    first, second = copies.kept_apart(folder)
    assert (games_of(first), manifest.read(first).damaged) == (3, "")
    assert games_of(second) == 5
    assert manifest.read(second).damaged.startswith("game 1 (")
    assert "game 4" not in manifest.read(second).damaged


def test_a_copy_that_rotted_itself_is_not_what_is_kept(folder):
    damage(copies.copies(folder)[0], 1)
    damage(folder / JOURNAL, 2)
    plays(folder)
    (kept,) = copies.kept_apart(folder)
    assert games_of(kept) == 2


def test_without_damage_nothing_is_kept_apart_and_nothing_said(folder, caplog):
    for _ in range(4):
        plays(folder)
    assert lies_apart(folder) == []
    assert caplog.text == ""


def test_what_is_kept_comes_to_the_stick_once_under_its_name(folder, tmp_path):
    stick = tmp_path / "stick"
    stick.mkdir()
    taking.mirror(folder, stick, 7)
    damage(folder / JOURNAL, 2)
    for _ in range(5):
        plays(folder)
        home = taking.mirror(folder, stick, 7)
    assert lies_apart(home) == lies_apart(folder) == ["before-damage-4"]
    (kept,) = copies.kept_apart(home)
    assert manifest.read(kept).damaged == ""


def test_with_an_old_game_damaged_the_newest_copy_goes_on_all_the_same(folder):
    """The rest of months is more than the one game."""
    damage(folder / JOURNAL, 1)
    plays(folder)
    plays(folder)
    assert any(not manifest.read(copy.parent).damaged for copy in copies.copies(folder))
    (folder / JOURNAL).write_bytes(b"none" * 1000)
    assert games_after_a_start(folder) == 5


def test_a_copy_of_the_turn_goes_on_before_what_was_kept_before_an_upgrade(folder):
    """That one may be a year old; a copy that rotted in an old game has the rest."""
    copies.keep_before(folder / JOURNAL, "version-2")
    plays(folder)
    for copy in copies.copies(folder):
        damage(copy, 1)
    (folder / JOURNAL).write_bytes(b"none" * 1000)
    assert games_after_a_start(folder) == 4


def test_a_backup_with_a_damaged_game_says_so_and_brings_the_others_back(folder, tmp_path, capsys):
    damage(folder / JOURNAL, 2)
    file, other = tmp_path / "b.zip", tmp_path / "other"
    assert run("backup", file, "--data", folder) == 0
    assert "damaged in it: game 2 (" in capsys.readouterr().out
    assert run("restore", file, "--data", other, "--dry-run") == 0
    said = capsys.readouterr().out
    assert "can be restored: 3 games" in said
    assert "damaged in it: game 2 (" in said
    assert run("restore", file, "--data", other) == 0
    assert "damaged in it: game 2 (" in capsys.readouterr().out
    assert games_after_a_start(other) == 3
    run("restore", "--data", other)
    assert "damaged in it: game 2 (" in capsys.readouterr().out.splitlines()[0]


# What was kept before


def restores(folder, times, source="latest"):
    for _ in range(times):
        assert run("restore", source, "--data", folder) == 0


def test_of_what_restorations_set_aside_the_newest_three_stay(folder):
    restores(folder, 5)
    assert lies_apart(folder) == [f"before-restore-{n}" for n in (4, 5, 6, 7, 8)]
    plays(folder)
    assert lies_apart(folder) == [f"before-restore-{n}" for n in (6, 7, 8)]


@pytest.mark.parametrize("what", ["a game", "the end of a game"])
def test_what_has_more_than_the_newest_copy_stays(folder, what):
    """Whoever tries one copy after the other on a bad evening loses nothing of before."""
    if what == "a game":
        plays(folder, copy=False)
    else:
        with closing(records.opened(folder)) as journal:
            records.write(journal, journal.newest().id, [4])
    restores(folder, 9, "copy-000003")
    plays(folder)
    assert lies_apart(folder) == [f"before-restore-{n}" for n in (4, 10, 11, 12)]
    assert run("restore", "before-restore-4", "--data", folder) == 0
    plays(folder, copy=False)
    taking.take_copy(folder / JOURNAL)
    assert "before-restore-4" not in lies_apart(folder)


def test_what_another_table_had_stays(folder, tmp_path):
    other = tmp_path / "other"
    plays(other)
    restores(folder, 1, other)
    restores(folder, 5)
    plays(folder)
    assert lies_apart(folder)[0] == "before-restore-4"
    assert len(lies_apart(folder)) == 4


def test_while_a_game_is_damaged_nothing_that_was_kept_goes(folder):
    restores(folder, 5)
    damage(folder / JOURNAL, 1)
    plays(folder)
    assert len(lies_apart(folder)) == 6
