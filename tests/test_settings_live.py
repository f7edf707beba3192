"""What is changed while the service runs: in force at once, at the next start, or not at all."""

from __future__ import annotations

import logging
import os
import threading

import pytest

from companion.settings.live import LiveSettings
from companion.settings.reading import load
from companion.settings.writing import NotWritten
from tests.support.room import Lamp, Room


class Held:
    """Settings of a file, and what was told of them."""

    def __init__(self, path, **line):
        def put(file):
            return Room(**{**file, **line}, fresh=True)

        self.path = path
        file = load(Room, path) if path.exists() else {}
        self.settings = LiveSettings(put(file), path, put, file)
        self.told = []
        for section in ("door", "names", "labels", "lamp"):
            self.settings.subscribe(section, lambda now, of=section: self.told.append((of, now)))

    def write(self, text, *, looks=2):
        self.path.write_text(text)
        self.look(looks)

    def look(self, looks=2):
        for _ in range(looks):
            self.settings.look()


@pytest.fixture
def held(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    path = tmp_path / "room.toml"
    path.write_text("door = 80\n")
    return Held(path)


def test_a_change_takes_effect_and_is_told_once(held):
    held.write("door = 80\nnames = ['Ann']\n[lamp]\nbright = 1")
    assert held.settings.now == Room(80, ("Ann",), {}, Lamp(1.0), fresh=True)
    assert held.told == [("names", ("Ann",)), ("lamp", Lamp(1.0))]
    held.look()
    assert len(held.told) == 2


def test_a_file_that_is_being_written_is_waited_for(held):
    held.write("", looks=1)  # an editor has opened it
    held.write("door = 80\nnames = ['Ann']", looks=1)
    assert held.settings.now.names == ()
    held.look(1)
    assert held.settings.now.names == ("Ann",)


def test_what_cannot_be_changed_now_waits_for_the_next_start(held, caplog):
    held.write("door = 70\n[lamp]\nbright = 0.75\nplug = 'wall'")
    assert held.settings.now == Room(80, (), {}, Lamp(0.75), fresh=True)
    assert held.settings.waiting == ("door", "lamp.plug")
    assert [record.message for record in caplog.records] == [
        "door takes effect at the next start.",
        "lamp.plug takes effect at the next start.",
    ]
    held.write("door = 70\nnames = ['Ann']")
    assert held.settings.waiting == ("door",)
    assert len(caplog.records) == 2
    held.write("door = 80")
    assert held.settings.waiting == ()
    assert ("door", 70) not in held.told


def test_what_does_not_go_with_what_waits_waits_too(held):
    held.write("door = 80\n[lamp]\nbright = 2e6\nplug = 'strong'")
    assert held.settings.now.lamp == Lamp()
    assert held.settings.waiting == ("lamp.bright", "lamp.plug")


@pytest.mark.parametrize("text", ["names = ", "nmaes = []", "[lamp]\nbright = -2", None])
def test_a_file_that_breaks_changes_nothing_and_is_told_once(held, caplog, text):
    held.write("door = 80\nnames = ['Ann']")
    before = held.settings.now
    held.path.unlink()
    if text is not None:
        held.path.write_text(text)
    for _ in range(4):
        held.look()
        held.path.touch()
        if text is None:
            held.path.unlink()
    assert held.settings.now == before
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.message.startswith(held.settings.trouble)
    assert record.message.endswith("The last good settings stay in force.")
    held.write("door = 80")
    assert held.settings.trouble == ""
    assert held.settings.now.names == ()
    assert "good again" in caplog.records[-1].message


def test_the_command_line_wins(tmp_path):
    path = tmp_path / "room.toml"
    path.write_text("names = ['Ann']")
    held = Held(path, names=("Bo",))
    held.write("names = ['Zosia']\n[labels]\na = 'b'")
    assert held.settings.now == Room(names=("Bo",), labels={"a": "b"}, fresh=True)
    assert [section for section, _ in held.told] == ["labels"]
    assert held.settings.outvoted == ("names",)


def test_a_key_that_does_not_count_is_told_once(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    path = tmp_path / "room.toml"
    path.write_text("names = ['Ann']")
    held = Held(path, names=("Bo",), door=3)
    with held.settings:
        pass
    held.write("names = ['Ann', 'Zosia']\n[labels]\na = 'b'")
    held.write("names = ['Bo']\ndoor = 4")
    assert [record.message for record in caplog.records] == [
        f"{key} in {path} does not count: the command line wins." for key in ("names", "door")
    ]


def test_a_page_writes_the_file_and_it_is_in_force(held):
    held.settings.change({("lamp", "bright"): 0.25, ("labels", "cup"): "tea"})
    assert held.path.read_text().startswith("door = 80\n")
    assert load(Room, held.path) == {"door": 80, "lamp": Lamp(0.25), "labels": {"cup": "tea"}}
    assert held.settings.now.lamp == Lamp(0.25)
    assert [section for section, _ in held.told] == ["labels", "lamp"]
    held.look()
    assert len(held.told) == 2
    held.settings.change({("labels", "cup"): None})
    assert held.settings.now.labels == {}


def test_a_page_may_be_the_first_to_write(tmp_path):
    held = Held(tmp_path / "room.toml")
    held.look()
    assert held.settings.trouble == ""
    held.settings.change({("names",): ("Ann",)})
    assert held.settings.now.names == ("Ann",)
    assert load(Room, held.path) == {"names": ("Ann",)}


def test_a_change_that_was_not_written_is_not_in_force(held):
    with pytest.raises(NotWritten):
        held.settings.change({("lamp", "bright"): -3.0})
    assert held.settings.now.lamp == Lamp()
    assert held.told == []


def test_without_a_file_a_change_lasts_as_long_as_the_program():
    settings = LiveSettings(Room())
    told = []
    settings.subscribe("lamp", told.append)
    settings.change({("lamp", "bright"): 0.25, ("labels", "cup"): "tea", ("names",): ("Ann",)})
    assert settings.now == Room(names=("Ann",), labels={"cup": "tea"}, lamp=Lamp(0.25))
    assert told == [Lamp(0.25)]
    settings.change({("lamp", "bright"): None, ("labels", "cup"): None, ("names",): None})
    assert settings.now == Room()


def test_one_that_fails_keeps_no_other_from_its_change(held, caplog):
    def fail(now):
        raise RuntimeError(now)

    held.settings.subscribe("names", fail)
    late = []
    held.settings.subscribe("names", late.append)
    held.write("names = ['Ann']")
    assert late == [("Ann",)]
    assert any("names could not take its change" in record.message for record in caplog.records)


def test_a_section_that_is_none_cannot_be_followed(held):
    with pytest.raises(LookupError, match="lmap"):
        held.settings.subscribe("lmap", print)


def test_what_was_changed_between_reading_and_starting_is_seen(tmp_path):
    path = tmp_path / "room.toml"
    path.write_text("names = ['Ann']")
    settings = LiveSettings(Room(), path)  # as it was before
    settings.look()
    assert settings.now.names == ("Ann",)


def test_who_may_read_it_now_is_enough_to_read_it_again(held, monkeypatch):
    def denied(_):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as denying:
        denying.setattr("companion.settings.reading.bytes_of", denied)
        held.write("door = 80\nnames = ['Ann']")
    assert "Permission denied" in held.settings.trouble
    held.path.chmod(0o640)
    held.look()
    assert (held.settings.trouble, held.settings.now.names) == ("", ("Ann",))


def test_a_pipe_in_the_place_of_the_file_keeps_nobody_waiting(held):
    held.path.unlink()
    os.mkfifo(held.path)
    with held.settings:
        held.look()
        assert held.settings.trouble == (
            f"The configuration {held.path} cannot be read (it is no ordinary file)."
        )
        with pytest.raises(NotWritten, match="it is no ordinary file"):
            held.settings.change({("door",): 2})


def test_a_file_that_is_far_too_large_is_not_read(held):
    held.write("# a line\n" * 120_000)
    assert "it is larger than 1 MB" in held.settings.trouble


def test_the_thread_looks_by_itself(held):
    changed = threading.Event()
    held.settings.subscribe("names", lambda _: changed.set())
    with held.settings:
        held.path.write_text("names = ['A']")
        assert changed.wait(10)


def test_the_thread_looks_at_once_when_it_is_told(held, monkeypatch):
    monkeypatch.setattr("companion.settings.live.LOOK_S", 3600)
    changed = threading.Event()
    held.settings.subscribe("names", lambda _: changed.set())
    with held.settings:
        held.path.write_text("names = ['B']")
        held.settings.wake()
        assert changed.wait(10)
        assert held.settings.now.names == ("B",)
