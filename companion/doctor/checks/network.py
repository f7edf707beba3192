"""The pages: their port, whether the service answers, whether phones reach it, its name."""

from __future__ import annotations

from collections.abc import Iterator

from companion.doctor import remedies
from companion.doctor.api import Check, Finding, Unseen, bad, warning
from companion.doctor.here import service_pid, unit_file
from companion.doctor.sockets import listener_at, own_addresses
from companion.doctor.system import System
from companion.network.addresses import ANYWHERE
from companion.network.nearby import at

OTHERS = range(8080, 8200)
"""Ports that the pages may move to."""


def _has_settings(system: System) -> bool:
    return system.settings.config is not None and not system.settings.closed


def _host_and_port(system: System) -> tuple[str, int]:
    config = system.settings.config
    assert config is not None  # noqa: S101 - by `_has_settings`
    return config.host, config.port


def _has_port(system: System) -> bool:
    return _has_settings(system) and _host_and_port(system)[1] > 0


def _near(host: str, port: int) -> str:
    """Where the service answers on this computer."""
    return at("127.0.0.1" if host in ANYWHERE else host, port)


def _port(system: System) -> Iterator[Finding]:
    host, port = _host_and_port(system)
    listener = listener_at(system, port)
    ours = service_pid(system.root, system.data)
    if listener is None:
        yield from _nobody(system, port, ours)
        return
    answer = system.probes.fetch(f"{_near(host, port)}/healthz")
    if answer is not None and answer.strip() == "ok":
        return
    who = listener.process
    if ours is not None and (who is None or who.pid == ours):
        yield bad(
            "service-silent",
            f"The service has port {port} and does not answer there.",
            "Start it again, and report what its log says.",
            remedies.restart(system, ours),
        )
        return
    free = next(other for other in OTHERS if listener_at(system, other) is None)
    yield bad(
        "port-taken",
        f"Port {port} is taken by the program {who}, so the pages cannot be served there."
        if who is not None
        else f"Port {port} is taken by a program of another user, so the pages cannot be served "
        "there.",
        f"End that program, which sudo ss -ltnp names, or serve on another port such as {free}.",
        remedies.change(system, f"port={free}"),
    )
    if who is None and not system.user.is_root:
        raise Unseen(f"Who has port {port} only root can see.")


def _nobody(system: System, port: int, ours: int | None) -> Iterator[Finding]:
    if ours is not None:
        yield bad(
            "service-silent",
            f"The service runs (process {ours}), and nobody serves on port {port}.",
            "Start it again: its settings were changed since.",
            remedies.restart(system, ours),
        )
        return
    first = system.word("/proc/sys/net/ipv4/ip_unprivileged_port_start")
    lowest = int(first) if first.isdecimal() else 1024
    unit = unit_file(system.root)
    granted = unit is not None and "CAP_NET_BIND_SERVICE" in (system.text(system.name(unit)) or "")
    if port < lowest and not granted and not system.user.is_root:
        yield bad(
            "port-privileged",
            f"Port {port} is for root alone, and {system.user.name} may not serve on it.",
            "Choose another port; installed as a service it may have this one, too.",
            remedies.change(system, "port=8080"),
        )


def _is_local(host: str) -> bool:
    """Whether only this computer reaches what is served there."""
    return host in ("localhost", "::1") or host.startswith("127.")


def _reach(system: System) -> Iterator[Finding]:
    host, _ = _host_and_port(system)
    if _is_local(host):
        yield warning(
            "only-this-computer",
            f"The pages are served to this computer alone (host is {host}): no phone and no other "
            "screen reaches them.",
            "Serve them to the home network, if phones are to join.",
            remedies.change(system, "host=0.0.0.0"),
        )
    elif not own_addresses(system):
        yield warning(
            "no-address",
            "This computer has no address in a network: no phone and no other screen reaches it.",
            "Connect it to the Wi-Fi, or make it one of its own.",
            "ip -brief address",
        )


def _has_name(system: System) -> bool:
    config = system.settings.config
    if config is None or not _has_settings(system):
        return False
    if not config.network.mdns or _is_local(config.host):
        return False
    return bool(own_addresses(system))


def _name(system: System) -> Iterator[Finding]:
    config = system.settings.config
    assert config is not None  # noqa: S101 - by `_has_name`
    if not system.probes.imports("zeroconf"):
        yield warning(
            "zeroconf-missing",
            "Python cannot load zeroconf, so the table has no name in the home network.",
            "Install it; until then use the address that the TV shows.",
            remedies.pip(system, "zeroconf"),
        )
        return
    name = f"{config.network.name}.local"
    answers = system.probes.called(name)
    if answers is None:
        raise Unseen(f"Who is called {name} cannot be asked: multicast is not possible here.")
    ours = own_addresses(system)
    strangers = [address for address in answers if address not in ours]
    if strangers:
        yield warning(
            "name-taken",
            f"Another computer, {strangers[0]}, is called {name}, so this table has the next free "
            "name, which the TV shows.",
            "Give this table a name of its own in table.toml: name in [network].",
            remedies.edit(system),
        )
    elif not answers and service_pid(system.root, system.data) is not None:
        yield warning(
            "name-silent",
            f"The service runs, and nobody answers to {name}.",
            "Use the address that the TV shows; let the network pass multicast (UDP 5353).",
            "sudo ss -lunp 'sport = :5353'",
        )
    elif answers:
        yield Finding("name", "fine", f"{name} leads to {', '.join(answers)}")


CHECKS_OF_PORT = (
    Check(
        "port",
        "the port is free or the service answers on it",
        ("port-taken", "service-silent", "port-privileged"),
        _port,
        _has_port,
    ),
)
CHECKS = (
    Check(
        "reach",
        "phones reach this computer",
        ("only-this-computer", "no-address"),
        _reach,
        _has_settings,
    ),
    Check(
        "name",
        "the table's name in the home network",
        ("zeroconf-missing", "name-taken", "name-silent"),
        _name,
        _has_name,
    ),
)
