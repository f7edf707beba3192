"""A clean copy of the project to build from, and what it calls itself."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from companion.installing import program
from releasing.commands import output

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Source:
    """What is built.

    Attributes:
        folder: a copy that holds nothing but the project; modes do not depend on the umask.
        version: as in pyproject.toml, such as 0.1.0.
        epoch: the seconds since 1970 that every file in what is built says of itself, so
            that two builds of one state are equal.
    """

    folder: Path
    version: str
    epoch: int


def copied(into: Path, root: Path = ROOT) -> Source:
    """Copy the project into a folder that does not exist yet."""
    into.mkdir(parents=True)
    checkout = program.Source(root)
    checkout.copy(into)
    for path in (into, *into.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return Source(into, checkout.version, epoch_of(root))


def epoch_of(root: Path) -> int:
    """SOURCE_DATE_EPOCH where it is set; else the newest commit's time, or that of pyproject.toml."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isdecimal():
        return int(given)
    told = ("-c", f"safe.directory={root}", "-C", str(root), "log", "-1", "--format=%ct")
    newest = output("git", *told).strip()
    return int(newest) if newest else int((root / "pyproject.toml").stat().st_mtime)
