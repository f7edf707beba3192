"""A change is written: comments stay, nothing gets lost, and a cut leaves the old or the new."""

from __future__ import annotations

import os
import stat
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.settings import writing
from companion.settings.reading import look_at
from companion.settings.writing import NotWritten, changed, write
from tests.support.room import Lamp, Room


@pytest.fixture
def path(tmp_path):
    return tmp_path / "room.toml"


BY_HAND = """# Our room

door = 80   # measured twice
names = [
    "Kari",  # grandmother
    "Ola",
]

[lamp] # over the table
# not too bright
bright = 0.25
"""


def test_a_change_leaves_all_else_as_it_was(path):
    path.write_text(BY_HAND)
    write(Room, path, {("lamp", "bright"): 0.75, ("labels", "pcsc-1/0"): "cup"})
    assert path.read_text() == BY_HAND.replace("0.25", "0.75") + '\n[labels]\n"pcsc-1/0" = "cup"\n'
    write(Room, path, {("labels", "pcsc-1/0"): None, ("lamp", "at"): (1.0, 2.0)})
    assert tomllib.loads(path.read_text())["lamp"] == {"bright": 0.75, "at": [1.0, 2.0]}
    assert "# grandmother" in path.read_text()


def test_a_file_that_is_not_there_is_made(path):
    write(Room, path, {("door",): 70, ("lamp", "bright"): 1.0})
    assert tomllib.loads(path.read_text()) == {"door": 70, "lamp": {"bright": 1.0}}
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "text",
    [
        "lamp = { bright = 0.25 } # inline\nnames = []",
        "lamp.bright = 0.25 # dotted\ndoor = 1",
        "[labels]\na = 'b'\n[lamp]\nbright = 0.25 # late",
        "door = 1\r\n[lamp]\r\nbright = 0.25 # from afar\r\n",
        "\ufeff[lamp]\nbright = 0.25 # with a mark",
        "[ lamp ]\n'bright' = 0.25 # spelt oddly",
        "[lamp]\nbright = 0.25\n\n[labels]\n# last words",
    ],
)
def test_every_way_to_spell_it_is_understood(path, text):
    path.write_bytes(text.encode())
    before = tomllib.loads(path.read_text("utf-8-sig"))
    write(Room, path, {("lamp", "bright"): 0.5, ("door",): 7, ("names",): ("Ann",)})
    assert tomllib.loads(path.read_text()) == {
        **before,
        "lamp": {"bright": 0.5},
        "door": 7,
        "names": ["Ann"],
    }
    comment = text.partition("#")[2].splitlines()[0]
    assert comment in path.read_text()


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.floats(0, 1e6) | st.integers(0, 1000).map(float)
changes = st.fixed_dictionaries(
    {},
    optional={
        ("door",): st.integers(1 - 2**63, 2**63 - 1) | st.none(),
        ("names",): st.lists(texts.map(str.strip), max_size=3).map(tuple) | st.none(),
        ("lamp", "bright"): numbers | st.none(),
        ("lamp", "at"): st.tuples(numbers, numbers) | st.none(),
        ("lamp", "password"): texts | st.none(),
        ("labels",): st.dictionaries(texts, texts, max_size=3) | st.none(),
    },
)
COMMENT = st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=20)


def said_by(text: str) -> Room:
    found = look_at(Room, Path("room.toml"), text)
    assert not found.faults
    return Room(**found.values)


@settings(max_examples=40)
@given(st.lists(changes, max_size=4), COMMENT)
def test_what_was_written_is_read_again(rounds, comment):
    text = f"#{comment}\n{BY_HAND}"
    room = said_by(text)
    for each in rounds:
        text = changed(Room, Path("room.toml"), text, each)
        for (name, *inside), value in each.items():
            if not inside:
                held = getattr(Room(), name) if value is None else value
            else:
                usual = getattr(Lamp(), inside[0])
                lamp = room.lamp
                held = replace(lamp, **{inside[0]: usual if value is None else value})
            room = replace(room, **{name: held})
        assert said_by(text) == room
        assert text.startswith(f"#{comment}\n# Our room\n")
        assert "# over the table" in text


@settings(max_examples=40)
@given(st.dictionaries(texts, texts, min_size=1, max_size=4), st.data())
def test_entries_come_and_go_one_by_one(labels, data):
    text = ""
    for name, label in labels.items():
        text = changed(Room, Path("room.toml"), text, {("labels", name): label})
    gone = data.draw(st.sampled_from(sorted(labels)))
    text = changed(Room, Path("room.toml"), text, {("labels", gone): None})
    assert said_by(text).labels == {name: of for name, of in labels.items() if name != gone}


def test_a_file_with_a_fault_is_left_to_the_hand_that_made_it(path):
    path.write_text("door = \n")
    with pytest.raises(NotWritten, match=r"while their file has a fault: .*room\.toml, line 1"):
        write(Room, path, {("door",): 1})
    assert path.read_text() == "door = \n"


def test_what_cannot_be_is_not_written(path):
    path.write_text(BY_HAND)
    with pytest.raises(NotWritten, match=r"bright is never below 0\."):
        write(Room, path, {("lamp", "bright"): -1.0})
    assert path.read_text() == BY_HAND


