"""Two files change places in one step, so that whatever stood there is still to be had."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

_HERE = -100
"""AT_FDCWD: paths are as this process has them."""
_NO_REPLACE, _EXCHANGE = 1, 2
_UNKNOWN = (errno.EINVAL, errno.ENOSYS, errno.EPERM, errno.EOPNOTSUPP)


class CannotExchange(Exception):
    """This file system, or this system, has no such step."""


def exchange(one: Path, other: Path) -> None:
    """Let two files change their names.

    Raises:
        CannotExchange: nothing was done.
        OSError: the same; one of them is not there, perhaps.
    """
    _rename(one, other, _EXCHANGE)


def name_if_free(new: Path, path: Path) -> None:
    """Give a file a name that nothing has.

    Raises:
        CannotExchange: nothing was done.
        OSError: the same; `FileExistsError` when something has the name.
    """
    _rename(new, path, _NO_REPLACE)


def _rename(one: Path, other: Path, flags: int) -> None:
    """As renameat2(2), which Python has no name for."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        raise CannotExchange from None
    if call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), flags) == 0:
        return
    number = ctypes.get_errno()
    if number in _UNKNOWN:
        raise CannotExchange
    raise OSError(number, os.strerror(number), f"{one}", None, f"{other}")
