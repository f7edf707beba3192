"""A file that somebody asked for: whole, for its owner, and never in the place of a device."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from pathlib import Path

import pytest

from companion.asked_for import write_whole
from companion.cli import main
from companion.data_folder import JOURNAL
from tests.journal.test_export import VERSION_1


def test_it_is_whole_and_for_its_owner_alone(tmp_path):
    path = tmp_path / "game.jsonl"
    path.write_text("an older one")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("name", ["/", ".", "/.."])
def test_a_folder_is_no_file(name):
    with pytest.raises(IsADirectoryError):
        write_whole(Path(name), b"new")


def test_what_it_fails_at_is_as_it_was(tmp_path):
    path = tmp_path / "game.jsonl"
    path.write_text("an older one")

    def made(partial):
        raise PermissionError(13, "Permission denied")

    with pytest.raises(PermissionError):
        write_whole(path, b"new", made)
    assert path.read_text() == "an older one"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"new")


def exported(data, pipe):
    assert main(["export", "last", "--data", str(data), "-o", str(pipe)]) == 0


def reported(data, pipe):
    assert main(["doctor", "--data", str(data), "--bundle", str(pipe)]) == 0


@pytest.mark.parametrize(("ask", "begin"), [(exported, b'{"tidet'), (reported, b"PK")])
def test_a_pipe_is_written_into_and_stays_one(tmp_path, ask, begin):
    shutil.copy(VERSION_1 / JOURNAL, tmp_path)
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()), daemon=True)
    reader.start()
    ask(tmp_path, pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join(10)
    assert heard[0].startswith(begin)
