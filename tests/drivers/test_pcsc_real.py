"""The driver on the real pcscd with virtual readers and tags."""

import importlib
import logging
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from companion.drivers.api import DeviceBack, TagOff, TagOn
from companion.drivers.pcsc.driver import CLOSE_LIMIT_S
from hardware_sim.vicc import NOT_SUPPORTED, VirtualCard
from tests.support.pcscd import event_counter, wait_for

pytestmark = pytest.mark.needs("pcscd")

A = "04A3C6CAE26180"
B = "04101B9A776B85"
ONLY = "00 00"
"""Chooses the first slot of each virtual reader."""


@pytest.fixture
def one(pcscd):
    """A pcscd with one reader: its daemon, its slot."""
    daemon = pcscd()
    return daemon, daemon.readers[0]


@pytest.fixture
def lying(one, opened, readings):
    """The driver is open, and tag A lies on its only reader: daemon, slot, tag."""
    daemon, slot = one
    opened(ONLY)
    readings.expect_back("pcsc-1", slot.pcsc_name)
    with VirtualCard(A, port=slot.port) as card:
        readings.expect_on("pcsc-1", A)
        yield daemon, slot, card


def test_each_reader_has_a_seat_and_a_name_for_people(pcscd, opened, readings):
    daemon = pcscd(readers=2)
    opened()
    first, second = daemon.readers
    readings.expect_all(
        DeviceBack("pcsc-1", first.pcsc_name, 0), DeviceBack("pcsc-2", second.pcsc_name, 0)
    )
    readings.expect_nothing(0.3)


def test_a_tag_comes_and_goes(lying, readings):
    _, _, card = lying
    card.remove()
    readings.expect_off("pcsc-1", A)


def test_a_tag_that_lies_there_at_the_start_is_reported(one, opened, readings):
    _, slot = one
    with VirtualCard(A, port=slot.port):
        wait_for(lambda: event_counter(slot.pcsc_name) == 1)
        opened(ONLY)
        readings.expect_back("pcsc-1", slot.pcsc_name)
        readings.expect_on("pcsc-1", A, lay_there=True)


def test_a_resting_tag_is_told_once(lying, readings):
    _, _, card = lying
    readings.expect_nothing(1.5)
    assert card.uid_reads > 1


def test_a_swap_that_pcscd_does_not_notice_is_seen(lying, readings):
    _, slot, card = lying
    counter = event_counter(slot.pcsc_name)
    card.change_silently(B)
    readings.expect_off("pcsc-1", A)
    readings.expect_on("pcsc-1", B)
    assert event_counter(slot.pcsc_name) == counter


def test_like_tags_are_told_apart(lying, readings):
    _, _, card = lying
    card.swap(B)
    readings.expect_off("pcsc-1", A)
    readings.expect_on("pcsc-1", B, lay_there=False)


@pytest.mark.parametrize("new", [A, B], ids=["same card again", "like card"])
def test_a_swap_within_one_look_is_seen_by_the_event_counter(new, one, opened, readings):
    _, slot = one
    with VirtualCard(A, port=slot.port) as card:
        wait_for(lambda: event_counter(slot.pcsc_name) == 1)
        readings.hold_at(TagOn)
        opened(ONLY)
        readings.expect_back("pcsc-1", slot.pcsc_name)
        readings.expect_on("pcsc-1", A)  # the driver's thread stands still in this report
        card.swap(new)
        wait_for(lambda: event_counter(slot.pcsc_name) == 3)
        readings.let_go()
        readings.expect_off("pcsc-1", A)
        readings.expect_on("pcsc-1", new)
        readings.expect_nothing(0.5)


def test_four_byte_uid(one, opened, readings):
    _, slot = one
    opened(ONLY)
    readings.expect_back("pcsc-1", slot.pcsc_name)
    with VirtualCard("8B6566B9", port=slot.port):
        readings.expect_on("pcsc-1", "8B6566B9")
    readings.expect_off("pcsc-1", "8B6566B9")


# Faults of the card


def test_a_card_that_fails_twice_is_read_in_the_end(one, opened, readings):
    _, slot = one
    opened(ONLY)
    readings.expect_back("pcsc-1", slot.pcsc_name)
    card = VirtualCard(A, port=slot.port)
    card.answer_wrongly(2)
    with card:
        readings.expect_on("pcsc-1", A)


