"""What the system's files say, judged by the programs that read them where those are there."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from companion import addresses, kiosk
from companion.drivers import ports
from companion.installing import files
from companion.installing.choices import Choices
from companion.installing.plan import UDEV

EVERY = [
    Choices(),
    Choices(data=Path("/mnt/stick/tidetable")),
]
HIGHEST_EXPOSURE = 3.0


def settings(text: str) -> dict[str, list[str]]:
    """The lines of a unit by their keys."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in text.splitlines():
        if line and line[0] not in "#[":
            key, _, value = line.partition("=")
            found[key].append(value)
    return found


# --- the unit -------------------------------------------------------------------------


@pytest.fixture(params=EVERY, ids=lambda choices: str(choices.data))
def unit_file(request, tmp_path):
    path = tmp_path / files.UNIT_NAME
    path.write_text(files.unit(request.param, Path("/bin/true")))
    return path


def judged(path: Path) -> tuple[int, list[str]]:
    """What systemd says of a unit, and of no other."""
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", path],
        check=False,
        capture_output=True,
        text=True,
    )
    return done.returncode, [line for line in done.stderr.splitlines() if path.name in line]


@pytest.mark.needs("systemd-analyze")
def test_systemd_has_nothing_to_say_to_the_unit(unit_file):
    assert judged(unit_file) == (0, [])


@pytest.mark.needs("systemd-analyze")
def test_a_wrong_unit_is_judged(unit_file):
    unit_file.write_text(unit_file.read_text().replace("WatchdogSec=30s", "WatchdogSec=soon"))
    (said,) = judged(unit_file)[1]
    assert "soon" in said


@pytest.mark.needs("systemd-analyze")
def test_the_unit_is_little_exposed(unit_file):
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager", unit_file],
        check=True,
        capture_output=True,
        text=True,
    )
    (level,) = re.findall(r"exposure level for \S+: ([0-9.]+)", done.stdout)
    assert float(level) < HIGHEST_EXPOSURE


def test_the_service_waits_for_no_network():
    found = settings(files.unit(Choices()))
    ordered = " ".join(value for key in ("After", "Wants", "Requires") for value in found[key])
    assert "network" not in ordered


def test_the_one_writable_folder_is_that_of_the_data():
    found = settings(files.unit(Choices()))
    assert found["ProtectSystem"] == ["strict"]
    assert (found["StateDirectory"], found["ReadWritePaths"]) == (["tidetable"], [])
    assert found["WorkingDirectory"] == ["/var/lib/tidetable"]
    assert "LG_WD=/var/lib/tidetable" in found["Environment"]


def test_a_data_folder_elsewhere_is_waited_for_and_writable():
    found = settings(files.unit(Choices(data=Path("/mnt/stick/t"))))
    assert found["ReadWritePaths"] == found["RequiresMountsFor"] == ["/mnt/stick/t"]
    assert found["StateDirectory"] == []
    assert "LG_WD=/mnt/stick/t" in found["Environment"]
    assert found["ExecStart"][0].endswith("--data /mnt/stick/t")


def test_where_it_serves_stands_in_the_settings_and_any_port_may_be_written_there():
    found = settings(files.unit(Choices()))
    capability = ["CAP_NET_BIND_SERVICE"]
    assert found["CapabilityBoundingSet"] == found["AmbientCapabilities"] == capability
    (command,) = found["ExecStart"]
    assert command.endswith("companion run --data /var/lib/tidetable")


def test_the_display_may_read_where_the_pages_are():
    found = settings(files.unit(Choices()))
    assert (found["RuntimeDirectory"], found["RuntimeDirectoryMode"]) == (["tidetable"], ["0755"])
    where = Path("/run") / found["RuntimeDirectory"][0] / addresses.PUBLIC
    assert where == kiosk.ADDRESS


def test_modules_of_devices_that_are_plugged_in_later_are_loaded_before():
    """systemd looks up DeviceAllow= once, at the start, among what the kernel then knows."""
    found = settings(files.unit(Choices()))
    asked = found["Wants"][0].split()
    assert {"modprobe@cdc_acm.service", "modprobe@usbserial.service"} <= set(asked)
    assert found["After"][-1].split() == asked


def test_pins_are_never_imagined():
    assert "GPIOZERO_PIN_FACTORY=lgpio" in settings(files.unit(Choices()))["Environment"]


