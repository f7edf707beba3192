"""A real broker, and somebody who listens to all that it passes on."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from tests.support.programs import find_program

LIMIT_S = 30


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """A broker on a free port of this machine alone, as a process of its own.

    Args:
        folder: for its configuration.
        lines: more of it.
    """

    def __init__(self, folder: Path, *lines: str) -> None:
        folder.mkdir(exist_ok=True)
        self.port = free_port()
        who = ("user root",) if os.geteuid() == 0 else ()
        listener = (f"listener {self.port} 127.0.0.1", "persistence false", "log_dest stderr")
        self._file = folder / "mosquitto.conf"
        self._file.write_text(
            "\n".join((*who, *listener, *(lines or ("allow_anonymous true",)), "")),
            encoding="utf-8",
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = find_program("mosquitto")
        assert program is not None
        self._process = subprocess.Popen(
            [program, "-c", str(self._file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            assert self._process.poll() is None, "mosquitto ended"
            with closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
                threading.Event().wait(0.02)
        raise AssertionError("mosquitto does not listen")

    def kill(self) -> None:
        """End the process that was started here."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(LIMIT_S)
            self._process = None


@contextmanager
def mosquitto(folder: Path, *lines: str) -> Iterator[Mosquitto]:
    broker = Mosquitto(folder, *lines)
    broker.start()
    try:
        yield broker
    finally:
        broker.kill()


Message = tuple[str, str, bool, int]
"""Topic, payload, whether it had been kept for who comes later, quality of service."""


class Listener:
    """Remembers every message that the broker passes on to it."""

    def __init__(self, port: int, username: str = "", password: str = "") -> None:
        self._messages: list[Message] = []
        self._changed = threading.Condition()
        self._subscribed = threading.Event()
        self.client = Client(CallbackAPIVersion.VERSION2)
        if username:
            self.client.username_pw_set(username, password)
        self.client.on_connect = lambda client, *_: client.subscribe("#", 1)
        self.client.on_subscribe = lambda *_: self._subscribed.set()
        self.client.on_message = self._hear
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        assert self._subscribed.wait(LIMIT_S)

    def _hear(self, _client: Client, _data: object, message: Any) -> None:
        with self._changed:
            text = message.payload.decode()
            self._messages.append((message.topic, text, message.retain, message.qos))
            self._changed.notify_all()

    @property
    def messages(self) -> Sequence[Message]:
        with self._changed:
            return list(self._messages)

    def wait(self, wanted: Callable[[Message], bool], after: int = 0) -> Message:
        """The first wanted message, of those after so many."""

        def found() -> Message | None:
            return next(filter(wanted, self._messages[after:]), None)

        with self._changed:
            self._changed.wait_for(lambda: found() is not None, LIMIT_S)
            message = found()
        assert message is not None, f"it did not come; there came {self._messages[after:]}"
        return message

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@contextmanager
def listening_to(port: int, username: str = "", password: str = "") -> Iterator[Listener]:
    listener = Listener(port, username, password)
    try:
        yield listener
    finally:
        listener.close()
