"""For each code of the doctor: how a system gets the fault, and one that has it not.

A pair is (broken, healthy). Where a fault has several causes, it has several pairs.
"""

from __future__ import annotations

from pathlib import Path

from companion.telling.settings import Mqtt
from tests.doctor.faults_of_data import STORAGE
from tests.doctor.faults_of_network import NETWORK, TELLING
from tests.doctor.faults_of_ports import PINS, SERIAL
from tests.doctor.faults_of_readers import SMART_CARDS
from tests.doctor.systems import (
    Change,
    FakeSystem,
    Pairs,
    all_of,
    fact,
    mounted,
    packages,
    probe,
    refused,
    setting,
    well,
)


def settings_of_root(fake: FakeSystem) -> None:
    fake.settings_file = fake.put("var/lib/tidetable/table.toml")
    refused("table.toml")(fake)


def settings_bad(fake: FakeSystem) -> None:
    fake.troubles = ("port is a number from 0 to 65535, and not 99999.",)


def with_passwords(mode: int, *, folder: int = 0o755, **more: object) -> Change:
    """The file of the settings holds some, and has these rights."""

    def change(fake: FakeSystem) -> None:
        fake.settings_file = fake.put("srv/table.toml")
        fake.settings_file.chmod(mode)
        for above in (fake.root, fake.root / "srv"):
            above.chmod(folder)
        fake.config.update({"token": "a-token-of-ours"} | more)

    return change


def with_password_file(mode: int) -> Change:
    def change(fake: FakeSystem) -> None:
        file = fake.put("srv/password", "open sesame")
        with_passwords(0o644, token=None)(fake)
        file.chmod(mode)
        fake.config["mqtt"] = Mqtt(host="broker.lan", username="table", password_file=file)

    return change


SETTINGS: Pairs = {
    "settings-bad": [
        (settings_bad, well),
        (settings_of_root, well),
        (setting(readers=("foo:bar",)), setting(readers=("sim:bar",))),
        (setting(readers=("gpio:99",)), setting(readers=("gpio:17",))),
    ],
    "settings-strangers": [
        (
            setting(readers=("sim:",), seats=("pcsc-1",)),
            setting(readers=("pcsc:",), seats=("pcsc-1",)),
        )
    ],
    "secrets-open": [
        (with_passwords(0o644), with_passwords(0o640)),
        (with_passwords(0o604), with_passwords(0o644, folder=0o700)),
        (with_password_file(0o644), with_password_file(0o600)),
        (
            all_of(with_passwords(0o755), mounted("vfat", at="/srv")),
            all_of(with_passwords(0o700), mounted("vfat", at="/srv")),
        ),
    ],
}

POWER: Pairs = {
    "under-voltage-now": [(fact(under_voltage="now"), fact(under_voltage="earlier"))],
    "under-voltage-earlier": [(fact(under_voltage="earlier"), fact(under_voltage="never"))],
    "too-hot-now": [
        (fact(too_hot="now"), fact(too_hot="never")),
        (fact(celsius=93.0, too_hot=None), fact(celsius=93.0, too_hot="never")),
        (fact(celsius=93.0, too_hot=None), fact(celsius=83.0, too_hot=None)),
    ],
    "too-hot-earlier": [(fact(too_hot="earlier"), fact(too_hot="never"))],
    "clock-never-set": [(fact(year_is_right=False), fact(year_is_right=True))],
    "clock-unsynchronised": [(fact(synchronised=False), fact(synchronised=True))],
}
# --- program ----------------------------------------------------------------------------


NEEDS = ("flask>=3.0", "pyscard>=2.0.5; extra == 'pcsc'")


def checkout(fake: FakeSystem) -> None:
    fake.probes.checkout = Path("/srv/sources")
    fake.probes.needs = NEEDS
    fake.put("srv/sources/run")
    fake.put("srv/sources/constraints.txt", "# all\nFlask==3.1.3\npyscard==2.3.1\n")


def systemd(**told: str) -> Change:
    """What systemd says of the unit; otherwise all is well."""

    def change(fake: FakeSystem) -> None:
        fake.installed()
        state = {
            "LoadState": "loaded",
            "ActiveState": "active",
            "UnitFileState": "enabled",
            "NRestarts": "0",
            "Result": "success",
            "NeedDaemonReload": "no",
            **told,
        }
        fake.says(
            "systemctl show tidetable.service "
            "--property=LoadState,ActiveState,SubState,UnitFileState,NRestarts,Result,NeedDaemonReload",
            "".join(f"{key}={value}\n" for key, value in state.items()),
        )

    return change


PROGRAM: Pairs = {
    "python-old": [(probe(python="3.9.2"), probe(python="3.13.5"))],
    "sqlite-old": [(probe(sqlite="3.34.1"), probe(sqlite="3.46.1"))],
    "package-old": [
        (
            all_of(probe(needs=NEEDS), packages(flask="2.2.2")),
            all_of(probe(needs=NEEDS), packages(flask="3.0")),
        ),
        (probe(needs=NEEDS), all_of(probe(needs=NEEDS), packages(flask="3.1.3"))),
    ],
    "venv-behind": [
        (all_of(checkout, packages(flask="3.0.1")), all_of(checkout, packages(flask="3.1.3")))
    ],
    "service-failed": [
        (systemd(ActiveState="failed", Result="watchdog"), systemd()),
        (systemd(ActiveState="activating", SubState="auto-restart"), systemd()),
    ],
    "service-stopped": [(systemd(ActiveState="inactive"), systemd(ActiveState="activating"))],
    "service-restarts": [(systemd(NRestarts="3"), systemd(NRestarts="0"))],
    "service-not-at-start": [(systemd(UnitFileState="disabled"), systemd())],
    "unit-changed": [(systemd(NeedDaemonReload="yes"), systemd())],
}
FAULTS: Pairs = {
    **SETTINGS,
    **POWER,
    **PROGRAM,
    **STORAGE,
    **NETWORK,
    **TELLING,
    **SMART_CARDS,
    **SERIAL,
    **PINS,
}
