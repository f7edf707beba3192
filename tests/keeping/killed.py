"""Processes that end in the middle, as by `kill -9`, and what was on the disk by then."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

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
    _run(do, lambda taken: os._exit(KILLED) if taken == step else None)
    os._exit(FAILED)


def steps_of(do: Callable[[], object]) -> int:
    """How many steps it has; it is done by that."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        with os.fdopen(reading, "rb") as told:
            steps = len(told.read())
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == DONE
        return steps
    _run(do, lambda _: os.write(writing, b"."))
    os._exit(FAILED)


def some_of(steps: int, many: int = 60) -> Iterator[int]:
    """Each of the first and last steps, some of those between, and one more than there are."""
    between = max(1, (steps - many) // (many // 2))
    yield from sorted(
        {
            *range(1, min(many, steps) + 1),
            *range(many, steps, between),
            *range(max(1, steps - many // 2), steps + 2),
        }
    )


def _run(do: Callable[[], object], at_step: Callable[[int], object]) -> None:
    """Do it, and end the process; it never returns to what called it."""
    taken = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal taken
        if event == "c_call" and getattr(argument, "__name__", "") in _STEPS:
            taken += 1
            at_step(taken)

    try:
        sys.setprofile(count)
        do()
        sys.setprofile(None)
        os._exit(DONE)
    except BaseException as error:  # noqa: BLE001 - it is not to run the parent's tests
        sys.setprofile(None)
        print(f"{error!r}", file=sys.stderr)
        os._exit(FAILED)
