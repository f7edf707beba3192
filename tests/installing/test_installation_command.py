"""`companion install` and `uninstall` as they are typed, on a computer that is a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.addresses import FILE
from companion.commands import installation
from companion.installing import program

ROOT = Path(__file__).parents[2]


def test_installing_says_each_step_and_where_the_table_is(typed, computer, capsys):
    computer.switch_on_systemd()
    computer.write(f"/var/lib/tidetable/{FILE}", "Helpers: with the PIN 123456\n")
    assert typed("install", "--port", "8080") == 0
    said = capsys.readouterr().out
    assert "write /etc/systemd/system/tidetable.service" in said
    assert "the PIN 123456" in said
    assert said.splitlines()[-1].endswith(":8080/ and starts with the computer.")


def test_the_second_time_there_is_nothing_to_do(typed, capsys):
    typed("install")
    capsys.readouterr()
    assert typed("install") == 0
    assert capsys.readouterr().out.startswith("Nothing to do")


def test_without_systemd_it_says_that_nothing_was_started(typed, capsys):
    typed("install")
    assert "the service was not started" in capsys.readouterr().out


def test_an_installation_goes_on_when_nobody_reads_any_more(monkeypatch):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nobody:
        monkeypatch.setattr(sys, "stdout", nobody)
        system = installation._system(dry=False)
        system.say("one step")
        system.say("another")


def test_a_dry_run_needs_no_rights_and_does_nothing(typed, computer, monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    before = computer.tree()
    assert typed("install", "--dry-run") == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("nothing was done.")
    assert computer.tree() == before


@pytest.fixture
def ann(typed, computer, monkeypatch):
    """Types as an ordinary user, to whom the data folder is closed."""
    folder = computer.at("/var/lib/tidetable")

    def closed(called):
        itself = called.__name__ != "stat"  # a closed folder tells what it is, and not what it has

        def call(path, *arguments, **more):
            if path.parent == folder or (itself and path == folder):
                raise PermissionError(13, "Permission denied", str(path))
            return called(path, *arguments, **more)

        return call

    def types(*words):
        with monkeypatch.context() as patch:
            patch.setattr(os, "geteuid", lambda: 1000)
            for name in ("iterdir", "open", "stat"):
                patch.setattr(Path, name, closed(getattr(Path, name)))
            return typed(*words)

    return types


def test_a_dry_run_takes_what_an_ordinary_user_may_not_see_for_done(typed, computer, ann, capsys):
    """Where it is installed, the data folder is closed to all but the service's user."""
    computer.switch_on_systemd()
    typed("install")
    computer.write("/var/lib/tidetable/table.sqlite")
    capsys.readouterr()
    assert ann("install", "--dry-run") == 0
    said = capsys.readouterr().out
    assert said.startswith("Nothing to do")
    assert said.splitlines()[-1].endswith("sudo companion addresses")
    assert ann("install", "--port", "8081", "--dry-run") == 0
    assert "on port 8081" in capsys.readouterr().out


def test_a_dry_run_of_uninstalling_keeps_data_that_an_ordinary_user_may_not_see(
    typed, computer, ann, capsys
):
    typed("install")
    computer.write("/var/lib/tidetable/table.sqlite")
    capsys.readouterr()
    typed("uninstall", "--dry-run")
    as_root = capsys.readouterr().out
    assert ann("uninstall", "--dry-run") == 0
    assert capsys.readouterr().out == as_root


@pytest.mark.parametrize("word", ["install", "uninstall"])
def test_without_rights_it_is_a_sentence_to_type(typed, computer, monkeypatch, capsys, word):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert typed(word) == 2
    assert f"type: sudo ./run {word}" in capsys.readouterr().err
    assert computer.asked == []


def test_a_dry_run_needs_no_look_at_the_rules_of_polkit(typed, computer, monkeypatch, capsys):
    """Where polkit is installed, as on Raspberry Pi OS, its rules are closed to an ordinary user."""
    rules = computer.at("/etc/polkit-1/rules.d")
    stat = Path.stat

    def closed(path, **more):
        if path.parent == rules:
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **more)

    def dry(word):
        with monkeypatch.context() as patch:
            patch.setattr(Path, "stat", closed)
            patch.setattr(os, "geteuid", lambda: 1000)
            assert typed(word, "--dry-run") == 0
        return capsys.readouterr().out

    assert "would write /etc/polkit-1/rules.d/50-tidetable.rules" in dry("install")
    typed("install")
    capsys.readouterr()
    assert dry("install").startswith("Nothing to do")
    assert "would remove /etc/polkit-1/rules.d/50-tidetable.rules" in dry("uninstall")


