"""The firmware's loop on a board of software and a clock of the test."""

from __future__ import annotations

import itertools

import pytest

from firmware_bridge import messages as m
from firmware_bridge.app import LAY_THERE_MS, TURN_MS
from firmware_bridge.button import STEADY_MS, Button
from firmware_bridge.signs import DARK, SIGNS, Sign
from tests.firmware_bridge.soft_board import Bench

FOUR = bytes.fromhex("82ACB95D")
SEVEN = bytes.fromhex("04A3C6CAE26180")
READERS = ["pn532-spi", "pn532-uart", "rc522"]


@pytest.fixture(params=READERS)
def bench(request):
    bench = Bench(2, request.param)
    bench.settle()
    return bench


def test_it_says_who_it_is():
    bench = Bench(3)
    bench.settle()
    bench.run(1000)
    assert bench.hellos[0] == ("bench, Tidetable 1.0", m.HAS_SHIP, ["PN532"] * 3)
    assert bench.hellos[-1] == ("bench, Tidetable 1.0", m.HAS_SHIP, ["PN532 1.6"] * 3)
    assert len(bench.hellos) == 2


def test_tags_at_two_places_in_order(bench):
    bench.run(LAY_THERE_MS)
    bench.board.antennas[0].put(SEVEN)
    (on,) = bench.until(m.TAG_ON)
    place, uid, t_ms, lay_there = m.unpack_tag_on(on)
    assert (place, uid, lay_there) == (0, SEVEN, False)
    assert bench.board.now_ms - t_ms < 5
    bench.board.antennas[1].put(FOUR)
    (on,) = bench.until(m.TAG_ON)
    assert m.unpack_tag_on(on)[:2] == (1, FOUR)
    bench.board.antennas[0].take(SEVEN)
    (off,) = bench.until(m.TAG_OFF)
    assert m.unpack_tag_off(off)[:2] == (0, SEVEN)
    bench.run(3_000)
    assert len(bench.told) == 3


def test_a_tag_that_lay_there_before_anybody_looked():
    bench = Bench()
    bench.board.antennas[0].put(SEVEN)
    *_, body = bench.until(m.PLACE_BACK, m.PLACE_BACK, m.TAG_ON)
    assert m.unpack_tag_on(body)[3]


def test_two_tags_at_one_place(bench):
    bench.board.antennas[1].put(SEVEN)
    bench.board.antennas[1].put(FOUR)
    (body,) = bench.until(m.SEVERAL)
    assert m.unpack_place(body)[0] == 1
    bench.run(2_000)
    assert len(bench.told) == 1


@pytest.mark.parametrize("reader", ["pn532-spi", "rc522"])
def test_fields_of_neighbours_are_never_on_together(reader):
    bench = Bench(8, reader)
    bench.settle()
    for place, antenna in enumerate(bench.board.antennas):
        antenna.put(bytes([4, 1, 2, 3, 4, 5, place]))
    bench.until(*[m.TAG_ON] * 8)
    bench.run(1_000)
    assert bench.crowded == 0


def test_eight_places_are_looked_at_in_turn():
    bench = Bench(8)
    bench.settle()
    before = list(bench.looks)
    bench.run(10_000)
    looks = [now - earlier for now, earlier in zip(bench.looks, before, strict=True)]
    assert max(looks) - min(looks) <= 1
    assert min(looks) > 40  # over four times a second each


@pytest.mark.parametrize("reader", ["pn532-spi", "rc522"])
def test_a_tag_is_told_within_one_round_of_all_places(reader):
    """A second look at the same place follows at once, or it would take two rounds."""
    bench = Bench(8, reader)
    bench.settle()
    bench.run(LAY_THERE_MS)
    start_ms, before = bench.board.now_ms, bench.looks[0]
    bench.run(5_000)
    round_ms = (bench.board.now_ms - start_ms) / (bench.looks[0] - before)
    for number in range(20):
        bench.run(number * 7)
        laid_ms = bench.board.now_ms
        bench.board.antennas[number % 8].put(bytes([4, 0, 0, 0, 0, 0, number]))
        (on,) = bench.until(m.TAG_ON)
        assert bench.board.now_ms - laid_ms < 1.4 * round_ms
        bench.board.antennas[number % 8].take(bytes([4, 0, 0, 0, 0, 0, number]))
        bench.until(m.TAG_OFF)
        assert m.unpack_tag_on(on)[0] == number % 8


