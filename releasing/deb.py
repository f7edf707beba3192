"""The Debian package: system files that dpkg owns, and wheels from which it makes its venv.

Nothing is fetched while it is installed. The scripts of the package are in `debian/`.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from email.utils import formatdate
from pathlib import Path

from companion.installing import files
from companion.installing.choices import DATA, Choices
from releasing.source import ROOT, Source
from releasing.wheels import BuildError, fetch, requirements_of

MAINTAINER = "The Tidetable authors <tidetable@tidetable.invalid>"
SCRIPTS = ("preinst", "postinst", "prerm", "postrm")
COMMAND = "usr/bin/companion"
WHEELS = "usr/share/tidetable/wheels"

CONTROL = """\
Package: tidetable
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {kilobytes}
Depends: python3 (>= 3.11), python3-venv, adduser | passwd, systemd | systemd-standalone-sysusers, init-system-helpers (>= 1.52)
Recommends: pcscd, python3-pyscard, python3-lgpio, libccid
Section: games
Priority: optional
Description: companion for physical board games
 Cards and tiles on a table carry NFC tags, and readers beside the board read
 them as they are laid down. Tidetable referees the game, keeps the score by
 itself and shows it on a TV and on phones.
 .
 This package brings the service, which starts with the computer, and all the
 Python packages that it needs.
"""


def system_files() -> Mapping[str, str]:
    """What dpkg owns, by its path; the same texts as `./run install` writes."""
    return {
        COMMAND: files.command(DATA),
        "usr/lib/systemd/system/tidetable.service": files.unit(Choices()),
        "usr/lib/udev/rules.d/70-tidetable.rules": files.udev_rules(),
        "usr/lib/modprobe.d/tidetable.conf": files.modprobe(),
        "usr/share/polkit-1/rules.d/50-tidetable.rules": files.polkit_rule(),
        "usr/lib/sysusers.d/tidetable.conf": files.sysusers(),
    }


def build(source: Source, wheel: Path, architecture: str, into: Path) -> Path:
    """Build the package for an architecture of `PLATFORMS`.

    Raises:
        BuildError: wheels cannot be had, or dpkg-deb is missing.
    """
    if shutil.which("dpkg-deb") is None:
        raise BuildError("dpkg-deb is missing: a .deb is built on Debian or Raspberry Pi OS.")
    with tempfile.TemporaryDirectory(prefix="tidetable-deb-") as scratch:
        tree = Path(scratch) / "tree"
        wheels = tree / WHEELS
        wheels.mkdir(parents=True)
        shutil.copy(wheel, wheels)
        fetch(source, architecture, wheels, wheel)
        needed = requirements_of(wheels.glob("*.whl"))
        (wheels / "requirements.txt").write_text("".join(f"{line}\n" for line in needed))
        for name, text in system_files().items():
            _write(tree / name, text)
        _write_documents(tree / "usr/share/doc/tidetable", source)
        _write_control(tree, source, architecture)
        _settle(tree, source.epoch)
        package = into / f"tidetable_{source.version}_{architecture}.deb"
        _pack(tree, package, source.epoch)
    return package


def script(name: str) -> str:
    """A file of `debian/`, most often a maintainer's script, with what the installation knows."""
    text = (ROOT / "releasing/debian" / name).read_text(encoding="utf-8")
    put_in = {"BECOME": files.BECOME, "GROUPS": files.GROUPS, "MODULES": files.MODULES}
    for word, values in put_in.items():
        text = text.replace(f"@{word}@", " ".join(values))
    return text


def _write_control(tree: Path, source: Source, architecture: str) -> None:
    contents = sorted(path for path in tree.rglob("*") if path.is_file())
    kilobytes = sum(-(-path.stat().st_size // 1024) for path in contents)
    sums = [
        f"{hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()}  "
        f"{path.relative_to(tree)}\n"
        for path in contents
    ]
    control = CONTROL.format(
        version=source.version,
        architecture=architecture,
        maintainer=MAINTAINER,
        kilobytes=kilobytes,
    )
    _write(tree / "DEBIAN/control", control)
    _write(tree / "DEBIAN/md5sums", "".join(sums))
    for name in ("triggers", *SCRIPTS):
        _write(tree / "DEBIAN" / name, script(name))


def _write_documents(folder: Path, source: Source) -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8").strip()
    indented = "\n".join(f" {line or '.'}" for line in licence.splitlines())
    _write(folder / "copyright", script("copyright").replace("@LICENSE@", indented))
    changes = (
        f"tidetable ({source.version}) stable; urgency=medium\n\n"
        f"  * Release {source.version}; CHANGELOG.md of the project says what changed.\n\n"
        f" -- {MAINTAINER}  {formatdate(source.epoch)}\n"
    )
    packed = gzip.compress(changes.encode(), compresslevel=9, mtime=0)
    (folder / "changelog.gz").write_bytes(packed)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _settle(tree: Path, epoch: int) -> None:
    """Modes and times that depend on nothing but the source."""
    for path in (*tree.rglob("*"), tree):
        script = path.parent.name == "DEBIAN" and path.name in SCRIPTS
        runs = path.is_dir() or script or path == tree / COMMAND
        path.chmod(0o755 if runs else 0o644)
        os.utime(path, (epoch, epoch))


def _pack(tree: Path, package: Path, epoch: int) -> None:
    done = subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(tree), str(package)],
        check=False,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)},
        capture_output=True,
        text=True,
        umask=0o022,
    )
    if done.returncode != 0:
        raise BuildError(f"dpkg-deb failed: {done.stderr.strip()}")
