"""A game of one's own: by taps, and whole evenings with faults."""

import pytest
from race import Race, Run, Runners


@pytest.fixture(autouse=True)
def race(tidetable_game):
    tidetable_game(Race())


def test_cards_are_tapped(tidetable_table):
    table = tidetable_table("race", players=["Ann", "Bo"])
    table.tap("race/three")
    assert (table.turn, table.match.action) == ("Bo", Run("three"))
    assert table.snapshot.standing.scores == {"Ann": 3, "Bo": 0}
    table.undo()
    assert table.turn == "Ann"


def test_robot_people_play_it_with_faults(tidetable_evenings, tidetable_faults):
    plan = tidetable_faults(miss=0.1, duplicate=0.1, killed=0.02, restarted_pcscd=0.02)
    tally = tidetable_evenings(Runners, games=10, faults=plan)
    assert tally.sound, tally.report()
    assert tally.struck["miss"]


def test_a_mistake_of_the_game_is_found(tidetable_evenings, monkeypatch):
    monkeypatch.setattr(Race, "meaning", lambda self, state, kind, name: Run("one"))
    tally = tidetable_evenings(Runners, games=2)
    assert len(tally.silent) == 2
