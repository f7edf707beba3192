"""The system that is examined, as much of it as checks ask for: tests hand in another one.

Files are read below a root, commands are run by a function, and what only a running system can
answer is asked of `Probes`.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module, metadata
from pathlib import Path
from typing import TypeAlias, TypeVar

from companion.config import Config
from companion.doctor import pin_lines
from companion.doctor.pin_lines import Chip
from companion.drivers.api import DriverMissing
from companion.drivers.pcsc.library import PcscLibrary
from companion.drivers.pcsc.results import TIMEOUT, PcscFailure
from companion.drivers.ports import ListedPort, SerialLibrary
from companion.machine import Machine
from companion.telling.settings import Mqtt, Webhook

COMMAND_S = 4.0
"""So long a command may take."""

FETCH_S = 3.0
TELL_S = 11.0
"""For the broker, and again for the receiver of the events."""

ASK_MS = 1500
"""So long is waited for an answer of multicast DNS."""

PCSCD_VERSION = struct.pack("=IIiiI", 12, 0x11, 4, 4, 0)
"""Asks pcscd which version it speaks: length and kind of the message, the version, a result."""

SBIN = "/usr/sbin:/sbin:/usr/local/sbin"
"""Where Debian keeps its services, which an ordinary user's PATH leaves out."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command said.

    Attributes:
        status: its exit status; None where there is no such program, or it took too long.
        out: standard output.
    """

    status: int | None
    out: str = ""


Told = TypeVar("Told")
Late = TypeVar("Late")
Run: TypeAlias = Callable[[Sequence[str]], Ran]


def run_command(words: Sequence[str]) -> Ran:
    """Run a command for at most COMMAND_S, in plain English, without a terminal."""
    path = f"{os.environ.get('PATH', '')}:{SBIN}"
    program = shutil.which(words[0], path=path)
    if program is None:
        return Ran(None)
    try:
        done = subprocess.run(  # noqa: S603 - the checks' own words, no shell
            [program, *words[1:]],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=COMMAND_S,
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8", "PATH": path},
        )
    except (OSError, subprocess.SubprocessError):
        return Ran(None)
    return Ran(done.returncode, done.stdout.decode(errors="replace"))


@dataclass(frozen=True, slots=True)
class User:
    """Who we are.

    Attributes:
        uid: number of the user; 0 is root.
        name: of the account.
        groups: the numbers of those that this session has.
    """

    uid: int
    name: str
    groups: frozenset[int] = frozenset()

    @property
    def is_root(self) -> bool:
        """Whether everything is allowed."""
        return self.uid == 0


@dataclass(frozen=True, slots=True)
class Settings:
    """What the service is told.

    Attributes:
        data: the folder of the record.
        config: all settings; None where they cannot be used.
        file: where they were read; None where there is no such file.
        troubles: a sentence for each thing that is wrong with them.
        closed: whether this user may not see the file: then `config` has what the command line
            says, and nobody may guess the rest.
    """

    data: Path
    config: Config | None = None
    file: Path | None = None
    troubles: tuple[str, ...] = ()
    closed: bool = False


@dataclass(frozen=True, slots=True)
class PcscAnswer:
    """What the smart-card service says to this user.

    Attributes:
        code: the result of PC/SC; None where the library is missing.
        readers: their names.
    """

    code: int | None
    readers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BrokerAnswer:
    """Why a broker does not take the table.

    Attributes:
        sentence: cause, and what to do.
        refused: whether it is there, and refuses.
    """

    sentence: str
    refused: bool = False


class Probes:
    """What only a running system can answer. Nothing here raises, but for `imported`."""

    python: str = platform.python_version()
    sqlite: str = sqlite3.sqlite_version
    prefix: Path = Path(sys.prefix)
    checkout: Path = Path(__file__).parents[2]
    """The folder that holds `companion/`: of the sources, or of an installation."""

    def may(self, path: Path, mode: int) -> bool:
        """Whether this user may read, write or enter (os.R_OK, W_OK, X_OK)."""
        return os.access(path, mode)

    def version(self, package: str) -> str | None:
        """Of an installed package of Python."""
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            return None

    def is_of_debian(self, package: str) -> bool:
        """Whether apt brought it, and not pip."""
        try:
            return "dist-packages" in str(metadata.distribution(package).locate_file(""))
        except metadata.PackageNotFoundError:
            return False

    def requirements(self) -> Sequence[str]:
        """What this program needs of Python's packages, such as `flask>=3.0`."""
        try:
            return metadata.requires("tidetable") or ()
        except metadata.PackageNotFoundError:
            return ()

    def imports(self, module: str) -> bool:
        """Whether Python finds and loads it."""
        try:
            import_module(module)
        except Exception:  # noqa: BLE001 - whatever a broken module does when it is loaded
            return False
        return True

    def pcsc(self) -> PcscAnswer:
        """Ask the smart-card service, as this user."""
        try:
            library = PcscLibrary()
        except DriverMissing:
            return PcscAnswer(None)

        def ask() -> PcscAnswer:
            try:
                with library.context() as context:
                    return PcscAnswer(0, library.reader_names(context))
            except PcscFailure as failure:
                return PcscAnswer(failure.code)

        # A service that hangs answers never, and the library waits for ever.
        return _in_time(ask, COMMAND_S, PcscAnswer(TIMEOUT))

    def pcscd_speaks(self, path: Path) -> bool:
        """Whether a pcscd answers at this socket when it is asked for its version."""
        try:
            with socket.socket(socket.AF_UNIX) as its:
                its.settimeout(FETCH_S)
                its.connect(str(path))
                its.sendall(PCSCD_VERSION)
                return len(its.recv(12, socket.MSG_WAITALL)) == 12
        except OSError:
            return False

    def ports(self) -> Sequence[ListedPort]:
        """The serial ports; none of them is opened."""
        try:
            return SerialLibrary().listed()
        except DriverMissing:
            return ()

    def fetch(self, url: str) -> str | None:
        """A short page; None where nobody answers well."""
        try:
            with urllib.request.urlopen(url, timeout=FETCH_S) as answer:  # noqa: S310 - http alone
                return str(answer.read(4096).decode(errors="replace"))
        except (OSError, ValueError):
            return None

    def broker(self, settings: Mqtt) -> BrokerAnswer | None:
        """Sign in at the broker, and tell it nothing; None where it takes us."""
        from companion.telling.broker import Refused, Trouble, try_out  # noqa: PLC0415

        def ask() -> BrokerAnswer | None:
            try:
                try_out(settings)
            except Trouble as trouble:
                return BrokerAnswer(f"{trouble}", isinstance(trouble, Refused))
            return None

        # A name is looked up for as long as the system likes.
        late = f"MQTT: {settings.host} does not answer: is it on, and in this network?"
        return _in_time(ask, TELL_S, BrokerAnswer(late))

    def receiver(self, settings: Webhook) -> str | None:
        """Connect to the receiver of the events, and post nothing; None where it is there."""
        from companion.telling.webhook import try_out  # noqa: PLC0415

        return _in_time(lambda: try_out(settings), TELL_S, "it does not answer in time")

    def called(self, name: str) -> tuple[str, ...] | None:
        """The addresses of who calls himself so in the home network, such as `tidetable.local`.

        None where it cannot be asked.
        """
        try:
            from zeroconf import AddressResolver, Error, IPVersion, Zeroconf  # noqa: PLC0415
        except ImportError:
            return None
        try:
            with Zeroconf(ip_version=IPVersion.V4Only) as network:
                resolver = AddressResolver(f"{name}.")
                resolver.request(network, ASK_MS)
                return tuple(resolver.parsed_addresses(IPVersion.V4Only))
        except (OSError, Error, RuntimeError):
            return None

    def chips(self) -> Sequence[Chip]:
        """The chips of pins."""
        return pin_lines.chips()

    def pin_user(self, chip: str, line: int) -> str | None:
        """Who uses a line: empty for nobody, None where it cannot be asked."""
        return pin_lines.user_of(chip, line)


