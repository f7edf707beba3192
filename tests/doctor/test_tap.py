"""One card on every reader: what is odd about each is told in one sentence, and what to do."""

from __future__ import annotations

import io
import json
import queue
import re
import time
from dataclasses import replace

import pytest

from companion.cli import main
from companion.data_folder import Hold, holder_of
from companion.doctor import tap as leading
from companion.doctor.tap import NoReaders, tap
from companion.doctor.taps import AGAIN_S, S, Taps, in_json, status
from companion.drivers import registry
from companion.drivers.api import (
    Attitude,
    DeviceBack,
    DeviceLost,
    Driver,
    DriverMissing,
    SeveralTags,
    TagOff,
    TagOn,
    TagUnreadable,
)
from companion.uid import UidError, parse
from hardware_sim.vicc import VirtualCard
from tests.support.pcscd import pcscd  # noqa: F401 - a fixture

SEVEN, FOUR = "04A3C6CAE26180", "ED0BA996"
REVERSED = "8061E2CAC6A304"


class Hand:
    """Lays a card on readers, in a time of its own."""

    def __init__(self, hold_s=3.0):
        self.taps = Taps(hold_s)
        self.now_ns = 0

    def wait(self, seconds):
        self.now_ns += round(seconds * S)

    def hear(self, reading):
        self.taps.heard(reading, self.now_ns)

    def answers(self, *readers):
        for reader in readers:
            self.hear(DeviceBack(reader, "A reader", self.now_ns))

    def on(self, reader, text, late_s=0.0):
        """As a driver tells it: canonical, or with the reason why it is no UID."""
        at_ns = self.now_ns - round(late_s * S)
        try:
            self.hear(TagOn(reader, parse(text), at_ns))
        except UidError as error:
            self.hear(TagUnreadable(reader, str(error), at_ns))

    def off(self, reader, text):
        self.hear(TagOff(reader, text, self.now_ns))

    def lay(self, reader, text):
        """For long enough."""
        self.on(reader, text)
        self.wait(3.1)
        assert reader in self.taps.look(self.now_ns)
        self.off(reader, text)
        self.wait(2)

    def codes(self):
        return {verdict.reader: verdict.code for verdict in self.taps.verdicts()}

    def said(self, reader):
        (verdict,) = (each for each in self.taps.verdicts() if each.reader == reader)
        return verdict


@pytest.fixture
def hand():
    hand = Hand()
    hand.answers("pcsc-1", "pcsc-2", "line-1/a")
    return hand


def test_sound_readers_have_nothing_odd(hand):
    for reader in hand.taps.readers:
        assert reader in hand.taps.missing
        hand.lay(reader, SEVEN)
        assert reader not in hand.taps.missing
    assert set(hand.codes().values()) == {"sound"}
    assert status(hand.taps.verdicts()) == 0
    assert all(verdict.uid_end == "80" for verdict in hand.taps.verdicts())


@pytest.mark.parametrize(
    ("uid", "text", "code", "do"),
    [
        (SEVEN, REVERSED, "reversed", "the order in which the tag sends"),
        (SEVEN, "8804A3C6", "cut", "SAK"),
        (SEVEN, "04A3C6CA", "cut", "SAK"),
        (FOUR, "EDBA996", "dropped-zero", "two digits a byte"),
        (FOUR, str(int(FOUR, 16)), "decimal", "hexadecimal"),
        (FOUR, "12F45669", "inverted", "inversion"),
        (FOUR, "82ACB95D", "other", "one and the same card"),
    ],
)
def test_each_odd_spelling_is_told_by_its_name(hand, uid, text, code, do):
    hand.lay("pcsc-1", uid)
    hand.lay("pcsc-2", uid)
    hand.lay("line-1/a", text)
    assert hand.codes() == {"pcsc-1": "sound", "pcsc-2": "sound", "line-1/a": code}
    assert do in hand.said("line-1/a").fix
    assert uid not in json.dumps(in_json(hand.taps.verdicts()))
    assert text not in json.dumps(in_json(hand.taps.verdicts()))


