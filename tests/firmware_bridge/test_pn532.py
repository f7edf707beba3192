"""What is said to a PN532 and when, and what is understood: against a chip that is a script."""

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import pn532
from firmware_bridge.pn532 import (
    ACK,
    ECHO,
    GARBLED,
    INCOMPLETE,
    NACK,
    NORMAL_MODE,
    SILENT,
    STOPPED,
    WAKE_UP,
    Frames,
    Pn532,
    frame,
)
from firmware_bridge.presence import Presence

NTAG, CLASSIC = bytes.fromhex("04517CE1ED2580"), bytes.fromhex("82ACB95D")

EMPTY = "D54B 00"
ONE = "D54B 01 01 0044 00 07 04517CE1ED2580"
TWO = "D54B 02 01 0044 00 07 04517CE1ED2580 02 0004 08 04 82ACB95D"
ERROR = bytes.fromhex("0000FF01FF7F8100")
LOOK = 0x4A

ANSWERS = {
    0x14: "D515",
    0x02: "D503 32010607",
    0x32: "D533",
    0x52: "D553 00",
    LOOK: ONE,
}


def a_frame(text):
    return frame(bytes.fromhex(text))


class ScriptedChip:
    """Acknowledges after 1 ms and answers after 3, unless its `react` says otherwise.

    `react(command, usual)` is handed the command without D4 and what the chip would say,
    pairs of a delay in milliseconds and bytes, and gives what it says instead.
    """

    def __init__(self, react=None, look=ONE):
        self.react = react
        self.look = look
        self.powered = True
        self.awake = False
        self.normal = False
        self.commands = []
        self.nacks = self.aborts = 0
        self.last = b""
        self._queue = []

    def power_cycle(self):
        self.awake = self.normal = False
        self._queue.clear()

    def hear(self, written, now_ms):
        if not self.powered:
            return
        if b"\x55\x55" in written:
            self.awake = True
        if not self.awake:
            return
        if written.startswith(ACK):
            self.aborts += 1
            self._queue.clear()
        if NACK in written:
            self.nacks += 1
            self._queue.append((now_ms + 1, self.last))
        found = re.search(rb"\x00\x00\xff([^\x00\xff]).\xd4", written, re.DOTALL)
        if not found:
            return
        self._queue.clear()  # a new command ends the one before
        begin = found.end()
        command = written[begin : begin + found[1][0] - 1]
        code = command[0] if command else None
        if code not in ANSWERS:  # spoilt on its way
            self._queue.append((now_ms + 1, ACK + ERROR))
            return
        self.commands.append(command)
        if code == 0x14:
            self.normal = True
        answer = self.look if code == LOOK else ANSWERS[code]
        usual = [(1, ACK), (3, a_frame(answer))]
        if code == LOOK and not self.normal:
            usual = [(1, ACK)]
        said = usual if self.react is None else self.react(command, usual)
        self.last = usual[-1][1]
        self._queue += [(now_ms + after_ms, data) for after_ms, data in said]

    def say(self, now_ms):
        due = [data for at_ms, data in self._queue if at_ms <= now_ms]
        self._queue = [each for each in self._queue if each[0] > now_ms]
        return due


class Bench:
    """A chip and whoever looks after it, in a time of our own, a millisecond a step."""

    def __init__(self, chip=None, start_ms=0, cut=lambda data: [data], **options):
        self.chip = chip or ScriptedChip()
        self.pn532 = Pn532(**options)
        self.now_ms = start_ms
        self.cut = cut
        self.events = []
        self.written = []
        self.wrap = 1 << 30

    def run(self, for_ms):
        before = len(self.events)
        for _ in range(for_ms):
            now_ms = self.now_ms % self.wrap
            for data in self.chip.say(self.now_ms):
                for piece in self.cut(data):
                    self.pn532.feed(piece, now_ms)
            waits = self.pn532.wait_ms(now_ms)
            written = self.pn532.output(now_ms)
            if written:
                assert waits == 0, "it said that there was nothing to do"
                self.written.append((self.now_ms, written))
                self.chip.hear(written, self.now_ms)
            while (event := self.pn532.next_event()) is not None:
                self.events.append((self.now_ms, *event))
            self.now_ms += 1
        return [event[1:] for event in self.events[before:]]

    @property
    def looks(self):
        return [(at_ms, uids) for at_ms, kind, uids in self.events if kind == "targets"]


