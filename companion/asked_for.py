"""A file that somebody asked for by its name: whole or not at all, and for its owner alone."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, data: bytes, made: Callable[[Path], None] | None = None) -> None:
    """Write a file; one that is there is replaced, and a link to it stays one.

    What is no ordinary file, such as `/dev/stdout`, a printer or a pipe, is written into: in its
    place a file would take it from everybody.

    Args:
        path: of the file.
        data: what is in it.
        made: gets the new file before it bears its name.

    Raises:
        OSError: it cannot be written; then what was there is there still.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(data)
        return
    path = path.resolve()
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    partial = path.with_name(f"{path.name}.partial")
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:  # noqa: PTH123
            file.write(data)
        if made is not None:
            made(partial)
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise
