"""The floor under the event streams: a server of threads that writes given bytes to all clients.

As a program it reads one line of JSON with those bytes, prints its port and serves until its
standard input ends: GET /healthz, GET of any other path is a stream, POST feeds all streams.
"""

from __future__ import annotations

import json
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import BinaryIO, cast

from tests.benchmarks.report import ROOT

STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\r\n"
)
STOP_LIMIT_S = 5


class BareServer(socketserver.ThreadingTCPServer):
    """Serves from the start of `run` on 127.0.0.1, at a free port.

    Args:
        event: what a POST writes to all streams.
        reply: the whole answer to a POST.
        page: the body of GET /, if there is to be one.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 256

    def __init__(self, event: bytes, reply: bytes, page: bytes = b"") -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.event = event
        self.reply = reply
        self.page = page
        self._streams: list[BinaryIO] = []
        self._lock = threading.Lock()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def run(self) -> None:
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def add(self, stream: BinaryIO) -> None:
        with self._lock:
            self._streams.append(stream)

    def write_to_all(self, event: bytes) -> None:
        with self._lock:
            for stream in tuple(self._streams):
                try:
                    stream.write(event)
                except OSError:
                    self._streams.remove(stream)


class _Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self) -> None:
        server = cast("BareServer", self.server)
        while (line := self.rfile.readline()).strip():
            method, path, _ = line.split(b" ", 2)
            length = self._length()
            self.rfile.read(length)
            if method == b"POST":
                server.write_to_all(server.event)
                self.wfile.write(server.reply)
            elif path == b"/healthz":
                self.wfile.write(response(b"ok\n", "text/plain"))
            elif path == b"/" and server.page:
                self.wfile.write(response(server.page, "text/html"))
            else:
                self.wfile.write(STREAM_HEAD + server.event)
                server.add(self.wfile)

    def _length(self) -> int:
        length = 0
        while (header := self.rfile.readline()).strip():
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return length


def response(body: bytes, media_type: str) -> bytes:
    """A whole HTTP response."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@contextmanager
def child(module: str, about: Mapping[str, str]) -> Iterator[int]:
    """A floor as a process of its own, for the length of the block; its port.

    Args:
        module: of this package; it reads `about` as one line of JSON and prints its port.
        about: what it is told.
    """
    words: Sequence[str] = (sys.executable, "-m", f"tests.benchmarks.{module}")
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(about) + "\n")
            process.stdin.flush()
            yield int(process.stdout.readline())
            process.stdin.close()  # it ends with its standard input
            process.wait(STOP_LIMIT_S)
        finally:
            process.kill()


def main() -> None:
    about = json.loads(sys.stdin.readline())
    server = BareServer(about["event"].encode(), about["reply"].encode())
    server.run()
    print(server.port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
