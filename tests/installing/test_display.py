"""`./run install --kiosk`: a display at the computer shows the table."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from companion.installing.choices import Choices
from companion.installing.display import (
    AUTOSTART,
    DESKTOP,
    KIOSK,
    KIOSK_ENABLED,
    KIOSK_UNIT,
    PAM,
    autostart,
    steps,
    unit,
)
from companion.installing.step import Plan
from companion.installing.system import InstallError, Result

OURS = (KIOSK_UNIT, KIOSK_ENABLED, PAM)


@pytest.fixture
def install(computer):
    def install(*, kiosk: bool = True) -> int:
        choices = Choices(kiosk=kiosk)
        return Plan(steps(computer.system, choices)).install(computer.system)

    return install


def there(computer, *paths) -> list[bool]:
    return [computer.at(path).is_symlink() or computer.at(path).exists() for path in paths]


def test_without_a_desktop_a_unit_has_the_display(computer, install):
    computer.switch_on_systemd()
    install()
    assert there(computer, *OURS, AUTOSTART) == [True, True, True, False]
    assert {"cage", "chromium"} <= computer.packages
    assert computer.shown
    assert f"video:x:44:pi,{KIOSK}" in computer.at("/etc/group").read_text()


def test_a_second_run_changes_nothing(computer, install):
    computer.switch_on_systemd()
    install()
    before = computer.tree()
    assert (install(), computer.tree()) == (0, before)


def test_on_a_desktop_the_browser_is_started_with_it(computer, install):
    computer.write(DESKTOP)
    install()
    assert there(computer, *OURS, AUTOSTART) == [False, False, False, True]
    assert "chromium" in computer.packages
    assert "cage" not in computer.packages
    assert "companion kiosk\n" in computer.at(AUTOSTART).read_text()


def test_a_unit_of_an_earlier_kind_is_written_anew_and_the_display_started(computer, install):
    computer.switch_on_systemd()
    install()
    earlier = computer.at(KIOSK_UNIT).read_text().replace("--alone", "--alone --port 80")
    computer.write(KIOSK_UNIT, earlier)
    computer.system.write_down(shown="of the earlier unit")
    computer.asked.clear()
    install()
    assert f"systemctl restart {KIOSK}.service" in computer.asked
    assert "--port" not in computer.at(KIOSK_UNIT).read_text()


def test_without_it_nothing_is_there(computer, install):
    before = computer.tree()
    assert install(kiosk=False) == 0
    assert computer.tree() == before


@pytest.mark.parametrize("desktop", [False, True])
def test_it_is_undone(computer, install, desktop):
    computer.switch_on_systemd()
    if desktop:
        computer.write(DESKTOP)
    before = computer.tree()
    install()
    install(kiosk=False)
    after = {path: text for path, text in computer.tree().items() if "opt/tidetable" not in path}
    assert after == {path: text for path, text in before.items() if "opt/tidetable" not in path}
    assert not computer.shown
    assert desktop or "systemctl start getty@tty1.service" in computer.asked


def test_a_display_that_does_not_start_says_where_to_look(computer, install):
    computer.switch_on_systemd()
    computer.faults["systemctl restart"] = Result(1, "")
    with pytest.raises(InstallError, match=f"journalctl --unit {KIOSK}.service"):
        install()


@pytest.mark.needs("systemd-analyze")
def test_systemd_has_nothing_to_say(tmp_path):
    text = unit().replace("/opt/tidetable/venv/bin/companion", shutil.which("true"))
    (tmp_path / KIOSK_UNIT.name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / KIOSK_UNIT.name],
        check=False,
        capture_output=True,
        text=True,
    )
    assert [line for line in done.stderr.splitlines() if KIOSK in line] == []


def test_the_entry_of_the_desktop_is_one_section():
    keys = [line.partition("=")[0] for line in autostart().splitlines()]
    assert keys[0] == "[Desktop Entry]"
    assert {"Type", "Name", "Exec"} <= set(keys)
    assert len(set(keys)) == len(keys)
