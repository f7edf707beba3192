"""The addresses of this computer at which other devices reach it, best first."""

from __future__ import annotations

import ipaddress
import logging
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

ROUTES = Path("/proc/net/route")
INTERFACES = Path("/sys/class/net")

ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - named to be recognised, not bound
"""What a service is bound to that is reached at each of them."""

_IN_SOFTWARE = re.compile(
    r"docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|podman|cni|tun|tap|wg|tailscale|zt|ppp|dummy"
)
"""Interfaces behind which stands no phone: of virtual machines, containers and tunnels."""


@dataclass(frozen=True, slots=True)
class Address:
    """One of them.

    Attributes:
        ip: such as `192.168.1.7`.
        interface: such as `wlan0`.
    """

    ip: str
    interface: str

    @property
    def version(self) -> int:
        """4 or 6."""
        return ipaddress.ip_address(self.ip).version


def own_addresses() -> tuple[Address, ...]:
    """Those of now, whichever; none without a network. It asks the system and sends nothing."""
    try:
        import ifaddr  # noqa: PLC0415 - the table is served without it, too

        adapters = ifaddr.get_adapters()
    except (ImportError, OSError) as error:
        log.debug("the addresses cannot be asked for: %s", error)
        return _on_the_way_out()
    found = []
    for adapter in adapters:
        if is_cut_off(str(adapter.nice_name)):
            continue
        for entry in adapter.ips:
            ip = entry.ip if isinstance(entry.ip, str) else entry.ip[0]
            found.append(Address(ip.partition("%")[0], str(adapter.nice_name)))
    return tuple(found)


def _on_the_way_out() -> tuple[Address, ...]:
    """The one address that the kernel would send from, where nothing better can be asked."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: a datagram socket is only asked which way it would take.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return ()
        return (Address(str(probe.getsockname()[0]), way_out() or ""),)


def best_first(
    found: Iterable[Address], leads_out: str | None = None, access_point: str | None = None
) -> tuple[Address, ...]:
    """Those at which other devices can reach us, in the order in which they are worth trying.

    Loopback and the addresses of one cable alone (fe80::) are left out, and those of virtual
    machines, containers and tunnels where there are others: a phone that is told one of these
    would not get anywhere.

    Args:
        found: all of them.
        leads_out: the interface of the way to the internet, in which the other devices mostly are.
        access_point: the interface of the table's own Wi-Fi: its people come before all others.
    """

    def worth(address: Address) -> tuple[bool, ...]:
        ip = ipaddress.ip_address(address.ip)
        return (
            address.interface != access_point,
            ip.version == 6,
            ip.is_link_local,
            address.interface != leads_out,
            not ip.is_private,
        )

    reached = sorted(filter(_can_be_reached, found), key=worth)
    real = [each for each in reached if not _IN_SOFTWARE.match(each.interface)]
    return tuple(real or reached)


def _can_be_reached(address: Address) -> bool:
    ip = ipaddress.ip_address(address.ip)
    if ip.is_loopback or ip.is_unspecified or ip.is_multicast:
        return False
    return ip.version == 4 or not ip.is_link_local


def way_out(routes: Path = ROUTES) -> str | None:
    """The interface of the default route with the lowest metric; None without one."""
    try:
        rows = [line.split() for line in routes.read_text(encoding="ascii").splitlines()[1:]]
    except (OSError, ValueError):
        return None
    ways = [(int(row[6]), row[0]) for row in rows if len(row) > 7 and row[1] == row[7] == "0" * 8]
    return min(ways)[1] if ways else None


def is_cut_off(interface: str, folder: Path = INTERFACES) -> bool:
    """Whether its cable is out or its Wi-Fi lost: an address that it still has leads nowhere.

    Not every network manager takes the address away. What the kernel does not know (`unknown`, as
    of many virtual ones) counts as reached (Linux, Documentation/networking/operstates).
    """
    try:
        state = (folder / interface / "operstate").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return False
    return state in {"down", "lowerlayerdown", "notpresent"}


def is_wireless(interface: str, folder: Path = INTERFACES) -> bool:
    """Whether this is Wi-Fi."""
    return any((folder / interface / name).exists() for name in ("wireless", "phy80211"))
