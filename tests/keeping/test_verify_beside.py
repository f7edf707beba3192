"""`companion verify` on what lies beside the record: household, summaries, copies."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from companion.cli import main
from companion.data_folder import JOURNAL
from companion.household import HOUSEHOLD, Household
from companion.record import copies
from companion.record.summaries import SUMMARIES
from tests.journal import records


@pytest.fixture
def folder(tmp_path):
    """A record with two copies, a household and summaries."""
    with closing(Household(tmp_path / HOUSEHOLD)) as household:
        household.shape("Ann", "heart")
    with closing(sqlite3.connect(tmp_path / SUMMARIES)) as connection:
        connection.execute("CREATE TABLE summary (game TEXT)")
    with closing(records.opened(tmp_path)) as journal:
        game = journal.begin(records.SETUP).id
        for number in (1, 2):
            records.write(journal, game, [number])
            copies.take_copy(tmp_path / JOURNAL)
    return tmp_path


def verify(folder, capsys):
    status = main(["verify", "--data", str(folder)])
    # These records are not to be played: what is said of the games is for another test.
    lines = [line for line in capsys.readouterr().out.splitlines() if "Game 1" not in line]
    return status, lines[1:]


def damaged(path):
    data = bytearray(path.read_bytes())
    data[200:-200] = b"x" * (len(data) - 400)
    path.write_bytes(data)


def test_what_is_as_it_should_be_has_a_line_each(folder, capsys):
    _, lines = verify(folder, capsys)
    assert lines == [
        f"{folder / HOUSEHOLD}: as it should be.",
        f"{folder / SUMMARIES}: as it should be.",
        f"{folder / 'backups'}: 2 copies, none damaged.",
    ]


@pytest.mark.parametrize(
    ("name", "word"),
    [
        (HOUSEHOLD, "cannot be read"),
        (SUMMARIES, "the next start makes it anew"),
        ("backups/copy-000001/table.sqlite", "not as it was written"),
        ("backups/copy-000002/household.sqlite", "not as it was written"),
        ("backups/copy-000002/manifest.json", "list of contents is damaged"),
    ],
)
def test_what_is_damaged_is_named_and_makes_the_exit_status_1(folder, capsys, name, word):
    damaged(folder / name)
    before = (folder / name).read_bytes()
    status, lines = verify(folder, capsys)
    assert status == 1
    (line,) = [line for line in lines if word in line]
    assert line.startswith(str(folder / name.rpartition("/")[0]))
    assert (folder / name).read_bytes() == before
