"""Whether the disk that holds the data folder was pulled out, and is in again."""

from __future__ import annotations

import os
from pathlib import Path

from companion.data_folder import JOURNAL


class Disk:
    """Remembers the disk that a data folder was on when this was made.

    A service that has a record open keeps to the disk as it was: when a stick comes back, that
    one is dead all the same, and only another start opens the record on the new one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    @property
    def is_another(self) -> bool:
        """Whether the disk of before is dead, and the record is there once more."""
        if _takes(self._handle):
            return False  # full, perhaps, and then play goes on by itself
        try:
            handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            return False
        try:
            return (self._folder / JOURNAL).is_file() and _takes(handle)
        finally:
            os.close(handle)

    def close(self) -> None:
        """Let go of it."""
        os.close(self._handle)


def _takes(handle: int) -> bool:
    try:
        os.fsync(handle)
    except OSError:
        return False
    return True
