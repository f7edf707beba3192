"""A little game with secret hands, for holding the service to its silence.

Draw a card that nobody else sees, keep it or throw it away; whoever stops wins. Its cards have
names that no page has by chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from companion.rules.api import (
    Action,
    Game,
    GameWon,
    Outcome,
    Pieces,
    Refusal,
    Standing,
    TurnEnded,
)

CARDS = ("xylophone", "zeppelin", "quokka")
"""What must never be read anywhere while it is in a hand."""
FAULT = "quokka"
"""Throwing this card away is a fault of the rules themselves, and its text names the card."""


@dataclass(frozen=True, slots=True)
class Draw(Action):
    card: str | None = None


@dataclass(frozen=True, slots=True)
class Keep(Action):
    card: str


@dataclass(frozen=True, slots=True)
class Throw(Action):
    card: str


@dataclass(frozen=True, slots=True)
class Stop(Action):
    pass


@dataclass(frozen=True, slots=True)
class Drew(Outcome):
    player: str
    count: int


@dataclass(frozen=True, slots=True)
class State:
    players: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    seat: int = 0
    drawn: str = ""
    over: bool = False


class SecretHands(Game):
    name = "secret-hands"
    actions = (Draw, Keep, Throw, Stop)
    outcomes = (Drew, TurnEnded, GameWon)
    options = ()
    seats = range(2, 5)
    components = CARDS
    in_short = "Draw a card and keep it to yourself."

    def setup(self, players, starter, options):
        return State(tuple(players), ((),) * len(players), players.index(starter))

    def apply(self, state, action):
        player = state.players[state.seat]
        match action:
            case Draw(card) if not state.drawn and card in CARDS:
                return replace(state, drawn=card), (Drew(player, 1),)
            case Keep(card) if state.drawn == card:
                hands = list(state.hands)
                hands[state.seat] += (card,)
                return self._passed(replace(state, hands=tuple(hands), drawn="")), (
                    TurnEnded(player),
                )
            case Throw(card) if state.drawn == card:
                if card == FAULT:
                    raise KeyError(card)
                return self._passed(replace(state, drawn="")), (TurnEnded(player),)
            case Stop() if not state.drawn:
                return replace(state, over=True), (GameWon(player),)
        raise Refusal("not-legal", "That is not possible now (rule 1).")

    def _passed(self, state):
        return replace(state, seat=(state.seat + 1) % len(state.players))

    def standing(self, state):
        player = state.players[state.seat]
        return Standing(
            None if state.over else player,
            "over" if state.over else "keep" if state.drawn else "draw",
            {name: len(hand) for name, hand in zip(state.players, state.hands, strict=True)},
            state.over,
            (player,) if state.over else (),
        )

    def legal(self, state):
        if state.over:
            return ()
        return (Keep(state.drawn), Throw(state.drawn)) if state.drawn else (Draw(), Stop())

    def view(self, state, viewer):
        hands = dict(zip(state.players, state.hands, strict=True))
        seen = {"hand_counts": {name: len(hand) for name, hand in hands.items()}}
        return seen if viewer is None else {**seen, "hand": hands[viewer], "drawn": state.drawn}

    def odds(self, state):
        return None

    def deal(self, state, action, chance):
        return action

    def meaning(self, state, kind, name):
        if kind == "component" and not state.over:
            return Keep(name) if state.drawn else Draw(name)
        return Stop() if (kind, name) == ("control", "stop") else None

    def secret(self, action):
        return isinstance(action, Keep | Throw) or (
            isinstance(action, Draw) and action.card is not None
        )

    def pieces(self, state) -> Pieces:
        total: Mapping[str, int] = dict.fromkeys(CARDS, 2)
        return Pieces(total, {})


GAME = SecretHands()
