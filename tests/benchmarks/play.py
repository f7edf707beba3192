"""Commands a second through a real `companion play`, fed by a pipe."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import IO, Self

from companion.codec import action_to_json
from tests.benchmarks.games import record
from tests.benchmarks.report import Row
from tests.support.service import command

LIMIT_S = 60
ECHO = """
import sys
for line in iter(sys.stdin.buffer.readline, b""):
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
"""


def measure(*, quick: bool) -> list[Row]:
    lines = _lines(2_000 if quick else 20_000)
    at_once_s, replies = through_pipe(command("play"), lines)
    few = lines[: len(lines) // 4]
    waited = len(few) / one_by_one(command("play"), few)
    echo = len(few) / one_by_one(python(ECHO), few)
    json_only = len(lines) / json_only_s(lines, replies)
    return [
        Row(
            "commands, all at once",
            len(lines) / at_once_s,
            "/s",
            json_only,
            "json.loads + json.dumps of the same lines",
        ),
        Row("commands, one by one", waited, "/s", echo, "a Python process that echoes lines"),
    ]


def _lines(count: int) -> list[bytes]:
    commands: list[dict[str, object]] = []
    for game in record(count):
        commands.append({"new": {"game": "tentacles", "players": game.players}})
        commands.extend(map(action_to_json, game.actions))
    return [json.dumps(each).encode() + b"\n" for each in commands[:count]]


class _Answering:
    """A process that answers lines, started and warm: it has answered once."""

    def __init__(self, words: Sequence[str], first: bytes) -> None:
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._watchdog = threading.Timer(LIMIT_S, self.process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()
        self.ask(first)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self._watchdog.cancel()
        self.stdin.close()
        self.stdout.close()
        self.process.wait(LIMIT_S)

    @property
    def stdin(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def stdout(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    def ask(self, line: bytes) -> bytes:
        self.stdin.write(line)
        self.stdin.flush()
        return self.stdout.readline()


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def through_pipe(words: Sequence[str], lines: Sequence[bytes]) -> tuple[float, list[bytes]]:
    """Everything is written at once: how many seconds the replies took, and these."""
    with _Answering(words, lines[0]) as process:
        writer = threading.Thread(target=_feed, args=(process.stdin, b"".join(lines)))
        before_ns = time.perf_counter_ns()
        writer.start()
        replies = [process.stdout.readline() for _ in lines]
        seconds = (time.perf_counter_ns() - before_ns) / 1e9
        writer.join()
    refused = [reply for reply in replies if not reply.startswith(b'{"ok": true')]
    if refused:
        raise RuntimeError(f"{len(refused)} commands were refused, the first: {refused[0]!r}")
    return seconds, replies


def _feed(stdin: IO[bytes], everything: bytes) -> None:
    stdin.write(everything)
    stdin.flush()


def one_by_one(words: Sequence[str], lines: Sequence[bytes]) -> float:
    """The seconds that it takes when each line waits for the reply to the one before."""
    with _Answering(words, lines[0]) as process:
        before_ns = time.perf_counter_ns()
        for line in lines:
            process.ask(line)
        return (time.perf_counter_ns() - before_ns) / 1e9


def json_only_s(lines: Sequence[bytes], replies: Sequence[bytes]) -> float:
    """Read the commands and write the replies, and nothing between."""
    answers = [json.loads(reply) for reply in replies]
    before_ns = time.perf_counter_ns()
    for line, answer in zip(lines, answers, strict=True):
        json.loads(line)
        json.dumps(answer, ensure_ascii=False)
    return (time.perf_counter_ns() - before_ns) / 1e9
