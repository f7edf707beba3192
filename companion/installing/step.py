"""A step of the installation, and a plan of steps: done in order, undone in reverse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass

from companion.installing.system import LEDGER, PROGRAM, InstallError, System

UNFINISHED = PROGRAM / "unfinished"
"""Lies there while something is installed: what finds it comes after an interruption."""


class Step(ABC):
    """Something that is done to a computer, and can be undone.

    Attributes:
        wanted: whether it is to be done; one that is not is undone where it was done before.
        again: whether it is done once more after an interruption though it seems done: where
            it is a file, and something has to be told that it was written.
    """

    wanted: bool = True
    again: bool = False

    @abstractmethod
    def doing(self) -> str:
        """What it will do, in a line that begins with a verb and has no full stop."""

    @abstractmethod
    def undoing(self) -> str:
        """What undoing it will do."""

    def check(self, system: System) -> None:
        """Look whether it can be done at all; of all steps, before the first one is done.

        Raises:
            InstallError: it cannot.
        """
        del system

    @abstractmethod
    def is_done(self, system: System) -> bool:
        """Whether there is nothing left to do."""

    @abstractmethod
    def is_undone(self, system: System) -> bool:
        """Whether there is nothing of it on the computer."""

    @abstractmethod
    def do(self, system: System) -> None:
        """Do it, also where half of it is done.

        Raises:
            InstallError: it cannot be done.
        """

    @abstractmethod
    def undo(self, system: System) -> None:
        """Undo it, also where half of it is undone.

        Raises:
            InstallError: it cannot be undone.
        """


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in their order."""

    steps: Sequence[Step]

    def install(self, system: System, *, dry: bool = False) -> int:
        """Do what is not done, and undo what is not wanted any more; how many steps that were.

        Args:
            system: the computer.
            dry: only say what would be done.

        Raises:
            InstallError: a step cannot be done; another run goes on from there.
        """
        with nullcontext() if dry else system.alone():
            return self._install(system, dry=dry)

    def _install(self, system: System, *, dry: bool) -> int:
        for step in self.steps:
            if step.wanted:
                # Who only asks what would be done may not look everywhere.
                with suppress(PermissionError) if dry else nullcontext():
                    step.check(system)
        interrupted = system.at(UNFINISHED).exists()
        changed = 0
        for step in self.steps:
            if step.wanted:
                done = _told(step.is_done, system, dry=dry, unseen=system.at(LEDGER).exists())
                if done and not (interrupted and step.again):
                    continue
            elif _told(step.is_undone, system, dry=dry, unseen=True):
                continue
            changed += 1
            system.say(step.doing() if step.wanted else step.undoing())
            if dry:
                continue
            if not system.at(UNFINISHED).exists():
                system.write(UNFINISHED, "")
            with _in_words():
                if step.wanted:
                    step.do(system)
                else:
                    step.undo(system)
        if not dry:
            system.at(UNFINISHED).unlink(missing_ok=True)
        return changed

    def uninstall(self, system: System, *, dry: bool = False) -> int:
        """Undo all in reverse; how many steps that were.

        Raises:
            InstallError: a step cannot be undone; another run goes on from there.
        """
        with nullcontext() if dry else system.alone():
            return self._uninstall(system, dry=dry)

    def _uninstall(self, system: System, *, dry: bool) -> int:
        changed = 0
        for step in reversed(self.steps):
            if _told(step.is_undone, system, dry=dry, unseen=not system.at(LEDGER).exists()):
                continue
            changed += 1
            system.say(step.undoing())
            if not dry:
                with _in_words():
                    step.undo(system)
        return changed


def _told(ask: Callable[[System], bool], system: System, *, dry: bool, unseen: bool) -> bool:
    """What a step tells of itself; who only asks what would be done may not look everywhere.

    polkit's rules, for one, are closed to an ordinary user.
    """
    try:
        return ask(system)
    except PermissionError:
        if not dry:
            raise
        return unseen


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or "A file"
        raise InstallError(f"{where} cannot be written or removed ({error.strerror}).") from error
