"""Who serves on a port, and at which addresses this computer is reached: from `/proc/net`."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from companion.doctor.processes import Process, holders
from companion.doctor.system import System

_LISTENS = "0A"


@dataclass(frozen=True, slots=True)
class Listener:
    """A port that somebody serves on.

    Attributes:
        process: who; None where this user may not see it.
    """

    process: Process | None


def listener_at(system: System, port: int) -> Listener | None:
    """Who serves on this TCP port; None for nobody."""
    for name in ("tcp", "tcp6"):
        for line in (system.text(f"/proc/net/{name}") or "").splitlines()[1:]:
            words = line.split()
            if len(words) < 10 or words[3] != _LISTENS:
                continue
            if int(words[1].rpartition(":")[2], 16) == port:
                found = holders(system, f"socket:[{words[9]}]", also_us=True).found
                return Listener(found[0] if found else None)
    return None


def own_addresses(system: System) -> tuple[str, ...]:
    """The IPv4 addresses at which others could reach this computer."""
    found = re.findall(
        r"\|-- (\d+\.\d+\.\d+\.\d+)\n\s+/32 host LOCAL", system.text("/proc/net/fib_trie") or ""
    )
    addresses = {ipaddress.ip_address(text) for text in found}
    return tuple(
        str(address)
        for address in sorted(addresses)
        if not address.is_loopback and not address.is_link_local
    )