def test_a_check_byte_that_our_driver_cuts_is_not_odd(hand):
    hand.lay("pcsc-1", "8B6566B9")
    hand.lay("line-1/a", "8B6566B931")
    assert hand.codes()["line-1/a"] == "sound"


def test_of_two_that_differ_our_own_driver_is_believed(hand):
    hand.lay("line-1/a", "96A90BED")
    hand.lay("pcsc-1", FOUR)
    assert hand.codes() == {"pcsc-1": "sound", "pcsc-2": "silent", "line-1/a": "reversed"}


def test_of_two_the_one_that_looks_like_a_makers_uid_is_believed():
    hand = Hand()
    hand.answers("line-1/a", "line-1/b")
    hand.lay("line-1/a", REVERSED)
    hand.lay("line-1/b", SEVEN)
    assert hand.codes() == {"line-1/a": "reversed", "line-1/b": "sound"}


def test_what_cannot_be_spelt_at_all_is_told_with_the_drivers_reason(hand):
    hand.lay("pcsc-1", SEVEN)
    hand.on("line-1/a", "zz")
    hand.wait(3.1)
    hand.taps.look(hand.now_ns)
    verdict = hand.said("line-1/a")
    assert (verdict.code, verdict.severity) == ("unreadable", "bad")
    assert "not hexadecimal" in verdict.cause


def test_a_card_that_is_lost_while_it_lies_there_trembles(hand):
    hand.on("pcsc-1", SEVEN)
    for _ in range(3):
        hand.wait(0.4)
        hand.off("pcsc-1", SEVEN)
        hand.wait(0.3)
        hand.on("pcsc-1", SEVEN)
    hand.wait(1.5)
    assert hand.taps.look(hand.now_ns) == ("pcsc-1",)
    verdict = hand.said("pcsc-1")
    assert (verdict.code, verdict.misses) == ("trembles", 3)
    assert "3 times" in verdict.cause


def test_who_lifts_the_card_and_lays_it_again_is_not_blamed_on_the_reader(hand):
    hand.on("pcsc-1", SEVEN)
    hand.wait(0.5)
    hand.off("pcsc-1", SEVEN)
    hand.wait(AGAIN_S + 0.1)
    hand.on("pcsc-1", SEVEN)
    hand.wait(3.1)
    hand.taps.look(hand.now_ns)
    assert hand.codes()["pcsc-1"] == "sound"


def test_a_short_tap_is_enough_once_the_card_is_gone(hand):
    hand.on("pcsc-1", SEVEN)
    hand.wait(0.5)
    hand.off("pcsc-1", SEVEN)
    assert hand.taps.look(hand.now_ns) == ()
    hand.wait(AGAIN_S)
    assert hand.taps.look(hand.now_ns) == ("pcsc-1",)


def test_a_reader_that_tells_late_is_slow(hand):
    hand.on("pcsc-1", SEVEN, late_s=0.8)
    hand.wait(3.1)
    hand.taps.look(hand.now_ns)
    assert hand.said("pcsc-1").code == "slow"
    assert hand.said("pcsc-1").latency_ms == 800


def test_two_readers_that_see_one_card_are_too_near(hand):
    hand.on("pcsc-1", SEVEN)
    hand.on("pcsc-2", SEVEN)
    hand.wait(3.1)
    hand.taps.look(hand.now_ns)
    assert hand.codes()["pcsc-2"] == "neighbour"
    assert "pcsc-1" in hand.said("pcsc-2").cause


def test_two_cards_and_an_unsteady_reader_are_told(hand):
    hand.hear(SeveralTags("pcsc-1", 0))
    hand.on("pcsc-2", SEVEN)
    hand.wait(0.5)
    hand.on("pcsc-2", "04A3C6CAE26181")
    hand.wait(3.1)
    hand.taps.look(hand.now_ns)
    assert hand.codes() == {"pcsc-1": "several", "pcsc-2": "unsteady", "line-1/a": "silent"}


