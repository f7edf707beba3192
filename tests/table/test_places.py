"""Where readers stand and how the ship feels: chosen on a page, at once and for ever."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from companion.config import Config
from companion.household import Household, NotRemembered, Remembered
from companion.match import Setup
from companion.places import seats_of, stations_of, thresholds_of
from companion.ship import Thresholds
from tests.support.tables import Hands, running

FELT = (12.0, -30.0, 995.0)


def test_the_configuration_is_right_where_both_say_something():
    remembered = Remembered(stations={"pcsc-1": "play", "pcsc-2": "reef"}, upright=FELT)
    config = Config(readers=("pcsc:",), stations={"pcsc-2": "area-1"})
    assert stations_of(config, remembered) == {"pcsc-1": "play", "pcsc-2": "area-1"}
    moved = Config(readers=("pcsc:",), stations={"pcsc-3": "reef", "pcsc-4": "play"})
    assert stations_of(moved, remembered) == {
        "pcsc-1": "play",
        "pcsc-3": "reef",
        "pcsc-4": "play",
    }
    assert thresholds_of(config, remembered).upright == FELT
    assert thresholds_of(config, Remembered()) == Thresholds()
    posed = Config(ship=Thresholds(upright=(0.0, 1000.0, 0.0)))
    assert thresholds_of(posed, remembered) == posed.ship


def test_seats_are_found_in_their_order():
    assert seats_of({"c": "seat-3", "a": "seat-1", "x": "play"}) == ("a", "", "c")
    assert seats_of({}) == ()


def test_what_was_placed_is_there_after_a_restart(tmp_path):
    household = Household(tmp_path / "household.sqlite")
    household.place({"pcsc-1": "play"})
    household.stand(FELT)
    household.close()
    assert (tmp_path / "household.sqlite").stat().st_mode & 0o077 == 0
    again = Household(tmp_path / "household.sqlite")
    assert again.now.stations == {"pcsc-1": "play"}
    assert again.now.upright == FELT
    again.close()


def test_a_reader_stands_elsewhere_at_once(tmp_path):
    setup = Setup("sea-salt-paper", ("Ann", "Bo"), options={"tracking": "score"})
    tags = {"04A3C6CAE26180": "sea-salt-paper/crab-yellow-1"}
    with running(tmp_path, setup, tags=tags, stations={"r1": "play"}) as table:
        hands = Hands(table)
        hands.tap("04A3C6CAE26180")
        table.arrange({"r1": "seat-2"}, Thresholds(rest_s=5))
        assert table.stations == {"r1": "seat-2"}
        assert table.thresholds.rest_s == 5
        hands.tap("04A3C6CAE26180")
    with closing(sqlite3.connect(tmp_path / "table.sqlite")) as record:
        notes = record.execute("SELECT body FROM note WHERE kind = 'tap' ORDER BY row")
        assert [json.loads(body)["station"] for (body,) in notes] == ["play", "seat-2"]


def test_a_full_disk_changes_nothing(tmp_path):
    household = Household(tmp_path / "household.sqlite")
    household.remember(("Ann",))
    household._file.execute("PRAGMA max_page_count = 1")
    with pytest.raises(NotRemembered, match="make room"):
        household.remember(tuple(f"{number} {'x' * 400}" for number in range(20)))
    assert household.now.names == ("Ann",)
    household.close()
    again = Household(tmp_path / "household.sqlite")
    assert again.now.names == ("Ann",)
    again.close()


def test_a_file_that_is_none_is_named(tmp_path):
    (tmp_path / "household.sqlite").write_bytes(b"no database at all" * 99)
    with pytest.raises(NotRemembered, match=r"household\.sqlite"):
        Household(tmp_path / "household.sqlite")
