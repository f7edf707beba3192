"""Which readings follow from what a simulated PN532 says, in a time of our own."""

import random

import pytest

from companion.drivers import ports, registry
from companion.drivers.api import (
    DeviceBack,
    DeviceLost,
    DriverName,
    SeveralTags,
    TagOff,
    TagOn,
    TagUnreadable,
)
from companion.drivers.pn532 import Conversation, Pn532Driver, what_to_check
from firmware_bridge import pn532
from hardware_sim.pn532_chip import Pn532Chip
from hardware_sim.pn532_faults import NO_FAULTS, Faults
from hardware_sim.tags import make_tag

A, B = "04A3C6CAE26180", "82ACB95D"
READER, HARDWARE = "pn532-1", "PN532 1.6"
ADDRESS = ports.parse("pn532:", "/dev/ttyUSB0")
MS = 1_000_000
TURN_MS = 20
"""How often the thread of a port comes by when nothing is heard."""


class Table:
    """A chip on a line without a port, and what the driver makes of it."""

    def __init__(self, faults=NO_FAULTS, *uids, seed=1):
        self.chip = Pn532Chip(faults, random.Random(seed).random)
        self.talk = Conversation(READER, ADDRESS, 2)
        self.tags = {uid: make_tag(bytes.fromhex(uid)) for uid in (A, B)}
        self.now_ms = 1000
        self.plugged = True
        self.told = []
        self.put(*uids)
        self.talk.opened(self.now_ms * MS)

    def put(self, *uids):
        for uid in uids:
            self.chip.put(self.tags[uid])

    def take(self, *uids):
        for uid in uids:
            self.chip.take(self.tags[uid])

    def run(self, for_ms):
        """What is told, as plain words, and when each was told."""
        before = len(self.told)
        for _ in range(for_ms):
            self.now_ms += 1
            at_ns = self.now_ms * MS
            data = self.chip.output(self.now_ms) if self.plugged else b""
            if not data and self.now_ms % TURN_MS:
                continue
            self.told += self.talk.heard(data, at_ns)
            said = self.talk.to_say(at_ns)
            if self.plugged:
                self.chip.feed(said, self.now_ms)
        assert all(reading.reader == READER for reading in self.told)
        return [word(reading) for reading in self.told[before:]]


def word(reading):
    match reading:
        case TagOn(uid=uid, lay_there=lay_there):
            return f"lay there {uid}" if lay_there else f"on {uid}"
        case TagOff(uid=uid):
            return f"off {uid}"
        case SeveralTags():
            return "several"
        case DeviceBack(hardware=hardware):
            return f"back {hardware}"
        case DeviceLost():
            return "lost"
        case TagUnreadable():
            return "unreadable"


def test_a_tag_comes_and_goes():
    table = Table()
    assert table.run(3000) == [f"back {HARDWARE}"]
    for uid in (A, B, A):
        table.put(uid)
        began_ms = table.now_ms
        assert table.run(5000) == [f"on {uid}"]
        assert table.told[-1].at_ns <= (began_ms + 150) * MS
        table.take(uid)
        began_ms = table.now_ms
        assert table.run(5000) == [f"off {uid}"]
        assert table.told[-1].at_ns <= (began_ms + 1000) * MS


def test_a_tag_that_lay_there_is_told_as_such():
    assert Table(NO_FAULTS, A).run(1000) == [f"back {HARDWARE}", f"lay there {A}"]


def test_a_tag_that_comes_a_moment_later_did_not_lie_there():
    table = Table()
    table.run(400)
    table.put(A)
    assert table.run(1000) == [f"on {A}"]


def test_two_tags_are_told_once_and_the_one_that_is_left_counts():
    table = Table()
    table.run(1000)
    table.put(A, B)
    assert table.run(5000) == ["several"]
    table.take(B)
    assert table.run(3000) == [f"on {A}"]
    table.put(B)
    assert table.run(5000) == ["several"]
    table.take(A, B)
    assert table.run(3000) == [f"off {A}"]


def test_a_swap_between_two_looks():
    table = Table()
    table.put(A)
    table.run(3000)
    table.take(A)
    table.put(B)
    assert table.run(2000) == [f"off {A}", f"on {B}"]


