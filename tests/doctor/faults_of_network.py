"""How a system gets the faults of the network and of those who are told, and how it has them not."""

from __future__ import annotations

from pathlib import Path

from companion.doctor.system import BrokerAnswer
from companion.telling.settings import Mqtt, Webhook
from tests.doctor.systems import (
    Change,
    FakeSystem,
    Pairs,
    all_of,
    packages,
    probe,
    refused,
    setting,
    well,
)

# --- network ----------------------------------------------------------------------------

TCP = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


def listens(port: int, *, state: str = "0A", family: str = "tcp") -> Change:
    address = "00000000" if family == "tcp" else "0" * 32
    line = f"   0: {address}:{port:04X} 00000000:0000 {state} 0:0 00:0 00000000     0        0 4711 1 0\n"
    return lambda fake: fake.put(f"proc/net/{family}", TCP + line)


def held_by(name: str) -> Change:
    return lambda fake: fake.process(90, name, holds="socket:[4711]")


def served(fake: FakeSystem) -> None:
    fake.serves(700)
    fake.link("proc/700/fd/5", "socket:[4711]")
    fake.link("proc/700/fd/6", "/dev/null")


def healthy(fake: FakeSystem) -> None:
    fake.probes.pages["http://127.0.0.1:8080/healthz"] = "ok\n"


def address(*addresses: str) -> Change:
    def change(fake: FakeSystem) -> None:
        lines = "".join(
            f"           |-- {each}\n              /32 host LOCAL\n" for each in addresses
        )
        fake.put("proc/net/fib_trie", f"Main:\n{lines}           |-- 192.168.1.255\n")

    return change


def unit_with(capability: str) -> Change:
    return lambda fake: fake.installed(f"AmbientCapabilities={capability}\n")


HOME = setting(host="0.0.0.0")


def named(*answering: str) -> Change:
    """The table is in the network, and these answer to its name."""
    return all_of(
        HOME,
        address("192.168.1.7"),
        packages(zeroconf="0.140"),
        probe(answering=answering),
    )


def without_zeroconf(fake: FakeSystem) -> None:
    del fake.probes.versions["zeroconf"]


NETWORK: Pairs = {
    "port-taken": [
        (all_of(listens(8080), held_by("nginx")), well),
        (listens(8080, family="tcp6"), listens(8081)),
        (all_of(listens(8080), held_by("nginx")), all_of(listens(8080), served, healthy)),
        (listens(8080), listens(8080, state="01")),
    ],
    "service-silent": [
        (all_of(listens(8080), served), all_of(listens(8080), served, healthy)),
        (served, all_of(listens(8080), served, healthy)),
    ],
    "port-privileged": [
        (setting(port=80), setting(port=8080)),
        (setting(port=80), all_of(setting(port=80), unit_with("CAP_NET_BIND_SERVICE"))),
        (
            setting(port=80),
            all_of(
                setting(port=80),
                lambda fake: fake.put("proc/sys/net/ipv4/ip_unprivileged_port_start", "80\n"),
            ),
        ),
    ],
    "only-this-computer": [(address("192.168.1.7"), all_of(HOME, address("192.168.1.7")))],
    "no-address": [
        (all_of(HOME, address("127.0.0.1")), all_of(HOME, address("127.0.0.1", "10.0.0.4"))),
        (all_of(HOME, address("169.254.3.4")), all_of(HOME, address("10.42.0.1"))),
    ],
    "zeroconf-missing": [(all_of(named("192.168.1.7"), without_zeroconf), named("192.168.1.7"))],
    "name-taken": [
        (named("192.168.1.9"), named("192.168.1.7")),
        (named("192.168.1.7", "192.168.1.9"), named()),
    ],
    "name-silent": [
        (all_of(named(), served), all_of(named("192.168.1.7"), served)),
        (all_of(named(), served), named()),
    ],
}
# --- those who are told -----------------------------------------------------------------


def told(**more: object) -> Change:
    """The settings name a broker and a receiver."""
    url = "https://hooks.example/private"
    return setting(mqtt=Mqtt(host="broker.lan", username="table", **more), webhook=Webhook(url=url))


def password_file(fake: FakeSystem) -> None:
    told(password_file=fake.root / "etc/password")(fake)


def written(fake: FakeSystem) -> None:
    fake.put("etc/password", "open sesame")
    password_file(fake)


def hides_homes(fake: FakeSystem) -> None:
    fake.installed("ProtectHome=yes\n")


def broker_says(sentence: str, **more: bool) -> Change:
    return all_of(told(), probe(broker_answer=BrokerAnswer(f"MQTT: {sentence}", **more)))


TELLING: Pairs = {
    "telling-file": [
        (
            all_of(hides_homes, told(password_file=Path("/home", "ann", "p"))),
            all_of(hides_homes, written),
        ),
        (password_file, written),
        (all_of(written, refused("password")), written),
    ],
    "broker-refuses": [(broker_says("It refuses the user: set username.", refused=True), told())],
    "broker-away": [
        (broker_says("nothing answers at broker.lan: start it."), told()),
        (broker_says("broker.lan:1883 does not answer: is it on?"), told()),
        (broker_says("broker.lan cannot be reached (no route)."), told()),
    ],
    "webhook-away": [(all_of(told(), probe(receiver_answer="nobody knows that name")), told())],
}
