"""Processes that end in the middle, as by `kill -9`, and what was on the disk by then."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

KILLED, DONE, FAILED = 9, 0, 3
_STEPS = frozenset(
    (
        *("open", "mkdir", "rename", "replace", "unlink", "rmdir", "fsync"),
        *("sendfile", "write", "execute", "backup"),
    )
)
"""Calls by which something comes to the disk, or may."""


def ends_at(step: int, do: Callable[[], object]) -> int:
    """Do it in a process of its own, which ends before this step, counted from 1.

    Nothing is tidied up: no `finally`, no buffer.

    Returns:
        `KILLED`, or `DONE` when it has fewer steps.
    """
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        assert code in (KILLED, DONE), code
        return code
    left = step

    def count_down(frame: object, event: str, argument: object) -> None:
        nonlocal left
        if event == "c_call" and getattr(argument, "__name__", "") in _STEPS:
            left -= 1
            if left == 0:
                os._exit(KILLED)

    try:
        sys.setprofile(count_down)
        do()
        os._exit(DONE)
    except BaseException as error:  # noqa: BLE001 - it is not to run the parent's tests
        sys.setprofile(None)
        print(f"{error!r}", file=sys.stderr)
        os._exit(FAILED)