def test_a_silent_chip_is_lost_and_comes_back_by_itself(bench):
    bench.run(LAY_THERE_MS)
    bench.board.antennas[1].put(SEVEN)
    bench.until(m.TAG_ON)
    bench.board.antennas[1].silent = True
    (body,) = bench.until(m.PLACE_LOST)
    assert m.unpack_place(body)[0] == 1
    bench.run(5_000)
    assert len(bench.told) == 2  # told once, and the tag has not left
    # The other place goes on meanwhile.
    bench.board.antennas[0].put(FOUR)
    bench.until(m.TAG_ON)
    bench.board.antennas[1].silent = False
    bench.board.antennas[1].brown_out()
    (body,) = bench.until(m.PLACE_BACK)
    assert m.unpack_place(body)[0] == 1
    bench.run(2_000)
    assert len(bench.told) == 4  # the tag lies there still


def test_a_dead_chip_does_not_slow_its_neighbours():
    bench = Bench(4)
    for dead in (0, 2, 3):
        bench.board.antennas[dead].silent = True
    bench.run(2 * TURN_MS)
    before = bench.looks[1]
    bench.run(2_000)
    assert bench.looks[1] - before > 20


def test_a_tag_laid_down_while_its_place_was_away_lay_there_when_it_came_back(bench):
    bench.run(LAY_THERE_MS)
    bench.board.antennas[0].silent = True
    bench.until(m.PLACE_LOST)
    bench.board.antennas[0].silent = False
    bench.board.antennas[0].brown_out()
    bench.board.antennas[0].put(SEVEN)
    _, on = bench.until(m.PLACE_BACK, m.TAG_ON)
    assert m.unpack_tag_on(on)[3]


class ChipOfWords:
    """A chip that tells the events that it is given."""

    resting = True

    def __init__(self, *events):
        self.events = list(events)

    def output(self, now_ms):
        return b""

    def feed(self, data, now_ms): ...

    def next_event(self):
        return self.events.pop(0) if self.events else None


def test_what_cannot_be_read_is_told_once():
    bench = Bench(1)
    bench.settle()
    chip = ChipOfWords(*[("unreadable", "It is cut.")] * 2, ("targets", ()))
    bench.app._places[0].chip = chip
    bench.run(200)
    assert bench.told == []  # a moment at the edge of the field
    chip.events += [("unreadable", "It is cut.")] * 20
    (body,) = bench.until(m.UNREADABLE)
    assert m.unpack_unreadable(body)[:2] == (0, "It is cut.")
    bench.run(200)
    assert len(bench.told) == 1


def test_everything_waits_while_nobody_listens():
    bench = Bench(1)
    bench.settle()
    bench.run(LAY_THERE_MS)
    bench.listening = False
    antenna = bench.board.antennas[0]
    expected = []
    for round_ in range(3):
        uid = bytes([4, 1, 2, 3, 4, 5, round_])
        antenna.put(uid)
        bench.run(1_000)
        antenna.take(uid)
        bench.run(2_000)
        expected += [(m.TAG_ON, uid), (m.TAG_OFF, uid)]
    assert bench.told == []
    bench.listening = True
    bodies = bench.until(*[kind for kind, _ in expected])
    assert [body[5:] for body in bodies] == [uid for _, uid in expected]
    times = [int.from_bytes(body[1:5], "little") for body in bodies]
    assert times == sorted(times)
    assert times[-1] - times[0] > 6_000  # as they were, not when they were told


# --- buttons --------------------------------------------------------------------------


def test_a_button(bench):
    bench.board.button_kinds[1] = m.UNDO
    bench.run(2 * STEADY_MS)
    pressed_ms = bench.board.now_ms
    bench.board.down[1] = True
    (body,) = bench.until(m.BUTTON)
    assert m.unpack_button(body) == (1, m.UNDO, pressed_ms)
    bench.run(5_000)
    bench.board.down[1] = False
    bench.run(100)
    assert len(bench.told) == 1


def test_a_contact_that_bounces():
    button = Button()
    presses = [button.heard(False, now_ms) for now_ms in range(100)]
    now_ms = itertools.count(100)
    for touched, lasts_ms in [(1, 3), (0, 2), (1, 7), (0, 20), (1, 60), (0, 4), (1, 9), (0, 90)]:
        presses += [button.heard(bool(touched), next(now_ms)) for _ in range(lasts_ms)]
    assert [press for press in presses if press is not None] == [132]


def test_a_button_that_is_held_at_the_start_was_not_pressed():
    button = Button()
    assert {button.heard(True, now_ms) for now_ms in range(1000)} == {None}
    for now_ms in range(1000, 1000 + 2 * STEADY_MS):
        button.heard(False, now_ms)
    assert any(button.heard(True, now_ms) is not None for now_ms in range(1100, 1200))


# --- signs ----------------------------------------------------------------------------


def colours(sign):
    return {colour for _, colour, _ in SIGNS[sign] if colour != DARK}


def rhythm(sign):
    """How long it sounds and is silent, in turn, so that colours and pitches do not count."""
    lengths = []
    for lasts_ms, _, tone_hz in SIGNS[sign]:
        if lengths and bool(tone_hz) == lengths[-1][0]:
            lengths[-1] = (lengths[-1][0], lengths[-1][1] + lasts_ms)
        else:
            lengths.append((bool(tone_hz), lasts_ms))
    return lengths


