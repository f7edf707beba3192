"""PEBBLES, for 2 to 6 players.

1. In your turn, turn up the top card. There are 15 pebbles and 5 waves.
2. A pebble goes into your hand: turn another card, or stop.
3. When you stop, your hand goes into your bucket. You cannot stop with none.
4. A wave washes your hand empty. After a wave or a stop your turn is over.
5. After the last card you stop by yourself. The fullest buckets win.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from companion.rules.api import Action, Game, GameWon, Outcome, Pieces, Refusal, Standing, TurnEnded

IN_SHORT = __doc__
DECK = ("pebble",) * 15 + ("wave",) * 5


@dataclass(frozen=True, slots=True)
class Turn(Action):
    card: Literal["pebble", "wave"] | None = None


class Stop(Action):
    """Put the hand into the bucket."""


@dataclass(frozen=True, slots=True)
class Turned(Outcome):
    card: str


class State(NamedTuple):
    turn: str | None
    buckets: Mapping[str, int]
    hand: int = 0
    turned: tuple[str, ...] = ()
    winners: tuple[str, ...] = ()


class Pebbles(Game[State]):
    name, seats, in_short = "pebbles", range(2, 7), IN_SHORT
    actions, outcomes = (Turn, Stop), (Turned, TurnEnded, GameWon)
    components = ("pebble", "wave")

    def setup(self, players, starter, options):
        return State(starter, dict.fromkeys(players, 0))

    def apply(self, state, action):
        outcomes = ()
        match action:
            case _ if state.winners:
                raise Refusal("game-over", "The game is over: take back, or start anew.")
            case Stop() if not state.hand:
                raise Refusal("not-legal", "Your hand is empty (rule 3): turn a card.")
            case Turn(card) if state.turned.count(card) == DECK.count(card):
                raise Refusal("card-not-available", f"No {card} is left (rule 1): look again.")
            case Turn(card):
                hand = state.hand + 1 if card == "pebble" else 0
                state = state._replace(hand=hand, turned=(*state.turned, card))
                outcomes = (Turned(card),)
                if hand and len(state.turned) < len(DECK):
                    return state, outcomes
        buckets = {**state.buckets, state.turn: state.buckets[state.turn] + state.hand}
        if len(state.turned) < len(DECK):
            after = (*buckets, *buckets)[list(buckets).index(state.turn) + 1]
            return State(after, buckets, 0, state.turned), (*outcomes, TurnEnded(state.turn))
        winners = tuple(name for name in buckets if buckets[name] == max(buckets.values()))
        return State(None, buckets, 0, state.turned, winners), (*outcomes, *map(GameWon, winners))

    def standing(self, state):
        phase = "over" if state.winners else "choose" if state.hand else "turn"
        return Standing(state.turn, phase, state.buckets, bool(state.winners), state.winners)

    def legal(self, state):
        return () if state.winners else (Turn(), Stop()) if state.hand else (Turn(),)

    def view(self, state, viewer):
        return {"hand": state.hand, "pile": len(DECK) - len(state.turned)}

    def deal(self, state, action, chance):
        if not isinstance(action, Turn) or state.winners:
            return action
        card = chance.shuffled("pile", DECK)[len(state.turned)]
        if action.card not in (None, card):
            raise Refusal("card-not-available", f"The next card is no {action.card}.")
        return Turn(card)

    def meaning(self, state, kind, name):
        if kind == "component":
            return Turn(name)
        return Stop() if (kind, name) == ("control", "stop") else None

    def pieces(self, state):
        return Pieces(Counter(DECK), Counter(state.turned))


GAME = Pebbles()
