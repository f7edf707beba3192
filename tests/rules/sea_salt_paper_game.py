"""Sea Salt & Paper in short sentences (see `in_words`).

Cards are written one after the other: `deal crab-black boat-black-1`, `duo fish-green
fish-yellow`, `steal Bo crab-grey`, `hand Ann shell-grey shell-green`. Behind a `/` come
the cards that a lobster looks at. So are outcomes: `discarded crab-black 1`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import in_words

from companion.codec import action_from_json, action_to_json, outcome_to_json
from companion.match import Match
from companion.rules import game_named
from companion.rules.sea_salt_paper.cards import BIT, names_of, set_of

GAME = game_named("sea-salt-paper")
MERMAIDS = " ".join(f"mermaid-white-{copy}" for copy in range(1, 5))
SEVEN = "shell-green shell-grey shell-black octopus-grey octopus-green"
"""Cards for 7 points, two of a colour at most, without a duo."""


class Table(in_words.Table):
    """A game at a physical table, or with a seed one that the engine deals."""

    game = "sea-salt-paper"
    fields: ClassVar = {
        "take": ("pile",),
        "discard": ("pile",),
        "look": ("pile",),
        "keep": ("card",),
        "pick": ("card",),
        "draw-one": ("card",),
        "steal": ("from", "card"),
        "call": ("player", "call"),
    }

    def __init__(self, players="Ann Bo", starter=None, *, seed=None, **options):
        super().__init__(players, starter, **options)
        setup = replace(self.match.setup, seed=seed)
        self.match = replace(self.match, setup=setup)

    def body_of(self, text):
        verb, *values = text.split()
        if verb == "hand":
            return {"do": verb, "player": values[0], "cards": values[1:]}
        if verb not in ("deal", "draw", "duo") or not values:
            return super().body_of(text)
        cards, _, looked = text.partition("/")
        body = {"do": verb, "cards": cards.split()[1:]}
        return {**body, "looked": looked.split()} if looked else body

    def do(self, text):
        """All outcomes of these actions."""
        outcomes = []
        for part in text.split(";"):
            action = action_from_json(self.game, self.body_of(part), dealing=True)
            self.match = self.match.do(action)
            outcomes += map(outcome_to_json, self.match.outcomes)
        return "; ".join(map(words, outcomes))

    @property
    def legal(self):
        return {words(action_to_json(action)) for action in self.rules.legal(self.match.state)}

    @property
    def round_ended(self):
        """That outcome of the last action."""
        (ended,) = (
            outcome
            for outcome in map(outcome_to_json, self.match.outcomes)
            if outcome["what"] == "round-ended"
        )
        return ended

    def own(self, player):
        """The state as that player sees it."""
        return self.rules.view(self.match.state, player)

    def hand(self, player):
        return set(self.own(player)["hand"])

    def laid(self, player):
        """The cards on the table of that player."""
        return set(self.state["tables"][player])

    def unseen(self, count):
        """So many cards of the deck."""
        return names_of(self.match.state.deck)[:count]

    @property
    def tops(self):
        return tuple(pile["top"] for pile in self.state["piles"])

    @property
    def counts(self):
        """How many cards are in the deck, and in piles 1 and 2."""
        return (self.state["deck"], *(pile["count"] for pile in self.state["piles"]))

    @property
    def round_points(self):
        return tuple(self.round_ended["round_points"].values())

    @property
    def totals(self):
        return tuple(self.state["totals"].values())


def words(entry):
    """Of a round that has ended only how; its points have tests of their own."""
    if entry.get("what") == "round-ended":
        return f"round-ended {entry['reason']}"
    return " ".join(
        " ".join(part) if isinstance(part, tuple) else str(part) for part in entry.values()
    )


def dealt(players="Ann Bo", **options):
    """A round that has just begun: the first player must take a card."""
    table = Table(players, **options)
    table.do("deal crab-grey boat-yellow-2")
    return table


def given(
    players="Ann Bo",
    *,
    hands=None,
    tables=None,
    piles=("crab-grey", "boat-yellow-2"),
    deck=None,
    phase="play",
    totals=None,
    seed=None,
    **options,
):
    """A game in which the cards lie so, and the first player is in turn.

    Args:
        players: names.
        hands: by player, the cards in the hand.
        tables: by player, the cards played.
        piles: from bottom to top.
        deck: its cards; else all that lie nowhere else. What is named nowhere then is out of
            the game, where no rule looks for it.
        phase: of the turn.
        totals: points by seat.
        seed: where the engine deals.
        options: of the game.
    """
    table = dealt(players, **options)
    state = table.match.state

    def by_seat(cards):
        return tuple(set_of((cards or {}).get(player, "").split()) for player in players.split())

    in_hands, on_tables = by_seat(hands), by_seat(tables)
    in_piles = tuple(tuple(BIT[name] for name in pile.split()) for pile in piles)
    elsewhere = 0
    for cards in (*in_hands, *on_tables, *in_piles[0], *in_piles[1]):
        assert not elsewhere & cards, "a card lies in two places"
        elsewhere |= cards
    rest = state.terms.cards & ~elsewhere if deck is None else set_of(deck.split())
    assert not rest & elsewhere, "a card lies in two places"
    lies = state._replace(
        hands=in_hands, tables=on_tables, piles=in_piles, deck=rest, shuffled=rest, phase=phase
    )
    if totals is not None:
        lies = lies._replace(totals=totals)
    table.match = Match(table.match.game, replace(table.match.setup, seed=seed), lies)
    return table


def names_in(value):
    """The cards that are named anywhere in it."""
    if isinstance(value, dict):
        return names_in([*value, *value.values()])
    if isinstance(value, list | tuple):
        return set().union(*map(names_in, value))
    return {value} & BIT.keys() if isinstance(value, str) else set()
