"""The program as the user `nobody`, who may do nothing: wherever this checkout lies."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import tomlkit

from companion.doctor import here

ROOT = Path(__file__).parents[2]
NOBODY = pwd.getpwnam("nobody")
PYTHONS = (sys.executable, "/usr/bin/python3")
ENOUGH = "import sys; sys.exit(sys.version_info < (3, 11))"


def as_nobody(*words: str, sources: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command, with these sources where they are given; only root can."""
    more = {} if sources is None else {"PYTHONPATH": str(sources)}
    return subprocess.run(
        here.as_user_command(NOBODY, words),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd="/",
        env={**here.environment_of(NOBODY, os.environ), **more},
    )


@cache
def python_for_nobody() -> str | None:
    """A Python that everybody may start; that of a checkout may be closed to others."""
    found = (python for python in PYTHONS if not as_nobody(python, "-c", ENOUGH).returncode)
    return next(found, None)


def copied_for_all(folder: Path) -> Path:
    """A copy of the sources, and of what they need of others, that everybody may read."""
    copy = folder / "sources"
    packages = ("companion", "firmware_bridge", "hardware_sim", "web_ui")
    for source in (*(ROOT / name for name in packages), Path(tomlkit.__file__).parent):
        shutil.copytree(source, copy / source.name)
    for name in ("run", "constraints.txt"):
        shutil.copy(ROOT / name, copy)
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o755)
    return copy