def test_a_passport_is_no_reason_to_blame_a_reader(hand):
    hand.lay("pcsc-1", "08112233")
    hand.lay("pcsc-2", "08AABBCC")
    assert "random" in hand.codes().values()
    assert "bad" not in {
        verdict.severity for verdict in hand.taps.verdicts() if verdict.code != "silent"
    }


def test_a_reader_that_goes_away_is_lost_and_one_that_saw_nothing_silent(hand):
    hand.hear(DeviceLost("pcsc-1", "It was pulled out: plug it in.", 0))
    assert hand.codes() == {"pcsc-1": "lost", "pcsc-2": "silent", "line-1/a": "silent"}
    said = hand.said("pcsc-1")
    assert said.cause == "does not answer (It was pulled out)."
    assert said.fix == "Plug it in.", "what its driver knows, and nothing about cables"
    assert hand.taps.missing == ("pcsc-2", "line-1/a")
    assert status(hand.taps.verdicts()) == 1
    assert status(()) == 1


def test_the_ship_is_no_place_for_a_card(hand):
    hand.answers("bridge-1/ship")
    hand.hear(Attitude("bridge-1/ship", 0, 0, 1000, 0))
    assert "bridge-1/ship" not in hand.codes()


def test_every_sentence_is_whole(hand):
    hand.lay("pcsc-1", SEVEN)
    hand.lay("pcsc-2", REVERSED)
    for verdict in hand.taps.verdicts():
        assert re.fullmatch(r"\S+: .+\.", verdict.line())
        assert ".." not in verdict.line()


# --- a person at the terminal -----------------------------------------------------------


class Scripted(Driver):
    """A reader on which a script of readings comes once somebody asks for a card."""

    def __init__(self, *readings, missing=""):
        self.readings = readings
        self.missing = missing
        self.closed = False

    def open(self, report, clock):
        if self.missing:
            raise DriverMissing(self.missing)
        self.report, self.clock = report, clock
        for reading in self.readings:
            if isinstance(reading, DeviceBack | DeviceLost):
                report(reading)

    def lay(self):
        """At that moment, however long it took to come there."""
        for reading in self.readings:
            if not isinstance(reading, DeviceBack | DeviceLost):
                self.report(replace(reading, at_ns=self.clock()))

    def close(self):
        self.closed = True


class Terminal(io.StringIO):
    """Does something when it is asked for a card."""

    def __init__(self, *does):
        super().__init__()
        self.does = list(does)

    def write(self, text):
        if "Take one card" in text:
            for each in self.does:
                each()
        return super().write(text)


def led(drivers, does=(), lines=(), **more):
    out = Terminal(*does)
    more = {"hold_s": 0.05, "limit_s": 0.4, "gather_s": 0.05, **more}
    verdicts = tap(drivers, time.monotonic_ns, lines, out, **more)
    return {verdict.reader: verdict.code for verdict in verdicts}, out.getvalue()


def test_a_person_is_led_from_reader_to_reader():
    one = Scripted(DeviceBack("pcsc-1", "One", 0), TagOn("pcsc-1", SEVEN, 0))
    two = Scripted(DeviceBack("pn532-1", "Two", 0), TagOn("pn532-1", REVERSED, 0))
    codes, said = led([("pcsc:", one), ("pn532:x", two)], [one.lay, two.lay], limit_s=60)
    assert codes == {"pcsc-1": "sound", "pn532-1": "reversed"}
    assert "pcsc-1, pn532-1" in said
    assert "a card that ends with 80" in said
    assert "Next: nothing more" in said
    assert one.closed
    assert two.closed


def test_enter_ends_it():
    one = Scripted(DeviceBack("pcsc-1", "One", 0))
    typed = queue.SimpleQueue()
    codes, _ = led([("pcsc:", one)], [lambda: typed.put("")], iter(typed.get, None), limit_s=60)
    typed.put(None)
    assert codes == {"pcsc-1": "silent"}


