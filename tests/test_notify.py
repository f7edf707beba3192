"""What systemd is told, at a real socket, also by a service whose table is stuck on purpose."""

from __future__ import annotations

import itertools
import os
import socket
import threading
import urllib.request

import pytest

from companion import notify
from companion.authority import Authority
from companion.clocks import machine_clocks
from companion.config import Config
from companion.service import serving
from companion.settings.live import LiveSettings

LIMIT_S = 30
numbers = itertools.count()


class Systemd:
    """Listens where systemd would."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.end.bind(f"\0{name[1:]}" if name.startswith("@") else name)

    def hear(self, limit_s: float = LIMIT_S) -> list[str]:
        self.end.settimeout(limit_s)
        return self.end.recv(4096).decode().splitlines()

    def hears_nothing(self, limit_s: float) -> bool:
        try:
            self.hear(limit_s)
        except TimeoutError:
            return True
        return False


@pytest.fixture(params=["path", "abstract"])
def systemd(request, tmp_path, monkeypatch):
    abstract = f"@tidetable-test-{os.getpid()}-{next(numbers)}"
    listener = Systemd(abstract if request.param == "abstract" else str(tmp_path / "notify"))
    monkeypatch.setenv("NOTIFY_SOCKET", listener.name)
    yield listener
    listener.end.close()


@pytest.fixture
def page(monkeypatch):
    """A page that answers at once."""
    asked: list[str] = []
    monkeypatch.setattr(notify, "_await", asked.append)
    return asked


def test_lines_arrive_as_one_message(systemd):
    assert notify.tell("READY=1", "STATUS=Ålesund")
    assert systemd.hear() == ["READY=1", "STATUS=Ålesund"]


@pytest.mark.parametrize("name", ["", "vsock:2:1234", "relative"])
def test_where_there_is_no_systemd_nobody_is_told(monkeypatch, name):
    monkeypatch.setenv("NOTIFY_SOCKET", name)
    assert not notify.tell("READY=1")


def test_a_socket_that_is_gone_is_no_fault_of_the_game(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    assert not notify.tell("READY=1")
    assert "could not be told" in caplog.text


@pytest.mark.parametrize(
    ("environment", "seconds"),
    [
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_how_often_systemd_wants_to_hear(monkeypatch, environment, seconds):
    for name in ("WATCHDOG_USEC", "WATCHDOG_PID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert notify.watchdog_s() == seconds


def test_ready_alive_and_stopping_are_told_in_this_order(systemd, monkeypatch, page):
    monkeypatch.setenv("WATCHDOG_USEC", "300000")
    with notify.told("http://table", lambda: None, "It plays."):
        assert page == ["http://table"]
        assert systemd.hear() == ["READY=1", "STATUS=It plays."]
        assert systemd.hear() == systemd.hear() == ["WATCHDOG=1"]
    heard = systemd.hear()
    while heard == ["WATCHDOG=1"]:
        heard = systemd.hear()
    assert heard[0] == "STOPPING=1"


def test_without_a_watchdog_nobody_asks_the_table(systemd, monkeypatch, page):
    monkeypatch.delenv("WATCHDOG_USEC", raising=False)
    asked: list[None] = []
    with notify.told("http://table", lambda: asked.append(None), "It plays."):
        pass
    assert not asked


def test_a_stopping_table_does_not_wait_for_one_that_is_stuck(systemd, monkeypatch, page):
    monkeypatch.setenv("WATCHDOG_USEC", "300000")
    never = threading.Event()
    with notify.told("http://table", never.wait, "It plays."):
        assert systemd.hear()[0] == "READY=1"
    assert systemd.hear()[0] == "STOPPING=1"
    never.set()


def test_a_service_with_a_stuck_table_is_not_said_to_be_alive(tmp_path, monkeypatch, systemd):
    """Its pages go on to answer: only the table's own thread is stuck."""
    monkeypatch.setenv("WATCHDOG_USEC", "300000")
    stuck, free = threading.Event(), threading.Event()
    take = Authority.take

    def taken(self, item):
        if stuck.is_set():
            free.wait(LIMIT_S)
        take(self, item)

    monkeypatch.setattr(Authority, "take", taken)
    settings = LiveSettings(Config(data=tmp_path / "data", port=0))
    with serving(settings, machine_clocks()) as lines:
        heard = systemd.hear()
        assert heard[0] == "READY=1"
        address = lines[0].removeprefix("Scoreboard: ")
        assert heard[1].startswith("STATUS=")
        assert heard[1].endswith(f"The pages are at {address}")
        assert systemd.hear() == systemd.hear() == ["WATCHDOG=1"]
        stuck.set()
        while not systemd.hears_nothing(0.6):
            pass
        with urllib.request.urlopen(address, timeout=LIMIT_S) as page:
            assert page.status == 200
        free.set()
        assert systemd.hear() == ["WATCHDOG=1"]
    heard = systemd.hear()
    while heard == ["WATCHDOG=1"]:
        heard = systemd.hear()
    assert heard[0] == "STOPPING=1"