def test_two_tags_in_turn_are_told_once():
    table = Table()
    table.run(1000)
    words = []
    for _ in range(25):
        table.put(A)
        words += table.run(100)
        table.take(A)
        table.put(B)
        words += table.run(100)
        table.take(B)
    assert words.count("several") == 1
    assert len(words) <= 2
    assert set(words) <= {"several", f"on {A}"}


FAULTS = {
    "nothing": NO_FAULTS,
    "drop": Faults(drop=1),
    "duplicate": Faults(duplicate=1),
    "garble": Faults(garble=1),
    "delay": Faults(delay=10),
    "long delay": Faults(delay=45),
    "half": Faults(half=10),
    "tail": Faults(tail=10),
    "garbage": Faults(garbage=30),
    "garbage always": Faults(garbage=100),
    "glue": Faults(glue=True),
    "first acknowledgement": Faults(no_first_ack=True),
    "misses": Faults(miss=30),
    "silent": Faults(silent=True),
    "brown-out": Faults(brown_out=40),
    "brown-out often": Faults(brown_out=9),
    "reboot": Faults(reboot=40),
    "deaf": Faults(deaf=10),
    "deaf at once": Faults(deaf=1),
    "all together": Faults(
        drop=0.2, duplicate=0.2, garble=0.2, half=1, tail=1, garbage=5, glue=True, miss=10,
        brown_out=200, deaf=50,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_whatever_is_wrong_a_tag_is_on_once_and_off_once(name):
    table = Table(FAULTS[name])
    assert table.run(5000) == [f"back {HARDWARE}"]
    table.put(A)
    assert table.run(60_000) == [f"on {A}"]
    table.take(A)
    assert table.run(10_000) == [f"off {A}"]
    table.put(B)
    assert table.run(2000) == [f"on {B}"]


@pytest.mark.parametrize("seed", range(2, 6))
def test_a_bad_line_never_invents_a_tag(seed):
    table = Table(Faults(drop=2, garble=2, duplicate=1), A, seed=seed)
    words = table.run(120_000)
    assert {each for each in words if each.split()[0] in ("on", "lay", "off", "several")} <= {
        f"on {A}",
        f"lay there {A}",
    }


@pytest.mark.parametrize("moment_ms", range(0, 100, 3))
def test_a_brown_out_at_any_moment_takes_no_tag_away(moment_ms):
    table = Table(NO_FAULTS, A)
    table.run(2000 + moment_ms)
    table.chip.brown_out()
    assert table.run(3000) == []
    table.chip.reboot()
    assert table.run(3000) == []
    table.take(A)
    assert table.run(2000) == [f"off {A}"]


def test_a_chip_that_is_lost_and_comes_back_with_the_tag_on_it():
    table = Table(NO_FAULTS, A)
    table.run(2000)
    table.plugged = False
    table.chip.brown_out()
    assert table.run(60_000) == ["lost"]
    table.plugged = True
    assert table.run(3000) == [f"back {HARDWARE}"]
    table.take(A)
    assert table.run(2000) == [f"off {A}"]


def test_a_chip_that_comes_back_with_another_tag_on_it():
    table = Table(NO_FAULTS, A)
    table.run(2000)
    table.plugged = False
    table.chip.brown_out()
    table.run(10_000)
    table.take(A)
    table.put(B)
    table.plugged = True
    assert table.run(3000) == [f"back {HARDWARE}", f"off {A}", f"lay there {B}"]


def test_a_chip_that_comes_back_empty():
    table = Table(NO_FAULTS, A)
    table.run(2000)
    table.plugged = False
    table.run(10_000)
    table.take(A)
    table.plugged = True
    assert table.run(5000) == [f"back {HARDWARE}", f"off {A}"]


def test_a_port_that_is_lost_is_told_once_and_the_chip_met_anew():
    table = Table(NO_FAULTS, A)
    table.run(2000)
    assert [word(each) for each in table.talk.lost("Pulled.", 0)] == ["lost"]
    assert list(table.talk.lost("Pulled.", 0)) == []
    table.chip.brown_out()
    table.talk.opened(table.now_ms * MS)
    assert table.run(3000) == [f"back {HARDWARE}"]


def test_a_port_that_is_opened_anew_is_no_news():
    table = Table(NO_FAULTS, A)
    table.run(2000)
    table.talk.opened(table.now_ms * MS)
    assert table.run(3000) == []


def test_a_chip_that_never_answered_is_lost_within_two_seconds():
    table = Table()
    table.plugged = False
    assert table.run(2000) == ["lost"]
    assert "TX" in table.told[0].reason


def test_an_unreadable_tag_is_told_once_after_some_looks():
    talk = Conversation(READER, ADDRESS, 2)
    bad = pn532.frame(bytes.fromhex("D54B 01 01 0044 04 04 8804A3C6"))
    words = []
    for at_ms in range(0, 4000, 10):
        said = talk.to_say(at_ms * MS)
        answer = b""
        if b"\xd4" in said:
            code = said[said.index(b"\xd4") + 1]
            data = {0x14: "D515", 0x02: "D50332010607", 0x32: "D533", 0x52: "D55300"}.get(code)
            answer = pn532.ACK + (pn532.frame(bytes.fromhex(data)) if data else bad)
        words += [word(each) for each in talk.heard(answer, at_ms * MS)]
    assert words == [f"back {HARDWARE}", "unreadable"]


# --- what to check, and names --------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (pn532.SILENT, ["power", "UART", "TX", "RX", "login shell", "/dev/ttyUSB0"]),
        (pn532.GARBLED, ["UART", "no other program has the port", "login shell", "/dev/ttyUSB0"]),
        (pn532.STOPPED, ["power", "wires", "/dev/ttyUSB0"]),
        (pn532.ECHO, ["joined", "login shell", "/dev/ttyUSB0"]),
    ],
)
def test_a_lost_chip_says_what_to_check(reason, words):
    sentence = what_to_check(reason, ADDRESS)
    assert sentence.endswith(".")
    for each in words:
        assert each in sentence