def test_an_account_of_a_person_with_the_services_name_is_left_alone(typed, computer, capsys):
    """As on a Raspberry Pi whose owner called himself so: his rights are by his groups."""
    person = "tidetable:x:1000:1000:,,,:/srv/tidetable:/bin/bash\n"
    typed("install")
    people = computer.at("/etc/passwd").read_text()
    without = "".join(x for x in people.splitlines(keepends=True) if "tidetable" not in x)
    computer.write("/etc/passwd", without + person)
    computer.asked.clear()
    capsys.readouterr()
    for dry in ((), ("--dry-run",)):
        assert typed("install", *dry) == 2
        assert "somebody's own" in capsys.readouterr().err
    assert typed("uninstall") == 0
    assert not [line for line in computer.asked if line.startswith(("userdel", "usermod"))]
    assert person in computer.at("/etc/passwd").read_text()


@pytest.mark.parametrize("word", ["install", "uninstall"])
def test_what_apt_installed_is_apts(typed, computer, capsys, word):
    computer.packages.add("tidetable")
    assert typed(word) == 2
    assert "apt-get remove" in capsys.readouterr().err
    assert computer.asked == []


def test_a_port_that_is_taken_is_said(typed, computer, capsys):
    computer.take_port(80)
    typed("install", "--port", "80", "--dry-run")
    assert "note: some program serves on port 80" in capsys.readouterr().out


def test_a_command_of_others_is_said(typed, computer, capsys):
    computer.write("/usr/local/bin/companion", "something else")
    typed("install")
    assert "note: /usr/local/bin/companion is there and of others" in capsys.readouterr().out


def test_another_data_folder_leaves_the_old_data_and_says_so(typed, computer, capsys):
    typed("install")
    computer.write("/var/lib/tidetable/table.sqlite")
    capsys.readouterr()
    assert typed("install", "--data", "/srv/games") == 0
    assert "the data in /var/lib/tidetable stay there" in capsys.readouterr().out
    assert computer.at("/var/lib/tidetable/table.sqlite").exists()


def test_uninstalling_says_where_the_data_are_and_what_removes_them(typed, computer, capsys):
    typed("install", "--data", "/srv/games")
    computer.write("/srv/games/table.sqlite")
    capsys.readouterr()
    assert typed("uninstall") == 0
    said = capsys.readouterr().out
    assert "The data stay in /srv/games" in said
    assert "sudo rm -r /srv/games && sudo userdel tidetable" in said
    assert typed("uninstall") == 0
    assert "Nothing to do" in capsys.readouterr().out


def test_data_of_before_are_told_too_and_keep_their_user(typed, computer, capsys):
    typed("install")
    computer.write("/var/lib/tidetable/table.sqlite")
    typed("install", "--data", "/srv/games")
    capsys.readouterr()
    typed("uninstall")
    said = capsys.readouterr().out
    assert "The data stay in /var/lib/tidetable, and" in said
    assert computer.system.user("tidetable")


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_a_data_folder_that_cannot_be_is_refused_before_anything_is_done(typed, computer, dry):
    typed("install")
    computer.write("/srv/photos/letters.txt")
    before = computer.tree()
    assert typed("install", "--data", "/srv/photos", *dry) == 2
    assert computer.tree() == before


def test_one_step_is_no_steps(typed, capsys):
    typed("install")
    capsys.readouterr()
    typed("install", "--dry-run", "--port", "8081")
    assert capsys.readouterr().out.splitlines()[-1] == "1 step; nothing was done."


def test_what_is_said_of_a_wifi_that_is_not_wished_for_does_nothing_and_is_told(typed, capsys):
    typed("install", "--dry-run", "--wifi-name", "Cabin")
    assert "with --access-point" in capsys.readouterr().out
    typed("install", "--dry-run", "--wifi-name", "Cabin", "--access-point")
    assert "with --access-point" not in capsys.readouterr().out


def test_going_back_without_a_release_before_is_a_sentence(typed, capsys):
    typed("install")
    assert typed("install", "--back") == 2
    assert "no way back" in capsys.readouterr().err


def test_an_installed_program_has_no_checkout_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "__file__", str(tmp_path / "companion/installing/program.py"))
    with pytest.raises(program.InstallError, match=r"type \./run install in its"):
        program.source()


def test_a_checkout_installs_without_anything_of_pips():
    """`-S` leaves out site-packages; ./run install is started so."""
    done = subprocess.run(
        [sys.executable, "-B", "-S", "-m", "companion.cli", "install", "--help"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"]},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "--data" in done.stdout


def test_all_that_the_program_needs_is_in_the_source():
    """What pyproject.toml packs, and no more: no tests, and nothing that Python compiled."""
    names = {str(path) for path in program.Source(ROOT).files()}
    assert {"companion/record/schema.sql", "web_ui/templates/board.html", "pyproject.toml"} <= names
    assert not any("__pycache__" in name or name.startswith("tests") for name in names)


def test_what_lies_about_in_a_checkout_is_no_part_of_the_program(checkout):
    before = program.Source(checkout.root).sum()
    for name in ("companion/.cli.py.swp", "web_ui/.cache/page", "web_ui/__pycache__/page.pyc"):
        (checkout.root / name).parent.mkdir(exist_ok=True)
        (checkout.root / name).write_text("")
    assert program.Source(checkout.root).sum() == before
