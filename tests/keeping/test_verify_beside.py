"""`companion verify` on what lies beside the record: household, summaries, copies."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

from companion.cli import main
from companion.data_folder import JOURNAL
from companion.household import HOUSEHOLD, Household
from companion.record import copies, taking
from companion.record.recovery import opened
from companion.record.summaries import SUMMARIES
from companion.rules.tentacles_words import Reveal, Stop
from tests.journal import records
from tests.support.tables import API, running, still_clocks


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
            taking.take_copy(tmp_path / JOURNAL)
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


# What nothing in the record itself tells


@pytest.fixture
def killed(tmp_path):
    """As `kill -9` leaves a table: its last actions in the log alone, and an older copy."""
    played, folder = tmp_path / "played", tmp_path / "killed"
    with running(played) as table:
        copies.checkpoint(played / JOURNAL)
        table.act(Reveal("dots"), source=API)
        taking.take_copy(played / JOURNAL)
        for _ in range(3):
            table.act(Stop(), source=API)
            table.act(Reveal("rings"), source=API)
        shutil.copytree(played, folder)
    return folder


def in_the_log(folder, at, change):
    log = folder / f"{JOURNAL}-wal"
    data = log.read_bytes()
    log.write_bytes(change(data, round(at * len(data))))


def turned_round(data, at):
    return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]


def cut(data, at):
    return data[:at]


@pytest.mark.parametrize(
    ("at", "change", "word"),
    [
        (0.9, turned_round, "The end of its log is damaged"),
        (0.1, turned_round, "has lost what its copy"),
        (0.1, cut, "has lost what its copy"),
        (1, cut, ""),
        (0.9999, cut, ""),  # as an unfinished write: it was not acknowledged
    ],
)
def test_what_is_lost_at_the_end_is_told_before_the_start_drops_it(
    killed, capsys, at, change, word
):
    in_the_log(killed, at, change)
    before = (killed / f"{JOURNAL}-wal").read_bytes()
    status = main(["verify", "--data", str(killed)])
    said = capsys.readouterr().out
    assert status == (1 if word else 0)
    assert word in said
    assert (killed / f"{JOURNAL}-wal").read_bytes() == before


def test_a_record_that_is_away_is_told(killed, capsys):
    for each in killed.glob(f"{JOURNAL}*"):
        each.unlink()
    assert main(["verify", "--data", str(killed)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "The record is missing. The next start goes on with the copy.",
        f"{killed / 'backups'}: 1 copy, none damaged.",
    ]
    damaged(killed / "backups/copy-000001/table.sqlite")
    assert main(["verify", "--data", str(killed)]) == 1
    assert "1 copy, 1 damaged" in capsys.readouterr().out
    found = opened(killed, still_clocks())
    found.journal.close()
    (sentence,) = found.sentences
    assert sentence.startswith("The record is missing. There is no good copy, so a new record")


def test_a_start_does_not_say_of_games_that_it_did_not_look_at_that_they_are_as_they_were(tmp_path):
    """It looks at the newest one; of those before it `companion verify` tells."""
    with closing(records.opened(tmp_path)) as journal:
        records.write(journal, journal.begin(records.SETUP).id, range(1, 5))
        journal.begin(records.SETUP)
    record = tmp_path / JOURNAL
    data = record.read_bytes()
    assert b'"card": "rings"' in data
    record.write_bytes(data.replace(b'"card": "rings"', b'"card": "stars"', 1))
    found = opened(tmp_path, still_clocks())
    assert found.sentences == ()
    assert "as it was written" not in found.in_one_line
    found.journal.close()
    assert main(["verify", "--data", str(tmp_path)]) == 1