def test_the_user_has_no_rights_that_the_unit_does_not_name():
    found = settings(files.unit(Choices()))
    assert found["User"] == found["Group"] == ["tidetable"]
    assert found["NoNewPrivileges"] == ["yes"]
    assert found["DevicePolicy"] == ["closed"]


# --- udev -----------------------------------------------------------------------------

KEY = r'(?:[A-Z_]+(?:\{[A-Za-z0-9_./]+\})?)(?:==|!=|\+=|:=|=)"[^"]*"'


def test_each_rule_is_written_as_udev_reads_it():
    lines = [line for line in files.udev_rules().splitlines() if line and line[0] != "#"]
    wrong = [line for line in lines if not re.fullmatch(rf"{KEY}(?:, {KEY})*", line)]
    assert wrong == []


def test_each_jump_leads_forward_to_a_label():
    text = files.udev_rules()
    for name in re.findall(r'GOTO="(\w+)"', text):
        assert text.index(f'LABEL="{name}"') > text.rindex(f'GOTO="{name}"')


@pytest.mark.parametrize("vendor", ["2e8a", "2341", "1a86", "10c4", "0403"])
def test_known_boards_get_a_name_and_no_modem_manager(vendor):
    rules = files.udev_rules()
    assert f'ENV{{ID_VENDOR_ID}}=="{vendor}", ENV{{TIDETABLE_KIND}}=' in rules
    assert f'ATTR{{idVendor}}=="{vendor}", ENV{{ID_MM_DEVICE_IGNORE}}="1"' in rules


def test_a_reader_of_pcscd_gets_a_name():
    assert 'ATTR{idVendor}=="072f", ATTR{idProduct}=="2200"' in files.udev_rules()


@pytest.mark.parametrize(
    "name",
    [
        "/dev/tidetable/pico-E6614C311B",
        "/dev/tidetable/ch340-at-platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.2:1.0",
    ],
)
@pytest.mark.parametrize("kind", ["bridge", "line", "pn532"])
def test_a_stable_name_is_one_that_a_reader_takes(kind, name):
    assert ports.parse(f"{kind}:", name) == ports.Address("url", name, ports.BAUD)


def test_devices_that_are_there_already_get_their_names_at_once():
    assert UDEV[-1][:2] == ("udevadm", "trigger")


# --- modprobe, polkit, the user, the command ------------------------------------------


@pytest.mark.parametrize("module", ["pn533_usb", "pn533", "nfc"])
def test_the_kernel_never_loads_what_takes_readers(module):
    lines = files.modprobe().splitlines()
    assert f"blacklist {module}" in lines
    assert f"install {module} /bin/false" in lines


def test_the_service_may_use_readers_and_nobody_else_more():
    rule = files.polkit_rule()
    assert '"org.debian.pcsc-lite.access_pcsc"' in rule
    assert '"org.debian.pcsc-lite.access_card"' in rule
    assert 'subject.user == "tidetable"' in rule
    assert rule.count("Result.YES") == 1


def test_a_package_makes_the_same_user():
    assert re.search(
        r'^u tidetable - ".*" /var/lib/tidetable /usr/sbin/nologin$', files.sysusers(), re.MULTILINE
    )


@pytest.mark.needs("shellcheck")
def test_shellcheck_has_nothing_to_say_to_the_command(tmp_path):
    path = tmp_path / "companion"
    path.write_text(files.command(Path("/srv/t")))
    done = subprocess.run(["shellcheck", path], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("uid", "word", "expected"),
    [
        ("0", "tags", "as tidetable: tags list in /srv/t"),
        ("0", "doctor", "doctor list in /srv/t"),
        ("1000", "tags", "tags list in /srv/t"),
    ],
)
def test_the_command_works_on_the_data_as_their_user(tmp_path, uid, word, expected):
    programs = {
        "id": f"echo {uid}",
        "setpriv": 'while test "${1#-}" != "$1"; do shift; done; printf "as tidetable: "; exec "$@"',
        "own": 'echo "$* in $TIDETABLE_DATA"',
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    path = tmp_path / "companion"
    path.write_text(files.command(Path("/srv/t"), tmp_path / "own"))
    done = subprocess.run(
        ["/bin/sh", path, word, "list"],
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
    )
    assert done.stdout.strip() == expected


@pytest.mark.parametrize(
    "text", [files.unit(Choices()), files.udev_rules(), files.modprobe(), files.polkit_rule()]
)
def test_each_file_is_known_for_ours(text):
    assert files.MARK in text
