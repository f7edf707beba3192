"""One end of the link against another, or against frames made by hand."""

import struct

import pytest

from firmware_bridge import messages as m
from firmware_bridge.frames import Unframer, frame
from firmware_bridge.link import DEAD_MS, HEARTBEAT_MS, RESEND_MS, Link
from firmware_bridge.milliseconds import since

BOARD, HOST = 11, 22


class Pair:
    """A board and a host on a perfect line, until a test takes something away."""

    def __init__(self, now_ms=1_000, **options):
        self.now_ms = now_ms
        self.board = Link(BOARD, m.pack_hello("Pico", m.HAS_SHIP, ["PN532"]), **options)
        self.host = Link(HOST, m.pack_hello("host", 0, []))

    def turn(self, passed_ms=20, *, up=True, down=True):
        """What the host and what the board hears in one turn."""
        self.now_ms += passed_ms
        out = self.board.output(self.now_ms)
        heard = self.host.feed(out, self.now_ms) if up else []
        out = self.host.output(self.now_ms)
        return heard, self.board.feed(out, self.now_ms) if down else []

    def turns(self, count, **options):
        both = [self.turn(**options) for _ in range(count)]
        return [item for up, _ in both for item in up], [item for _, down in both for item in down]


@pytest.fixture
def pair():
    pair = Pair()
    pair.turns(4)
    return pair


def kinds(out):
    return [payload[0] for payload in Unframer().feed(out)]


def by_hand(kind, number=0, expected=0, body=b""):
    return frame(struct.pack("<BHH", kind, number, expected) + body)


def hello(boot_id, greets, first=0, protocol=m.PROTOCOL, tail=b""):
    fixed = struct.pack("<BBIIHI", protocol, 0, boot_id, greets, first, 777)
    return by_hand(m.HELLO, body=fixed + tail)


def test_both_hear_hello_first_and_once():
    pair = Pair()
    pair.board.send(m.BUTTON, b"early", pair.now_ms)
    up, down = pair.turns(40)
    assert up == [(m.HELLO, m.pack_hello("Pico", m.HAS_SHIP, ["PN532"])), (m.BUTTON, b"early")]
    assert down == [(m.HELLO, m.pack_hello("host", 0, []))]
    assert (pair.host.peer_boot_id, pair.board.peer_boot_id) == (BOARD, HOST)


def test_an_end_that_is_alone_says_hello_every_half_second_and_nothing_else():
    link = Link(BOARD)
    link.send(m.BUTTON, b"", 0)
    said = [kinds(link.output(now_ms)) for now_ms in range(0, 2_000, 50)]
    assert [turn for turn in said if turn] == [[m.HELLO]] * 4
    assert not link.alive(0)


def test_heartbeats_go_both_ways_every_half_second_and_tell_the_time(pair):
    said = []
    for _ in range(100):
        pair.turn()
        said.append(pair.now_ms - pair.host.peer_ms)
    assert max(said) < HEARTBEAT_MS + 20
    assert pair.host.peer_ms_at == pair.host.peer_ms


def test_two_seconds_of_silence_are_dead_and_less_is_not(pair):
    pair.turns(150)  # both have just said something
    last_ms = pair.host.heard_ms
    assert pair.host.alive(last_ms + DEAD_MS - 1)
    assert not pair.host.alive(last_ms + DEAD_MS)
    pair.host.output(last_ms + DEAD_MS)
    assert not pair.host.alive(last_ms + DEAD_MS - 1)
    assert pair.host.send(m.SIGNAL, b"", last_ms + DEAD_MS)


