"""The table's name in a network of its own, heard by another computer with python-zeroconf."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import zeroconf

from companion.network import presence as followed
from companion.network.nearby import Nearby
from companion.network.presence import Presence
from companion.network.settings import Network, Wifi
from tests.support.networks import two_rooms

pytestmark = pytest.mark.needs("netns")

LIMIT_S = 20
PORT = 8080


@pytest.fixture
def rooms(monkeypatch):
    monkeypatch.setattr(followed, "LOOK_S", 0.1)
    with two_rooms() as (table, guest):
        yield table, guest


class Table:
    """A table in a room, without the rest of the service."""

    def __init__(self, room, network=Network()):  # noqa: B008 - it is frozen
        self.news = threading.Condition()
        self.presence = room.run(lambda: self._made(network))

    def _made(self, network):
        made = Presence("0.0.0.0", PORT, network, Wifi(), changed=self._changed)
        made.start()
        return made

    def _changed(self):
        with self.news:
            self.news.notify_all()

    def until(self, right):
        with self.news:
            assert self.news.wait_for(lambda: right(self.presence.now), LIMIT_S), self.presence.now
        return self.presence.now

    def called(self, name):
        return self.until(lambda now: now.name == f"http://{name}.local:{PORT}")


@contextmanager
def table_in(room, *more):
    table = Table(room, *more)
    try:
        yield table
    finally:
        table.presence.close()
        assert not table.presence._thread.is_alive()


class Guest:
    """Another computer: what it hears of services, and what it is called itself."""

    def __init__(self, room, ip):
        self.ip = ip
        self.services = {}
        self.news = threading.Condition()
        self.zeroconf = room.run(lambda: zeroconf.Zeroconf(interfaces=[ip]))
        self.browser = zeroconf.ServiceBrowser(
            self.zeroconf, "_http._tcp.local.", handlers=[self._heard]
        )

    def _heard(self, zeroconf, service_type, name, state_change):
        with self.news:
            self.services[name.partition(".")[0]] = state_change.name
            self.news.notify_all()

    def until(self, name, state):
        with self.news:
            assert self.news.wait_for(lambda: self.services.get(name) == state, LIMIT_S), (
                self.services
            )

    def resolves(self, name, limit_s=LIMIT_S):
        asked = zeroconf.AddressResolver(f"{name}.local.")
        asked.request(self.zeroconf, 1000 * limit_s)
        return asked.parsed_addresses()

    def is_called(self, name):
        info = zeroconf.ServiceInfo(
            "_http._tcp.local.",
            f"of the guest {name}._http._tcp.local.",
            80,
            server=f"{name}.local.",
            parsed_addresses=[self.ip],
        )
        self.zeroconf.register_service(info, cooperating_responders=True)
        return info


@contextmanager
def guest_in(room, ip):
    room.has(f"{ip}/24")
    guest = Guest(room, ip)
    try:
        yield guest
    finally:
        guest.browser.cancel()
        guest.zeroconf.close()


def test_a_table_is_found_by_its_name_and_takes_it_back(rooms):
    room, other = rooms
    room.has("192.168.77.1/24")
    before = set(threading.enumerate())
    with guest_in(other, "192.168.77.2") as guest:
        with table_in(room) as table:
            now = table.called("tidetable")
            assert now == Nearby(f"http://192.168.77.1:{PORT}", f"http://tidetable.local:{PORT}")
            assert guest.resolves("tidetable") == ["192.168.77.1"]
            guest.until("tidetable", "Added")
            info = guest.zeroconf.get_service_info(
                "_http._tcp.local.", "tidetable._http._tcp.local."
            )
            assert info.port == PORT
            assert info.properties == {b"path": b"/"}
        guest.until("tidetable", "Removed")
    assert set(threading.enumerate()) <= before


def test_a_name_that_is_taken_is_left_to_who_has_it(rooms, caplog):
    room, other = rooms
    room.has("192.168.77.1/24")
    caplog.set_level(logging.INFO)
    with guest_in(other, "192.168.77.2") as guest:
        guest.is_called("tidetable")
        with table_in(room) as table:
            table.called("tidetable-2")
            assert guest.resolves("tidetable-2") == ["192.168.77.1"]
            assert guest.resolves("tidetable") == ["192.168.77.2"]
    said = [line for line in caplog.messages if "tidetable-2" in line]
    assert len(said) == 1
    assert "Another device is called tidetable.local" in said[0]


def test_addresses_come_and_change_and_go(rooms):
    room, other = rooms
    with guest_in(other, "192.168.77.2") as guest, table_in(room, Network(name="kitchen")) as table:
        assert table.presence.now == Nearby()
        room.has("192.168.77.1/24")
        table.called("kitchen")
        assert guest.resolves("kitchen") == ["192.168.77.1"]
        room.do("addr", "del", "192.168.77.1/24", "dev", "cable")
        room.has("192.168.77.9/24")
        table.until(lambda now: now.address == f"http://192.168.77.9:{PORT}")
        table.called("kitchen")
        guest.zeroconf.cache.cache.clear()
        assert guest.resolves("kitchen") == ["192.168.77.9"]
        room.do("link", "set", "cable", "down")
        room.do("addr", "flush", "dev", "cable")
        table.until(lambda now: now == Nearby())


@pytest.mark.parametrize(
    ("own", "theirs", "name"),
    [
        ("192.168.77.1", "192.168.77.2", "tidetable-2"),
        ("192.168.77.9", "192.168.77.2", "tidetable"),
    ],
)
def test_of_two_that_took_a_name_at_once_one_gives_way(rooms, own, theirs, name):
    room, other = rooms
    room.has(f"{own}/24")
    with guest_in(other, theirs) as guest, table_in(room) as table:
        table.called("tidetable")
        info = guest.is_called("tidetable")
        announced = table.presence._announced
        if name == "tidetable":  # the other gives way, as it should
            assert announced.rival() is False
            guest.zeroconf.unregister_service(info)
        table.called(name)
        assert (table.presence._announced is announced) == (name == "tidetable")


def test_one_that_does_not_give_way_keeps_the_name(rooms, monkeypatch):
    monkeypatch.setattr(followed, "PATIENCE", 2)
    room, other = rooms
    room.has("192.168.77.9/24")
    with guest_in(other, "192.168.77.2") as guest, table_in(room) as table:
        table.called("tidetable")
        guest.is_called("tidetable")
        table.called("tidetable-2")


AVAHI = """
[server]
host-name={name}
use-ipv6=no
enable-dbus=no
allow-interfaces=cable
[wide-area]
enable-wide-area=no
"""


@contextmanager
def avahi_in(room, folder, name):
    """The program by which most Linux computers have a name, in a room."""
    (folder / "run").mkdir()
    (folder / "avahi.conf").write_text(AVAHI.format(name=name))
    Path("/run/avahi-daemon").mkdir(exist_ok=True)
    words = f"mount --bind {folder}/run /run/avahi-daemon && exec {AVAHI_WORDS} {folder}/avahi.conf"
    command = ["ip", "netns", "exec", room.name, "unshare", "--mount", "sh", "-c", words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        said = ""
        while "startup complete" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        yield said
    finally:
        process.terminate()
        process.wait(LIMIT_S)
        process.stderr.close()


AVAHI_WORDS = "/usr/sbin/avahi-daemon --no-drop-root --no-chroot --no-rlimits -f"


@pytest.mark.needs("avahi")
def test_avahi_elsewhere_keeps_its_name(rooms, tmp_path):
    room, other = rooms
    room.has("192.168.77.1/24")
    other.has("192.168.77.2/24")
    with avahi_in(other, tmp_path, "tidetable"), table_in(room) as table:
        table.called("tidetable-2")


@pytest.mark.needs("avahi")
def test_avahi_on_the_table_itself_may_tell_the_same_name(rooms, tmp_path):
    room, other = rooms
    room.has("192.168.77.1/24")
    with (
        avahi_in(room, tmp_path, "tidetable"),
        guest_in(other, "192.168.77.2") as guest,
        table_in(room) as table,
    ):
        table.called("tidetable")
        assert "192.168.77.1" in guest.resolves("tidetable")


def test_no_network_lets_the_service_end_at_once(rooms):
    with table_in(rooms[0]) as table:
        assert table.presence.now == Nearby()


def test_without_zeroconf_the_address_is_shown_all_the_same(rooms, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    room, _ = rooms
    with table_in(room) as table:
        room.has("192.168.77.1/24")
        table.until(lambda now: now.address is not None)
        room.do("addr", "del", "192.168.77.1/24", "dev", "cable")
        table.until(lambda now: now.address is None)
        room.has("192.168.77.1/24")
        table.until(lambda now: now.address is not None)
    assert table.presence.now.name is None
    assert len([line for line in caplog.messages if "has no name" in line]) <= 1


def test_a_table_may_be_without_a_name(rooms):
    room, other = rooms
    room.has("192.168.77.1/24")
    with guest_in(other, "192.168.77.2") as guest, table_in(room, Network(mdns=False)) as table:
        assert table.presence.now == Nearby(f"http://192.168.77.1:{PORT}")
        assert guest.resolves("tidetable", limit_s=1) == []
    assert table.presence._announced is None


def test_it_is_called_otherwise_while_it_runs_and_not_at_all(rooms):
    room, other = rooms
    room.has("192.168.77.1/24")
    with guest_in(other, "192.168.77.2") as guest, table_in(room) as table:
        table.called("tidetable")
        table.presence.use(Network(name="kitchen"))
        table.called("kitchen")
        assert guest.resolves("kitchen") == ["192.168.77.1"]
        table.presence.use(Network(mdns=False))
        table.until(lambda now: now == Nearby(f"http://192.168.77.1:{PORT}"))
        guest.until("kitchen", "Removed")
        table.presence.use(Network())
        table.called("tidetable")