@pytest.mark.parametrize(
    ("answer", "words"),
    [(b"\x63\x00", "63 00"), (NOT_SUPPORTED, "6A 81"), (b"\x04\x01\x90\x00", "4, 7 or 10 bytes")],
)
def test_a_card_without_uid_is_told_once_and_the_loop_goes_on(answer, words, one, opened, readings):
    _, slot = one
    opened(ONLY)
    readings.expect_back("pcsc-1", slot.pcsc_name)
    card = VirtualCard(A, port=slot.port)
    card.answer_wrongly(10_000, answer)
    with card:
        readings.expect_unreadable("pcsc-1", words)
        readings.expect_nothing(2.2)
        card.answer_wrongly(0)
        readings.expect_on("pcsc-1", A)
    readings.expect_off("pcsc-1", A)


def test_an_unreadable_card_leaves_without_a_word(one, opened, readings):
    _, slot = one
    opened(ONLY)
    readings.expect_back("pcsc-1", slot.pcsc_name)
    card = VirtualCard(A, port=slot.port)
    card.answer_wrongly(10_000)
    with card:
        readings.expect_unreadable("pcsc-1", "63 00")
    readings.expect_nothing(0.8)
    with VirtualCard(B, port=slot.port):
        readings.expect_on("pcsc-1", B)


@pytest.mark.parametrize("fault", ["drop", "mute"])
def test_a_card_pulled_in_the_middle_is_no_event(fault, one, opened, readings):
    _, slot = one
    opened(ONLY)
    readings.expect_back("pcsc-1", slot.pcsc_name)
    card = VirtualCard(A, port=slot.port)
    if fault == "drop":
        card.drop_in_next_apdu()
    else:
        card.mute()
    with card:
        readings.expect_nothing(1.5)
    with VirtualCard(B, port=slot.port):
        readings.expect_on("pcsc-1", B)


def test_a_slow_card_is_waited_for_and_holds_up_nobody_else(pcscd, opened, readings):
    daemon = pcscd(readers=2)
    slow, quick = daemon.readers
    opened()
    readings.next()
    readings.next()
    card = VirtualCard(A, port=slow.port)
    card.answer_after(2.5)
    with card, VirtualCard(B, port=quick.port):
        readings.expect_on("pcsc-2", B)
        readings.expect_on("pcsc-1", A)


# Faults of the service and of the reader


def test_without_pcscd_the_first_seat_is_lost_at_once_and_comes_by_itself(pcscd, opened, readings):
    daemon = pcscd(started=False)
    opened(ONLY)
    readings.expect_lost("pcsc-1", "pcscd is not running")
    readings.expect_nothing(1.5)
    daemon.start()
    readings.expect_back("pcsc-1", daemon.readers[0].pcsc_name)


def test_a_name_that_no_reader_has_is_told_with_those_that_are_there(one, opened, readings):
    opened("Identiv")
    readings.expect_lost("pcsc-1", "'Identiv': give a part of one of these: Virtual PCD 00 00")


def test_slots_for_contact_cards_are_passed_over(pcscd, opened, readings):
    daemon = pcscd(names=["ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM]"])
    opened()
    readings.expect_lost("pcsc-1", "None of these takes contactless cards")
    daemon.restart(["ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC]"])
    readings.expect_all(
        *(
            DeviceBack(f"pcsc-{number}", slot.pcsc_name, 0)
            for number, slot in enumerate(daemon.readers, 1)
        )
    )


def test_same_tag_after_a_restart_is_no_event(lying, readings):
    daemon, slot, card = lying
    daemon.kill()
    readings.expect_lost("pcsc-1", "pcscd is not running")
    readings.expect_nothing(1.5)
    daemon.start()
    readings.expect_back("pcsc-1", slot.pcsc_name)
    wait_for(lambda: card.uid_reads == 2)
    readings.expect_nothing(2)
    card.remove()
    readings.expect_off("pcsc-1", A)


def test_a_reader_may_find_its_tag_late_after_a_restart(lying, readings):
    daemon, slot, card = lying
    daemon.kill()
    readings.expect_lost("pcsc-1", "pcscd is not running")
    card.remove()
    daemon.start()
    readings.expect_back("pcsc-1", slot.pcsc_name)
    readings.expect_nothing(0.5)
    card.insert()
    readings.expect_nothing(2)
    card.remove()
    readings.expect_off("pcsc-1", A)


