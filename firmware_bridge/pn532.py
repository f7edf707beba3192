"""The PN532 without its wire: what to write to the chip, and what its bytes mean.

Pure, for both ends: `output` gives the bytes to write, `feed` takes the bytes that were read,
in whatever pieces, `next_event` tells what came of them. Over UART the bytes go as they are;
over SPI a board adds the direction byte before what it writes, and hands over what it read.

The chip is looked after for ever: a lost acknowledgement, a broken answer, garbage, a late
answer, a chip that fell silent or was without power in between. Numbers of chapters are those
of the PN532 User Manual (UM0701-02).
"""

from firmware_bridge.milliseconds import since

WAKE_UP = b"\x55\x55" + bytes(14)
START = b"\x00\x00\xff"
ACK = b"\x00\x00\xff\x00\xff\x00"
NACK = b"\x00\x00\xff\xff\x00\x00"

FROM_HOST, FROM_CHIP, ERROR = 0xD4, 0xD5, 0x7F

# Commands (7.2 and 7.3), without the byte that says who speaks.
NORMAL_MODE = b"\x14\x01\x00\x01"
FIRMWARE_VERSION = b"\x02"
FEW_TRIES = b"\x32\x05\xff\x01\x01"
"""RFConfiguration: look twice for a tag and then answer, where the default looks for ever."""
FIELD_OFF = b"\x32\x01\x00"
"""RFConfiguration: a tag that was without field answers again, neighbours have their peace."""
RELEASE = b"\x52\x00"
LIST_TARGETS = 0x4A

SET_UP = (NORMAL_MODE, FIRMWARE_VERSION, FEW_TRIES, FIELD_OFF)
DISPENSABLE = (FEW_TRIES, FIELD_OFF, RELEASE)
"""A chip that refuses these works all the same."""

LONGEST_BYTES = 265
"""Of a frame: its direction byte and 264 more (6.2.1.2)."""

FILLING = bytes(LONGEST_BYTES + 1)
"""Ends a frame that the chip waits for since it understood a wrong length."""

ACK_MS = 15
"""The chip acknowledges within this time (6.2.3); each time that it did not, it gets double."""
ANSWER_MS = 100
LOOK_MS = 100
LONGEST_LOOK_MS = 1000
PAUSE_MS = 40
QUICK_MS = 6
"""The pause while something changes. A tag forgets that it was halted when the field is off
for 5 ms (ISO/IEC 14443-3, 5)."""

CALM_LOOKS = 18
"""So many looks alike, and nothing changes: as many as it takes to tell a removal from misses."""
RESENDS = 2
NACKS = 2
FIRST_BACKOFF_MS = 50
LONGEST_BACKOFF_MS = 1000
FAILURES_UNTIL_LOST = 3

SILENT = "The PN532 says nothing."
STOPPED = "The PN532 does not answer any more."
GARBLED = "What comes from the PN532 cannot be read."
ECHO = "What is sent to the PN532 comes back."
"""The reasons of the event `lost`."""

INCOMPLETE = "The reader gives a part of the UID only: hold the card closer."
WRONG_SIZE = "The reader gives a UID of a size that there is not."
WRONG_CHECK = "The check byte of the UID is wrong."
"""The reasons of the event `unreadable`."""

MORE_LEVELS = 0x04
HAS_ATS = 0x20
UID_BYTES = (4, 7, 10)
MOST_TARGETS = 16
"""A chip handles two, but some copies of it count one tag several times."""

_NOTHING, _ACKNOWLEDGEMENT, _ANSWER = 0, 1, 2


class Malformed(Exception):
    """An answer that contradicts itself, though its checks were right."""


class Unreadable(Exception):
    """A tag is there and its UID cannot be believed; the text says why."""


def frame(data: bytes) -> bytes:
    """A frame to the chip or from it (6.2.1.1 and 6.2.1.2).

    Args:
        data: what it holds, its direction byte first; at most 265 bytes.
    """
    length = len(data)
    if length < 256:
        head = bytes((length, -length & 0xFF))
    else:
        head = bytes((0xFF, 0xFF, length >> 8, length & 0xFF, -((length >> 8) + length) & 0xFF))
    return START + head + data + bytes((-sum(data) & 0xFF, 0))


