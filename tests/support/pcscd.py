"""The real pcscd with virtual readers, for tests, on a socket of its own.

Use it as a fixture (import `pcscd` into a conftest.py or a test module) or as a context
manager, `with running_pcscd(folder, readers=2) as daemon`. `daemon.readers` says the
PC/SC name and the TCP port of each reader; lay a tag there with
`hardware_sim.vicc.VirtualCard(uid, port=daemon.readers[0].port)`.

One configured reader shows as two slots, `NAME 00 00` and `NAME 00 01`, each with a port.

The daemon takes its socket over as from systemd, and pcsc-lite's client library finds it
by the environment, so this process and its children meet this pcscd and nobody else does:
neither a pcscd of the machine nor another test run gets in the way. One at a time in a
process, as the library reads the environment once.
"""

import contextlib
import importlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pytest

PCSCD = "/usr/sbin/pcscd"
DRIVER_FOLDER = Path("/usr/lib/pcsc/drivers/serial")
SOCKET = Path(tempfile.gettempdir()) / f"tidetable-pcscd-{os.getpid()}.comm"
os.environ["PCSCLITE_CSOCK_NAME"] = str(SOCKET)

# systemd's way to hand a socket over: as descriptor 3, to the process LISTEN_PID.
HAND_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])
"""

DEFAULT_NAME = "Virtual PCD"
SLOTS = 2

PORTS_OF_A_WORKER = 500

START_LIMIT_S = 20.0
STOP_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class VirtualSlot:
    """A reader as PC/SC shows it, and the TCP port where a virtual tag is laid on it."""

    pcsc_name: str
    port: int


class PcscDaemon:
    """A pcscd of our own in the foreground; it stops only what it started.

    Args:
        folder: for the configuration, the driver's copies and `pcscd.log`.
        names: what the readers are called, each name once; each gives two slots.
        ports: the first of the two ports of each name; free ones where it says nothing.
    """

    def __init__(
        self,
        folder: Path,
        names: Sequence[str] = (DEFAULT_NAME,),
        ports: dict[str, int] | None = None,
    ) -> None:
        self._folder = folder
        self._names = tuple(names)
        self._ports = dict(ports or {})
        self._process: subprocess.Popen[bytes] | None = None
        self.log = folder / "pcscd.log"

    @property
    def readers(self) -> tuple[VirtualSlot, ...]:
        """The slots of all readers that are configured now."""
        return tuple(
            VirtualSlot(f"{name} 00 0{slot}", self._port(name) + slot)
            for name in self._names
            for slot in range(SLOTS)
        )

    @property
    def pid(self) -> int:
        assert self._process is not None, "pcscd was not started"
        return self._process.pid

    def start(self, names: Sequence[str] | None = None) -> None:
        """Start and wait until PC/SC shows every reader.

        Args:
            names: other readers than before; a name that was there keeps its ports.
        """
        assert self._process is None, "this pcscd runs already"
        if names is not None:
            self._names = tuple(names)
        self._configure()
        with self.log.open("ab") as log:
            self._process = self._spawn(log)
        self._wait_until_ready()

    def stop(self) -> None:
        """End it as a service manager does."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it without a word to anybody (SIGKILL)."""
        self._end(signal.SIGKILL)

    def restart(self, names: Sequence[str] | None = None) -> None:
        self.kill()
        self.start(names)

    def freeze(self) -> None:
        """Let it hang: it runs and answers nobody."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _spawn(self, log: BinaryIO) -> subprocess.Popen[bytes]:
        if _answers():
            pytest.fail(
                f"A pcscd answers at {SOCKET} already: end the one that this process started.",
                pytrace=False,
            )
        SOCKET.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(SOCKET))
            listener.listen()
            number = listener.fileno()
            daemon = [PCSCD, "--foreground", "--info", "-c", str(self._configuration)]
            return subprocess.Popen(
                [sys.executable, "-c", HAND_OVER, str(number), *daemon],
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    @property
    def _configuration(self) -> Path:
        return self._folder / "reader.conf.d"

    def _port(self, name: str) -> int:
        if name not in self._ports:
            self._ports[name] = _free_ports(set(self._ports.values()))
        return self._ports[name]

    def _configure(self) -> None:
        # A second entry with the same library breaks, so each reader has its own copy.
        original = next(iter(sorted(DRIVER_FOLDER.glob("libifdvpcd.so*"))))
        self._configuration.mkdir(parents=True, exist_ok=True)
        entries = []
        for name in self._names:
            port = self._port(name)
            library = self._folder / f"libifdvpcd-{port}.so"
            if not library.exists():
                shutil.copy(original, library)
            entries.append(
                f'FRIENDLYNAME "{name}"\nDEVICENAME /dev/null:0x{port:X}\n'
                f"LIBPATH {library}\nCHANNELID 0x{port:X}\n"
            )
        # One file: several would be read in the folder's own order.
        (self._configuration / "readers").write_text("\n".join(entries))

    def _wait_until_ready(self) -> None:
        wanted = {reader.pcsc_name for reader in self.readers}
        shown: set[str] = set()
        for _ in _until(START_LIMIT_S):
            assert self._process is not None
            if self._process.poll() is not None:
                break
            shown = reader_names()
            if wanted <= shown:
                return
        log = self.log.read_text(errors="replace")[-2000:]
        self._end(signal.SIGKILL)
        pytest.fail(f"pcscd shows {sorted(shown)} and not {sorted(wanted)}. Its log:\n{log}")

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        process.send_signal(signal.SIGCONT)
        try:
            process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(STOP_LIMIT_S)


@contextlib.contextmanager
def running_pcscd(
    folder: Path,
    readers: int = SLOTS,
    names: Sequence[str] | None = None,
    *,
    started: bool = True,
) -> Iterator[PcscDaemon]:
    """A pcscd for the length of the block.

    Args:
        folder: for its files; pytest's `tmp_path`.
        readers: how many there are at least; they come in pairs.
        names: instead of a number: what they are called.
        started: whether it runs from the start.
    """
    if names is None:
        pairs = -(-readers // SLOTS)
        names = [DEFAULT_NAME] if pairs == 1 else [f"{DEFAULT_NAME} {n}x" for n in range(pairs)]
    daemon = PcscDaemon(folder, names)
    try:
        if started:
            daemon.start()
        yield daemon
    finally:
        daemon.stop()
        SOCKET.unlink(missing_ok=True)


PcscdFactory = Callable[..., PcscDaemon]


@pytest.fixture
def pcscd(tmp_path: Path) -> Iterator[PcscdFactory]:
    """Called with the arguments of `running_pcscd` but the folder; one call for each test."""
    with contextlib.ExitStack() as stack:
        yield lambda *args, **options: stack.enter_context(
            running_pcscd(tmp_path / "pcscd", *args, **options)
        )


def reader_names() -> set[str]:
    """The names that PC/SC shows now; none when no pcscd answers."""
    scard = importlib.import_module("smartcard.scard")  # absent where the tests are skipped
    code, context = scard.SCardEstablishContext(scard.SCARD_SCOPE_USER)
    if code != scard.SCARD_S_SUCCESS:
        return set()
    try:
        code, names = scard.SCardListReaders(context, [])
        return set(names) if code == scard.SCARD_S_SUCCESS else set()
    finally:
        scard.SCardReleaseContext(context)


def event_counter(pcsc_name: str) -> int:
    """How many insertions and removals pcscd has counted at this reader."""
    scard = importlib.import_module("smartcard.scard")  # absent where the tests are skipped
    code, context = scard.SCardEstablishContext(scard.SCARD_SCOPE_USER)
    assert code == scard.SCARD_S_SUCCESS
    try:
        code, states = scard.SCardGetStatusChange(context, 1000, [(pcsc_name, 0)])
        assert code == scard.SCARD_S_SUCCESS
        return int(states[0][1] >> 16)
    finally:
        scard.SCardReleaseContext(context)


def wait_for(condition: Callable[[], bool], limit_s: float = 20.0) -> None:
    """Look again and again until the condition holds; fail at the deadline."""
    for _ in _until(limit_s):
        if condition():
            return
    pytest.fail(f"{condition} did not come true within {limit_s} s")


def _until(limit_s: float) -> Iterator[None]:
    pause = threading.Event()
    deadline = time.monotonic() + limit_s
    yield
    while time.monotonic() < deadline:
        pause.wait(0.01)
        yield


def _answers() -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(SOCKET))
        except OSError:
            return False
    return True


def _free_ports(taken: set[int]) -> int:
    # Between this look and pcscd's own another worker might take the same, so each has its own.
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    lowest = 20_000 + PORTS_OF_A_WORKER * (worker % (10_000 // PORTS_OF_A_WORKER))
    for _ in range(100):
        with socket.socket() as first, socket.socket() as second:
            first.bind(("", 0))
            port = first.getsockname()[1]
            # Below the range from which the system picks ports for outgoing connections.
            port = lowest + port % (PORTS_OF_A_WORKER - 1)
            try:
                with socket.socket() as again:
                    again.bind(("", port))
                    second.bind(("", port + 1))
            except OSError:
                continue
        if not {port - 1, port, port + 1} & taken:
            return port
    pytest.fail("no two free TCP ports in a row")
