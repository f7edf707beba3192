"""Each fault that the doctor knows: on a system that has it, and on one that has not."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from companion import cli
from companion.doctor.examination import CHECKS, examine
from companion.doctor.here import settings_of
from tests.doctor import faults
from tests.doctor import faults_of_data as data
from tests.doctor import faults_of_network as network
from tests.doctor import faults_of_ports as ports
from tests.doctor import faults_of_readers as readers
from tests.doctor.systems import UID, FakeSystem, mounted, packages

CASES = [(code, *pair) for code, pairs in faults.FAULTS.items() for pair in pairs]


def named(value):
    """A fault by its code and what changes the system."""
    return value if isinstance(value, str) else getattr(value, "__name__", "")


@pytest.mark.parametrize(
    ("code", "broken"), [(code, broken) for code, broken, _ in CASES], ids=named
)
def test_the_fault_is_found(code, broken, tmp_path):
    fake = FakeSystem(tmp_path)
    broken(fake)
    found = fake.found_by(code).of("bad", "warning")
    assert [finding.code for finding in found][:1] == [code], found
    finding = found[0]
    assert finding.cause.endswith(".")
    assert finding.fix.endswith((".", "?"))
    assert finding.command
    assert "\n" not in finding.cause + finding.fix + finding.command


@pytest.mark.parametrize(
    ("code", "healthy"),
    [(code, healthy) for code, _, healthy in CASES],
    ids=named,
)
def test_without_the_fault_nothing_is_found(code, healthy, tmp_path):
    fake = FakeSystem(tmp_path)
    healthy(fake)
    report = fake.found_by(code)
    assert code not in [finding.code for finding in report.findings]
    assert not report.of("unseen"), "what was not seen is no proof"
    assert not report.left_out, "the check was not even made"


def test_a_table_where_all_is_well_is_told_so(tmp_path):
    """Every kind of reader at an installed table: no check takes another's for a fault."""
    fake = FakeSystem(tmp_path)
    whole = (
        *(readers.pcsc, readers.polkit, readers.polkit_rule, readers.forbidden),
        *(ports.pi, ports.pins),
        *(data.copied(0.1), data.household, network.named("192.168.1.7"), faults.systemd()),
        *(network.listens(8080), network.served, network.healthy),
    )
    for change in whole:
        change(fake)
    groups = f"tidetable:x:{UID}:\ndialout:x:20:tidetable\ngpio:x:986:tidetable\n"
    fake.put("etc/group", groups)
    listed = f"{UID} 20 986"
    fake.put("proc/700/status", f"Uid:\t{UID}\nGid:\t{UID}\nGroups:\t{listed}\n")
    fake.config["readers"] = ("pcsc:", "pn532:/dev/serial0", "gpio:17?kind=stop")
    fake.probes.pin_users = {("/dev/gpiochip0", 17): "lg"}
    report = examine(fake.system)
    assert report.of("bad", "warning", "unseen") == []
    assert report.left_out == (*("secrets", "checkout", "copies-elsewhere", "broker", "webhook"),)


def test_no_check_is_without_both():
    assert set(faults.FAULTS) == {code for check in CHECKS for code in check.codes}