def uids(answer: bytes) -> tuple[bytes, ...]:
    """The UIDs that an answer to InListPassiveTarget names (7.3.5), each once.

    The two bytes of the ATQA are skipped: chips disagree about their order.

    Args:
        answer: from the byte that counts the targets.

    Raises:
        Malformed: it cannot be parsed.
        Unreadable: a tag is there, but not its whole UID.
    """
    if not answer or answer[0] > MOST_TARGETS:
        raise Malformed
    found = _targets(answer[1:], answer[0])
    if found is None:
        raise Malformed
    told: list[bytes] = []
    for sak, number in found:
        uid = _whole_uid(sak, number)
        if uid not in told:
            told.append(uid)
    return tuple(told)


def _targets(data: bytes, count: int) -> list[tuple[int, bytes]] | None:
    """SAK and UID of each target, or None where they do not fill the data exactly."""
    if count == 0:
        return None if data else []
    if len(data) < 5 or len(data) < 5 + data[4]:
        return None
    sak, rest = data[3], data[5 + data[4] :]
    tails = [rest]
    if sak & HAS_ATS and rest and 0 < rest[0] <= len(rest):
        tails.append(rest[rest[0] :])  # its first byte counts itself
    for tail in tails:
        others = _targets(tail, count - 1)
        if others is not None:
            others.insert(0, (sak, data[5 : 5 + data[4]]))
            return others
    return None


def _whole_uid(sak: int, uid: bytes) -> bytes:
    # The SAK alone tells of a further level: a UID of 4 bytes may begin with 88.
    if sak & MORE_LEVELS:
        raise Unreadable(INCOMPLETE)
    if len(uid) == 5:
        if uid[0] ^ uid[1] ^ uid[2] ^ uid[3] ^ uid[4]:
            raise Unreadable(WRONG_CHECK)
        uid = uid[:4]
    if len(uid) not in UID_BYTES:
        raise Unreadable(WRONG_SIZE)
    return uid


class Frames:
    """Finds the chip's frames among the bytes of a wire, however they are cut or spoilt.

    Attributes:
        noise: how many bytes, other than zero, belonged to no frame.
    """

    ACK, DATA, BROKEN = 0, 1, 2

    def __init__(self) -> None:
        self.noise = 0
        self._bytes = b""

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """The frames that are whole now: their kind, and what a frame of DATA holds.

        Args:
            data: the next bytes.
        """
        self._bytes += data
        found: list[tuple[int, bytes]] = []
        while self._find_start():
            kind, end, content = self._first()
            if not end:
                break
            if kind == self.BROKEN:
                self.noise += 1
            self._bytes = self._bytes[end:]
            found.append((kind, content))
        return found

    def resynchronise(self) -> list[tuple[int, bytes]]:
        """Give up the frame that is not whole: the frames that it seemed to hold."""
        found: list[tuple[int, bytes]] = []
        while len(self._bytes) >= len(START):
            self.noise += 1
            self._bytes = self._bytes[len(START) :]
            found += self.feed(b"")
        return found

    def _find_start(self) -> bool:
        """Skip to the first start of a frame; where there is none, keep what may become one."""
        data = self._bytes
        start = data.find(START)
        if start < 0:
            zeros = 2 if data.endswith(b"\x00\x00") else 1 if data.endswith(b"\x00") else 0
            skipped, self._bytes = data, data[len(data) - zeros :]
        else:
            skipped, self._bytes = data[:start], data[start:]
        self.noise += len(skipped) - skipped.count(b"\x00")
        return start >= 0

    def _first(self) -> tuple[int, int, bytes]:
        """Kind, end and content of the frame at the beginning; end 0 while it is not whole."""
        data = self._bytes
        broken = (self.BROKEN, len(START), b"")
        if len(data) < 5:
            return self.BROKEN, 0, b""
        length, check, begin = data[3], data[4], 5
        if (length, check) == (0x00, 0xFF):
            return self.ACK, begin, b""
        if (length, check) == (0xFF, 0xFF):
            if len(data) < 8:
                return self.BROKEN, 0, b""
            length, check, begin = data[5] << 8 | data[6], data[5] + data[6] + data[7], 8
        else:
            check += length
        if check & 0xFF or not 0 < length <= LONGEST_BYTES:
            return broken
        end = begin + length + 1
        if len(data) < end:
            return self.BROKEN, 0, b""
        if sum(data[begin:end]) & 0xFF:
            return broken
        return self.DATA, end, data[begin : end - 1]


