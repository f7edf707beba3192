"""Pebbles: gather stones on the beach, and empty your hands before the wave comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from companion.rules.api import (
    Action,
    Chance,
    Game,
    GameWon,
    Json,
    Number,
    Option,
    OptionValue,
    Outcome,
    Pieces,
    Refusal,
    Standing,
    TagKind,
    TurnEnded,
)

DECK = {"pebble": 8, "cobble": 6, "boulder": 4, "wave": 6}
WORTH = {"pebble": 1, "cobble": 2, "boulder": 3, "wave": 0}

IN_SHORT = """\
PEBBLES, for 2 to 6 players

Gather stones on the beach, and empty your hands before the wave comes.

1. In your turn, turn up the top card. A stone goes into your hands, and you
   may turn another card or stop: a pebble is worth 1 point, a cobble 2, a
   boulder 3.
2. A wave washes all stones out of your hands, and your turn is over.
3. When you stop, your stones go into your bucket, where no wave can reach
   them, and your turn is over. You cannot stop with empty hands.
4. Whoever has 12 points in the bucket wins at once. A table may choose
   another number, with --set goal=20.
5. There are 8 pebbles, 6 cobbles, 4 boulders and 6 waves.
6. With the last card you stop by yourself, and the fullest bucket wins; equal
   ones share it.
