"""The benchmarks run and print what they promise; how fast anything is, is not judged here."""

import re
import subprocess
import sys

import pytest

from companion.rules import GAMES
from tests.benchmarks.report import ROOT, Aim, Row, median, percentile, spelled, table
from tests.benchmarks.rules import AIMS

LIMIT_S = 100
ROWS = (
    *(f"{game}, {which} round" for game in AIMS for which in ("best", "median")),
    "commands, all at once",
    "commands, one by one",
    "hands, best round",
    "hands, median round",
    "hands, one by one",
)


@pytest.fixture(scope="module")
def printed():
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks", "--quick", "rules", "play", "score"],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ROWS)
def test_each_row_has_a_figure_a_floor_and_a_ratio(printed, name):
    number = r"[\d,]*\d(\.\d+)?"
    row = rf"^.*{name} +{number} /s +{number} /s +\S.* {number}x"
    assert re.search(row, printed, re.MULTILINE), printed


@pytest.mark.parametrize(("game", "aim"), AIMS.items())
def test_an_aim_is_judged(printed, game, aim):
    (row,) = (line for line in printed.splitlines() if f"{game}, best round" in line)
    assert re.search(rf"at least {aim:,} /s +(met|NOT MET)$", row)


def test_every_game_is_measured():
    assert AIMS.keys() == GAMES.keys(), "say in AIMS how fast the game should be"


def test_an_unknown_name_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks", "abacus"],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 2
    assert "no benchmark abacus" in done.stderr


def test_percentiles_lie_between_the_nearest_ranks():
    assert percentile([3, 1, 2], 0) == 1
    assert percentile([3, 1, 2], 100) == 3
    assert median([1, 2]) == 1.5
    assert percentile(range(101), 99) == 99
    with pytest.raises(ValueError, match="nothing"):
        percentile([], 50)


def test_numbers_keep_the_digits_that_can_be_read():
    numbers = (812_345.4, 12.34, 3.456, 0.0321, 0)
    assert [spelled(number) for number in numbers] == ["812,345", "12.3", "3.46", "0.032", "0.00"]


def test_the_table_judges_aims_and_says_what_is_missing():
    rows = [
        Row("late", 3.5, "ms", 0.5, "floor", Aim(3)),
        Row("soon", 2.5, "ms", 0.0, "floor", Aim(3)),
        Row("never", None, "ms", aim=Aim(3), note="There is no clock."),
    ]
    lines = table([("time", rows)]).splitlines()
    assert [" ".join(line.split()) for line in lines[2:]] == [
        "time late 3.50 ms 0.50 ms floor 7.00x at most 3 ms NOT MET",
        "soon 2.50 ms 0.00 ms floor at most 3 ms met",
        "never [1] not measured at most 3 ms",
        "[1] There is no clock.",
    ]
