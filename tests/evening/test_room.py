"""A room with a real table: time, readers, the disk and the service are in our hands."""

from __future__ import annotations

from random import Random

import pytest

from companion.match import Setup
from companion.rules.tentacles_words import Reveal
from hardware_sim.evening.faults import Tap, steps_of
from hardware_sim.evening.hands import PAGE
from hardware_sim.evening.room import Room
from hardware_sim.evening.tentacles import TentaclesPeople

TWO = Setup("tentacles", ("Ann", "Bo"))


@pytest.fixture
def people():
    return TentaclesPeople(TWO, Random(1))


@pytest.fixture
def room(tmp_path, people):
    room = Room(tmp_path / "record", TWO, people.world.tags)
    yield room
    if not room.table.closed:
        room.close()


def tap(room, uid, **faults):
    room.play(steps_of(Tap("reader-1", uid), None, frozenset(faults), Random(1)))


def test_a_tap_reaches_the_table(room, people):
    dots = people.world.one("tentacles/dots")
    tap(room, dots)
    assert [(event.kind, event.action) for event in room.listen()] == [("action", Reveal("dots"))]
    assert room.record.action == Reveal("dots")
    assert room.listen() == []


def test_after_a_kill_everything_is_there(room, people):
    before = room.snapshot
    tap(room, people.world.one("tentacles/dots"))
    was = room.folder
    room.kill()
    assert room.folder != was
    assert not was.exists()
    assert room.record.action == Reveal("dots")
    assert room.snapshot.epoch != before.epoch
    tap(room, people.world.one("tentacles/rings"))
    room.close()
    assert room.on_disk().step == 2


def test_a_full_disk_is_refused_and_nothing_changes(room, people):
    room.disk.full = True
    tap(room, people.world.one("tentacles/dots"))
    assert [(event.kind, event.code) for event in room.listen()] == [("refused", "storage")]
    assert room.record.step == 0
    room.disk.full = False
    tap(room, people.world.one("tentacles/dots"))
    assert room.record.step == 1


def test_a_lost_reader_tells_nothing(room, people):
    room.lose("reader-1")
    tap(room, people.world.one("tentacles/dots"))
    assert [reader.ready for reader in room.snapshot.readers] == [False]
    assert room.record.step == 0
    room.pass_time(5)
    room.give_back("reader-1")
    assert [reader.ready for reader in room.snapshot.readers] == [True]
    assert [question.key for question in room.snapshot.questions] == ["away"]


def test_the_wall_clock_can_be_wrong(room, people):
    room.set_wall_clock(hours=-20_000)
    tap(room, people.world.one("tentacles/dots"))
    assert room.record.step == 1


def test_another_game_begins_when_one_is_over(room, people):
    with pytest.raises(RuntimeError, match="when this one is over"):
        room.begin_again()
    for pattern in ("dots", "rings", "stars", "stripes", "waves"):
        room.table.act(Reveal(pattern), source=PAGE)
    assert room.snapshot.standing.over
    room.begin_again()
    assert room.snapshot.step == 0
