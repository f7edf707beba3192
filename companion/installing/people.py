"""The user that the service runs as, their groups, and the folder that is theirs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from companion.data_folder import JOURNAL
from companion.installing.choices import DATA
from companion.installing.files import USER, groups_there
from companion.installing.step import Step
from companion.installing.system import LEDGER, InstallError, System

SETTINGS = "table.toml"
NOT_OURS = frozenset({"lost+found", "System Volume Information", ".Trash-1000"})
"""What a disk has of itself."""


def has_data(system: System, data: Path) -> bool:
    """Whether something lies in the data folder; who may not look cannot call it empty."""
    folder = system.at(data)
    try:
        return any(entry.name not in NOT_OURS for entry in folder.iterdir())
    except PermissionError:
        return True
    except OSError:
        return False


def is_a_persons(system: System) -> bool:
    """Whether a user of that name can log in: then the account is somebody's, and left alone."""
    for line in system.read("/etc/passwd").splitlines():
        name, *_, shell = line.split(":")
        if name == USER:
            return Path(shell).name not in ("nologin", "false")
    return False


@dataclass(frozen=True)
class User(Step):
    """A user of the system, whom nobody can log in as. They stay while files are theirs.

    Attributes:
        data: the folder that is theirs.
    """

    data: Path

    def doing(self) -> str:
        """What it will do."""
        return f"add the user {USER}, whom nobody can log in as"

    def undoing(self) -> str:
        """What undoing it will do."""
        return f"remove the user {USER}"

    def is_done(self, system: System) -> bool:
        """Whether there is such a user."""
        return system.user(USER) is not None and USER in system.groups()

    def is_undone(self, system: System) -> bool:
        """Whether there is none, or one whom data belong to.

        Once all else is uninstalled nobody knows where the data are: then the user stays, too.
        """
        gone = system.user(USER) is None and USER not in system.groups()
        if gone or is_a_persons(system):
            return True
        return has_data(system, self.data) or not system.at(LEDGER).exists()

    def do(self, system: System) -> None:
        """Add them."""
        if USER not in system.groups():
            system.must("groupadd", "--system", USER)
        if system.user(USER) is None:
            home = ("--home-dir", str(self.data), "--no-create-home")
            system.must(
                *("useradd", "--system", "--gid", USER, *home),
                *("--shell", "/usr/sbin/nologin", "--comment", "Tidetable", USER),
            )

    def undo(self, system: System) -> None:
        """Remove them."""
        if system.user(USER) is not None:
            system.must("userdel", USER)
        if USER in system.groups():
            system.must("groupdel", USER)


class Groups(Step):
    """The user's groups, by which they may use serial ports, pins and buses."""

    def doing(self) -> str:
        """What it will do."""
        return f"let the user {USER} use serial ports, pins, buses and readers, by their groups"

    def undoing(self) -> str:
        """What undoing it will do."""
        return f"take the user {USER} out of the groups"

    def is_done(self, system: System) -> bool:
        """Whether they are in all that the computer has."""
        known = system.groups()
        return all(USER in known[name] for name in groups_there(tuple(known)))

    def is_undone(self, system: System) -> bool:
        """Whether they are in none, or are somebody else's."""
        if is_a_persons(system):
            return True
        known = system.groups()
        return not any(USER in known[name] for name in groups_there(tuple(known)))

    def do(self, system: System) -> None:
        """Put them in."""
        names = ",".join(groups_there(tuple(system.groups())))
        system.must("usermod", "--append", "--groups", names, USER)

    def undo(self, system: System) -> None:
        """Take them out."""
        system.must("usermod", "--groups", "", USER)


@dataclass(frozen=True)
class DataFolder(Step):
    """The folder of the record. It is never removed.

    Attributes:
        path: where.
    """

    path: Path

    def doing(self) -> str:
        """What it will do."""
        return f"give the data folder {self.path} to the user {USER} alone"

    def undoing(self) -> str:
        """What undoing it will do."""
        return f"remove the empty data folder {self.path}"

    def is_done(self, system: System) -> bool:
        """Whether the folder is theirs, and all in it."""
        folder = system.at(self.path)
        if not folder.is_dir() or folder.stat().st_mode & 0o777 != 0o700:
            return False
        return self._belongs(system)

    def is_undone(self, system: System) -> bool:
        """Whether it is not there, or not empty: then it stays."""
        try:
            return any(system.at(self.path).iterdir())
        except OSError:  # it is not there, or closed to who only asks what would be done
            return True

    def do(self, system: System) -> None:
        """Make it, and give it to them."""
        folder = system.at(self.path)
        if folder.exists() and not folder.is_dir():
            raise InstallError(f"{self.path} is no folder: choose another with --data.")
        if has_data(system, self.path) and not self._is_ours(system):
            raise InstallError(
                f"{self.path} holds something, and no record of Tidetable: choose an empty folder "
                "with --data, or one that is to be made."
            )
        system.make_folder(self.path)
        folder.chmod(0o700)
        gave = system.run("chown", "--recursive", "--no-dereference", f"{USER}:{USER}", str(folder))
        if gave.status:
            raise InstallError(
                f"{self.path} cannot be given to the user {USER} ({gave.last_line}): its disk may "
                f"know no owners; mount it with the options uid={USER},gid={USER},umask=077, or "
                "format it with ext4."
            )

    def undo(self, system: System) -> None:
        """Remove it: it is empty. A disk that is mounted there stays."""
        with suppress(OSError):
            system.remove_folder(self.path)

    def _is_ours(self, system: System) -> bool:
        folder = system.at(self.path)
        if self.path == DATA or any((folder / name).exists() for name in (JOURNAL, SETTINGS)):
            return True
        return (folder.stat().st_uid, folder.stat().st_gid) == system.user(USER)

    def _belongs(self, system: System) -> bool:
        numbers = system.user(USER)
        folder = system.at(self.path)
        found = [folder.stat(), *(entry.lstat() for entry in folder.rglob("*"))]
        return all((state.st_uid, state.st_gid) == numbers for state in found)
