"""A data folder with ten thousand finished games beside an empty one: start, page, action."""

from __future__ import annotations

import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.data_folder import JOURNAL
from companion.record.copies import copies
from tests.benchmarks.many_games import make
from tests.benchmarks.report import Aim, Row, median, percentile
from tests.support import service

GAMES, GAMES_QUICK = 10_000, 1_000
STARTS, ACTIONS = 5, 200
START_AIM, ACTION_AIM = Aim(1), Aim(10)


@dataclass(frozen=True)
class _Times:
    start_s: Sequence[float]
    page_ms: Sequence[float]
    early_ms: Sequence[float]
    action_ms: Sequence[float]


def measure(*, quick: bool) -> list[Row]:
    games = GAMES_QUICK if quick else GAMES
    starts, actions = (2, 40) if quick else (STARTS, ACTIONS)
    with tempfile.TemporaryDirectory() as name:
        empty, full = Path(name) / "empty", Path(name) / "full"
        make(full, games)
        size = f"{games:,} games, {(full / JOURNAL).stat().st_size / 1e6:.0f} MB"
        few = _times(empty, starts, actions)
        many = _times(full, starts, actions)
    beside = "in an empty folder"
    return [
        Row(
            f"start, {size}",
            median(many.start_s),
            "s",
            median(few.start_s),
            beside,
            START_AIM,
        ),
        Row("first page", median(many.page_ms), "ms", median(few.page_ms), beside),
        Row("action p50", median(many.action_ms), "ms", median(few.action_ms), beside, ACTION_AIM),
        Row(
            "action p50, while a copy is made",
            median(many.early_ms),
            "ms",
            median(few.early_ms),
            beside,
        ),
        Row(
            "action p99, while a copy is made",
            percentile(many.early_ms, 99),
            "ms",
            percentile(few.early_ms, 99),
            beside,
        ),
    ]


def _times(folder: Path, starts: int, actions: int) -> _Times:
    start_s, page_ms = [], []
    early_ms: list[float] = []
    action_ms: list[float] = []
    for number in range(starts):
        last = copies(folder)[:1]
        before_ns = time.perf_counter_ns()
        with service.serving(folder, "--new", "--set", "octopus=2") as running:
            start_s.append((time.perf_counter_ns() - before_ns) / 1e9)
            page_ms.append(_took_ms(lambda running=running: _page(running)))
            if number == starts - 1:
                early_ms = _act(running, actions)
                while copies(folder)[:1] == last:
                    _page(running)  # until the copy of this start is made
                action_ms = _act(running, actions)
            running.stop()
    return _Times(start_s, page_ms, early_ms, action_ms)


def _act(running: service.Service, count: int) -> list[float]:
    """A card, and it is taken back; so a game never ends."""
    times = []
    for _ in range(count // 2):
        times.append(_took_ms(lambda: running.do("reveal", card="dots")))
        times.append(_took_ms(lambda: running.post({"undo": 1})))
    return times


def _page(running: service.Service) -> None:
    with urllib.request.urlopen(running.url, timeout=10) as response:
        response.read()


def _took_ms(do: Callable[[], object]) -> float:
    before_ns = time.perf_counter_ns()
    do()
    return (time.perf_counter_ns() - before_ns) / 1e6
