"""For each code of the doctor: how a system gets the fault, and one that has it not.

A pair is (broken, healthy). Where a fault has several causes, it has several pairs.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from companion.doctor.system import BrokerAnswer
from companion.household import HOUSEHOLD, HOUSEHOLD_VERSION, Household
from companion.record import copies, manifest, schema, taking
from companion.record.backup_section import Backup
from companion.telling.settings import Mqtt, Webhook
from tests.doctor import faults_of_readers
from tests.doctor.systems import GIB, NOW_S, Change, FakeSystem, all_of

Pairs = dict[str, Sequence[tuple[Change, Change]]]
MIB = GIB >> 10


def well(fake: FakeSystem) -> None:
    """Nothing is changed."""


def fact(**facts: object) -> Change:
    return lambda fake: fake.has(**facts)


def setting(**settings: object) -> Change:
    return lambda fake: fake.config.update(settings)


def settings_of_root(fake: FakeSystem) -> None:
    fake.settings_file = fake.put("var/lib/tidetable/table.toml")
    refused("table.toml")(fake)


def settings_bad(fake: FakeSystem) -> None:
    fake.troubles = ("port is a number from 0 to 65535, and not 99999.",)


def mounted(kind: str, options: str = "rw", at: str = "/var/lib/tidetable") -> Change:
    def change(fake: FakeSystem) -> None:
        fake.put(
            "proc/self/mountinfo",
            "22 1 179:2 / / rw,noatime - ext4 /dev/mmcblk0p2 rw\n"
            f"40 22 8:1 / {at} {options},relatime shared:9 - {kind} /dev/sda1 {options}\n",
        )

    return change


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


def probe(**values: object) -> Change:
    def change(fake: FakeSystem) -> None:
        for name, value in values.items():
            setattr(fake.probes, name, value)

    return change


def packages(**versions: str) -> Change:
    return lambda fake: fake.probes.versions.update(versions)


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

# --- data folder ------------------------------------------------------------------------


def away(fake: FakeSystem) -> None:
    fake.data.rmdir()


def a_file(fake: FakeSystem) -> None:
    fake.data.write_text("no folder")


def refused(name: str) -> Change:
    return lambda fake: fake.probes.refused.add(name)


def odd(name: str, make: Callable[[Path], object]) -> Change:
    return lambda fake: make(fake.data / name)


def link_to_a_stick(fake: FakeSystem) -> None:
    away(fake)
    fake.data.symlink_to("/media/stick/tidetable")


def link_to_a_folder(fake: FakeSystem) -> None:
    away(fake)
    (fake.root / "stick").mkdir()
    fake.data.symlink_to(fake.root / "stick")


def record(fake: FakeSystem) -> None:
    with sqlite3.connect(fake.data / "table.sqlite") as connection:
        schema.create(connection)
        connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION}")
    connection.close()


def lost_and_found(fake: FakeSystem) -> None:
    fake.put("var/lib/tidetable/lost+found/x")


def newer_record(fake: FakeSystem) -> None:
    record(fake)
    with sqlite3.connect(fake.data / "table.sqlite") as connection:
        connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    connection.close()


def zeros(fake: FakeSystem) -> None:
    (fake.data / "table.sqlite").write_bytes(bytes(4096))


def torn(fake: FakeSystem) -> None:
    record(fake)
    path = fake.data / "table.sqlite"
    path.write_bytes(path.read_bytes()[:8192] + b"\xff" * 8192 + path.read_bytes()[16384:])


def torn_name(fake: FakeSystem) -> None:
    """The name of a table is no text any more, which SQLite does not mind."""
    record(fake)
    path = fake.data / "table.sqlite"
    data = bytearray(path.read_bytes())
    data[data.index(b"tableentry") + len("table")] = 0x93
    path.write_bytes(data)


def without_a_table(fake: FakeSystem) -> None:
    record(fake)
    with sqlite3.connect(fake.data / "table.sqlite") as connection:
        connection.execute("DROP INDEX entry_request")
    connection.close()


def household(fake: FakeSystem) -> None:
    Household(fake.data / HOUSEHOLD).close()


def newer_household(fake: FakeSystem) -> None:
    household(fake)
    with sqlite3.connect(fake.data / HOUSEHOLD) as connection:
        connection.execute(f"PRAGMA user_version = {HOUSEHOLD_VERSION + 1}")
    connection.close()


def torn_household(fake: FakeSystem) -> None:
    (fake.data / HOUSEHOLD).write_bytes(b"\0" * 8192)


def copied(days: float) -> Change:
    """A copy that is so much older than the record."""

    def change(fake: FakeSystem) -> None:
        record(fake)
        copy = fake.put("var/lib/tidetable/backups/table-000004.sqlite")
        os.utime(copy, (NOW_S - days * 86_400,) * 2)
        os.utime(fake.data / "table.sqlite", (NOW_S, NOW_S))
        os.utime(copy.parent, (NOW_S - days * 86_400,) * 2)

    return change


def taken(damaged: str) -> Change:
    """A copy that says what was damaged when it was taken."""

    def change(fake: FakeSystem) -> None:
        record(fake)
        copy = taking.take_copy(fake.data / "table.sqlite")
        assert copy is not None
        told = manifest.read(copy.parent)
        assert told is not None
        copies.tell(copy.parent, replace(told, damaged=damaged))

    return change


def dangling(fake: FakeSystem) -> None:
    """Somebody's link that leads nowhere."""
    (fake.data / "photos").symlink_to("nowhere")


