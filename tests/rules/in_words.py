"""A game in short sentences, so that a test reads like a table of the rules.

An action is written `reveal dots`, `sail 2` or `stop`, and several are parted by `;`.
Outcomes are written alike, in the order in which they came: `card dots; fish-won Ann dots`.
"""

from __future__ import annotations

from typing import ClassVar

from companion.codec import action_from_json, action_to_json, outcome_to_json
from companion.match import Match, Setup
from companion.rules import game_named
from companion.rules.api import Refusal


def words(entry):
    return " ".join(str(part) for part in entry.values())


class Table:
    """A game at a physical table or, with a seed, one that the engine deals.

    The table of each game names the game, and says which fields follow a verb.
    """

    game: str
    fields: ClassVar[dict[str, tuple[str, ...]]]

    def __init__(self, players="Ann Bo", starter=None, *, seed=None, **options):
        self.rules = game_named(self.game)
        self.match = Match.start(Setup(self.game, tuple(players.split()), starter, options, seed))

    def body_of(self, text):
        """The command that a sentence means."""
        verb, *values = text.split()
        keys = self.fields.get(verb, ())
        return {"do": verb, **dict(zip(keys, map(value_of, values), strict=False))}

    def do(self, text):
        """All outcomes of these actions."""
        outcomes = []
        for part in text.split(";"):
            action = action_from_json(self.game, self.body_of(part), dealing=True)
            self.match = self.match.do(action)
            outcomes += self.match.outcomes
        return "; ".join(words(outcome_to_json(outcome)) for outcome in outcomes)

    def refusal(self, text):
        """The code with which the action is refused; None where it is not."""
        refusal = self.refused(text)
        return refusal and refusal.code

    def refused(self, text):
        """The refusal itself."""
        match = self.match
        try:
            self.do(text)
        except Refusal as refusal:
            return refusal
        self.match = match
        return None

    @property
    def standing(self):
        return self.rules.standing(self.match.state)

    @property
    def state(self):
        return self.rules.view(self.match.state, None)

    @property
    def turn(self):
        return self.standing.turn

    @property
    def phase(self):
        return self.standing.phase

    @property
    def legal(self):
        return {words(action_to_json(action)) for action in self.rules.legal(self.match.state)}

    @property
    def odds(self):
        return self.rules.odds(self.match.state)

    @property
    def winners(self):
        return self.standing.winners


def value_of(word):
    return int(word) if word.isdecimal() else word
