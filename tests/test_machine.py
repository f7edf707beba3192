"""What the computer tells of itself, read from a file system made for it."""

from __future__ import annotations

import pytest

from companion.machine import KEEP_S, MachineFacts

WIRELESS = """\
Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
 wlan0: 0000   54.  {level}.  -256        0      0      0      0      3        0
"""
THROTTLED = "sys/devices/platform/soc/soc:firmware/get_throttled"


@pytest.fixture
def root(tmp_path):
    return tmp_path


def put(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def facts(root, data=None):
    return MachineFacts(data, root=root).now()


def test_an_empty_machine_tells_nothing_and_is_no_error(root):
    told = facts(root)
    assert (told.celsius, told.under_voltage, told.wifi_dbm, told.up_s) == (None,) * 4
    assert (told.disk_free, told.disk_size) == (None, None)


def test_the_processor_is_told_from_other_zones(root):
    put(root, "sys/class/thermal/thermal_zone0/type", "battery\n")
    put(root, "sys/class/thermal/thermal_zone0/temp", "21000\n")
    put(root, "sys/class/thermal/thermal_zone1/type", "cpu-thermal\n")
    put(root, "sys/class/thermal/thermal_zone1/temp", "61345\n")
    assert facts(root).celsius == 61.3


@pytest.mark.parametrize(
    ("bits", "said"),
    [("0", "never"), ("50000", "earlier"), ("50005", "now"), ("1", "now"), ("?", None)],
)
def test_under_voltage_now_and_earlier(root, bits, said):
    put(root, THROTTLED, bits + "\n")
    assert facts(root).under_voltage == said


@pytest.mark.parametrize(
    ("bits", "said"), [("50000", "never"), ("80000", "earlier"), ("80008", "now"), ("", None)]
)
def test_heat_now_and_earlier(root, bits, said):
    put(root, THROTTLED, bits + "\n")
    assert facts(root).too_hot == said


@pytest.mark.parametrize(("alarm", "said"), [("1", "now"), ("0", "never")])
def test_under_voltage_of_a_newer_kernel(root, alarm, said):
    put(root, "sys/class/hwmon/hwmon0/name", "cpu_thermal")
    put(root, "sys/class/hwmon/hwmon1/name", "rpi_volt")
    put(root, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", alarm)
    assert facts(root).under_voltage == said


@pytest.mark.parametrize(("level", "dbm"), [("-56", -56), ("200", -56)])
def test_the_signal_of_the_wifi(root, level, dbm):
    put(root, "proc/net/wireless", WIRELESS.format(level=level))
    assert facts(root).wifi_dbm == dbm


def test_the_disk_is_that_of_the_record(root, tmp_path):
    told = facts(root, tmp_path)
    assert 0 < told.disk_free <= told.disk_size
    assert facts(root, tmp_path / "away").disk_free is None


def test_a_program_of_the_pi_is_asked_where_there_is_one(tmp_path, monkeypatch):
    program = tmp_path / "vcgencmd"
    program.write_text("#!/bin/sh\necho throttled=0x50005\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert MachineFacts().now().under_voltage == "now"


def test_facts_are_kept_for_a_moment(root):
    now_s = [0.0]
    machine = MachineFacts(root=root, clock=lambda: now_s[0])
    put(root, "proc/uptime", "10.5 20.0\n")
    assert machine.now().up_s == 10.5
    put(root, "proc/uptime", "99.0 20.0\n")
    assert machine.now().up_s == 10.5
    now_s[0] += KEEP_S
    assert machine.now().up_s == 99.0


def test_the_real_machine_answers():
    told = MachineFacts().now()
    assert told.processors
    assert told.synchronised in (True, False, None)
