"""Packages of Debian that the table uses. What cannot be had is said, and done without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.installing.step import Step
from companion.installing.system import System

WITHOUT: Mapping[str, str] = {
    "python3-venv": "the program cannot be built",
    "pcscd": "readers at the USB, such as an ACR122U, cannot be used",
    "python3-pyscard": "readers at the USB, such as an ACR122U, cannot be used",
    "python3-lgpio": "switches, buttons and lamps at the pins cannot be used",
    "python3-gpiozero": "switches, buttons and lamps at the pins cannot be used",
}
"""What does not work without each package."""

ON_A_PI = ("python3-lgpio", "python3-gpiozero")
QUIET = {"DEBIAN_FRONTEND": "noninteractive"}


@dataclass(frozen=True)
class Packages(Step):
    """Packages that are there.

    Attributes:
        names: of the packages.
        without: what is missed without each.
        wanted: whether they are needed.
    """

    names: Sequence[str]
    without: Mapping[str, str]
    wanted: bool = True

    def doing(self) -> str:
        """What it will do."""
        return f"add the packages {', '.join(self.names)}, as far as they are not there"

    def undoing(self) -> str:
        """What undoing it will do."""
        return (
            f"keep the packages {', '.join(self.names)}; those that were added for this table are "
            "marked as no longer asked for (sudo apt-get autoremove removes them, unless something "
            "else needs them)"
        )

    def is_done(self, system: System) -> bool:
        """Whether all are there, and none is only waiting to be removed as not asked for."""
        return not self._missing(system) and not self._unasked(system)

    def is_undone(self, system: System) -> bool:
        """Whether none of them was added."""
        return not self._added(system)

    def do(self, system: System) -> None:
        """Add what is missing; ask for what is there and nobody asked for."""
        if unasked := self._unasked(system):
            system.must("apt-mark", "manual", *unasked)
            system.note("packages", *unasked)
        missing = self._missing(system)
        if not missing:
            return
        if system.run("apt-get", "--version").status:
            self._tell(system, missing)
            return
        if not any(system.at("/var/lib/apt/lists").glob("*Packages*")):
            _apt(system, "update")
        if not _apt_install(system, missing):
            _apt(system, "update")
            if not _apt_install(system, missing):
                # A name that this release does not know must not keep the others away.
                for name in missing:
                    _apt_install(system, [name])
        still = self._missing(system)
        if added := [name for name in missing if name not in still]:
            system.note("packages", *added)
        self._tell(system, still)

    def undo(self, system: System) -> None:
        """Leave it to apt whether something else needs them."""
        added = self._added(system)
        system.run("apt-mark", "auto", *added)
        system.strike("packages", *added)

    def _added(self, system: System) -> Sequence[str]:
        return [name for name in self.names if name in system.noted("packages")]

    def _unasked(self, system: System) -> Sequence[str]:
        """Those that apt may remove, as after an earlier table was uninstalled."""
        done = system.run("apt-mark", "showauto", *self.names)
        return sorted(set(done.output.split()) & set(self.names)) if done.status == 0 else []

    def _missing(self, system: System) -> Sequence[str]:
        return [name for name in self.names if not is_installed(system, name)]

    def _tell(self, system: System, missing: Sequence[str]) -> None:
        for name in missing:
            system.say(
                f"note: {name} could not be added, so {self.without[name]}; once there is a "
                f"network, type: sudo apt-get install {name}"
            )


def needed(system: System) -> Packages:
    """The packages that this computer needs."""
    names = [name for name in WITHOUT if system.is_pi or name not in ON_A_PI]
    return Packages(names, WITHOUT)


def is_installed(system: System, name: str) -> bool:
    """Whether dpkg has this package installed."""
    done = system.run("dpkg-query", "--show", "--showformat=${db:Status-Status}", name)
    return done.status == 0 and done.output.strip() == "installed"


def _apt(system: System, *words: str) -> bool:
    options = ("-qq", "-y", "-o", "Dpkg::Use-Pty=0", "-o", "DPkg::Lock::Timeout=120")
    return system.run("apt-get", *options, *words, **QUIET).status == 0


def _apt_install(system: System, names: Sequence[str]) -> bool:
    return _apt(system, "install", "--no-install-recommends", *names)
