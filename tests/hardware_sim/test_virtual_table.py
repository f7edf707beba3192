"""The virtual table: a pile that is as physical as a real one."""

from __future__ import annotations

import time
from collections import Counter
from random import Random

import pytest

from companion.match import Setup
from companion.rules.tentacles_words import Decline, Lose, Reshuffle, Reveal, Steal, Stop
from companion.service import lay_out
from hardware_sim.virtual_table import VirtualReader
from tests.support.tables import API, running


class Played:
    """A table with a virtual reader beside it."""

    def __init__(self, table, reader):
        self.table = table
        self.reader = reader

    def choose(self):
        """Do what is possible and is no card, so that the next card can be turned."""
        snapshot = self.table.snapshot
        for action in snapshot.legal:
            if isinstance(action, Reshuffle | Decline | Steal | Lose):
                return self.table.act(action, source=API)
        return None


@pytest.fixture
def played(tmp_path):
    reader = VirtualReader("", Random(1))
    folder = tmp_path / "data"
    with running(folder, Setup("tentacles", ("Ann", "Bo")), look_up=reader.component) as table:
        lay_out(reader, table, {"04A3C6CAE26180": "tentacles/dots", "8B6566B9": "control/stop"})
        reader.open(table.report, time.monotonic_ns)
        yield Played(table, reader)


def test_its_reader_is_shown(played):
    played.table.settle()
    (reader,) = played.table.snapshot.readers
    assert (reader.name, reader.ready) == ("sim", True)


def test_the_pile_holds_the_deck_in_play(played):
    down = dict(played.reader.faces())
    assert (down["tentacles/dots"], down["tentacles/octopus"]) == (4, 3)
    assert sum(down.values()) == played.reader.pile() == 43
    assert list(played.reader.others()) == [
        "control/stop",
        "control/undo",
        "control/shuffle",
        "player/1",
        "player/2",
    ]


def test_the_twin_of_an_enrolled_tag_has_its_uid(played):
    assert played.reader.component("04A3C6CAE26180") == "tentacles/dots"
    assert played.reader.component("8B6566B9") == "control/stop"


def test_the_pile_shrinks_as_the_table_counts_it_and_is_whole_after_a_shuffle(played):
    seen: Counter[str] = Counter()
    for turned in range(1, 60):
        if played.table.snapshot.standing.over:
            break
        played.choose()
        before = played.table.snapshot.step
        if played.table.snapshot.state["pile"] == 0:
            break
        played.reader.turn_top()
        snapshot = played.table.snapshot
        assert snapshot.step == before + 1, snapshot.event
        assert played.reader.pile() == snapshot.state["pile"]
        seen = Counter(snapshot.state["discard"])
        assert sum(seen.values()) + played.reader.pile() == 43, turned
    assert seen


def test_a_card_that_is_taken_back_lies_on_top_again(played):
    played.reader.turn_top()
    first = played.table.snapshot.event.action
    played.table.undo(1, source=API)
    # The same tag read again at once would be one tap, so something else is laid between.
    played.reader.tap_unknown()
    played.reader.turn_top()
    assert played.table.snapshot.event.action == first


def test_a_card_entered_by_touch_leaves_the_pile(played):
    played.table.act(Reveal("octopus"), source=API)
    assert dict(played.reader.faces())["tentacles/octopus"] == 2
    assert played.reader.pile() == 42


def test_a_particular_card_can_be_looked_out(played):
    played.reader.tap("tentacles/stars")
    assert played.table.snapshot.standing.scores["Ann"] == 1
    played.reader.tap("control/stop")
    assert played.table.snapshot.event.action == Stop()


def test_what_is_not_there_cannot_be_laid_down(played):
    with pytest.raises(LookupError, match="no tentacles/crab"):
        played.reader.tap("tentacles/crab")


@pytest.mark.parametrize(
    ("move", "code"), [("tap_unknown", "unknown-tag"), ("lay_two", "several-tags")]
)
def test_faults_are_told_and_change_nothing(played, move, code):
    getattr(played.reader, move)()
    assert (played.table.snapshot.event.code, played.table.snapshot.step) == (code, 0)


def test_a_pulled_cable(played):
    played.reader.unplug()
    assert not played.table.snapshot.readers[0].ready
    for move in (played.reader.turn_top, played.reader.lay_two):
        with pytest.raises(LookupError, match="unplugged"):
            move()
    assert played.table.snapshot.step == 0
    played.reader.plug()
    assert played.table.snapshot.readers[0].ready
    played.reader.turn_top()
    assert played.table.snapshot.step == 1
