"""The record: append-only, durable, and refused in a sentence when it cannot be trusted."""

from __future__ import annotations

import sqlite3

import pytest

from companion.record.journal import SCHEMA_VERSION, Journal, JournalError
from companion.rules.tentacles_words import Reveal, Stop
from tests.support.tables import API, running, still_clocks


def opened(folder):
    return Journal(folder / "table.sqlite", still_clocks())


def test_every_commit_is_synced(tmp_path):
    journal = opened(tmp_path)
    pragma = {
        name: journal._connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "foreign_keys")
    }
    assert pragma == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


@pytest.mark.parametrize("change", ["UPDATE entry SET step = 9", "DELETE FROM entry"])
def test_an_entry_is_never_changed_nor_erased(tmp_path, change):
    with running(tmp_path) as table:
        table.act(Reveal("dots"), source=API)
    connection = sqlite3.connect(tmp_path / "table.sqlite")
    with pytest.raises(sqlite3.IntegrityError, match="an entry is never"):
        connection.execute(change)


def test_the_tables_id_is_made_once(tmp_path):
    first, second = opened(tmp_path), opened(tmp_path)
    assert first.table_id == second.table_id


def test_a_record_of_a_newer_version_is_refused_and_kept(tmp_path):
    opened(tmp_path).close()
    path = tmp_path / "table.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(JournalError, match="newer version"):
        opened(tmp_path)
    assert path.read_bytes() == before


def test_what_is_no_record_is_refused_and_kept(tmp_path):
    path = tmp_path / "table.sqlite"
    path.write_bytes(b"This is no database. " * 100)
    with pytest.raises(JournalError, match="cannot be opened"):
        opened(tmp_path)
    assert path.read_bytes().startswith(b"This is no database.")


def test_a_record_that_makes_no_sense_is_refused_and_kept(tmp_path):
    with running(tmp_path) as table:
        table.act(Reveal("dots"), source=API)
        game = table.snapshot.game
    with sqlite3.connect(tmp_path / "table.sqlite") as connection:
        connection.execute(
            "INSERT INTO entry VALUES (?, 2, 2, 2, ?, 'api', '', NULL, NULL, 0, '', '', x'00')",
            (game, '{"do": "steal", "from": "Bo"}'),
        )
    with pytest.raises(JournalError, match=r"after entry 1 .*--new"), running(tmp_path):
        pass
    with running(tmp_path, fresh=True) as table:
        assert table.act(Reveal("dots"), source=API).code is None


def test_a_torn_write_is_as_if_it_had_not_been(tmp_path):
    with running(tmp_path) as table:
        table.act(Reveal("dots"), source=API)
        table.act(Stop(), source=API)
        wal = (tmp_path / "table.sqlite-wal").read_bytes()
        database = (tmp_path / "table.sqlite").read_bytes()
    frame = 24 + sqlite3.connect(":memory:").execute("PRAGMA page_size").fetchone()[0]
    last_two = len(wal) - 2 * frame
    steps = set()
    for end in (*range(last_two, len(wal), 97), len(wal) - 1, len(wal)):
        folder = tmp_path / f"cut-{end}"
        folder.mkdir()
        (folder / "table.sqlite").write_bytes(database)
        (folder / "table.sqlite-wal").write_bytes(wal[:end])
        with running(folder) as table:
            steps.add(table.snapshot.step)
            assert table.snapshot.step in (1, 2) if end < len(wal) else table.snapshot.step == 2
            assert table.act(Reveal("rings"), source=API).code is None
    assert steps == {1, 2}
