"""The folder that holds a table's record. One service at a time may have it."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from companion.errors import PlainError

JOURNAL = "table.sqlite"
COPIES = "backups"
LOCK = "lock"
SETTINGS = "table.toml"
"""The file of the settings, when no other is named."""


class DataFolderError(PlainError):
    """The folder cannot be had."""


def newer(what: str, path: Path) -> str:
    """The sentence of a record, or a household, that this program is too old for."""
    return (
        f"The {what} {path} was made by a newer version of this program: update this program, or "
        "go back to what was kept before the upgrade (companion restore lists it), or choose "
        "another folder with --data."
    )


def readable(folder: Path) -> Path:
    """The folder, which need not be there, when this user may read what is in it.

    Raises:
        DataFolderError: it is another user's.
    """
    for path in (folder, folder / JOURNAL, folder / COPIES):
        if not _may_read(path):
            raise DataFolderError(
                f"{path} is another user's, and you may not read it: where the table was "
                "installed, type sudo before the command; else choose another folder with --data."
            )
    return folder


def _may_read(path: Path) -> bool:
    try:
        return not path.exists() or os.access(path, os.R_OK)
    except PermissionError:
        return False


def usable(folder: Path) -> Path:
    """The folder, made if it is missing.

    Raises:
        DataFolderError: it cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataFolderError(
            f"The data folder {folder} cannot be made ({error.strerror}): choose another with --data."
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise DataFolderError(
            f"The data folder {folder} cannot be written: give yourself the right to, or choose "
            "another with --data."
        )
    return folder


def holder_of(folder: Path) -> str | None:
    """Who holds the folder, in words; None for nobody, or where that cannot be told. No trace."""
    try:
        with (folder / LOCK).open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return file.read().strip() or "another service"
    except OSError:
        return None
    return None


class Hold:
    """Keeps a data folder for this process until `release`; the kernel frees it at any end.

    Args:
        folder: the data folder.
        who: holds it, for those who are refused.

    Raises:
        DataFolderError: another one holds it.
    """

    def __init__(self, folder: Path, who: str = "the service") -> None:
        self._path = usable(folder) / LOCK
        try:
            self._file = self._path.open("a+")
        except OSError as error:
            raise DataFolderError(
                f"The data folder {folder} cannot be written ({error.strerror}): choose another "
                "with --data."
            ) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            holder = self._file.read().strip() or "another service"
            self._file.close()
            raise DataFolderError(
                f"The data folder {folder} is held by {holder}: stop that one, or choose another "
                "folder with --data."
            ) from None
        try:
            self.say(f"{who} with process id {os.getpid()}")
        except OSError as error:
            with suppress(OSError):  # what could not be written is tried once more
                self._file.close()
            raise DataFolderError(
                f"The data folder {folder} cannot be written ({error.strerror}): make room, or "
                "choose another with --data."
            ) from None

    def say(self, who: str) -> None:
        """Write down who holds the folder, for those who are refused."""
        self._file.seek(0)
        self._file.truncate()
        self._file.write(who)
        self._file.flush()

    def release(self) -> None:
        """Let another service have the folder."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
