"""Whole games of octopus alarm in a true world, told by taps: the same, or people are asked."""

from __future__ import annotations

from random import Random

import pytest

from companion.match import Match
from companion.meaning.api import Refuse
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
