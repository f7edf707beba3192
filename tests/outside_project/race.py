"""A game that somebody has made: turn a card of 1 to 3 in your turn; who has 7 or more wins."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from companion.match import Setup
from companion.rules.api import Action, Game, GameWon, Outcome, Refusal, Standing, TurnEnded
from hardware_sim.evening.api import CONTROL_TAGS, Lay, Move, People, numbered_tags

CARDS = ("one", "two", "three")
GOAL = 7


@dataclass(frozen=True, slots=True)
class Run(Action):
    card: str | None = None


@dataclass(frozen=True, slots=True)
class Ran(Outcome):
    player: str
    fields: int


class State(NamedTuple):
    turn: str | None
    fields: Mapping[str, int]


class Race(Game[State]):
    name, seats, in_short = "race", range(2, 5), __doc__
    actions, outcomes = (Run,), (Ran, TurnEnded, GameWon)
    components = CARDS

    def setup(self, players, starter, options):
        return State(starter, dict.fromkeys(players, 0))

    def apply(self, state, action):
        if state.turn is None:
            raise Refusal("game-over", "The race is over.")
        if action.card not in CARDS:
            raise Refusal("unknown-card", "There are cards of one, two and three.")
        steps = CARDS.index(action.card) + 1
        fields = {**state.fields, state.turn: state.fields[state.turn] + steps}
        ran = Ran(state.turn, steps)
        if fields[state.turn] >= GOAL:
            return State(None, fields), (ran, GameWon(state.turn))
        players = list(fields)
        after = players[(players.index(state.turn) + 1) % len(players)]
        return State(after, fields), (ran, TurnEnded(state.turn))

    def standing(self, state):
        over = state.turn is None
        winners = tuple(name for name, fields in state.fields.items() if fields >= GOAL)
        return Standing(state.turn, "over" if over else "run", state.fields, over, winners)

    def legal(self, state):
        return () if state.turn is None else (Run(),)

    def view(self, state, viewer):
        return {"fields": dict(state.fields)}

    def deal(self, state, action, chance):
        return action

    def meaning(self, state, kind, name):
        return Run(name) if kind == "component" else None


class Runners(People):
    """Who play it by hand. A card is on the table once, and is turned again and again."""

    game = "race"

    @classmethod
    def invitation(cls, chance: Random) -> Setup:
        return Setup("race", ("Ann", "Bo", "Cy")[: chance.choice((2, 3))])

    @classmethod
    def stations(cls, setup):
        return ("play",)

    @classmethod
    def tags(cls, setup):
        return numbered_tags([*(f"race/{card}" for card in CARDS), *CONTROL_TAGS])

    def move(self, truth):
        card = self.chance.choice(CARDS)
        return Move((Run(card),), (Lay("play", self.world.one(f"race/{card}")),))
