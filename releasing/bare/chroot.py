"""A tree that commands run in, as if it were a computer of its own."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
}


class Failed(Exception):
    """A step did not do what it should; the text says what, and what the command printed."""


@dataclass
class Chroot:
    """A tree, with what has to be mounted in it.

    Attributes:
        tree: its folder.
        limit_s: the longest that one command may take.
        failures: the steps that failed, by their names.
    """

    tree: Path
    limit_s: float = 600
    failures: list[str] = field(default_factory=list)

    def mount(self, mounts: Mapping[Path, Path]) -> None:
        """Mount the kernel's folders, and others of this computer to read.

        Whoever calls this is in a mount namespace of his own, with which all of it ends.
        """
        _mount("--make-rprivate", "/")
        for name, kind in (("proc", "proc"), ("run", "tmpfs"), ("tmp", "tmpfs"), ("dev", "tmpfs")):
            (self.tree / name).mkdir(exist_ok=True)
            mode = {"tmp": "1777"}.get(name, "0755")
            options = [] if kind == "proc" else ["-o", f"mode={mode},size=1g"]
            _mount("-t", kind, *options, name, str(self.tree / name))
        for name in ("null", "zero", "full", "random", "urandom", "tty"):
            (self.tree / "dev" / name).touch()
            _mount("--bind", f"/dev/{name}", str(self.tree / "dev" / name))
        (self.tree / "dev/fd").symlink_to("/proc/self/fd")
        (self.tree / "dev/shm").mkdir(mode=0o1777)
        (self.tree / "dev/shm").chmod(0o1777)
        (self.tree / "dev/pts").mkdir()
        _mount("-t", "devpts", "-o", "newinstance,ptmxmode=0666", "pts", str(self.tree / "dev/pts"))
        (self.tree / "dev/ptmx").symlink_to("pts/ptmx")
        (self.tree / "etc/resolv.conf").write_text(Path("/etc/resolv.conf").read_text())
        (self.tree / "etc/hosts").write_text(Path("/etc/hosts").read_text())
        for path, place in mounts.items():
            target = self.tree / place.relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                target.mkdir()
            else:
                target.touch()
            _mount("--bind", "-o", "ro", str(path), str(target))

    def command(self, *command: str, cwd: str = "/") -> Sequence[str]:
        """The command as this computer has to run it."""
        variables = [f"{key}={value}" for key, value in ENVIRONMENT.items()]
        inside = ["/bin/sh", "-c", f'cd "{cwd}" && exec "$@"', "sh", *command]
        return ["chroot", str(self.tree), "env", "-i", *variables, *inside]

    def run(self, *command: str, cwd: str = "/", fails: bool = False, network: bool = True) -> str:
        """Run a command; what it printed.

        Args:
            command: what to run in the tree.
            cwd: where in the tree.
            fails: whether it may end with another status than 0.
            network: whether it has one.

        Raises:
            Failed: it ended with another status, or took too long.
        """
        alone = [] if network else ["unshare", "--net"]
        shown = " ".join(command)
        try:
            done = subprocess.run(
                [*alone, *self.command(*command, cwd=cwd)],
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=self.limit_s,
            )
        except subprocess.TimeoutExpired:
            raise Failed(f"{shown} took longer than {self.limit_s:.0f} s") from None
        if done.returncode and not fails:
            lines = done.stdout.strip().splitlines()
            last = "\n".join([line for line in lines if not line.startswith("WARNING")][-30:])
            raise Failed(f"{shown} ended with status {done.returncode}:\n{last}")
        return done.stdout

    def step(self, name: str, work: Callable[[], str | None]) -> bool:
        """Do a step, and say in one line how it ended and how long it took."""
        started = time.monotonic()
        try:
            said = work() or ""
        except (Failed, OSError, subprocess.SubprocessError, ValueError, KeyError) as fault:
            self.failures.append(name)
            said = f"FAILED: {fault}"
        seconds = time.monotonic() - started
        print(f"{seconds:6.1f} s  {name}{': ' if said else ''}{said}", flush=True)
        return name not in self.failures


def _mount(*arguments: str) -> None:
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    subprocess.run(
        ["mount", *arguments],
        check=True,
        env={**os.environ, "PATH": path},
    )
