"""Starts and evenings where something is wrong: the clock, the network, the disk, its rights.

Each with the real part: a clock that tells another time, namespaces of the kernel, small disks.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.cli import main
from companion.data_folder import JOURNAL, Hold
from companion.drivers.api import TagOff, TagOn
from companion.household import HOUSEHOLD, Household, NotWritable
from companion.record import copies, files
from companion.record.disk import Disk
from companion.record.household_file import household_of
from companion.record.journal import Journal, JournalError
from companion.record.reading import games, reading, rows
from companion.record.recovery import opened
from companion.rules.tentacles_words import Reveal, Stop
from tests.journal import records
from tests.support.disks import fill, small_disk
from tests.support.service import serving
from tests.support.tables import API, SECOND_NS, running, still_clocks

pytestmark = pytest.mark.needs("mount")

ROOT = Path(__file__).parents[2]
UID = "04A3C6CAE26180"


# The clock


class WallClock:
    """A wall clock that tells what a test says, in a program that is loaded with it."""

    def __init__(self, folder):
        library = folder / "wall_clock.so"
        source = Path(__file__).with_name("wall_clock.c")
        words = ["gcc", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
        subprocess.run(words, check=True)
        self._told = folder / "time"
        self.environment = {"LD_PRELOAD": str(library), "WALL_CLOCK": str(self._told)}

    def tell(self, year):
        new = self._told.with_suffix(".new")
        new.write_text(f"{datetime(year, 1, 1, 12, tzinfo=UTC).timestamp():.0f}")
        new.rename(self._told)


@pytest.fixture
def wall(tmp_path):
    return WallClock(tmp_path)


@pytest.mark.needs("gcc")
def test_a_wrong_clock_and_one_that_jumps_spoil_nothing(tmp_path, wall):
    """Forward, and back while people play: order, durations and copies are as they are."""
    folder = tmp_path / "data"
    wall.tell(1970)
    with serving(folder, environment=wall.environment) as service:
        for year in (1970, 2060, 2019, 2026):
            wall.tell(year)
            service.do("reveal", card="dots")
            service.do("stop")
            service.post({"undo": 1})
        service.do("leave", player="Ann")
        assert service.get()["over"]
        wall.tell(2019)
        (game,) = service.get("/api/v1/games")["games"]
        assert game["state"] == "over"
        assert 0 <= game["length_s"] < 600
        assert service.stop() == 0
    wall.tell(2000)
    with serving(folder, environment=wall.environment) as service:
        assert service.get()["over"]
        service.stop()
    with reading(folder / JOURNAL) as connection:
        (game,) = games(connection)
        times = [row.when for row in rows(connection, game.id)]
    assert len({wall[:4] for _, _, wall in times}) >= 4  # the clock was really wrong
    monotonic = [moment for moment, _, _ in times]
    assert monotonic == sorted(monotonic)
    there = copies.copies(folder)
    assert all(re.fullmatch(r"copy-\d{6}", record.parent.name) for record in there)
    assert len(there) >= 2
    assert main(["verify", "--data", str(folder)]) == 0


KEPT_AT_ANY_TIME = """
import sys
from pathlib import Path
from companion.cli import main
folder, told = sys.argv[1:3]
for year, seconds in (("1970", "86400"), ("2060", "2850000000")):
    Path(told).write_text(seconds)
    file = f"{folder}/{year}.zip"
    for words in (["backup", file], ["restore", file], ["restore", "latest"]):
        assert main([*words, "--data", f"{folder}/{year}"]) == 0, (year, words)
"""


@pytest.mark.needs("gcc")
def test_a_backup_and_a_restoration_mind_no_clock(tmp_path, wall):
    for year in ("1970", "2060"):
        with closing(records.opened(tmp_path / year)) as journal:
            records.write(journal, journal.begin(records.SETUP).id, [1, 2])
    done = subprocess.run(
        [sys.executable, "-c", KEPT_AT_ANY_TIME, str(tmp_path), wall.environment["WALL_CLOCK"]],
        env={**os.environ, **wall.environment},
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    for year in ("1970", "2060"):
        folder = tmp_path / year
        assert len(records.read(folder / JOURNAL)) == 4
        with closing(files.to_read(folder / JOURNAL)) as connection:
            assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
        assert copies.manifest_of(copies.copies(folder)[0].parent).taken.startswith(year)


# Namespaces


def inside(script, *arguments, namespaces):
    """Run a script of Python in namespaces of its own; what it prints, as JSON."""
    done = subprocess.run(
        ["unshare", *namespaces, sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


READ_ONLY = """
import os, subprocess, sys
data = sys.argv[1]
subprocess.run(["mount", "--bind", data, data], check=True)
mounts = [line.split()[4] for line in open("/proc/self/mountinfo")]
for place in sorted(set(mounts), key=len, reverse=True):
    if place != data and not place.startswith(("/proc", "/sys", "/dev/pts")):
        subprocess.run(["mount", "-o", "remount,bind,ro", place], capture_output=True)
