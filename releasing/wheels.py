"""The project's wheel, and the wheels of what it depends on."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from companion.errors import PlainError
from releasing.source import Source

PYTHONS = ("3.11", "3.13")
"""Of Debian 12 and 13, and of the Raspberry Pi OS that is made from them."""

TAGS = ("manylinux_2_31", "manylinux_2_28", "manylinux_2_17", "manylinux2014")
"""The newest comes first; Debian 12 has glibc 2.36."""

PLATFORMS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        debian: [f"{tag}_{machine}" for tag in TAGS]
        for debian, machine in {"amd64": "x86_64", "arm64": "aarch64", "armhf": "armv7l"}.items()
    }
)
"""What pip calls the platforms, by what Debian calls them."""


class BuildError(PlainError):
    """Something could not be built or fetched."""


def build(source: Source, into: Path) -> Path:
    """Build the project's wheel.

    Raises:
        BuildError: it does not build.
    """
    isolation = ["--no-build-isolation"] if _has_setuptools(source) else []
    before = set(into.glob("*.whl"))
    name = f"tidetable-{source.version}-py3-none-any.whl"
    (into / name).unlink(missing_ok=True)
    _pip(
        ["wheel", "--no-deps", *isolation, "--wheel-dir", str(into), "."],
        source,
        "The wheel did not build",
    )
    made = set(into.glob("*.whl")) - before | {into / name}
    if made != {into / name}:
        raise BuildError(f"The wheel has another name than {name}: {', '.join(map(str, made))}.")
    return into / name


def fetch(source: Source, architecture: str, into: Path, wheel: Path) -> None:
    """Fetch the wheels of all dependencies, for every Python of `PYTHONS`.

    Raises:
        BuildError: one of them has no wheel for this architecture, or the network is away.
    """
    platforms = [f"--platform={name}" for name in PLATFORMS[architecture]]
    for python in PYTHONS:
        _pip(
            [
                *("download", "--only-binary=:all:", f"--python-version={python}"),
                *platforms,
                *("--implementation=cp", "--dest", str(into), f"{wheel}[gpio]"),
            ],
            source,
            f"The wheels for Python {python} on {architecture} could not be had",
        )


def requirements_of(wheels: Iterable[Path]) -> Sequence[str]:
    """What a folder of wheels installs, as `name==version`, each once, in order."""
    parts = (path.name.split("-")[:2] for path in wheels)
    return sorted({f"{re.sub('[-_.]+', '-', name).lower()}=={version}" for name, version in parts})


def _has_setuptools(source: Source) -> bool:
    """Whether the pinned setuptools is here; otherwise pip fetches it for the build."""
    pins = (source.folder / "constraints.txt").read_text(encoding="utf-8").splitlines()
    try:
        return f"setuptools=={importlib.metadata.version('setuptools')}" in pins
    except importlib.metadata.PackageNotFoundError:
        return False


def _pip(arguments: Sequence[str], source: Source, what: str) -> None:
    # As in ./run: pip before 25.3 hands the first variable on to isolated builds, later
    # ones the second.
    environment = {
        **os.environ,
        "PIP_CONSTRAINT": f"constraints.txt {os.environ.get('PIP_CONSTRAINT', '')}".strip(),
        **(
            {}
            if "--no-build-isolation" in arguments
            else {"PIP_BUILD_CONSTRAINT": "constraints.txt"}
        ),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "SOURCE_DATE_EPOCH": str(max(source.epoch, 315532800)),  # a zip file begins in 1980
    }
    done = subprocess.run(
        [sys.executable, "-m", "pip", "-q", *arguments],
        cwd=source.folder,
        check=False,
        env=environment,
        umask=0o022,  # the wheel remembers modes
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        raise BuildError(f"{what}; pip says:\n{done.stdout.strip()}")