def _in_time(ask: Callable[[], Told], limit_s: float, late: Late) -> Told | Late:
    """What is answered within that time, or else `late`."""
    said: list[Told | Late] = [late]
    thread = threading.Thread(target=lambda: said.append(ask()), name="probe", daemon=True)
    thread.start()
    thread.join(limit_s)
    return said[-1]


@dataclass(frozen=True, slots=True)
class System:
    """What the checks look at.

    Attributes:
        settings: of the table.
        user: whose rights are tried.
        machine: the facts that the page of diagnostics shows, too.
        root: of the file system.
        environ: what the environment says.
        run: runs a command.
        probes: what only a running system can answer.
    """

    settings: Settings
    user: User
    machine: Machine
    root: Path = Path("/")
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    run: Run = run_command
    probes: Probes = field(default_factory=Probes)

    # --- files below the root ---------------------------------------------------------

    def path(self, name: str | Path) -> Path:
        """The file that this system calls so, such as `/dev/ttyACM0`."""
        return self.root / str(name).lstrip("/")

    def name(self, path: Path) -> str:
        """What this system calls a file that `path` or `glob` gave."""
        return f"/{path.relative_to(self.root)}"

    def text(self, name: str | Path) -> str | None:
        """What stands in a file; None where it cannot be read."""
        try:
            return self.path(name).read_text(errors="replace")
        except OSError:
            return None

    def word(self, name: str | Path) -> str:
        """The same without blanks around it; empty where it cannot be read."""
        return (self.text(name) or "").strip()

    def exists(self, name: str | Path) -> bool:
        """Whether there is such a file, as far as this user can tell."""
        try:
            return self.path(name).exists()
        except OSError:
            return False

    def glob(self, pattern: str) -> Sequence[Path]:
        """The files of a pattern such as `/sys/bus/usb/devices/*`, in their order."""
        try:
            return sorted(self.root.glob(pattern.lstrip("/")))
        except OSError:
            return []

    def real(self, name: str | Path) -> str:
        """The name of the file that a chain of links ends at."""
        path = Path(os.path.realpath(self.path(name)))
        try:
            return f"/{path.relative_to(os.path.realpath(self.root))}"
        except ValueError:
            return str(path)

    # --- settings ---------------------------------------------------------------------

    def readers(self, *kinds: str) -> tuple[str, ...]:
        """The readers of the settings, in full; of kinds such as `pcsc:`, or all."""
        named = () if self.settings.config is None else self.settings.config.readers
        return tuple(name for name in named if not kinds or name.startswith(kinds))

    @property
    def data(self) -> Path:
        """The folder of the record."""
        return self.settings.data
