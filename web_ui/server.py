"""The web server: waitress, set up for many long streams and a quick end."""

from __future__ import annotations

import contextlib
import json
import logging
import resource
import socket
import sys
import threading
import time
from typing import Any

import waitress
from flask import Flask
from waitress.channel import HTTPChannel
from waitress.task import ErrorTask

from web_ui.app import HEADERS, STREAM_SPARE
from web_ui.errors import STATUS
from web_ui.parts import KEY

log = logging.getLogger(__name__)

SPARE_THREADS = 16
"""For the requests that are no streams."""
DEAD_AFTER_MS = 20_000
"""A client that acknowledges nothing for so long has lost its network."""
END_WITHIN_S = 0.9
PAUSE_AFTER_FAULT_S = 0.05
"""A fault that stays must fill neither the log nor the processor."""
MOST_CONNECTIONS = 2000
SPARE_FILES = 100
"""Of the files that this process may open, for all that is no connection."""
IDLE_S = 30
"""A connection that asks for nothing for so long makes room for others."""
SEND_BUFFER_BYTES = 32 * 1024
"""What the kernel keeps for a client that does not read: about three views, then it skips."""
LARGEST_READ_BYTES = 2 * 1024 * 1024
"""A body up to this size is read to its end, so that the refusal arrives: a connection that
is closed on unread bytes is reset, and takes the answer with it."""
SWITCH_INTERVAL_S = 0.0005
"""A change passes through half a dozen threads before it is on the screens; with Python's
5 ms each of them may wait so long for the one that is still busy answering."""
_CODES = {413: "too-large", 431: "too-large", 500: "internal", 501: "bad-command"}


class Server:
    """Serves the application until `close`.

    Args:
        app: what to serve.
        listener: from `listen`.

    Attributes:
        port: the real one, also when 0 was asked for.
    """

    def __init__(self, app: Flask, listener: socket.socket) -> None:
        self.port: int = listener.getsockname()[1]
        self._streams = app.extensions[KEY].streams
        # The server logs every client that goes away and every moment of crowding.
        logging.getLogger("waitress").setLevel(logging.ERROR)
        self._server: Any = waitress.create_server(
            app,
            sockets=[listener],
            threads=self._streams.limit + STREAM_SPARE + SPARE_THREADS,
            connection_limit=connection_limit(),
            channel_timeout=IDLE_S,
            cleanup_interval=IDLE_S // 3,
            # Both are for streams alone, see `_Channel`.
            channel_request_lookahead=1,
            outbuf_high_watermark=1,
            max_request_body_size=LARGEST_READ_BYTES,
            log_socket_errors=False,
            max_request_header_size=32 * 1024,
            asyncore_use_poll=True,
            ident=None,
            clear_untrusted_proxy_headers=True,
        )
        self._server.channel_class = _Channel
        # With the default a stream's first bytes wait for many more to come. It is set here
        # since a later waitress will always send at once, and warns of the argument.
        self._server.adj.send_bytes = 1
        self._server.adj.socket_options = [
            *self._server.adj.socket_options,
            *_dead_client_options(),
            (socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES),
        ]
        self._closing = threading.Event()
        self._ended = threading.Event()
        self._running = False

    def run(self) -> None:
        """Serve until `close` is called, from another thread."""
        self._running = True
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        server = self._server
        try:
            while not self._closing.is_set():
                try:
                    server.asyncore.loop(timeout=1, map=server._map, use_poll=True, count=1)  # noqa: SLF001 - the loop's own `run` cannot be ended
                except Exception:
                    # One connection's trouble must not take the pages from everybody.
                    log.exception("the web server goes on after a fault")
                    self._closing.wait(PAUSE_AFTER_FAULT_S)
        finally:
            self._end()
            self._ended.set()

    def close(self) -> None:
        """End the streams and the server, within a second."""
        self._streams.close()
        self._closing.set()
        if self._running:
            with contextlib.suppress(OSError):
                self._server.pull_trigger()
            self._ended.wait(END_WITHIN_S + 0.1)
        else:
            self._end()

    def _end(self) -> None:
        server = self._server
        self._streams.close()
        threading.Thread(
            target=server.task_dispatcher.shutdown, kwargs={"timeout": END_WITHIN_S}, daemon=True
        ).start()
        server.accepting = False
        deadline_s = time.monotonic() + END_WITHIN_S - 0.1
        while server.task_dispatcher.threads and time.monotonic() < deadline_s:
            server.asyncore.loop(timeout=0.02, map=server._map, use_poll=True, count=1)  # noqa: SLF001 - as in `run`
        for channel in list(server.active_channels.values()):
            # This also frees a thread that waits for a client that does not read.
            channel.handle_close()
        server.close()


class _ErrorTask(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """What the server answers before a request reaches the application."""

    def execute(self) -> None:
        error = self.request.error
        code = _CODES.get(error.code, "bad-command")
        message = f"The request cannot be taken: {error.reason}."
        body = json.dumps({"error": {"code": code, "message": message}}).encode()
        self.status = f"{STATUS[code]} {error.reason}"
        self.response_headers.extend(HEADERS.items())
        self.response_headers.append(("Content-Type", "application/json"))
        self.response_headers.append(("Cache-Control", "no-store"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    error_task_class = _ErrorTask

    def _streams(self) -> bool:
        # One look, since a worker takes requests out at any moment; and a request that could
        # not be read has no path.
        first = self.requests[:1]
        return bool(first) and getattr(first[0], "path", "").endswith("/stream")

    def readable(self) -> bool:
        """A stream reads on, to notice that its client has gone.

        Any other request is answered before more is read, so that a client that has said
        all it wants, and closed its half, still gets the answer.
        """
        return bool((self._streams() or not self.requests) and super().readable())

    def _flush_outbufs_below_high_watermark(self) -> None:
        """A stream makes its next event when the last one has left: a slow client skips.

        Any other answer is small and is buffered whole, so that no client that does not
        read keeps a thread.
        """
        if self._streams():
            super()._flush_outbufs_below_high_watermark()


def connection_limit() -> int:
    """As many connections as there are files for; more would hang the whole server."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return (
        MOST_CONNECTIONS
        if soft == resource.RLIM_INFINITY
        else min(MOST_CONNECTIONS, soft - SPARE_FILES)
    )


def listen(host: str, port: int) -> socket.socket:
    """Take the port; port 0 is any free one.

    Raises:
        OSError: the port is taken, or not ours to bind.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # Two that both bind before either listens would both believe they have the port.
        listener.listen(256)
    except OSError:
        listener.close()
        raise
    return listener


def _dead_client_options() -> list[tuple[int, int, int]]:
    # Without it a thread waits a quarter of an hour for a phone that left the network.
    option = getattr(socket, "TCP_USER_TIMEOUT", None)
    return [] if option is None else [(socket.IPPROTO_TCP, option, DEAD_AFTER_MS)]
