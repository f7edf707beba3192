"""The kernel's own account of pins, without any library: linux/gpio.h, version 2 of its face."""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

DEVICES = Path("/dev")

_CHIP_INFO = 0x8044B401
_LINE_INFO = 0xC100B405
_CHIP = struct.Struct("32s32sI")
_LINE = struct.Struct("32s32sIIQ176x")
_USED = 1


@dataclass(frozen=True, slots=True)
class Chip:
    """A chip of pins.

    Attributes:
        device: such as `/dev/gpiochip0`.
        label: what its driver calls it, such as `pinctrl-rp1`.
        lines: how many pins it has.
    """

    device: str
    label: str
    lines: int


def chips() -> Sequence[Chip]:
    """Those that this user may open, each once, in the order of their numbers."""
    found = []
    for path in sorted(DEVICES.glob("gpiochip*"), key=lambda path: (len(path.name), path)):
        data = None if path.is_symlink() else _asked(str(path), _CHIP_INFO, bytes(_CHIP.size))
        if data is not None:
            _, label, lines = _CHIP.unpack(data)
            found.append(Chip(str(path), _text(label), lines))
    return found


def user_of(chip: str, line: int) -> str | None:
    """Who uses a line: empty for nobody, None where it cannot be asked."""
    data = _asked(chip, _LINE_INFO, _LINE.pack(b"", b"", line, 0, 0))
    if data is None:
        return None
    _, consumer, _, _, flags = _LINE.unpack(data)
    return (_text(consumer) or "the kernel") if flags & _USED else ""


def _asked(device: str, request: int, data: bytes) -> bytes | None:
    try:
        handle = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return fcntl.ioctl(handle, request, data)
    except OSError:
        return None
    finally:
        os.close(handle)


def _text(raw: bytes) -> str:
    return raw.partition(b"\0")[0].decode(errors="replace")
