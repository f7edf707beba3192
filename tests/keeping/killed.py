"""Processes that end in the middle, as by `kill -9`, and what was on the disk by then."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

KILLED, DONE, FAILED = 9, 0, 3
_STEPS = frozenset(
    (
        *("open", "mkdir", "rename", "replace", "unlink", "rmdir", "fsync"),
        *("sendfile", "write", "execute", "backup"),
    )
)
"""Calls by which something comes to the disk, or may."""

State = Mapping[str, bytes | None]
"""What a folder has: the bytes of each file, by its path; None of a folder."""


def states_on_the_way(folder: Path, do: Callable[[], object]) -> list[State]:
    """Do it, and tell what a kill before each of its steps would have left, and the end.

    A kill takes nothing from the disk, so that is what lies there at that moment. Steps that
    change nothing there give one state.
    """
    states = [state_of(folder)]

    def look(_: int) -> None:
        now = state_of(folder)
        if now != states[-1]:
            states.append(now)

    _counting(do, look)
    look(0)
    return states


def state_of(folder: Path) -> State:
    """What is in a folder now."""
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def lay(state: State, folder: Path) -> None:
    """Have a folder as it was in this state, for its owner alone."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    for name, data in state.items():
        path = folder / name
        if data is None:
            path.mkdir(mode=0o700)
        else:
            path.write_bytes(data)
            path.chmod(0o600)


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
    try:
        _counting(do, lambda taken: os._exit(KILLED) if taken == step else None)
        os._exit(DONE)
    except BaseException as error:  # noqa: BLE001 - it is not to run the parent's tests
        print(f"{error!r}", file=sys.stderr)
        os._exit(FAILED)


def _counting(do: Callable[[], object], before_step: Callable[[int], object]) -> None:
    """Do it; before each of its steps their number is told."""
    taken = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal taken
        if event == "c_call" and getattr(argument, "__name__", "") in _STEPS:
            taken += 1
            before_step(taken)

    sys.setprofile(count)
    try:
        do()
    finally:
        sys.setprofile(None)
