"""`companion backup`: one file that is whole or not there."""

from __future__ import annotations

import errno
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from companion.data_folder import JOURNAL, SETTINGS
from companion.household import HOUSEHOLD
from companion.record import backup, restoring
from companion.record.manifest import MANIFEST
from tests.keeping.killed import lay, states_on_the_way
from tests.keeping.two_tables import for_a_while, made, refused, run
from tests.support.service import serving
from tests.support.tables import running, still_clocks


def test_a_backup_is_one_file_for_its_owner_that_says_what_is_in_it(two, tmp_path, capsys):
    folder, _ = two
    file = tmp_path / "mine.zip"
    assert run("backup", file, "--data", folder) == 0
    said = capsys.readouterr().out
    assert "1 game, the newest tentacles with Ann, Bo; 0 tags; the household; table.toml" in said
    assert "keep it where nobody else reads it" in said
    assert file.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        told = json.loads(archive.read(MANIFEST))
    assert set(told["files"]) == {JOURNAL, HOUSEHOLD, SETTINGS}
    assert {path.name for path in tmp_path.iterdir()} == {"old", "new", "new.zip", "mine.zip"}


def test_without_a_name_it_lies_here_and_replaces_nothing(two, tmp_path, monkeypatch, capsys):
    folder, _ = two
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("companion.clocks.machine_clocks", still_clocks)
    assert run("backup", "--data", folder) == run("backup", "--data", folder) == 0
    names = sorted(path.name for path in here.iterdir())
    assert names == ["tidetable-2026-01-01T00-00-00-2.zip", "tidetable-2026-01-01T00-00-00.zip"]
    capsys.readouterr()
    assert "is there already" in refused(capsys, "backup", names[0], "--data", folder)


def test_a_backup_is_made_while_people_play(tmp_path, capsys):
    with serving(tmp_path / "data") as service:
        service.do("reveal", card="dots")
        assert run("backup", tmp_path / "b.zip", "--data", tmp_path / "data") == 0
        service.do("stop")
        capsys.readouterr()
        words = ("restore", tmp_path / "b.zip", "--data", tmp_path / "data")
        assert "held by the service" in refused(capsys, *words)
        assert service.get()["step"] == 2
    assert run("restore", tmp_path / "b.zip", "--data", tmp_path / "other") == 0
    with running(tmp_path / "other") as table:
        assert table.snapshot.step == 1


@pytest.mark.parametrize("name", [["mine.zip"], []])
def test_a_place_that_is_closed_to_the_services_user_is_a_sentence_with_the_way_out(
    two, tmp_path, monkeypatch, capsys, name
):
    """As somebody's own folder is, where `sudo companion backup` works as that user."""
    folder, _ = two
    monkeypatch.chdir(tmp_path)

    exists = Path.exists

    def closed(path):
        if path.suffix != ".zip":
            return exists(path)
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", closed)
    sentence = refused(capsys, "backup", *name, "--data", folder)
    assert f"The file {tmp_path}/" in sentence
    assert "(Permission denied)" in sentence
    assert "such as /tmp/table.zip" in sentence


def test_a_backup_that_finds_no_room_leaves_nothing(two, tmp_path, monkeypatch, capsys):
    folder, _ = two
    before = {path.name for path in tmp_path.iterdir()}

    def full(*arguments, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    sentence = refused(capsys, "backup", tmp_path / "b.zip", "--data", folder)
    assert "No space left on device" in sentence
    assert {path.name for path in tmp_path.iterdir()} == before


def test_a_backup_that_is_killed_at_any_step_is_whole_or_not_there(memory):
    folder, file = made(memory / "data", 2, "heart"), memory / "b.zip"

    def back_up():
        backup.back_up(folder, file, still_clocks())

    there = []
    for left in states_on_the_way(memory, back_up):
        there.append(file.name in left)
        if there[-1]:
            lay(left, memory / "left")
            with for_a_while(memory / "checked") as place:
                restoring.lay_out(memory / "left" / file.name, place, still_clocks())
            shutil.rmtree(memory / "left")
    assert len(there) > 10
    assert there == sorted(there)
    assert there[-1]


def test_two_backups_of_one_name_at_once_are_one_whole_file_and_a_refusal(
    two, tmp_path, monkeypatch
):
    """The second one is made, from its beginning to its end, while the first one is packed."""
    folder, _ = two
    file = tmp_path / "mine.zip"
    pack = backup._pack

    def packed_meanwhile(*arguments):
        monkeypatch.setattr(backup, "_pack", pack)
        backup.back_up(folder, file, still_clocks())
        pack(*arguments)

    monkeypatch.setattr(backup, "_pack", packed_meanwhile)
    before = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(backup.NoBackup, match="is there already"):
        backup.back_up(folder, file, still_clocks())
    with for_a_while(tmp_path / "checked") as place:
        restoring.lay_out(file, place, still_clocks())
    assert {path.name for path in tmp_path.iterdir()} == before | {"mine.zip"}


def test_of_two_backups_at_once_the_unfinished_one_does_not_take_the_name(
    two, tmp_path, monkeypatch
):
    """The second one begins while the first one is about to bear its name."""
    folder, _ = two
    file, seen = tmp_path / "mine.zip", []
    pack = backup._pack

    def begin_another(*arguments):
        pack(*arguments)
        monkeypatch.setattr(backup, "_pack", stuck)
        with pytest.raises(KeyboardInterrupt):
            backup.back_up(folder, file, still_clocks())

    def stuck(gathered, told, packed):
        packed.write_bytes(b"half of it")
        seen.append(file.exists())
        raise KeyboardInterrupt

    monkeypatch.setattr(backup, "_pack", begin_another)
    backup.back_up(folder, file, still_clocks())
    assert seen == [False]
    with for_a_while(tmp_path / "checked") as place:
        restoring.lay_out(file, place, still_clocks())
