"""From an action posted to its line on 1, 4, 10 and 100 open event streams, and on four pages'."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

from companion.codec import action_to_json
from tests.benchmarks import bare_stream
from tests.benchmarks.games import PLAYERS, record
from tests.benchmarks.report import Aim, Row, percentile
from tests.benchmarks.stream_client import Client, Times
from tests.support.service import TOKEN, serving

AIMED_COUNT = 4
AIMS = {50: Aim(3), 99: Aim(10)}
PLAYER_COUNT = 4
WARM_UP_ACTIONS = 10
PAUSE_S = 0.005
"""Between two actions, so that the server is at rest when the next one comes, as at a table."""

ACTIONS = "/api/v1/actions"
HEALTH = "/healthz"
BARE = "the same bytes from a bare server"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of stream.

    Attributes:
        path: where it is.
        mark: how its events begin.
        name: of one, for the table.
        counts: how many are open at once, one number after the other.
    """

    path: str
    mark: bytes
    name: str
    counts: tuple[int, ...]


PROGRAMS = Kind("/api/v1/table/stream", b"event: table\n", "stream", (1, 4, 10, 100))
PAGES = Kind("/stream?page=tv", b"event: view\n", "page", (4,))


@dataclass(frozen=True, slots=True)
class _Measured:
    times: dict[int, list[Times]]
    health_ms: list[float]
    event: bytes
    reply: bytes


def measure(*, quick: bool) -> list[Row]:
    actions = 40 if quick else 400
    ours, bare = _beside_bare(PROGRAMS, actions)
    rows = list(_rows(PROGRAMS, ours, bare))
    for percent in (50, 99):
        figures = percentile(ours.health_ms, percent), percentile(bare.health_ms, percent)
        rows.append(
            Row(f"GET {HEALTH}, p{percent}", figures[0], "ms", figures[1], "GET of the bare server")
        )
    return [*rows, *_rows(PAGES, *_beside_bare(PAGES, actions))]


def _beside_bare(kind: Kind, actions: int) -> tuple[_Measured, _Measured]:
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), "--players", ",".join(PLAYERS[:PLAYER_COUNT])) as service,
    ):
        ours = _measure(service.port, kind, actions)
        service.stop()
    about = {"event": ours.event.decode(), "reply": ours.reply.decode()}
    with bare_stream.child("bare_stream", about) as port:
        return ours, _measure(port, kind, actions)


def _rows(kind: Kind, ours: _Measured, bare: _Measured) -> Iterator[Row]:
    for count in kind.counts:
        aims = AIMS if (kind, count) == (PROGRAMS, AIMED_COUNT) else {}
        name = f"{count} {kind.name}" + ("" if count == 1 else "s")
        for percent in (50, 99):
            figures = (percentile(_received(one.times[count]), percent) for one in (ours, bare))
            figure, floor = figures
            yield Row(f"action to {name}, p{percent}", figure, "ms", floor, BARE, aims.get(percent))


def _received(times: Sequence[Times]) -> list[float]:
    return [each for one in times for each in one.streams_ms]


def _measure(port: int, kind: Kind, actions: int) -> _Measured:
    commands = _commands()
    times: dict[int, list[Times]] = {}
    with Client(port, TOKEN, kind.mark) as client:
        for _ in range(WARM_UP_ACTIONS):
            client.get(HEALTH)
        health_ms = [client.get(HEALTH) for _ in range(actions)]
        for count in kind.counts:
            client.open_streams(kind.path, count)
            for _ in range(WARM_UP_ACTIONS):
                client.post(ACTIONS, next(commands))
            times[count] = []
            for _ in range(actions):
                times[count].append(client.post(ACTIONS, next(commands)))
                client.quiet(PAUSE_S)
        return _Measured(times, health_ms, client.event, client.reply)


def _commands() -> Iterator[dict[str, Any]]:
    """One game after another without end; after each, all of it is taken back."""
    for game in cycle(record(2_000, players=PLAYER_COUNT)):
        yield from map(action_to_json, game.actions)
        yield {"undo": len(game.actions)}
