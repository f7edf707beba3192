"""A cheap client: one thread, raw sockets, one selector for the streams and for the poster."""

from __future__ import annotations

import json
import selectors
import socket
import time
from dataclasses import dataclass, field
from typing import Any, Self

HOST = "127.0.0.1"
LIMIT_S = 10.0
BUFFER_BYTES = 65_536
TOKEN_HEADER = "Authorization: Bearer {}\r\nContent-Type: application/json\r\n"


@dataclass(eq=False, slots=True)
class _Line:
    """One connection and what came in on it that is not looked at yet."""

    socket: socket.socket
    unread: bytes = b""
    at_ns: int = 0


@dataclass(frozen=True, slots=True)
class Times:
    """What one action took, from just before it was sent.

    Attributes:
        streams_ms: until each stream had the whole event.
        reply_ms: until the reply to the POST was there.
    """

    streams_ms: tuple[float, ...]
    reply_ms: float


@dataclass
class Client:
    """Posts actions and hears of them on as many streams as were opened.

    Attributes:
        mark: how an event that is waited for begins on the streams.
        event: the last event that came in, as it was on the wire.
        reply: the last reply to a POST, head and body.
    """

    port: int
    token: str = ""
    mark: bytes = b"event: table\n"
    event: bytes = b""
    reply: bytes = b""
    _streams: list[_Line] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._selector = selectors.DefaultSelector()
        self._poster = self._connected()
        return self

    def __exit__(self, *problem: object) -> None:
        for line in (self._poster, *self._streams):
            line.socket.close()
        self._selector.close()

    def open_streams(self, path: str, count: int) -> None:
        """Have `count` streams open, each with its first event taken."""
        while len(self._streams) < count:
            line = self._connected()
            line.socket.sendall(_request("GET", path))
            self._streams.append(line)
            self._await({line})
        self.quiet(0.2)

    def post(self, path: str, body: dict[str, Any]) -> Times:
        """One action; returns when every stream and the poster have heard of it."""
        data = json.dumps(body).encode()
        request = _request("POST", path, data, TOKEN_HEADER.format(self.token))
        before_ns = time.perf_counter_ns()
        self._poster.socket.sendall(request)
        self._await({*self._streams, self._poster})
        return Times(
            tuple((line.at_ns - before_ns) / 1e6 for line in self._streams),
            (self._poster.at_ns - before_ns) / 1e6,
        )

    def get(self, path: str) -> float:
        """Milliseconds until the whole response was there."""
        before_ns = time.perf_counter_ns()
        self._poster.socket.sendall(_request("GET", path))
        self._await({self._poster})
        return (self._poster.at_ns - before_ns) / 1e6

    def quiet(self, for_s: float) -> None:
        """Pause, and forget what streams say meanwhile."""
        until_s = time.monotonic() + for_s
        while (left_s := until_s - time.monotonic()) > 0:
            for key, _ in self._selector.select(left_s):
                _receive(key.data)
        for line in self._streams:
            line.unread = b""

    def _connected(self) -> _Line:
        connection = socket.create_connection((HOST, self.port), timeout=LIMIT_S)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line = _Line(connection)
        self._selector.register(connection, selectors.EVENT_READ, line)
        return line

    def _await(self, waiting: set[_Line]) -> None:
        """Read until each of these has had what it waits for: an event, the poster its reply."""
        limit_s = time.monotonic() + LIMIT_S
        while waiting:
            for key, _ in self._selector.select(max(0.0, limit_s - time.monotonic())):
                line = key.data
                _receive(line)
                if self._take_reply() if line is self._poster else self._take_event(line):
                    waiting.discard(line)
            if time.monotonic() > limit_s:
                raise TimeoutError(f"{len(waiting)} connections heard nothing in {LIMIT_S} s")

    def _take_event(self, line: _Line) -> bool:
        start = line.unread.find(self.mark)
        end = line.unread.find(b"\n\n", start)
        if start < 0 or end < 0:
            return False
        self.event = line.unread[start : end + 2]
        line.unread = b""
        return True

    def _take_reply(self) -> bool:
        head, parted, body = self._poster.unread.partition(b"\r\n\r\n")
        if not parted:
            return False
        _, _, rest = head.lower().partition(b"content-length:")
        if len(body) < int(rest.partition(b"\r\n")[0]):
            return False
        self.reply, self._poster.unread = self._poster.unread, b""
        if b" 200 " not in head.partition(b"\r\n")[0]:
            raise RuntimeError(f"the request was refused: {self.reply!r}")
        return True


def _receive(line: _Line) -> None:
    received = line.socket.recv(BUFFER_BYTES)
    line.at_ns = time.perf_counter_ns()
    if not received:
        raise ConnectionError("the server hung up")
    line.unread += received


def _request(method: str, path: str, body: bytes = b"", headers: str = "") -> bytes:
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
