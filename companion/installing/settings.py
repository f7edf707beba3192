"""`table.toml` at the installation: where the pages are served, and how steps write that file.

The service reads host and port there, like everything else: its unit says neither, so that what
a household writes into the file counts. Steps change it by `companion config set` of the program
that was just installed, as the service's user: that keeps comments, and the file stays theirs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from companion.data_folder import SETTINGS
from companion.installing.files import BECOME, COMPANION, UNIT
from companion.installing.people import NOT_OURS
from companion.installing.step import Step
from companion.installing.system import InstallError, System
from companion.settings.reading import text_of
from companion.settings.sections import ConfigError

HOST = "0.0.0.0"  # noqa: S104 - phones join by the home network
PORTS = (80, 8080)
"""The port is the first of them that nobody has, and otherwise the second."""

LISTENS = "0A"  # TCP_LISTEN in /proc/net/tcp

OURS = re.compile(r'host = "0\.0\.0\.0"\nport = \d+\n|port = \d+\nhost = "0\.0\.0\.0"\n')
"""A file in which nobody but the installation wrote."""


def said(system: System, data: Path) -> Mapping[str, object]:
    """What the file says; nothing where it is not there, or no TOML."""
    try:
        return tomllib.loads(_text(system, data))
    except tomllib.TOMLDecodeError:
        return {}


def _text(system: System, data: Path) -> str:
    """The text of the file; empty where it cannot be read, or is no file but a pipe."""
    try:
        return text_of(system.at(data / SETTINGS))
    except ConfigError:
        return ""


def change(system: System, data: Path, verb: str, *words: str, given: str = "") -> None:
    """Change the file.

    Args:
        system: the computer.
        data: the folder of the file.
        verb: `set` or `unset`.
        words: as `companion config` takes them.
        given: on standard input, for secrets.

    Raises:
        InstallError: the file does not take it.
    """
    command = (str(system.at(COMPANION)), "config", verb, "--data", str(system.at(data)), *words)
    done = system.run(*BECOME, *command, given=given)
    if done.status:
        why = done.last_line.removeprefix("companion: ")
        raise InstallError(f"{data / SETTINGS} is not changed: {why}")


def earlier_port(system: System) -> int | None:
    """The port that the unit of an earlier kind of installation says."""
    found = re.search(r"^ExecStart=.* --port (\d+)$", system.read(UNIT), re.MULTILINE)
    return int(found[1]) if found else None


def kept_port(system: System) -> int | None:
    """The port of the service that is installed already, wherever its data are; None for none."""
    if earlier := earlier_port(system):
        return earlier
    found = re.search(r"^ExecStart=\S+ run --data (\S+)", system.read(UNIT), re.MULTILINE)
    port = said(system, Path(found[1])).get("port") if found else None
    return port if isinstance(port, int) else None


def listening(system: System) -> frozenset[int]:
    """The TCP ports that some program of this computer serves on."""
    lines = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in system.read(f"/proc/net/{name}").splitlines()[1:]
    ]
    return frozenset(int(words[1].rpartition(":")[2], 16) for words in lines if words[3] == LISTENS)


def usual_port(system: System) -> int:
    """The port where neither a person nor the file says one."""
    taken = listening(system)
    free = next((port for port in PORTS if port not in taken), PORTS[-1])
    return kept_port(system) or free


@dataclass(frozen=True)
class Served(Step):
    """Where the pages are served, in `table.toml`; what that says already stays.

    Attributes:
        data: its folder.
        port: the one that was asked for; None for none.
        usual: the one where nobody asked and the file says none.

    Raises:
        InstallError: a port that cannot be.
    """

    data: Path
    port: int | None = None
    usual: int = PORTS[0]

    def __post_init__(self) -> None:
        if self.port is not None and not 1 <= self.port <= 65535:
            raise InstallError(f"The port is a number from 1 to 65535, and not {self.port}.")

    def doing(self) -> str:
        """What it will do."""
        where = f"write into {self.data / SETTINGS} that the pages are served to the home network"
        if self.port is not None:
            return f"{where} on port {self.port}"
        return f"{where} on port {self.usual}, as far as it says nothing of it"

    def undoing(self) -> str:
        """What undoing it will do."""
        return f"remove {self.data / SETTINGS}, which says only where the pages are served"

    def port_of(self, system: System) -> int:
        """The port that it will be."""
        found = said(system, self.data).get("port")
        return self.port or (found if isinstance(found, int) else self.usual)

    def is_done(self, system: System) -> bool:
        """Whether the file says both; who may not see it, in a dry run, takes it for so."""
        if system.hides(self.data / SETTINGS):
            return self.port is None
        found = said(system, self.data)
        return {"host", "port"} <= found.keys() and self.port in (None, found["port"])

    def is_undone(self, system: System) -> bool:
        """Whether the file is not there, or it or its folder has more than what we wrote."""
        if not OURS.fullmatch(_text(system, self.data)):
            return True
        try:
            there = {entry.name for entry in system.at(self.data).iterdir()}
        except OSError:  # it is closed to who only asks what would be done
            return True
        return there - NOT_OURS != {SETTINGS}

    def do(self, system: System) -> None:
        """Write them; they count once the service is started anew."""
        if "started" in system.ledger():
            system.write_down(started=None)
        if self.port is not None:
            change(system, self.data, "set", f"port={self.port}")
        change(system, self.data, "set", "--missing", f"host={HOST}", f"port={self.usual}")

    def undo(self, system: System) -> None:
        """Remove the file."""
        system.at(self.data / SETTINGS).unlink()