def test_a_port_of_the_pi_that_is_switched_off_says_how_to_switch_it_on():
    talk = Conversation(READER, ports.parse("pn532:", "/dev/ttyAMA77"), 2)
    (lost,) = talk.lost("Nothing is plugged in at /dev/ttyAMA77: plug the board in.", 0)
    assert "raspi-config" in lost.reason


@pytest.mark.parametrize(
    ("name", "where", "baud", "targets", "reader"),
    [
        ("/dev/serial0", "/dev/serial0", 115_200, 2, "pn532-1"),
        ("/dev/serial0?targets=1", "/dev/serial0", 115_200, 1, "pn532-1"),
        ("/dev/serial0?number=2", "/dev/serial0", 115_200, 2, "pn532-2"),
        ("/dev/serial0?number=2&targets=1", "/dev/serial0", 115_200, 1, "pn532-2"),
        ("/dev/serial0?targets=1&baud=9600&number=3", "/dev/serial0", 9600, 1, "pn532-3"),
        ("socket://10.0.0.2:5555?targets=1", "socket://10.0.0.2:5555", 115_200, 1, "pn532-1"),
        ("spy:///dev/x?all&targets=1&color", "spy:///dev/x?all&color", 115_200, 1, "pn532-1"),
        ("spy:///dev/x?targets=1&all", "spy:///dev/x?all", 115_200, 1, "pn532-1"),
    ],
)
def test_a_name_is_read(name, where, baud, targets, reader):
    driver = registry.make(f"pn532:{name}")
    assert isinstance(driver, Pn532Driver)
    assert (driver._address.where, driver._address.baud) == (where, baud)
    assert (driver._targets, driver._name) == (targets, reader)


@pytest.mark.parametrize(
    "name",
    ["", "?targets=1", "/dev/serial0?targets=3", "/dev/serial0?targets=0", "/dev/x?targets=two",
     "/dev/x?targets=", "/dev/x?number=0", "/dev/x?number=100", "/dev/x?number=²"],
)  # fmt: skip
def test_a_name_is_refused(name):
    with pytest.raises(DriverName, match=r"pn532:"):
        registry.make(f"pn532:{name}")