for place in ("/", "/tmp", "/var/tmp", os.getcwd(), os.path.dirname(data)):
    assert not os.access(place, os.W_OK), place
assert os.access(data, os.W_OK)
"""
PLAYED = """
import fcntl, json, signal, socket, struct, subprocess, sys, urllib.request
from tests.support.service import TOKEN, command
words = ["run", "--data", sys.argv[1], "--port", "0", "--token", TOKEN, "--host", "0.0.0.0"]
process = subprocess.Popen(command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
url = process.stdout.readline().removeprefix("ready ").strip()
head = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
body = json.dumps({"do": "reveal", "card": "dots"}).encode()
ask = urllib.request.Request(url + "/api/v1/actions", body, head)
try:
    urllib.request.urlopen(ask)
    first = "an answer"
except OSError as error:
    first = str(error)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 0x1))  # SIOCSIFFLAGS, IFF_UP
step = json.load(urllib.request.urlopen(ask))["step"]
process.send_signal(signal.SIGTERM)
_, said = process.communicate(timeout=30)
print(json.dumps({"first": first, "step": step, "code": process.returncode, "said": said}))
"""


@pytest.mark.needs("namespaces")
def test_without_any_network_on_a_system_that_is_read_only_people_play(tmp_path):
    """All but the data folder is read-only; the service starts without even the loopback.

    No page can be opened then. Once there is the loopback, people play on the table itself.
    """
    folder = tmp_path / "data"
    folder.mkdir()
    found = inside(READ_ONLY + PLAYED, folder, namespaces=["--mount", "--net"])
    assert "unreachable" in found["first"]
    assert (found["step"], found["code"]) == (1, 0)
    assert "Read-only" not in found["said"]
    assert "Traceback" not in found["said"]
    assert len(copies.copies(folder)) == 1


# The disk


def test_a_start_on_a_full_disk_is_refused_in_one_sentence_and_nothing_is_lost(tmp_path, capsys):
    """With a record, and without one; and with room again the table starts."""
    folder = tmp_path / "disk"

    def refused_while_full():
        filler = fill(folder)
        assert main(["run", "--data", str(folder), "--port", "0"]) == 2
        (sentence,) = capsys.readouterr().err.splitlines()
        assert "make room" in sentence
        filler.unlink()

    with small_disk(folder):
        refused_while_full()
        with serving(folder) as service:
            assert service.get()["step"] == 0
            assert service.do("reveal", card="dots")["step"] == 1
            service.kill()
        refused_while_full()
        with running(folder) as table:
            assert table.snapshot.step == 1
            assert table.act(Stop(), source=API).code is None


def test_nobody_is_told_to_put_a_record_aside_that_a_full_disk_keeps_shut(tmp_path, monkeypatch):
    """When there is room for the lock and not for SQLite's own files."""

    def full(*_):
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(Journal, "_prepare", full)
    with pytest.raises(JournalError, match="make room") as refused:
        opened(tmp_path, still_clocks())
    assert "aside" not in str(refused.value)


def test_a_household_that_a_full_disk_does_not_take_is_not_set_aside_as_damaged(tmp_path):
    folder = tmp_path / "disk"
    with small_disk(folder):
        records.opened(folder).close()
        with closing(Household(folder / HOUSEHOLD)) as household:
            household.shape("Ann", "heart")
        with closing(sqlite3.connect(folder / HOUSEHOLD)) as older:
            older.execute("PRAGMA user_version = 0")  # as of version 0.1: it is to be written
        filler = fill(folder)
        with pytest.raises(NotWritable, match="make room"):
            household_of(folder, still_clocks())
        assert not list(folder.glob("household.damaged-*"))
        filler.unlink()
        with closing(household_of(folder, still_clocks())) as household:
            assert household.now.shapes == {"Ann": "heart"}


