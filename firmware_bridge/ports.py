"""The host's end of the link: USB serial, or TCP for a ship with Wi-Fi. Neither ever waits.

A port has four methods: `fresh` is true once for each new host, `read` gives what has come,
`writable` tells whether something can leave, `write` sends some of it and says how much.
"""

import select

TYPE_CHECKING = False  # MicroPython has no `typing`
if TYPE_CHECKING:
    from typing import IO

MOST_AT_ONCE = 256
PIECE = 64
"""What a USB serial line takes at once."""


class SerialPort:
    """Standard input and output, which on a board are its USB serial line.

    Args:
        reads: where bytes come from, such as `sys.stdin`.
        writes: where they go, such as `sys.stdout`.
    """

    def __init__(self, reads: "IO[str]", writes: "IO[str]") -> None:
        self._reads = reads.buffer  # type: ignore[attr-defined]
        self._writes = writes.buffer  # type: ignore[attr-defined]
        self._readable = select.poll()
        self._readable.register(reads, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(writes, select.POLLOUT)

    def fresh(self) -> bool:
        """Never: the link finds out by itself that another host has come."""
        return False

    def read(self) -> bytes:
        """What has come, up to 256 bytes."""
        data = bytearray()
        # One at a time: a read of more would wait until all of them are there.
        while len(data) < MOST_AT_ONCE and _is_ready(self._readable, select.POLLIN):
            byte = self._reads.read(1)
            if not byte:
                break
            data += byte
        return bytes(data)

    def writable(self) -> bool:
        """Whether the host takes something now."""
        return _is_ready(self._writable, select.POLLOUT)

    def write(self, data: bytes) -> int:
        """Send a piece; how many bytes that were."""
        piece = data[:PIECE]
        self._writes.write(piece)
        flush = getattr(self._writes, "flush", None)
        if flush is not None:
            flush()
        return len(piece)

    def rest(self, limit_ms: int) -> None:
        """Wait this long, or until something comes."""
        self._readable.poll(limit_ms)


class TcpPort:
    """A server for one host: whoever comes last, so that a lost one can come again at once.

    Args:
        port: where to listen.
    """

    def __init__(self, port: int) -> None:
        import socket  # noqa: PLC0415 - a Pico without W has none

        self._server = socket.socket()
        self._server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._server.bind(socket.getaddrinfo("0.0.0.0", port)[0][-1])  # noqa: S104 - the host is anywhere in the home
        self._server.listen(1)
        self._server.setblocking(False)  # noqa: FBT003 - it is called so
        self._comes = select.poll()
        self._comes.register(self._server, select.POLLIN)
        self._host: socket.socket | None = None
        self._host_poll = select.poll()

    def fresh(self) -> bool:
        """Whether another host has just come."""
        if not _is_ready(self._comes, select.POLLIN):
            return False
        try:
            host, _ = self._server.accept()
        except OSError:  # it has hung up already
            return False
        self._hang_up()
        host.setblocking(False)  # noqa: FBT003 - it is called so
        self._host = host
        self._host_poll = select.poll()
        self._host_poll.register(host, select.POLLIN | select.POLLOUT)
        return True

    def read(self) -> bytes:
        """What has come, up to 256 bytes."""
        if self._host is None or not _is_ready(self._host_poll, select.POLLIN):
            return b""
        try:
            data = self._host.recv(MOST_AT_ONCE)
        except OSError:
            data = b""
        if not data:
            self._hang_up()
        return data

    def writable(self) -> bool:
        """Whether there is a host, and it takes something now."""
        return self._host is not None and _is_ready(self._host_poll, select.POLLOUT)

    def write(self, data: bytes) -> int:
        """Send some of it; how many bytes that were."""
        if self._host is None:
            return 0
        try:
            return self._host.send(data)
        except OSError:
            self._hang_up()
            return 0

    def rest(self, limit_ms: int) -> None:
        """Wait this long, or until something comes or a host does."""
        if self._host is None:
            self._comes.poll(limit_ms)
            return
        waiting = select.poll()
        waiting.register(self._host, select.POLLIN)
        waiting.poll(limit_ms)

    def close(self) -> None:
        """Listen no more."""
        self._hang_up()
        self._server.close()

    def _hang_up(self) -> None:
        if self._host is not None:
            self._host_poll.unregister(self._host)
            self._host.close()
            self._host = None


def _is_ready(poll: "select.poll", what: int) -> bool:
    return any(state & what for _, state in poll.poll(0))
