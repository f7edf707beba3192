"""One card on every reader of a table that runs: compared by the service, and not played."""

from __future__ import annotations

import io
import json

import pytest

from companion.cli import main
from companion.data_folder import Hold
from companion.doctor import running
from companion.doctor.running import NotAsked, Running
from companion.doctor.tap import NoReaders
from companion.doctor.tap_service import tap_by_service
from companion.drivers import registry
from companion.drivers.api import DeviceBack, Driver, SeveralTags, TagOff, TagOn, TagUnreadable
from companion.tap_watch import LEASE_S, TapWatch
from tests.support.service import TOKEN
from tests.support.whole import whole
from web_ui.openapi import described

SEVEN, REVERSED = "04A3C6CAE26180", "8061E2CAC6A304"
S = 1_000_000_000
BEARER = {"Authorization": f"Bearer {TOKEN}"}


class Clock:
    now_ns = 0

    def __call__(self):
        return self.now_ns


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def watch(clock):
    return TapWatch(clock, lambda: [DeviceBack("pcsc-1", "One", 0), DeviceBack("pcsc-2", "Two", 0)])


def test_the_table_hears_all_until_somebody_compares(watch):
    assert not watch.takes(TagOn("pcsc-1", SEVEN, 0))
    assert not watch.takes(TagOff("pcsc-1", SEVEN, 0))
    assert watch.now()["running"] is False


def test_what_readers_read_is_for_the_comparison_alone(watch, clock):
    watch.begin()
    assert watch.now()["missing"] == ["pcsc-1", "pcsc-2"]
    assert watch.takes(TagOn("pcsc-1", SEVEN, 0))
    assert watch.now()["lying"] == {"pcsc-1": "80"}
    assert watch.takes(SeveralTags("pcsc-2", 0))
    assert watch.takes(TagUnreadable("pcsc-2", "no", 0))
    assert not watch.takes(DeviceBack("pcsc-2", "Two", 0))
    clock.now_ns += round(3.1 * S)
    assert watch.now()["missing"] == []
    assert watch.takes(TagOff("pcsc-1", SEVEN, 0))


def test_who_asks_no_more_has_gone_and_the_game_goes_on(watch, clock):
    watch.begin()
    for _ in range(3):
        clock.now_ns += round((LEASE_S - 1) * S)
        assert watch.now()["running"] is True
    assert watch.takes(TagOn("pcsc-1", SEVEN, 0))
    clock.now_ns += round((LEASE_S + 1) * S)
    assert watch.now()["running"] is False
    assert watch.takes(TagOff("pcsc-1", SEVEN, 0)), "the table did not hear that it came"
    assert not watch.takes(TagOn("pcsc-1", SEVEN, 0))


def test_a_tag_that_lay_there_before_is_seen_to_leave(watch):
    assert not watch.takes(TagOn("pcsc-1", SEVEN, 0))
    watch.begin()
    assert not watch.takes(TagOff("pcsc-1", SEVEN, 0))


# --- the whole service ------------------------------------------------------------------


class ByHand(Driver):
    """Two readers that the test taps on."""

    def open(self, report, clock):
        self.report, self.clock = report, clock
        for reader in ("pcsc-1", "pcsc-2"):
            report(DeviceBack(reader, "Reader by hand", clock()))

    def close(self):
        pass

    def lay(self, reader, uid):
        self.report(TagOn(reader, uid, self.clock()))

    def lift(self, reader, uid):
        self.report(TagOff(reader, uid, self.clock()))


@pytest.fixture
def table(tmp_path, monkeypatch):
    driver = ByHand()
    monkeypatch.setattr(registry, "make", lambda name: driver)
    monkeypatch.setattr("companion.tap_watch.HOLD_S", 0.05)
    monkeypatch.setattr(TapWatch.__init__, "__defaults__", (tuple, 0.05))
    with whole(tmp_path, monkeypatch, readers=("pcsc:",)) as its:
        its.driver = driver
        its.service = Running(its.url, TOKEN)
        yield its


