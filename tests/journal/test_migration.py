"""A record that version 1 of the program made goes on, with nothing lost."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from companion.match import Setup
from companion.record.journal import SCHEMA_VERSION, Entry, Journal, Note
from companion.snapshot import Source
from tests.support.tables import running, still_clocks

VERSION_1 = Path(__file__).with_name("version_1")
ENTRY = ", ".join(
    f"entry.{column}"
    for column in (
        *("game", "entry", "step", "command", "source", "reader"),
        *("uid", "request", "monotonic_ns", "boot", "wall"),
    )
)
KEPT = {
    f"SELECT {ENTRY} FROM entry ORDER BY rowid": f"SELECT {ENTRY} FROM entry"
    " JOIN game ON game = id ORDER BY number, entry",
    "SELECT id, number, rules, players, starter, options, program, started_at FROM game": "SELECT"
    " id, number, rules, players, starter, options, program, wall FROM game",
    "SELECT * FROM tag ORDER BY uid": "SELECT * FROM tag ORDER BY uid",
    "SELECT * FROM about ORDER BY name": "SELECT * FROM about ORDER BY name",
}
"""What version 2 has of version 1: a query for each of the two."""


@pytest.fixture
def folder(tmp_path):
    shutil.copy(VERSION_1 / "table.sqlite", tmp_path)
    return tmp_path


def rows(path, statement):
    with sqlite3.connect(path) as connection:
        return connection.execute(statement).fetchall()


def test_every_entry_game_and_tag_is_brought_on(folder):
    path = folder / "table.sqlite"
    before = [rows(path, old) for old in KEPT]
    Journal(path, still_clocks()).close()
    after = [rows(path, new) for new in KEPT.values()]
    assert len(before[0]) == 720
    assert after == before
    assert rows(path, "PRAGMA user_version") == [(SCHEMA_VERSION,)]
    assert rows(path, "SELECT count(*) FROM entry WHERE row != entry") == [(0,)]


def test_it_is_then_as_one_that_was_made_new(folder, tmp_path):
    Journal(folder / "table.sqlite", still_clocks()).close()
    Journal(tmp_path / "new.sqlite", still_clocks()).close()
    tables = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
    assert rows(folder / "table.sqlite", tables) == rows(tmp_path / "new.sqlite", tables)


def test_the_game_in_progress_goes_on(folder):
    final = json.loads((VERSION_1 / "final.json").read_text(encoding="utf-8"))[-1]
    with running(folder) as table:
        assert table.resumed
        snapshot = table.snapshot
        assert snapshot.game == final["game"]
        assert snapshot.step == final["step"]
        assert json.loads(json.dumps(snapshot.state)) == final["state"]


def test_a_migration_that_fails_leaves_the_old_record(folder, monkeypatch):
    path = folder / "table.sqlite"
    before = path.read_bytes()

    def fail(*columns):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("companion.record.schema.link", fail)
    with pytest.raises(Exception, match="disk is full"):
        Journal(path, still_clocks())
    assert rows(path, "PRAGMA user_version") == [(1,)]
    assert path.read_bytes()[100:] == before[100:]
    monkeypatch.undo()
    Journal(path, still_clocks()).close()


def test_entries_and_notes_come_back_in_the_order_in_which_they_were_written(tmp_path):
    journal = Journal(tmp_path / "table.sqlite", still_clocks())
    game = journal.begin(Setup("tentacles", ("Ann", "Bo"))).id
    first = Entry(1, 1, {"do": "reveal", "card": "dots"}, Source("reader", "r1"), "04A3", "id")
    second = Entry(2, 0, {"undo": 1}, Source("page"))
    third = Entry(3, 1, {"do": "stop"}, Source("page"))
    tap, doubt, seen = Note(0, "tap", {"uid": "04A3"}), Note(0, "doubt", {}), Note(2, "tap", {})
    journal.append(game, (), (tap,))
    journal.append(game, (first, second), (doubt,))
    journal.append(game, (third,), (seen,))
    assert list(journal.record(game)) == [tap, doubt, first, second, seen, third]
    assert list(journal.entries(game)) == [first, second, third]


def test_a_refused_row_leaves_none_of_its_transaction(tmp_path):
    journal = Journal(tmp_path / "table.sqlite", still_clocks())
    game = journal.begin(Setup("tentacles", ("Ann", "Bo"))).id
    entry = Entry(1, 1, {"do": "stop"}, Source("api"), None, "same")
    journal.append(game, (entry,))
    again = Entry(2, 2, {"do": "stop"}, Source("api"), None, "same")
    with pytest.raises(sqlite3.IntegrityError):
        journal.append(game, (again,), (Note(1, "tap", {}),))
    assert list(journal.record(game)) == [entry]
