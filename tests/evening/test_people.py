"""Robot people: their world, and that they play whole games by the rules."""

from __future__ import annotations

from random import Random

import pytest

from companion.match import Match, Setup
from companion.rules.tentacles_words import Reveal, Stop
from companion.snapshot import Question
from hardware_sim.evening import NoPeople, people_of
from hardware_sim.evening.api import Lay, Touch, World, numbered_tags, told
from hardware_sim.evening.tentacles import TentaclesPeople

TWO = Setup("tentacles", ("Ann", "Bo"))


def whole_game(seed: int) -> tuple[Match, list[str]]:
    chance = Random(seed)
    setup = TentaclesPeople.invitation(chance)
    people = TentaclesPeople(setup, chance)
    truth = Match.start(setup)
    moves = []
    while not truth.game.standing(truth.state).over:
        move = people.move(truth)
        assert len(move.gestures) == len(move.actions) == 1
        moves.append(told(move.actions))
        for gesture in move.gestures:
            match gesture:
                case Lay(station, uid):
                    assert station == "play"
                    assert uid in people.world.tags
                case Touch(action):
                    assert action in move.actions
        for action in move.actions:
            truth = truth.do(action)
    return truth, moves


def test_two_cards_of_one_face_are_two_tags():
    tags = numbered_tags(["tentacles/dots", "tentacles/dots", "control/stop"])
    world = World(tags)
    assert len(tags) == 3
    assert len(world.all("tentacles/dots")) == 2
    assert world.face(world.one("tentacles/dots")) == "dots"
    with pytest.raises(LookupError, match="octopus"):
        world.one("tentacles/octopus")


def test_a_thing_lies_at_one_place():
    world = World(numbered_tags(["tentacles/dots", "tentacles/rings"]))
    first, second = world.tags
    world.put(first, "pile")
    world.put(second, "pile")
    world.put(first, "discard")
    assert (world.at("pile"), world.at("discard")) == ([second], [first])
    assert world.place(first) == "discard"
    world.shuffle("pile", Random(1))
    assert world.at("pile") == [second]


@pytest.mark.parametrize("seed", range(20))
def test_they_play_to_the_end_by_the_rules(seed):
    truth, _ = whole_game(seed)
    assert truth.game.standing(truth.state).winners


def test_all_that_they_can_do_is_done_by_somebody():
    done = {line.partition(" ")[0] for seed in range(20) for line in whole_game(seed)[1]}
    assert done == {"reveal", "stop", "steal", "decline", "lose", "reshuffle"}


def test_the_same_seed_is_the_same_game():
    assert whole_game(4)[1] == whole_game(4)[1]
    assert whole_game(4)[1] != whole_game(5)[1]


def test_the_same_card_comes_once_in_a_pass():
    people = TentaclesPeople(TWO, Random(1))
    truth = Match.start(TWO)
    laid = []
    while not people.world.at("discard") or people.world.at("pile"):
        move = people.move(truth)
        laid += [gesture.uid for gesture in move.gestures if gesture.uid in people.cards]
        truth = truth.do(*move.actions) if not truth.game.standing(truth.state).over else truth
        if truth.game.standing(truth.state).over:
            break
    assert laid
    assert len(set(laid)) == len(laid)


def test_people_see_whether_the_pile_is_through():
    people = TentaclesPeople(TWO, Random(1))
    asked = Question("unseen", "?", ())
    truth = Match.start(TWO)
    assert people.answer(asked, truth) == "never-read"  # a new pile: they have shuffled
    people.move(truth)
    assert people.answer(asked, truth) == "not-yet"
    assert people.answer(Question("away", "?", ()), truth) is None


def test_how_two_games_differ_is_told():
    people = TentaclesPeople(TWO, Random(1))
    truth = Match.start(TWO).do(Reveal("dots"))
    same = Match.start(TWO).do(Reveal("dots"))
    assert people.differs(truth, same) == ""
    assert people.differs(truth, Match.start(TWO)).startswith("phase: 'choose'")
    assert people.differs(truth, same.do(Stop())).startswith("turn: 'Ann'")
    other = Match.start(TWO).do(Reveal("rings"))
    assert people.differs(truth, other).startswith("fish, for everybody")


def test_nobody_plays_a_game_that_there_is_not():
    with pytest.raises(NoPeople, match="chess"):
        people_of("chess")
    with pytest.raises(NoPeople, match="faults"):
        people_of("faults")  # a module, but no people
    assert people_of("tentacles") is TentaclesPeople
