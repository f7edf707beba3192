"""`companion restore`: what comes back, and what is refused before anything is touched."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from companion.data_folder import JOURNAL, SETTINGS, Hold
from companion.household import HOUSEHOLD, remembered
from companion.record import copies, manifest, restoring, taking
from companion.record.manifest import MANIFEST
from companion.record.recovery import opened
from tests.journal import records
from tests.keeping.two_tables import (
    NEW_STATE,
    OLD_STATE,
    agree,
    files_of,
    for_a_while,
    made,
    old_and_new,
    refused,
    repacked,
    run,
    state,
)
from tests.support.tables import still_clocks


def test_a_backup_comes_back_and_what_was_there_is_set_aside(two, capsys):
    folder, file = two
    before = files_of(folder)
    assert run("restore", file, "--data", folder) == 0
    said = capsys.readouterr().out
    assert state(folder) == NEW_STATE
    (aside,) = copies.kept_apart(folder)
    assert f"companion restore {aside.name} --data {folder}" in said
    assert files_of(aside) == before
    assert {path.stat().st_mode & 0o777 for path in folder.rglob("*.sqlite")} == {0o600}
    assert run("restore", aside.name, "--data", folder) == 0
    assert state(folder) == OLD_STATE


@pytest.mark.parametrize("what", ["latest", "copy-000001", "by its path"])
def test_a_copy_comes_back_and_the_next_start_agrees(tmp_path, what):
    folder = made(tmp_path / "data", 2, "heart")
    taking.take_copy(folder / JOURNAL)
    with closing(records.opened(folder)) as journal:
        records.write(journal, journal.newest().id, [3, 4])
    if what != "latest":  # the newest copy has more than the one that comes back
        taking.take_copy(folder / JOURNAL)
    path = folder / "backups" / "copy-000001" if what == "by its path" else what
    assert run("restore", path, "--data", folder) == 0
    found = opened(folder, still_clocks())
    found.journal.close()
    assert found.sentences == ()
    assert state(folder)[0] == 2


def test_another_data_folder_comes_back_too(two, tmp_path):
    """As from the card of a Pi that broke: with a log that was not brought in."""
    folder, _ = two
    other = tmp_path / "card"
    journal = records.opened(other)
    records.write(journal, journal.begin(records.SETUP).id, range(1, 8))
    shutil.copytree(other, tmp_path / "of-the-card")
    journal.close()
    assert run("restore", tmp_path / "of-the-card", "--data", folder) == 0
    assert len(records.read(folder / JOURNAL)) == 14
    assert remembered(folder / HOUSEHOLD).shapes == {"Ann": "heart"}  # the card had none


def test_nothing_new_lies_beside_what_was_read(two, tmp_path):
    """Who restores from a carried away record, or backs up one that rests, changes nothing there."""
    folder, _ = two
    before = sorted(folder.iterdir())
    assert run("backup", tmp_path / "b.zip", "--data", folder) == 0
    assert run("restore", folder / JOURNAL, "--data", tmp_path / "other") == 0
    assert run("restore", folder, "--data", tmp_path / "other") == 0
    assert sorted(folder.iterdir()) == before


def test_views_of_before_are_known_to_be_old(two):
    folder, file = two
    with closing(records.opened(folder)) as journal:
        for _ in range(9):
            runs = journal.count_run()
    assert run("restore", file, "--data", folder) == 0
    with closing(records.opened(folder)) as journal:
        assert journal.count_run() > runs


def test_a_dry_run_and_a_list_change_nothing(two, capsys):
    folder, file = two
    taking.take_copy(folder / JOURNAL)
    before = files_of(folder)
    assert run("restore", file, "--data", folder, "--dry-run") == 0
    assert "is whole: 1 game" in capsys.readouterr().out
    assert run("restore", "--data", folder) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert re.match(r"copy-000001 +\d{4}-\d\d-\d\d \d\d:\d\d UTC  at a start +1 game", first)
    assert last.startswith("companion restore copy-000001")
    assert files_of(folder) == before
    assert run("restore", "--data", folder.with_name("none")) == 0
    assert "There is no copy" in capsys.readouterr().out
    assert not folder.with_name("none").exists()


def test_a_folder_with_copies_such_as_a_stick_is_listed(two, tmp_path, capsys):
    folder, _ = two
    taking.take_copy(folder / JOURNAL)
    (tmp_path / "stick").mkdir()
    place = taking.mirror(folder, tmp_path / "stick", 7)
    assert run("restore", tmp_path / "stick", "--data", folder) == 0
    first, _ = capsys.readouterr().out.splitlines()
    assert first.startswith(str(place / "backups" / "copy-000001"))


def test_backups_on_a_stick_are_listed_and_made_there(two, tmp_path, capsys):
    """Nobody remembers how the file is called; what else lies there is left out."""
    folder, _ = two
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "photos.zip").write_bytes(b"none")
    with zipfile.ZipFile(stick / "more.zip", "w") as archive:
        archive.writestr("photo.jpg", b"none")
    assert run("backup", stick, "--data", folder) == 0
    (made_there,) = stick.glob("tidetable-*.zip")
    assert capsys.readouterr().out.startswith(f"{made_there}: 1 game")
    assert run("restore", stick, "--data", folder) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert re.match(re.escape(f"{made_there} ") + ".* UTC  a backup +1 game", first)
    assert last.startswith(f"companion restore {made_there} --data {folder} goes back")


@pytest.mark.parametrize("shut", [".", "backups", JOURNAL])
@pytest.mark.parametrize("words", [("restore",), ("restore", "latest"), ("backup",), ("verify",)])
def test_who_may_not_read_the_folder_is_told_so_and_nothing_else(
    two, capsys, monkeypatch, shut, words
):
    """As at an installed table without sudo: the copies are not gone, and the disk is not full."""
    folder, _ = two
    taking.take_copy(folder / JOURNAL)
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != folder / shut and real(path, mode))
    monkeypatch.chdir(folder)
    sentence = refused(capsys, *words, "--data", folder)
    assert sentence.startswith(f"companion: {folder / shut} is another user's")
    assert "type sudo before the command" in sentence


@pytest.mark.parametrize("where", ["the folder", "the file"])
def test_a_backup_that_may_not_be_read_is_not_called_damaged(two, capsys, monkeypatch, where):
    """With sudo it is the table's own user who reads it, and may not look into a home."""
    folder, file = two
    name = "is_file" if where == "the folder" else "open"
    real = getattr(Path, name)

    def forbidden(path, *more, **named):
        if path == file:
            raise PermissionError(13, "Permission denied", f"{path}")
        return real(path, *more, **named)

    monkeypatch.setattr(Path, name, forbidden)
    sentence = refused(capsys, "restore", file, "--data", folder)
    assert sentence.startswith(f"companion: {file} cannot be read (Permission denied). Who does")