def kinds(events):
    return [kind for kind, _ in events]


# --- the usual ------------------------------------------------------------------------


def test_the_bytes_of_the_first_conversation():
    bench = Bench()
    assert bench.run(60)[:2] == [("ready", "PN532 1.6"), ("targets", (NTAG,))]
    said = [written.hex(" ").upper() for _, written in bench.written]
    assert said[:8] == [
        "55 55 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 FF 05 FB D4 14 01 00 01 16 00",
        "00 00 FF 02 FE D4 02 2A 00",
        "00 00 FF 06 FA D4 32 05 FF 01 01 F4 00",
        "00 00 FF 04 FC D4 32 01 00 F9 00",
        "00 00 FF 04 FC D4 4A 02 00 E0 00",
        "00 00 FF 03 FD D4 52 00 DA 00",
        "00 00 FF 04 FC D4 32 01 00 F9 00",
        "00 00 FF 04 FC D4 4A 02 00 E0 00",
    ]


def test_one_target_is_asked_for_where_two_are_too_many():
    bench = Bench(max_targets=1)
    bench.run(60)
    assert bench.written[4][1].hex(" ").upper() == "00 00 FF 04 FC D4 4A 01 00 E1 00"


def test_over_a_bus_that_wakes_the_chip_nothing_goes_before():
    bench = Bench(wake_up=b"")
    bench.chip.awake = True
    assert bench.run(60)[0] == ("ready", "PN532 1.6")
    assert bench.written[0][1].startswith(b"\x00\x00\xff")


@pytest.mark.parametrize(("look", "uids"), [(EMPTY, ()), (ONE, (NTAG,)), (TWO, (NTAG, CLASSIC))])
def test_each_look_is_told(look, uids):
    bench = Bench(ScriptedChip(look=look))
    events = bench.run(1000)
    assert events[0] == ("ready", "PN532 1.6")
    assert set(events[1:]) == {("targets", uids)}


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("D503 32010607", "PN532 1.6"),
        ("D503 32010407", "PN532 1.4"),
        ("D503 33020707", "PN533 2.7"),
    ],
)
def test_the_chip_says_what_it_is(answer, name):
    chip = ScriptedChip(
        lambda command, usual: [(1, ACK + a_frame(answer))] if command[0] == 2 else usual
    )
    assert Bench(chip).run(60)[0] == ("ready", name)


def test_a_target_is_released_and_the_field_is_off_before_the_next_look():
    bench = Bench()
    bench.run(1000)
    codes = [command[0] for command in bench.chip.commands[4:]]
    assert codes[:6] == [LOOK, 0x52, 0x32, LOOK, 0x52, 0x32]
    pauses = [
        after[0] - before[0]
        for before, after in pairwise(bench.written)
        if after[1][6:7] == b"\x4a" and before[1][6:9] == b"\x32\x01\x00"
    ]
    assert min(pauses[1:]) >= 6  # a tag forgets in 5 ms that it was halted


def test_a_field_at_rest_is_looked_at_at_leisure_and_a_change_at_once():
    bench = Bench(ScriptedChip(look=EMPTY))
    bench.run(2000)
    resting = bench.looks[-1][0] - bench.looks[-2][0]
    assert 40 <= resting <= 60
    bench.chip.look = ONE
    bench.run(200)
    seen = [at_ms for at_ms, uids in bench.looks if uids == (NTAG,)]
    assert seen[1] - seen[0] <= 20


def test_a_tag_is_on_at_once_and_off_within_a_second():
    bench = Bench(ScriptedChip(look=EMPTY))
    presence = Presence()
    told = []
    for look, for_ms in ((EMPTY, 2000), (ONE, 3000), (EMPTY, 2000)):
        bench.chip.look = look
        before = len(bench.looks)
        began_ms = bench.now_ms
        bench.run(for_ms)
        for at_ms, uids in bench.looks[before:]:
            told += [(event[0], at_ms - began_ms) for event in presence.seen(uids, at_ms)]
    assert [word for word, _ in told] == ["on", "off"]
    assert told[0][1] <= 80
    assert 400 <= told[1][1] <= 1000


def test_it_goes_on_over_the_wrap_of_the_counter():
    bench = Bench(start_ms=(1 << 30) - 500)
    events = bench.run(1000)
    assert kinds(events).count("ready") == 1
    assert "lost" not in kinds(events)
    assert bench.looks[-1][0] > (1 << 30) + 400


