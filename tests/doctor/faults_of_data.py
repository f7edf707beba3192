"""How a system gets the faults of the data folder, and how it has them not."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from companion.household import HOUSEHOLD, HOUSEHOLD_VERSION, Household
from companion.record import copies, manifest, schema, taking
from companion.record.backup_section import Backup
from tests.doctor.systems import (
    GIB,
    MIB,
    NOW_S,
    Change,
    FakeSystem,
    Pairs,
    all_of,
    fact,
    mounted,
    refused,
    well,
)


def away(fake: FakeSystem) -> None:
    fake.data.rmdir()


def a_file(fake: FakeSystem) -> None:
    fake.data.write_text("no folder")


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
