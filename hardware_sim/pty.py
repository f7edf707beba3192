"""A serial line in software: a pseudo terminal, and a device that speaks at its far end."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

_READ_BYTES = 4096
_JOIN_LIMIT_S = 2.0


class LinkTaken(FileExistsError):
    """Something that is not a symbolic link lies at the path for the name."""


class PseudoTerminal:
    """A raw pseudo terminal, with a name that stays while its number changes.

    Both ends are held open, so that a program may open and close its end again and again
    without the other end noticing, as with a real adapter.

    Args:
        link: a symbolic link to make to the terminal; an old link there is replaced.

    Attributes:
        master: the file descriptor of the device's end.
        name: such as `/dev/pts/3`: what a program opens.
        link: as above.

    Raises:
        LinkTaken: at the link's path lies something else.
        OSError: the link cannot be made.
    """

    def __init__(self, link: Path | None = None) -> None:
        if link is not None and link.exists() and not link.is_symlink():
            raise LinkTaken(f"{link} is there already and no link: choose another name.")
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.name = os.ttyname(self._slave)
        self.link = link
        if link is None:
            return
        try:
            fresh = link.with_name(f"{link.name}.{os.getpid()}")
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(self.name)
            fresh.replace(link)
        except OSError:
            self._close_ends()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close both ends and remove the link, unless it leads elsewhere by now."""
        if self.link is not None:
            with contextlib.suppress(OSError):
                if str(self.link.readlink()) == self.name:
                    self.link.unlink()
        self._close_ends()

    def _close_ends(self) -> None:
        for end in (self.master, self._slave):
            with contextlib.suppress(OSError):
                os.close(end)


class Device(Protocol):
    """A device as a machine of bytes; times are whole milliseconds of one clock."""

    on_change: Callable[[], None] | None
    """Called, by any thread, when the device may have to speak earlier than it said."""

    def feed(self, data: bytes, now_ms: int) -> None:
        """The host has sent this."""

    def output(self, now_ms: int) -> bytes:
        """What the device sends now."""

    def due_ms(self) -> int | None:
        """When `output` is to be asked again; None: not before something comes."""


def _machine_ms() -> int:
    return time.monotonic_ns() // 1_000_000


class DeviceOnPty:
    """A device that lives on a pseudo terminal, in a thread of its own.

    As a context manager it lives for the length of the block.

    Args:
        device: what speaks there.
        link: see `PseudoTerminal`.
        now_ms: the clock.

    Attributes:
        terminal: where it speaks.
        device: as above.
    """

    def __init__(
        self, device: Device, link: Path | None = None, now_ms: Callable[[], int] = _machine_ms
    ) -> None:
        self.device = device
        self.terminal = PseudoTerminal(link)
        self._now_ms = now_ms
        self._hear_wake, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self.terminal.master, False)
        self._over = threading.Event()
        device.on_change = self._nudge
        self._thread = threading.Thread(
            target=self._live, name=f"device-{self.terminal.name}", daemon=True
        )
        self._thread.start()

    @property
    def path(self) -> str:
        """What a program opens: the link if there is one, else the terminal's name."""
        return str(self.terminal.link or self.terminal.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the thread and close the terminal; a second time does nothing."""
        if self._over.is_set():
            return
        self._over.set()
        self.device.on_change = None
        self._nudge()
        self._thread.join(_JOIN_LIMIT_S)
        self.terminal.close()
        os.close(self._wake)
        os.close(self._hear_wake)

    def _nudge(self) -> None:
        with contextlib.suppress(BlockingIOError):  # a full pipe wakes it as well
            os.write(self._wake, b"\x00")

    def _live(self) -> None:
        master = self.terminal.master
        unsent = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._hear_wake, selectors.EVENT_READ)
            selector.register(master, selectors.EVENT_READ)
            while not self._over.is_set():
                unsent += self.device.output(self._now_ms())
                unsent = unsent[_write(master, unsent) :]
                both = selectors.EVENT_READ | selectors.EVENT_WRITE
                selector.modify(master, both if unsent else selectors.EVENT_READ)
                ready = {key.fd for key, _ in selector.select(self._pause_s())}
                if self._hear_wake in ready:
                    os.read(self._hear_wake, _READ_BYTES)
                if master in ready:
                    with contextlib.suppress(BlockingIOError):
                        self.device.feed(os.read(master, _READ_BYTES), self._now_ms())

    def _pause_s(self) -> float | None:
        due_ms = self.device.due_ms()
        return None if due_ms is None else max(0, due_ms - self._now_ms()) / 1000


def _write(end: int, data: bytes) -> int:
    if not data:
        return 0
    try:
        return os.write(end, data)
    except BlockingIOError:
        return 0
