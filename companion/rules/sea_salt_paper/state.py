"""How a game with full tracking stands between two actions."""

from __future__ import annotations

from typing import NamedTuple

from companion.rules.sea_salt_paper.words import Terms

DECK_LOOKED_AT = 0
"""In place of a pile's number: the top of the deck is looked at (lobster)."""


class State(NamedTuple):
    """A game between two actions. Sets of cards are whole numbers (see `cards`).

    Attributes:
        terms: what was agreed.
        dealt: how many rounds were dealt.
        totals: points by seat.
        seat: the seat in turn; in the phase `deal` the one that will start.
        phase: `deal`, `take`, `keep`, `discard`, `play`, `look`, `pick`, `fish`, `steal`,
            `stung` or `over`.
        deck: the set of cards in the deck.
        piles: piles 1 and 2, each from bottom to top, a set of one card for each card.
        hands: by seat, the set of cards in the hand.
        tables: by seat, the set of cards played.
        drawn: the cards just drawn and not yet placed, a set of one card for each.
        looking: in the phase `pick` the number of the pile that is looked at, or
            `DECK_LOOKED_AT`; else None.
        looked: the set of cards of the deck that are looked at, where they are known.
        caller: the seat that called LAST CHANCE; else None.
        revealed: by seat, whether the hand lies open.
        stinger: the seat that played jellyfish, until its next turn; else None.
        shuffled: the set of cards in the deck when it was shuffled last.
        shuffles: how often it was shuffled in this round after the first time.
        winners: seats.
    """

    terms: Terms
    dealt: int
    totals: tuple[int, ...]
    seat: int
    phase: str
    deck: int
    piles: tuple[tuple[int, ...], tuple[int, ...]]
    hands: tuple[int, ...]
    tables: tuple[int, ...]
    drawn: tuple[int, ...]
    looking: int | None
    looked: int
    caller: int | None
    revealed: tuple[bool, ...]
    stinger: int | None
    shuffled: int
    shuffles: int
    winners: tuple[int, ...]


def before_first_deal(terms: Terms, starter: int) -> State:
    """The state before the first action."""
    count = len(terms.players)
    return _fresh(
        State(
            terms=terms,
            dealt=0,
            totals=(0,) * count,
            seat=starter,
            phase="deal",
            deck=terms.cards,
            piles=((), ()),
            hands=(),
            tables=(),
            drawn=(),
            looking=None,
            looked=0,
            caller=None,
            revealed=(),
            stinger=None,
            shuffled=terms.cards,
            shuffles=0,
            winners=(),
        )
    )


def _fresh(state: State) -> State:
    """Nobody has a card (rule 2)."""
    terms = state.terms
    nothing = (0,) * len(terms.players)
    return state._replace(
        deck=terms.cards,
        piles=((), ()),
        hands=nothing,
        tables=nothing,
        caller=None,
        revealed=(False,) * len(nothing),
        stinger=None,
        shuffled=terms.cards,
        shuffles=0,
    )


def next_deal(state: State, first: int, second: int) -> State:
    """All cards are shuffled, and these two open the piles (rules 2 and 22)."""
    return _fresh(state)._replace(
        dealt=state.dealt + 1,
        phase="take",
        deck=state.terms.cards ^ first ^ second,
        piles=((first,), (second,)),
    )


def with_seat(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    """The same by seat, with another value at one."""
    return (*values[:seat], value, *values[seat + 1 :])


def with_pile(
    state: State, pile: int, cards: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Both piles, one of them with other cards."""
    first, second = state.piles
    return (cards, second) if pile == 1 else (first, cards)


def can_take(state: State) -> bool:
    """Whether there is a card to take anywhere."""
    return bool(state.deck or state.piles[0] or state.piles[1])


def victims(state: State) -> list[int]:
    """Rule 11: seats with cards in the hand that do not lie open."""
    return [
        seat
        for seat, hand in enumerate(state.hands)
        if hand and seat != state.seat and not state.revealed[seat]
    ]


def to_follow(state: State) -> list[int]:
    """The other seats whose turn still comes before this one's next, in order."""
    count = len(state.hands)
    seats = [(state.seat + step) % count for step in range(1, count)]
    return seats if state.caller is None else seats[: seats.index(state.caller)]