def test_a_folder_that_is_held_is_refused_before_anything_is_read(two, capsys):
    folder, file = two
    with Hold(folder):
        before = files_of(folder)
        assert "is held by the service" in refused(capsys, "restore", file, "--data", folder)
        assert files_of(folder) == before


@pytest.mark.parametrize(
    "what", ["nothing.zip", "latest", "a text", "an empty folder", "a zip", "a pipe"]
)
def test_what_is_no_backup_is_refused(two, tmp_path, capsys, what):
    folder, _ = two
    before = files_of(folder)
    path = tmp_path / what
    if what == "a text":
        path.write_text("no backup")
    elif what == "a zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("table.sqlite", b"no record")
    elif what == "a pipe":
        os.mkfifo(path)
    elif what == "latest":
        path = what
    sentence = refused(capsys, "restore", path, "--data", folder)
    assert sentence.startswith("companion: ")
    assert files_of(folder) == before


def told_otherwise(**more):
    def change(contents):
        told = json.loads(contents[MANIFEST])
        contents[MANIFEST] = json.dumps({**told, **more}).encode()

    return change


def of_version(name, version):
    """This database says that it is of that version, and the manifest agrees."""

    def change(contents):
        data = bytearray(contents[name])
        data[60:64] = version.to_bytes(4, "big")
        agree(contents, name, bytes(data))

    return change


def other_row(contents):
    data = contents[JOURNAL].replace(b'"card": "dots"', b'"card": "ring"')
    assert data != contents[JOURNAL]
    agree(contents, JOURNAL, data)


WRONG = {
    "a newer form": (told_otherwise(tidetable_copy=2), "newer version"),
    "a newer record": (of_version(JOURNAL, 99), "newer version"),
    "a newer household": (of_version(HOUSEHOLD, 99), "newer version"),
    "a file that is missing": (lambda contents: contents.pop(HOUSEHOLD), "is missing"),
    "another file": (
        lambda contents: agree(contents, "../../etc/passwd", b"x"),
        "which no backup has",
    ),
    "no record": (told_otherwise(files={}), "has no record"),
    "a changed file": (
        lambda contents: contents.update({SETTINGS: b"# other\nhost = '127.0.0.1'\n"}),
        "not as it was written",
    ),
    "a row that was changed": (other_row, "was changed"),
    "a household that is none": (
        lambda contents: agree(contents, HOUSEHOLD, b"none" * 500),
        "household",
    ),
    "no manifest": (lambda contents: contents.pop(MANIFEST), "no backup"),
    "a manifest that is none": (
        lambda contents: contents.update({MANIFEST: b"[]"}),
        "no backup",
    ),
    "a count that is none": (told_otherwise(games="many"), "no backup"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_backup_that_is_not_as_it_was_written_is_refused_and_nothing_is_touched(
    two, capsys, wrong
):
    folder, file = two
    before = files_of(folder)
    change, why = WRONG[wrong]
    repacked(file, change)
    for more in ((), ("--dry-run",)):
        sentence = refused(capsys, "restore", file, "--data", folder, *more)
        assert re.search(why, sentence)
        assert files_of(folder) == before


def test_a_backup_that_was_cut_or_changed_anywhere_is_refused_or_the_same(memory):
    """Its last bytes are the list of a ZIP file, so every cut shows; a byte may mean nothing."""
    _, file = old_and_new(memory)
    data, place = file.read_bytes(), memory / "place"
    told = manifest.from_json(zipfile.ZipFile(file).read(MANIFEST))

    def tried(damaged):
        file.write_bytes(damaged)
        with for_a_while(place):
            try:
                return restoring.lay_out(file, place, still_clocks())
            except restoring.NotRestorable:
                return None

    assert tried(data) == told
    for length in range(0, len(data), 97):
        assert tried(data[:length]) is None
    for at in range(0, len(data), 53):
        changed = bytearray(data)
        changed[at] ^= 0x41
        assert tried(bytes(changed)) in (None, told)


def test_what_was_kept_before_an_upgrade_is_the_way_back(tmp_path):
    shutil.copy(Path(__file__).parents[1] / "journal" / "version_1" / JOURNAL, tmp_path)
    opened(tmp_path, still_clocks()).journal.close()
    assert run("restore", "before-version-2", "--data", tmp_path) == 0
    with closing(sqlite3.connect(tmp_path / JOURNAL)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM entry").fetchone() == (720,)