def test_secrets_are_for_the_owner_alone(path):
    path.write_text("door = 1")
    path.chmod(0o664)
    write(Room, path, {("door",): 2})
    assert stat.S_IMODE(path.stat().st_mode) == 0o664
    write(Room, path, {("lamp", "password"): "mum"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_a_cut_left_behind_is_in_nobodys_way(path):
    path.with_name(".room.toml.new").write_text("door = 1111111111111111111111")
    write(Room, path, {("door",): 2})
    assert path.read_text() == "door = 2\n"
    assert list(path.parent.iterdir()) == [path]


def test_a_link_stays_one(path, tmp_path):
    elsewhere = tmp_path / "stick"
    elsewhere.mkdir()
    path.symlink_to(elsewhere / "room.toml")
    write(Room, path, {("door",): 2})
    assert path.is_symlink()
    assert (elsewhere / "room.toml").read_text() == "door = 2\n"


def test_a_hand_that_writes_meanwhile_is_not_written_over(path, monkeypatch):
    path.write_text("door = 1\n")
    real, by_hand = os.fsync, ["# of a hand\nnames = ['Ann']\ndoor = 1\n"]

    def fsync(number):
        real(number)
        if by_hand:
            path.write_text(by_hand.pop())

    monkeypatch.setattr(os, "fsync", fsync)
    write(Room, path, {("door",): 2})
    assert path.read_text() == "# of a hand\nnames = ['Ann']\ndoor = 2\n"


@pytest.mark.parametrize("how", ["writes", "renames", "makes", "deletes"])
def test_a_hand_that_writes_in_the_last_moment_is_not_written_over(path, monkeypatch, how):
    """After the last comparison, and before the file has its name."""
    if how != "makes":
        path.write_text("door = 1\n")
    by_hand = ["# of a hand\nnames = ['Ann']\ndoor = 1\n"]

    def in_between(real):
        def call(new, old):
            if by_hand:
                text = by_hand.pop()
                if how == "deletes":
                    path.unlink()
                elif how == "renames":
                    saved = path.with_name("saved")
                    saved.write_text(text)
                    saved.rename(path)
                else:
                    path.write_text(text)
            real(new, old)

        return call

    for name in ("exchange", "name_if_free"):
        monkeypatch.setattr(writing, name, in_between(getattr(writing, name)))
    write(Room, path, {("door",): 2})
    hand = "" if how == "deletes" else "# of a hand\nnames = ['Ann']\n"
    assert path.read_text() == f"{hand}door = 2\n"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("there", [True, False])
def test_a_disk_that_cannot_let_files_change_places_takes_the_change_too(path, monkeypatch, there):
    if there:
        path.write_text("door = 1\n")
    for step in ("_EXCHANGE", "_NO_REPLACE"):
        monkeypatch.setattr(f"companion.settings.exchange.{step}", 1 << 20)  # no disk knows it
    write(Room, path, {("door",): 2})
    assert path.read_text() == "door = 2\n"
    assert list(path.parent.iterdir()) == [path]


def test_a_hand_that_never_stops_is_named(path, monkeypatch):
    path.write_text("door = 1\n")
    real, count = os.fsync, iter(range(99))

    def fsync(number):
        real(number)
        path.write_text(f"door = 1 # {next(count)}\n")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(NotWritten, match="Somebody else"):
        write(Room, path, {("door",): 2})
    assert path.read_text().startswith("door = 1 #")


class Cut(BaseException):
    """The plug was pulled."""


STEPS = ((os, "open"), (os, "fchmod"), (os, "write"), (os, "fsync"))
NAMING = {True: (writing, "exchange"), False: (writing, "name_if_free")}
"""The step with which the file is the new one, by whether there was one."""


def cut(name, real, left, reached):
    """The call, which ends all when nothing is left: before it is done, or after it."""

    def call(*given, **named):
        if next(left) == 0:
            raise Cut
        answer = real(*given, **named)
        if next(left) == 0:
            raise Cut
        reached.add(name)
        return answer

    return call


@pytest.mark.parametrize("there", [True, False])
def test_a_cut_at_any_step_leaves_the_old_file_or_the_new_one(path, monkeypatch, there):
    """Every call that reaches the disk is the last one once, before it and after it."""
    seen, reached = set(), set()
    for last in range(100):
        path.unlink(missing_ok=True)
        if there:
            path.write_text(BY_HAND)
        with monkeypatch.context() as patched:
            left = iter(range(last, -1, -1))
            patched.setattr(Path, "unlink", lambda *_, **__: None)  # nobody is left to tidy up
            for room, name in (*STEPS, NAMING[there]):
                patched.setattr(room, name, cut(name, getattr(room, name), left, reached))
            try:
                write(Room, path, {("door",): 70})
            except Cut:
                done = False
            else:
                done = True
        text = path.read_text() if path.exists() else None
        assert text in (
            BY_HAND if there else None,
            BY_HAND.replace("80", "70") if there else "door = 70\n",
        )
        seen.add(text)
        write(Room, path, {("door",): 60})  # the next start finds its way
        assert tomllib.loads(path.read_text())["door"] == 60
        if done:
            break
    assert done
    assert len(seen) == 2
    assert reached == {name for _, name in (*STEPS, NAMING[there])}


def test_all_is_on_the_disk_before_it_takes_the_name(path, monkeypatch):
    path.write_text(BY_HAND)
    order = []
    for room, name in ((os, "fsync"), (writing, "exchange")):
        real = getattr(room, name)

        def call(*given, name=name, real=real):
            order.append(name)
            real(*given)

        monkeypatch.setattr(room, name, call)
    write(Room, path, {("door",): 70})
    assert order == ["fsync", "exchange", "fsync"]


def test_a_disk_that_takes_nothing_is_told(path, monkeypatch):
    path.write_text(BY_HAND)

    def full(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotWritten, match=r"No space left on device\), so nothing has changed"):
        write(Room, path, {("door",): 1})
    assert path.read_text() == BY_HAND
    assert list(path.parent.iterdir()) == [path]
