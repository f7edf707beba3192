"""What lies in a tree, and how it differs from what lay there before."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

PASSING = re.compile(r"/(?:proc|sys|dev|run|tmp|handed-in)(?:/|$)")
"""Mounted, or gone at the next start."""

NAMED = {
    "caches and lists of packages": r"/var/cache/|/var/lib/apt/|/var/lib/dpkg/|/var/lib/ucf",
    "logs": r"/var/log/",
    "the root user's own files": r"/root(?:/|$)",
    "caches of the system": r"/etc/ld\.so\.cache|/usr/share/mime/|/usr/.*/__pycache__(?:/|$)|"
    r"/usr/lib/[^/]+/gconv/|/usr/lib/udev/hwdb\.bin|/etc/udev/hwdb\.bin|/var/lib/systemd/catalog/|"
    r"/etc/\.pwd\.lock|/usr/lib/sysimage/",
    "services of other packages, switched on": r"(?!.*tidetable)"
    r"(?:/etc/rc[0-6S]\.d/|/etc/init\.d/|/etc/systemd/system/[^/]+\.wants(?:/|$))",
    "what helps Debian remember which services were switched on": r"/var/lib/systemd/deb-systemd",
}
"""What may change, and whose affair it is."""


def contents(root: Path) -> Mapping[str, str]:
    """Everything below a root: its path, and a text that changes with it."""
    found: dict[str, str] = {}
    for folder, folders, names in os.walk(root):
        below = "/" + os.path.relpath(folder, root).removeprefix(".").lstrip("/")
        folders[:] = [n for n in folders if not PASSING.match(f"{below.rstrip('/')}/{n}")]
        for name in (*folders, *names):
            path = Path(folder, name)
            found[f"{below.rstrip('/')}/{name}"] = _told(path)
    return found


def _told(path: Path) -> str:
    state = path.lstat()
    told = f"{stat.filemode(state.st_mode)} {state.st_uid}:{state.st_gid}"
    if stat.S_ISLNK(state.st_mode):
        return f"{told} to {path.readlink()}"
    if stat.S_ISREG(state.st_mode):
        return f"{told} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return told


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """The paths that came, went or changed, in order; what lies in a folder that came, too."""
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            yield path


def judged(
    paths: Iterable[str], data: str, of_packages: Iterable[str]
) -> tuple[Mapping[str, int], list[str]]:
    """How many of the paths each reason explains, and those that none does.

    Args:
        paths: what differs.
        data: the data folder.
        of_packages: files that packages of Debian brought.
    """
    explained: dict[str, int] = {}
    unexplained: list[str] = []
    # Debian 12 says /lib where it means /usr/lib.
    brought = {f"{usr}{path}" for path in of_packages for usr in ("", "/usr")}
    patterns = {
        "the data": re.escape(data) + "(?:/|$)",
        **NAMED,
    }
    for path in paths:
        reason = next((name for name, text in patterns.items() if re.match(text, path)), None)
        if reason is None and path in brought:
            reason = "packages of Debian"
        if reason is None:
            unexplained.append(path)
        else:
            explained[reason] = explained.get(reason, 0) + 1
    return explained, unexplained
