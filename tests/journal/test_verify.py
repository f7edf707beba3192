"""`companion verify`: whatever was done to a record behind its back is found."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from companion.cli import main
from companion.data_folder import JOURNAL
from companion.match import Setup
from companion.record.chain import link
from companion.record.journal import Entry, Journal, Note
from companion.record.reading import Unreadable, reading_without_a_trace
from companion.snapshot import Source
from tests.journal import records
from tests.support.tables import still_clocks

VERSION_1 = Path(__file__).with_name("version_1")


@pytest.fixture
def folder(tmp_path):
    """Two games, each with entries and notes."""
    journal = records.opened(tmp_path)
    for _ in range(2):
        records.write(journal, journal.begin(records.SETUP).id, range(1, 6))
    journal.close()
    return tmp_path


def verify(folder, capsys):
    status = main(["verify", "--data", str(folder)])
    return status, capsys.readouterr().out.splitlines()


def behind_its_back(folder, *statements):
    """Run statements with no trigger in the way, which are then put back."""
    with closing(sqlite3.connect(folder / JOURNAL, isolation_level=None)) as connection:
        triggers = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            assert connection.execute(statement).rowcount != 0, statement
        for _, sql in triggers:
            connection.execute(sql)


FIRST, LAST = "(SELECT id FROM game WHERE number = 1)", "(SELECT id FROM game WHERE number = 2)"


def test_a_good_record_is_all_as_it_was_written(folder, capsys):
    assert verify(folder, capsys) == (
        0,
        [f"{folder / JOURNAL}: 2 games, 20 rows, all as it was written."],
    )


def test_a_record_of_version_1_is_verified_and_not_touched(tmp_path, capsys):
    shutil.copy(VERSION_1 / JOURNAL, tmp_path)
    status, lines = verify(tmp_path, capsys)
    assert (status, lines[-1].partition(": ")[2]) == (
        0,
        "4 games, 720 rows, all as it was written.",
    )
    assert (tmp_path / JOURNAL).read_bytes() == (VERSION_1 / JOURNAL).read_bytes()


CHANGES = {
    "a command": f'UPDATE entry SET command = \'{{"do": "stop"}}\' WHERE game = {FIRST} AND entry = 3',
    "a tag": f"UPDATE entry SET uid = NULL WHERE game = {FIRST} AND entry = 3",
    "a time": f"UPDATE entry SET monotonic_ns = 1 WHERE game = {FIRST} AND entry = 3",
    "a note": f"UPDATE note SET body = '{{}}' WHERE game = {FIRST} AND row = 5",
    "a hash": f"UPDATE entry SET hash = zeroblob(32) WHERE game = {FIRST} AND entry = 3",
    "a missing entry": f"DELETE FROM entry WHERE game = {FIRST} AND entry = 3",
    "a missing note": f"DELETE FROM note WHERE game = {FIRST} AND row = 5",
    "the last row missing": f"DELETE FROM entry WHERE game = {FIRST} AND entry = 5",
    "the last row changed": f"UPDATE entry SET request = 'x' WHERE game = {FIRST} AND entry = 5",
    "the players": f'UPDATE game SET players = \'["Ann", "Cy"]\' WHERE id = {FIRST}',
    "the end": f"UPDATE head SET hash = zeroblob(32) WHERE game = {FIRST}",
    "no end": f"DELETE FROM head WHERE game = {FIRST}",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_found_in_its_game_and_in_no_other(folder, capsys, change):
    behind_its_back(folder, CHANGES[change])
    status, lines = verify(folder, capsys)
    assert status == 1
    assert [line.startswith("Game 1 (tentacles, ") for line in lines] == [True, False]
    assert lines[-1].endswith("1 troubles.")


def test_two_rows_that_changed_places_are_found(folder, capsys):
    behind_its_back(
        folder,
        f"UPDATE entry SET row = 100 WHERE game = {FIRST} AND entry = 2",
        f"UPDATE entry SET row = 4, entry = 200 WHERE game = {FIRST} AND entry = 3",
        f"UPDATE entry SET row = 6, entry = 3 WHERE game = {FIRST} AND entry = 2",
        f"UPDATE entry SET entry = 2 WHERE game = {FIRST} AND entry = 200",
    )
    status, lines = verify(folder, capsys)
    assert status == 1
    assert "row 4 was changed, or stands in another's place" in lines[0]


def test_a_row_of_another_game_with_its_own_hash_is_found(folder, capsys):
    other = f"(SELECT * FROM entry WHERE game = {LAST} AND entry = 3)"
    behind_its_back(
        folder,
        f"UPDATE entry SET request = NULL, hash = (SELECT hash FROM {other})"
        f" WHERE game = {FIRST} AND entry = 3",
    )
    with closing(sqlite3.connect(folder / JOURNAL)) as connection:
        (game, *columns) = connection.execute(
            f"SELECT * FROM entry WHERE game = {FIRST} AND entry = 3"
        ).fetchone()
    before = next(row for row in records.read(folder / JOURNAL) if row.row == 5).hash
    own = link(before, "entry", *columns[:-1])
    assert verify(folder, capsys)[0] == 1
    behind_its_back(
        folder, f"UPDATE entry SET hash = x'{own.hex()}' WHERE game = '{game}' AND entry = 3"
    )
    status, lines = verify(folder, capsys)
    assert status == 1
    assert "row 7 was changed, or stands in another's place" in lines[0]


def test_a_row_twice_is_found(folder, capsys):
    behind_its_back(
        folder,
        "INSERT INTO entry SELECT game, 6, row, step, command, source, reader, uid, NULL,"
        f" monotonic_ns, boot, wall, hash FROM entry WHERE game = {FIRST} AND entry = 5",
    )
    assert verify(folder, capsys)[0] == 1


def test_rows_of_a_game_that_is_missing_are_found(folder, capsys):
    behind_its_back(folder, f"DELETE FROM game WHERE id = {FIRST}")
    status, lines = verify(folder, capsys)
    assert status == 1
    assert "The file: a row of entry belongs to a game that is missing." in lines
    assert "Missing games, by their number: 1." in lines


def test_a_game_that_does_not_play_is_found(folder, capsys):
    """A record that was written so: its chain holds, and the rules say no."""
    journal = Journal(folder / JOURNAL, still_clocks())
    game = journal.begin(Setup("tentacles", ("Ann", "Bo"))).id
    steal = Entry(1, 1, {"do": "steal", "from": "Bo"}, Source("api"))
    journal.append(game, (steal,), (Note(0, "tap", {}),))
    journal.close()
    status, lines = verify(folder, capsys)
    assert status == 1
    assert lines[0].startswith("Game 3 ")
    assert "after entry 0 it stops making sense" in lines[0]


def test_a_step_that_is_not_where_the_entries_lead_is_found(folder, capsys):
    journal = Journal(folder / JOURNAL, still_clocks())
    game = journal.begin(Setup("tentacles", ("Ann", "Bo"))).id
    journal.append(game, (Entry(1, 7, {"do": "reveal", "card": "dots"}, Source("api")),))
    journal.close()
    assert "entry 1 leads to step 1, and the record says 7" in verify(folder, capsys)[1][0]


def test_a_torn_page_is_found(folder, capsys):
    data = bytearray((folder / JOURNAL).read_bytes())
    data[4096 * 2 :] = b"\x07" * (len(data) - 4096 * 2)
    (folder / JOURNAL).write_bytes(data)
    status, lines = verify(folder, capsys)
    assert status == 1
    assert lines


def test_what_is_no_database_is_told(tmp_path, capsys):
    (tmp_path / JOURNAL).write_text("This is no database. " * 50)
    status, lines = verify(tmp_path, capsys)
    assert status == 1
    assert "cannot be read" in lines[0]


def test_without_a_record_it_says_so_and_makes_none(tmp_path, capsys):
    assert main(["verify", "--data", str(tmp_path / "none")]) == 2
    assert "There is no record" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_an_empty_file_is_no_record(tmp_path, capsys):
    (tmp_path / JOURNAL).touch()
    status, (line,) = verify(tmp_path, capsys)
    assert status == 1
    assert line == f"The file {tmp_path / JOURNAL} is empty: it is no record."


def test_it_leaves_nothing_beside_a_record_that_was_carried_away(folder, tmp_path, capsys):
    away = tmp_path / "away"
    away.mkdir()
    (away / JOURNAL).write_bytes((folder / JOURNAL).read_bytes())
    assert verify(away, capsys)[0] == 0
    assert main(["export", "last", "--data", str(away)]) == 0
    assert [path.name for path in away.iterdir()] == [JOURNAL]


@pytest.mark.parametrize("stays", [True, False], ids=["open", "closed again"])
def test_a_record_that_is_opened_while_it_is_read_without_locks_is_told(folder, stays):
    path = folder / JOURNAL
    with ExitStack() as stack:
        stack.enter_context(reading_without_a_trace(path))
        journal = Journal(path, still_clocks())
        records.write(journal, journal.newest().id, [6])
        if not stays:
            journal.close()
        with pytest.raises(Unreadable, match="try again"):
            stack.close()
    journal.close()


def test_it_verifies_while_somebody_writes(folder, capsys):
    journal = Journal(folder / JOURNAL, still_clocks())
    records.write(journal, journal.newest().id, [6])
    assert verify(folder, capsys)[0] == 0
    records.write(journal, journal.newest().id, [7])
    journal.close()
    assert verify(folder, capsys)[0] == 0
