"""A full disk, a read-only folder and a slow disk while people play."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from companion.data_folder import JOURNAL
from companion.drivers.api import TagOn
from companion.record.reading import games, reading
from companion.record.taking import take_copy
from companion.record.verify import verified
from companion.rules.tentacles_words import Reveal, Stop
from tests.journal import records
from tests.support.disks import fill, small_disk
from tests.support.tables import API, running

UID = "04A3C6CAE26180"
SLOW_S = 0.2


@contextmanager
def mounted(folder: Path, *, read_only: bool = False):
    """Whether a small disk is mounted there; without the right to do it, it is any folder."""
    folder.mkdir(exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(small_disk(folder, read_only=read_only))
        except (OSError, subprocess.CalledProcessError):
            real = False
        else:
            real = True
        yield real


@contextmanager
def full(folder: Path, table, *, real: bool):
    """The disk is full: really, or as SQLite says it when a file may not grow."""
    if real:
        filler = fill(folder)
        yield
        filler.unlink()
        return
    connection = table._authority.course._journal._connection
    before = connection.execute("PRAGMA max_page_count").fetchone()[0]
    connection.execute("PRAGMA max_page_count = 1")  # as many as there are now
    yield
    connection.execute(f"PRAGMA max_page_count = {before}")


def act_until_refused(table):
    """Entries that were acknowledged, and the answer to the one that was not."""
    count = 0
    while True:
        action = Reveal("dots") if table.snapshot.standing.phase == "reveal" else Stop()
        answer = table.act(action, source=API, request_id=f"{table.snapshot.step}-{count}")
        if answer.code is not None:
            return count, answer
        count += 1
        if count % 2 == 0:
            table.undo(2, source=API)


def fold(folder: Path):
    with reading(folder / JOURNAL) as connection:
        found = verified(connection)
        (game,) = games(connection)
        assert not found.troubles
        return [row.content for row in records.read(folder / JOURNAL)], game


def test_a_full_disk_refuses_politely_and_goes_on_when_there_is_room(tmp_path):
    folder = tmp_path / "disk"
    with mounted(folder) as real:
        with running(folder, tags={UID: "tentacles/rings"}) as table:
            assert table.act(Reveal("dots"), source=API).code is None
            with full(folder, table, real=real):
                _, refused = act_until_refused(table)
                before = table.snapshot
                assert refused.code == "storage"
                assert refused.message.startswith("The disk is full, so nothing has changed")
                assert before.event.kind == "refused"
                assert before.event.code == "storage"
                rows = records.read(folder / JOURNAL)
                for _ in range(3):
                    action = Reveal("rings") if before.standing.phase == "reveal" else Stop()
                    assert table.act(action, source=API).code == "storage"
                    assert table.undo(1, source=API).code == "storage"
                table.report(TagOn("r1", UID, 0))
                assert table.settle().step == before.step
                assert table.snapshot.standing == before.standing
                assert records.read(folder / JOURNAL) == rows
            answer = table.act(action, source=API, request_id="after")
            assert answer.code is None
            assert table.snapshot.step == before.step + 1
            step = table.snapshot.step
        contents, _ = fold(folder)
        assert contents[-1].request == "after"
        with running(folder) as table:
            assert table.snapshot.step == step


@pytest.mark.needs("mount")
def test_a_copy_on_a_full_disk_leaves_no_half_and_keeps_the_room(tmp_path):
    folder = tmp_path / "disk"
    with mounted(folder) as real:
        assert real, "a small disk could not be mounted"
        journal = records.opened(folder)
        records.write(journal, journal.begin(records.SETUP).id, range(1, 20))
        with full(folder, None, real=True), pytest.raises(Exception, match=r"full|space"):
            take_copy(folder / JOURNAL)
        assert list((folder / "backups").iterdir()) == []
        assert take_copy(folder / JOURNAL) is not None
        journal.close()


@contextmanager
def read_only(folder: Path):
    """Nobody may write there: root needs a real mount, for others the mode does."""
    with mounted(folder, read_only=True) as real:
        assert real or os.geteuid(), "root may write anywhere, and could not mount"
        if not real:
            folder.chmod(0o555)
        yield
        if not real:
            folder.chmod(0o755)


def test_a_start_on_a_read_only_folder_is_refused_in_one_sentence(tmp_path):
    command = [sys.executable, "-m", "companion.cli", "run", "--port", "0", "--data", str(tmp_path)]
    with read_only(tmp_path):
        found = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert found.returncode == 2
    assert found.stdout == ""
    (sentence,) = found.stderr.splitlines()
    assert "cannot be written" in sentence
    assert "--data" in sentence


def test_a_record_that_becomes_read_only_refuses_and_goes_on_when_it_is_over(tmp_path):
    """As a disk that the system has set to read-only after a fault."""
    with running(tmp_path) as table:
        assert table.act(Reveal("dots"), source=API).code is None
        connection = table._authority.course._journal._connection
        connection.execute("PRAGMA query_only = ON")
        rows = records.read(tmp_path / JOURNAL)
        answer = table.act(Stop(), source=API, request_id="again")
        assert answer.code == "storage"
        assert table.snapshot.event.code == "storage"
        assert table.snapshot.step == 1
        assert records.read(tmp_path / JOURNAL) == rows
        connection.execute("PRAGMA query_only = OFF")
        assert table.act(Stop(), source=API, request_id="again").code is None
    fold(tmp_path)


def test_a_slow_disk_makes_people_wait_and_nothing_else(tmp_path):
    """Each write lasts 200 ms: everybody is answered once, in order, and views stay at hand."""
    with running(tmp_path) as table:
        journal = table._authority.course._journal
        append, writing = journal.append, threading.Event()

        def slowly(*rows):
            writing.set()
            threading.Event().wait(SLOW_S)
            append(*rows)

        journal.append = slowly
        answers = {}

        def ask(identity):
            answers[identity] = table.act(Reveal("dots"), source=API, request_id=identity)

        people = [threading.Thread(target=ask, args=(f"person-{n // 2}",)) for n in range(8)]
        for person in people:
            person.start()
        writing.wait(10)
        assert table.snapshot.step == 0  # the view of before, at once
        assert table.wait(0, 0).standing.turn == "Ann"
        for person in people:
            person.join()
        assert len(answers) == 4
        assert [answer.code for answer in answers.values()].count(None) >= 1
        step = table.snapshot.step
    contents, _ = fold(tmp_path)
    requests = [content.request for content in contents if hasattr(content, "request")]
    assert len(requests) == len(set(requests)) == step


def test_nothing_is_acknowledged_when_the_records_file_is_away_or_another_one(tmp_path):
    """As when somebody tidies up, or a program that keeps folders alike puts its own one there."""
    record, away = tmp_path / JOURNAL, tmp_path / "away"
    with running(tmp_path) as table:
        assert table.act(Reveal("dots"), source=API).code is None
        record.rename(away)
        for _ in range(2):
            refused = table.act(Stop(), source=API)
            assert refused.code == "storage"
            assert refused.message.startswith("The record's file is gone from its place")
            shutil.copy(away, record)
        assert table.snapshot.step == 1
        away.replace(record)
        assert table.act(Stop(), source=API).code is None
