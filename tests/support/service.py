"""The real service as a process of its own, and a client of its HTTP API."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

TOKEN = "table-link-token"
START_LIMIT_S = 60
"""Far more than it takes: a busy machine is no fault of the code."""

ANSWER_LIMIT_S = 30


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "companion.cli", *words]


@dataclass
class Service:
    """A running `companion run`."""

    process: subprocess.Popen[str]
    url: str
    log: IO[str]
    said: str = ""

    def get(self, path: str = "/api/v1/table") -> Any:
        with urllib.request.urlopen(self.url + path, timeout=ANSWER_LIMIT_S) as response:
            return json.load(response)

    def post(self, body: object, token: str = TOKEN) -> tuple[int, Any]:
        request = urllib.request.Request(
            self.url + "/api/v1/actions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_LIMIT_S) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def do(self, verb: str, **fields: object) -> Any:
        status, reply = self.post({"do": verb, **fields})
        assert status == 200, reply
        return reply

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(ANSWER_LIMIT_S)

    def stop(self, limit_s: float = ANSWER_LIMIT_S) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(limit_s)

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])


def start(
    data: Path,
    *arguments: str,
    port: int = 0,
    environment: Mapping[str, str] | None = None,
) -> Service:
    """Start the service and wait for its `ready` line."""
    words = command("run", "--data", str(data), "--port", str(port), "--token", TOKEN, *arguments)
    said = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed by `end`
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=said,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    watchdog = threading.Timer(START_LIMIT_S, process.kill)
    watchdog.start()
    assert process.stdout is not None
    line = process.stdout.readline()
    watchdog.cancel()
    service = Service(process, line.removeprefix("ready ").strip(), said)
    if not line.startswith("ready "):
        end(service)
        raise AssertionError(f"the service did not start: {service.said}")
    return service


@contextmanager
def serving(
    data: Path,
    *arguments: str,
    port: int = 0,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Service]:
    """The service for a while; whatever is left of it is ended."""
    service = start(data, *arguments, port=port, environment=environment)
    try:
        yield service
    finally:
        end(service)


def end(service: Service) -> None:
    """End the process that was started here, if it still runs, and its pipes."""
    if service.process.poll() is None:
        service.process.kill()
        service.process.wait(ANSWER_LIMIT_S)
    if service.process.stdout:
        service.process.stdout.close()
    if not service.log.closed:
        service.log.seek(0)
        service.said = service.log.read()
        service.log.close()


def refused(*words: str) -> str:
    """What a command says on standard error when it refuses with exit status 2."""
    done = subprocess.run(
        command(*words), capture_output=True, text=True, timeout=START_LIMIT_S, check=False
    )
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert done.stdout == ""
    return done.stderr
