"""The command `.ci/bare-debian`; what it does is said in the package."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType

from releasing.bare.base import RELEASES, NotMade, hand_in, made
from releasing.bare.chroot import Chroot
from releasing.bare.steps import go_through

ALONE = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
"""Namespaces of its own: with the first process all others end, and all that is mounted."""

INSIDE = "--in-its-namespaces"


def main() -> int:
    """Run the steps; the exit status is 0 where all went well."""
    if sys.argv[1:2] == [INSIDE]:
        return inside(Path(sys.argv[2]))
    parser = argparse.ArgumentParser(
        prog=".ci/bare-debian",
        description="Tries the README's commands, the installation and the package in a bare Debian.",
    )
    parser.add_argument("release", choices=RELEASES)
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / "tidetable-bare-debian",
        help="where the bare Debian is kept for the next run",
    )
    parser.add_argument("--minutes", type=float, default=40, help="the longest it may take")
    chosen = parser.parse_args()
    if os.geteuid() != 0:
        print("This makes a Debian and mounts things in it: type sudo before it.", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, _ended)
    started = time.monotonic()
    try:
        base = made(chosen.release, chosen.cache.resolve(), chosen.minutes * 60)
    except (NotMade, subprocess.TimeoutExpired) as fault:
        print(f"Tidetable: {fault}", file=sys.stderr)
        return 2
    print(
        f"{time.monotonic() - started:6.1f} s  a bare Debian {chosen.release} in {base}", flush=True
    )
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=base.parent))
    try:
        tree = folder / "tree"
        subprocess.run(["cp", "--archive", "--reflink=auto", str(base), str(tree)], check=True)
        done = subprocess.run(
            [*ALONE, sys.executable, "-m", "releasing.bare", INSIDE, str(tree)],
            check=False,
            timeout=chosen.minutes * 60,
        )
    except subprocess.TimeoutExpired:
        print(f"It took longer than {chosen.minutes:.0f} minutes.")
        return 1
    finally:
        shutil.rmtree(folder)
    print(f"{time.monotonic() - started:6.1f} s  in all")
    return done.returncode


def inside(tree: Path) -> int:
    """In namespaces of its own."""
    chroot = Chroot(tree)
    chroot.mount(hand_in(tree))
    go_through(chroot)
    if chroot.failures:
        print(f"failed: {', '.join(chroot.failures)}")
        return 1
    print("all steps passed")
    return 0


def _ended(number: int, frame: FrameType | None) -> None:
    del frame
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
