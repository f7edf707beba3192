"""The program in folders of its own, one for each release; a link says which one is in use.

pip writes its folder into every script, so a release is built where it stays, and trusted once
its mark lies in it. The link is swapped by a rename: there is a whole program at any time.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from companion.installing.step import Step
from companion.installing.system import PROGRAM, InstallError, Result, System

RELEASES = PROGRAM / "releases"
CURRENT = PROGRAM / "venv"
WHOLE = "tidetable-whole"
"""A file in a release that was built to its end."""

HOUSES = ("companion", "firmware_bridge", "hardware_sim", "web_ui")
FILES = ("pyproject.toml", "constraints.txt", "README.md", "LICENSE")

PIP = {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_CACHE_DIR": "1",
    "PIP_NO_INPUT": "1",
    "PIP_ROOT_USER_ACTION": "ignore",
    "PIP_USER": "0",
    "PYTHONDONTWRITEBYTECODE": "",
}

PYTHONS = ("/usr/bin/python3", "/usr/bin/python3.13", "/usr/bin/python3.12", "/usr/bin/python3.11")
"""Debian's own come first, since its packages for readers and pins are made for them."""

ENDS_WITH_US = ("setpriv", "--pdeathsig=KILL")
"""Before a command that must not go on without us, in a folder that the next run begins anew."""

ASKED = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"


@dataclass(frozen=True, slots=True)
class Source:
    """A checkout that is installed from.

    Attributes:
        root: its folder.
    """

    root: Path

    @property
    def version(self) -> str:
        """What the project calls itself, such as 0.1.0."""
        project = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))
        return str(project["project"]["version"])

    def files(self) -> Iterator[Path]:
        """All that belongs to the program, below the root."""
        for name in FILES:
            yield Path(name)
        for house in HOUSES:
            for path in sorted((self.root / house).rglob("*")):
                below = path.relative_to(self.root)
                if path.is_file() and not any(map(_lies_about, below.parts)):
                    yield below

    def sum(self) -> str:
        """Twelve letters and digits that change with any file."""
        found = hashlib.sha256()
        for path in self.files():
            data = (self.root / path).read_bytes()
            found.update(f"{path}\0{len(data)}\0".encode())
            found.update(data)
        return found.hexdigest()[:12]

    def copy(self, folder: Path) -> None:
        """Copy it: what is built writes into its source, and a checkout belongs to somebody."""
        for path in self.files():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / path, folder / path)


def _lies_about(name: str) -> bool:
    """Whether what is called so is left by Python, an editor or a tool, and no part of us."""
    return name == "__pycache__" or name.startswith(".")


def source() -> Source:
    """The checkout that this very program runs from.

    Raises:
        InstallError: it was installed, and has no checkout.
    """
    root = Path(__file__).resolve().parents[2]
    if not all((root / name).is_file() for name in FILES):
        raise InstallError(
            "Tidetable is installed from its checkout: type ./run install in its folder."
        )
    return Source(root)


