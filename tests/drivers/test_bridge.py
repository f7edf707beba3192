"""The bridge driver with pyserial, against a board on a pseudo terminal or a socket."""

import itertools
import queue
import sys
import threading
import time

import pytest

from companion.drivers import registry
from companion.drivers.api import (
    Attitude,
    ButtonPressed,
    DriverError,
    DriverMissing,
    DriverName,
    Settling,
    SeveralTags,
    Signalling,
    TagOn,
)
from companion.drivers.bridge import BridgeDriver
from firmware_bridge import messages as m
from firmware_bridge.frames import frame
from tests.support.board_end import BoardEnd, Pty, Served, board_ms
from tests.support.readings import Readings

A = "04A3C6CAE26180"
B = "04744822A61490"
FOUR = "82ACB95D"
P0, P1, SHIP = "bridge-1/0", "bridge-1/1", "bridge-1/ship"
HARDWARE = "Pico W 1.0: PN532 v1.6"


@pytest.fixture
def board():
    board = BoardEnd()
    yield board
    board.stop()


@pytest.fixture
def port(tmp_path):
    return tmp_path / "board"


@pytest.fixture
def host(readings):
    """Opens the driver at a port or URL, and closes what was not closed."""
    drivers = []

    def host(where, report=readings, settle=None):
        driver = BridgeDriver(str(where))
        if settle is not None:
            driver.settle_with(settle)
        driver.open(report, time.monotonic_ns)
        drivers.append(driver)
        return driver

    yield host
    for driver in drivers:
        driver.close()


def test_a_tag_comes_and_goes(board, port, host, readings):
    board.plug(Pty(port))
    host(port)
    readings.expect_back(P0, HARDWARE)
    before_ns = time.monotonic_ns()
    board.tag_on(0, A)
    reading = readings.next()
    assert (reading.reader, reading.uid, reading.lay_there) == (P0, A, False)
    assert before_ns - 2_000_000 <= reading.at_ns <= time.monotonic_ns()
    board.tag_off(0, A)
    readings.expect_off(P0, A)
    board.tag_on(0, FOUR, lay_there=True)
    readings.expect_on(P0, FOUR, lay_there=True)


def test_everything_a_board_can_sense(port, host, readings):
    board = BoardEnd(capabilities=m.HAS_SHIP, places=("PN532", ""))
    try:
        board.plug(Pty(port))
        host(port)
        readings.expect_back(P0, "Pico W 1.0: PN532")
        readings.expect_back(P1, "Pico W 1.0")
        readings.expect_back(SHIP, "Pico W 1.0: the ship")
        board.say(m.SEVERAL, m.pack_place(1, board_ms()))
        assert isinstance(reading := readings.next(), SeveralTags)
        assert reading.reader == P1
        board.say(m.UNREADABLE, m.pack_unreadable(1, "It is torn.", board_ms()))
        readings.expect_unreadable(P1, "It is torn.")
        for number, name in ((m.STOP, "stop"), (m.UNDO, "undo"), (m.SHUFFLE, "shuffle")):
            board.say(m.BUTTON, m.pack_button(1, number, board_ms()))
            reading = readings.next()
            assert reading == ButtonPressed(P1, name, reading.at_ns)
        board.say(m.ATTITUDE, m.pack_attitude(-30, 5, 998, board_ms()))
        reading = readings.next()
        assert reading == Attitude(SHIP, -30, 5, 998, reading.at_ns)
        board.say(m.PLACE_LOST, m.pack_place(m.SHIP, board_ms()))
        readings.expect_lost(SHIP, "ship's sensor does not answer")
        board.say(m.PLACE_LOST, m.pack_place(1, board_ms()))
        readings.expect_lost(P1, "does not answer its board")
        board.say(m.PLACE_BACK, m.pack_place(1, board_ms()))
        readings.expect_back(P1, "Pico W 1.0")
        board.tag_on(0, "8804A3C6")
        readings.expect_unreadable(P0, "cuts 7-byte UIDs")
    finally:
        board.stop()


def test_a_board_with_wifi(board, host, readings):
    wire = board.plug(Served())
    driver = host(f"socket://127.0.0.1:{wire.port}")
    readings.expect_back(P0, HARDWARE)
    board.tag_on(0, A)
    readings.expect_on(P0, A)
    driver.signal(P0, "accepted")
    assert m.unpack_signal(board.next(m.SIGNAL)) == (0, m.ACCEPTED)


