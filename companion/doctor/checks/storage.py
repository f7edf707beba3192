"""The folder of the record: whether it can be written, on what it lies, how full that is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from companion import log_file
from companion.data_folder import JOURNAL, LOCK, SETTINGS
from companion.doctor import remedies
from companion.doctor.api import Check, Finding, Unseen, bad, warning
from companion.doctor.here import unit_file
from companion.doctor.mounts import mount_of
from companion.doctor.system import System
from companion.household import HOUSEHOLD
from companion.installing.files import USER
from companion.record import copies
from companion.record.summaries import SUMMARIES

OURS = ("table.", "household.", "history.", "lock", "backups")
"""How the names of what we keep begin; other things may lie there, such as `lost+found`."""

FILES = (JOURNAL, HOUSEHOLD, SUMMARIES, LOCK, SETTINGS)
FOLDERS = (copies.FOLDER, log_file.FOLDER)

MIB = 1 << 20
FULL = 64 * MIB
NEARLY_FULL = 512 * MIB
WITHOUT_RIGHTS = {
    "vfat": "FAT",
    "msdos": "FAT",
    "exfat": "exFAT",
    "ntfs": "NTFS",
    "ntfs3": "NTFS",
    "fuseblk": "NTFS",
}
OF_OTHERS = ("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs")
IN_MEMORY = ("tmpfs", "ramfs")


def is_ours_to_see(system: System) -> bool:
    """Whether the data folder is for this user: that of an installed service is for it alone."""
    return system.user.name in (USER, "root") or unit_file(system.root) is None


def _there(system: System) -> Path | None:
    """The folder, or its nearest parent that is there."""
    return next((path for path in (system.data, *system.data.parents) if path.exists()), None)


def _closed_above(system: System) -> Path | None:
    """The first folder on the way to the data that this user may not enter."""
    way = reversed(system.data.parents)
    return next((each for each in way if not system.probes.may(each, os.X_OK)), None)


def _leads_nowhere(folder: Path) -> bool:
    """Whether it is a link, and nothing is at its end; not where this user may not look."""
    try:
        return folder.is_symlink() and not folder.exists()
    except PermissionError:
        return False


def _writable(system: System) -> Iterator[Finding]:
    folder = system.data
    mount = mount_of(system, folder)
    if mount is not None and mount.read_only:
        yield bad(
            "data-read-only",
            f"The data folder {folder} is on a disk that cannot be written (mounted read-only at "
            f"{mount.at}): after an error the system makes it so.",
            "Look at what the kernel says of that disk, and mount it anew or replace it.",
            f"sudo dmesg | tail -n 30; sudo mount -o remount,rw {quote(mount.at)}",
        )
        return
    if _leads_nowhere(folder):
        yield bad(
            "data-missing",
            f"The data folder {folder} is a link to {folder.readlink()}, and nothing is there.",
            "Plug in the stick that it is on, or take the link away.",
            f"ls -l {quote(str(folder))}",
        )
        return
    try:
        place = _there(system)
        is_missing = place != folder
    except PermissionError:
        place, is_missing = None, False
    if place is None and not is_ours_to_see(system):
        raise Unseen("The data folder is for the service's own user.")
    if is_missing and place is not None and not system.probes.may(place, os.W_OK | os.X_OK):
        yield bad(
            "data-missing",
            f"There is no data folder {folder}, and {system.user.name} may not make it in {place}.",
            "Make it, or plug in the stick that it is on.",
            f"sudo install -d -m 700 -o {system.user.name} {quote(str(folder))}",
        )
    elif not is_missing and place is not None and not place.is_dir():
        yield bad(
            "data-no-folder",
            f"The data folder {folder} is a file.",
            "Name a folder with --data, or by data in the settings.",
            f"ls -l {quote(str(folder))}",
        )
    elif not is_missing and (closed := _closed_above(system)) is not None:
        if not is_ours_to_see(system):
            raise Unseen("The data folder is for the service's own user.")
        yield bad(
            "data-not-writable",
            f"{system.user.name} may not enter {closed}, in which the data folder {folder} is.",
            "Let them pass through it; a stick that the desktop mounted for somebody else is better "
            "mounted by /etc/fstab.",
            f"sudo chmod o+x {quote(str(closed))}",
        )
    elif not is_missing and not system.probes.may(folder, os.R_OK | os.W_OK | os.X_OK):
        if not is_ours_to_see(system):
            raise Unseen("The data folder is for the service's own user.")
        theirs = place is not None and place.stat().st_uid == system.user.uid
        yield bad(
            "data-not-writable",
            f"{system.user.name} may not write the data folder {folder}"
            f"{', though it is theirs' if theirs else ''}.",
            "Let them write it." if theirs else "Give it to that user, with all that is in it.",
            f"sudo chmod u+rwx {quote(str(folder))}" if theirs else remedies.give(system, folder),
        )
    elif not is_missing:
        yield from _files(system, folder)


def _files(system: System, folder: Path) -> Iterator[Finding]:
    for path in sorted(folder.iterdir()):
        is_one = path.is_dir() if path.name in FOLDERS else path.is_file()
        if path.name in (*FILES, *FOLDERS) and not is_one:
            what = "folder" if path.name in FOLDERS else "file"
            yield bad(
                "data-odd",
                f"{path} is a link to {path.readlink()}, and no {what} is there."
                if path.is_symlink()
                else f"{path} has to be a {what}, and is something else.",
                "Move it away: the table makes a new one, or goes on from the newest copy.",
                f"{remedies.sudo(system)}mv {quote(str(path))} {quote(f'{path}.odd')}",
            )
            return
        # The settings are put in place as a new file, so they need only be read.
        mode = os.R_OK if path.name == SETTINGS else os.R_OK | os.W_OK
        if path.name.startswith(OURS) and not system.probes.may(path, mode):
            yield bad(
                "data-of-another",
                f"{system.user.name} may not use {path}: it belongs to another user, as after a "
                "start with sudo.",
                "Give the folder to the right user, with all that is in it.",
                remedies.give(system, folder),
            )
            return


def _kind(system: System) -> Iterator[Finding]:
    mount = mount_of(system, system.data)
    if mount is None:
        raise Unseen("The kernel does not tell on which disk the data folder is.")
    if mount.kind in IN_MEMORY:
        yield bad(
            "data-in-memory",
            f"The data folder {system.data} is in memory ({mount.kind}): every game is lost when "
            "the power goes.",
            "Choose a folder on a disk.",
            remedies.install(system, "--data", "/var/lib/tidetable"),
        )
    elif mount.kind in OF_OTHERS:
        yield bad(
            "data-on-network",
            f"The data folder {system.data} is on another computer's disk ({mount.kind}), where "
            "SQLite's log and locks do not hold.",
            "Choose a folder on a disk of this computer.",
            remedies.install(system, "--data", "/var/lib/tidetable"),
        )
    elif mount.kind == "overlay":
        yield warning(
            "data-on-overlay",
            f"The data folder {system.data} is on an overlay: where that lies in memory, every "
            "game is lost at the next start.",
            "Switch the overlay file system off, or put the data on a stick.",
            "sudo raspi-config nonint do_overlayfs 1 && sudo reboot"
            if remedies.is_pi(system)
            else f"findmnt --target {quote(str(system.data))}",
        )
    elif mount.kind in WITHOUT_RIGHTS:
        yield warning(
            "data-on-fat",
            f"The data folder {system.data} is on {WITHOUT_RIGHTS[mount.kind]}: the record works "
            "there, but everybody at this computer can read it, and a pulled plug may spoil more "
            "than the last move.",
            "Use a stick with ext4; what is on it is lost when it is made so.",
            "lsblk -f",
        )


def _room(system: System) -> Iterator[Finding]:
    free = system.machine.disk_free
    if free is None:
        raise Unseen("How full the disk of the data folder is cannot be seen.")
    mount = mount_of(system, system.data)
    if mount is None or mount.at == "/":
        fix, command = "Make room.", "sudo apt clean; sudo journalctl --vacuum-size=50M"
    else:
        fix = "Make room there: this lists what is large."
        command = f"sudo du -xh {quote(mount.at)} | sort -h | tail -n 20"
    if free < FULL:
        yield bad(
            "disk-full",
            f"The disk of the data folder has {free // MIB} MiB left: soon no move can be kept.",
            fix,
            command,
        )
    elif free < NEARLY_FULL:
        yield warning(
            "disk-nearly-full",
            f"The disk of the data folder has {free // MIB} MiB left.",
            fix,
            command,
        )


CHECKS = (
    Check(
        "data-folder",
        "the data folder can be written",
        (
            "data-read-only",
            "data-missing",
            "data-no-folder",
            "data-not-writable",
            "data-of-another",
            "data-odd",
        ),
        _writable,
    ),
    Check(
        "data-disk",
        "the data folder is on a disk that keeps it",
        ("data-in-memory", "data-on-network", "data-on-overlay", "data-on-fat"),
        _kind,
    ),
    Check("room", "the disk has room", ("disk-full", "disk-nearly-full"), _room),
)