def other_place(fake: FakeSystem) -> None:
    fake.config["backup"] = Backup(folder=fake.root / "media/stick/tide")


def other_place_there(fake: FakeSystem) -> None:
    other_place(fake)
    (fake.root / "media/stick/tide").mkdir(parents=True)


def strict(fake: FakeSystem) -> None:
    fake.installed("ProtectSystem=strict\n")


def drop_in(fake: FakeSystem) -> None:
    fake.put(
        "etc/systemd/system/tidetable.service.d/copies.conf",
        f"[Service]\nReadWritePaths=-{fake.root}/media/stick\n",
    )


def never_copied(days: float) -> Change:
    def change(fake: FakeSystem) -> None:
        record(fake)
        first = fake.put("var/lib/tidetable/household.sqlite")
        os.utime(first, (NOW_S - days * 86_400,) * 2)
        os.utime(fake.data / "table.sqlite", (NOW_S, NOW_S))

    return change


STORAGE: Pairs = {
    "data-read-only": [
        (mounted("ext4", "ro"), mounted("ext4")),
        (mounted("ext4", "ro", at="/"), mounted("ext4", "ro", at="/boot")),
    ],
    "data-missing": [
        (all_of(away, refused("var/lib")), away),
        (link_to_a_stick, link_to_a_folder),
    ],
    "data-no-folder": [(all_of(away, a_file), well)],
    "data-not-writable": [(refused("var/lib/tidetable"), well), (refused("var/lib"), well)],
    "data-of-another": [
        (all_of(record, refused("table.sqlite")), record),
        (all_of(record, refused("table.sqlite")), all_of(lost_and_found, refused("lost+found"))),
    ],
    "data-odd": [
        (odd("table.sqlite", Path.mkdir), record),
        (odd("lock", os.mkfifo), odd("lock", Path.touch)),
        (odd("table.toml", lambda path: path.symlink_to("nowhere")), lost_and_found),
        (odd("backups", Path.touch), odd("backups", Path.mkdir)),
    ],
    "data-in-memory": [(mounted("tmpfs"), mounted("tmpfs", at="/tmp"))],
    "data-on-network": [(mounted("nfs4"), mounted("f2fs"))],
    "data-on-overlay": [(mounted("overlay", at="/"), well)],
    "data-on-fat": [(mounted("vfat"), mounted("ext4")), (mounted("exfat"), mounted("btrfs"))],
    "disk-full": [(fact(disk_free=10 * MIB), fact(disk_free=100 * MIB))],
    "disk-nearly-full": [(fact(disk_free=100 * MIB), fact(disk_free=GIB))],
    "copies-away": [(other_place, other_place_there)],
    "copies-denied": [(all_of(other_place_there, refused("stick/tide")), other_place_there)],
    "copies-shut": [
        (all_of(other_place_there, strict), other_place_there),
        (all_of(other_place_there, strict), all_of(other_place_there, strict, drop_in)),
    ],
    "record-newer": [(newer_record, record)],
    "record-damaged": [
        (zeros, record),
        (torn, record),
        (torn_name, record),
        (without_a_table, record),
    ],
    "household-newer": [(newer_household, household)],
    "household-damaged": [(torn_household, household)],
    "record-game-damaged": [(taken("game 2 (it is missing)"), taken(""))],
    "copies-old": [
        (all_of(copied(3.5), dangling), all_of(copied(1.5), dangling)),
        (never_copied(4), never_copied(0.5)),
    ],
}

# --- network ----------------------------------------------------------------------------

TCP = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


def listens(port: int, *, state: str = "0A", family: str = "tcp") -> Change:
    address = "00000000" if family == "tcp" else "0" * 32
    line = f"   0: {address}:{port:04X} 00000000:0000 {state} 0:0 00:0 00000000     0        0 4711 1 0\n"
    return lambda fake: fake.put(f"proc/net/{family}", TCP + line)