def test_another_tag_after_a_restart_is_a_swap(lying, readings):
    daemon, slot, card = lying
    daemon.kill()
    readings.expect_lost("pcsc-1", "pcscd is not running")
    card.remove()
    daemon.start()
    readings.expect_back("pcsc-1", slot.pcsc_name)
    with VirtualCard(B, port=slot.port):
        readings.expect_off("pcsc-1", A)
        readings.expect_on("pcsc-1", B)


def test_an_empty_field_after_a_restart_is_a_removal(lying, readings):
    daemon, slot, card = lying
    daemon.stop()
    readings.expect_lost("pcsc-1", "pcscd is not running")
    card.remove()
    daemon.start()
    readings.expect_back("pcsc-1", slot.pcsc_name)
    readings.expect_off("pcsc-1", A)
    readings.expect_nothing(0.5)


def test_a_seat_waits_for_its_reader(pcscd, opened, readings):
    daemon = pcscd(names=["Reader A", "Reader B"])
    opened(ONLY)
    readings.expect_all(
        DeviceBack("pcsc-1", "Reader A 00 00", 0), DeviceBack("pcsc-2", "Reader B 00 00", 0)
    )
    daemon.kill()
    daemon.start(["Reader B"])
    # The reader that is there again may be back before the other is known to be away.
    told = sorted((type(reading).__name__, reading.reader) for reading in readings.take(3))
    assert told == [("DeviceBack", "pcsc-2"), ("DeviceLost", "pcsc-1"), ("DeviceLost", "pcsc-2")]
    port = daemon.readers[0].port
    with VirtualCard(B, port=port):
        readings.expect_on("pcsc-2", B)
    readings.expect_off("pcsc-2", B)
    daemon.kill()
    readings.expect_lost("pcsc-2", "pcscd is not running")
    daemon.start(["Reader C", "Reader B", "Reader A"])
    readings.expect_all(
        DeviceBack("pcsc-1", "Reader A 00 00", 0),
        DeviceBack("pcsc-2", "Reader B 00 00", 0),
        DeviceBack("pcsc-3", "Reader C 00 00", 0),
    )


class RenamedReaders:
    """pyscard's scard on the real pcscd, with readers that show under other names.

    pcscd's own index numbers cannot be chosen for virtual readers.
    """

    def __init__(self, real_by_shown):
        self._scard = importlib.import_module("smartcard.scard")
        self.real_by_shown = real_by_shown

    def __getattr__(self, name):
        return getattr(self._scard, name)

    def SCardListReaders(self, context, groups):  # noqa: N802
        code, names = self._scard.SCardListReaders(context, groups)
        return code, [shown for shown, real in self.real_by_shown.items() if real in names]

    def SCardGetStatusChange(self, context, limit_ms, states):  # noqa: N802
        shown = states[0][0]
        real = self.real_by_shown.get(shown, shown)
        return self._scard.SCardGetStatusChange(context, limit_ms, [(real, states[0][1])])

    def SCardConnect(self, context, shown, *rest):  # noqa: N802
        return self._scard.SCardConnect(context, self.real_by_shown[shown], *rest)


def test_a_reader_that_comes_back_under_another_index_keeps_its_seat(
    one, opened, readings, monkeypatch
):
    daemon, slot = one
    before, after = "ACS ACR122U PICC Interface 00 00", "ACS ACR122U PICC Interface 01 00"
    renamed = RenamedReaders({before: slot.pcsc_name})
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "smartcard.scard", renamed)
        opened()
    readings.expect_back("pcsc-1", before)
    with VirtualCard(A, port=slot.port):
        readings.expect_on("pcsc-1", A)
        daemon.kill()
        readings.expect_lost("pcsc-1", "pcscd is not running")
        renamed.real_by_shown = {after: slot.pcsc_name}
        daemon.start()
        readings.expect_back("pcsc-1", after)
        readings.expect_nothing(2)
    readings.expect_off("pcsc-1", A)


def test_one_line_is_logged_for_a_loss_and_no_stack_trace(lying, readings, caplog):
    daemon, slot, _ = lying
    with caplog.at_level(logging.INFO, logger="companion.drivers.pcsc"):
        caplog.clear()
        daemon.kill()
        readings.expect_lost("pcsc-1", "pcscd is not running")
        readings.expect_nothing(1.2)
        daemon.start()
        readings.expect_back("pcsc-1", slot.pcsc_name)
        readings.expect_nothing(1)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert all(record.exc_info is None for record in caplog.records)


