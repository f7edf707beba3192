"""This very system: who we are, and what the table that is installed or runs here is told."""

from __future__ import annotations

import argparse
import os
import pwd
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from companion.config import Config, default_data_folder
from companion.data_folder import LOCK, SETTINGS
from companion.doctor.system import Settings, System, User
from companion.installing.files import UNIT_NAME, USER
from companion.machine import MachineFacts
from companion.settings.reading import Found, bytes_of, look_at, text_of
from companion.settings.sections import ConfigError

UNIT_FOLDERS = ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")


def this_system(
    *,
    data: Path | None = None,
    config: Path | None = None,
    readers: Sequence[str] = (),
    root: Path = Path("/"),
) -> System:
    """What is examined.

    Args:
        data: the folder of the record; None for that of the installed service, or the usual one.
        config: the file of the settings; None for the one that the service reads.
        readers: instead of those of the settings.
        root: of the file system.
    """
    data = data and data.absolute()
    settings = settings_of(root, data=data, config=config, readers=readers)
    return System(
        settings,
        this_user(),
        MachineFacts(_nearest(settings.data), root=root).now(),
        root=root,
    )


def _nearest(folder: Path) -> Path:
    """The folder, or where it will be made: its disk is the same."""
    return next((path for path in (folder, *folder.parents) if _is_there(path)), folder)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return True


def this_user() -> User:
    """Who we are, and the groups of this session."""
    uid = os.geteuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = f"number {uid}"
    return User(uid, name, frozenset({os.getegid(), *os.getgroups()}))


def service_user() -> pwd.struct_passwd | None:
    """The account of the service; None where it is not installed: the account may outlive it."""
    if unit_file(Path("/")) is None:
        return None
    try:
        return pwd.getpwnam(USER)
    except KeyError:
        return None


def settings_of(
    root: Path,
    *,
    data: Path | None = None,
    config: Path | None = None,
    readers: Sequence[str] = (),
) -> Settings:
    """What the service is told: by its unit, by its command line while it runs, by its file.

    Whatever is wrong with it becomes `Settings.troubles`.
    """
    unit = _told(_unit_words(root))
    if data not in (None, unit.data):
        unit = _told(())  # of another table: the unit says nothing of it
    folder = data or unit.data or default_data_folder()
    running = _running_words(root, folder)
    told = _told(running) if running else unit
    file = config or told.config
    if file is None and _exists(folder / SETTINGS):
        file = folder / SETTINGS
    try:
        found = Found({}, ()) if file is None else look_at(Config, file, text_of(file))
    except ConfigError as error:
        return Settings(folder, None, file, (str(error),))
    if found.faults:
        hidden = _names_in(file)
        return Settings(folder, None, file, tuple(_without(hidden, each) for each in found.faults))
    values = dict(found.values)
    named = {"host": told.host, "port": told.port, "data": data or told.data}
    values |= {key: value for key, value in named.items() if value is not None}
    if readers or told.reader:
        values["readers"] = tuple(readers or told.reader)
    values.setdefault("data", folder)
    try:
        made = Config(**values)
    except ValueError as error:
        return Settings(folder, None, file, (_without(_names_in(file), str(error)),))
    closed = file is None and _is_closed(folder / SETTINGS)
    return Settings(made.data, made, file, closed=closed)


def _names_in(file: Path | None) -> Sequence[str]:
    """The names of people in a file of settings, as far as it can be read."""
    try:
        told = tomllib.loads(text_of(file)) if file else {}
    except (ValueError, RecursionError):
        return ()
    players = told.get("players")
    listed = players if isinstance(players, list) else [players]
    return [name for name in (*listed, told.get("starter")) if isinstance(name, str) and name]


def _without(names: Sequence[str], sentence: str) -> str:
    """A sentence that names nobody."""
    for name in sorted(names, key=len, reverse=True):
        sentence = sentence.replace(name, "…")
    return sentence


def _told(words: Sequence[str]) -> argparse.Namespace:
    """What a command line of `companion run` says."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--config", type=Path)
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    parser.add_argument("--reader", action="append", default=[])
    try:
        return parser.parse_known_args(list(words))[0]
    except argparse.ArgumentError:
        return parser.parse_args([])


def _is_file(path: Path) -> bool:
    """Whether it is there, as far as this user can see."""
    try:
        return path.is_file()
    except OSError:
        return False


def _exists(path: Path) -> bool:
    """Whether anything is there, as far as this user can see: what is no file is told of."""
    try:
        return path.exists()
    except OSError:
        return False


def _is_closed(path: Path) -> bool:
    """Whether this user may not even see whether it is there."""
    try:
        path.stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def unit_file(root: Path) -> Path | None:
    """The unit of the service; None where it is not installed."""
    found = (root / folder.lstrip("/") / UNIT_NAME for folder in UNIT_FOLDERS)
    return next((path for path in found if _is_file(path)), None)


def _unit_words(root: Path) -> Sequence[str]:
    path = unit_file(root)
    try:
        lines = path.read_text(errors="replace").splitlines() if path else []
        line = next((line for line in lines if line.startswith("ExecStart=")), "")
        return shlex.split(line.partition("=")[2])
    except (OSError, ValueError):
        return ()


def _running_words(root: Path, folder: Path) -> Sequence[str]:
    """The command line of the service that has this data folder."""
    pid = service_pid(root, folder)
    try:
        line = (root / f"proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ()
    return line.rstrip("\0").split("\0")


def service_pid(root: Path, folder: Path) -> int | None:
    """The process of the service that has this data folder, as it wrote down itself.

    The note stays when the service has ended, so the process has to be one of ours.
    """
    try:
        note = bytes_of(folder / LOCK).decode(errors="replace")
        words = note.split()
        pid = int(words[words.index("id") + 1])
        line = (root / f"proc/{pid}/cmdline").read_text(errors="replace")
    except (OSError, ValueError, IndexError):
        return None
    is_ours = "companion" in line and "run" in line.split("\0")
    return pid if is_ours and _is_locked(root, folder / LOCK) else None


def _is_locked(root: Path, lock: Path) -> bool:
    """Whether somebody holds the data folder now; where the kernel does not tell, he does."""
    try:
        inode = lock.stat().st_ino
        locks = (root / "proc/locks").read_text()
    except OSError:
        return True
    return any(
        line.split()[-3].endswith(f":{inode}") for line in locks.splitlines() if "FLOCK" in line
    )


def as_user_command(account: pwd.struct_passwd, words: Sequence[str]) -> Sequence[str]:
    """How root runs a command with the rights of another user, groups and all."""
    return (
        "setpriv",
        f"--reuid={account.pw_uid}",
        f"--regid={account.pw_gid}",
        "--init-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
        "--no-new-privs",
        *words,
    )


def environment_of(account: pwd.struct_passwd, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of such a command."""
    return {**environ, "HOME": account.pw_dir, "USER": account.pw_name, "LOGNAME": account.pw_name}
