"""One end of the link between board and host, without a port and without a clock.

Bytes go in with `feed`, bytes come out with `output`, and whoever holds the port moves them.
Both ends are alike. What is given to `send` comes out of the other end's `feed` once and in
order, over lost, garbled and doubled frames, cut cables and a restart of either end:

- Each end has a boot id, a new one whenever it starts and forgets. In HELLO it tells its own,
  the one it has heard from the other end, and the number of its first unacknowledged message.
- An end that is not sure of the other one says HELLO every half second and nothing else. It is
  sure when it hears its own boot id in the other's HELLO: then each knows which numbers count.
- Messages are numbered (16 bits), taken only in order, and acknowledged together: every frame
  tells the number that is expected next. What is not acknowledged in time is sent again from
  the first; after two seconds in vain, or of silence, the link is down and HELLO is said.
- While the link is down messages wait in a queue that survives everything but a restart of
  this end. When it is full, messages are refused and counted, and OVERFLOW takes their place.
"""

import struct

from firmware_bridge.frames import DELIMITER, Unframer, frame
from firmware_bridge.messages import (
    ACK,
    HEARTBEAT,
    HELLO,
    LONGEST_BODY,
    OVERFLOW,
    PROTOCOL,
    UNRELIABLE,
    VERSION,
    pack_overflow,
)
from firmware_bridge.milliseconds import COUNTER, since

HEARTBEAT_MS = 500
DEAD_MS = 2000
RESEND_MS = 200
WINDOW = 8
"""So many messages are under way at most: a board's serial buffer is small."""

QUEUE_LIMIT = 256
MOST_UNRELIABLE = 4

_HEADER = "<BHH"  # kind, number, the number that is expected next
_HEADER_SIZE = 5
_HELLO = "<BBIIHI"  # protocol, flags, boot id, the other's boot id, first number, t_ms
_HELLO_SIZE = 16
_ANSWER_WANTED = 1