def test_each_code_belongs_to_one_check():
    names = [name for check in CHECKS for name in (check.name, *check.codes)]
    assert len(names) == len(set(names))


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What is found of each broken system, in the order of the cases."""
    roots = tmp_path_factory.mktemp("roots")
    findings = []
    for number, (code, broken, _) in enumerate(CASES):
        fake = FakeSystem(roots / str(number))
        broken(fake)
        findings.append(fake.found_by(code).of("bad", "warning")[0])
    return findings


@pytest.fixture
def commands(found):
    """What is to be typed."""
    return [finding.command for finding in found]


def test_what_needs_a_package_of_python_is_asked_of_the_program_s_own(commands):
    asked = [command for command in commands if "serial.tools" in command]
    assert len(asked) >= 3
    own = "/opt/tidetable/venv/bin/python3 "
    assert [command for command in asked if not command.startswith(own)] == []


def test_every_command_is_one_that_a_shell_can_read(commands):
    lines = "\n".join(commands)
    done = subprocess.run(["sh", "-n"], input=lines, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_command_of_this_program_is_one(commands):
    ours = [
        words[words.index(name) + 1 :]
        for command in commands
        for part in command.split(" && ")
        for words in [shlex.split(part)]
        for name in ("companion", "./run", "/srv/sources/run")
        if name in words
    ]
    assert len(ours) > 3
    for words in ours:
        assert words, "a bare ./run is the service"
        cli._parser().parse_args(words)


def test_the_documentation_names_each_code_and_check_in_their_order():
    page = (Path(__file__).parents[2] / "docs/doctor.md").read_text(encoding="utf-8")
    section = page.partition("## What it checks")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (bad|warning) \|", section, flags=re.MULTILINE)
    assert [code for code, _ in rows] == [code for check in CHECKS for code in check.codes]
    heads = re.findall(r"^### .* \(`([a-z0-9-]+)`\)$", section, flags=re.MULTILINE)
    assert heads == [check.name for check in CHECKS]


def test_the_documentation_says_how_bad_each_is(found):
    page = (Path(__file__).parents[2] / "docs/doctor.md").read_text(encoding="utf-8")
    for finding in found:
        assert f"| `{finding.code}` | {finding.severity} |" in page


def test_a_port_that_is_taken_and_a_host_for_nobody_else_are_mended_by_the_settings(tmp_path):
    """The command of an installed table knows where the settings are."""
    fake = FakeSystem(tmp_path)
    fake.config = {"port": 8080}
    fake.put("proc/net/tcp", f"head\n{line_of(8080)}{line_of(8081)}")
    data = f"--data {fake.data}"
    (finding,) = fake.found_by("port-taken").of("bad")
    assert finding.command == f"companion config set {data} port=8082"
    (finding,) = fake.found_by("only-this-computer").of("warning")
    assert finding.command == f"companion config set {data} host=0.0.0.0"
    fake.installed()
    (finding,) = fake.found_by("only-this-computer").of("warning")
    assert finding.command == (
        "sudo companion config set host=0.0.0.0 && sudo systemctl restart tidetable"
    )


def line_of(port: int) -> str:
    """A listening socket, as the kernel tells it."""
    return f"   0: 00000000:{port:04X} 00000000:0000 0A 0:0 00:0 00000000     0        0 4711 1 0\n"


def test_a_port_that_is_taken_comes_before_the_service_that_ends_for_it(tmp_path):
    fake = FakeSystem(tmp_path)
    faults.systemd(ActiveState="activating", SubState="auto-restart")(fake)
    network.listens(8080)(fake)
    report = examine(fake.system)
    assert [finding.code for finding in report.of("bad")] == ["port-taken", "service-failed"]
    assert [finding.code for finding in report.of("unseen")] == ["port"], "root sees by whom"


def test_what_mends_is_what_is_wrong(tmp_path):
    """Each command takes away its cause, and not another one's."""
    fake = FakeSystem(tmp_path)
    fake.installed()
    data.record(fake)

    def command(code):
        return next(each.command for each in fake.found_by(code).findings if each.code == code)

    data.zeros(fake)
    assert command("record-damaged") == "sudo systemctl restart tidetable"
    faults.settings_of_root(fake)
    assert command("settings-bad") == f"sudo chown -R tidetable: {fake.data}"
    fake.probes.refused = {"var/lib/tidetable"}
    assert command("data-not-writable") == f"sudo chown -R tidetable: {fake.data}"
    if os.geteuid() == 0:
        os.chown(fake.data, UID, UID)
        assert command("data-not-writable") == f"sudo chmod u+rwx {fake.data}"
    fake.probes.refused = {"var"}
    assert command("data-not-writable") == f"sudo chmod o+x {tmp_path}/var"
    fake.probes.refused = set()
    fake.has(synchronised=False)
    assert command("clock-unsynchronised") == "sudo timedatectl set-ntp true"
    fake.says("timedatectl show --property=CanNTP --value", "no\n")
    assert command("clock-unsynchronised") == "sudo apt install systemd-timesyncd"
    fake.has(disk_free=0)
    assert command("disk-full").startswith("sudo apt clean")
    mounted("ext4", at="/var/lib")(fake)
    assert command("disk-full") == "sudo du -xh /var/lib | sort -h | tail -n 20"
    readers.pcsc(fake)
    readers.AWAY(fake)
    readers.masked(fake)
    assert command("pcscd-stopped").startswith("sudo systemctl unmask pcscd.socket")


