"""The driver on a scripted PC/SC, for what the real one cannot be made to do.

The fake stands in for pyscard's `smartcard.scard` and gives numbers as it does.
"""
# ruff: noqa: N802 - the names are pyscard's

import logging
import sys
import threading
import time

import pytest

from companion.drivers.api import DriverError, DriverMissing
from companion.drivers.pcsc import PcscDriver
from companion.drivers.pcsc import driver as pcsc
from companion.drivers.pcsc.library import NEW_READER

A = "04A3C6CAE26180"
ACR0 = "ACS ACR122U PICC Interface 00 00"
ACR1 = "ACS ACR122U PICC Interface 01 00"
CHANGED, UNKNOWN, UNAVAILABLE, EMPTY, PRESENT, MUTE = 0x02, 0x04, 0x08, 0x10, 0x20, 0x200
AT_ONCE_S = 0.8 * pcsc.LOOK_AGAIN_MS / 1000
"""Before the readers are looked for again though nothing was heard; on a busy machine too."""

OK = bytes.fromhex(A) + b"\x90\x00"


class FakeScard:
    """A PC/SC whose readers, cards and failures a test sets; each change wakes the waits."""

    SCARD_SCOPE_USER = 0
    SCARD_SHARE_SHARED = 2
    SCARD_PROTOCOL_T0 = 1
    SCARD_PROTOCOL_T1 = 2
    SCARD_PCI_T0 = "T0"
    SCARD_PCI_T1 = "T1"
    SCARD_RESET_CARD = 1
    SCARD_LEAVE_CARD = 0

    def __init__(self):
        self.changed = threading.Condition()
        self.states = {}  # event state by reader
        self.establish = 0
        self.connect = 0
        self.answers = []  # (code, bytes) of the next transmissions; then OK
        self.raises = None  # by the next waits for a card
        self.wait_codes = []
        self.tells_new_readers = True
        self.cancels = 0
        self.lists = 0
        self.waits = 0
        self.open_contexts = set()
        self._next = 0

    def set(self, **changes):
        with self.changed:
            for name, value in changes.items():
                setattr(self, name, value)
            self.changed.notify_all()

    def put(self, reader, state):
        with self.changed:
            if state is None:
                del self.states[reader]
            else:
                self.states = {**self.states, reader: state}
            self.changed.notify_all()

    def SCardEstablishContext(self, scope):
        with self.changed:
            if self.establish:
                return self.establish, 0
            self._next += 1
            self.open_contexts.add(self._next)
            return 0, self._next

    def SCardReleaseContext(self, context):
        self.open_contexts.discard(context)
        return 0

    def SCardListReaders(self, context, groups):
        self.lists += 1
        if self.establish:
            return self.establish, []
        return (0, list(self.states)) if self.states else (0x8010002E, [])

    def SCardGetStatusChange(self, context, limit_ms, watched):
        reader, known = watched[0]
        cancels = self.cancels
        deadline = time.monotonic() + limit_ms / 1000
        with self.changed:
            self.waits += 1
            if reader == NEW_READER and not self.tells_new_readers:
                return 0x80100009, [(reader, 0, [])]
            while True:
                if self.establish:
                    return 0x80100013, [(reader, 0, [])]
                if self.cancels != cancels:
                    return 0x80100002, [(reader, known, [])]
                if reader == NEW_READER:
                    if len(self.states) != known >> 16:
                        return 0, [(reader, CHANGED, [])]
                else:
                    if self.raises is not None:
                        error, self.raises = self.raises, None
                        raise error
                    if self.wait_codes:
                        return self.wait_codes.pop(0), [(reader, 0, [])]
                    if reader not in self.states:
                        return 0x80100009, [(reader, UNKNOWN | UNAVAILABLE | CHANGED, [])]
                    state = self.states[reader]
                    if state & ~CHANGED != known:
                        return 0, [(reader, state | CHANGED, [])]
                left_s = deadline - time.monotonic()
                if left_s <= 0:
                    return 0x8010000A, [(reader, known, [])]
                self.changed.wait(left_s)

    def SCardCancel(self, context):
        self.set(cancels=self.cancels + 1)
        return 0

    def SCardConnect(self, context, reader, share, protocols):
        return self.connect, 1, self.SCARD_PROTOCOL_T1

    def SCardTransmit(self, card, frame, apdu):
        assert apdu == [0xFF, 0xCA, 0, 0, 0]
        code, answer = self.answers.pop(0) if self.answers else (0, OK)
        return code, list(answer)

    def SCardDisconnect(self, card, farewell):
        return 0


