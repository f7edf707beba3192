"""Where readers stand and how the ship feels: chosen on a page, at once and for ever."""

from __future__ import annotations

import json
import logging
import sqlite3
import tomllib
from contextlib import closing
from dataclasses import asdict

import pytest

from companion.choices import Choices
from companion.config import Config, Told
from companion.household import Household, NotRemembered
from companion.match import Setup
from companion.places import follow, hand_over, seats_of
from companion.settings.live import LiveSettings
from companion.ship import Thresholds
from tests.support.tables import Hands, running

FELT = (12.0, -30.0, 995.0)


def test_seats_are_found_in_their_order():
    assert seats_of({"c": "seat-3", "a": "seat-1", "x": "play"}) == ("a", "", "c")
    assert seats_of({}) == ()


def old_household(folder, **kept):
    """A household as it was when it held the stations, the pose of the ship and the choices."""
    with closing(sqlite3.connect(folder / "household.sqlite")) as file, file:
        file.executescript(
            "PRAGMA journal_mode = DELETE;"
            "CREATE TABLE thing (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;"
        )
        everything = {
            "devices": {"0" * 16: {"player": "Ann", "joined": 1, "seen_on": ""}},
            "shapes": {"Ann": "heart"},
            "names": ["Ann", "Bo"],
            "choices": {"odds": True, "hints": False, "players_correct": True},
            "stations": {"pcsc-1": "draw", "pcsc-2": "play"},
            "upright": list(FELT),
            "hidden": {},
            **kept,
        }
        rows = [(key, json.dumps(value)) for key, value in everything.items()]
        file.executemany("INSERT INTO thing VALUES (?, ?)", rows)
    return Household(folder / "household.sqlite")


def handed(folder, text, software=(), **kept):
    """What is in the file when a household of an older version was there at the start."""
    path = folder / "table.toml"
    if text is not None:
        path.write_text(text)
    told = Told({"data": folder})
    with closing(old_household(folder, **kept)) as household:
        settings = told.settings()
        hand_over(household, settings, dict(software))
        assert settings.now == told.settings().now
        assert household.settings == {}
        assert household.now.devices
    with closing(Household(folder / "household.sqlite")) as again:
        assert again.settings == {}
        assert (again.now.names, again.now.shapes) == (("Ann", "Bo"), {"Ann": "heart"})
    return tomllib.loads(path.read_text()) if path.exists() else None


def test_a_household_of_an_older_version_hands_over_once(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    assert handed(tmp_path, None) == {
        "stations": {"pcsc-1": "draw", "pcsc-2": "play"},
        "ship": {"upright": list(FELT)},
        "choices": {"odds": True},
    }
    assert "table.toml from now on: stations.pcsc-1" in caplog.text
    # What is changed by hand later stays so.
    (tmp_path / "table.toml").write_text("")
    assert Told({"data": tmp_path}).settings().now.choices == Choices()


def test_what_the_file_says_already_is_right(tmp_path):
    text = (
        "# ours\nstations = { pcsc-3 = 'draw', pcsc-2 = 'reef' }\n"
        "[ship]\nupright = [0, 1000, 0]\n[choices]\nodds = true\n"
    )
    handed(tmp_path, text)
    assert (tmp_path / "table.toml").read_text() == text


def test_one_place_has_one_reader_also_when_it_is_handed_over(tmp_path):
    stations = {"pcsc-1": "draw", "pcsc-2": "draw", "pcsc-3": "attic", "sim": "play"}
    found = handed(tmp_path, "", {"sim": "play"}, stations=stations, upright=None, choices={})
    assert found == {"stations": {"pcsc-1": "draw"}}


def test_a_household_without_settings_makes_no_file(tmp_path):
    usual = asdict(Choices())
    assert handed(tmp_path, None, stations={}, upright=None, choices=usual) is None


def test_what_cannot_be_handed_over_stays_for_the_next_start(tmp_path, caplog, monkeypatch):
    def full(number):
        raise OSError(28, "No space left on device")

    with closing(old_household(tmp_path)) as household, monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        hand_over(household, Told({"data": tmp_path}).settings(), {})
        assert household.settings["upright"] == list(FELT)
    assert "is not in force: The settings in" in caplog.text
    with closing(Household(tmp_path / "household.sqlite")) as household:
        settings = Told({"data": tmp_path}).settings()
        hand_over(household, settings, {})
        assert settings.now.ship.upright == FELT


def test_a_household_is_nobody_elses_business(tmp_path):
    Household(tmp_path / "household.sqlite").close()
    assert (tmp_path / "household.sqlite").stat().st_mode & 0o077 == 0


def test_the_table_hears_of_every_change(tmp_path):
    setup = Setup("sea-salt-paper", ("Ann", "Bo"))
    settings = LiveSettings(Config())
    with running(tmp_path, setup, stations={"sim": "play", "sim/draw": "draw"}) as table:
        follow(settings, table, table.stations)
        settings.change({("stations", "pcsc-1"): "seat-2", ("stations", "sim"): "reef"})
        assert table.stations == {"sim": "reef", "sim/draw": "draw", "pcsc-1": "seat-2"}
        settings.change({("ship", "rest_s"): 5.0})
        assert table.thresholds.rest_s == 5


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
