"""Which of several addresses is shown, what a Wi-Fi is called, and what the settings refuse."""

from __future__ import annotations

import sys

import pytest

from companion.network import addresses, presence
from companion.network.addresses import (
    Address,
    best_first,
    is_cut_off,
    is_wireless,
    own_addresses,
    way_out,
)
from companion.network.nearby import Nearby, at
from companion.network.presence import Presence
from companion.network.settings import Network, Wifi

LOOP = Address("127.0.0.1", "lo")
HOME = Address("192.168.1.7", "wlan0")
CABLE = Address("192.168.1.8", "eth0")
OWN = Address("10.42.0.1", "wlan1")
DOCKER = Address("172.17.0.1", "docker0")
TUNNEL = Address("10.8.0.3", "tun0")
ALONE = Address("169.254.13.7", "eth0")
WORLD = Address("8.8.4.4", "eth1")
LINK_6 = Address("fe80::1", "eth0")
HOME_6 = Address("fd00::7", "wlan0")


@pytest.mark.parametrize(
    ("found", "ways", "best"),
    [
        ((), {}, ()),
        ((LOOP, LINK_6), {}, ()),
        ((DOCKER, HOME), {}, (HOME,)),
        ((DOCKER,), {}, (DOCKER,)),
        ((TUNNEL, HOME), {"leads_out": "tun0"}, (HOME,)),
        ((HOME, CABLE), {"leads_out": "eth0"}, (CABLE, HOME)),
        ((HOME, CABLE), {"leads_out": "wlan0"}, (HOME, CABLE)),
        ((ALONE, HOME_6, HOME), {}, (HOME, ALONE, HOME_6)),
        ((WORLD, HOME), {}, (HOME, WORLD)),
        ((ALONE,), {}, (ALONE,)),
        ((CABLE, OWN), {"leads_out": "eth0", "access_point": "wlan1"}, (OWN, CABLE)),
    ],
)
def test_the_best_address_is_the_one_that_phones_reach(found, ways, best):
    assert best_first(found, **ways) == best


def test_the_way_out_is_the_default_route_with_the_lowest_metric(tmp_path):
    table = tmp_path / "route"
    assert way_out(table) is None
    head = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
    table.write_text(
        head
        + "eth0\t00000000\t0101A8C0\t0003\t0\t0\t700\t00000000\t0\t0\t0\n"
        + "wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
        + "wlan1\t0001A8C0\t00000000\t0001\t0\t0\t1\t00FFFFFF\t0\t0\t0\n"
    )
    assert way_out(table) == "wlan0"


def test_wireless_is_told_by_the_kernel(tmp_path):
    (tmp_path / "wlan0" / "phy80211").mkdir(parents=True)
    (tmp_path / "eth0").mkdir()
    assert is_wireless("wlan0", tmp_path)
    assert not is_wireless("eth0", tmp_path)


def test_an_interface_whose_cable_is_out_leads_nowhere(tmp_path, monkeypatch):
    states = {"down": True, "lowerlayerdown": True, "up": False, "unknown": False, "dormant": False}
    for state, cut_off in states.items():
        (tmp_path / state).mkdir()
        (tmp_path / state / "operstate").write_text(f"{state}\n")
        assert is_cut_off(state, tmp_path) == cut_off
    assert not is_cut_off("of another kernel", tmp_path)
    assert "lo" in {address.interface for address in own_addresses()}
    monkeypatch.setattr(addresses, "is_cut_off", lambda interface: interface == "lo")
    assert "lo" not in {address.interface for address in own_addresses()}


def test_this_machine_has_addresses_also_without_ifaddr(monkeypatch):
    assert "127.0.0.1" in {address.ip for address in own_addresses()}
    monkeypatch.setitem(sys.modules, "ifaddr", None)
    assert len(own_addresses()) <= 1


def seen(host, found, wifi=Wifi(), port=8080):  # noqa: B008 - it is frozen
    return Presence(host, port, Network(), wifi, look=lambda: found).now