@dataclass(frozen=True)
class Program(Step):
    """The release of a checkout, built and in use.

    Attributes:
        source: the checkout; None where the program is only to be removed.
        key: of its files.
    """

    source: Source | None = None
    key: str = ""

    @classmethod
    def of(cls, source: Source) -> Program:
        """The program of a checkout as it is now."""
        return cls(source, f"{source.version}-{source.sum()}")

    def doing(self) -> str:
        """What it will do."""
        return (
            f"build the program of this checkout in {RELEASES}, beside the one that is in "
            f"use, and let {CURRENT} lead to it; this needs the network and takes some minutes "
            "on a Raspberry Pi"
        )

    def undoing(self) -> str:
        """What undoing it will do."""
        return f"remove the program in {RELEASES}"

    def is_done(self, system: System) -> bool:
        """Whether the link leads to this release, and it is whole."""
        try:
            release, _ = self._release(system)
        except InstallError:  # the packages that bring a Python may come before it is done
            return False
        return current(system) == release and _is_whole(system, release)

    def is_undone(self, system: System) -> bool:
        """Whether there is no program."""
        return not system.at(RELEASES).exists() and current(system) is None

    def do(self, system: System) -> None:
        """Build it beside the others, and swap the link."""
        release, python = self._release(system)
        if not _is_whole(system, release):
            self._build(system, release, python)
        before = current(system)
        if before is not None and before != release:
            # Where the new one does not start, the way back of before is the way back again.
            system.write_down(before=before.name, earlier=system.ledger().get("before"))
        point(system, release)

    def undo(self, system: System) -> None:
        """Remove all releases."""
        system.at(CURRENT).unlink(missing_ok=True)
        if system.at(RELEASES).exists():
            shutil.rmtree(system.at(RELEASES))

    def _release(self, system: System) -> tuple[Path, str]:
        """Where the release lies, and its Python.

        Another release of Python makes another release of the program: a venv runs with its own.
        """
        python, version = _python(system)
        return RELEASES / f"{self.key}-python{version}", python

    def _build(self, system: System, release: Path, python: str) -> None:
        if self.source is None:
            raise InstallError("There is no checkout to build the program of.")
        place = system.at(release)
        if place.exists():
            self._clear(system, release)
        system.make_folder(RELEASES)
        venv = ("-m", "venv", "--system-site-packages", str(place))
        done = system.run(*ENDS_WITH_US, python, *venv)
        if done.status == 0:
            done = self._fill(system, place, self.source)
        if done.status:
            system.say(done.output.rstrip())
            shutil.rmtree(place, ignore_errors=True)
            raise InstallError(
                "The program could not be built (see above); is the network there, and room in "
                f"{PROGRAM}? What was in use before is untouched. Once both are, type the same "
                "again."
            )
        system.must("chmod", "--recursive", "u=rwX,go=rX", str(place))
        system.write(release / WHOLE, f"{self.key}\n")

    def _fill(self, system: System, place: Path, source: Source) -> Result:
        """Let pip build it, of a copy."""
        with tempfile.TemporaryDirectory(prefix="tidetable-") as name:
            folder = Path(name)
            source.copy(folder)
            constraints = str(folder / "constraints.txt")
            return system.run(
                *(*ENDS_WITH_US, str(place / "bin/python"), "-m", "pip", "install", "--quiet"),
                *("--constraint", constraints, str(folder)),
                **PIP,
                PIP_BUILD_CONSTRAINT=constraints,
                PIP_CONSTRAINT=f"{constraints} {os.environ.get('PIP_CONSTRAINT', '')}".rstrip(),
            )

    def _clear(self, system: System, release: Path) -> None:
        """Remove what an earlier run began that was interrupted."""
        try:
            shutil.rmtree(system.at(release))
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
            # Of what we start, only what makes the venv has a process of its own below it.
            raise InstallError(
                f"An installation that was killed still writes into {release}: wait a minute, "
                "then type the same again."
            ) from None


class Tidied(Step):
    """Releases that are not in use, removed but for the last one before: that is a way back."""

    def doing(self) -> str:
        """What it will do."""
        return f"remove the releases in {RELEASES} that are neither in use nor the one before"

    def undoing(self) -> str:
        """What undoing it will do."""
        return self.doing()

    def is_done(self, system: System) -> bool:
        """Whether there is none."""
        return not list(self._others(system))

    def is_undone(self, system: System) -> bool:
        """It is never undone."""
        del system
        return True

    def do(self, system: System) -> None:
        """Remove them."""
        for release in list(self._others(system)):
            shutil.rmtree(release)

    def undo(self, system: System) -> None:
        """There is nothing to undo."""

    def _others(self, system: System) -> Iterator[Path]:
        """All but the one in use and the one before it, which is the way back."""
        target, kept = current(system), system.ledger().get("before")
        folder = system.at(RELEASES)
        if target is None or not folder.is_dir():
            return
        for release in sorted(folder.iterdir()):
            if release.name not in (target.name, kept):
                yield release


def point(system: System, release: Path) -> None:
    """Let the link lead to a release."""
    partial = system.at(PROGRAM / ".venv.new")
    partial.unlink(missing_ok=True)
    partial.symlink_to(release)
    partial.replace(system.at(CURRENT))


def before(system: System) -> Path | None:
    """The release that was in use before this one, if it is still whole."""
    name = system.ledger().get("before")
    release = RELEASES / str(name)
    return release if name and _is_whole(system, release) else None


def current(system: System) -> Path | None:
    """The release that the link leads to."""
    place = system.at(CURRENT)
    return place.readlink() if place.is_symlink() else None


def _is_whole(system: System, release: Path) -> bool:
    return system.at(release / WHOLE).is_file()


def _python(system: System) -> tuple[str, str]:
    for python in PYTHONS:
        done = system.run(python, "-c", ASKED)
        release = done.output.strip()
        if done.status == 0 and release.startswith("3.") and int(release[2:]) >= 11:
            return python, release
    raise InstallError(
        "Python 3.11 or newer of Debian is needed, with its venv; type: "
        "sudo apt-get install python3 python3-venv"
    )
