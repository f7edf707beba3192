"""Which file system a folder is on."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from companion.doctor.system import System


@dataclass(frozen=True, slots=True)
class Mount:
    """A file system as it is mounted.

    Attributes:
        at: the folder.
        kind: such as `ext4` or `vfat`.
        read_only: nothing can be written there.
    """

    at: str
    kind: str
    read_only: bool


def mount_of(system: System, folder: Path) -> Mount | None:
    """Where a folder is; None where the kernel does not tell.

    Args:
        system: the system.
        folder: by its path for this process; it need not be there.
    """
    real = os.path.realpath(folder)
    below = os.path.realpath(system.root)
    if below != "/" and real.startswith(below):
        real = real[len(below) :] or "/"
    best: Mount | None = None
    for line in (system.text("/proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        words, more = before.split(), after.split()
        if len(words) < 6 or len(more) < 3:
            continue
        at = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), words[4])
        inside = real == at or real.startswith(at.rstrip("/") + "/")
        # Of two at one place the later one lies on top.
        if inside and (best is None or len(at) >= len(best.at)):
            flags = {*words[5].split(","), *more[2].split(",")}
            best = Mount(at, more[0], "ro" in flags)
    return best