def held_by(name: str) -> Change:
    return lambda fake: fake.process(90, name, holds="socket:[4711]")


def served(fake: FakeSystem) -> None:
    fake.serves(700)
    fake.link("proc/700/fd/5", "socket:[4711]")
    fake.link("proc/700/fd/6", "/dev/null")


def healthy(fake: FakeSystem) -> None:
    fake.probes.pages["http://127.0.0.1:8080/healthz"] = "ok\n"


def address(*addresses: str) -> Change:
    def change(fake: FakeSystem) -> None:
        lines = "".join(
            f"           |-- {each}\n              /32 host LOCAL\n" for each in addresses
        )
        fake.put("proc/net/fib_trie", f"Main:\n{lines}           |-- 192.168.1.255\n")

    return change


def unit_with(capability: str) -> Change:
    return lambda fake: fake.installed(f"AmbientCapabilities={capability}\n")


HOME = setting(host="0.0.0.0")


def named(*answering: str) -> Change:
    """The table is in the network, and these answer to its name."""
    return all_of(
        HOME,
        address("192.168.1.7"),
        packages(zeroconf="0.140"),
        probe(answering=answering),
    )


def without_zeroconf(fake: FakeSystem) -> None:
    del fake.probes.versions["zeroconf"]


NETWORK: Pairs = {
    "port-taken": [
        (all_of(listens(8080), held_by("nginx")), well),
        (listens(8080, family="tcp6"), listens(8081)),
        (all_of(listens(8080), held_by("nginx")), all_of(listens(8080), served, healthy)),
        (listens(8080), listens(8080, state="01")),
    ],
    "service-silent": [
        (all_of(listens(8080), served), all_of(listens(8080), served, healthy)),
        (served, all_of(listens(8080), served, healthy)),
    ],
    "port-privileged": [
        (setting(port=80), setting(port=8080)),
        (setting(port=80), all_of(setting(port=80), unit_with("CAP_NET_BIND_SERVICE"))),
        (
            setting(port=80),
            all_of(
                setting(port=80),
                lambda fake: fake.put("proc/sys/net/ipv4/ip_unprivileged_port_start", "80\n"),
            ),
        ),
    ],
    "only-this-computer": [(address("192.168.1.7"), all_of(HOME, address("192.168.1.7")))],
    "no-address": [
        (all_of(HOME, address("127.0.0.1")), all_of(HOME, address("127.0.0.1", "10.0.0.4"))),
        (all_of(HOME, address("169.254.3.4")), all_of(HOME, address("10.42.0.1"))),
    ],
    "zeroconf-missing": [(all_of(named("192.168.1.7"), without_zeroconf), named("192.168.1.7"))],
    "name-taken": [
        (named("192.168.1.9"), named("192.168.1.7")),
        (named("192.168.1.7", "192.168.1.9"), named()),
    ],
    "name-silent": [
        (all_of(named(), served), all_of(named("192.168.1.7"), served)),
        (all_of(named(), served), named()),
    ],
}

# --- those who are told -----------------------------------------------------------------


def told(**more: object) -> Change:
    """The settings name a broker and a receiver."""
    url = "https://hooks.example/private"
    return setting(mqtt=Mqtt(host="broker.lan", username="table", **more), webhook=Webhook(url=url))


def password_file(fake: FakeSystem) -> None:
    told(password_file=fake.root / "etc/password")(fake)


def written(fake: FakeSystem) -> None:
    fake.put("etc/password", "open sesame")
    password_file(fake)


def hides_homes(fake: FakeSystem) -> None:
    fake.installed("ProtectHome=yes\n")


def broker_says(sentence: str, **more: bool) -> Change:
    return all_of(told(), probe(broker_answer=BrokerAnswer(f"MQTT: {sentence}", **more)))


TELLING: Pairs = {
    "telling-file": [
        (
            all_of(hides_homes, told(password_file=Path("/home", "ann", "p"))),
            all_of(hides_homes, written),
        ),
        (password_file, written),
        (all_of(written, refused("password")), written),
    ],
    "broker-refuses": [(broker_says("It refuses the user: set username.", refused=True), told())],
    "broker-away": [
        (broker_says("nothing answers at broker.lan: start it."), told()),
        (broker_says("broker.lan:1883 does not answer: is it on?"), told()),
        (broker_says("broker.lan cannot be reached (no route)."), told()),
    ],
    "webhook-away": [(all_of(told(), probe(receiver_answer="nobody knows that name")), told())],
}

FAULTS: Pairs = {
    **SETTINGS,
    **POWER,
    **PROGRAM,
    **STORAGE,
    **NETWORK,
    **TELLING,
    **faults_of_readers.SMART_CARDS,
    **faults_of_readers.SERIAL,
    **faults_of_readers.PINS,
}