def test_a_file_with_passwords_stays_one_that_the_service_can_read(tmp_path):
    fake = FakeSystem(tmp_path)
    faults.with_passwords(0o644)(fake)
    file = fake.settings_file

    def command():
        (finding,) = fake.found_by("secrets-open").of("warning")
        return finding.command

    if os.geteuid() == 0:
        assert command() == f"sudo chown tidetable: {file} && sudo chmod 600 {file}"
        os.chown(file, UID, UID)
        assert command() == f"chmod 600 {file}"
        fake.installed()
        assert command() == f"sudo chmod 600 {file}"
    fake.installed()
    fake.user = "ann"
    mounted("vfat", at="/srv")(fake)
    assert command() == f"findmnt --target {file}", "FAT knows no owners"
    mounted("vfat", at="/boot")(fake)
    assert command() == f"sudo chown tidetable: {file} && sudo chmod 600 {file}"


@pytest.mark.parametrize("folder", [Path("/home", "ann"), Path("/root"), Path("/run/user/1000")])
def test_a_file_that_the_unit_hides_is_copied_to_where_the_service_sees_it(tmp_path, folder):
    fake = FakeSystem(tmp_path)
    network.hides_homes(fake)
    network.told(password_file=folder / "broker")(fake)
    (finding,) = fake.found_by("telling-file").of("warning")
    copy = fake.data / "broker"
    assert finding.command == f"sudo install -o tidetable -m 600 {folder}/broker {copy}"


def test_a_service_that_was_started_by_hand_is_started_again_by_hand(tmp_path):
    fake = FakeSystem(tmp_path)
    ports.port(fake)
    ports.service_with_groups(UID)(fake)
    (finding,) = fake.found_by("port-group-late").of("bad")
    assert finding.command == "kill 700; companion run"
    fake.installed()
    (finding,) = fake.found_by("port-group-late").of("bad")
    assert finding.command == "sudo systemctl restart tidetable"


def test_commands_hold_for_a_checkout_with_a_space_in_its_name(tmp_path):
    fake = FakeSystem(tmp_path)
    faults.checkout(fake)
    fake.probes.checkout = Path("/srv/my table")
    fake.put("srv/my table/run")
    fake.put("srv/my table/constraints.txt", "Flask==3.1.3\n")
    packages(flask="3.0.1")(fake)
    (finding,) = fake.found_by("venv-behind").of("warning")
    assert finding.command == "'/srv/my table/run' doctor"
    ports.port(fake)
    ports.service_with_groups(UID)(fake)
    (finding,) = fake.found_by("port-group-late").of("bad")
    assert finding.command == "kill 700; '/srv/my table/run'"


def test_settings_that_cannot_be_seen_are_not_guessed(tmp_path, monkeypatch):
    """Where the pages are served stands in a file that is closed to an ordinary user."""
    data = tmp_path / "var/lib/tidetable"
    data.mkdir(parents=True)
    (data / "table.toml").write_text('host = "0.0.0.0"\n')
    stat = Path.stat

    def closed(path, **more):
        if path.parent == data:
            raise PermissionError(13, "Permission denied")
        return stat(path, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", closed)
        found = settings_of(tmp_path, data=data)
    assert (found.closed, found.troubles) == (True, ())
    fake = FakeSystem(tmp_path / "other")
    report = examine(replace(fake.system, settings=found))
    assert "settings" in [finding.code for finding in report.of("unseen")]
    assert {"port", "reach", "name"} <= set(report.left_out)
