"""From the start of the process to its `ready` line."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from companion.codec import action_to_json
from tests.benchmarks.games import record
from tests.benchmarks.report import Aim, Row, median
from tests.support import service

AIM = Aim(1)
FLOOR_NAME = 'python -c "import flask"'


def measure(*, quick: bool) -> list[Row]:
    empty_s, resumed_s, flask_s = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        going_on = Path(folder) / "going-on"
        actions = _play_half_a_game(going_on)
        _flask_s()  # from here on every file is in the system's memory
        for number in range(2 if quick else 9):
            empty_s.append(_ready_s(Path(folder) / str(number)))
            resumed_s.append(_ready_s(going_on))
            flask_s.append(_flask_s())
    floor = median(flask_s)
    return [
        Row("empty folder, median", median(empty_s), "s", floor, FLOOR_NAME, AIM),
        Row(
            f"game of {actions} actions goes on, median",
            median(resumed_s),
            "s",
            floor,
            FLOOR_NAME,
            AIM,
        ),
    ]


def _play_half_a_game(folder: Path) -> int:
    """Leave the longest of some games in the folder, without its end; how many actions."""
    game = max(record(500), key=lambda game: len(game.actions))
    with service.serving(folder, "--players", ",".join(game.players)) as running:
        for action in game.actions[:-1]:
            status, reply = running.post(action_to_json(action))
            if status != 200:
                raise RuntimeError(f"an action was refused: {reply}")
        running.stop()
    return len(game.actions) - 1


def _ready_s(folder: Path) -> float:
    before_ns = time.perf_counter_ns()
    started = service.start(folder)
    lasted_s = (time.perf_counter_ns() - before_ns) / 1e9
    try:
        started.stop()
    finally:
        service.end(started)
    return lasted_s


def _flask_s() -> float:
    before_ns = time.perf_counter_ns()
    subprocess.run([sys.executable, "-c", "import flask"], check=True)
    return (time.perf_counter_ns() - before_ns) / 1e9
