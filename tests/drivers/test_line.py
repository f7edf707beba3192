"""The plain line protocol: the board alone, and the driver over a pseudo terminal."""

import os
import time

import pytest

from companion.drivers import registry
from companion.drivers.api import DeviceBack, DeviceLost, TagOff, TagOn, TagUnreadable
from companion.drivers.line import LONGEST_LINE, SETTLE_NS, SILENCE_NS, LineBoard, LineDriver
from tests.support.board_end import Pty

A = "04A3C6CAE26180"
B = "04744822A61490"
SECOND = 1_000_000_000
LATER = 10 * SECOND  # after what lay there has been told
ONE = "line-1/1"


class Heard:
    """A board whose port was opened at zero."""

    def __init__(self):
        self.board = LineBoard("line-1", "/dev/x")
        self.board.opened(0)
        assert self.at(0) == [DeviceBack("line-1", "board at /dev/x", 0)]

    def at(self, at_ns, data=b""):
        return list(self.board.heard(data, at_ns))

    def tags(self, data, at_ns=LATER):
        readings = self.at(at_ns, data)
        return [reading for reading in readings if not isinstance(reading, DeviceBack)]


@pytest.fixture
def heard():
    return Heard()


def on(uid=A, reader=ONE, at_ns=LATER, **options):
    return TagOn(reader, uid, at_ns, **options)


def off(uid=A, reader=ONE, at_ns=LATER):
    return TagOff(reader, uid, at_ns)


@pytest.mark.parametrize(
    "line",
    [
        b"1 04A3C6CAE26180 on\n",
        b"1 04a3c6cae26180 ON\r\n",
        b"\t1 \t 04:a3:c6:ca:e2:61:80\tOn  \r",
        b"  1 04 A3 C6 CA E2 61 80 on # the first place\n",
        b"1 0x04A3C6CAE26180 on\n",
        b"# hello\n\n\r\n1 04A3C6CAE26180 on\n",
    ],
)
def test_a_line_in_any_dress_is_a_tag(heard, line):
    assert heard.at(LATER, line) == [DeviceBack(ONE, "board at /dev/x", LATER), on()]


@pytest.mark.parametrize("split", range(1, 27))
def test_a_line_may_come_in_pieces(heard, split):
    line = b"1 04A3C6CAE26180 on\r\n1 off\n"
    found = heard.tags(line[:split]) + heard.tags(line[split:])
    assert found == [on(), off()]


def test_tags_come_and_go_at_their_places(heard):
    lines = f"1 {A} on\nleft {B} on\n1 {A} off\nLEFT off\n".encode()
    left = "line-1/left"
    assert heard.tags(lines) == [on(), on(B, left), off(), off(B, left)]


def test_a_board_that_tells_at_every_look_tells_once(heard):
    assert heard.tags(f"1 {A} on\n1 {A} on\n1 {B} on\n1 {A} off\n".encode()) == [
        on(),
        off(),
        on(B),
    ]


def test_four_bytes_with_their_check_byte_are_four_bytes(heard):
    assert heard.tags(b"1 8B6566B931 on\n") == [on("8B6566B9")]


@pytest.mark.parametrize(
    ("uid", "words"),
    [
        (b"8804A3C6", "cuts 7-byte UIDs"),
        (b"4A3C6CAE26180", "leading zero"),
        (b"4 A3 C6 CA", "two digits"),
        (b"04A3", "4, 7 or 10 bytes"),
        (b"hello", "not hexadecimal"),
    ],
)
def test_a_spoilt_uid_is_refused_with_a_sentence(heard, uid, words):
    (reading,) = heard.tags(b"1 " + uid + b" on\n")
    assert isinstance(reading, TagUnreadable)
    assert words in reading.reason
    assert heard.tags(b"1 " + uid + b" off\n") == []


