"""`companion simulate`: its figures, its exit status, its progress, and a day in one service."""

from __future__ import annotations

import gc
import io
import re
from collections import Counter

import pytest

from companion import course
from companion.cli import main
from hardware_sim.evening.faults import USUAL, Plan
from hardware_sim.evening.simulate import Bar, Run
from hardware_sim.evening.tally import Tally, Wrong
from tests.evening.test_evenings import Swallows

FIGURES = re.compile(r"^(games|turns|faults injected|SILENT ERRORS) +([\d,]+)$", re.MULTILINE)


def figures(text):
    return {name: int(number.replace(",", "")) for name, number in FIGURES.findall(text)}


def test_the_command_prints_the_figures(capsys):
    assert main(["simulate", "--games", "4", "--seed", "3", "--jobs", "1"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("tentacles, attentive people, seed 3\n")
    found = figures(told.out)
    assert found["games"] == 4
    assert found["SILENT ERRORS"] == 0
    assert found["turns"] > 20
    assert "4 of 4 games, 0 silent errors" in told.err


def test_processes_change_nothing_in_the_figures():
    words = Run("tentacles", Plan.of(USUAL), 7, "careless")
    whole = Tally()
    for part in (range(3), range(3, 5)):
        whole.add(words.play(part))
    assert whole == words.play(range(5))


def test_a_silent_error_is_named_kept_and_the_exit_status(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(course, "understanding_of", lambda game: Swallows())
    words = ["simulate", "--seed", "3", "--jobs", "1", "--keep", str(tmp_path / "kept")]
    assert main([*words, "--games", "2"]) == 1
    told = capsys.readouterr().out
    (first, _) = re.findall(r"^Silent error: seed 3, game (\d), after action (\d+)", told, re.M)
    assert (tmp_path / "kept" / f"tentacles-3-{first[0]}" / "table.sqlite").is_file()
    # The game that it names comes again.
    assert main([*words, "--games", "1", "--first", first[0]]) == 1
    assert f"Silent error: seed 3, game {first[0]}, after action {first[1]}" in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--game", "chess"], "Nobody here plays 'chess'"),
        (["--faults", "nowhere.toml"], "nowhere.toml cannot be read"),
    ],
)
def test_what_cannot_be_done_is_refused(words, sentence, capsys):
    assert main(["simulate", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_no_games_are_refused():
    with pytest.raises(SystemExit):
        main(["simulate", "--games", "0"])


def test_all_games_and_both_kinds_of_people_in_one_command(capsys):
    assert main(["simulate", "--game", "all", "--people", "both", "--games", "1"]) == 0
    titles = re.findall(r"^(.*) people, seed 1$", capsys.readouterr().out, re.MULTILINE)
    games = ("octopus-alarm", "sea-salt-paper", "tentacles")
    assert titles == [f"{game}, {temper}" for game in games for temper in ("attentive", "careless")]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("out", "lines"), [(io.StringIO(), 10), (Terminal(), 1)])
def test_the_bar(out, lines):
    bar = Bar("chess", 200, out)
    for games in range(1, 201):
        bar.show(Tally(games=games, silent=[Wrong(1, 2, 3, "")] if games > 100 else []))
    text = out.getvalue()
    assert text.count("\n") == lines
    assert text.endswith(f"chess [{'#' * 30}] 200 of 200 games, 1 silent errors, 0:00 left\n")


def test_tallies_are_added():
    one = Tally(games=1, turns=5, struck=Counter(miss=2), silent=[Wrong(1, 0, 3, "a")])
    one.add(Tally(games=2, struck=Counter(miss=1, hold=4), silent=[Wrong(1, 1, 3, "b")]))
    assert (one.games, one.turns, one.struck) == (3, 5, Counter(hold=4, miss=3))
    assert [wrong.what for wrong in one.silent] == ["a", "b"]
    assert not one.sound
    assert Tally(games=3).sound


def test_when_errors_came_to_light_is_told():
    tally = Tally(told_by=Counter(refused=3, looking=1), turns_until=Counter({1: 2, 4: 1, 9: 1}))
    told = tally.report()
    assert "4: 3 by refused (75.0 %), 1 by looking (25.0 %)." in told
    assert "Turns until then: median 1, 90 % 9, most 9." in told


def day(games):
    """What lives in the process, and how many files are open, after each game of one service.

    Without the first, in which what a process does once is done: imports, caches.
    """
    living, files = [], []
    run = Run("tentacles", Plan.of(USUAL), 2, "attentive")
    for tally, _, open_files in run.play_at_one_table(games):
        assert tally.sound, tally.report()
        gc.collect()
        living.append(len(gc.get_objects()))
        files.append(open_files)
    assert len(living) == games
    return living[1:], files[1:]


def grew(counts):
    """By how much the least of the last third is more than that of the first."""
    third = len(counts) // 3
    return min(counts[-third:]) - min(counts[:third])


A_GAME = 500
"""A game that is still in memory when it should not be is at least so many objects."""


def test_a_day_in_one_service_does_not_grow():
    """A few games here; `companion simulate --one-table --games 2000` is a longer day."""
    living, files = day(19)
    assert grew(living) < 2 * A_GAME
    assert grew(files) == 0


def test_a_service_that_keeps_its_games_would_be_noticed(monkeypatch):
    kept = []
    begin = course.Course.begin.__func__

    def keeping(cls, journal, setup):
        kept.append(begin(cls, journal, setup))
        return kept[-1]

    monkeypatch.setattr(course.Course, "begin", classmethod(keeping))
    living, _ = day(13)
    assert grew(living) > 2 * A_GAME


def test_the_day_in_one_service_by_command(capsys):
    assert main(["simulate", "--games", "5", "--one-table"]) == 0
    assert re.search(r"after 5 games [\d,]+ KiB and \d+ open files", capsys.readouterr().out)