# --- misbehaviour -----------------------------------------------------------------------


def once(code, instead):
    """React in this way to the first command of that kind, then as usual."""
    done = []

    def react(command, usual):
        if command[0] == code and not done:
            done.append(True)
            return instead(usual)
        return usual

    return react


def always(instead):
    return lambda command, usual: instead(usual)


def glued(usual):
    return [(3, b"".join(data for _, data in usual))]


def broken(usual):
    (_, ack), (at_ms, answer) = usual
    return [(1, ack), (at_ms, answer[:-3] + bytes([answer[-3] ^ 0x10]) + answer[-2:])]


GARBAGE = bytes.fromhex("988098801E66")
JUNK = bytes.fromhex("003FDFFFE9AF")

MISBEHAVIOUR = {
    "acknowledgement and answer in one read": always(glued),
    "acknowledgement lost": always(lambda usual: usual[1:]),
    "first acknowledgement and answer lost": once(0x14, lambda usual: []),
    "a look's acknowledgement and answer lost": once(LOOK, lambda usual: []),
    "acknowledgement twice": always(lambda usual: [(1, ACK + ACK), *usual[1:]]),
    "answer twice": always(lambda usual: [*usual, (4, usual[1][1])]),
    "garbage before": always(lambda usual: [(0, GARBAGE), *usual]),
    "garbage between": always(lambda usual: [usual[0], (2, GARBAGE), usual[1]]),
    "garbage behind": always(lambda usual: [*usual, (3, GARBAGE)]),
    "junk instead of an acknowledgement": once(LOOK, lambda usual: [(1, JUNK)]),
    "junk instead of an acknowledgement, and the answer": always(
        lambda usual: [(1, JUNK), usual[1]]
    ),
    "the tail alone": once(LOOK, lambda usual: [(1, bytes.fromhex("00FEE2"))]),
    "the tail later": always(lambda usual: [usual[0], (3, usual[1][1][:7]), (9, usual[1][1][7:])]),
    "20 bytes, and the rest with the next read": always(
        lambda usual: [(3, (ACK + usual[1][1])[:20]), (5, (ACK + usual[1][1])[20:])]
    ),
    "half an acknowledgement": once(LOOK, lambda usual: [(1, ACK[:4])]),
    "half an answer": once(LOOK, lambda usual: [usual[0], (3, usual[1][1][:12])]),
    "half an answer to the set-up": once(0x02, lambda usual: [usual[0], (3, usual[1][1][:6])]),
    "the head of a long frame": once(
        LOOK, lambda usual: [(1, bytes.fromhex("0000FFFFFF0109F6")), *usual]
    ),
    "a wrong check in a look": once(LOOK, broken),
    "a wrong check in the set-up": once(0x14, broken),
    "an answer that contradicts itself": once(
        LOOK, lambda usual: [usual[0], (3, a_frame("D54B 02 01 0004 08 04 82ACB95D"))]
    ),
    "an error frame": once(LOOK, lambda usual: [usual[0], (2, ERROR)]),
    "an error frame in the set-up": once(0x14, lambda usual: [usual[0], (2, ERROR)]),
    "no retries known": lambda command, usual: (
        [usual[0], (2, ERROR)] if command[0] == 0x32 else usual
    ),
    "no release known": lambda command, usual: (
        [usual[0], (2, ERROR)] if command[0] == 0x52 else usual
    ),
    "a late answer to the command before": once(
        0x52, lambda usual: [(0, a_frame("D54B 00")), (0, a_frame("D503 32010607")), *usual]
    ),
    "an answer to nothing": always(lambda usual: [*usual, (4, a_frame("D541 01"))]),
    "what was sent comes back too": lambda command, usual: [(0, frame(b"\xd4" + command)), *usual],
    "zeros for ever": always(lambda usual: [(0, bytes(50)), *usual, (4, bytes(50))]),
}


@pytest.mark.parametrize("name", MISBEHAVIOUR)
def test_misbehaviour_is_survived(name):
    bench = Bench(ScriptedChip(MISBEHAVIOUR[name]))
    events = bench.run(3000)
    assert kinds(events).count("ready") == 1
    assert set(events) == {("ready", "PN532 1.6"), ("targets", (NTAG,))}
    assert len(bench.looks) > 30
    # ... and its end was not long in coming.
    assert bench.looks[0][0] < 500