def test_signs_differ_by_colour_and_by_rhythm():
    signs = [m.ACCEPTED, m.REFUSED, m.YOUR_TURN, m.ALARM]
    assert sorted(SIGNS) == signs
    for one, other in itertools.combinations(signs, 2):
        assert not colours(one) & colours(other)
        beats = [sum(sounds for sounds, _ in rhythm(sign)) for sign in (one, other)]
        assert beats[0] != beats[1]


def test_every_sign_ends():
    for sign in SIGNS:
        shown = Sign()
        shown.start(sign, 0)
        assert shown.look(0) != (DARK, 0)
        assert shown.look(3_000) == (DARK, 0)


def test_a_sign_at_one_place(bench):
    bench.say(m.SIGNAL, m.pack_signal(1, m.REFUSED))
    bench.run(2_000)
    assert {place for _, place, _ in bench.board.shown} == {1}
    shown = [what for _, _, what in bench.board.shown]
    assert [what for what in shown if isinstance(what, tuple)] == [(110, 0, 0), DARK] * 2
    assert [what for what in shown if isinstance(what, int)] == [220, 0] * 2
    first_ms, last_ms = bench.board.shown[0][0], bench.board.shown[-1][0]
    assert last_ms - first_ms == sum(lasts_ms for lasts_ms, _, _ in SIGNS[m.REFUSED])


def test_a_sign_at_the_ship_shows_everywhere(bench):
    bench.say(m.SIGNAL, m.pack_signal(m.SHIP, m.ALARM))
    bench.run(2_000)
    assert {place for _, place, _ in bench.board.shown} == {0, 1}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (m.SIGNAL, b""),
        (m.SIGNAL, bytes([9, m.ALARM])),
        (m.SIGNAL, bytes([0, 99])),
        (m.SAMPLING, b""),
        (0x3F, b"what a newer host may say"),
    ],
)
def test_what_makes_no_sense_is_passed_over(bench, kind, body):
    bench.say(kind, body)
    bench.run(500)
    assert bench.board.shown == []
    bench.say(m.SIGNAL, m.pack_signal(0, m.ACCEPTED))
    bench.run(500)
    assert bench.board.shown


# --- the ship -------------------------------------------------------------------------


def rate_hz(bench):
    bench.run(100)
    before = len(bench.attitudes)
    bench.run(4_000)
    return (len(bench.attitudes) - before) / 4


def test_how_often_the_ship_is_looked_at(bench):
    assert rate_hz(bench) == 1
    bench.say(m.SAMPLING, m.pack_sampling(50))
    assert rate_hz(bench) == 50
    bench.say(m.SAMPLING, m.pack_sampling(0))  # not never
    assert rate_hz(bench) == 1


def test_what_the_ship_feels(bench):
    bench.board.sensor.axes = (12, -700, 714)
    bench.say(m.SAMPLING, m.pack_sampling(50))
    bench.run(200)
    assert bench.attitudes[-1][:3] == (12, -700, 714)
    assert bench.board.now_ms - bench.attitudes[-1][3] <= 25


def test_a_sensor_that_falls_silent(bench):
    bench.say(m.SAMPLING, m.pack_sampling(50))
    bench.run(100)
    bench.board.sensor.axes = None
    bench.run(1_000)
    assert bench.told == []
    (body,) = bench.until(m.PLACE_LOST)
    assert m.unpack_place(body)[0] == m.SHIP
    bench.board.sensor.axes = (0, 0, 1000)
    (body,) = bench.until(m.PLACE_BACK)
    assert m.unpack_place(body)[0] == m.SHIP


def test_a_board_without_a_ship_and_one_without_places():
    bench = Bench(1)
    bench.board.sensor = None
    bench.until(m.PLACE_BACK)
    bench.run(3_000)
    assert bench.attitudes == []
    bench = Bench(0)
    bench.settle()
    assert rate_hz(bench) == 1


# --- the board ------------------------------------------------------------------------


def test_reset_when_the_host_knows_that_it_was_heard(bench):
    bench.say(m.RESET)
    for _ in range(150):
        bench.run(1)
        assert bench.board.resets == 0
    assert bench.host.waiting == 0
    bench.run(200)
    assert bench.board.resets == 1


def test_version_is_answered_at_once():
    bench = Bench()
    bench.settle()
    bench.run(1_000)
    heard_ms = bench.host.peer_ms_at
    while bench.host.peer_ms_at == heard_ms:  # a heartbeat, and the next is half a second off
        bench.run(1)
    heard_ms = bench.host.peer_ms_at
    bench.run(50)
    assert bench.host.peer_ms_at == heard_ms
    bench.say(m.VERSION)
    bench.run(20)
    assert bench.host.peer_ms_at > heard_ms
