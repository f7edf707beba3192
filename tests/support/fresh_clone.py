"""A computer with a fresh clone, made of a few scripts: no network and no real Python.

PATH holds a fake Python, the plain tools that a shell script uses, and no more. The fakes
write what they were told to do into a file; files beside it say how they behave.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOLS = [
    "cat",
    "cksum",
    "cp",
    "env",
    "flock",
    "grep",
    "ls",
    "mkdir",
    "mv",
    "readlink",
    "rm",
    "touch",
    "true",
]

PYTHON = r"""#!/bin/sh
# The machine's Python, and as a copy of itself the one in the .venv that it made.
here=${0%/*} name=${0##*/}
told() { echo "$*" >>"$FAKE/told"; }
case "$*" in
    -V) echo "Python $(cat "$FAKE/version-$name" 2>/dev/null || cat "$FAKE/version")" ;;
    '-c import venv'*) test ! -e "$FAKE/no-venv" ;;
    '-c import sysconfig'*) echo "$FAKE/include" ;;
    '-m venv '*)
        for venv; do :; done
        told "venv"
        rm -rf "$venv" && mkdir -p "$venv/bin" "$venv/lib/python3/site-packages"
        cp "$0" "$venv/bin/python"
        echo "VIRTUAL_ENV=$venv" >"$venv/bin/activate" ;;
    '-m ensurepip '*) touch "$here/pip" ;;
    '-m pip --version') test -e "$here/pip" ;;
    '-m pip install '*)
        for what; do :; done
        told "pip $what"
        test ! -e "$FAKE/pip-is-killed" || kill -9 0
        test ! -e "$FAKE/pip-half-done" || touch "$here/../lib/python3/site-packages/half"
        if test -e "$FAKE/pip-fails" || test -e "$FAKE/$what-fails"; then
            echo "no route to the index" >&2
            exit 1
        fi
        test -e pyproject.toml && cp "$FAKE/companion" "$here/companion" ;;
    '-S -m companion.cli '*)
        shift 3
        told "$(id -u) in $PYTHONPATH: $*"
        test "$1" != uninstall || exit 3 ;;
    '-m pytest'*)
        shift 2
        told "pytest $*"
        exit "$(cat "$FAKE/pytest-status" 2>/dev/null || echo 0)" ;;
    *) told "unexpected $*" && exit 99 ;;
esac
"""
COMPANION = r"""#!/bin/sh
echo "in $PWD"
for argument; do echo "<$argument>"; done
test "${1-}" != fail || exit 7
"""
APT_GET = r"""#!/bin/sh
case " $* " in *' -s '*) exit 0 ;; *' update '*) exit 0 ;; esac
while test "$1" != --no-install-recommends; do shift; done && shift
echo "apt $*" >>"$FAKE/told"
test ! -e "$FAKE/apt-fails" || exit 100
for package; do
    case $package in
        python3-venv) rm -f "$FAKE/no-venv" ;;
        libpcsclite-dev) mkdir -p "$FAKE/include" && touch "$FAKE/include/Python.h" ;;
    esac
    touch "$FAKE/installed-$package"
done
"""
DPKG_QUERY = r"""#!/bin/sh
for package; do :; done
test -e "$FAKE/installed-$package" && echo -n installed
"""
SUDO = r"""#!/bin/sh
test "$1" = -n && shift
test ! -e "$FAKE/sudo-asks" || exit 1
test "$1" = true || echo "sudo" >>"$FAKE/told"
FAKE_UID=0 exec "$@"
"""


class Machine:
    """A computer with a fresh clone in a folder that has a space in its name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.fake = folder / "fake"
        self.clone = folder / "my clone"
        for made in (self.bin, self.fake, self.clone):
            made.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        for name in ("run", "pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, self.clone / name)
        (self.clone / "packages.txt").write_text(
            "# for the tests\nalpha # a\n\npython3-dev\nbeta\n"
        )
        self.program("python3", PYTHON)
        self.program("id", "#!/bin/sh\necho ${FAKE_UID:-1000}\n")
        self.program("cc", "#!/bin/sh\n")
        self.program("pkg-config", "#!/bin/sh\n")
        self.say("companion", COMPANION).chmod(0o755)
        self.say("version", "3.11.2")

    def program(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def say(self, name: str, text: str = "") -> Path:
        (self.fake / name).parent.mkdir(exist_ok=True)
        (self.fake / name).write_text(text)
        return self.fake / name

    def debian(self) -> None:
        self.program("apt-get", APT_GET)
        self.program("dpkg-query", DPKG_QUERY)

    def run(
        self, *arguments: str, script: Path | str | None = None, cwd: Path | None = None, **more
    ):
        # A session of its own: nobody can be asked there, and a fake may kill its group.
        return subprocess.run(
            [script or self.clone / "run", *arguments],
            check=False,
            cwd=cwd or self.folder,
            env={"PATH": str(self.bin), "FAKE": str(self.fake), **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            start_new_session=True,
        )

    def told(self) -> list[str]:
        """What the fakes were told to do since this was last asked."""
        told = self.fake / "told"
        lines = told.read_text().splitlines() if told.exists() else []
        told.unlink(missing_ok=True)
        return lines
