"""A chip that is a script, its driver and a clock, for the tests of what is said to a PN532."""

import re

from firmware_bridge.pn532 import (
    ACK,
    NACK,
    Pn532,
    frame,
)

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


def glued(usual):
    return [(3, b"".join(data for _, data in usual))]