def test_a_board_with_wifi_that_was_switched_off_and_on(board, host, readings):
    wire = board.plug(Served())
    host(f"socket://127.0.0.1:{wire.port}")
    readings.expect_back(P0, HARDWARE)
    board.unplug()
    readings.expect_lost(P0, "broke off")
    board.tag_on(0, A)
    board.plug(Served(wire.port))
    readings.expect_back(P0, HARDWARE)
    readings.expect_on(P0, A)


def test_the_cable_is_pulled_in_the_middle_of_a_frame(board, port, host, readings):
    board.plug(Pty(port))
    host(port)
    readings.expect_back(P0, HARDWARE)
    board.unplug(then=(m.TAG_ON, m.pack_tag_on(0, bytes.fromhex(A), board_ms())))
    readings.expect_lost(P0, "broke off")
    gone_ns = time.monotonic_ns()
    board.tag_off(0, A)
    board.tag_on(0, B)
    laid_ns = time.monotonic_ns()
    board.plug(Pty(port))
    readings.expect_back(P0, HARDWARE)
    readings.expect_on(P0, A)
    off, on = readings.take(2)
    assert (off.uid, on.uid) == (A, B)
    assert off.at_ns <= on.at_ns <= time.monotonic_ns()
    assert gone_ns - 500_000_000 < on.at_ns < laid_ns + 500_000_000
    readings.expect_nothing(0.3)


