"""The board's end of the link in Python, on a pseudo terminal or a socket, with faults."""

import os
import queue
import select
import socket
import threading
import time
import tty

import pytest

from firmware_bridge import messages
from firmware_bridge.link import Link

AHEAD_MS = 5_000_000
"""The board's counter is no clock of the host's."""

LIMIT_S = 20.0


def board_ms():
    return time.monotonic_ns() // 1_000_000 + AHEAD_MS


class Pty:
    """A serial port with a lasting name; closed, its cable is pulled."""

    def __init__(self, path):
        self.path = path
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        path.unlink(missing_ok=True)
        path.symlink_to(os.ttyname(self._slave))

    def fileno(self):
        return self.master

    def read(self):
        return os.read(self.master, 4096)

    def write(self, data):
        os.write(self.master, data)

    def close(self):
        self.path.unlink(missing_ok=True)
        os.close(self._slave)
        os.close(self.master)


class Served:
    """A port of a ship with Wi-Fi: takes one host after the other."""

    def __init__(self, port=0):
        self._server = socket.create_server(("127.0.0.1", port), reuse_port=True)
        self.port = self._server.getsockname()[1]
        self._client = None

    def fileno(self):
        return (self._client or self._server).fileno()

    def read(self):
        if self._client is None:
            self._client, _ = self._server.accept()
            return b""
        data = self._client.recv(4096)
        if not data:
            self._client.close()
            self._client = None
        return data

    def write(self, data):
        if self._client is not None:
            self._client.sendall(data)

    def close(self):
        if self._client is not None:
            self._client.close()
        self._server.close()


class BoardEnd:
    """Runs a link at a wire, in a thread; everything else is what a test tells it."""

    def __init__(self, boot_id=1, firmware="Pico W 1.0", capabilities=0, places=("PN532 v1.6",)):
        self._about = messages.pack_hello(firmware, capabilities, list(places))
        self._lock = threading.Lock()
        self._wire = None
        self._running = True
        self._poke_r, self._poke_w = os.pipe()
        self.heard = queue.Queue()
        self.mangle = bytes  # what becomes of the bytes that it writes
        self.start_anew(boot_id)
        self._thread = threading.Thread(target=self._run, name="board", daemon=True)
        self._thread.start()

    def start_anew(self, boot_id, queue_limit=256):
        with self._lock:
            self.link = Link(boot_id, self._about, queue_limit)

    def plug(self, wire):
        with self._lock:
            self._wire = wire
        os.write(self._poke_w, b"!")
        return wire

    def unplug(self, then=None):
        """Pull the cable, if need be in the middle of the frame of a message."""
        with self._lock:
            wire, self._wire = self._wire, None
            if then is not None:
                self.link.send(*then, board_ms())
                out = self.link.output(board_ms())
                wire.write(out[: len(out) // 2])
            wire.close()

    def say(self, kind, body):
        with self._lock:
            return self.link.send(kind, body, board_ms())

    def wait_until_acknowledged(self, limit_s=LIMIT_S):
        deadline = time.monotonic() + limit_s
        while self.link.waiting:
            assert time.monotonic() < deadline, "the host acknowledges nothing"
            threading.Event().wait(0.002)

    def write(self, data):
        """Bytes that are no frame of the link's."""
        with self._lock:
            self._wire.write(data)

    def tag_on(self, place, uid, **options):
        body = messages.pack_tag_on(place, bytes.fromhex(uid), board_ms(), **options)
        return self.say(messages.TAG_ON, body)

    def tag_off(self, place, uid):
        body = messages.pack_tag_off(place, bytes.fromhex(uid), board_ms())
        return self.say(messages.TAG_OFF, body)

    def next(self, kind, limit_s=LIMIT_S):
        """The body of the next message of this kind that the host sent."""
        deadline = time.monotonic() + limit_s
        while True:
            try:
                found, body = self.heard.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                pytest.fail(f"the host sent no message {kind:#x} within {limit_s} s")
            if found == kind:
                return body

    def stop(self):
        self._running = False
        os.write(self._poke_w, b"!")
        self._thread.join(LIMIT_S)
        with self._lock:
            if self._wire is not None:
                self._wire.close()
                self._wire = None
        os.close(self._poke_r)
        os.close(self._poke_w)

    def _run(self):
        while self._running:
            with self._lock:
                ends = [self._poke_r] + ([self._wire.fileno()] if self._wire else [])
            try:
                ready, _, _ = select.select(ends, [], [], 0.005)
            except (OSError, ValueError):
                continue  # unplugged meanwhile
            if self._poke_r in ready:
                os.read(self._poke_r, 100)
            with self._lock:
                if self._wire is None:
                    continue
                try:
                    data = self._wire.read() if self._wire.fileno() in ready else b""
                    heard = self.link.feed(data, board_ms())
                    out = self.mangle(self.link.output(board_ms()))
                    if out:
                        self._wire.write(out)
                except OSError:
                    continue
            for item in heard:
                self.heard.put(item)
