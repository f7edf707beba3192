"""The open event streams: how many there may be, and what each of them is told."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from companion.diagnosis import Screen
from web_ui.contracts import Table
from web_ui.sse import frame

HEARTBEAT_S = 5.0
LISTEN_S = 0.5
"""How long a stream listens before it looks whether it must end."""
RETRY_MS = 1000
MOST_LEFT = 8
"""So many clients that left are remembered, for diagnostics."""


@dataclass(eq=False, slots=True)
class Ticket:
    """The right of one client to a stream, and how far it came.

    Attributes:
        page: that it shows; empty for a program.
        seat: the player whose device it is; empty for none.
        address: where the client is in the network.
        evicted: a newer client took the place.
        opened_ns: when it was handed out, monotonic time.
        sent_ns: when the client took something last.
        revision: of the table that it was sent.
    """

    page: str = ""
    seat: str = ""
    address: str = ""
    evicted: bool = field(default=False)
    opened_ns: int = field(default_factory=time.monotonic_ns)
    sent_ns: int = field(default_factory=time.monotonic_ns)
    revision: int = 0

    def screen(self, left_ns: int | None = None) -> Screen:
        """The client as diagnostics sees it."""
        return Screen(self.page, self.seat, self.opened_ns, self.sent_ns, self.revision, left_ns)


class Streams:
    """Hands out the places. When all are taken one makes room.

    It is the oldest of the address that has most, so that no single computer takes the pages from
    all others.

    Args:
        limit: how many streams are kept at once; also an attribute.
        spare: how many evicted streams may still be on their way out, such as those that
            wait for a client that does not read; beyond that a new client is turned away.
    """

    def __init__(self, limit: int, spare: int) -> None:
        self.limit = limit
        self._spare = spare
        self._lock = threading.Lock()
        self._open: list[Ticket] = []
        self._leaving = 0
        self._left: deque[Screen] = deque(maxlen=MOST_LEFT)
        self._closing = False

    @property
    def closing(self) -> bool:
        """Whether the server is ending."""
        return self._closing

    @property
    def count(self) -> int:
        """How many streams are open, without those on their way out."""
        with self._lock:
            return len(self._open)

    def screens(self) -> tuple[Screen, ...]:
        """The clients that are there, and then those that left last and did not come back."""
        with self._lock:
            there = [ticket.screen() for ticket in self._open]
            left = {(screen.page, screen.seat): screen for screen in self._left}
        back = {(screen.page, screen.seat) for screen in there}
        return (*there, *(screen for key, screen in left.items() if key not in back))

    def admit(self, page: str = "", seat: str = "", address: str = "") -> Ticket | None:
        """A place, or None when even the spare ones are taken or the server is ending.

        Args:
            page: that the client shows; empty for a program.
            seat: the player whose device it is; empty for none.
            address: where the client is in the network.
        """
        with self._lock:
            if self._closing or self._leaving >= self._spare:
                return None
            if len(self._open) >= self.limit:
                self._make_room()
            ticket = Ticket(page, seat, address)
            self._open.append(ticket)
            return ticket

    def _make_room(self) -> None:
        # Of addresses that have equally many, the one with the oldest stream comes first.
        [(crowded, _)] = Counter(ticket.address for ticket in self._open).most_common(1)
        oldest = next(ticket for ticket in self._open if ticket.address == crowded)
        self._open.remove(oldest)
        oldest.evicted = True
        self._leaving += 1

    def leave(self, ticket: Ticket) -> None:
        """Give the place back."""
        with self._lock:
            if ticket in self._open:
                self._open.remove(ticket)
                self._left.append(ticket.screen(time.monotonic_ns()))
            elif self._leaving:
                self._leaving -= 1

    def close(self) -> None:
        """End all streams and admit no more."""
        with self._lock:
            self._closing = True


@dataclass(frozen=True, slots=True)
class Rendering:
    """What a stream sends for one state of the table.

    Attributes:
        event_id: `epoch.revision`.
        revision: of the snapshot that it shows.
        framed: the whole event.
        html: what it carries, where that is a page.
    """

    event_id: str
    revision: int
    framed: bytes
    html: str = ""


class EventStream:
    """The bytes of one client's stream; the server pulls the next event when it can send.

    It is pulled, so a slow client skips states and nothing queues up for it.
    """

    def __init__(
        self,
        table: Table,
        streams: Streams,
        ticket: Ticket,
        render: Callable[[], Rendering],
        *,
        hello: bytes,
        seen: str,
        tick_s: float | None = None,
        gone: Callable[[], bool],
    ) -> None:
        self._table = table
        self._streams = streams
        self._ticket = ticket
        self._render = render
        self._gone = gone
        self._listen_s = LISTEN_S if tick_s is None else min(tick_s, LISTEN_S)
        self._seen = seen
        self._hello: bytes | None = hello
        self._sent: Rendering | None = None
        self._last_sent_s = 0.0
        self._over = False
        self._left = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        while not self._over:
            event = self._next_event()
            if event is not None:
                self._last_sent_s = time.monotonic()
                self._ticket.sent_ns = time.monotonic_ns()
                if self._sent is not None:
                    self._ticket.revision = self._sent.revision
                return event
        raise StopIteration

    def close(self) -> None:
        """Called by the server at the end, whatever the reason; maybe more than once."""
        self._over = True
        if not self._left:
            self._left = True
            self._streams.leave(self._ticket)

    def _next_event(self) -> bytes | None:
        if self._hello is not None:
            event, self._hello = self._hello, None
            return event
        if self._ticket.evicted:
            self._over = True
            return frame("evicted", "")
        if self._streams.closing or self._table.closed or self._gone():
            self._over = True
            return None
        if self._sent is not None:
            due_s = self._last_sent_s + HEARTBEAT_S - time.monotonic()
            self._table.wait(self._sent.revision, max(0.0, min(self._listen_s, due_s)))
        newest = self._render()
        if self._sent is None or newest.framed is not self._sent.framed:
            return self._first_or_next(newest)
        if time.monotonic() - self._last_sent_s >= HEARTBEAT_S:
            return frame("heartbeat", "", newest.event_id)
        return None

    def _first_or_next(self, newest: Rendering) -> bytes:
        known = self._sent is None and newest.event_id == self._seen
        self._sent = newest
        return frame("same", "", newest.event_id) if known else newest.framed


def hello(assets_version: str) -> bytes:
    """The first event of a page's stream: how to come back, and which files belong to it."""
    return f"retry: {RETRY_MS}\n".encode() + frame("hello", assets_version)