def test_a_lost_frame_is_sent_again_after_its_time_and_not_earlier(pair):
    pair.board.send(m.BUTTON, b"1", pair.now_ms)
    assert pair.turn(up=False) == ([], [])
    sent_ms = pair.now_ms
    heard = pair.turns(RESEND_MS // 20 - 1)[0]
    assert heard == []
    assert pair.turns(2)[0] == [(m.BUTTON, b"1")]
    assert pair.now_ms - sent_ms <= RESEND_MS + 20


def test_a_lost_acknowledgement_doubles_nothing(pair):
    pair.board.send(m.BUTTON, b"1", pair.now_ms)
    assert pair.turn(down=False)[0] == [(m.BUTTON, b"1")]
    assert pair.turns(20)[0] == []
    assert pair.board.waiting == 0


def test_a_frame_that_is_resent_in_vain_for_two_seconds_is_a_dead_link(pair):
    pair.board.send(m.BUTTON, b"", pair.now_ms)
    for _ in range(15):  # it hears the other one, who acknowledges nothing
        pair.now_ms += 160
        pair.board.output(pair.now_ms)
        pair.board.feed(by_hand(m.HEARTBEAT, body=bytes(4)), pair.now_ms)
    assert not pair.board.alive(pair.now_ms)
    assert pair.board.waiting == 1


def test_no_more_than_a_window_is_under_way(pair):
    for number in range(20):
        pair.board.send(m.BUTTON, bytes([number]), pair.now_ms)
    assert kinds(pair.board.output(pair.now_ms)) == [m.BUTTON] * 8
    assert kinds(pair.board.output(pair.now_ms)) == []


def test_what_was_never_sent_cannot_be_acknowledged(pair):
    pair.board.send(m.BUTTON, b"1", pair.now_ms)
    pair.board.feed(by_hand(m.ACK, expected=1), pair.now_ms)
    assert pair.board.waiting == 1
    pair.board.output(pair.now_ms)
    pair.board.feed(by_hand(m.ACK, expected=2), pair.now_ms)
    assert pair.board.waiting == 1
    pair.board.feed(by_hand(m.ACK, expected=1), pair.now_ms)
    assert pair.board.waiting == 0


def test_what_is_sensed_while_the_cable_is_out_comes_once_and_in_order(pair):
    pair.host.cut()
    for number in range(30):
        pair.board.send(m.BUTTON, bytes([number]), pair.now_ms)
        pair.turn(100, up=False, down=False)
    heard = pair.turns(40)[0]
    assert heard[0][0] == m.HELLO
    assert heard[1:] == [(m.BUTTON, bytes([number])) for number in range(30)]
    assert pair.host.peer_boot_id == BOARD


def test_another_host_process_gets_what_was_not_acknowledged(pair):
    for number in range(3):
        pair.board.send(m.BUTTON, bytes([number]), pair.now_ms)
    pair.turns(3)
    pair.board.send(m.BUTTON, b"\3", pair.now_ms)
    pair.turn(up=False)
    pair.host = Link(HOST + 1)
    assert [body for kind, body in pair.turns(40)[0] if kind == m.BUTTON] == [b"\3"]


def test_a_board_that_starts_anew_has_another_boot_id(pair):
    pair.board.send(m.BUTTON, b"old", pair.now_ms)
    pair.turns(3)
    pair.board = Link(BOARD + 1)
    pair.board.send(m.BUTTON, b"new", pair.now_ms)
    assert pair.turns(10)[0] == [(m.HELLO, b""), (m.BUTTON, b"new")]
    assert pair.host.peer_boot_id == BOARD + 1


def test_the_number_in_a_hello_for_another_host_does_not_count():
    """It may be from before that host acknowledged more."""
    host = Link(HOST)
    assert host.feed(hello(BOARD, greets=99, first=5), 0) == []
    assert host.feed(by_hand(m.BUTTON, 5), 0) == []
    assert host.feed(hello(BOARD, greets=HOST, first=8), 0) == [(m.HELLO, b"")]
    assert host.feed(by_hand(m.BUTTON, 8, body=b"8"), 0) == [(m.BUTTON, b"8")]


def test_what_another_host_took_in_between_is_not_waited_for(pair):
    pair.host.feed(hello(BOARD, greets=HOST, first=3), pair.now_ms)
    assert pair.host.feed(by_hand(m.BUTTON, 3, body=b"3"), pair.now_ms) == [(m.BUTTON, b"3")]


def test_an_echo_of_our_own_hello_is_no_other_end():
    link = Link(BOARD)
    for now_ms in range(0, 3_000, 100):
        assert link.feed(link.output(now_ms), now_ms) == []
    assert link.peer_boot_id == 0


def test_another_protocol_version_is_named_and_nothing_is_said_to_it(pair):
    newer = m.PROTOCOL + 1
    assert pair.host.feed(hello(BOARD, HOST, protocol=newer), 0) == []
    assert pair.host.peer_protocol == newer
    assert not pair.host.alive(pair.now_ms)
    assert pair.host.feed(by_hand(m.BUTTON, 0), pair.now_ms) == []
    pair.host.feed(by_hand(m.HELLO, body=bytes([newer])), pair.now_ms)  # whatever follows it
    assert kinds(pair.host.output(pair.now_ms + 600)) == [m.HELLO]
    pair.host.cut()
    assert pair.host.peer_protocol is None
    pair.host.feed(hello(BOARD, HOST, protocol=0), pair.now_ms)
    assert pair.host.peer_protocol == 0


def test_an_overflow_is_told_where_the_gap_is():
    pair = Pair(queue_limit=4)
    taken = [pair.board.send(m.BUTTON, bytes([number]), 0) for number in range(7)]
    assert taken == [True] * 4 + [False] * 3
    heard = pair.turns(4)[0]
    pair.board.send(m.BUTTON, b"\7", pair.now_ms)
    heard += pair.turns(3)[0]
    assert heard[1:] == [
        *((m.BUTTON, bytes([number])) for number in range(4)),
        (m.OVERFLOW, m.pack_overflow(3)),
        (m.BUTTON, b"\7"),
    ]


def test_attitudes_are_sent_once_or_not_at_all(pair):
    assert pair.board.send(m.ATTITUDE, b"1", pair.now_ms)
    pair.turn(up=False)
    assert pair.turns(30)[0] == []
    for number in range(6):
        pair.board.send(m.ATTITUDE, bytes([number]), pair.now_ms)
    out = pair.board.output(pair.now_ms)
    heard = pair.host.feed(out + out, pair.now_ms)
    assert heard == [(m.ATTITUDE, bytes([number])) for number in (2, 3, 4, 5)]
    pair.turn(DEAD_MS + 1, up=False, down=False)
    assert not pair.board.send(m.ATTITUDE, b"late", pair.now_ms)


def test_hello_is_said_again_when_asked_and_told_only_when_it_is_another(pair):
    pair.host.send(m.VERSION, b"", pair.now_ms)
    said = []
    for _ in range(4):
        pair.now_ms += 20
        pair.board.feed(pair.host.output(pair.now_ms), pair.now_ms)
        out = pair.board.output(pair.now_ms)
        said += kinds(out)
        assert pair.host.feed(out, pair.now_ms) == []
    assert m.HELLO in said
    pair.board.introduce(b"other")
    assert pair.turns(3)[0] == [(m.HELLO, b"other")]


def test_boot_loader_noise_before_hello_spoils_nothing():
    board, host = Link(BOARD), Link(HOST)
    board.feed(host.output(0), 0)
    noise = b"ets Jul 29 2019 12:21:46\r\n\r\nrst:0x1 (POWERON_RESET),boot:0x13\r\n"
    assert host.feed(noise + board.output(0), 0) == [(m.HELLO, b"")]


def test_the_counter_may_wrap_while_the_link_is_up():
    pair = Pair(now_ms=2**30 - 500)
    pair.turns(10)
    for number in range(100):
        pair.now_ms %= 2**30
        pair.board.send(m.BUTTON, bytes([number]), pair.now_ms)
        assert pair.turn()[0] == [(m.BUTTON, bytes([number]))]
        assert pair.host.alive(pair.now_ms)


def test_the_numbers_may_wrap(pair):
    for count in range(0x10000 // 8 + 2):
        for _ in range(8):
            pair.board.send(m.BUTTON, count.to_bytes(2, "big"), pair.now_ms)
        assert pair.turn(1)[0] == [(m.BUTTON, count.to_bytes(2, "big"))] * 8


@pytest.mark.parametrize(
    ("now_ms", "then_ms", "passed_ms"),
    [(5, 3, 2), (3, 5, -2), (1, 2**30 - 1, 2), (2**30 - 1, 1, -2), (2**30 + 7, 5, 2)],
)
def test_since_is_right_over_the_wrap(now_ms, then_ms, passed_ms):
    assert since(now_ms, then_ms) == passed_ms


@pytest.mark.parametrize("boot_id", [0, 2**32, -1])
def test_a_boot_id_that_does_not_fit_is_refused(boot_id):
    with pytest.raises(ValueError, match="boot id"):
        Link(boot_id)


def test_a_body_that_does_not_fit_is_refused(pair):
    with pytest.raises(ValueError, match="240"):
        pair.board.send(m.BUTTON, bytes(241), 0)
    pair.board.send(m.BUTTON, bytes(240), pair.now_ms)
    assert pair.turn()[0] == [(m.BUTTON, bytes(240))]
