"""The computer that is installed on: its files below a root, and its commands."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from companion.errors import PlainError

PROGRAM = Path("/opt/tidetable")
"""The folder of the program; all in it is the installation's own."""

LEDGER = PROGRAM / "installed.json"
"""What was chosen, and what was added to the computer that others may use as well."""


class InstallError(PlainError):
    """A step cannot be done; the text is one sentence that says why and what to do."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended.

    Attributes:
        status: 0 where all went well; 127 where there is no such command.
        output: what it said, on standard output and standard error.
    """

    status: int
    output: str

    @property
    def last_line(self) -> str:
        """What it said last, which most often is why it failed."""
        lines = self.output.strip().splitlines()
        return lines[-1].strip() if lines else f"exit status {self.status}"


class Runner(Protocol):
    """Runs a command, with more environment variables than there are."""

    def __call__(self, command: Sequence[str], more: Mapping[str, str], given: str = "") -> Result:
        """Run it; what is given is on its standard input, where no list of processes shows it."""


def run_command(command: Sequence[str], more: Mapping[str, str], given: str = "") -> Result:
    """Run a command of this computer; nobody is asked anything."""
    path = f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin"
    try:
        done = subprocess.run(  # noqa: S603 - the steps name what is run
            list(command),
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", **more},
        )
    except FileNotFoundError:
        return Result(127, f"{command[0]} is not there")
    except OSError as error:
        return Result(126, f"{command[0]}: {error.strerror}")
    return Result(done.returncode, done.stdout)


@dataclass(frozen=True)
class System:
    """A computer, or a folder that stands in for one.

    Attributes:
        root: of its files.
        runner: how a command is run.
        say: tells the person who installs a sentence.
    """

    root: Path = Path("/")
    runner: Runner = run_command
    say: Callable[[str], None] = field(default=print)

    def at(self, path: Path | str) -> Path:
        """Where an absolute path of the computer lies."""
        return self.root / str(path).lstrip("/")

    def run(self, *command: str, given: str = "", **more: str) -> Result:
        """Run a command; how it ended is for the caller to judge.

        Args:
            command: its words.
            given: what is on its standard input.
            more: environment variables beyond those that there are.
        """
        return self.runner(command, more, given)

    def must(self, *command: str, **more: str) -> str:
        """Run a command that has to succeed; what it said.

        Raises:
            InstallError: it failed.
        """
        done = self.run(*command, **more)
        if done.status:
            raise InstallError(f"{' '.join(command)} failed: {done.last_line.rstrip('.')}.")
        return done.output

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other installations away meanwhile; the kernel lets them in at any end of ours.

        Raises:
            InstallError: another one is at it.
        """
        folder = os.open(self.at(PROGRAM.parent), os.O_RDONLY | os.O_DIRECTORY)
        try:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InstallError(
                    "Another installation is at work here: wait until it is done."
                ) from None
            yield
        finally:
            os.close(folder)

    # Files

    def read(self, path: Path | str) -> str:
        """The text of a file; empty where there is none."""
        try:
            return self.at(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def hides(self, path: Path | str) -> bool:
        """Whether a file is kept from whoever asks, so that only root knows what it says."""
        try:
            self.at(path).stat()
        except PermissionError:
            return True
        except OSError:
            return False
        return not os.access(self.at(path), os.R_OK)  # it is not opened: a pipe would wait

    def write(self, path: Path | str, text: str, mode: int = 0o644) -> None:
        """Write a file by a rename, so that nobody ever reads half of it.

        Raises:
            InstallError: it cannot be written.
        """
        target = self.at(path)
        partial = target.with_name(f".{target.name}.new")
        try:
            self.make_folder(Path(path).parent)
            with partial.open("w", encoding="utf-8") as file:
                os.fchmod(file.fileno(), mode)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(target)
        except OSError as error:
            raise InstallError(f"{path} cannot be written ({error.strerror}).") from None

    def remove(self, path: Path | str) -> None:
        """Remove a file or link, and the folders above it that were made for it and are empty."""
        self.at(path).unlink(missing_ok=True)
        self._remove_made(Path(path).parent)

    def remove_folder(self, path: Path) -> None:
        """Remove an empty folder, and those above it that were made for it and are empty.

        Raises:
            OSError: it is not empty, or a disk is mounted there.
        """
        self.at(path).rmdir()
        self._remove_made(path.parent)

    def _remove_made(self, folder: Path) -> None:
        while str(folder) in self.noted("folders"):
            try:
                self.at(folder).rmdir()
            except FileNotFoundError:
                pass
            except OSError:
                return  # something of others lies in it now
            self.strike("folders", str(folder))
            folder = folder.parent

    def make_folder(self, path: Path) -> None:
        """Make a folder and those above it; the ledger remembers which were not there."""
        missing = [each for each in (path, *path.parents) if not self.at(each).exists()]
        own = (PROGRAM, *PROGRAM.parents)
        if others := [each for each in missing if each not in own and PROGRAM not in each.parents]:
            self.note("folders", *map(str, others))
        for folder in reversed(missing):
            self.at(folder).mkdir(mode=0o755, exist_ok=True)
            self.at(folder).chmod(0o755)

    # The ledger

    def ledger(self) -> dict[str, object]:
        """What was written down at earlier installations."""
        try:
            found = json.loads(self.read(LEDGER) or "{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def write_down(self, **entries: object) -> None:
        """Change entries of the ledger."""
        before = self.ledger()
        if (after := {**before, **entries}) != before:
            self.write(LEDGER, json.dumps(after, indent=2) + "\n")

    def noted(self, kind: str) -> tuple[str, ...]:
        """What was added to the computer of this kind, such as `packages`."""
        found = self.ledger().get(kind, ())
        return tuple(map(str, found)) if isinstance(found, list) else ()

    def note(self, kind: str, *names: str) -> None:
        """Write down that these were added."""
        self.write_down(**{kind: sorted({*self.noted(kind), *names})})

    def strike(self, kind: str, *names: str) -> None:
        """Write down that these are gone."""
        if self.at(LEDGER).exists():
            self.write_down(**{kind: sorted(set(self.noted(kind)) - set(names))})

    # What it is

    @property
    def runs_systemd(self) -> bool:
        """Whether systemd runs there; it does not in a container or a chroot."""
        return self.at("/run/systemd/system").is_dir()

    def is_active(self, unit: str) -> bool:
        """Whether systemd has this unit running."""
        return self.run("systemctl", "--quiet", "is-active", unit).status == 0

    @property
    def is_pi(self) -> bool:
        """Whether it is a Raspberry Pi."""
        return "raspberry pi" in self.read("/proc/device-tree/model").casefold()

    def user(self, name: str) -> tuple[int, int] | None:
        """The numbers of a user of this computer and of their group."""
        fields = self._account(name)
        return (int(fields[2]), int(fields[3])) if fields else None

    def shell(self, name: str) -> str:
        """What a user of this computer gets who logs in; empty where none is named."""
        fields = self._account(name)
        return fields[-1] if fields else ""

    def _account(self, name: str) -> Sequence[str]:
        lines = (line.split(":") for line in self.read("/etc/passwd").splitlines())
        return next((fields for fields in lines if fields[0] == name), ())

    def groups(self) -> Mapping[str, frozenset[str]]:
        """The groups of this computer, with whom they list."""
        lines = (line.split(":") for line in self.read("/etc/group").splitlines())
        return {
            fields[0]: frozenset(filter(None, fields[3].split(",")))
            for fields in lines
            if len(fields) == 4
        }
