"""The bare Debian: made once with debootstrap, and kept for the next run.

Where packages come from is this computer's own affair: its mirror and its settings of apt and
pip are handed in.
"""

from __future__ import annotations

import ast
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from releasing.commands import output

RELEASES = {"12": "bookworm", "13": "trixie"}
INCLUDED = ("ca-certificates", "git", "python3", "systemd", "systemd-sysv", "udev")
"""All that the README asks for, and what every Debian that starts has."""

HANDED_IN = "handed-in"
SERVES_NOTHING = "#!/bin/sh\nexit 101\n"


class NotMade(Exception):
    """The bare Debian cannot be made."""


def mirror() -> str:
    """Where this computer has Debian's packages from."""
    said = output(
        "apt-get", "indextargets", "--format", "$(REPO_URI)|$(LABEL)", "Created-By: Packages"
    )
    for line in said.splitlines():
        address, _, label = line.rpartition("|")
        if label == "Debian":
            return address
    raise NotMade("This computer's apt knows no mirror of Debian: type apt-get update first.")


def made(release: str, cache: Path, limit_s: float) -> Path:
    """The base tree of a release, made now if it is not there.

    Raises:
        NotMade: debootstrap is missing, or failed.
    """
    address = mirror()
    key = hashlib.sha256(" ".join((address, *INCLUDED)).encode()).hexdigest()[:8]
    tree = cache / f"debian-{release}-{key}"
    if tree.exists():
        return tree
    if shutil.which("debootstrap") is None:
        raise NotMade("debootstrap is missing; type: sudo apt-get install debootstrap")
    partial = cache / f"{tree.name}.partial"
    if partial.exists():
        shutil.rmtree(partial)
    cache.mkdir(parents=True, exist_ok=True)
    log = cache / f"{tree.name}.log"
    with log.open("w") as file:
        done = subprocess.run(
            [
                *("debootstrap", "--variant=minbase", f"--include={','.join(INCLUDED)}"),
                *(RELEASES[release], str(partial), address),
            ],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            timeout=limit_s,
        )
    if done.returncode:
        raise NotMade(f"debootstrap failed; see {log}.")
    shutil.rmtree(partial / "var/cache/apt/archives", ignore_errors=True)
    partial.rename(tree)
    return tree


def hand_in(tree: Path) -> Mapping[Path, Path]:
    """Write this computer's settings of apt and pip into a tree; what is to be mounted where."""
    (tree / "usr/sbin/policy-rc.d").write_text(SERVES_NOTHING)
    (tree / "usr/sbin/policy-rc.d").chmod(0o755)
    acquire = [
        line
        for line in output("apt-config", "dump").splitlines()
        if line.startswith(("Acquire::http", "Acquire::Check-Valid")) and not line.endswith('"";')
    ]
    (tree / "etc/apt/apt.conf.d/90handed-in").write_text("\n".join(acquire) + "\n")
    mounts: dict[Path, Path] = {}
    lines = ["[global]"]
    for key, value in pip_settings().items():
        words = [_moved(word, mounts) for word in value.split()]
        lines.append(f"{key} = {words[0]}" if len(words) == 1 else f"{key} =")
        lines += [f"    {word}" for word in words if len(words) > 1]
    (tree / "etc/pip.conf").write_text("\n".join(lines) + "\n")
    return mounts


def pip_settings() -> Mapping[str, str]:
    """What pip is told on this computer, by its files and its environment."""
    return dict(_settings(output(sys.executable, "-m", "pip", "config", "list")))


def _settings(said: str) -> Iterator[tuple[str, str]]:
    for line in said.splitlines():
        name, equals, value = line.partition("=")
        if equals:
            yield name.rpartition(".")[2], str(ast.literal_eval(value))


def _moved(word: str, mounts: dict[Path, Path]) -> str:
    """A setting that names a file of this computer, as the file's place in the tree."""
    local = urlsplit(word).path if word.startswith("file://") else word
    path = Path(local)
    if not path.is_absolute() or not path.exists():
        return word
    # An index may lead to its neighbours, so a folder is handed in with those.
    whole = path.parent if path.is_dir() else path
    top = mounts.setdefault(whole, Path("/") / HANDED_IN / str(len(mounts)) / whole.name)
    place = top / path.relative_to(whole)
    return f"file://{place}" if word.startswith("file://") else str(place)
