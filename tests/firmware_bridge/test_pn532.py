"""What is said to a PN532 and when, and what is understood: against a chip that is a script."""

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pn532_bench import (
    ANSWERS,
    CLASSIC,
    EMPTY,
    LOOK,
    NTAG,
    ONE,
    TWO,
    Bench,
    ScriptedChip,
    a_frame,
    glued,
    kinds,
)

from firmware_bridge import pn532
from firmware_bridge.pn532 import (
    ACK,
    Frames,
    Pn532,
)
from firmware_bridge.presence import Presence

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
