"""The doctor's frame: order, what fails, words and JSON, the command."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli import main
from companion.doctor import telling
from companion.doctor.api import Check, Finding, Report, Unseen, bad, warning
from companion.doctor.examination import examine
from companion.doctor.here import settings_of, this_user
from companion.doctor.processes import holders, running
from companion.doctor.system import run_command
from tests.doctor.systems import FakeSystem

BAD = bad("late", "It is late.", "Go home.", "exit")
WARNING = warning("dark", "It is dark.", "Light a lamp.", "lamp on")


def unseen(system):
    yield WARNING
    raise Unseen("The window is shut.")


def broken(system):
    yield from [1 / 0]


def check(name, look, applies=lambda system: True):
    return Check(name, f"the {name}", ("late", "dark"), look, applies)


CHECKS = [
    check("window", unseen),
    check("broken", broken),
    check("well", lambda system: []),
    check("watch", lambda system: [BAD]),
    check("away", lambda system: [BAD], lambda system: False),
]


def report(tmp_path) -> Report:
    return examine(FakeSystem(tmp_path).system, CHECKS)


def test_what_is_bad_comes_first_and_a_check_that_fails_spoils_no_other(tmp_path):
    found = report(tmp_path)
    assert [(finding.code, finding.severity) for finding in found.findings] == [
        ("late", "bad"),
        ("dark", "warning"),
        ("window", "unseen"),
        ("broken", "unseen"),
        ("well", "fine"),
    ]
    assert "ZeroDivisionError" in found.of("unseen")[1].cause
    assert found.left_out == ("away",)


def test_only_what_is_bad_gives_another_exit_status():
    assert Report("ann", (BAD, WARNING)).status == 1
    assert Report("ann", (WARNING, Finding("x", "unseen", "?"))).status == 0


def test_in_words(tmp_path):
    found = report(tmp_path)
    lines = list(telling.in_words(found))
    assert lines == [
        "Asked with the rights of tidetable.",
        "",
        "1. bad: It is late. [late]",
        "   Go home.",
        "   $ exit",
        "",
        "2. warning: It is dark. [dark]",
        "   Light a lamp.",
        "   $ lamp on",
        "",
        "Could not be seen:",
        "   window: The window is shut.",
        "   broken: This check failed (ZeroDivisionError): please report it.",
        "",
        "Fine: well.",
        "",
        "1 bad, 1 warning. Begin with the first.",
    ]
    assert "Of no use at this table: away." in telling.in_words(found, verbose=True)


def test_what_steers_a_terminal_is_told_as_signs():
    odd = bad("held", "It is held by \x1b[2J\udcff\u202e (process 7).", "End it\x07.", "kill 7")
    told = "\n".join(telling.in_words(Report("ann", (odd,))))
    assert "held by \\x1b[2J\\udcff\\u202e (process 7)" in told
    assert "End it\\x07." in told
    assert telling.printable("Zażółć … ☂️") == "Zażółć … ☂️"


def test_json_and_back(tmp_path):
    found = report(tmp_path)
    assert telling.from_json(json.dumps(telling.in_json(found))) == found


def test_who_holds_a_file_is_told_from_who_has_it_not(tmp_path):
    fake = FakeSystem(tmp_path)
    fake.process(12, "ModemManager", holds="/dev/ttyUSB0")
    fake.process(13, "bash", holds="/dev/tty1")
    assert [process.pid for process in holders(fake.system, "/dev/ttyUSB0").found] == [12]
    assert [process.pid for process in running(fake.system, "bash", "zsh")] == [13]


def test_a_command_that_is_not_there_or_fails():
    assert run_command(["no-such-program-here"]).status is None
    assert run_command(["sh", "-c", "echo said; exit 3"]).status == 3


def test_the_command_in_json(tmp_path, capsys):
    status = main(["doctor", "--json", "--data", str(tmp_path), "--reader", "sim:"])
    told = json.loads(capsys.readouterr().out)
    assert told["version"] == telling.VERSION
    assert told["status"] == status
    assert {"settings", "data-folder"} <= {finding["code"] for finding in told["findings"]}


@pytest.mark.parametrize("words", [[], ["--json"], ["--verbose"]], ids=" ".join)
def test_a_terminal_that_lacks_letters_is_told_all_the_same(tmp_path, monkeypatch, words):
    """Not in UTF-8, and a folder whose name no encoding has."""
    data = tmp_path / os.fsdecode("Zażółć ".encode() + b"\xff")
    data.mkdir()
    told = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(told, encoding="iso-8859-1"))
    assert main(["doctor", *words, "--data", str(data)]) in (0, 1)
    sys.stdout.flush()
    assert b"Za\\u017c" in told.getvalue()
    if words == ["--json"]:
        assert json.loads(told.getvalue())["user"]


def test_the_documentation_has_the_shape_of_the_json(tmp_path):
    told = telling.in_json(report(tmp_path))
    page = (Path(__file__).parents[2] / "docs/doctor.md").read_text(encoding="utf-8")
    section = page.partition("## JSON")[2].partition("\n## ")[0]
    keys = re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE)
    assert keys == [*told, *told["findings"][0]]


def test_a_pi_that_does_not_tell_of_its_power_is_not_called_fine(tmp_path):
    fake = FakeSystem(tmp_path)
    fake.has(under_voltage=None)
    assert fake.found_by("under-voltage-now").left_out == ("power",)
    fake.put("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    assert [finding.code for finding in fake.found_by("under-voltage-now").of("unseen")] == [
        "power"
    ]


def test_somebody_else_is_not_told_that_what_he_cannot_see_is_fine(tmp_path):
    fake = FakeSystem(tmp_path)
    fake.installed()
    fake.user = "ann"
    fake.probes.refused = {"var/lib/tidetable"}
    unseen = {finding.code for finding in examine(fake.system).of("unseen")}
    assert {"settings", "data-folder"} <= unseen
    fake.user = "tidetable"
    assert "settings" not in {finding.code for finding in examine(fake.system).of("unseen")}


def test_no_name_and_no_secret_is_told(tmp_path, capsys):
    secrets = ("Ann Secret", "Bo Hidden", "the-token-x", "wifi-pass-x")
    (tmp_path / "table.toml").write_text(
        f'players = ["{secrets[0]}", "{secrets[1]}"]\ntoken = "{secrets[2]}"\nseats = ["pcsc-9"]\n'
        f'[wifi]\nssid = "table"\npassword = "{secrets[3]}"\n'
    )
    main(["doctor", "--json", "--data", str(tmp_path)])
    main(["doctor", "--verbose", "--data", str(tmp_path)])
    told = capsys.readouterr().out
    assert "settings-strangers" in told, "the settings were read"
    assert not [secret for secret in secrets if secret in told]


# --- what the service is told ---------------------------------------------------------


def test_settings_of_the_unit_and_the_file_in_its_folder(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "table.toml").write_text('readers = ["pcsc:"]\nport = 81\n')
    unit = tmp_path / "etc/systemd/system/tidetable.service"
    unit.parent.mkdir(parents=True)
    unit.write_text(f"[Service]\nExecStart=/opt/x/companion run --data {data} --port 80\n")
    found = settings_of(tmp_path)
    assert (found.data, found.file, found.troubles) == (data, data / "table.toml", ())
    assert (found.config.port, found.config.readers) == (80, ("pcsc:",))


def test_settings_of_the_process_that_runs(tmp_path):
    (tmp_path / "lock").write_text("the service with process id 71 at http://127.0.0.1:8080")
    line = tmp_path / "proc/71/cmdline"
    line.parent.mkdir(parents=True)
    line.write_text("/opt/companion\0run\0--reader\0line:/dev/ttyUSB0\0--host\0" + "0.0.0.0\0")
    found = settings_of(tmp_path, data=tmp_path)
    assert (found.config.readers, found.config.host) == (("line:/dev/ttyUSB0",), "0.0.0.0")
    (tmp_path / "proc/locks").write_text("1: POSIX  ADVISORY  WRITE 71 fe:00:1 0 EOF\n")
    assert settings_of(tmp_path, data=tmp_path).config.host != "0.0.0.0", "of another folder"
    inode = (tmp_path / "lock").stat().st_ino
    (tmp_path / "proc/locks").write_text(f"1: FLOCK  ADVISORY  WRITE 71 fe:00:{inode} 0 EOF\n")
    assert settings_of(tmp_path, data=tmp_path).config.host == "0.0.0.0"
    line.write_text("/usr/bin/other\0")
    assert settings_of(tmp_path, data=tmp_path).config.readers == ("sim:",)


def test_settings_that_cannot_be_used_are_a_sentence_each_that_names_nobody(tmp_path):
    (tmp_path / "table.toml").write_text(
        'port = 99999\nplayers = ["Ann Secret", "Ann Secret"]\nstarter = 7\nfoo = 1\n'
        'token = "no spaces here"\n[wifi]\nssid = "x"\npassword = "short"\n'
    )
    found = settings_of(tmp_path, data=tmp_path)
    assert found.config is None
    assert len(found.troubles) >= 3, found.troubles
    told = " ".join(found.troubles)
    assert "port" in told
    assert not [secret for secret in ("Ann", "no spaces", "'short'") if secret in told]


def test_settings_without_end_are_one_sentence(tmp_path):
    (tmp_path / "table.toml").write_text("readers = " + "[" * 10_000)
    (trouble,) = settings_of(tmp_path, data=tmp_path).troubles
    assert "a list without end" in trouble


def test_a_data_folder_of_somebody_else_is_no_error(tmp_path, monkeypatch):
    def forbidden(self, *_, **__):
        raise PermissionError(13, "no", str(self))

    monkeypatch.setattr(Path, "stat", forbidden)
    assert settings_of(tmp_path, data=tmp_path).config.readers == ("sim:",)


def test_who_we_are():
    assert this_user().uid == os.geteuid()
    assert os.getegid() in this_user().groups


def test_a_process_that_truly_holds_a_file(tmp_path):
    target = tmp_path / "held"
    with (
        target.open("w") as file,
        subprocess.Popen(
            ["sh", "-c", "echo ready; read line"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[file.fileno()],
        ) as child,
    ):
        child.stdout.readline()
        here = FakeSystem(tmp_path / "x")
        here.root = Path("/")
        found = holders(here.system, str(target)).found
        assert [process.pid for process in found] == [child.pid]
        child.stdin.close()
