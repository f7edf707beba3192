"""Starts the service as systemd would, without systemd, and plays on it.

Run as `python3 -m releasing.bare.by_hand TREE UNIT` in a network namespace of its own, so that
the port of the unit is free and nothing but the service answers.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shlex
import signal
import socket
import struct
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from companion.addresses import FILE as ADDRESSES
from releasing.bare.chroot import ENVIRONMENT, Chroot, Failed

READY_S = 60
UP = 0x1


class Unit:
    """What a unit of systemd says: each key with all its values."""

    def __init__(self, text: str) -> None:
        self._values: dict[str, list[str]] = defaultdict(list)
        for line in text.splitlines():
            key, equals, value = line.partition("=")
            if equals and not line.startswith(("#", ";")):
                self._values[key].append(value)

    def one(self, key: str) -> str:
        """The last value of a key; empty where there is none."""
        return self._values[key][-1] if self._values[key] else ""

    def command(self) -> Sequence[str]:
        """As the service's user, with the groups, the variables and the rights of the unit."""
        user, group = self.one("User"), self.one("Group")
        rights = [
            word.removeprefix("CAP_").lower() for word in self.one("AmbientCapabilities").split()
        ]
        given = ",".join(f"+{word}" for word in rights)
        granted = [f"--inh-caps=-all,{given}", f"--ambient-caps={given}"] if given else []
        variables = [
            *(f"{key}={value}" for key, value in ENVIRONMENT.items() if key in ("PATH", "LANG")),
            "NOTIFY_SOCKET=/run/notify",
            "WATCHDOG_USEC=30000000",
            *(word for value in self._values["Environment"] for word in shlex.split(value)),
        ]
        start = shlex.split(self.one("ExecStart"))
        return [
            *("setpriv", f"--reuid={user}", f"--regid={group}", "--init-groups", *granted),
            *("--no-new-privs", "env", "-i", *variables, *start),
        ]


def bring_up_loopback() -> None:
    """A new network namespace has a loopback that is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        name = b"lo".ljust(16, b"\0")
        fcntl.ioctl(asked, 0x8914, name + struct.pack("<H", UP) + b"\0" * 22)  # SIOCSIFFLAGS


@contextmanager
def running(chroot: Chroot, unit: Unit, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The service, once it says that it is ready.

    Raises:
        Failed: it ends, or does not say so in time.
    """
    notify = chroot.tree / "run/notify"
    notify.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told, log.open("wb") as file:
        told.bind(str(notify))
        notify.chmod(0o666)
        told.settimeout(0.5)
        service = subprocess.Popen(
            chroot.command(*unit.command(), cwd=unit.one("WorkingDirectory") or "/"),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_until_ready(service, told, log)
            yield service
        finally:
            if service.poll() is None:
                service.kill()
            service.wait()


def wait_until_ready(service: subprocess.Popen[bytes], told: socket.socket, log: Path) -> None:
    """Wait for READY=1.

    Raises:
        Failed: the service ended, or takes too long.
    """
    until = time.monotonic() + READY_S
    while time.monotonic() < until:
        if service.poll() is not None:
            raise Failed(f"the service ended with {service.returncode}:\n{log.read_text()}")
        try:
            if b"READY=1" in told.recv(4096).split(b"\n"):
                return
        except TimeoutError:
            continue
    raise Failed(f"the service was not ready after {READY_S} s:\n{log.read_text()}")


def ask(port: int, path: str, action: Mapping[str, object] | None, token: str) -> str:
    """Get a page, or post an action."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        data=None if action is None else json.dumps(action).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
            said = str(answer.read(), "utf-8")
    except urllib.error.HTTPError as refusal:
        raise Failed(f"{path} was refused: {refusal.read().decode()}") from None
    return said


def table(port: int, token: str) -> dict[str, object]:
    """The table as the API tells it."""
    found = json.loads(ask(port, "/api/v1/table", None, token))
    return dict(found)


def port_in(data: Path) -> int:
    """Where the service will serve, as its settings say."""
    return int(tomllib.loads((data / "table.toml").read_text())["port"])


def token_in(data: Path) -> str:
    """The token of the link, which the service keeps for those who are at the computer."""
    until = time.monotonic() + READY_S
    while time.monotonic() < until:
        with contextlib.suppress(FileNotFoundError):
            return str(re.findall(r"/link/([^\s?]+)", (data / ADDRESSES).read_text())[0])
        time.sleep(0.2)  # it is told right after the service is ready
    raise Failed(f"no link is in {data / ADDRESSES}")


def play(chroot: Chroot, unit: Unit) -> str:
    """A page, a game, `kill -9`, and the game goes on.

    Raises:
        Failed: something of it is not so.
    """
    log = chroot.tree / "tmp/service.log"
    port = port_in(chroot.tree / unit.one("WorkingDirectory").lstrip("/"))
    with running(chroot, unit, log) as service:
        token = token_in(chroot.tree / unit.one("WorkingDirectory").lstrip("/"))
        page = ask(port, "/", None, token)
        if "<html" not in page:
            raise Failed("the first page is no page")
        before = table(port, token)
        for card in ("dots", "rings"):
            ask(port, "/api/v1/actions", {"do": "reveal", "card": card}, token)
        at_kill = table(port, token)
        if at_kill["step"] == before["step"]:
            raise Failed("two cards were turned, and the step is the same")
        user = status(service.pid)
        service.send_signal(signal.SIGKILL)
        service.wait()
    with running(chroot, unit, log) as service:
        after = table(port, token)
        if [after[key] for key in ("game", "step")] != [at_kill[key] for key in ("game", "step")]:
            raise Failed(f"the game does not go on: it was {at_kill}, and is {after}")
        ask(port, "/api/v1/actions", {"do": "stop"}, token)
        service.terminate()
        if service.wait(20) != 0:
            raise Failed(f"SIGTERM ended it with {service.returncode}:\n{log.read_text()}")
    return f"on port {port}, {user}; the game went on at step {after['step']}"


def status(pid: int) -> str:
    """Who a process is, in words; only a service that is not root is one."""
    lines = dict(
        line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    uid, groups = lines["Uid"].split()[0], lines["Groups"].strip()
    if uid == "0":
        raise Failed("the service runs as root")
    return f"as user {uid} with groups {groups}"


def main() -> int:
    """Play on the service of a unit."""
    tree, unit = sys.argv[1:]
    bring_up_loopback()
    chroot = Chroot(Path(tree))
    try:
        print(play(chroot, Unit((chroot.tree / unit.lstrip("/")).read_text())))
    except (Failed, OSError) as fault:
        print(fault)
        return 1
    return 0


if __name__ == "__main__":
    os.environ.setdefault("PATH", ENVIRONMENT["PATH"])
    sys.exit(main())
