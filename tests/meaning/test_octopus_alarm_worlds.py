"""Whole games of octopus alarm in a true world, told by taps: the same, or people are asked."""

from __future__ import annotations

import re
from random import Random

import pytest

from companion.match import Match
from companion.meaning.api import Ask, Notice, Refuse, Wait
from companion.meaning.octopus_alarm import OctopusAlarm
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