def test_nobody_at_the_table_ends_it_too():
    one = Scripted(DeviceBack("pcsc-1", "One", 0))
    codes, _ = led([("pcsc:", one)])
    assert codes == {"pcsc-1": "silent"}


def test_a_missing_library_is_one_reader_that_is_lost():
    one = Scripted(missing="pyscard is missing: install it.")
    two = Scripted(DeviceBack("pn532-1", "Two", 0), TagOn("pn532-1", SEVEN, 0))
    codes, said = led([("pcsc:", one), ("pn532:x", two)], [two.lay], limit_s=60)
    assert codes == {"pcsc:": "lost", "pn532-1": "sound"}
    assert "pyscard is missing" in said


def test_nobody_is_asked_to_lay_a_card_on_a_plain_board_that_is_not_there():
    board = Scripted(DeviceLost("line-1", "Nothing is plugged in: plug the board in.", 0))
    codes, said = led([("line:x", board)], limit_s=60)
    assert codes == {"line-1": "lost"}
    assert "Take one card" not in said
    gone = Scripted(missing="pyserial is missing: install it.")
    codes, said = led([("line:x", board), ("line:y", gone)], limit_s=60)
    assert codes == {"line-1": "lost", "line:y": "lost"}


def test_a_plain_board_goes_on_until_nobody_lays_a_card_any_more():
    board = Scripted(
        TagOn("line-1/a", SEVEN, 0),
        TagOff("line-1/a", SEVEN, 0),
        TagOn("line-1/b", SEVEN, 0),
    )
    codes, said = led([("line:/dev/x", board)], [board.lay])
    assert codes == {"line-1/a": "sound", "line-1/b": "sound"}
    assert "each place of the plain board" in said


def test_without_readers_it_refuses():
    with pytest.raises(NoReaders, match="--reader pcsc:"):
        led([])


# --- the command ------------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(
        leading.tap,
        "__kwdefaults__",
        {**leading.tap.__kwdefaults__, "hold_s": 0.05, "limit_s": 0.3, "gather_s": 0.05},
    )


def test_the_command_answers_for_programs(tmp_path, monkeypatch, capsys, impatient):
    one = Scripted(DeviceBack("pcsc-1", "One", 0), TagOn("pcsc-1", SEVEN, 0))
    monkeypatch.setattr(registry, "make", lambda name: one)

    def lines():
        one.lay()
        yield from ()

    monkeypatch.setattr("companion.check_board.typed_lines", lines)
    words = ["doctor", "--tap", "--json", "--data", str(tmp_path), "--reader", "pcsc:"]
    assert main(words) == 0
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert [reader["code"] for reader in told["readers"]] == ["sound"]
    assert "Take one card" in said.err
    assert SEVEN not in said.out + said.err


def test_the_command_refuses_while_the_service_holds_the_readers(tmp_path, capsys):
    assert holder_of(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
    with Hold(tmp_path):
        assert main(["doctor", "--tap", "--data", str(tmp_path), "--reader", "pcsc:"]) == 2
    assert "systemctl stop tidetable" in capsys.readouterr().err
    assert holder_of(tmp_path) is None


def test_a_virtual_table_has_no_reader_for_a_card(tmp_path, capsys):
    assert main(["doctor", "--tap", "--data", str(tmp_path)]) == 2
    assert "No reader is named" in capsys.readouterr().err


@pytest.mark.needs("pcscd")
def test_on_the_real_smart_card_service_a_sound_reader_is_sound(pcscd):  # noqa: F811
    daemon = pcscd()
    slot = daemon.readers[0]
    cards = []

    def lay():
        cards.append(VirtualCard(SEVEN, port=slot.port).__enter__())

    driver = registry.make("pcsc:00 00")
    codes, said = led([("pcsc:00 00", driver)], [lay], hold_s=0.6, limit_s=20, gather_s=1.0)
    for card in cards:
        card.__exit__(None, None, None)
    assert codes == {"pcsc-1": "sound"}, said
