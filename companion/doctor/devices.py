"""Files of devices: whether this user may use them, and if not, why."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from companion.doctor import remedies
from companion.doctor.api import Finding, bad
from companion.doctor.here import service_pid
from companion.doctor.system import System


@dataclass(frozen=True, slots=True)
class Codes:
    """How the findings about one kind of device are called."""

    missing_group: str
    late_group: str
    denied: str


def rights(system: System, name: str, group: str, codes: Codes) -> Iterator[Finding]:
    """What keeps this user from reading and writing a device; nothing where nothing does.

    Args:
        system: the system.
        name: of the device, such as `/dev/ttyUSB0`.
        group: that may use such devices.
        codes: of what is found.
    """
    number, members = group_of(system, group)
    user = system.user.name
    if system.probes.may(system.path(name), os.R_OK | os.W_OK):
        pid = service_pid(system.root, system.data)
        if (
            pid is not None
            and number is not None
            and user in members
            and _lacks(system, pid, number)
        ):
            yield bad(
                codes.late_group,
                f"The service has run since before {user} came into the group {group}, so it may "
                f"not use {name}.",
                "Start it again.",
                remedies.restart(system, pid),
            )
        return
    if number is None or user not in members:
        yield bad(
            codes.missing_group,
            f"{user} may not use {name}: that is for the group {group}.",
            f"Add {user} to the group, and log in again or start the service again.",
            f"sudo usermod -aG {group} {user}",
        )
    elif number not in system.user.groups:
        yield bad(
            codes.late_group,
            f"{user} has come into the group {group} since this session began, so {name} cannot "
            "be used yet.",
            "Log out and in again, or start the computer anew.",
            "sudo reboot",
        )
    else:
        yield bad(
            codes.denied,
            f"{user} may not use {name}, though the group {group} is right.",
            "Look at whom the device belongs to, and mend the rule of udev that says so.",
            f"ls -l {name}",
        )


def group_of(system: System, group: str) -> tuple[int | None, frozenset[str]]:
    """The number of a group and its members; None where there is no such group."""
    number = None
    members: set[str] = set()
    for line in (system.text("/etc/group") or "").splitlines():
        parts = line.split(":")
        if len(parts) == 4 and parts[0] == group and parts[2].isdecimal():
            number = int(parts[2])
            members = {name for name in parts[3].split(",") if name}
    for line in (system.text("/etc/passwd") or "").splitlines():
        parts = line.split(":")
        if len(parts) > 3 and parts[3] == str(number):
            members.add(parts[0])
    return number, frozenset(members)


def _lacks(system: System, pid: int, number: int) -> bool:
    """Whether a process of this user runs without this group."""
    text = system.text(f"/proc/{pid}/status") or ""
    groups = re.search(r"^Groups:(.*)$", text, re.MULTILINE)
    users = re.search(r"^Uid:\s*(\d+)", text, re.MULTILINE)
    main = re.search(r"^Gid:\s*(\d+)", text, re.MULTILINE)
    if groups is None or users is None or int(users[1]) != system.user.uid:
        return False
    return str(number) not in (*groups[1].split(), main[1] if main else "")
