"""What a PN532 or its wire does wrong, and that it is survived."""

from itertools import pairwise

import pytest
from pn532_bench import EMPTY, ERROR, LOOK, NTAG, ONE, Bench, ScriptedChip, a_frame, glued, kinds

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
    frame,
)

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
