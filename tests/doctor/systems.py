"""Systems made for the doctor: a root folder, what commands say, what is probed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from companion.config import Config
from companion.doctor.api import Report
from companion.doctor.examination import CHECKS, examine
from companion.doctor.pin_lines import Chip
from companion.doctor.system import BrokerAnswer, PcscAnswer, Probes, Ran, Settings, System, User
from companion.machine import Machine

UID = 990
NOW_S = 1_790_000_000.0
GIB = 1 << 30
MIB = GIB >> 10

WELL = Machine(
    celsius=48.2,
    under_voltage="never",
    too_hot="never",
    disk_free=20 * GIB,
    disk_size=28 * GIB,
    year_is_right=True,
    synchronised=True,
    up_s=7200.0,
)


@dataclass
class FakeProbes(Probes):
    """Answers as told."""

    sqlite: str = "3.40.1"
    python: str = "3.11.2"
    prefix: Path = Path("/opt/tidetable/venv")
    checkout: Path = Path("/opt/tidetable/venv/lib/python3.11/site-packages")
    refused: set[str] = field(default_factory=set)
    versions: dict[str, str] = field(default_factory=dict)
    answer: PcscAnswer = field(default_factory=lambda: PcscAnswer(0, ("A reader 00 00",)))
    listed: Sequence[object] = ()
    pages: dict[str, str] = field(default_factory=dict)

    chip_list: Sequence[Chip] = ()
    pin_users: dict[tuple[str, int], str | None] = field(default_factory=dict)
    debian: set[str] = field(default_factory=set)
    needs: Sequence[str] = ()

    answering: Sequence[str] | None = ()
    speaks: bool = False
    broker_answer: BrokerAnswer | None = None
    receiver_answer: str | None = None

    def pcscd_speaks(self, path):
        return self.speaks

    def broker(self, settings):
        return self.broker_answer

    def receiver(self, settings):
        return self.receiver_answer

    def called(self, name):
        return self.answering if name == "tidetable.local" else ()

    def chips(self):
        return self.chip_list

    def pin_user(self, chip, line):
        return self.pin_users.get((chip, line), "")

    def is_of_debian(self, package):
        return package in self.debian

    def requirements(self):
        return self.needs

    def may(self, path, mode):
        return path.exists() and not any(str(path).endswith(name) for name in self.refused)

    def version(self, package):
        return self.versions.get(package)

    def imports(self, module):
        return module in self.versions

    def pcsc(self):
        return self.answer

    def ports(self):
        return self.listed

    def fetch(self, url):
        return self.pages.get(url)


class FakeSystem:
    """A small healthy computer without any reader, to be changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.machine = WELL
        self.probes = FakeProbes()
        self.commands: dict[str, Ran] = {}
        self.environ: dict[str, str] = {}
        self.groups: set[int] = {UID}
        self.user = "tidetable"
        self.troubles: tuple[str, ...] = ()
        self.config: dict[str, object] = {}
        self.settings_file: Path | None = None
        self.data = root / "var/lib/tidetable"
        self.data.mkdir(parents=True)
        self.put(
            "etc/passwd", f"root:x:0:0::/root:/bin/sh\ntidetable:x:{UID}:{UID}::/:/bin/false\n"
        )
        self.put("etc/group", f"root:x:0:\ntidetable:x:{UID}:\n")
        self.put("proc/self/mountinfo", "22 1 179:2 / / rw,noatime - ext4 /dev/mmcblk0p2 rw\n")

    def put(self, name: str, text: str = "") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def link(self, name: str, target: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def process(self, pid: int, name: str, *arguments: str, holds: str = "") -> None:
        self.put(f"proc/{pid}/comm", name + "\n")
        self.put(f"proc/{pid}/cmdline", "\0".join([name, *arguments]) + "\0")
        (self.root / f"proc/{pid}/fd").mkdir(exist_ok=True)
        if holds:
            self.link(f"proc/{pid}/fd/7", holds)

    def ends(self, pid: int) -> None:
        shutil.rmtree(self.root / f"proc/{pid}")

    def serves(self, pid: int) -> None:
        """The service of this data folder runs."""
        (self.data / "lock").write_text(
            f"the service with process id {pid} at http://127.0.0.1:8080"
        )
        self.process(pid, "companion", "run", "--data", str(self.data))

    def installed(self, more: str = "") -> None:
        """There is a unit of systemd for it."""
        self.put(
            "etc/systemd/system/tidetable.service",
            "[Service]\nExecStart=/opt/tidetable/venv/bin/companion run --data /var/lib/tidetable\n"
            f"{more}",
        )

    def says(self, command: str, out: str = "", status: int = 0) -> None:
        self.commands[command] = Ran(status, out)

    def has(self, **facts: object) -> None:
        self.machine = replace(self.machine, **facts)

    @property
    def system(self) -> System:
        config = None if self.troubles else Config(data=self.data, **self.config)
        return System(
            Settings(self.data, config, self.settings_file, self.troubles),
            User(UID, self.user, frozenset(self.groups)),
            self.machine,
            root=self.root,
            environ=self.environ,
            run=lambda words: self.commands.get(" ".join(words), Ran(None)),
            probes=self.probes,
        )

    def found_by(self, code: str) -> Report:
        """What the check that owns this code finds."""
        return examine(self.system, [check for check in CHECKS if code in check.codes])


Change = Callable[[FakeSystem], None]
Pairs = dict[str, Sequence[tuple[Change, Change]]]
"""For each code: how a system gets the fault, and one that has it not."""


def all_of(*changes: Change) -> Change:
    """One change after the other."""

    def change(fake: FakeSystem) -> None:
        for each in changes:
            each(fake)

    return change


def well(fake: FakeSystem) -> None:
    """Nothing is changed."""


def fact(**facts: object) -> Change:
    return lambda fake: fake.has(**facts)


def setting(**settings: object) -> Change:
    return lambda fake: fake.config.update(settings)


def mounted(kind: str, options: str = "rw", at: str = "/var/lib/tidetable") -> Change:
    def change(fake: FakeSystem) -> None:
        fake.put(
            "proc/self/mountinfo",
            "22 1 179:2 / / rw,noatime - ext4 /dev/mmcblk0p2 rw\n"
            f"40 22 8:1 / {at} {options},relatime shared:9 - {kind} /dev/sda1 {options}\n",
        )

    return change


def probe(**values: object) -> Change:
    def change(fake: FakeSystem) -> None:
        for name, value in values.items():
            setattr(fake.probes, name, value)

    return change


def refused(name: str) -> Change:
    return lambda fake: fake.probes.refused.add(name)


def packages(**versions: str) -> Change:
    return lambda fake: fake.probes.versions.update(versions)


def usb(fake, place, ids, *, maker="", name="", driver=""):
    at = f"sys/bus/usb/devices/{place}"
    vendor, _, product = ids.partition(":")
    fake.put(f"{at}/idVendor", vendor + "\n")
    fake.put(f"{at}/idProduct", product + "\n")
    fake.put(f"{at}/manufacturer", maker + "\n")
    fake.put(f"{at}/product", name + "\n")
    fake.put(f"{at}/busnum", "1\n")
    fake.put(f"{at}/devnum", "4\n")
    (fake.root / f"{at}:1.0").mkdir(exist_ok=True)
    if driver:
        fake.link(f"{at}:1.0/driver", f"../../../bus/usb/drivers/{driver}")