def test_a_wrong_check_is_answered_with_a_request_to_repeat():
    bench = Bench(ScriptedChip(once(LOOK, broken)))
    bench.run(100)
    assert [written for _, written in bench.written].count(NACK) == bench.chip.nacks == 1


def test_an_answer_that_is_wrong_each_time_is_not_asked_for_for_ever():
    class Stubborn(ScriptedChip):
        def hear(self, written, now_ms):
            super().hear(written, now_ms)
            self.last = broken([(1, b""), (3, a_frame(ONE))])[1][1]

    bench = Bench(Stubborn(lambda command, usual: broken(usual) if command[0] == LOOK else usual))
    assert bench.run(10_000) == [("lost", GARBLED)]


def test_without_an_acknowledgement_a_command_is_sent_again_after_15_ms():
    bench = Bench(ScriptedChip(once(0x02, lambda usual: [])))
    bench.run(100)
    version = [at_ms for at_ms, written in bench.written if written == a_frame("D402")]
    assert [after - before for before, after in pairwise(version)] == [15]


def test_a_slow_wire_gets_more_time():
    late = always(lambda usual: [(18, usual[0][1]), (20, usual[1][1])])
    bench = Bench(ScriptedChip(late), ack_ms=40)
    bench.run(1000)
    assert len(bench.chip.commands) == len(bench.written)
    assert bench.events[0][1:] == ("ready", "PN532 1.6")


def test_a_wire_that_is_slower_than_expected_gets_more_time_too():
    late = always(lambda usual: [(18, usual[0][1]), (20, usual[1][1])])
    assert Bench(ScriptedChip(late)).run(1000)[0] == ("ready", "PN532 1.6")


def test_resends_are_bounded():
    bench = Bench(ScriptedChip(lambda command, usual: []))
    bench.run(106)
    assert [at_ms for at_ms, _ in bench.written] == [0, 15, 45, 105]
    assert len({written for _, written in bench.written}) == 1


def silent_without_a_target(command, usual):
    return usual[:1] if command[0] == LOOK and usual[1][1] == a_frame(EMPTY) else usual


def test_a_chip_that_is_silent_without_a_target():
    bench = Bench(ScriptedChip(silent_without_a_target, look=EMPTY))
    events = bench.run(3000)
    assert events[0] == ("ready", "PN532 1.6")
    assert set(events[1:]) == {("targets", ())}
    assert len(bench.looks) > 10
    bench.chip.look = ONE
    assert ("targets", (NTAG,)) in bench.run(400)
    bench.chip.look = EMPTY
    assert ("targets", ()) in bench.run(600)
    assert bench.chip.aborts > 10


def test_a_tag_that_comes_while_a_silent_chip_looks_is_told_at_once():
    waiting = [(1, ACK), (80, a_frame(ONE))]
    bench = Bench(ScriptedChip(lambda command, usual: waiting if command[0] == LOOK else usual))
    assert bench.run(300)[:2] == [("ready", "PN532 1.6"), ("targets", (NTAG,))]


@pytest.mark.parametrize("late_ms", [103, 110, 160])
def test_a_chip_that_answers_each_look_too_late_is_given_time(late_ms):
    """It does not let itself be stopped: the answer comes after the next question."""

    def react(command, usual):
        return [(1, ACK), (late_ms, a_frame(ONE))] if command[0] == LOOK else usual

    class Unstoppable(ScriptedChip):
        def hear(self, written, now_ms):
            kept = [each for each in self._queue if each[1] == a_frame(ONE)]
            super().hear(written, now_ms)
            self._queue = kept + self._queue

    bench = Bench(Unstoppable(react))
    events = bench.run(3000)
    assert set(events) == {("ready", "PN532 1.6"), ("targets", (NTAG,))}
    assert len(bench.looks) > 8
    if late_ms <= 110:  # ... and in the end it is not set up each time
        assert NORMAL_MODE not in bench.chip.commands[-20:]


def deaf_after(looks):
    heard = []

    def react(command, usual):
        if command[0] == 0x14:
            heard.clear()
        if command[0] == LOOK:
            heard.append(command)
            if len(heard) > looks:
                return usual[:1]
        return usual

    return react


