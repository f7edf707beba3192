"""Whole games with faults: nothing stays wrong in silence, and the judge notices if it did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion import course
from companion.meaning import understanding_of
from companion.meaning.api import Do, Wait
from companion.rules.tentacles_words import Reveal, Stop
from hardware_sim.evening import people_of
from hardware_sim.evening.faults import KINDS, USUAL, Plan
from hardware_sim.evening.mending import edits_between
from hardware_sim.evening.room import Disk
from hardware_sim.evening.runner import play_one
from hardware_sim.evening.simulate import Run
from hardware_sim.evening.tally import Tally

NONE = Plan()
USUAL_PLAN = Plan.of(USUAL)
GAMES = {"tentacles": (45, 30), "octopus-alarm": (16, 12), "sea-salt-paper": (4, 3)}
"""How many games attentive people play, and careless ones: a short one is played more often."""

WAYS = ("refused", "question", "closing", "looking", "waiting", "itself")
SEED = 5


def played(game, games, plan=USUAL_PLAN, temper="attentive"):
    return Run(game, plan, SEED, temper).play(range(games))


def sound(tally: Tally) -> None:
    assert tally.sound, tally.report()


@pytest.mark.parametrize("temper", ["attentive", "careless"])
@pytest.mark.parametrize("game", GAMES)
def test_a_game_without_faults_has_nothing_to_tell(game, temper):
    tally = played(game, 2, NONE, temper)
    sound(tally)
    assert tally.games == 2
    assert tally.actions >= tally.turns > 0
    assert (tally.repairs, tally.repair_taps, tally.by_touch) == (0, 0, 0)
    assert not tally.struck


@pytest.mark.parametrize("game", GAMES)
def test_people_who_answer_the_missing_beep_leave_nothing_wrong(game):
    games, _ = GAMES[game]
    tally = played(game, games)
    sound(tally)
    assert tally.games == games
    assert not tally.later
    assert tally.at_once["miss"] > 10
    assert tally.struck == tally.at_once + tally.harmless


@pytest.mark.parametrize("game", GAMES)
def test_what_careless_people_miss_is_found_before_the_game_is_put_away(game):
    _, games = GAMES[game]
    tally = played(game, games, temper="careless")
    sound(tally)
    assert tally.later["miss"] > 5
    assert tally.repairs > 5
    assert tally.told_by.total() == tally.turns_until.total()
    assert tally.struck == tally.at_once + tally.harmless + tally.later
    assert set(tally.told_by) <= set(WAYS)


@pytest.mark.parametrize("kind", [kind for kinds in KINDS.values() for kind in kinds])
def test_one_kind_of_fault_at_every_tenth_tap(kind):
    table = next(table for table, kinds in KINDS.items() if kind in kinds)
    plan = Plan.of(f"[{table}]\n{kind} = 0.1\n")
    for temper in ("attentive", "careless"):
        tally = played("tentacles", 2, plan, temper)
        sound(tally)
        assert set(tally.struck) <= {kind}
        # There is one reader and no ship in five tentacles.
        assert tally.struck[kind] or kind in ("wrong-reader", "knocked-ship")


def test_the_same_seed_is_the_same_evening():
    assert played("tentacles", 3) == played("tentacles", 3)


def test_the_people_play_alike_with_and_without_faults():
    assert played("tentacles", 5, NONE).actions == played("tentacles", 5).actions


# --- that the judge notices ------------------------------------------------------------


class Swallows(type(understanding_of("tentacles"))):
    """It takes a card of dots with the sign of a tap that was taken, and does nothing."""

    def tapped(self, memory, tap, known):
        if tap.name == "dots":
            return memory, Wait("")
        return super().tapped(memory, tap, known)


class Confuses(type(understanding_of("tentacles"))):
    """It takes rings for stars."""

    def tapped(self, memory, tap, known):
        memory, meaning = super().tapped(memory, tap, known)
        if isinstance(meaning, Do) and tap.name == "rings":
            meaning = replace(meaning, actions=(Reveal("stars"),))
        return memory, meaning


class DropsTheStop(type(understanding_of("tentacles"))):
    """It turns another card when people stop, and nobody hears a difference."""

    def control(self, memory, name, station, known):
        if name == "stop" and known.match.game.standing(known.match.state).phase == "choose":
            return memory, Wait("")
        return super().control(memory, name, station, known)


@pytest.mark.parametrize("faulty", [Swallows, Confuses, DropsTheStop])
def test_an_understanding_that_is_wrong_is_a_silent_error(faulty, monkeypatch):
    monkeypatch.setattr(course, "understanding_of", lambda game: faulty())
    tally = played("tentacles", 3, NONE)
    assert len(tally.silent) == 3
    assert not tally.crashed
    wrong = tally.silent[0]
    assert (wrong.seed, wrong.number) == (SEED, 0)
    assert f"seed {SEED}, game 0, after action {wrong.step}: " in tally.report()
    # Careless people heard every sign, too: it is no excuse for the table.
    assert len(played("tentacles", 3, NONE, "careless").silent) == 3


def test_a_disk_that_forgets_what_it_took_is_found_in_the_file(monkeypatch):
    honest = Disk.append

    def forgetful(self, game, entries, notes=()):
        if entries and entries[0].entry % 20 == 0:
            return
        honest(self, game, entries, notes)

    monkeypatch.setattr(Disk, "append", forgetful)
    tally = played("tentacles", 3, NONE)
    assert not tally.sound


def test_people_who_are_never_told_leave_a_silent_error(monkeypatch, tmp_path):
    """A miss in the last pass that nobody asks about and nobody sees on the screen."""
    people = people_of("tentacles")
    blind = type("Blind", (people,), {"sees": lambda self, truth, shown: ""})
    monkeypatch.setattr(course.Course, "questions", ())
    tally = Tally()
    plan = Plan.of("[readers]\nmiss = 0.3\n")
    for number in range(8):
        folder = tmp_path / str(number)
        play_one(blind, folder, plan, seed=SEED, number=number, temper="careless", tally=tally)
    assert tally.silent
    assert "when the game was closed" in str(tally.silent[0])


def test_a_robot_that_fails_is_named_with_its_game(monkeypatch):
    def fails(self, truth):
        raise RuntimeError("no idea")

    monkeypatch.setattr(people_of("tentacles"), "move", fails)
    tally = played("tentacles", 1)
    assert [str(wrong) for wrong in tally.crashed] == [
        "seed 5, game 0, after action 0: RuntimeError: no idea"
    ]
    assert not tally.sound


# --- setting right --------------------------------------------------------------------


DOTS, RINGS, STARS, STOP = Reveal("dots"), Reveal("rings"), Reveal("stars"), Stop()


@pytest.mark.parametrize(
    ("told", "real", "edits"),
    [
        ([DOTS], [DOTS], []),
        ([DOTS], [RINGS], ["Replace(label='1', action=Reveal(card='rings'))"]),
        ([DOTS, STOP], [STOP], ["Delete(label='1')"]),
        ([STOP], [DOTS, STOP], ["Insert(before='1', action=Reveal(card='dots'))"]),
        ([DOTS], [DOTS, STOP], ["Insert(before=None, action=Stop())"]),
        (
            [DOTS, STOP, STARS],
            [RINGS, DOTS, STOP],
            ["Insert(before='1', action=Reveal(card='rings'))", "Delete(label='3')"],
        ),
    ],
)
def test_the_shortest_correction(told, real, edits):
    labels = [str(number) for number in range(1, len(told) + 1)]
    assert [repr(edit) for edit in edits_between(told, real, labels)] == edits
