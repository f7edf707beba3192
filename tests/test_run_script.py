"""What ./run decides, on a machine made of a few scripts (`tests.support.fresh_clone`)."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.fresh_clone import PYTHON, SUDO, Machine

ROOT = Path(__file__).parents[1]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.fixture
def installed(machine):
    """A machine on which the first start has been."""
    assert machine.run("first").returncode == 0
    machine.told()
    return machine


def sentence(result) -> str:
    """The one line on standard error."""
    (line,) = result.stderr.splitlines()
    return line


# --- which Python ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "release"), [("3.9.2", "3.9"), ("3.10.14", "3.10"), ("2.7.18", "2.7")]
)
def test_too_old_a_python_is_refused(machine, version, release):
    machine.say("version", version)
    result = machine.run("play")
    assert (result.returncode, result.stdout, machine.told()) == (2, "", [])
    assert sentence(result).endswith(f"3.11 or newer is needed, and the one here is {release}.")


def test_no_python_at_all_is_refused(machine):
    (machine.bin / "python3").unlink()
    result = machine.run("play")
    assert result.returncode == 2
    assert "none was found" in sentence(result)


@pytest.mark.parametrize("name", ["python3.13", "python3.12", "python3.11"])
def test_a_newer_python_is_found_under_its_own_name(machine, name):
    machine.say("version-python3", "3.9.2")
    machine.program(name, PYTHON)
    assert machine.run("play").returncode == 0
    assert machine.told() == ["venv", "pip ."]


def test_a_python_that_can_make_a_venv_is_preferred(machine):
    machine.program("python3", PYTHON.replace("$FAKE/no-venv", "$FAKE"))
    machine.program("python3.11", PYTHON)
    assert machine.run("play").returncode == 0


def test_without_rights_a_missing_venv_is_a_sentence_to_type(machine):
    machine.debian()
    machine.say("no-venv")
    result = machine.run("play")
    assert (result.returncode, machine.told()) == (2, [])
    assert sentence(result).endswith("type: sudo apt-get install python3-venv")


def test_sudo_that_would_ask_is_not_used_where_nobody_can_answer(machine):
    machine.debian()
    machine.program("sudo", SUDO)
    machine.say("sudo-asks")
    machine.say("no-venv")
    result = machine.run("play")
    assert (result.returncode, machine.told()) == (2, [])
    assert "type: sudo" in sentence(result)


def test_the_administrator_gets_a_missing_venv(machine):
    machine.debian()
    machine.say("no-venv")
    result = machine.run("play", FAKE_UID="0")
    assert result.returncode == 0
    assert machine.told() == ["apt python3-venv", "venv", "pip ."]


def test_sudo_gets_a_missing_venv(machine):
    machine.debian()
    machine.program("sudo", SUDO)
    machine.say("no-venv")
    assert machine.run("play").returncode == 0
    assert [line for line in machine.told() if line != "sudo"] == [
        "apt python3-venv",
        "venv",
        "pip .",
    ]


def test_a_venv_that_apt_cannot_add_is_a_sentence_to_type(machine):
    machine.debian()
    machine.say("no-venv")
    machine.say("apt-fails")
    result = machine.run("play", FAKE_UID="0")
    assert result.returncode == 2
    assert "type: sudo apt-get install python3-venv" in result.stderr.splitlines()[-1]


# --- the command ----------------------------------------------------------------------


def test_standard_output_is_the_commands_own_also_at_the_first_start(machine):
    result = machine.run("play", "a b", "", "*", cwd=machine.fake)
    assert result.stdout == f"in {machine.fake}\n<play>\n<a b>\n<>\n<*>\n"
    assert all(line.startswith("Tidetable: ") for line in result.stderr.splitlines())


def test_without_arguments_the_service_runs(installed):
    assert "<run>" in installed.run().stdout


def test_the_exit_status_is_the_commands(installed):
    assert installed.run("fail").returncode == 7


def test_it_works_through_a_symlink(machine):
    (machine.folder / "elsewhere").mkdir()
    link = machine.folder / "elsewhere" / "tidetable"
    link.symlink_to(Path("..") / "my clone" / "run")
    assert "<play>" in machine.run("play", script=link).stdout
    assert (machine.clone / ".venv").is_dir()


def test_it_works_by_a_relative_name(machine):
    assert "<play>" in machine.run("play", script="./run", cwd=machine.clone).stdout


# --- the stamp ------------------------------------------------------------------------


def test_the_second_start_does_nothing_and_says_nothing(installed):
    result = installed.run("play")
    assert (result.returncode, result.stderr, installed.told()) == (0, "", [])


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_changed_file_installs_again_into_the_same_venv(installed, name):
    with (installed.clone / name).open("a") as file:
        file.write("# changed\n")
    installed.run("play")
    assert installed.told() == ["pip ."]


def test_another_release_of_python_installs_again(installed):
    installed.say("version", "3.12.1")
    installed.run("play")
    assert installed.told() == ["pip ."]


def test_a_repaired_release_of_python_does_not(installed):
    """A security update must not need the network on the evening of a game."""
    installed.say("version", "3.11.9")
    installed.run("play")
    assert installed.told() == []


def test_a_moved_clone_is_made_anew(installed):
    """pip wrote the old folder into every script."""
    installed.clone = installed.clone.rename(installed.folder / "moved")
    assert installed.run("play").returncode == 0
    assert installed.told() == ["venv", "pip ."]


@pytest.mark.parametrize("lost", ["tidetable-stamp", "bin/companion"])
def test_what_was_lost_is_installed_again(installed, lost):
    (installed.clone / ".venv" / lost).unlink()
    installed.run("play")
    assert installed.told() == ["pip ."]


def test_a_venv_without_pip_is_made_anew(installed):
    (installed.clone / ".venv" / "tidetable-stamp").unlink()
    (installed.clone / ".venv" / "bin" / "pip").unlink()
    installed.run("play")
    assert installed.told() == ["venv", "pip ."]


# --- failures -------------------------------------------------------------------------


def test_pips_failure_is_shown_with_a_sentence_and_tried_again(machine):
    machine.say("pip-fails")
    result = machine.run("play")
    assert (result.returncode, result.stdout) == (1, "")
    *_, pips, ours = result.stderr.splitlines()
    assert pips == "no route to the index"
    assert "is the network there?" in ours
    machine.told()
    (machine.fake / "pip-fails").unlink()
    assert machine.run("play").returncode == 0
    assert machine.told() == ["pip ."]


def test_a_failure_half_way_leaves_nothing_that_is_trusted(machine):
    machine.say("pip-fails")
    machine.say("pip-half-done")
    machine.run("play")
    machine.told()
    (machine.fake / "pip-fails").unlink()
    machine.run("play")
    assert machine.told() == ["venv", "pip ."]


@pytest.mark.parametrize("before", ["nothing", "an older installation"])
def test_an_interrupted_installation_is_made_anew(machine, before):
    if before != "nothing":
        machine.run("play")
        (machine.clone / "constraints.txt").write_text("# changed\n")
    machine.say("pip-is-killed")
    assert machine.run("play").returncode == -signal.SIGKILL
    (machine.fake / "pip-is-killed").unlink()
    machine.told()
    result = machine.run("play")
    assert result.returncode == 0
    assert "interrupted" in result.stderr
    assert machine.told() == ["venv", "pip ."]


def test_the_tests_tools_may_be_interrupted_too(installed):
    installed.say("pip-is-killed")
    installed.run("test")
    (installed.fake / "pip-is-killed").unlink()
    installed.told()
    installed.run("play")
    assert installed.told() == ["venv", "pip ."]


# --- pyscard --------------------------------------------------------------------------


def test_pyscard_is_added_once_its_headers_appear(installed):
    installed.run("test")
    installed.told()
    installed.say("include/Python.h")
    assert installed.run("play").returncode == 0
    assert installed.told() == ["pip pyscard"]
    installed.run("play")
    assert installed.told() == []


@pytest.mark.parametrize("lacking", ["cc", "include/Python.h"])
def test_pyscard_is_not_tried_without_a_compiler_and_headers(machine, lacking):
    machine.say("include/Python.h")
    (machine.bin / lacking if lacking == "cc" else machine.fake / lacking).unlink()
    machine.run("play")
    assert machine.told() == ["venv", "pip ."]


def test_a_pyscard_that_does_not_build_is_one_line_and_no_more(machine):
    machine.say("include/Python.h")
    machine.say("pyscard-fails")
    result = machine.run("play")
    assert (result.returncode, machine.told()) == (0, ["venv", "pip .", "pip pyscard"])
    assert [line for line in result.stderr.splitlines() if "did not build" in line]
    assert machine.run("play").stderr == ""
    assert machine.told() == []
    machine.run("test")
    assert machine.told() == ["pip .[test]", "pip pyscard", "pytest "]


# --- ./run test -----------------------------------------------------------------------


def test_the_tests_get_their_extras_and_arguments(installed):
    result = installed.run("test", "-k", "a b")
    assert result.returncode == 0
    assert installed.told() == ["pip .[test]", "pytest -k a b"]
    installed.run("test")
    assert installed.told() == ["pytest "]
    installed.run("play")
    assert installed.told() == []


def test_the_exit_status_is_that_of_the_tests(installed):
    installed.say("pytest-status", "5")
    assert installed.run("test").returncode == 5


def test_only_the_packages_that_are_missing_are_added(installed):
    installed.debian()
    installed.say("installed-alpha")
    result = installed.run("test", FAKE_UID="0", CI="1")
    assert "apt python3-dev beta" in installed.told()
    assert "apt-get install" not in result.stderr


def test_pythons_headers_are_not_added_where_they_are(machine):
    machine.debian()
    machine.say("include/Python.h")
    result = machine.run("test", FAKE_UID="0", CI="1")
    assert machine.told() == ["venv", "pip .[test]", "pip pyscard", "apt alpha beta", "pytest "]
    assert result.returncode == 0


def test_pyscard_is_tried_again_with_the_packages_there(machine):
    machine.debian()
    (machine.clone / "packages.txt").write_text("libpcsclite-dev\n")
    machine.run("test", FAKE_UID="0")
    assert machine.told() == [
        "venv",
        "pip .[test]",
        "apt libpcsclite-dev",
        "pip pyscard",
        "pytest ",
    ]


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("1", 1)])
def test_without_rights_the_tests_run_and_the_missing_is_named(installed, ci, status):
    installed.debian()
    installed.say("include/Python.h")
    result = installed.run("test", CI=ci)
    assert installed.told()[-1] == "pytest "
    assert "type: sudo apt-get install alpha beta" in result.stderr
    assert result.returncode == status


def test_an_apt_that_fails_does_not_keep_the_tests_from_running(installed):
    installed.debian()
    installed.say("apt-fails")
    result = installed.run("test", FAKE_UID="0")
    assert installed.told()[-1] == "pytest "
    assert "type: sudo apt-get install alpha python3-dev beta" in result.stderr
    assert result.returncode == 0


def test_with_ci_set_a_missing_pyscard_is_a_failure(installed):
    result = installed.run("test", CI="1")
    assert result.returncode == 1
    assert "pyscard is not installed" in result.stderr


# --- ./run install --------------------------------------------------------------------


@pytest.mark.parametrize("words", [["install", "--dry-run"], ["uninstall"]])
def test_what_builds_nothing_adds_no_venv(machine, words):
    machine.debian()
    machine.say("no-venv")
    machine.run(*words, FAKE_UID="0")
    assert machine.told() == [f"0 in {machine.clone}: {' '.join(words)}"]


@pytest.mark.parametrize("word", ["install", "uninstall"])
def test_the_administrator_installs_without_a_venv(machine, word):
    result = machine.run(word, "--data", "/srv/t", FAKE_UID="0")
    assert machine.told() == [f"0 in {machine.clone}: {word} --data /srv/t"]
    assert result.returncode == (3 if word == "uninstall" else 0), "the status is the command's"
    assert not (machine.clone / ".venv").exists()


def test_sudo_installs(machine):
    machine.program("sudo", SUDO)
    assert machine.run("install").returncode == 0
    assert [line for line in machine.told() if line != "sudo"] == [f"0 in {machine.clone}: install"]


def test_without_rights_installing_is_a_sentence_to_type(machine):
    result = machine.run("install", "--port", "80")
    assert (result.returncode, machine.told()) == (2, [])
    assert sentence(result).endswith(f"type: sudo {machine.clone}/run install --port 80")


@pytest.mark.parametrize("asked", ["--dry-run", "--help"])
def test_what_would_be_installed_is_told_to_everybody(machine, asked):
    assert machine.run("install", asked).returncode == 0
    assert machine.told() == [f"1000 in {machine.clone}: install {asked}"]


def test_installing_gets_a_missing_venv(machine):
    machine.debian()
    machine.say("no-venv")
    assert machine.run("install", FAKE_UID="0").returncode == 0
    assert machine.told() == ["apt python3-venv", f"0 in {machine.clone}: install"]


# --- the files themselves -------------------------------------------------------------


@pytest.mark.needs("shellcheck")
@pytest.mark.parametrize("script", ["run", ".ci/run", ".ci/bare-debian"])
def test_shellcheck_has_nothing_to_say(script):
    result = subprocess.run(
        ["shellcheck", ROOT / script], check=False, capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (0, "")
