"""Where the pages are served stands in `table.toml`: at first, asked for, and from an earlier unit."""

from __future__ import annotations

import os
import tomllib

import pytest

from companion.installing import files
from companion.installing.choices import Choices
from companion.installing.system import InstallError, Result

SETTINGS = "/var/lib/tidetable/table.toml"
UNIT = str(files.UNIT)
RESTART = "systemctl restart tidetable.service"


def told(computer) -> dict[str, object]:
    return tomllib.loads(computer.at(SETTINGS).read_text())


def earlier(computer, port: int) -> None:
    """An installation as it was before: the unit said where."""
    text = files.unit(Choices())
    old = text.replace(
        "tidetable\n# The shell", f"tidetable --host 0.0.0.0 --port {port}\n# The shell"
    )
    assert old != text
    computer.write(UNIT, old)


def test_a_first_installation_says_it_as_the_services_user(computer, plan):
    plan().install(computer.system)
    assert told(computer) == {"host": "0.0.0.0", "port": 80}
    (command,) = [line for line in computer.asked if " config set " in line]
    assert command.startswith("setpriv --reuid=tidetable --regid=tidetable --init-groups")
    assert "--port" not in computer.at(UNIT).read_text()


@pytest.mark.parametrize(("port", "usual"), [(80, 8080), (8080, 80)])
def test_where_another_program_has_the_port_it_is_the_other(computer, plan, port, usual):
    computer.take_port(port)
    plan().install(computer.system)
    assert told(computer)["port"] == usual


def test_what_the_household_wrote_stays_with_its_comments(computer, plan):
    text = "# ours\nport = 8123 # free here\n\n[choices]\nodds = true\n"
    computer.write(SETTINGS, text)
    plan().install(computer.system)
    assert computer.at(SETTINGS).read_text() == text.replace("here\n", 'here\nhost = "0.0.0.0"\n')
    assert plan().install(computer.system) == 0


def test_another_port_is_written_and_the_service_started_anew(computer, plan):
    computer.switch_on_systemd()
    plan().install(computer.system)
    computer.said.clear()
    computer.asked.clear()
    assert plan(port=8081).install(computer.system, dry=True) == 2
    dry = list(computer.said)
    assert plan(port=8081).install(computer.system) == 2
    assert computer.said == [*dry, *dry]
    assert told(computer)["port"] == 8081
    assert computer.asked.count(RESTART) == 1
    assert plan(port=8081).install(computer.system) == plan().install(computer.system) == 0


def test_an_earlier_installation_goes_over_with_its_port(computer, plan):
    computer.switch_on_systemd()
    plan().install(computer.system)
    computer.at(SETTINGS).unlink()
    earlier(computer, 8000)
    computer.take_port(8000)  # that is our own service
    computer.asked.clear()
    plan().install(computer.system)
    assert told(computer) == {"host": "0.0.0.0", "port": 8000}
    assert computer.at(UNIT).read_text() == files.unit(Choices())
    assert computer.asked.count(RESTART) == 1
    assert plan().install(computer.system) == 0


def test_one_that_is_cut_between_goes_over_all_the_same(computer, plan):
    plan().install(computer.system)
    computer.at(SETTINGS).unlink()
    earlier(computer, 8000)
    computer.faults["setpriv"] = Result(2, "companion: No room.")
    with pytest.raises(InstallError, match=r"table\.toml is not changed: No room\."):
        plan().install(computer.system)
    computer.faults.clear()
    plan().install(computer.system)
    assert told(computer)["port"] == 8000


def test_settings_with_a_fault_are_told_and_not_touched(computer, plan):
    computer.write(SETTINGS, "prot = 80\n")
    with pytest.raises(InstallError, match="there is no key 'prot'; port is one"):
        plan().install(computer.system)
    assert computer.at(SETTINGS).read_text() == "prot = 80\n"


def test_a_pipe_in_the_place_of_the_settings_keeps_nobody_waiting(computer, plan):
    computer.at(SETTINGS).parent.mkdir()
    os.mkfifo(computer.at(SETTINGS))
    with pytest.raises(InstallError, match=r"table\.toml is not changed: "):
        plan().install(computer.system)


def test_uninstalling_takes_what_only_the_installation_wrote(computer, plan):
    plan().install(computer.system)
    plan().uninstall(computer.system)
    assert not computer.at(SETTINGS).exists()
    plan().install(computer.system)
    computer.write(SETTINGS, f"{computer.at(SETTINGS).read_text()}# ours\n")
    plan().uninstall(computer.system)
    assert computer.at(SETTINGS).exists()


@pytest.fixture
def install(typed, capsys):
    """Types it, and gives what it said."""

    def install(*words: str) -> str:
        assert typed("install", *words) == 0
        return capsys.readouterr().out

    return install


def test_what_counts_only_from_now_on_is_said(computer, install):
    install()
    earlier(computer, 80)
    computer.write(SETTINGS, 'port = 8123\nhost = "127.0.0.1"\n')
    said = install()
    assert f"note: {SETTINGS} says port 8123, which counts from now on" in said
    assert "until now the pages were served on port 80" in said
    assert "sudo companion config set host=0.0.0.0" in said
    assert "the table is at http://127.0.0.1:8123/" in said
    assert "note" not in install()


@pytest.mark.parametrize("cut", [False, True])
def test_with_data_elsewhere_the_port_stays(computer, install, typed, cut):
    install("--port", "8090")
    computer.take_port(8090)  # that is our own service
    if cut:  # the choice is written down by then, and the settings are not
        computer.faults["setpriv"] = Result(2, "companion: No room.")
        typed("install", "--data", "/srv/t")
        computer.faults.clear()
    said = install("--data", "/srv/t")
    assert tomllib.loads(computer.at("/srv/t/table.toml").read_text())["port"] == 8090
    assert "some program serves" not in said


def test_our_own_service_is_no_other_program(computer, install):
    install()
    computer.take_port(80)
    assert "some program serves" not in install()
    assert "some program serves on port 80" not in install("--port", "80")
    computer.take_port(8081)
    assert "some program serves on port 8081" in install("--port", "8081")
