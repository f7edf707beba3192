"""Which processes there are, and which of them has a file open."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from companion.doctor.system import System


@dataclass(frozen=True, slots=True)
class Process:
    """One that runs.

    Attributes:
        pid: its number.
        name: of its program, as the kernel keeps it: at most 15 letters.
        arguments: its command line; empty for a thread of the kernel.
        folder: that of `/proc`.
    """

    pid: int
    name: str
    arguments: tuple[str, ...]
    folder: Path

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})"


def processes(system: System) -> Iterator[Process]:
    """All of them, by number."""
    folders = [path for path in system.glob("/proc/[0-9]*") if path.name.isdecimal()]
    for folder in sorted(folders, key=lambda path: int(path.name)):
        name = system.word(system.name(folder / "comm"))
        line = system.text(system.name(folder / "cmdline")) or ""
        if name:
            yield Process(int(folder.name), name, tuple(line.rstrip("\0").split("\0")), folder)


def running(system: System, *names: str) -> Sequence[Process]:
    """Those whose program has one of these names."""
    short = {name[:15] for name in names}
    return [process for process in processes(system) if process.name in short]


@dataclass(frozen=True, slots=True)
class Holders:
    """Who has a file open.

    Attributes:
        found: without this process.
        all_seen: False where this user may not look into other people's processes.
    """

    found: tuple[Process, ...]
    all_seen: bool


def holders(system: System, target: str, *, also_us: bool = False) -> Holders:
    """Who has a file open.

    Args:
        system: the system.
        target: its real name, such as `/dev/ttyACM0`, or such as `socket:[4711]`.
        also_us: whether this very process counts.
    """
    found = []
    all_seen = True
    for process in processes(system):
        if process.pid == os.getpid() and not also_us:
            continue
        try:
            links = _links(process.folder / "fd")
        except PermissionError:
            all_seen = False
            continue
        except OSError:  # it has ended
            continue
        if target in links:
            found.append(process)
    return Holders(tuple(found), all_seen)


def _links(folder: Path) -> set[str]:
    """Where the links in a folder lead; those that go meanwhile are left out."""
    found = set()
    for entry in folder.iterdir():
        with suppress(FileNotFoundError):
            found.add(str(entry.readlink()))
    return found
