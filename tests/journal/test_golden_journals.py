"""Golden journals: a game of an older version of the rules replays as it did then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.match import Setup
from companion.record.replay import read, replayed
from companion.repair.timeline import Timeline
from companion.rules import GAMES
from tests.journal.make_golden import GOLDEN, SETUPS, views

FILES = sorted(GOLDEN.glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_replays_bit_for_bit(path: Path):
    """Each state that all could see, each outcome, and at the end what each player alone sees."""
    file = read(path.read_bytes())
    assert file.header["secrets"]
    assert not file.hidden
    assert list(replayed(file)) == file.rows
    header = file.header
    setup = Setup(header["game"], tuple(header["players"]), header["starter"], header["options"])
    timeline = Timeline.start(setup)
    for row in file.rows:
        if "entry" in row:
            timeline = timeline.after(row["command"], row["entry"], row["uid"])
    assert file.rows[-1]["shown"]["over"]
    final = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(views(timeline))) == final


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_was_set_right_in_every_way(path: Path):
    commands = [row["command"] for row in read(path.read_bytes()).rows if "entry" in row]
    assert {"do", "undo", "correct", "restore"} <= {next(iter(command)) for command in commands}


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_one_of_the_present_version_of_its_rules(game):
    """Raised `rules_version`? Then: python -m tests.journal.make_golden GAME. Old ones stay."""
    present = GAMES[game].rules_version
    found = {
        (file.header["game"], file.header["rules_version"])
        for file in (read(path.read_bytes()) for path in FILES)
    }
    assert {(game, version) for version in range(1, present + 1)} <= found


def test_every_game_can_get_one():
    assert set(SETUPS) == set(GAMES)