@pytest.mark.parametrize("looks", [1, 5, 40])
def test_a_chip_that_is_deaf_after_some_looks_is_set_up_again(looks):
    bench = Bench(ScriptedChip(deaf_after(looks)))
    events = bench.run(10_000)
    assert set(events) == {("ready", "PN532 1.6"), ("targets", (NTAG,))}
    assert len(bench.looks) > 40


def test_a_chip_that_is_mute_after_some_looks_is_set_up_again():
    """It says nothing at all until it is woken and set up."""
    heard = []

    def react(command, usual):
        heard.append(command[0])
        if command[0] == 0x14:
            heard.clear()
        return [] if heard.count(LOOK) > 20 else usual

    bench = Bench(ScriptedChip(react))
    events = bench.run(10_000)
    assert set(events) == {("ready", "PN532 1.6"), ("targets", (NTAG,))}
    assert len(bench.looks) > 100


@pytest.mark.parametrize("moment_ms", range(200, 260))
def test_a_chip_without_power_for_a_moment_is_woken_again(moment_ms):
    """Whatever it was about to do, and nothing is said of an empty field."""
    bench = Bench()
    bench.run(moment_ms)
    bench.chip.power_cycle()
    events = bench.run(1000)
    assert set(events) == {("targets", (NTAG,))}
    assert len(events) > 10


def test_a_chip_that_restarted_awake_is_set_up_again():
    """It acknowledges each look and finds nothing before it is told to work normally."""
    bench = Bench()
    bench.run(500)
    bench.chip.normal = False
    assert set(bench.run(1000)) == {("targets", (NTAG,))}


# --- lost and back ------------------------------------------------------------------------


def test_a_chip_that_is_not_there_is_told_once_and_asked_for_ever():
    bench = Bench()
    bench.chip.powered = False
    assert bench.run(600_000) == [("lost", SILENT)]
    assert bench.events[0][0] < 1000
    times = [at_ms for at_ms, written in bench.written if WAKE_UP in written]
    gaps = [after - before for before, after in pairwise(times)]
    assert max(gaps) <= 1100
    assert len(times) > 1000
    assert len(times) < 3000  # with a pause: four in a row, and one second
    bench.chip.powered = True
    assert bench.run(1200)[:2] == [("ready", "PN532 1.6"), ("targets", (NTAG,))]


def test_a_chip_that_goes_and_comes_back_is_told_each_time():
    bench = Bench()
    bench.run(500)
    for _ in range(3):
        bench.chip.powered = False
        bench.chip.power_cycle()
        assert [each for each in bench.run(5000) if each[0] != "targets"] == [("lost", STOPPED)]
        bench.chip.powered = True
        events = bench.run(1500)
        assert [each for each in events if each[0] != "targets"] == [("ready", "PN532 1.6")]


def test_a_chip_that_waits_for_the_rest_of_a_frame_is_given_it():
    """A garbled request to repeat reads as the head of a frame of 255 bytes."""

    class Waiting(ScriptedChip):
        missing = 0

        def hear(self, written, now_ms):
            if self.missing > 0:
                self.missing -= len(written)
                return
            super().hear(written, now_ms)

    bench = Bench(Waiting())
    bench.run(500)
    bench.chip.missing = 256 + 20
    assert set(bench.run(2000)) == {("targets", (NTAG,))}


def test_over_a_bus_no_frame_has_to_be_filled():
    bench = Bench(wake_up=b"")
    bench.chip.powered = False
    bench.run(5000)
    assert {len(written) for _, written in bench.written} == {12}


def test_what_cannot_be_read_is_called_so():
    bench = Bench(ScriptedChip(lambda command, usual: [(1, GARBAGE)]))
    assert bench.run(5000) == [("lost", GARBLED)]


def test_a_look_of_which_half_is_heard_says_nothing_of_an_empty_field():
    half = [(1, ACK), (3, a_frame(ONE)[:9])]
    bench = Bench(ScriptedChip(lambda command, usual: half if command[0] == LOOK else usual))
    assert bench.run(10_000) == [("lost", GARBLED)]


def test_looks_that_contradict_themselves_say_nothing_of_an_empty_field():
    bench = Bench(ScriptedChip(look="D54B 02 01 0004 08 04 82ACB95D"))
    assert bench.run(10_000) == [("lost", GARBLED)]