def test_garbage_and_half_frames_lose_and_invent_nothing(board, port, host, readings):
    board.plug(Pty(port))
    host(port)
    readings.expect_back(P0, HARDWARE)
    turns = itertools.count()

    def mangle(out):
        turn = next(turns)
        if not out:
            return out
        return (out, out[: len(out) // 2], b"\x13\0\x88" + out, out + out, b"")[turn % 5]

    board.mangle = mangle
    for number in range(30):
        uid = f"04{number:012X}"
        board.tag_on(0, uid)
        board.tag_off(0, uid)
    for number in range(30):
        readings.expect_on(P0, f"04{number:012X}")
        readings.expect_off(P0, f"04{number:012X}")
    readings.expect_nothing(0.3)


def test_boot_loader_noise_and_a_late_hello(board, port, host, readings):
    wire = Pty(port)
    host(port)
    wire.write(b"ets Jul 29 2019 12:21:46\r\nrst:0x1 (POWERON_RESET)\r\n" * 30)
    readings.expect_lost("bridge-1", "speaks the board protocol")
    board.plug(wire)
    readings.expect_back("bridge-1", "Pico W 1.0")
    readings.expect_back(P0, HARDWARE)


def test_a_port_that_is_not_there_yet(board, port, host, readings):
    host(port)
    readings.expect_lost("bridge-1", "Nothing is plugged in")
    board.plug(Pty(port))
    readings.expect_back("bridge-1", "Pico W 1.0")
    readings.expect_back(P0, HARDWARE)


def test_the_board_falls_silent_and_speaks_again(board, port, host, readings):
    board.plug(Pty(port))
    host(port)
    readings.expect_back(P0, HARDWARE)
    board.mangle = lambda out: b""
    since_s = time.monotonic()
    readings.expect_lost(P0, "fallen silent")
    assert 1.4 < time.monotonic() - since_s < 6
    board.tag_on(0, A)
    board.mangle = bytes
    readings.expect_back(P0, HARDWARE)
    readings.expect_on(P0, A)


def test_a_reboot_in_mid_game_is_told_from_a_lost_cable(board, port, host, readings):
    board.plug(Pty(port))
    driver = host(port)
    driver.arm(armed=True)
    readings.expect_back(P0, HARDWARE)
    board.tag_on(0, A)
    readings.expect_on(P0, A)
    while m.unpack_sampling(board.next(m.SAMPLING)) != 50:
        pass
    board.start_anew(2)
    readings.expect_lost(P0, "has started anew")
    readings.expect_back(P0, HARDWARE)
    assert m.unpack_sampling(board.next(m.SAMPLING)) == 50
    board.tag_on(0, A, lay_there=True)  # it lies there still: no new tag
    board.tag_off(0, A)
    readings.expect_off(P0, A)
    board.tag_on(0, B)
    readings.expect_on(P0, B)
    board.start_anew(3)
    readings.expect_lost(P0, "has started anew")
    readings.expect_back(P0, HARDWARE)
    readings.expect_off(P0, B)  # nothing is told to lie there
    board.tag_on(0, B)
    readings.expect_on(P0, B)


def test_another_version_is_refused_with_what_to_update(board, port, host, readings, monkeypatch):
    monkeypatch.setattr("firmware_bridge.link.PROTOCOL", 2)
    monkeypatch.setattr("firmware_bridge.messages.PROTOCOL", 2)
    wire = Pty(port)
    host(port)
    older, newer = (bytes([version, 1, 9, 0, 0, 0]) + bytes(10) for version in (1, 3))
    wire.read()  # it is open now and says HELLO
    wire.write(b"\0" + frame(bytes([m.HELLO, 0, 0, 0, 0]) + newer))
    readings.expect_lost("bridge-1", "update this program")
    wire.write(b"\0" + frame(bytes([m.HELLO, 0, 0, 0, 0]) + older))
    readings.expect_lost("bridge-1", "flash the board anew")
    wire.write(b"\0" + frame(bytes([m.HELLO, 0, 0, 0, 0]) + bytes(16)))
    readings.expect_lost("bridge-1", "speaks version 0 of the board protocol")
    board.plug(wire)
    readings.expect_back("bridge-1", "Pico W 1.0")
    readings.expect_back(P0, HARDWARE)


def test_the_host_process_starts_anew(board, port, host, readings):
    """What was acknowledged to the first does not come to the second, the rest once."""
    board.plug(Pty(port))
    first = host(port)
    readings.expect_back(P0, HARDWARE)
    board.tag_on(0, A)
    readings.expect_on(P0, A)
    board.wait_until_acknowledged()
    first.close()
    board.tag_off(0, A)
    board.tag_on(0, B)
    second = Readings()
    host(port, second)
    second.expect_back(P0, HARDWARE)
    second.expect_off(P0, A)
    second.expect_on(P0, B)
    second.expect_nothing(0.3)
    readings.expect_nothing(0)


def test_both_start_anew_again_and_again(port, host):
    board = BoardEnd(boot_id=100)
    try:
        board.plug(Pty(port))
        told = []
        for number in range(6):
            readings = Readings()
            driver = host(port, readings)
            readings.expect_back(P0, HARDWARE)
            board.tag_on(0, f"04{number:012X}")
            told.append(readings.next().uid)
            driver.close()
            if number % 2:
                board.start_anew(101 + number)
        assert told == [f"04{number:012X}" for number in range(6)]
    finally:
        board.stop()


def test_an_overflow_is_told_at_every_place_until_something_is_read_there(port, host, readings):
    board = BoardEnd(places=("a", "b"))
    board.start_anew(1, queue_limit=4)
    try:
        board.plug(Pty(port))
        host(port)
        readings.expect_back(P0, "Pico W 1.0: a")
        readings.expect_back(P1, "Pico W 1.0: b")
        board.tag_on(0, A)
        readings.expect_on(P0, A)
        board.wait_until_acknowledged()
        board.unplug()
        readings.expect_lost(P0, "broke off")
        readings.expect_lost(P1, "broke off")
        while board.tag_on(1, B) and board.tag_off(1, B):
            pass
        board.tag_off(0, A)  # lost too
        board.plug(Pty(port))
        readings.expect_back(P0, "Pico W 1.0: a")
        readings.expect_back(P1, "Pico W 1.0: b")
        for _ in range(2):
            readings.expect_on(P1, B)
            readings.expect_off(P1, B)
        readings.expect_off(P0, A)
        readings.expect_lost(P0, "2 readings were lost")
        readings.expect_lost(P1, "2 readings were lost")
        board.tag_on(0, A)
        readings.expect_back(P0, "Pico W 1.0: a")
        readings.expect_on(P0, A)
        readings.expect_nothing(0.2)
    finally:
        board.stop()


def test_what_makes_no_sense_is_skipped(board, port, host, readings):
    board.plug(Pty(port))
    host(port)
    readings.expect_back(P0, HARDWARE)
    board.say(m.TAG_ON, b"short")
    board.say(0x7F, b"")
    board.say(m.TAG_ON, m.pack_tag_on(5, bytes.fromhex(A), 0))
    board.say(m.BUTTON, m.pack_button(0, 77, 0))
    board.say(m.ATTITUDE, m.pack_attitude(1, 2, 3, 0))
    board.tag_on(0, A)
    readings.expect_on(P0, A)


def test_a_place_that_was_not_named_has_no_tags_and_is_logged_once(port, host, readings, caplog):
    board = BoardEnd(capabilities=m.HAS_SHIP, places=("PN532",))
    try:
        board.plug(Pty(port))
        host(port)
        readings.expect_back(P0, "Pico W 1.0: PN532")
        readings.expect_back(SHIP, "Pico W 1.0: the ship")
        for _ in range(2):
            for place in (1, m.SHIP):
                board.tag_on(place, A)
                board.tag_off(place, A)
                board.say(m.BUTTON, m.pack_button(place, m.STOP, board_ms()))
                board.say(m.SEVERAL, m.pack_place(place, board_ms()))
                board.say(m.UNREADABLE, m.pack_unreadable(place, "odd", board_ms()))
        board.tag_on(0, B)
        readings.expect_on(P0, B)
        said = [record.message for record in caplog.records if "no sense" in record.message]
        assert len(said) == len(set(said)) == 10
    finally:
        board.stop()


def test_a_board_has_at_most_127_places(port, host, readings):
    """Number 127 is the ship's sensor."""
    board = BoardEnd(firmware="", capabilities=m.HAS_SHIP, places=[""] * 200)
    try:
        board.plug(Pty(port))
        host(port)
        told = [reading.reader for reading in readings.take(m.SHIP + 1)]
        assert told == [*(f"bridge-1/{number}" for number in range(m.SHIP)), SHIP]
        readings.expect_nothing(0.2)
    finally:
        board.stop()


def test_a_tag_at_a_place_that_was_told_lost_brings_it_back(board, port, host, readings):
    board.plug(Pty(port))
    host(port)
    readings.expect_back(P0, HARDWARE)
    board.say(m.PLACE_LOST, m.pack_place(0, board_ms()))
    readings.expect_lost(P0, "does not answer its board")
    board.tag_on(0, A)
    readings.expect_back(P0, HARDWARE)
    readings.expect_on(P0, A)
    board.say(m.PLACE_LOST, m.pack_place(0, board_ms()))
    readings.expect_lost(P0, "does not answer its board")
    board.tag_off(0, A)
    readings.expect_back(P0, HARDWARE)
    readings.expect_off(P0, A)


def test_signals_reach_their_place_and_no_stale_one_does(board, port, host, readings):
    board.plug(Pty(port))
    driver = host(port)
    assert isinstance(driver, Signalling)
    readings.expect_back(P0, HARDWARE)
    board.next(m.SAMPLING)
    driver.signal("pcsc-1", "alarm")
    driver.signal("bridge-1/7", "alarm")
    driver.signal(P0, "refused")
    assert m.unpack_signal(board.next(m.SIGNAL)) == (0, m.REFUSED)
    board.unplug()
    readings.expect_lost(P0, "broke off")
    driver.signal(P0, "accepted")
    board.plug(Pty(port))
    readings.expect_back(P0, HARDWARE)
    driver.signal(P0, "your-turn")
    assert m.unpack_signal(board.next(m.SIGNAL)) == (0, m.YOUR_TURN)


def test_the_ship_is_looked_at_often_while_an_alarm_runs(board, port, host, readings):
    board.plug(Pty(port))
    driver = host(port)
    readings.expect_back(P0, HARDWARE)
    assert m.unpack_sampling(board.next(m.SAMPLING)) == 1
    driver.arm(armed=True)
    assert m.unpack_sampling(board.next(m.SAMPLING)) == 50
    driver.arm(armed=True)
    driver.arm(armed=False)
    assert m.unpack_sampling(board.next(m.SAMPLING)) == 1


def test_a_board_may_tell_other_things_of_itself(board, port, host, readings):
    board.plug(Pty(port))
    host(port)
    readings.expect_back(P0, HARDWARE)
    with board._lock:
        board.link.introduce(m.pack_hello("Pico W 1.0", m.HAS_SHIP, ["PN532 v1.6"]))
    readings.expect_back(SHIP, "Pico W 1.0: the ship")
    with board._lock:
        board.link.introduce(m.pack_hello("Pico W 1.0", 0, ["PN532 v1.6"]))
    readings.expect_lost(SHIP, "no longer has this place")


def test_close_ends_the_thread_within_a_second(board, port, host, readings):
    before = set(threading.enumerate())
    board.plug(Pty(port))
    driver = host(port)
    readings.expect_back(P0, HARDWARE)
    with pytest.raises(DriverError, match="open already"):
        driver.open(readings, time.monotonic_ns)
    since_s = time.monotonic()
    driver.close()
    assert time.monotonic() - since_s < 3
    assert set(threading.enumerate()) <= before
    board.tag_on(0, A)
    readings.expect_nothing(0.1)
    driver.close()


def test_what_was_not_reported_is_not_acknowledged(board, port, host, readings):
    """The table hangs while the driver is closed: the next process hears it."""
    board.plug(Pty(port))
    driver = host(port)
    readings.expect_back(P0, HARDWARE)
    readings.hold_at(TagOn)
    with board._lock:
        for uid in (A, B):
            body = m.pack_tag_on(0, bytes.fromhex(uid), board_ms())
            board.link.send(m.TAG_ON, body, board_ms())
    readings.expect_on(P0, A)
    thread = driver._running._thread
    driver.close()
    readings.let_go()
    thread.join(20)
    second = Readings()
    host(port, second)
    second.expect_back(P0, HARDWARE)
    second.expect_on(P0, A)
    second.expect_off(P0, A)
    second.expect_on(P0, B)
    readings.expect_nothing(0.1)


class SlowTable:
    """What a driver settles with: it returns while the gate is open."""

    def __init__(self):
        self.asked = queue.Queue()
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self):
        self.asked.put("settle")
        assert self.gate.wait(60), "the test has forgotten to open the gate"


def test_a_board_hears_that_it_was_heard_when_the_table_has_it(port, host, readings):
    board, table = BoardEnd(capabilities=m.HAS_SHIP), SlowTable()
    try:
        board.plug(Pty(port))
        assert isinstance(host(port, settle=table), Settling)
        readings.expect_back(P0, HARDWARE)
        readings.expect_back(SHIP, "Pico W 1.0: the ship")
        assert table.asked.get(timeout=20)
        table.gate.clear()
        board.tag_on(0, A)
        readings.expect_on(P0, A)
        assert table.asked.get(timeout=20)
        with pytest.raises(AssertionError, match="acknowledges nothing"):
            board.wait_until_acknowledged(limit_s=0.5)
        table.gate.set()
        board.wait_until_acknowledged()
        board.say(m.ATTITUDE, m.pack_attitude(1, 2, 3, board_ms()))
        assert isinstance(readings.next(), Attitude)
        readings.expect_nothing(0.7)  # heartbeats go both ways meanwhile
        assert table.asked.empty()
    finally:
        board.stop()


def test_close_does_not_wait_for_a_table_that_hangs(board, port, host, readings):
    board.plug(Pty(port))
    table = SlowTable()
    driver = host(port, settle=table)
    readings.expect_back(P0, HARDWARE)
    assert table.asked.get(timeout=20)
    table.gate.clear()
    board.tag_on(0, A)
    readings.expect_on(P0, A)
    assert table.asked.get(timeout=20)
    thread = driver._running._thread
    since_s = time.monotonic()
    driver.close()
    assert time.monotonic() - since_s < 3
    table.gate.set()
    thread.join(20)
    assert not thread.is_alive()
    second = Readings()
    host(port, second)  # nobody said that it was taken
    second.expect_back(P0, HARDWARE)
    second.expect_on(P0, A)


def test_a_port_that_another_program_holds(board, port, host, readings):
    board.plug(Pty(port))
    host(port)
    readings.expect_back(P0, HARDWARE)
    second = Readings()
    host(port, second)
    second.expect_lost("bridge-1", "Another program holds")


def test_a_port_is_found_by_the_serial_number_of_its_board(board, port, readings):
    class Listed:
        serial_number, location = "E6614C311B", "1-1.2:1.0"

        def __init__(self, device):
            self.device = device

    listed = []
    driver = BridgeDriver("serial=E6614C311B", listing=lambda: list(listed))
    driver.open(readings, time.monotonic_ns)
    try:
        readings.expect_lost("bridge-1", "E6614C311B is plugged in")
        board.plug(Pty(port))
        listed.append(Listed(str(port)))
        readings.expect_back("bridge-1", "Pico W 1.0")
        readings.expect_back(P0, HARDWARE)
        board.unplug()
        readings.expect_lost(P0, "broke off")
        other = port.with_name("other")
        board.plug(Pty(other))
        listed[:] = [Listed(str(other))]
        readings.expect_back(P0, HARDWARE)
    finally:
        driver.close()


def test_without_pyserial_open_says_what_to_install(monkeypatch, readings):
    monkeypatch.setitem(sys.modules, "serial", None)
    with pytest.raises(DriverMissing, match="pip install pyserial"):
        BridgeDriver("/dev/null").open(readings, time.monotonic_ns)


def test_the_registry_makes_boards_of_a_number():
    driver = registry.make("bridge:socket://192.168.4.2:5555?number=2")
    assert isinstance(driver, BridgeDriver)
    assert driver._name == "bridge-2"
    with pytest.raises(DriverName, match="bridge:serial=NUMBER"):
        registry.make("bridge:")


def test_a_driver_that_fails_goes_on(board, port, host, readings, monkeypatch):
    board.plug(Pty(port))
    host(port)
    readings.expect_back(P0, HARDWARE)
    monkeypatch.setattr("companion.drivers.bridge.board.uids.from_bytes", lambda _: 1 / 0)
    board.tag_on(0, A)
    readings.expect_lost(P0, "starts again")
    monkeypatch.undo()
    readings.expect_back(P0, HARDWARE)
    board.tag_on(0, B)
    readings.expect_on(P0, B)
