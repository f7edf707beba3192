"""Actions a second of the rules of each game, with their outcomes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from companion.rules import game_named
from tests.benchmarks.games import Recorded, record
from tests.benchmarks.report import Aim, Row, median

AIMS = {
    # game: actions a second
    "tentacles": 500_000,
    "octopus-alarm": 300_000,
    "sea-salt-paper": 150_000,
}


def measure(*, quick: bool) -> list[Row]:
    return [row for game in AIMS for row in _measured(game, quick=quick)]


def _measured(name: str, *, quick: bool) -> list[Row]:
    games = record(5_000 if quick else 50_000, game=name)
    actions = sum(len(game.actions) for game in games)
    played, built = [], []
    # In turn, so that a slow moment of the machine hits both.
    for _ in range(5 if quick else 15):
        played.append(actions / _seconds(_play, name, games))
        built.append(actions / _seconds(_build, name, games))
    floor_name = f"a loop that builds a {len(games[0].start)}-tuple"
    aim = Aim(AIMS[name], at_least=True)
    return [
        Row(f"{name}, best round", max(played), "/s", max(built), floor_name, aim),
        Row(f"{name}, median round", median(played), "/s", median(built), floor_name, aim),
    ]


def _seconds(
    work: Callable[[str, Sequence[Recorded]], None], name: str, games: Sequence[Recorded]
) -> float:
    before_ns = time.perf_counter_ns()
    work(name, games)
    return (time.perf_counter_ns() - before_ns) / 1e9


def _play(name: str, games: Sequence[Recorded]) -> None:
    apply = game_named(name).apply
    for game in games:
        state = game.start
        for action in game.actions:
            state, _ = apply(state, action)


def _build(name: str, games: Sequence[Recorded]) -> None:
    """A state and its outcomes for each action, and nothing more."""
    for game in games:
        size = len(game.start)
        for action in game.actions:
            _, _ = (action,) * size, ()
