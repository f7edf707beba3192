"""A folder that stands in for a computer that is installed on, and the commands it has."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from companion.cli import main
from companion.installing.display import KIOSK_UNIT
from companion.installing.program import ENDS_WITH_US
from companion.installing.system import Result, System

GROUPS = "root:x:0:\ndialout:x:20:\nplugdev:x:46:\nvideo:x:44:pi\n"
USERS = "root:x:0:0:root:/root:/bin/bash\npi:x:1000:1000::/srv:/bin/bash\n"


@dataclass
class Computer:
    """A Debian.

    Attributes:
        root: of its files.
        packages: what dpkg has.
        unasked: those of them that apt would remove when nothing needs them.
        on_offer: what apt could add; None for anything.
        asked: the commands that changed something, or tried to.
        said: what the person who installs was told.
        faults: how commands fail, by a part of their words.
        python: the release of its Python; None where there is none.
        active: whether the service runs.
        shown: whether the display does.
        given: whether a folder was given to another user.
        starts: whether the service starts, for each release.
    """

    root: Path
    packages: set[str] = field(default_factory=lambda: {"python3-venv"})
    unasked: set[str] = field(default_factory=set)
    on_offer: set[str] | None = None
    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    faults: dict[str, Result] = field(default_factory=dict)
    python: str | None = "3.11"
    active: bool = False
    shown: bool = False
    given: bool = False
    starts: Callable[[str], bool] = lambda release: True

    def __post_init__(self) -> None:
        for folder in ("/opt", "/var/lib", "/srv", "/mnt"):
            self.at(folder).mkdir(parents=True)
        self.write("/etc/passwd", USERS)
        self.write("/etc/group", GROUPS)

    @property
    def system(self) -> System:
        return System(self.root, self.run, self.said.append)

    def at(self, path: str | Path) -> Path:
        return self.root / str(path).lstrip("/")

    def write(self, path: str | Path, text: str = "") -> None:
        self.at(path).parent.mkdir(parents=True, exist_ok=True)
        self.at(path).write_text(text)

    def switch_on_systemd(self) -> None:
        self.at("/run/systemd/system").mkdir(parents=True)

    def take_port(self, port: int) -> None:
        """Have some program serve there, and on no other port."""
        line = f"   0: 00000000:{port:04X} 00000000:0000 0A 00000000:00000000\n"
        self.write("/proc/net/tcp", f"  sl\n{line}")

    def tree(self) -> dict[str, str]:
        """All files and links, with what they say, and all folders."""
        return {
            str(path.relative_to(self.root)): (
                f"-> {path.readlink()}"
                if path.is_symlink()
                else "folder"
                if path.is_dir()
                else path.read_text()
            )
            for path in sorted(self.root.rglob("*"))
        }

    def run(self, command: Sequence[str], more: Mapping[str, str], given: str = "") -> Result:
        del more
        if tuple(command[:2]) == ENDS_WITH_US:
            command = command[2:]
        line = " ".join(command).replace(f"{self.root}/", "/")
        told = self._look(line)
        if told is not None:
            return told
        self.asked.append(line)
        for part, result in self.faults.items():
            if part in line:
                return result
        name, *words = line.split()
        if name == "setpriv":
            return self._companion(command, given)
        act = getattr(self, f"_{name.rpartition('/')[2].replace('-', '_').replace('.', '_')}", None)
        return act(words) if act else Result(0, "")

    def _look(self, line: str) -> Result | None:
        """Commands that change nothing."""
        name, *words = line.split()
        if name == "dpkg-query":
            there = words[-1] in self.packages
            return Result(0, "installed") if there else Result(1, "no packages found")
        if name.startswith("/usr/bin/python3") and words[0] == "-c":
            there = self.python is not None and name == "/usr/bin/python3"
            return Result(0, f"{self.python}\n") if there else Result(127, "not there")
        if line == "apt-get --version":
            return Result(0, "apt")
        if name == "journalctl":
            return Result(0, "what the service said last")
        if words[:1] == ["showauto"]:
            return Result(0, "\n".join(sorted(self.unasked & set(words))))
        if "is-active" in words:
            active = self.shown if words[-1] == KIOSK_UNIT.name else self.active
            return Result(0 if active else 3, "")
        return None

    def _apt_get(self, words: list[str]) -> Result:
        if "install" not in words:
            return Result(0, "")
        names = words[words.index("--no-install-recommends") + 1 :]
        if self.on_offer is not None and not set(names) <= self.on_offer:
            return Result(100, "E: Unable to locate package")
        self.packages |= set(names)
        return Result(0, "")

    def _apt_mark(self, words: list[str]) -> Result:
        change = self.unasked.update if words[0] == "auto" else self.unasked.difference_update
        change(words[1:])
        return Result(0, "")

    def _groupadd(self, words: list[str]) -> Result:
        self._change("/etc/group", lambda text: f"{text}{words[-1]}:x:990:\n")
        return Result(0, "")

    def _useradd(self, words: list[str]) -> Result:
        line = f"{words[-1]}:x:990:990::/var/lib/tidetable:/usr/sbin/nologin\n"
        self._change("/etc/passwd", lambda text: text + line)
        return Result(0, "")

    def _userdel(self, words: list[str]) -> Result:
        for path in ("/etc/passwd", "/etc/group"):
            self._change(path, lambda text: re.sub(rf"(?m)^{words[-1]}:.*\n", "", text))
        member = rf"(?m),{words[-1]}(?=,|$)|(?<=:){words[-1]}(?:,|$)"
        self._change("/etc/group", lambda text: re.sub(member, "", text))
        return Result(0, "")

    def _usermod(self, words: list[str]) -> Result:
        text = self.at("/etc/group").read_text()
        lines = [line.split(":") for line in text.splitlines()]
        asked = set(words[-2].split(",")) if "--append" in words else set()
        for line in lines:
            members = set(filter(None, line[3].split(",")))
            if line[0] in asked:
                members.add(words[-1])
            elif "--append" not in words:
                members.discard(words[-1])
            line[3] = ",".join(sorted(members))
        self.write("/etc/group", "".join(":".join(line) + "\n" for line in lines))
        return Result(0, "")

    def _companion(self, command: Sequence[str], given: str) -> Result:
        """The command of the program that is installed, with the real files."""
        program = str(self.at("/opt/tidetable/venv/bin/companion"))
        words = command[command.index(program) + 1 :]
        said = io.StringIO()
        with (
            redirect_stdout(said),
            redirect_stderr(said),
            mock.patch("sys.stdin", io.StringIO(given)),
        ):
            status = main(words)
        return Result(status, said.getvalue())

    def _python3(self, words: list[str]) -> Result:
        venv = Path(words[-1])
        self.write(venv / "bin/python", "a Python")
        self.write(venv / "bin/pip", "pip")
        return Result(0, "")

    def _python(self, words: list[str]) -> Result:
        del words
        venv = Path(self.asked[-1].split()[0]).parents[1]
        self.write(venv / "bin/companion", "the command")
        return Result(0, "")

    def _systemctl(self, words: list[str]) -> Result:
        if words[-1] == KIOSK_UNIT.name:
            self.shown = words[0] == "restart"
            return Result(0, "")
        if words[0] == "restart":
            self.active = self.starts(self.at("/opt/tidetable/venv").readlink().name)
            return Result(0 if self.active else 1, "")
        if words[0] == "stop":
            self.active = False
        return Result(0, "")

    def _chown(self, words: list[str]) -> Result:
        self.given = bool(words)
        return Result(0, "")

    def _modprobe(self, words: list[str]) -> Result:
        self._change("/proc/modules", lambda text: re.sub(rf"(?m)^{words[-1]} .*\n", "", text))
        return Result(0, "")

    def _change(self, path: str, change: Callable[[str], str]) -> None:
        self.write(path, change(self.at(path).read_text()))
