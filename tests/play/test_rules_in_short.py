"""`companion rules`: every game explains itself on one screen."""

from __future__ import annotations

import subprocess
import sys

import pytest
from play_talk import ENVIRONMENT, ROOT

from companion.rules import GAMES
from companion.rules.api import Number

WIDEST = 78
LINES = range(15, 31)


def companion(*words):
    done = subprocess.run(
        [sys.executable, "-m", "companion.cli", *words],
        capture_output=True,
        cwd=ROOT,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_of_each_game_fit_on_one_screen(game):
    status, output, errors = companion("rules", game)
    assert (status, errors) == (0, "")
    assert output == GAMES[game].in_short.strip() + "\n"
    lines = output.splitlines()
    assert len(lines) in LINES
    assert [line for line in lines if len(line) > WIDEST or line != line.rstrip()] == []


def test_without_a_game_the_games_are_listed_with_their_numbers_of_players():
    status, output, errors = companion("rules")
    assert (status, errors) == (0, "")
    lines = output.splitlines()
    assert [line.split()[0] for line in lines] == list(GAMES)
    assert "tentacles         2 to 6 players" in lines


@pytest.mark.parametrize("name", ["chess", "", "Tentacles", b"\xff"])
def test_an_unknown_game_is_refused_with_those_there_are(name):
    status, output, errors = companion("rules", name)
    assert (status, output) == (2, "")
    assert len(errors.splitlines()) == 1
    assert all(game in errors for game in GAMES)


def test_the_rules_of_tentacles_name_its_options():
    game = GAMES["tentacles"]
    named = [option.name for option in game.options if isinstance(option, Number)]
    assert [name for name in named if name not in game.in_short] == []