def test_wires_that_are_joined_are_called_so():
    bench = Bench(ScriptedChip(lambda command, usual: [(0, frame(b"\xd4" + command))]))
    assert bench.run(5000) == [("lost", ECHO)]


def test_a_chip_that_refuses_every_look_is_lost():
    bench = Bench(
        ScriptedChip(lambda command, usual: [(1, ACK + ERROR)] if command[0] == LOOK else usual)
    )
    assert bench.run(20_000) == [("lost", SILENT)]


def test_a_uid_that_cannot_be_believed_is_told_as_such():
    bench = Bench(ScriptedChip(look="D54B 01 01 0044 04 04 8804A3C6"))
    events = bench.run(1000)
    assert events[0] == ("ready", "PN532 1.6")
    assert set(events[1:]) == {("unreadable", INCOMPLETE)}


# --- chance -------------------------------------------------------------------------------


@given(st.integers(0, 1 << 30), st.integers(1, 9))
def test_events_are_the_same_however_answers_are_cut(seed, longest):
    chance = random.Random(seed)

    def pieces(data):
        while data:
            size = chance.randint(1, longest)
            yield data[:size]
            data = data[size:]

    def react(command, usual):
        return glued(usual) if seed % 2 else usual

    whole = Bench(ScriptedChip(react, look=TWO))
    cut = Bench(ScriptedChip(react, look=TWO), cut=pieces)
    whole.run(150)
    cut.run(150)
    assert cut.events == whole.events
    assert cut.written == whole.written


@pytest.mark.parametrize("seed", range(5))
def test_a_bad_wire_never_makes_a_tag_and_the_good_one_is_told(seed):
    """One byte in a hundred is turned, lost or doubled, both ways."""
    chance = random.Random(seed)

    def spoil(data):
        spoilt = bytearray()
        for byte in data:
            lot = chance.random()
            if lot < 0.004:
                spoilt.append(byte ^ 1 << chance.randrange(8))
            elif lot < 0.007:
                spoilt += bytes((byte, byte))
            elif lot > 0.01:
                spoilt.append(byte)
        return bytes(spoilt)

    class BadWire(ScriptedChip):
        def hear(self, written, now_ms):
            super().hear(spoil(written), now_ms)

        def say(self, now_ms):
            return [spoil(data) for data in super().say(now_ms)]

    bench = Bench(BadWire())
    bench.run(60_000)
    presence = Presence()
    told = [event for at_ms, uids in bench.looks for event in presence.seen(uids, at_ms)]
    assert told == [("on", NTAG)]
    assert len(bench.looks) > 500


@given(st.lists(st.binary(max_size=40), max_size=60), st.integers(0, 60))
def test_anything_may_come_at_any_time(pieces, wait_ms):
    chip = Pn532()
    now_ms = 0
    for piece in pieces:
        chip.output(now_ms)
        chip.feed(piece, now_ms)
        now_ms += wait_ms
    while (event := chip.next_event()) is not None:
        assert event[0] == "lost"


def test_random_bytes_while_a_look_is_awaited_are_no_target():
    chance = random.Random(2)
    bench = Bench(ScriptedChip(look=EMPTY))
    bench.run(100)
    chip = bench.pn532
    for number in range(20_000):
        chip.feed(chance.randbytes(500), bench.now_ms + number)
        chip.output(bench.now_ms + number)
    while (event := chip.next_event()) is not None:
        assert event[0] == "lost"


def test_after_anything_it_is_in_step_again():
    for seed in range(30):
        chance = random.Random(seed)
        bench = Bench()
        bench.run(100 + seed)
        bench.pn532.feed(chance.randbytes(300), bench.now_ms)
        bench.pn532.feed(b"\x00\x00\xff\xff\xff\x01\x09\xf6", bench.now_ms)
        events = bench.run(500)
        assert set(events) == {("targets", (NTAG,))}
        assert len(events) > 3


def test_the_module_needs_nothing_but_the_project():
    """It runs on a microcontroller, and on any computer."""
    source = Path(pn532.__file__).read_text(encoding="utf-8")
    imported = re.findall(r"^\s*(?:import|from)\s+(\S+)", source, re.MULTILINE)
    assert imported == ["firmware_bridge.milliseconds"]


def test_the_frames_of_the_scripts_are_frames():
    for answer in (*ANSWERS.values(), EMPTY, TWO):
        assert Frames().feed(a_frame(answer))[0][0] == Frames.DATA