"""


@dataclass(frozen=True, slots=True)
class Turn(Action):
    """Turn up the top card of the pile."""

    card: str | None = None


@dataclass(frozen=True, slots=True)
class Stop(Action):
    """Put the stones into the bucket."""


@dataclass(frozen=True, slots=True)
class Turned(Outcome):
    """This card was turned up."""

    card: str


@dataclass(frozen=True, slots=True)
class WashedAway(Outcome):
    """The wave took stones of so many points."""

    player: str
    points: int


@dataclass(frozen=True, slots=True)
class PutAway(Outcome):
    """Stones of so many points went into the bucket."""

    player: str
    points: int


class State(NamedTuple):
    """A game between two actions.

    Attributes:
        players: names in seating order.
        goal: points in the bucket that win.
        seat: whose turn it is.
        hand: points in the hands of the player in turn.
        buckets: points by seat.
        turned: the cards that were turned, in order.
        winners: names; empty while the game goes on.
    """

    players: tuple[str, ...]
    goal: int
    seat: int
    hand: int
    buckets: tuple[int, ...]
    turned: tuple[str, ...] = ()
    winners: tuple[str, ...] = ()

    @property
    def pile(self) -> int:
        """How many cards lie face down."""
        return sum(DECK.values()) - len(self.turned)


_Result = tuple[State, tuple[Outcome, ...]]


def _turn(state: State, card: str | None) -> _Result:
    if card not in DECK:
        raise Refusal("unknown-card", f"There is no card {card!r}: there is {', '.join(DECK)}.")
    if state.turned.count(card) == DECK[card]:
        raise Refusal(
            "card-not-available",
            f"All {DECK[card]} cards {card} were turned (rule 5): read the card again, or take "
            "back the one that was misread.",
        )
    player = state.players[state.seat]
    state = state._replace(turned=(*state.turned, card))
    if card == "wave":
        washed = WashedAway(player, state.hand)
        return _pass_on(state._replace(hand=0), (Turned(card), washed))
    state = state._replace(hand=state.hand + WORTH[card])
    return _stop(state, (Turned(card),)) if not state.pile else (state, (Turned(card),))


def _stop(state: State, outcomes: tuple[Outcome, ...] = ()) -> _Result:
    if not state.hand:
        raise Refusal("not-legal", "You cannot stop with empty hands (rule 3): turn a card.")
    player = state.players[state.seat]
    buckets = list(state.buckets)
    buckets[state.seat] += state.hand
    outcomes = (*outcomes, PutAway(player, state.hand))
    state = state._replace(buckets=tuple(buckets), hand=0)
    if buckets[state.seat] >= state.goal:
        return state._replace(winners=(player,)), (*outcomes, GameWon(player))
    return _pass_on(state, outcomes)


def _pass_on(state: State, outcomes: tuple[Outcome, ...]) -> _Result:
    if state.pile:
        ended = TurnEnded(state.players[state.seat])
        return state._replace(seat=(state.seat + 1) % len(state.players)), (*outcomes, ended)
    fullest = max(state.buckets)
    winners = tuple(
        name for name, full in zip(state.players, state.buckets, strict=True) if full == fullest
    )
    return state._replace(winners=winners), (*outcomes, *map(GameWon, winners))


class Pebbles(Game[State]):
    """Pebbles for 2 to 6 players."""

    name: ClassVar[str] = "pebbles"
    actions: ClassVar[tuple[type[Action], ...]] = (Turn, Stop)
    outcomes: ClassVar[tuple[type[Outcome], ...]] = (
        Turned,
        WashedAway,
        PutAway,
        TurnEnded,
        GameWon,
    )
    options: ClassVar[tuple[Option, ...]] = (Number("goal", 12, 5, 30),)
    seats: ClassVar[range] = range(2, 7)
    components: ClassVar[tuple[str, ...]] = tuple(DECK)
    in_short: ClassVar[str] = IN_SHORT

    def setup(
        self, players: Sequence[str], starter: str, options: Mapping[str, OptionValue]
    ) -> State:
        """The state before the first card (see `Game.setup`)."""
        goal = int(str(options.get("goal", 12)))
        return State(tuple(players), goal, players.index(starter), 0, (0,) * len(players))

    def apply(self, state: State, action: Action) -> _Result:
        """The next state and what came of the action (see `Game.apply`)."""
        if state.winners:
            raise Refusal("game-over", "The game is over: take back, or start anew.")
        match action:
            case Turn(card):
                return _turn(state, card)
            case Stop():
                return _stop(state)
        raise Refusal("bad-command", "Pebbles knows no such action.")

    def standing(self, state: State) -> Standing:
        """The buckets are the scores."""
        over = bool(state.winners)
        return Standing(
            turn=None if over else state.players[state.seat],
            phase="over" if over else "choose" if state.hand else "turn",
            scores=dict(zip(state.players, state.buckets, strict=True)),
            over=over,
            winners=state.winners,
        )

    def legal(self, state: State) -> tuple[Action, ...]:
        """What the player in turn may do; which card comes is left open."""
        if state.winners:
            return ()
        return (Turn(), Stop()) if state.hand else (Turn(),)

    def view(self, state: State, viewer: str | None) -> Json:
        """The same for everybody."""
        del viewer
        return {"hand": state.hand, "goal": state.goal, "pile": state.pile}

    def odds(self, state: State) -> Json | None:
        """All turned cards lie open, so everybody can count what may come."""
        if state.winners:
            return None
        left = {card: count - state.turned.count(card) for card, count in DECK.items()}
        return {"next": {card: count / state.pile for card, count in left.items() if count}}

    def deal(self, state: State, action: Action, chance: Chance) -> Action:
        """The next card of the pile as it was shuffled (see `Game.deal`)."""
        if not isinstance(action, Turn) or state.winners or action.card not in (None, *DECK):
            return action
        cards = [card for card, count in DECK.items() for _ in range(count)]
        card = chance.shuffled("pile", cards)[len(state.turned)]
        if action.card not in (None, card):
            raise Refusal("card-not-available", f"{action.card} is not the next card of the pile.")
        return Turn(card)

    def meaning(self, state: State, kind: TagKind, name: str) -> Action | None:
        """A card on the reader is turned; the stop token stops."""
        del state
        match kind, name:
            case "component", _:
                return Turn(name)
            case "control", "stop":
                return Stop()
        return None

    def pieces(self, state: State) -> Pieces:
        """The deck, and the cards that lie face up."""
        return Pieces(DECK, Counter(state.turned))


GAME = Pebbles()
