"""Two ends of the link over a pipe that loses, garbles, doubles and is cut, with restarts."""

import hypothesis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from firmware_bridge.link import Link
from firmware_bridge.messages import ATTITUDE, BUTTON, HELLO, OVERFLOW, unpack_overflow

QUEUE_LIMIT = 12  # more than a window, and small enough to run over


class End:
    """One end, which may start anew, and what it has said and heard."""

    def __init__(self, boot_ids):
        self._boot_ids = boot_ids
        self.pipe = bytearray()  # what it has written and the other has not read
        self.other = None
        self.start()

    def start(self):
        self.link = Link(next(self._boot_ids), b"", QUEUE_LIMIT)
        self.told = 0  # messages, also those that were refused
        self.said = []  # what the other end has heard of this session, by number
        self.heard_of = {}  # how far this session has heard, by the other's boot id
        self.unreliable = -1

    def send(self, now_ms):
        self.link.send(BUTTON, self.told.to_bytes(4, "big"), now_ms)
        self.told += 1

    def hear(self, data, now_ms, sessions):
        delivered = self.link.feed(data, now_ms)
        reliable = [(kind, body) for kind, body in delivered if kind not in (HELLO, ATTITUDE)]
        # In what is fed at once nothing of two sessions of the other end can be: between
        # them lies a greeting, which has to be answered.
        number = self.link._expected - len(reliable)
        said = sessions.get(self.link.peer_boot_id)
        for item in reliable:
            known = self.heard_of.get(self.link.peer_boot_id)
            assert known is None or number == known + 1, "twice, or out of order"
            assert number <= len(said), "one was left out"
            if number == len(said):
                said.append(item)
            assert said[number] == item, "not what the other end said"
            self.heard_of[self.link.peer_boot_id] = number
            number += 1
        for kind, body in delivered:
            if kind == ATTITUDE:
                when = int.from_bytes(body, "big")
                assert when > self.unreliable
                self.unreliable = when


class TwoEnds(RuleBasedStateMachine):
    @initialize()
    def begin(self):
        self.now_ms = 2**30 - 3_000  # the counter wraps on the way
        boot_ids = iter(range(1, 10_000))
        self.board, self.host = End(boot_ids), End(boot_ids)
        self.board.other, self.host.other = self.host, self.board
        self.sessions = {}
        for end in (self.board, self.host):
            self.sessions[end.link.boot_id] = end.said

    def end(self, of_board):
        return self.board if of_board else self.host

    def talk(self, end, fault=None):
        out = end.link.output(self.now_ms)
        end.pipe += fault(out) if fault and out else out

    def deliver(self, end, size):
        data = bytes(end.pipe[:size])
        del end.pipe[:size]
        end.other.hear(data, self.now_ms, self.sessions)

    @rule(of_board=st.booleans(), count=st.integers(1, 20))
    def send(self, of_board, count):
        for _ in range(count):
            self.end(of_board).send(self.now_ms)

    @rule(of_board=st.booleans())
    def send_unreliable(self, of_board):
        self.counter = getattr(self, "counter", 0) + 1
        self.end(of_board).link.send(ATTITUDE, self.counter.to_bytes(4, "big"), self.now_ms)

    @rule(passed_ms=st.sampled_from([1, 20, 100, 250, 600, 2_100]))
    def time_passes(self, passed_ms):
        self.now_ms += passed_ms

    @rule(turns=st.integers(1, 6))
    def all_goes_well(self, turns):
        for _ in range(turns):
            self.now_ms += 20
            for end in (self.board, self.host):
                self.talk(end)
                self.deliver(end, len(end.pipe))

    @rule(of_board=st.booleans(), size=st.integers(1, 60))
    def some_bytes_go(self, of_board, size):
        self.talk(self.end(of_board))
        self.deliver(self.end(of_board), size)

    @rule(of_board=st.booleans())
    def doubled(self, of_board):
        self.talk(self.end(of_board), lambda out: out + out)

    @rule(of_board=st.booleans(), place=st.integers(0, 400), byte=st.integers(1, 255))
    def garbled(self, of_board, place, byte):
        def garble(out):
            at = place % len(out)
            return out[:at] + bytes([out[at] ^ byte]) + out[at + 1 :]

        self.talk(self.end(of_board), garble)

    @rule(of_board=st.booleans(), start=st.integers(0, 400), size=st.integers(1, 100))
    def some_bytes_are_lost(self, of_board, start, size):
        pipe = self.end(of_board).pipe
        self.talk(self.end(of_board))
        at = start % (len(pipe) or 1)
        del pipe[at : at + size]

    @rule(of_board=st.booleans(), noise=st.binary(max_size=30))
    def noise(self, of_board, noise):
        self.end(of_board).pipe += noise

    @rule(noticed_by_board=st.booleans(), size=st.integers(0, 60))
    def cable_is_pulled(self, noticed_by_board, size):
        """In the middle of a frame, perhaps; the host notices, a board often does not."""
        for end in (self.board, self.host):
            self.talk(end)
            self.deliver(end, size)
            end.pipe.clear()
        self.host.link.cut()
        if noticed_by_board:
            self.board.link.cut()

    @rule(of_board=st.booleans())
    def restarts(self, of_board):
        """What it had said is on its way still, what was said to it too."""
        end = self.end(of_board)
        end.start()
        self.sessions[end.link.boot_id] = end.said

    def teardown(self):
        if not hasattr(self, "board"):
            return
        for turn in range(600):
            self.now_ms += 20
            for end in (self.board, self.host):
                self.talk(end)
                self.deliver(end, len(end.pipe))
            waiting = self.board.link.waiting + self.host.link.waiting
            if turn > 250 and not waiting:
                break
        for end in (self.board, self.host):
            assert end.link.alive(self.now_ms)
            assert end.link.waiting == 0
            expected = 0
            for kind, body in end.said:
                if kind == OVERFLOW:
                    expected += unpack_overflow(body)
                    continue
                assert int.from_bytes(body, "big") == expected, "lost without a word"
                expected += 1
            assert expected == end.told


TestTwoEnds = TwoEnds.TestCase
TestTwoEnds.settings = hypothesis.settings(
    hypothesis.settings(), max_examples=100, stateful_step_count=40, deadline=None
)