def test_where_the_pages_are_served_is_what_is_shown(monkeypatch):
    monkeypatch.setattr(presence, "way_out", lambda: "eth0")
    monkeypatch.setattr(presence, "is_wireless", lambda name: name.startswith("wlan"))
    all_of_them = (LOOP, HOME, CABLE, HOME_6)
    assert seen("0.0.0.0", all_of_them) == Nearby(
        "http://192.168.1.8:8080", others=("http://192.168.1.7:8080",)
    )
    assert seen("127.0.0.1", all_of_them) == Nearby()
    assert seen("192.168.1.7", all_of_them) == Nearby("http://192.168.1.7:8080")
    assert seen("192.168.1.9", all_of_them) == Nearby()
    assert seen("::", (LOOP, HOME_6)).address == "http://[fd00::7]:8080"
    own = Wifi("Table", "open sesame")
    assert seen("0.0.0.0", (CABLE, OWN), own).address == "http://10.42.0.1:8080"
    assert seen("0.0.0.0", (CABLE, OWN)).address == "http://192.168.1.8:8080"


def test_after_a_surprise_no_name_is_shown_until_it_is_tried_again(monkeypatch, caplog):
    class Surprising:
        name = "tidetable"
        closed = False

        def __init__(self, *_):
            taken.append(self)

        def rival(self):
            raise RuntimeError("the interface is gone")

        def close(self):
            self.closed = True

    taken, now_s = [], [0.0]
    monkeypatch.setattr(presence, "Announced", Surprising)
    followed = Presence(
        "0.0.0.0", 80, Network(), Wifi(), look=lambda: (HOME,), clock=lambda: now_s[0]
    )
    followed._look_again()
    assert followed.now == Nearby("http://192.168.1.7", "http://tidetable.local")
    for _ in range(3):
        followed._look_again()
        assert followed.now == Nearby("http://192.168.1.7")
    assert "the interface is gone" in caplog.text
    assert [each.closed for each in taken] == [True]
    now_s[0] = presence.AGAIN_S
    followed._look_again()
    assert followed.now.name == "http://tidetable.local"


def test_port_80_needs_no_number():
    assert at("192.168.1.7", 80) == "http://192.168.1.7"


@pytest.mark.parametrize(
    ("wifi", "text"),
    [
        (Wifi("Table", "open sesame"), "WIFI:T:WPA;S:Table;P:open sesame;;"),
        (Wifi("Table"), "WIFI:T:nopass;S:Table;;"),
        (
            Wifi('a\\b;c,d:e"f', '\\;,:"\\;,:"'),
            r"WIFI:T:WPA;S:a\\b\;c\,d\:e\"f;P:\\\;\,\:\"\\\;\,\:\";;",
        ),
        (Wifi("Stół Zosi", "12345678"), "WIFI:T:WPA;S:Stół Zosi;P:12345678;;"),
    ],
)
def test_a_wifi_is_written_as_phones_read_it(wifi, text):
    assert wifi.joining() == text


def test_the_password_is_not_in_what_python_prints_of_it():
    assert "open sesame" not in repr(Wifi("Table", "open sesame"))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Network(name=""), "small letters"),
        (lambda: Network(name="Tide Table"), "small letters"),
        (lambda: Network(name="-table"), "small letters"),
        (lambda: Network(name="a.b"), "small letters"),
        (lambda: Network(name="a" * 61), "small letters"),
        (lambda: Wifi("x" * 33), "at most 32 bytes"),
        (lambda: Wifi("ą" * 17), "at most 32 bytes"),
        (lambda: Wifi("a\nb"), "in one line"),
        (lambda: Wifi("", "open sesame"), "name it by ssid"),
        (lambda: Wifi("Table", "short"), "8 to 63"),
        (lambda: Wifi("Table", "zażółć gęślą"), "8 to 63"),
        (lambda: Wifi("Table", "x" * 64), "8 to 63"),
    ],
)
def test_what_no_network_takes_is_refused_in_one_sentence(make, says):
    with pytest.raises(ValueError, match=says) as refusal:
        make()
    assert "zażółć" not in str(refusal.value)
    assert "short" not in str(refusal.value).replace("8 to", "")


def test_what_cannot_be_read_from_the_kernel_is_nothing(tmp_path):
    (tmp_path / "route").write_bytes(b"\xff\xfe")
    assert addresses.way_out(tmp_path / "route") is None