# Close


def _own_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("pcsc-")]


@pytest.mark.parametrize("state", ["at rest", "no pcscd", "mute card", "slow card", "frozen pcscd"])
def test_close_takes_less_than_a_second(state, pcscd, opened, readings):
    daemon = pcscd(started=state != "no pcscd")
    slot = daemon.readers[0]
    driver = opened(ONLY)
    readings.next()
    card = VirtualCard(A, port=slot.port)
    if state in ("mute card", "slow card"):
        if state == "mute card":
            card.mute()
        else:
            card.answer_after(1.5)
        card.insert()
        wait_for(lambda: "Attempting PTS" in daemon.log.read_text())
    if state == "frozen pcscd":
        daemon.freeze()
    started_s = time.monotonic()
    driver.close()
    took_s = time.monotonic() - started_s
    if state == "frozen pcscd":
        daemon.thaw()
    if state == "slow card":
        wait_for(lambda: _own_threads() == [])  # its answer came, and nobody is told
        assert card.uid_reads == 1
    card.remove()
    # On a busy machine this thread may go on late after the driver has given up to wait.
    assert took_s < CLOSE_LIMIT_S + 1
    if state in ("at rest", "no pcscd"):
        assert took_s < CLOSE_LIMIT_S
        assert _own_threads() == []
    wait_for(lambda: _own_threads() == [])
    readings.expect_nothing(0.1)


def test_a_closed_driver_can_be_opened_again(one, opened, readings):
    _, slot = one
    driver = opened(ONLY)
    readings.expect_back("pcsc-1", slot.pcsc_name)
    driver.close()
    driver.close()
    driver.open(readings, time.monotonic_ns)
    readings.expect_back("pcsc-1", slot.pcsc_name)


# Cost


def _processor_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_at_rest_it_takes_no_processor_time(pcscd, opened, readings):
    daemon = pcscd(readers=4)
    opened()
    for _ in daemon.readers:
        readings.next()
    with VirtualCard(A, port=daemon.readers[0].port):
        readings.expect_on("pcsc-1", A)
        span_s = 4
        before_s, daemon_before_s = time.process_time(), _processor_s(daemon.pid)
        readings.expect_nothing(span_s)
        share = (time.process_time() - before_s) / span_s
        daemon_share = (_processor_s(daemon.pid) - daemon_before_s) / span_s
    print(f"at rest, 4 readers: driver {share:.2%}, pcscd {daemon_share:.2%}")
    assert share < 0.005


def test_hundred_taps_on_eight_readers_are_all_seen_in_order(pcscd, opened, readings):
    taps = 13
    daemon = pcscd(readers=8)
    slots = daemon.readers
    opened()
    for _ in slots:
        readings.next()
    seats = {f"pcsc-{number}": slot for number, slot in enumerate(slots, 1)}
    uids = {
        seat: [f"04{number:02X}{tap:02X}CAE26180" for tap in range(taps)]
        for number, seat in enumerate(seats)
    }
    cards = {seat: VirtualCard(uids[seat][0], port=slot.port) for seat, slot in seats.items()}
    turn = dict.fromkeys(seats, 0)
    laid_ns, latencies_ms = {}, []
    for seat, card in cards.items():
        laid_ns[seat] = time.monotonic_ns()
        card.insert()
    while any(done < taps for done in turn.values()):
        reading = readings.next()
        seat, uid = reading.reader, uids[reading.reader][turn[reading.reader]]
        card = cards[seat]
        assert reading.uid == uid
        if isinstance(reading, TagOn):
            latencies_ms.append((reading.at_ns - laid_ns[seat]) / 1e6)
            card.remove()
        else:
            assert isinstance(reading, TagOff)
            turn[seat] += 1
            if turn[seat] < taps:
                laid_ns[seat] = time.monotonic_ns()
                card.swap(uids[seat][turn[seat]])
    latencies_ms.sort()
    print(
        f"{len(latencies_ms)} taps; from laid to TagOn {latencies_ms[0]:.0f} / "
        f"{latencies_ms[len(latencies_ms) // 2]:.0f} / {latencies_ms[-1]:.0f} ms"
    )
    assert len(latencies_ms) == taps * len(slots)
    readings.expect_nothing(0.5)
