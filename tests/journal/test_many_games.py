"""What a start and an action cost does not grow with the games in the data folder."""

from __future__ import annotations

from contextlib import closing

import pytest

from companion.data_folder import JOURNAL
from companion.match import Setup
from companion.record.journal import Entry, Journal, Note
from companion.record.reading import check_chain, newest_game, reading
from companion.record.verify import verified
from companion.snapshot import Source
from tests.benchmarks.many_games import make
from tests.support.tables import still_clocks

FEW, MANY = 5, 100


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    found = {count: tmp_path_factory.mktemp(str(count)) for count in (FEW, MANY)}
    for count, folder in found.items():
        make(folder, count)
    return found


def steps_of(connection, do):
    """How many instructions SQLite's machine needed for it."""
    count = 0

    def step():
        nonlocal count
        count += 1

    connection.set_progress_handler(step, 1)
    do()
    connection.set_progress_handler(None, 1)
    return count


def everyday_steps(folder):
    with closing(Journal(folder / JOURNAL, still_clocks())) as journal:
        newest = journal.newest()
        last = list(journal.entries(newest.id))[-1].entry
        entry = Entry(last + 1, 1, {"do": "stop"}, Source("api"), None, "request")
        deeds = {
            "newest": journal.newest,
            "untouched": lambda: journal.untouched(newest.id),
            "count_run": journal.count_run,
            "append": lambda: journal.append(newest.id, (entry,), (Note(last, "tap", {}),)),
            "find_request": lambda: journal.find_request("request"),
            "find_no_request": lambda: journal.find_request("none"),
            "begin": lambda: journal.begin(Setup("tentacles", ("Ann", "Bo"))),
        }
        return {name: steps_of(journal._connection, deed) for name, deed in deeds.items()} | {
            "last_read per row": steps_of(journal._connection, journal.last_read) / last
        }


def test_the_folders_are_as_a_table_would_write_them(folders):
    with reading(folders[FEW] / JOURNAL) as connection:
        found = verified(connection)
    assert (found.games, found.troubles) == (FEW, [])


def test_a_look_at_the_start_does_not_grow(folders):
    steps = {}
    for count, folder in folders.items():
        with reading(folder / JOURNAL) as connection:
            newest = newest_game(connection)
            rows = connection.execute(
                "SELECT row FROM head WHERE game = ?", (newest.id,)
            ).fetchone()[0]
            look = steps_of(connection, lambda: check_chain(connection, newest_game(connection)))
            steps[count] = look / rows
    assert steps[MANY] < steps[FEW] * 1.2


def test_no_everyday_work_on_the_record_grows(folders):
    few, many = everyday_steps(folders[FEW]), everyday_steps(folders[MANY])
    for name, steps in few.items():
        assert steps > 0
        assert many[name] < steps * 1.2 + 5, name
