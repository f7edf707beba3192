"""Actions a second of the rules of five tentacles, with their outcomes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from companion.rules import game_named
from companion.rules.tentacles_words import State
from tests.benchmarks.games import Recorded, record
from tests.benchmarks.report import Aim, Row, median

AIM = Aim(500_000, at_least=True)
FIELDS = len(State._fields)


def measure(*, quick: bool) -> list[Row]:
    games = record(5_000 if quick else 50_000)
    actions = sum(len(game.actions) for game in games)
    played, built = [], []
    # In turn, so that a slow moment of the machine hits both.
    for _ in range(5 if quick else 15):
        played.append(actions / _seconds(_play, games))
        built.append(actions / _seconds(_build, games))
    floor_name = f"a loop that builds a {FIELDS}-tuple"
    return [
        Row("actions, best round", max(played), "/s", max(built), floor_name, AIM),
        Row("actions, median round", median(played), "/s", median(built), floor_name, AIM),
    ]


def _seconds(work: Callable[[Sequence[Recorded]], None], games: Sequence[Recorded]) -> float:
    before_ns = time.perf_counter_ns()
    work(games)
    return (time.perf_counter_ns() - before_ns) / 1e9


def _play(games: Sequence[Recorded]) -> None:
    apply = game_named("tentacles").apply
    for game in games:
        state = game.start
        for action in game.actions:
            state, _ = apply(state, action)


def _build(games: Sequence[Recorded]) -> None:
    for game in games:
        _, b, c, d, e, f, g, h, i, j = game.start
        for action in game.actions:
            _, _ = (b, c, d, e, f, g, h, i, j, action), ()
