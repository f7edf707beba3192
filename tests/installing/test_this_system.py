"""The computer itself, as the steps meet it: real commands and real files."""

from __future__ import annotations

import os
import select
import stat
import subprocess
import sys

import pytest

from companion.installing.program import ENDS_WITH_US
from companion.installing.system import InstallError, Result, System, run_command


def test_a_command_tells_all_it_said_and_how_it_ended():
    done = run_command(["sh", "-c", "echo out; echo $WORD >&2; exit 3"], {"WORD": "err"})
    assert done == Result(3, "out\nerr\n")
    assert done.last_line == "err"


def test_nobody_can_be_asked():
    assert run_command(["cat"], {}) == Result(0, "")


def test_what_builds_ends_with_an_installation_that_is_killed(tmp_path):
    """Else it would go on writing where the next installation has begun anew."""
    alive = tmp_path / "alive"
    os.mkfifo(alive)
    command = [*ENDS_WITH_US, "sh", "-c", f"exec sleep 30 >{alive}"]
    code = f"from {run_command.__module__} import run_command; run_command({command}, {{}})"
    installing = subprocess.Popen([sys.executable, "-c", code])
    with alive.open("rb") as seen:  # opened once the command runs, and at its end with it
        installing.kill()
        installing.wait()
        assert select.select([seen], [], [], 10)[0]


def test_a_command_that_is_not_there_is_no_fault_of_ours():
    assert run_command(["no-such-command"], {}).status == 127


def test_what_cannot_be_run_is_told(tmp_path):
    (tmp_path / "text").write_text("text")
    assert run_command([str(tmp_path / "text")], {}).status == 126


def test_a_command_that_has_to_succeed_and_says_nothing_is_a_sentence():
    with pytest.raises(InstallError, match="false failed: exit status 1"):
        System().must("false")


def test_system_programs_are_found_where_path_leaves_them_out(monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    found = run_command(["sh", "-c", "echo $PATH"], {}).output
    assert found.strip().endswith(":/usr/sbin:/sbin")


def test_a_file_is_whole_or_as_before(tmp_path, monkeypatch):
    system = System(tmp_path)
    system.write("/etc/one", "before")

    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InstallError, match=r"/etc/one cannot be written \(No space left"):
        system.write("/etc/one", "after")
    assert (tmp_path / "etc/one").read_text() == "before"


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_rights_do_not_depend_on_the_mask(tmp_path, mask):
    system = System(tmp_path)
    before = os.umask(mask)
    try:
        system.write("/etc/deep/one", "text", 0o755)
    finally:
        os.umask(before)
    rights = [
        stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("etc/deep", "etc/deep/one")
    ]
    assert rights == [0o755, 0o755]


def test_folders_that_were_made_are_remembered_and_removed_when_empty(tmp_path):
    system = System(tmp_path)
    (tmp_path / "etc").mkdir()
    (tmp_path / "opt").mkdir()
    system.write("/etc/a/b/one", "text")
    system.write("/etc/a/two", "text")
    assert system.noted("folders") == ("/etc/a", "/etc/a/b")
    system.remove("/etc/a/b/one")
    assert sorted(path.name for path in (tmp_path / "etc/a").iterdir()) == ["two"]
    system.remove("/etc/a/two")
    assert not (tmp_path / "etc/a").exists()
    assert system.noted("folders") == ()
