"""Five tentacles in short sentences, so that a test reads like a table of the rules.

An action is written `reveal dots`, `steal Bo` or `stop`, and several are parted by `;`.
Outcomes are written alike, in the order in which they came: `card dots; fish-won Ann dots`.
"""

from __future__ import annotations

from companion.codec import action_from_json, action_to_json, outcome_to_json
from companion.match import Match, Setup
from companion.rules import game_named
from companion.rules.api import Refusal

GAME = game_named("tentacles")
FIELD = {"reveal": "card", "steal": "from", "lose": "pattern", "leave": "player"}
NO_FISH = "reveal stars-eyes"


def words(entry):
    return " ".join(str(part) for part in entry.values())


def action_of(text):
    verb, _, value = text.strip().partition(" ")
    body = {"do": verb, FIELD[verb]: value} if value else {"do": verb}
    return action_from_json("tentacles", body, dealing=True)


class Table:
    """A game at a physical table."""

    def __init__(self, players="Ann Bo", starter=None, **options):
        names = tuple(players.split())
        self.match = Match.start(Setup("tentacles", names, starter, options))

    def do(self, text):
        """All outcomes of these actions."""
        outcomes = []
        for part in text.split(";"):
            self.match = self.match.do(action_of(part))
            outcomes += self.match.outcomes
        return "; ".join(words(outcome_to_json(outcome)) for outcome in outcomes)

    def refusal(self, text):
        """The code with which the action is refused; None where it is not."""
        match = self.match
        try:
            self.do(text)
        except Refusal as refusal:
            return refusal.code
        self.match = match
        return None

    @property
    def standing(self):
        return GAME.standing(self.match.state)

    @property
    def state(self):
        return GAME.view(self.match.state, None)

    @property
    def turn(self):
        return self.standing.turn

    @property
    def phase(self):
        return self.standing.phase

    @property
    def legal(self):
        return {words(action_to_json(action)) for action in GAME.legal(self.match.state)}

    def fish(self, player):
        return " ".join(self.state["fish"][player])

    @property
    def odds(self):
        return GAME.odds(self.match.state)

    @property
    def winners(self):
        return self.standing.winners


def given(players="Ann Bo", *, fish, **options):
    """A game in which the players hold these fish, and the first of them is in turn.

    Each of them had one turn: cards of their patterns, or one with eyes that did nothing.
    """
    table = Table(players, **options)
    for player in players.split():
        own = fish.get(player, "").split()
        cards = [f"reveal {pattern}" for pattern in own] or [NO_FISH]
        table.do("; ".join([*cards, "stop"]))
    return table