class Terminal(io.StringIO):
    """Lays the card where the terminal asks for it."""

    def __init__(self, driver, spelt):
        super().__init__()
        self.driver, self.spelt = driver, dict(spelt)

    def write(self, text):
        found = next((reader for reader in self.spelt if f"  {reader}" in text), None)
        if "Next: " in text or found:
            reader = next(iter(self.spelt), None)
            if reader and "Leave it" not in text:
                uid = self.spelt.pop(reader)
                self.driver.lay(reader, uid)
        return super().write(text)


def test_the_readers_of_a_running_table_are_compared_and_nothing_is_played(table):
    before = table.parts.table.snapshot
    out = Terminal(table.driver, {"pcsc-1": SEVEN, "pcsc-2": REVERSED})
    verdicts = tap_by_service(table.service, (), out, limit_s=20, look_s=0.02)
    assert {each.reader: each.code for each in verdicts} == {
        "pcsc-1": "sound",
        "pcsc-2": "reversed",
    }
    table.parts.table.settle()
    assert table.parts.table.snapshot.event.number == before.event.number
    table.driver.lift("pcsc-1", SEVEN)
    table.driver.lay("pcsc-1", SEVEN)
    table.parts.table.settle()
    assert table.parts.table.snapshot.event.code == "unknown-tag"
    said = out.getvalue() + json.dumps(table.service.value("/api/v1/taps"))
    assert SEVEN not in said
    assert REVERSED not in said


def test_enter_and_time_end_it(table):
    out = io.StringIO()
    verdicts = tap_by_service(table.service, iter(["\n"]), out, look_s=0.5)
    assert [each.code for each in verdicts] == ["silent", "silent"]
    verdicts = tap_by_service(table.service, (), out, limit_s=0.05, look_s=0.02)
    assert [each.code for each in verdicts] == ["silent", "silent"]
    assert table.service.value("/api/v1/taps")["running"] is False


def test_a_service_without_hardware_is_refused(tmp_path, monkeypatch):
    with whole(tmp_path, monkeypatch) as its:
        service = Running(its.url, TOKEN)
        with pytest.raises(NoReaders, match="no reader that answers"):
            tap_by_service(service, (), io.StringIO())
        assert service.value("/api/v1/taps")["running"] is False  # it plays on at once


def test_a_wrong_token_is_told(table):
    with pytest.raises(NotAsked, match="answers 401"):
        Running(table.url, "wrong").value("/api/v1/taps")


def test_helpers_alone_compare(table):
    for method in ("get", "post", "delete"):
        assert getattr(table.client(), method)("/api/v1/taps").status_code == 401
    helper = table.helper()
    foreign = {"Origin": "http://evil.example"}
    assert helper.post("/api/v1/taps", headers=foreign).status_code == 403
    assert helper.post("/api/v1/taps").json["running"] is True
    assert helper.delete("/api/v1/taps").json["running"] is False
    assert "/api/v1/taps" in described("cookie")["paths"]


def test_the_command_asks_the_service_that_runs(table, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(running, "address_of", lambda system: table.url)
    monkeypatch.setattr("companion.check_board.typed_lines", lambda: iter(["\n"]))
    monkeypatch.setattr(running, "known_of", lambda system: type("Known", (), {"token": TOKEN})())
    assert main(["doctor", "--tap", "--json", "--data", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert [each["code"] for each in json.loads(said.out)["readers"]] == ["silent", "silent"]
    assert "plays nothing" in said.err


def test_a_folder_that_is_held_by_what_cannot_be_asked_is_refused(tmp_path, capsys):
    with Hold(tmp_path):
        assert main(["doctor", "--tap", "--data", str(tmp_path), "--reader", "pcsc:"]) == 2
    assert "systemctl stop tidetable" in capsys.readouterr().err