class Pn532:
    """One chip, looked after and asked again and again which tags lie there.

    Events are `("ready", text)` once it answers, such as `PN532 1.6`; `("targets", uids)` for
    each look that ended well, with no UID where nothing lies; `("unreadable", reason)` for a
    look that found a tag without a UID that can be believed; `("lost", reason)` once, when it
    has stopped answering for good, until `ready` comes again. A look that met with errors is
    no event: it says nothing about what lies there.

    Call `output` after each `feed` and when `wait_ms` has passed. While something changes the
    next look follows at once.

    Args:
        max_targets: how many tags to tell apart, 1 or 2.
        pause_ms: from one look to the next, with the field off.
        ack_ms: how long to wait for an acknowledgement: 15 ms and what the wire adds to it.
        wake_up: what goes before the first command. Empty over SPI, where the select line
            wakes the chip, and ends a frame.
    """

    def __init__(
        self,
        max_targets: int = 2,
        pause_ms: int = PAUSE_MS,
        ack_ms: int = ACK_MS,
        wake_up: bytes = WAKE_UP,
    ) -> None:
        self._look = bytes((LIST_TARGETS, max_targets, 0))
        self._pause_ms = pause_ms
        self._ack_ms = ack_ms
        self._wake_up = wake_up
        self._frames = Frames()
        self._events: list[tuple[str, str | tuple[bytes, ...]]] = []
        self._output = b""
        self._plan = list(SET_UP)
        self._command = b""
        self._waiting = _NOTHING
        self._then_ms: int | None = None  # since when the limit, or the rest, runs
        self._limit_ms = 0
        self._rest_ms = 0  # before the next command where nothing is waited for
        self._rest_after_ms = pause_ms
        self._look_ms = LOOK_MS
        self._resends = 0
        self._nacks = 0
        self._noise = 0  # what the frames' noise was when the command was sent
        self._echo = False
        self._seen: tuple[bytes, ...] | None = None  # by the look before
        self._alike = 0  # looks before that one that saw the same
        self._silent_look = False  # and what became of it is not known yet
        self._silent_before = False  # the look before that one, too
        self._failures = 0
        self._ready = False
        self._was_ready = False
        self._hardware = "PN532"

    def output(self, now_ms: int) -> bytes:
        """What to write to the chip now.

        Args:
            now_ms: milliseconds; a counter that may wrap at 2**30.
        """
        if self._then_ms is None:
            self._then_ms = now_ms
        if self._overdue(now_ms):
            self._take(self._frames.resynchronise(), now_ms)
            if self._overdue(now_ms):
                self._time_is_up(now_ms)
        if not self._waiting and since(now_ms, self._then_ms) >= self._rest_ms:
            self._command = self._plan.pop(0) if self._plan else self._look
            self._resends = RESENDS
            self._send(now_ms)
        written, self._output = self._output, b""
        return written

    def feed(self, data: bytes, now_ms: int) -> None:
        """What was read from the chip: some bytes, cut anywhere."""
        self._take(self._frames.feed(data), now_ms)

    def next_event(self) -> tuple[str, str | tuple[bytes, ...]] | None:
        """The oldest event that was not told yet."""
        return self._events.pop(0) if self._events else None

    @property
    def resting(self) -> bool:
        """Whether nothing is under way and the field is off: the time for a neighbour's look."""
        return not self._waiting and not self._plan

    def wait_ms(self, now_ms: int) -> int:
        """How long `output` has nothing to say unless something is heard, 0 or more."""
        if self._output or self._then_ms is None:
            return 0
        limit_ms = self._limit_ms if self._waiting else self._rest_ms
        return max(0, limit_ms - since(now_ms, self._then_ms))

    def _overdue(self, now_ms: int) -> bool:
        then_ms = self._then_ms
        return (
            self._waiting != _NOTHING
            and then_ms is not None
            and since(now_ms, then_ms) >= self._limit_ms
        )

    def _send(self, now_ms: int) -> None:
        if self._command == NORMAL_MODE:
            self._output += self._wake_up
        self._output += frame(bytes((FROM_HOST,)) + self._command)
        self._nacks = NACKS
        self._noise = self._frames.noise
        self._wait_for(_ACKNOWLEDGEMENT, self._ack_ms << (RESENDS - self._resends), now_ms)

    def _wait_for(self, what: int, limit_ms: int, now_ms: int) -> None:
        self._waiting, self._limit_ms, self._then_ms = what, limit_ms, now_ms

    def _rest(self, rest_ms: int, now_ms: int) -> None:
        self._waiting, self._rest_ms, self._then_ms = _NOTHING, rest_ms, now_ms

    def _time_is_up(self, now_ms: int) -> None:
        heard = self._frames.noise != self._noise
        if self._command == self._look and self._waiting == _ANSWER and not heard:
            # Some chips are silent until a tag comes, and one that was without power is so
            # until it is set up: silence tells of an empty field only where it follows upon
            # that, and where the chip answers the next question. The acknowledgement ends the
            # look.
            self._output += ACK
            self._silent_look = True
            self._plan = list(SET_UP)
            self._rest(0, now_ms)
        else:
            self._again(now_ms)

    def _again(self, now_ms: int) -> None:
        if self._resends:
            self._resends -= 1
            self._send(now_ms)
        else:
            self._fail(now_ms)

    def _fail(self, now_ms: int) -> None:
        """Begin from the start, since the chip may have been without power; and so for ever."""
        self._failures += 1
        self._silent_look = self._silent_before = False
        self._seen = None
        self._plan = list(SET_UP)
        doublings = min(self._failures - 1, 5)
        backoff_ms = min(FIRST_BACKOFF_MS << doublings, LONGEST_BACKOFF_MS)
        if self._failures == 1:
            backoff_ms = 0
        elif self._wake_up:
            self._output += FILLING
        self._rest(backoff_ms, now_ms)
        if self._failures == FAILURES_UNTIL_LOST:
            self._ready = False
            self._events.append(("lost", self._reason()))

    def _reason(self) -> str:
        if self._echo:
            return ECHO
        if self._frames.noise != self._noise:
            return GARBLED
        return STOPPED if self._was_ready else SILENT

    def _take(self, frames: list[tuple[int, bytes]], now_ms: int) -> None:
        for kind, content in frames:
            if kind == Frames.ACK:
                if self._waiting == _ACKNOWLEDGEMENT:
                    limit_ms = self._look_ms if self._command == self._look else ANSWER_MS
                    self._wait_for(_ANSWER, limit_ms, now_ms)
            elif kind == Frames.BROKEN:
                if self._waiting == _ANSWER and self._nacks:
                    self._nacks -= 1
                    self._output += NACK
                    self._wait_for(_ANSWER, self._limit_ms, now_ms)
            elif content[0] == FROM_HOST:
                self._echo = True
            elif content[0] == ERROR and self._waiting:
                if self._command in DISPENSABLE:
                    self._done(now_ms)
                else:
                    self._again(now_ms)
            elif content[0] == FROM_CHIP and len(content) > 1:
                self._answered(content[1], content[2:], now_ms)

    def _answered(self, code: int, data: bytes, now_ms: int) -> None:
        # An answer without its acknowledgement is as good; one to another command is a late
        # one, and only a look's still tells something.
        expected = self._waiting != _NOTHING and code == self._command[0] + 1
        missed = self._silent_look or self._silent_before
        if code == LIST_TARGETS + 1 and (expected or missed):
            if not expected:
                self._look_ms = min(2 * self._look_ms, LONGEST_LOOK_MS)
            self._looked(data, now_ms, in_time=expected)
        elif expected:
            if self._command == FIRMWARE_VERSION and len(data) >= 3:
                self._hardware = f"PN5{data[0]:02X} {data[1]}.{data[2]}"
            if self._command == FIRMWARE_VERSION and self._silent_look:
                if self._silent_before:
                    self._tell_look(())
                self._silent_look, self._silent_before = False, True
            self._done(now_ms)

    def _looked(self, data: bytes, now_ms: int, *, in_time: bool) -> None:
        try:
            found = uids(data)
        except Malformed:
            self._frames.noise += 1  # so that the command is sent again when its time is up
            return
        except Unreadable as error:
            self._tell_ready()
            self._seen = None
            self._events.append(("unreadable", str(error)))
            found = (b"",)
        else:
            self._tell_look(found)
        self._silent_look = self._silent_before = False
        if in_time:
            self._plan = [RELEASE, FIELD_OFF] if found else [FIELD_OFF]
            self._rest(0, now_ms)

    def _tell_look(self, found: tuple[bytes, ...]) -> None:
        self._tell_ready()
        self._alike = self._alike + 1 if found == self._seen else 0
        self._rest_after_ms = self._pause_ms if self._alike >= CALM_LOOKS else QUICK_MS
        self._seen = found
        self._events.append(("targets", found))

    def _tell_ready(self) -> None:
        self._failures = 0
        self._echo = False
        self._rest_after_ms = self._pause_ms
        if not self._ready:
            self._ready = self._was_ready = True
            self._events.append(("ready", self._hardware))

    def _done(self, now_ms: int) -> None:
        """A step is done; the next one follows at once, the next look after the pause."""
        setting_up = self._failures or not self._ready
        self._rest(0 if self._plan or setting_up else self._rest_after_ms, now_ms)