@pytest.fixture
def scard(monkeypatch):
    fake = FakeScard()
    monkeypatch.setitem(sys.modules, "smartcard.scard", fake)
    return fake


@pytest.fixture
def lying(scard, opened, readings):
    """Tag A lies on one reader."""
    scard.put(ACR0, PRESENT | 1 << 16)
    opened()
    readings.expect_back("pcsc-1", ACR0)
    readings.expect_on("pcsc-1", A)
    return scard


def test_without_pyscard_the_sentence_says_what_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "smartcard.scard", None)
    with pytest.raises(DriverMissing, match=r"sudo apt install libpcsclite-dev gcc.*\./run"):
        PcscDriver("").open(print, time.monotonic_ns)


def test_it_is_opened_once(scard, opened):
    driver = opened()
    with pytest.raises(DriverError, match="open already"):
        driver.open(print, time.monotonic_ns)


@pytest.mark.parametrize("code", [0x8010006A, 0x80100027, 0x8010006A - (1 << 32)])
def test_denied_access_is_told_apart(code, scard, opened, readings):
    scard.establish = code
    opened()
    readings.expect_lost("pcsc-1", "org.debian.pcsc-lite.access_pcsc")
    readings.expect_nothing(0.5)


def test_a_service_that_hangs_up_while_it_ends_denies_nothing(lying, readings):
    lying.set(wait_codes=[0x8010006A])
    readings.expect_lost("pcsc-1", "pcscd is not running")
    readings.expect_back("pcsc-1", ACR0)
    readings.expect_nothing(0.3)


def test_no_reader_is_told_apart(scard, opened, readings):
    opened()
    readings.expect_lost("pcsc-1", "No contactless reader is plugged in")
    scard.put(ACR0, EMPTY)
    readings.expect_back("pcsc-1", ACR0, limit_s=AT_ONCE_S)


def test_unplugged_and_back_under_another_index(lying, readings):
    lying.put(ACR0, None)
    readings.expect_lost("pcsc-1", f"{ACR0} was unplugged: plug it in again")
    lying.put(ACR1, PRESENT | 1 << 16)
    readings.expect_back("pcsc-1", ACR1)
    readings.expect_nothing(0.5)
    lying.put(ACR1, EMPTY | 2 << 16)
    readings.expect_off("pcsc-1", A)


def test_the_index_changes_between_two_lists(scard, opened, readings, monkeypatch):
    monkeypatch.setattr(pcsc, "LOOK_AGAIN_MS", 500)
    scard.put(ACR0, EMPTY)
    opened()
    readings.expect_back("pcsc-1", ACR0)
    with scard.changed:
        scard.states = {ACR1: EMPTY}
        scard.changed.notify_all()
    readings.expect_lost("pcsc-1", "unplugged")
    readings.expect_back("pcsc-1", ACR1)


def test_a_second_reader_is_heard_of_at_once(lying, readings):
    lying.put(ACR1, EMPTY)
    readings.expect_back("pcsc-2", ACR1, limit_s=AT_ONCE_S)


def test_where_new_readers_are_not_told_they_are_looked_for(scard, opened, readings):
    scard.tells_new_readers = False
    opened()
    readings.expect_lost("pcsc-1", "No contactless reader")
    scard.put(ACR0, EMPTY)
    readings.expect_back("pcsc-1", ACR0, limit_s=AT_ONCE_S)
    lists = scard.lists
    readings.expect_nothing(1)
    assert scard.lists - lists <= 2