class Link:
    """One end of the link.

    Args:
        boot_id: 1 to 2**32 - 1, drawn anew whenever this end starts.
        hello: what this end tells of itself (`messages.pack_hello`).
        queue_limit: how many unacknowledged messages are kept.

    Attributes:
        boot_id: as given.
        peer_boot_id: that of the other end, once the link was up; else 0. Another number than
            before means that the other end has started anew.
        peer_protocol: the protocol version of the other end when it is another one than ours,
            so that nothing can be said to it; else None.
        peer_ms: the other end's milliseconds as it told them last.
        peer_ms_at: this end's milliseconds when it heard them.
        heard_ms: this end's milliseconds when it last heard anything that counts.
    """

    def __init__(self, boot_id: int, hello: bytes = b"", queue_limit: int = QUEUE_LIMIT) -> None:
        if not 0 < boot_id <= 0xFFFFFFFF:
            raise ValueError("a boot id is 1 to 2**32 - 1")
        self.boot_id = boot_id
        self.peer_boot_id = 0
        self.peer_protocol: int | None = None
        self.peer_ms = 0
        self.peer_ms_at = 0
        self._hello = hello
        self._queue_limit = queue_limit
        self._unframer = Unframer()
        # The handshake.
        self._up = False
        self._greets = 0  # whom our HELLO names
        self._peer_hello = b""
        self._hello_due = True
        self._hello_ms = 0
        self.heard_ms = 0
        self._heartbeat_ms = 0
        # What we send: the queue's first message has the number _first.
        self._queue: list[tuple[int, bytes]] = []
        self._first = 0
        self._sent = 0  # of the queue, in this turn
        self._reached = 0  # of the queue, ever
        self._sent_ms = 0
        self._moved_ms = 0
        self._lost = 0
        self._unreliable: list[tuple[int, bytes]] = []
        self._unreliable_number = 0
        # What we receive.
        self._expected = 0
        self._newest_unreliable: int | None = None
        self._ack_due = False

    def feed(self, data: bytes, now_ms: int) -> list[tuple[int, bytes]]:
        """Take bytes that came; any bytes may come, in any pieces.

        Returns:
            The messages that they complete, as kind and body. HELLO comes whenever the link
            comes up, before anything else, and when the other end tells other things of
            itself; its body is for `messages.unpack_hello`.
        """
        delivered: list[tuple[int, bytes]] = []
        for payload in self._unframer.feed(data):
            if len(payload) >= _HEADER_SIZE:
                self._take(payload, now_ms, delivered)
        return delivered

    def send(self, kind: int, body: bytes, now_ms: int) -> bool:
        """Give a message to the other end, now or when the link is up.

        A message of an unreliable kind goes out with the next `output`, or is dropped.

        Returns:
            False when it was lost, because the queue is full or the kind is unreliable and
            the link down.

        Raises:
            ValueError: the body is longer than `messages.LONGEST_BODY`.
        """
        if len(body) > LONGEST_BODY:
            raise ValueError(f"a body has at most {LONGEST_BODY} bytes, not {len(body)}")
        if kind >= UNRELIABLE:
            if not self.alive(now_ms):
                return False
            self._unreliable.append((kind, body))
            del self._unreliable[:-MOST_UNRELIABLE]
            return True
        self._tell_overflow()
        if len(self._queue) >= self._queue_limit:
            self._lost += 1
            return False
        if not self._queue:
            self._moved_ms = now_ms
        self._queue.append((kind, body))
        return True

    def output(self, now_ms: int) -> bytes:
        """What to write now; to be asked for often, at the latest every 50 ms."""
        if self._up and since(now_ms, self.heard_ms) >= DEAD_MS:
            self._down()
        out = b""
        hello_is_late = since(now_ms, self._hello_ms) >= HEARTBEAT_MS
        if self._hello_due or (hello_is_late and not self._up):
            # After a delimiter, so that noise before it cannot spoil it.
            out += DELIMITER + self._frame(HELLO, 0, self._hello_body(now_ms))
            self._hello_due = False
            self._hello_ms = now_ms
        if self._up:
            out += self._messages(now_ms)
        return out

    def alive(self, now_ms: int) -> bool:
        """Whether the link is up, and something was heard within two seconds."""
        return self._up and since(now_ms, self.heard_ms) < DEAD_MS

    def cut(self) -> None:
        """The port was closed: half a frame is forgotten, and both ends greet anew."""
        self._unframer.reset()
        self.peer_protocol = None
        self._down()

    def introduce(self, hello: bytes) -> None:
        """Tell other things of this end from now on, by another HELLO at once."""
        self._hello = hello
        self._hello_due = True

    @property
    def waiting(self) -> int:
        """How many messages are not acknowledged."""
        return len(self._queue)

    @property
    def bad_frames(self) -> int:
        """How many frames were noise, or garbled."""
        return self._unframer.bad

    def _down(self) -> None:
        self._up = False
        self._hello_due = True
        self._unreliable = []

    # --- what comes in ----------------------------------------------------------------

    def _take(self, payload: bytes, now_ms: int, delivered: list[tuple[int, bytes]]) -> None:
        kind, number, expected = struct.unpack(_HEADER, payload[:_HEADER_SIZE])
        body = payload[_HEADER_SIZE:]
        if kind == HELLO:
            self._greeted(body, now_ms, delivered)
            return
        if not self._up:
            return  # its numbers may be those of another time; it will be sent again
        self.heard_ms = now_ms
        self._acknowledged(expected, now_ms)
        if kind < UNRELIABLE:
            self._ack_due = True
            if number == self._expected:
                self._expected = number + 1 & 0xFFFF
                if kind == VERSION:
                    self._hello_due = True
                else:
                    delivered.append((kind, body))
        elif kind == HEARTBEAT:
            if len(body) == 4:
                self._told_time(int(struct.unpack("<I", body)[0]), now_ms)
        elif kind != ACK:
            newest = self._newest_unreliable
            if newest is None or _is_after(number, newest):
                self._newest_unreliable = number
                delivered.append((kind, body))

    def _greeted(self, body: bytes, now_ms: int, delivered: list[tuple[int, bytes]]) -> None:
        if body and body[0] != PROTOCOL:
            self.peer_protocol = body[0]
            self._up = False
            return
        if len(body) < _HELLO_SIZE:
            return
        _, flags, boot_id, greets, first, peer_ms = struct.unpack(_HELLO, body[:_HELLO_SIZE])
        if boot_id in (0, self.boot_id):
            return  # our own, from a line that echoes
        self.peer_protocol = None
        self._greets = boot_id
        if greets != self.boot_id:
            # It has not heard us, or it was another's: its numbers may be out of date.
            self._down()
            return
        if flags & _ANSWER_WANTED:
            self._hello_due = True
        if boot_id != self.peer_boot_id:
            self.peer_boot_id = boot_id
            self._expected = first
            self._peer_hello = b""
            self._up = False
        elif _is_after(first, self._expected):
            self._expected = first  # another host has taken those in between
        self.heard_ms = now_ms
        self._told_time(peer_ms, now_ms)
        hello = body[_HELLO_SIZE:]
        if not self._up:
            self._up = True
            self._sent = 0
            self._newest_unreliable = None
            self._moved_ms = now_ms
            self._heartbeat_ms = now_ms
        elif hello == self._peer_hello:
            return
        self._peer_hello = hello
        delivered.append((HELLO, hello))

    def _acknowledged(self, expected: int, now_ms: int) -> None:
        count = expected - self._first & 0xFFFF
        if not 0 < count <= self._reached:
            return
        del self._queue[:count]
        self._first = expected
        self._sent = max(0, self._sent - count)
        self._reached -= count
        self._sent_ms = self._moved_ms = now_ms

    def _told_time(self, peer_ms: int, now_ms: int) -> None:
        self.peer_ms = peer_ms
        self.peer_ms_at = now_ms

    # --- what goes out ----------------------------------------------------------------

    def _messages(self, now_ms: int) -> bytes:
        if self._sent and since(now_ms, self._sent_ms) >= RESEND_MS:
            if since(now_ms, self._moved_ms) >= DEAD_MS:
                self._down()
                return b""
            self._sent = 0
        self._tell_overflow()
        out = b""
        if self._sent == 0:
            self._sent_ms = now_ms
        while self._sent < min(len(self._queue), WINDOW):
            kind, body = self._queue[self._sent]
            out += self._frame(kind, self._first + self._sent, body)
            self._sent += 1
            self._ack_due = False
        self._reached = max(self._reached, self._sent)
        for kind, body in self._unreliable:
            self._unreliable_number += 1
            out += self._frame(kind, self._unreliable_number, body)
            self._ack_due = False
        self._unreliable = []
        if since(now_ms, self._heartbeat_ms) >= HEARTBEAT_MS:
            self._heartbeat_ms = now_ms
            out += self._frame(HEARTBEAT, 0, struct.pack("<I", now_ms & COUNTER))
        elif self._ack_due:
            out += self._frame(ACK, 0, b"")
        self._ack_due = False
        return out

    def _hello_body(self, now_ms: int) -> bytes:
        flags = 0 if self._up else _ANSWER_WANTED
        fixed = struct.pack(
            _HELLO,
            PROTOCOL,
            flags,
            self.boot_id,
            self._greets,
            self._first,
            now_ms & COUNTER,
        )
        return fixed + self._hello

    def _frame(self, kind: int, number: int, body: bytes) -> bytes:
        return frame(struct.pack(_HEADER, kind, number & 0xFFFF, self._expected) + body)

    def _tell_overflow(self) -> None:
        if self._lost and len(self._queue) < self._queue_limit:
            self._queue.append((OVERFLOW, pack_overflow(self._lost)))
            self._lost = 0


def _is_after(number: int, other: int) -> bool:
    return 0 < (number - other & 0xFFFF) < 0x8000
