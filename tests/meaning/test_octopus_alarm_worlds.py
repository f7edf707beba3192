"""Whole games of octopus alarm in a true world, told by taps: the same, or people are asked."""

from __future__ import annotations

import re
from contextlib import suppress
from random import Random

import pytest

from companion.match import Match, SeededChance
from companion.meaning.api import Ask, Notice, Refuse, Wait
from companion.meaning.octopus_alarm import OctopusAlarm
from companion.rules import game_named
from companion.rules.api import Refusal
from hardware_sim.evening.api import Lay, Touch
from hardware_sim.evening.octopus_alarm import OctopusAlarmPeople
from tests.support.understanding import Listener


class Game:
    """People who tell a listener what they do, without readers in between."""

    def __init__(self, seed):
        chance = Random(seed)
        setup = OctopusAlarmPeople.invitation(chance)
        self.people = OctopusAlarmPeople(setup, chance)
        self.truth = Match.start(setup)
        self.asked = []
        self.listener = Listener(OctopusAlarm(), setup, self.answer)

    def answer(self, question):
        self.asked.append(question)
        return self.people.answer(question, self.truth)

    def tell(self, move):
        for action in move.actions:
            self.truth = self.truth.do(action)
        for gesture in move.gestures:
            match gesture:
                case Lay(station, uid):
                    component = self.people.world.tags[uid]
                    meaning = self.listener.tap(component, station, uid)
                    assert not isinstance(meaning, Refuse), meaning.message
                case Touch(action):
                    self.listener.touch(action)
        assert not self.people.differs(self.truth, self.listener.match), move

    def play(self):
        for move in self.people.set_up(self.truth):
            self.tell(move)
        while not self.truth.game.standing(self.truth.state).over:
            self.tell(self.people.move(self.truth))
            yield


@pytest.mark.parametrize("seed", range(40))
def test_what_is_tapped_is_what_happened(seed):
    game = Game(seed)
    for _ in game.play():
        pass
    assert game.listener.match.step == game.truth.step
    again = game.listener.again()
    assert again.match.state == game.listener.match.state
    assert again.memory == game.listener.memory


def sentences(meaning):
    match meaning:
        case Ask(question):
            yield question.text
            yield from (choice.label for choice in question.choices)
        case Wait(message) | Refuse(_, message) | Notice(_, message):
            yield message


def open_faces(state):
    """What everybody can see: tops, tiles that lie up, and the animal that is to be taken."""
    faces = {face for place, face in enumerate(state.seen) if state.up >> place & 1}
    return {*faces, *state.reef.tops, state.animal}


@pytest.mark.parametrize("seed", range(100, 112))
def test_whatever_is_tapped_nothing_hidden_is_told(seed):
    """Rule 12: a sentence names what was tapped, and what lies open; nothing else."""
    game = Game(seed)
    chance = Random(seed)
    tags = [uid for uid, name in game.people.world.tags.items() if not name.startswith("control")]
    for _ in game.play():
        listener = game.listener
        before = vars(listener).copy()
        listener.answer_to, listener.record = (lambda question: None), []
        listener.uids = list(listener.uids)
        uid, station = chance.choice(tags), chance.choice(("", "reef", "area-0", "area-2"))
        state = listener.match.state
        meaning = listener.tap(game.people.world.tags[uid], station, uid)
        told = {game.people._named(game.truth, uid), *open_faces(state)}
        for sentence in (*sentences(meaning), listener.waiting):
            named = set(re.findall(r"\w+", sentence)) & {"wave", "billy", *state.terms.animals}
            assert named <= told, sentence
        vars(listener).update(before)


@pytest.mark.parametrize("seed", range(200, 212))
def test_taps_of_any_kind_break_nothing_and_the_record_tells_the_same(seed):
    """At any station, with answers, undo and touches in between: as after a restart."""
    chance = Random(seed)
    setup = OctopusAlarmPeople.invitation(chance)
    tags = OctopusAlarmPeople.tags(setup)
    listener = Listener(OctopusAlarm(), setup)
    few = chance.sample(list(tags), 20)  # so that the same ones come again
    for _ in range(300):
        question, legal = listener.question, listener.match.game.legal(listener.match.state)
        what = chance.random()
        if question is not None and what < 0.5:
            listener.answer(chance.choice(question.choices).key)
        elif what < 0.7:
            uid = chance.choice(few)
            station = chance.choice(("", "play", "reef", "area-0", "area-1", "area-2", "area-3"))
            if tags[uid] != "control/undo":
                listener.tap(tags[uid], station, uid)
        elif what < 0.75 and listener.match.step:
            listener.undo(chance.randint(1, min(listener.match.step, 5)))
        elif what < 0.95 and legal:
            action = chance.choice(legal)
            with suppress(Refusal):
                listener.touch(
                    game_named("octopus-alarm").deal(
                        listener.match.state, action, SeededChance(seed)
                    )
                )
        assert isinstance(listener.waiting, str)
    again = listener.again()
    assert (again.match.state, again.memory) == (listener.match.state, listener.memory)
    assert (again.question, again.waiting) == (listener.question, listener.waiting)
