"""Users of the system, their groups, and the folder that is the service's."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from companion.data_folder import JOURNAL, SETTINGS
from companion.installing.choices import DATA, data_folders, refuse_hidden
from companion.installing.files import GROUPS, USER
from companion.installing.step import Step
from companion.installing.system import LEDGER, InstallError, System

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
    if system.user(USER) is None:
        return False
    return Path(system.shell(USER)).name not in ("nologin", "false")


def add_account(system: System, name: str, home: str, comment: str) -> None:
    """Add a user whom nobody can log in as, and a group of that name, as far as they are not there.

    Raises:
        InstallError: one cannot be added.
    """
    if name not in system.groups():
        system.must("groupadd", "--system", name)
    if system.user(name) is None:
        system.must(
            *("useradd", "--system", "--gid", name, "--home-dir", home, "--no-create-home"),
            *("--shell", "/usr/sbin/nologin", "--comment", comment, name),
        )


def remove_account(system: System, name: str) -> None:
    """Remove a user and the group of that name, as far as they are there.

    Raises:
        InstallError: one cannot be removed.
    """
    if system.user(name) is not None:
        system.must("userdel", name)
    if name in system.groups():
        system.must("groupdel", name)


def is_gone(system: System, name: str) -> bool:
    """Whether there is neither a user nor a group of that name."""
    return system.user(name) is None and name not in system.groups()


def groups_there(system: System, names: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Those of the groups that the computer has, with whom they list."""
    known = system.groups()
    return {name: known[name] for name in names if name in known}


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
        if is_gone(system, USER) or is_a_persons(system):
            return True
        folders = data_folders(system, self.data)
        there = any(has_data(system, folder) for folder in folders)
        return there or not system.at(LEDGER).exists()

    def do(self, system: System) -> None:
        """Add them."""
        add_account(system, USER, str(self.data), "Tidetable")

    def undo(self, system: System) -> None:
        """Remove them."""
        remove_account(system, USER)


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
        return all(USER in members for members in groups_there(system, GROUPS).values())

    def is_undone(self, system: System) -> bool:
        """Whether they are in none, or are somebody else's."""
        if is_a_persons(system):
            return True
        return not any(USER in members for members in groups_there(system, GROUPS).values())

    def do(self, system: System) -> None:
        """Put them in."""
        names = ",".join(groups_there(system, GROUPS))
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

    def check(self, system: System) -> None:
        """Look whether it can be theirs."""
        for each in (self.path, *self.path.parents):
            place = system.at(each)
            if (place.is_symlink() or place.exists()) and not place.is_dir():
                raise InstallError(f"{each} is no folder: choose another with --data.")
        folder = system.at(self.path).resolve()
        if folder.is_relative_to(root := system.root.resolve()):
            refuse_hidden(Path("/") / folder.relative_to(root))
        there = next(each for each in (folder, *folder.parents) if each.exists())
        if os.statvfs(there).f_flag & os.ST_RDONLY:
            raise InstallError(
                f"{self.path} is on a disk that can only be read: choose another with --data, or "
                "mount that disk so that it can be written."
            )
        if has_data(system, self.path) and not self._is_ours(system):
            raise InstallError(
                f"{self.path} holds something, and no record of Tidetable: choose an empty folder "
                "with --data, or one that is to be made."
            )

    def do(self, system: System) -> None:
        """Make it, and give it to them."""
        folder = system.at(self.path)
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
