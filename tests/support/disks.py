"""A small disk in the computer's memory, which fills up soon; only root can mount one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def small_disk(folder: Path, size: str = "1m", *, read_only: bool = False) -> Iterator[None]:
    """At that folder for the length of the block.

    Raises:
        CalledProcessError, FileNotFoundError: it cannot be mounted here.
    """
    folder.mkdir(exist_ok=True)
    options = f"size={size},{'ro' if read_only else 'rw'}"
    command = ["mount", "-t", "tmpfs", "-o", options, "tidetable-test", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """A file in there that takes all the room which is left."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    return filler