def test_odd_lines_are_told_once_and_skipped(heard, caplog):
    odd = [b"ready", b"1 on", b"on", b"1 04A3C6CAE26180", b"\xff\xfe\x00", b"x" * 500, b"1 2 3"]
    assert heard.tags(b"\n".join([*odd, b""])) == []
    assert heard.tags(f"1 {A} on\n".encode()) == [on()]
    assert [record.getMessage() for record in caplog.records if "'ready'" in record.getMessage()]
    assert len(caplog.records) == 1


def test_a_line_without_end_costs_nothing_but_itself(heard):
    for _ in range(50):
        assert heard.tags(b"1 04A3C6CAE26180 on " * 10) == []
    assert len(heard.board._held) <= LONGEST_LINE
    assert heard.tags(f"1 {A} on\n1 {B} on\n".encode()) == [on(B)]


def test_noise_makes_no_end_of_places(heard):
    for number in range(100):
        heard.tags(f"p{number} off\n".encode())
    assert len(heard.board._readers) < 40


def test_what_lies_there_at_the_start_is_told_so(heard):
    early = SETTLE_NS - 1
    assert heard.tags(f"1 {A} on\n".encode(), early) == [on(at_ns=early, lay_there=True)]


def test_a_lost_port_keeps_what_lay_there_until_the_board_has_looked(heard):
    heard.tags(f"1 {A} on\n2 {B} on\n".encode())
    lost = [DeviceLost(reader, "Gone.", LATER) for reader in ("line-1", ONE, "line-1/2")]
    assert list(heard.board.lost("Gone.", LATER)) == lost
    assert list(heard.board.lost("Still gone.", LATER)) == []
    back_ns = 2 * LATER
    heard.board.opened(back_ns)
    assert [reading.reader for reading in heard.at(back_ns)] == ["line-1", ONE, "line-1/2"]
    assert heard.tags(f"1 {A} on\n".encode(), back_ns + SECOND) == []
    settled_ns = back_ns + SETTLE_NS
    assert heard.tags(b"", settled_ns - 1) == []
    assert heard.tags(b"", settled_ns) == [off(B, "line-1/2", settled_ns)]


def test_only_a_board_that_says_alive_can_fall_silent(heard):
    assert heard.at(LATER * 100) == []
    said_ns = LATER * 100 + SECOND
    assert heard.at(said_ns, b"alive\n") == []
    assert heard.at(said_ns + SILENCE_NS - 1) == []
    (lost,) = heard.at(said_ns + SILENCE_NS)
    assert "fallen silent" in lost.reason
    assert heard.at(said_ns + SILENCE_NS + SECOND) == []
    again_ns = said_ns + SILENCE_NS + 2 * SECOND
    assert heard.at(again_ns, b"alive\n") == [DeviceBack("line-1", "board at /dev/x", again_ns)]


def test_the_driver_over_a_port_that_is_pulled(tmp_path, readings):
    port = Pty(tmp_path / "board")
    hardware = f"board at {tmp_path}/board"
    driver = LineDriver(f"{tmp_path}/board?baud=9600")
    driver.open(readings, time.monotonic_ns)
    try:
        readings.expect_back("line-1", hardware)
        port.write(b"1 04A3C6CAE26180 on\r\n")
        readings.expect_back(ONE, hardware)
        readings.expect_on(ONE, A)
        port.write(b"1 0474")
        port.close()
        readings.expect_lost("line-1", "broke off")
        readings.expect_lost(ONE, "broke off")
        port = Pty(tmp_path / "board")
        readings.expect_back("line-1", hardware)
        readings.expect_back(ONE, hardware)
        port.write(b"1 04744822A61490 on\n")
        readings.expect_off(ONE, A)
        readings.expect_on(ONE, B)
    finally:
        driver.close()
        port.close()


def test_the_registry_makes_it():
    driver = registry.make("line:/dev/ttyUSB0?baud=9600&number=3")
    assert isinstance(driver, LineDriver)
    assert (driver._name, driver._address.baud) == ("line-3", 9_600)
    assert os.fspath(driver._address.where) == "/dev/ttyUSB0"
