"""Steps that write a file of the system, make a link, or unload a module of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.installing.files import MARK, MODULES
from companion.installing.step import Step
from companion.installing.system import InstallError, System

RELOAD = ("systemctl", "daemon-reload")
"""Tells systemd that a unit was written."""


@dataclass(frozen=True)
class Written(Step):
    """A file of the system.

    Attributes:
        path: where.
        text: what it says.
        purpose: what it is for, such as `the rules for readers and boards`.
        told: commands that tell others of the change; they are run where systemd runs, and may
            fail where the one to tell is not there.
        wanted: whether it is to be there.
        mode: its rights.
        yields: whether a file of that name that others wrote is left alone.
    """

    path: Path
    text: str
    purpose: str
    told: Sequence[Sequence[str]] = ()
    wanted: bool = True
    mode: int = 0o644
    yields: bool = False
    again = True

    def doing(self) -> str:
        """What it will do."""
        return f"write {self.path}, {self.purpose}"

    def undoing(self) -> str:
        """What undoing it will do."""
        return f"remove {self.path}"

    def is_done(self, system: System) -> bool:
        """Whether the file says just that."""
        if self.is_of_others(system):
            return True
        target = system.at(self.path)
        return (
            target.is_file()
            and system.read(self.path) == self.text
            and target.stat().st_mode & 0o777 == self.mode
        )

    def is_undone(self, system: System) -> bool:
        """Whether there is no such file of ours."""
        return not system.at(self.path).exists() or self.is_of_others(system)

    def is_of_others(self, system: System) -> bool:
        """Whether others wrote a file of that name, which is left alone."""
        return self.yields and system.at(self.path).exists() and MARK not in system.read(self.path)

    def do(self, system: System) -> None:
        """Write it."""
        if self.is_of_others(system):
            return
        system.write(self.path, self.text, self.mode)
        self._tell(system)

    def undo(self, system: System) -> None:
        """Remove it."""
        system.remove(self.path)
        self._tell(system)

    def _tell(self, system: System) -> None:
        if system.runs_systemd:
            for command in self.told:
                system.run(*command)


@dataclass(frozen=True)
class Linked(Step):
    """A symbolic link; one that leads elsewhere belongs to somebody else and is left alone.

    One that led to another file of that name, which is gone, is what our package leaves when it is
    removed: it is nobody's any more.

    Attributes:
        path: where it lies.
        target: where it leads.
        purpose: what it is for, such as `which starts the service with the computer`.
        wanted: whether it is to be there.
    """

    path: Path
    target: Path
    purpose: str
    wanted: bool = True

    def doing(self) -> str:
        """What it will do."""
        return f"link {self.path}, {self.purpose}"

    def undoing(self) -> str:
        """What undoing it will do."""
        return f"remove the link {self.path}"

    def is_done(self, system: System) -> bool:
        """Whether it leads there."""
        place = system.at(self.path)
        return place.is_symlink() and place.readlink() == self.target

    def is_undone(self, system: System) -> bool:
        """Whether nothing of ours is there."""
        return not self.is_done(system)

    def do(self, system: System) -> None:
        """Make it."""
        place = system.at(self.path)
        if self._is_left_over(system):
            place.unlink()
        if place.exists() or place.is_symlink():
            raise InstallError(f"{self.path} is there and not ours: move it away, then try again.")
        system.make_folder(self.path.parent)
        place.symlink_to(self.target)

    def undo(self, system: System) -> None:
        """Remove it."""
        system.remove(self.path)

    def _is_left_over(self, system: System) -> bool:
        place = system.at(self.path)
        if not place.is_symlink() or place.readlink().name != self.target.name:
            return False
        return not system.at(self.path.parent / place.readlink()).exists()


class Unloaded(Step):
    """Modules of the kernel that take readers away from pcscd, unloaded; they may be in use."""

    def doing(self) -> str:
        """What it will do."""
        return f"unload the kernel's modules {', '.join(MODULES)}, which take readers from pcscd"

    def undoing(self) -> str:
        """What undoing it will do."""
        return "leave the kernel's modules alone"

    def is_done(self, system: System) -> bool:
        """Whether none is loaded."""
        return not self._loaded(system)

    def is_undone(self, system: System) -> bool:
        """The kernel loads them again by itself."""
        del system
        return True

    def do(self, system: System) -> None:
        """Unload them."""
        for module in self._loaded(system):
            done = system.run("modprobe", "--remove", module)
            if done.status:
                system.say(
                    f"note: the kernel keeps its module {module} ({done.last_line}); start the "
                    "computer anew, and it is not loaded again"
                )

    def undo(self, system: System) -> None:
        """There is nothing to undo."""

    def _loaded(self, system: System) -> Sequence[str]:
        words = (line.split()[0] for line in system.read("/proc/modules").splitlines() if line)
        loaded = set(words)
        return [module for module in MODULES if module in loaded]