def test_a_backup_onto_a_full_disk_leaves_nothing_there(tmp_path, capsys):
    folder, disk = tmp_path / "data", tmp_path / "disk"
    with closing(records.opened(folder)) as journal:
        records.write(journal, journal.begin(records.SETUP).id, range(1, 9))
    with small_disk(disk, "64k"):
        assert main(["backup", str(disk / "b.zip"), "--data", str(folder)]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
        assert list(disk.iterdir()) == []


@pytest.mark.parametrize("what", ["a file", "a folder"])
def test_a_restoration_onto_a_full_disk_says_so_and_changes_nothing(tmp_path, capsys, what):
    other, disk, file = tmp_path / "other", tmp_path / "disk", tmp_path / "b.zip"
    with closing(records.opened(other)) as journal:
        records.write(journal, journal.begin(records.SETUP).id, range(1, 9))
    assert main(["backup", str(file), "--data", str(other)]) == 0
    with small_disk(disk):
        records.opened(disk).close()
        with Hold(disk):
            pass
        fill(disk)
        before = (disk / JOURNAL).read_bytes()
        capsys.readouterr()
        source = file if what == "a file" else other
        assert main(["restore", str(source), "--data", str(disk)]) == 2
        (sentence,) = capsys.readouterr().err.splitlines()
        assert "There is no room for what is in" in sentence
        assert (disk / JOURNAL).read_bytes() == before


def test_a_tap_that_the_disk_did_not_take_is_told_and_counts_once_when_it_is_done_again(tmp_path):
    """A board's reading is acknowledged when the table has answered, and a refusal is an answer.

    Were it kept for later it would come when somebody has laid the card down again already.
    """
    folder, now_ns = tmp_path / "disk", 0
    with small_disk(folder), running(folder, tags={UID: "tentacles/rings"}) as table:
        assert table.act(Reveal("dots"), source=API).code is None

        def lay():
            nonlocal now_ns
            for reading_of in (TagOn, TagOff):
                now_ns += 2 * SECOND_NS
                table.report(reading_of("r1", UID, now_ns))
            return table.settle()

        filler = fill(folder)
        assert table.act(Stop(), source=API).code == "storage"
        table.undo(1, source=API)
        filler.unlink()
        assert table.undo(1, source=API).code is None  # the player may turn a card again
        filler = fill(folder)
        while table.act(Reveal("dots"), source=API).code is None:
            table.undo(1, source=API)  # until what room there is in the log is used up
        step = table.snapshot.step
        lay()
        assert (table.snapshot.step, table.snapshot.event.code) == (step, "storage")
        assert "do it again" in table.snapshot.event.message
        filler.unlink()
        assert table.settle().step == step  # it does not come by itself
        if table.snapshot.standing.phase != "reveal":
            table.undo(1, source=API)
        step = table.snapshot.step
        assert lay().step == step + 1


# A stick that is pulled out

EXT4_IOC_SHUTDOWN = 0x8004587D
"""The file system ends at once, and each write fails, as when its disk is gone."""
WITHOUT_ITS_LOG = 2


class Stick:
    """A disk with a file system of its own that can be pulled out and put in again."""

    def __init__(self, folder):
        self.image, self.place = folder / "stick.img", folder / "stick"
        self.place.mkdir()
        with self.image.open("wb") as image:
            image.truncate(16 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(self.image)], check=True)

    def put_in(self):
        """It comes back as another device: the kernel keeps the dead one while it is open."""
        new = self.image.with_name(f"{self.image.stem}-.img")
        subprocess.run(["cp", "--sparse=always", str(self.image), str(new)], check=True)
        self.image = new
        subprocess.run(["mount", "-o", "loop", str(self.image), str(self.place)], check=True)

    def pull_out(self):
        handle = os.open(self.place, os.O_RDONLY)
        fcntl.ioctl(handle, EXT4_IOC_SHUTDOWN, struct.pack("I", WITHOUT_ITS_LOG))
        os.close(handle)
        subprocess.run(["umount", "--lazy", str(self.place)], check=True)


@pytest.fixture
def stick(tmp_path):
    stick = Stick(tmp_path)
    stick.put_in()
    yield stick
    subprocess.run(["umount", "--lazy", str(stick.place)], check=False, capture_output=True)


@pytest.mark.needs("stick")
def test_a_stick_that_is_pulled_out_while_people_play_loses_nothing_acknowledged(stick):
    folder = stick.place / "tidetable"
    with serving(folder) as service:
        service.do("reveal", card="dots")
        stick.pull_out()
        status, reply = service.post({"do": "stop"})
        assert status != 200
        assert reply["error"]["code"] == "storage"
        assert service.get()["step"] == 1  # the page stays
        stick.put_in()
        assert service.process.wait(60) == 2  # systemd starts it anew
    assert "was pulled out and is in again" in service.said.splitlines()[-1]
    assert "Traceback" not in service.said
    with running(folder) as table:
        assert table.snapshot.step == 1
        assert table.act(Stop(), source=API).code is None
        assert table.snapshot.step == 2
    assert main(["verify", "--data", str(folder)]) == 0


@pytest.mark.needs("stick")
def test_a_disk_that_is_away_or_full_is_no_other_disk(stick, tmp_path):
    folder = stick.place / "data"
    records.opened(folder).close()
    disk = Disk(folder)
    fill(folder)
    assert not disk.is_another
    stick.pull_out()
    assert not disk.is_another
    folder.mkdir()  # on the card below: an empty folder of that name is no record
    assert not disk.is_another
    stick.put_in()
    assert disk.is_another
    disk.close()
