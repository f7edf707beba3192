"""Two rooms with a cable between them: network namespaces of this machine's own kernel."""

from __future__ import annotations

import ctypes
import itertools
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Made = TypeVar("Made")

CLONE_NEWNET = 0x40000000
_numbers = itertools.count(1)
_libc = ctypes.CDLL(None, use_errno=True)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=30)


@dataclass(frozen=True)
class Room:
    """A network namespace with one end of the cable, `cable`."""

    name: str

    def do(self, *words: str) -> None:
        """Such as `do("addr", "add", "192.168.77.1/24", "dev", "cable")`."""
        _ip("-n", self.name, *words)

    def has(self, address: str) -> None:
        """This end of the cable gets an address."""
        self.do("addr", "add", address, "dev", "cable")

    def run(self, function: Callable[[], Made]) -> Made:
        """What this gives in the room; threads that it starts stay there."""
        answers: list[Made] = []
        faults: list[BaseException] = []

        def there() -> None:
            handle = os.open(Path("/run/netns") / self.name, os.O_RDONLY)
            try:
                if _libc.setns(handle, CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")  # noqa: TRY301
                answers.append(function())
            except BaseException as fault:  # noqa: BLE001 - it is raised again below
                faults.append(fault)
            finally:
                os.close(handle)

        thread = threading.Thread(target=there)
        thread.start()
        thread.join()
        if faults:
            raise faults[0]
        return answers[0]


@contextmanager
def two_rooms() -> Iterator[tuple[Room, Room]]:
    """Two of them, with nothing but a loopback and the cable; no address yet."""
    number = f"{os.getpid()}-{next(_numbers)}"
    rooms = [Room(f"tide-{number}-{side}") for side in "ab"]
    try:
        for room in rooms:
            _ip("netns", "add", room.name)
        one, other = (room.name for room in rooms)
        words = ("type", "veth", "peer", "name", "cable", "netns", other)
        _ip("link", "add", "cable", "netns", one, *words)
        for room in rooms:
            room.do("link", "set", "lo", "up")
            room.do("link", "set", "cable", "up")
        yield rooms[0], rooms[1]
    finally:
        for room in rooms:
            subprocess.run(["ip", "netns", "del", room.name], check=False, capture_output=True)
