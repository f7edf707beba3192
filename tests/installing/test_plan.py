"""The whole installation on a computer that is a folder: again, interrupted, upgraded, undone."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest

from companion.installing import files
from companion.installing.choices import Choices
from companion.installing.program import ENDS_WITH_US
from companion.installing.running import Started
from companion.installing.step import UNFINISHED
from companion.installing.system import InstallError, Result, System

VENV = "/opt/tidetable/venv"
UNIT = "/etc/systemd/system/tidetable.service"
RECORD = "/var/lib/tidetable/table.sqlite"
SETTINGS = "/var/lib/tidetable/table.toml"


def release(computer) -> str:
    return computer.at(VENV).readlink().name


def releases(computer) -> set[str]:
    return {path.name for path in computer.at("/opt/tidetable/releases").iterdir()}


@pytest.fixture
def upgraded(computer, plan, checkout) -> tuple[str, str]:
    """The release that was installed, and the one after it, which runs."""
    computer.switch_on_systemd()
    plan().install(computer.system)
    first = release(computer)
    checkout.change("newer")
    plan().install(computer.system)
    return first, release(computer)


class Killed(BaseException):
    """The power went."""


def test_a_dry_run_says_all_and_changes_nothing(computer, plan):
    before = computer.tree()
    dry = plan().install(computer.system, dry=True)
    assert (computer.tree(), computer.asked) == (before, [])
    said = list(computer.said)
    assert dry == len(said) == plan().install(computer.system)
    assert [line for line in computer.said[dry:] if not line.startswith("note")] == said


def test_what_was_installed_is_whole(computer, plan):
    plan().install(computer.system)
    assert computer.at(VENV).readlink().is_absolute()
    there = computer.tree()
    for path in (
        "etc/systemd/system/tidetable.service",
        "etc/udev/rules.d/70-tidetable.rules",
        "etc/modprobe.d/tidetable.conf",
        "etc/polkit-1/rules.d/50-tidetable.rules",
        "var/lib/tidetable",
    ):
        assert path in there
    assert there["etc/systemd/system/multi-user.target.wants/tidetable.service"] == f"-> {UNIT}"
    assert not computer.at(UNFINISHED).exists()


def test_a_second_run_changes_nothing_and_says_nothing(computer, plan):
    computer.switch_on_systemd()
    plan().install(computer.system)
    before = computer.tree()
    computer.asked.clear()
    computer.said.clear()
    assert plan().install(computer.system) == 0
    assert (computer.tree(), computer.asked, computer.said) == (before, [], [])


def test_uninstalling_leaves_what_was_there_before(computer, plan):
    computer.packages |= {"pcscd", "python3-pyscard"}
    before = computer.tree()
    plan().install(computer.system)
    plan().uninstall(computer.system)
    assert computer.tree() == before
    assert plan().uninstall(computer.system) == 0


def test_uninstalling_keeps_the_data_and_whose_they_are(computer, plan):
    before = computer.tree()
    plan().install(computer.system)
    computer.write(RECORD, "a game")
    plan().uninstall(computer.system)
    left = set(computer.tree()) - set(before)
    assert left == {"var/lib/tidetable", "var/lib/tidetable/table.sqlite", SETTINGS[1:]}
    assert computer.system.user("tidetable")
    assert not any("tidetable" in members for members in computer.system.groups().values())
    assert plan().uninstall(computer.system) == 0


def test_after_uninstalling_it_is_installed_again_with_the_data(computer, plan):
    plan().install(computer.system)
    computer.write(RECORD, "a game")
    plan().uninstall(computer.system)
    plan().install(computer.system)
    assert computer.at(RECORD).read_text() == "a game"
    assert computer.at(UNIT).exists()


def test_an_installation_that_is_cut_anywhere_is_whole_after_another_run(computer, plan):
    """Cut before each command that it gives, and each time installed again."""
    computer.switch_on_systemd()
    whole = None
    cut = 0
    while True:
        real, left = computer.run, [cut]

        def run(command, more, given="", real=real, left=left):
            if not left[0]:
                raise Killed
            left[0] -= 1
            return real(command, more, given)

        computer.run = run
        try:
            plan().install(computer.system)
        except Killed:
            interrupted = True
        else:
            interrupted = False
        computer.run = real
        plan().install(computer.system)
        tree = {path: text for path, text in computer.tree().items() if "folders" not in text}
        whole = whole or tree
        assert tree == whole, f"cut before command {cut}"
        assert not computer.at(UNFINISHED).exists()
        assert computer.active
        if not interrupted:
            break
        plan().uninstall(computer.system)
        cut += 1
    assert cut > 12


def test_an_interrupted_run_tells_again_what_it_may_not_have_told(computer, plan):
    computer.switch_on_systemd()
    plan().install(computer.system)
    computer.write(UNFINISHED)
    computer.asked.clear()
    plan().install(computer.system)
    assert "udevadm control --reload" in computer.asked


def test_an_upgrade_is_built_beside_the_old_one_which_stays_as_a_way_back(
    computer, plan, checkout, upgraded
):
    first, second = upgraded
    assert first != second
    assert releases(computer) == {first, second}
    checkout.change("newest")
    plan().install(computer.system)
    assert releases(computer) == {second, release(computer)}
    assert computer.asked.count("systemctl restart tidetable.service") == 3


def test_the_way_back_needs_no_network_and_leads_forth_again(computer, plan, upgraded):
    first, second = upgraded
    computer.asked.clear()
    Started(files.unit(Choices())).go_back(computer.system)
    assert (release(computer), computer.active) == (first, True)
    assert not any("pip" in line for line in computer.asked)
    Started(files.unit(Choices())).go_back(computer.system)
    assert release(computer) == second
    assert plan().install(computer.system) == 0


def test_a_release_before_that_does_not_start_is_said(computer, upgraded):
    computer.starts = lambda name: False
    with pytest.raises(InstallError, match="goes forth again"):
        Started(files.unit(Choices())).go_back(computer.system)


def test_without_a_release_before_there_is_no_way_back(computer, plan):
    plan().install(computer.system)
    with pytest.raises(InstallError, match="no way back"):
        Started(files.unit(Choices())).go_back(computer.system)


def test_a_release_that_does_not_start_gives_way_to_the_one_before(
    computer, plan, checkout, upgraded
):
    first, second = upgraded
    checkout.change("broken")
    computer.starts = lambda name: name in upgraded
    with pytest.raises(InstallError, match="the one before runs again"):
        plan().install(computer.system)
    assert (release(computer), computer.active) == (second, True)
    checkout.change("newer")
    plan().install(computer.system)
    assert releases(computer) == {first, second}, "the way back is that of before"
    checkout.change("mended")
    computer.starts = lambda name: True
    plan().install(computer.system)
    assert release(computer) != second
    assert len(releases(computer)) == 2


def test_what_keeps_every_release_from_starting_leaves_the_new_one(computer, plan, checkout):
    """As a port that is taken, or settings that are broken."""
    computer.switch_on_systemd()
    plan().install(computer.system)
    first = release(computer)
    checkout.change("newer")
    computer.starts = lambda name: False
    with pytest.raises(InstallError, match="the new one is kept"):
        plan().install(computer.system)
    second = release(computer)
    assert second != first
    computer.starts = lambda name: True
    assert plan().install(computer.system)
    assert (release(computer), computer.active) == (second, True)
    Started(files.unit(Choices())).go_back(computer.system)
    assert release(computer) == first, "the way back is still there"


def test_a_release_that_ran_gives_way_to_none_before(computer, plan, upgraded):
    """Once it ran the data may be its own, which one before cannot read."""
    first, second = upgraded
    computer.active, computer.starts = False, lambda name: name == first
    with pytest.raises(InstallError, match="The service does not start"):
        plan().install(computer.system)
    assert release(computer) == second


def test_a_first_release_that_does_not_start_is_said(computer, plan):
    computer.switch_on_systemd()
    computer.starts = lambda name: False
    with pytest.raises(InstallError, match="journalctl"):
        plan().install(computer.system)
    assert computer.said[-1] == "what the service said last"
    computer.starts = lambda name: True
    assert plan().install(computer.system)
    assert computer.active


@pytest.mark.parametrize("part", ["-m venv", "pip install"])
def test_without_network_or_room_the_old_program_is_untouched(computer, plan, checkout, part):
    plan().install(computer.system)
    before = computer.tree()
    checkout.change("newer")
    computer.faults[part] = Result(1, "no route to the index, or no room")
    with pytest.raises(InstallError, match=r"network.*room.*type the same again\.$"):
        plan().install(computer.system)
    assert "no route to the index, or no room" in computer.said
    after = computer.tree()
    assert after.pop(str(UNFINISHED).lstrip("/")) == ""
    assert after == before


def test_a_release_that_was_half_built_is_built_anew(computer, plan):
    computer.faults["pip install"] = Result(1, "no route to the index")
    with pytest.raises(InstallError):
        plan().install(computer.system)
    (venv,) = [line.split()[-1] for line in computer.asked if "-m venv" in line]
    computer.write(f"{venv}/half", "done")
    computer.faults.clear()
    plan().install(computer.system)
    assert str(computer.at(VENV).readlink()) == venv
    assert not computer.at(f"{venv}/half").exists()


def test_another_release_of_python_builds_the_program_anew(computer, plan):
    plan().install(computer.system)
    first = release(computer)
    computer.python = "3.13"
    plan().install(computer.system)
    assert (first[-4:], release(computer)[-4:]) == ("3.11", "3.13")


@pytest.mark.parametrize("python", ["3.9", None])
def test_without_a_python_that_will_do_nothing_is_built(computer, plan, python):
    computer.python = python
    with pytest.raises(InstallError, match=r"Python 3\.11"):
        plan().install(computer.system)


def test_a_dry_run_needs_no_venv_of_pythons(computer, plan):
    """The package of it is one of those that would be added."""
    computer.python = None
    plan().install(computer.system, dry=True)
    assert any(line.startswith("build the program") for line in computer.said)


def test_the_service_is_started_again_when_its_unit_has_changed(computer, plan):
    computer.switch_on_systemd()
    plan().install(computer.system)
    plan(data=Path("/srv/games")).install(computer.system)
    assert computer.asked.count("systemctl restart tidetable.service") == 2
    assert "/srv/games" in computer.at(UNIT).read_text()


def test_what_is_built_does_not_touch_the_checkout(computer, plan, checkout):
    before = {path: path.stat().st_mtime_ns for path in checkout.root.rglob("*")}
    plan().install(computer.system)
    assert {path: path.stat().st_mtime_ns for path in checkout.root.rglob("*")} == before
    (build,) = [line for line in computer.asked if "pip install" in line]
    assert str(checkout.root) not in build


def test_what_builds_does_not_go_on_without_the_installation(computer, plan):
    building = []

    def run(command, more, given=""):
        if {"venv", "pip"} & set(command):
            building.append(tuple(command[:2]))
        return computer.run(command, more, given)

    plan().install(System(computer.root, run, computer.said.append))
    assert building == [ENDS_WITH_US, ENDS_WITH_US]


def test_what_still_writes_where_it_is_begun_anew_is_waited_for(computer, plan, monkeypatch):
    computer.faults["pip install"] = Result(1, "")
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *args, **more: None)  # as where it was killed
        with pytest.raises(InstallError, match="could not be built"):
            plan().install(computer.system)

    def filled(folder):
        raise OSError(errno.ENOTEMPTY, "Directory not empty", "colorama")

    monkeypatch.setattr(shutil, "rmtree", filled)
    with pytest.raises(InstallError, match=r"still writes into /opt/.*: wait a minute"):
        plan().install(computer.system)


def test_two_installations_at_once_are_one_and_a_sentence(computer, plan):
    before = computer.tree()
    with computer.system.alone(), pytest.raises(InstallError, match="wait until it is done"):
        plan().install(computer.system)
    with computer.system.alone(), pytest.raises(InstallError, match="wait until it is done"):
        plan().uninstall(computer.system)
    assert computer.tree() == before
    with computer.system.alone():
        assert plan().install(computer.system, dry=True)


def test_a_disk_that_cannot_be_written_is_a_sentence(computer, plan):
    computer.write("/opt/tidetable", "no folder")
    with pytest.raises(InstallError, match="cannot be written"):
        plan().install(computer.system)


def test_a_file_of_the_data_survives_every_release(computer, plan, checkout):
    plan().install(computer.system)
    computer.write(RECORD, "a game")
    checkout.change("newer")
    plan().install(computer.system)
    assert computer.at(RECORD).read_text() == "a game"
    assert Path(RECORD).parent == Path("/var/lib/tidetable")
