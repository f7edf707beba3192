"""The log's end: what SQLite takes of a cut or damaged log, and that we knew it before."""

from __future__ import annotations

import os
import sqlite3
import struct
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.record.wal import HEADER_BYTES, Tail, checksum, tail_of
from tests.journal.records import read, written


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return written(tmp_path_factory.mktemp("small"), page_bytes=512)


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    return written(tmp_path_factory.mktemp("usual"), page_bytes=4096)


def hashes(path):
    """Of all rows; the hash of each tells all that is in it and before it."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        found = connection.execute("SELECT hash FROM entry UNION ALL SELECT hash FROM note")
        return {value for (value,) in found}


def expected(record, end):
    """The rows of the last transaction that ended by there."""
    return [rows for at, rows in record.ends if at <= end][-1]


def test_the_log_holds_the_last_two_transactions(small, usual):
    for record in (small, usual):
        (first, _), _, (last, rows) = record.ends
        assert first < last == len(record.log)
        assert len(rows) == 10
        assert tail_of(record.log).left == 0


def test_a_log_cut_at_every_byte_of_its_last_two_transactions(small, memory):
    """What was acknowledged before is there, once, and we say so when something was dropped."""
    boundaries = {end for end, _ in small.ends}
    path = small.put(memory, small.log)
    assert read(path) == small.ends[-1][1]
    for end in range(len(small.log), small.ends[0][0] - 1, -1):
        os.truncate(f"{path}-wal", end)
        assert hashes(path) == {row.hash for row in expected(small, end)}
        tail = tail_of(small.log[:end])
        assert (tail.left == 0) == (end in boundaries)
        assert tail.unfinished


def test_the_usual_page_size_is_cut_as_well(usual, memory):
    for end in range(usual.ends[0][0], len(usual.log) + 1, 61):
        assert read(usual.put(memory, usual.log[:end])) == expected(usual, end)


def test_any_byte_of_the_last_two_transactions_turned_round(small, memory):
    """Never a wrong record; where one is cut short by it, we say so."""
    whole = small.ends[-1][1]
    shorter = 0
    for at in range(small.ends[0][0], len(small.log), 11):
        log = bytearray(small.log)
        log[at] ^= 1 << at % 8
        found = read(small.put(memory, bytes(log)))
        assert found == whole[: len(found)]
        if found != whole:
            shorter += 1
            tail = tail_of(bytes(log))
            assert tail.left
            assert not tail.unfinished
    assert shorter > 500


def test_every_byte_of_the_logs_header_turned_round(small, memory):
    whole = small.ends[-1][1]
    for at in range(HEADER_BYTES):
        log = bytearray(small.log)
        log[at] ^= 1 << at % 8
        tail = tail_of(bytes(log))
        assert not tail.unfinished
        assert tail.left
        assert read(small.put(memory, bytes(log))) == whole[:4]


def test_what_an_earlier_round_left_in_the_log_is_no_torn_end(tmp_path):
    with closing(sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE a (b TEXT)")
        for _ in range(20):
            connection.execute("INSERT INTO a VALUES (hex(randomblob(3000)))")
        connection.execute("PRAGMA wal_checkpoint(FULL)")
        connection.execute("INSERT INTO a VALUES ('new')")
        log = (tmp_path / "a.sqlite-wal").read_bytes()
    tail = tail_of(log)
    assert 0 < tail.frames < 5
    assert len(log) > 20 * 4096
    assert tail.left == 0


@given(st.binary(max_size=2000))
def test_anything_can_be_looked_at(data):
    tail = tail_of(data)
    assert 0 <= tail.left <= len(data)
    assert tail.frames == 0


@given(frames=st.lists(st.tuples(st.integers(1, 9), st.booleans()), max_size=6), cut=st.data())
def test_a_log_of_our_own_making_ends_with_its_last_whole_transaction(frames, cut):
    """The format as the document says it, written by us: any frames, cut anywhere."""
    log, ends = _log(frames)
    end = cut.draw(st.integers(0, len(log)))
    whole = [number for number, (at, commits) in enumerate(ends, 1) if at <= end and commits]
    taken = whole[-1] if whole else 0
    found = tail_of(log[:end])
    assert found.frames == taken
    taken_bytes = HEADER_BYTES + taken * (24 + 512) if end >= HEADER_BYTES else 0
    assert found.left == max(end - taken_bytes, 0)
    assert found.unfinished


def _log(frames):
    header = struct.pack(">6I", 0x377F0682, 3007000, 512, 0, 7, 8)
    sums = checksum(header, (0, 0), "<")
    log = header + struct.pack(">2I", *sums)
    ends = []
    for page, commits in frames:
        start = struct.pack(">2I", page, page if commits else 0)
        content = bytes([page]) * 512
        sums = checksum(content, checksum(start, sums, "<"), "<")
        log += start + struct.pack(">2I", 7, 8) + struct.pack(">2I", *sums) + content
        ends.append((len(log), commits))
    return log, ends


def test_an_empty_log_says_nothing():
    assert tail_of(b"") == Tail(0, 0, unfinished=True)
