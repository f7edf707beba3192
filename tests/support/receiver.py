"""A real HTTP server that is posted to."""

from __future__ import annotations

import json
import queue
import ssl
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LIMIT_S = 30


class Receiver:
    """A real server. It answers with what it is told to, and else takes everything.

    Attributes:
        url: where to post.
        answers: status and headers of the next answers.
        came: each request: headers and body.
        go_on: while it is not set, answers wait.
    """

    def __init__(self):
        self.answers = queue.Queue()
        self.came = queue.Queue()
        self.go_on = threading.Event()
        self.go_on.set()
        its = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                its.came.put((self.path, self.headers, body))
                its.go_on.wait(LIMIT_S)
                status, headers = its.answers.get() if its.answers.qsize() else (204, {})
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_GET(self):
                its.came.put(("GET", self.headers, b"{}"))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

            def handle(self):
                with suppress(OSError):  # who posts may hang up
                    super().handle()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?key=K3y"

    def next(self):
        path, headers, body = self.came.get(timeout=LIMIT_S)
        return path, headers, json.loads(body)

    def kinds(self, count):
        return [self.next()[2]["event_type"] for _ in range(count)]


@contextmanager
def receiving(certificate=None, key=None):
    """The server for a while; with a certificate it speaks TLS."""
    one = Receiver()
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        one.server.socket = context.wrap_socket(
            one.server.socket, server_side=True, do_handshake_on_connect=False
        )
    thread = threading.Thread(target=one.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield one
    finally:
        one.go_on.set()
        one.server.shutdown()
        one.server.server_close()
        thread.join()
