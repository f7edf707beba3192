"""Each step by itself: done, done already, undone, and what goes wrong at it."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.installing.packages import needed
from companion.installing.people import DataFolder, Groups, User
from companion.installing.plan import ENABLED
from companion.installing.running import Started
from companion.installing.step import Plan
from companion.installing.system import InstallError, Result
from companion.installing.system_files import Linked, Unloaded, Written
from tests.support.computer import Computer

DATA = Path("/srv/tidetable")
RULES = Path("/etc/udev/rules.d/70-tidetable.rules")
NFC = "pn533_usb 20480 0 - Live 0x0\npn533 45056 1 pn533_usb, Live 0x0\nnfc 131072 1 pn533,\n"


def done(step, computer) -> bool:
    """Do it; whether it then is done."""
    assert not step.is_done(computer.system)
    step.do(computer.system)
    return step.is_done(computer.system)


def undone(step, computer) -> bool:
    assert not step.is_undone(computer.system)
    step.undo(computer.system)
    return step.is_undone(computer.system)


# --- packages -------------------------------------------------------------------------


def test_missing_packages_are_added_and_remembered(computer):
    computer.packages.add("pcscd")
    assert done(needed(computer.system), computer)
    assert computer.system.noted("packages") == ("python3-pyscard",)
    assert [line for line in computer.said if line.startswith("note")] == []


def test_a_pi_gets_the_packages_of_its_pins(computer):
    assert "python3-lgpio" not in needed(computer.system).names
    computer.write("/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    assert {"python3-lgpio", "python3-gpiozero"} <= set(needed(computer.system).names)


def test_a_package_that_is_not_on_offer_keeps_no_other_away_and_is_said(computer):
    computer.on_offer = {"pcscd"}
    step = needed(computer.system)
    step.do(computer.system)
    assert computer.packages == {"python3-venv", "pcscd"}
    (said,) = computer.said
    assert said.startswith("note: python3-pyscard could not be added, so readers at the USB")
    assert said.endswith("type: sudo apt-get install python3-pyscard")
    assert not step.is_done(computer.system), "another run tries again"


def test_without_apt_the_missing_packages_are_said(computer):
    def run(command, more, given="", run=computer.run):
        return Result(127, "") if command[0] == "apt-get" else run(command, more, given)

    computer.run = run
    needed(computer.system).do(computer.system)
    assert len(computer.said) == 2
    assert computer.asked == []


def test_packages_that_were_added_are_handed_back_to_apt_and_the_others_not(computer):
    computer.packages.add("pcscd")
    step = needed(computer.system)
    assert step.is_undone(computer.system)
    step.do(computer.system)
    assert undone(step, computer)
    assert computer.asked[-1] == "apt-mark auto python3-pyscard"
    assert "python3-pyscard" in computer.packages


def test_packages_that_an_earlier_table_handed_back_are_asked_for_again(computer):
    step = needed(computer.system)
    step.do(computer.system)
    step.undo(computer.system)
    assert computer.unasked == {"pcscd", "python3-pyscard"}
    assert done(step, computer)
    assert computer.unasked == set()
    assert undone(step, computer)
    assert computer.unasked == {"pcscd", "python3-pyscard"}


# --- the user -------------------------------------------------------------------------


def test_the_user_cannot_log_in(computer):
    assert done(User(DATA), computer)
    (line,) = [line for line in computer.asked if line.startswith("useradd")]
    assert "--system" in line
    assert "--shell /usr/sbin/nologin" in line


def test_a_user_whose_group_alone_was_made_is_made_whole(computer):
    computer.system.must("groupadd", "--system", "tidetable")
    assert done(User(DATA), computer)


def test_the_user_goes_when_nothing_is_theirs(computer):
    computer.system.write_down(choices={})
    User(DATA).do(computer.system)
    computer.at(DATA).mkdir()
    assert undone(User(DATA), computer)
    assert "tidetable" not in computer.at("/etc/group").read_text()


def test_the_user_stays_where_nobody_knows_of_the_data_any_more(computer):
    User(DATA).do(computer.system)
    assert User(DATA).is_undone(computer.system)


def test_the_user_stays_while_data_are_theirs(computer):
    computer.system.write_down(choices={})
    User(DATA).do(computer.system)
    computer.write(DATA / "table.sqlite")
    assert User(DATA).is_undone(computer.system)


def test_a_command_that_fails_is_a_sentence(computer):
    computer.faults["useradd"] = Result(1, "one\nuseradd: cannot lock /etc/passwd; try again later")
    with pytest.raises(InstallError, match=r"useradd .* failed: useradd: cannot lock"):
        User(DATA).do(computer.system)


def test_the_user_gets_the_groups_that_are_there(computer):
    User(DATA).do(computer.system)
    assert done(Groups(), computer)
    mine = {name for name, who in computer.system.groups().items() if "tidetable" in who}
    assert mine == {"dialout", "plugdev", "video"}
    assert computer.system.groups()["video"] == {"pi", "tidetable"}


def test_a_group_that_came_later_is_added(computer):
    User(DATA).do(computer.system)
    Groups().do(computer.system)
    computer.system.must("groupadd", "gpio")
    assert done(Groups(), computer)


def test_the_groups_lose_the_user_and_nobody_else(computer):
    User(DATA).do(computer.system)
    Groups().do(computer.system)
    assert undone(Groups(), computer)
    assert computer.system.groups()["video"] == {"pi"}


# --- the data folder ------------------------------------------------------------------


def test_the_data_folder_is_closed_to_others(computer):
    assert done(DataFolder(DATA), computer)
    assert computer.at(DATA).stat().st_mode & 0o777 == 0o700
    assert "chown --recursive --no-dereference tidetable:tidetable /srv/tidetable" in computer.asked


def test_an_open_data_folder_is_closed(computer):
    DataFolder(DATA).do(computer.system)
    computer.at(DATA).chmod(0o755)
    assert done(DataFolder(DATA), computer)


@pytest.mark.parametrize(("more", "is_done"), [(0, True), (1, False)])
def test_all_in_the_data_folder_is_the_users_own(tmp_path, more, is_done):
    computer = Computer(tmp_path)
    computer.write(DATA / "backups/daily/table.sqlite")
    computer.at(DATA).chmod(0o700)
    here = computer.at(DATA).stat()
    line = f"tidetable:x:{here.st_uid + more}:{here.st_gid}::/:/usr/sbin/nologin\n"
    computer.write("/etc/passwd", line)
    assert DataFolder(DATA).is_done(computer.system) == is_done


def test_a_file_of_another_deep_in_the_data_folder_is_given_to_the_user(tmp_path, monkeypatch):
    computer = Computer(tmp_path)
    computer.write(DATA / "backups/daily/table.sqlite")
    computer.at(DATA).chmod(0o700)
    here = computer.at(DATA).stat()
    computer.write("/etc/passwd", f"tidetable:x:{here.st_uid}:{here.st_gid}::/:/bin/sh\n")
    own = Path.lstat

    def lstat(path):
        state = own(path)
        if path.name != "table.sqlite":
            return state
        return SimpleNamespace(st_uid=state.st_uid + 1, st_gid=state.st_gid, st_mode=state.st_mode)

    monkeypatch.setattr(Path, "lstat", lstat)
    assert not DataFolder(DATA).is_done(computer.system)


@pytest.mark.parametrize("name", ["table.sqlite", "table.toml"])
def test_a_folder_with_a_table_of_before_is_taken_over(computer, name):
    computer.write(DATA / name)
    assert done(DataFolder(DATA), computer)


def test_a_fresh_disk_is_as_good_as_an_empty_folder(computer):
    computer.at(DATA / "lost+found").mkdir(parents=True)
    assert done(DataFolder(DATA), computer)


def test_a_folder_with_something_else_is_not_taken(computer):
    computer.write(DATA / "letters.txt")
    with pytest.raises(InstallError, match="no record of Tidetable"):
        DataFolder(DATA).check(computer.system)


@pytest.mark.parametrize("place", [DATA, DATA.parent])
def test_a_file_is_no_data_folder(computer, place):
    computer.at("/srv").rmdir()
    computer.write(place)
    with pytest.raises(InstallError, match=f"^{place} is no folder"):
        DataFolder(DATA).check(computer.system)


def test_a_link_that_leads_nowhere_is_no_data_folder(computer):
    computer.at(DATA).symlink_to("nowhere")
    with pytest.raises(InstallError, match="is no folder"):
        DataFolder(DATA).check(computer.system)


def test_a_link_does_not_take_the_data_to_where_the_service_cannot_see_them(computer):
    computer.at("/run/games").mkdir(parents=True)
    computer.at(DATA).symlink_to("../run/games")
    with pytest.raises(InstallError, match="cannot keep data in /run/games"):
        DataFolder(DATA).check(computer.system)


def test_a_disk_that_can_only_be_read_is_no_place_for_data(computer, monkeypatch):
    flags = SimpleNamespace(f_flag=os.ST_RDONLY)
    monkeypatch.setattr(os, "statvfs", lambda place: flags)
    with pytest.raises(InstallError, match=f"{DATA} is on a disk that can only be read"):
        DataFolder(DATA).check(computer.system)


def test_a_disk_that_knows_no_owners_is_a_sentence_with_the_way_out(computer):
    computer.faults["chown"] = Result(1, "chown: /srv/tidetable: Operation not permitted")
    with pytest.raises(InstallError, match="uid=tidetable,gid=tidetable,umask=077"):
        DataFolder(DATA).do(computer.system)


def test_an_empty_data_folder_is_removed_with_what_was_made_for_it(computer):
    folder = Path("/srv/games/tidetable")
    DataFolder(folder).do(computer.system)
    assert undone(DataFolder(folder), computer)
    assert not computer.at("/srv/games").exists()
    assert computer.at("/srv").exists()


def test_data_are_never_removed(computer):
    computer.write(DATA / "table.sqlite")
    assert DataFolder(DATA).is_undone(computer.system)


# --- files and links ------------------------------------------------------------------


def test_a_file_is_written_and_whoever_reads_it_is_told(computer):
    computer.switch_on_systemd()
    step = Written(RULES, "text\n", "rules", told=(("udevadm", "control", "--reload"),))
    assert done(step, computer)
    assert computer.at(RULES).read_text() == "text\n"
    assert computer.asked == ["udevadm control --reload"]
    assert undone(step, computer)
    assert computer.asked == ["udevadm control --reload"] * 2
    assert not computer.at("/etc/udev").exists()


def test_where_systemd_does_not_run_nobody_is_told(computer):
    Written(RULES, "text\n", "rules", told=(("udevadm", "control", "--reload"),)).do(
        computer.system
    )
    assert computer.asked == []


@pytest.mark.parametrize("change", ["text", "mode"])
def test_a_file_that_somebody_changed_is_written_again(computer, change):
    step = Written(RULES, "text\n", "rules")
    step.do(computer.system)
    if change == "text":
        computer.write(RULES, "other\n")
    else:
        computer.at(RULES).chmod(0o600)
    assert done(step, computer)


def test_a_folder_with_something_of_others_stays(computer):
    step = Written(RULES, "text\n", "rules")
    step.do(computer.system)
    computer.write(RULES.with_name("99-others.rules"))
    step.undo(computer.system)
    assert computer.at(RULES).parent.exists()


def test_a_command_of_others_is_left_alone(computer):
    path = Path("/usr/local/bin/companion")
    computer.write(path, "something else\n")
    step = Written(path, "ours\n", "the command", yields=True)
    assert step.is_done(computer.system)
    assert step.is_undone(computer.system)
    assert step.is_of_others(computer.system)
    step.do(computer.system)
    assert computer.at(path).read_text() == "something else\n"


def test_a_link_is_made_and_removed(computer):
    step = Linked(ENABLED, Path("/etc/systemd/system/tidetable.service"), "so that it starts")
    assert done(step, computer)
    assert undone(step, computer)


def test_the_link_that_a_removed_package_left_is_no_longer_in_the_way(computer):
    step = Linked(ENABLED, Path("/etc/systemd/system/tidetable.service"), "so that it starts")
    packaged = Path("/lib/systemd/system/tidetable.service")
    computer.write(packaged)
    computer.at(ENABLED).parent.mkdir(parents=True)
    computer.at(ENABLED).symlink_to(packaged)
    with pytest.raises(InstallError, match="not ours"):
        step.do(computer.system)
    computer.at(packaged).unlink()
    step.do(computer.system)
    assert step.is_done(computer.system)


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_link_of_others_is_left_alone(computer, kind):
    step = Linked(ENABLED, Path("/etc/systemd/system/tidetable.service"), "so that it starts")
    computer.write(ENABLED)
    if kind == "link":
        computer.at(ENABLED).unlink()
        computer.at(ENABLED).symlink_to("/nowhere/at/all")
    assert step.is_undone(computer.system)
    with pytest.raises(InstallError, match="not ours"):
        step.do(computer.system)


# --- the kernel -----------------------------------------------------------------------


def test_modules_that_take_readers_are_unloaded_in_their_order(computer):
    computer.write("/proc/modules", NFC + "usbcore 10 2 - Live 0x0\n")
    assert done(Unloaded(), computer)
    assert computer.asked == [f"modprobe --remove {name}" for name in ("pn533_usb", "pn533", "nfc")]
    assert Unloaded().is_undone(computer.system)


def test_a_module_that_stays_is_said_and_ends_nothing(computer):
    computer.write("/proc/modules", NFC)
    computer.faults["--remove nfc"] = Result(1, "modprobe: FATAL: Module nfc is in use.")
    Unloaded().do(computer.system)
    (said,) = computer.said
    assert said.startswith("note: the kernel keeps its module nfc")
    assert "start the computer anew" in said


# --- the service ----------------------------------------------------------------------


def test_without_systemd_nothing_is_started(computer):
    assert Started("unit").is_done(computer.system)
    assert Started("unit").is_undone(computer.system)


def test_a_service_that_runs_is_stopped(computer):
    computer.switch_on_systemd()
    computer.active = True
    assert undone(Started("unit"), computer)


# --- steps that are not wanted any more -----------------------------------------------


def test_what_is_not_wanted_any_more_is_undone_by_the_next_installation(computer):
    Plan((Written(RULES, "text\n", "rules"),)).install(computer.system)
    off = Plan((Written(RULES, "text\n", "rules", wanted=False),))
    assert off.install(computer.system, dry=True) == 1
    assert off.install(computer.system) == 1
    assert not computer.at(RULES).exists()
    assert off.install(computer.system) == 0
    assert computer.said[-1] == f"remove {RULES}"