@pytest.mark.parametrize(
    "failures",
    [
        [(0, b"")],  # pulled in the middle, as pyscard shows it first
        [(0, b""), (0x80100016, b""), (0x80100069, b"")],
        [(0x80100016 - (1 << 32), b"")],  # Windows gives negative numbers
        [(0x8010002F, b""), (0, b"\x63\x00")],
    ],
)
def test_a_card_that_answers_at_last_is_on(failures, scard, opened, readings):
    scard.put(ACR0, EMPTY)
    scard.answers = list(failures)
    opened()
    readings.expect_back("pcsc-1", ACR0)
    scard.put(ACR0, PRESENT | 1 << 16)
    readings.expect_on("pcsc-1", A)
    readings.expect_nothing(0.3)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0x80100066, "does not answer"),
        (0x8010000B, "Another program holds the card"),
        (0x8010006A, "access_card"),
        (0x8010000C, "0x8010000C"),
    ],
)
def test_a_card_that_cannot_be_reached_is_told_once(code, words, scard, opened, readings):
    scard.put(ACR0, PRESENT | MUTE | 1 << 16)
    scard.connect = code
    opened()
    readings.expect_back("pcsc-1", ACR0)
    readings.expect_unreadable("pcsc-1", words)
    readings.expect_nothing(1)
    scard.set(connect=0)
    readings.expect_on("pcsc-1", A)


def test_a_card_that_always_breaks_off_is_told_so(scard, opened, readings):
    scard.put(ACR0, PRESENT | 1 << 16)
    scard.answers = [(0, b"")] * 10
    opened()
    readings.expect_back("pcsc-1", ACR0)
    readings.expect_unreadable("pcsc-1", "pulled away while it was read")


@pytest.mark.parametrize("code", [0x80100013, 0x8010001D, 0x8010001E, 0x80100003])
def test_a_dead_context_is_made_anew(code, lying, readings):
    lying.set(wait_codes=[code])
    readings.expect_lost("pcsc-1", "pcscd is not running")
    readings.expect_back("pcsc-1", ACR0)
    readings.expect_nothing(0.3)
    assert len(lying.open_contexts) == 2


def test_the_thread_outlives_what_nobody_foresaw(lying, readings, caplog):
    with caplog.at_level(logging.INFO, logger="companion.drivers.pcsc"):
        lying.set(raises=RuntimeError("a bug"))
        readings.expect_lost("pcsc-1", "RuntimeError('a bug')")
        readings.expect_back("pcsc-1", ACR0)
        readings.expect_nothing(0.2)
    assert ["a bug" in record.getMessage() for record in caplog.records] == [True]
    assert all(record.exc_info is None for record in caplog.records)


def test_the_search_outlives_what_nobody_foresaw(scard, opened, readings, monkeypatch):
    healthy = scard.SCardListReaders

    def broken(context, groups):
        raise RuntimeError("a bug")

    scard.SCardListReaders = broken
    opened()
    readings.expect_lost("pcsc-1", "RuntimeError('a bug')")
    scard.SCardListReaders = healthy
    scard.put(ACR0, EMPTY)
    readings.expect_back("pcsc-1", ACR0)


def test_a_receiver_that_fails_once_is_told_again(scard, opened, readings, monkeypatch):
    scard.put(ACR0, EMPTY)
    told = []

    def report(reading):
        told.append(reading)
        if len(told) < 3:
            raise RuntimeError("the queue is broken")
        readings(reading)

    driver = PcscDriver("")
    driver.open(report, time.monotonic_ns)
    readings.expect_back("pcsc-1", ACR0)
    driver.close()


def test_a_wait_that_never_waits_does_not_spin(scard, opened, readings):
    scard.put(ACR0, EMPTY)
    opened()
    readings.expect_back("pcsc-1", ACR0)
    patient = scard.SCardGetStatusChange

    def hasty(context, limit_ms, watched):
        return patient(context, 0, watched)

    scard.SCardGetStatusChange = hasty
    with scard.changed:
        scard.changed.notify_all()
    scard.SCardCancel(0)
    before = scard.waits
    readings.expect_nothing(1)
    assert 2 < scard.waits - before < 100


def test_closed_it_reports_nothing(scard, readings, opened):
    scard.put(ACR0, EMPTY)
    driver = opened()
    readings.expect_back("pcsc-1", ACR0)
    driver.close()
    scard.put(ACR0, PRESENT | 1 << 16)
    scard.put(ACR1, EMPTY)
    readings.expect_nothing(0.3)


def test_backoff_is_short(lying, readings):
    """A service that is away for a while is found within a second of its return."""
    lying.set(establish=0x8010001D)
    readings.expect_lost("pcsc-1", "pcscd is not running")
    readings.expect_nothing(3)
    lying.set(establish=0)
    readings.expect_back("pcsc-1", ACR0, limit_s=AT_ONCE_S)
