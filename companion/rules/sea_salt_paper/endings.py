"""How a round ends, and with it perhaps the game: the same for both ways of tracking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from companion.rules.api import GameWon, Nothing, Outcome
from companion.rules.sea_salt_paper.scoring import Points, RoundResult, points_of, round_result
from companion.rules.sea_salt_paper.words import Called, Reason, RoundEnded, Terms


class Ending(NamedTuple):
    """What the end of a round brings.

    Attributes:
        totals: by seat.
        winners: seats; none while the game goes on.
        outcomes: to tell.
    """

    totals: tuple[int, ...]
    winners: tuple[int, ...]
    outcomes: tuple[Outcome, ...]


def called(terms: Terms, seat: int, reason: Reason) -> Called:
    """The outcome of a call."""
    return Called(terms.players[seat], reason)


def scored(
    terms: Terms,
    totals: tuple[int, ...],
    reason: Reason,
    caller: int,
    cards: Sequence[tuple[int, int]],
) -> Ending:
    """A round that ended by a call (rules 18 to 20), and the end of the game (rules 23 and 24).

    Args:
        terms: of the game.
        totals: before this round, by seat.
        reason: `stop` or `last-chance`.
        caller: the seat that ended the round.
        cards: sets of cards in the hand and on the table, by seat.
    """
    result = round_result(reason, caller, cards)
    totals = tuple(
        total + points for total, points in zip(totals, result.round_points, strict=True)
    )
    parts = {
        player: parts_of(points_of(*own)) for player, own in zip(terms.players, cards, strict=True)
    }
    winners: tuple[int, ...] = ()
    if max(totals) >= terms.target:
        winners = _leaders(terms, totals, caller, result.round_points)
    ended = _ended(terms, reason, result, parts)
    return Ending(totals, winners, (ended, *won(terms, winners)))


def unscored(
    terms: Terms, reason: Reason, cards: Sequence[tuple[int, int]] | None
) -> tuple[Outcome, ...]:
    """A round that ended without points for anybody (rules 21 and 25).

    Args:
        terms: of the game.
        reason: `deck-empty` or `mermaids`.
        cards: sets of cards in the hand and on the table, by seat; None where not known.
    """
    if cards is None:
        nothing = dict.fromkeys(terms.players, 0)
        return (RoundEnded(reason, Nothing.NOTHING, None, None, nothing),)
    return (_ended(terms, reason, round_result(reason, None, cards), None),)


def won(terms: Terms, winners: Sequence[int]) -> tuple[Outcome, ...]:
    """The outcomes of a won game."""
    return tuple(GameWon(terms.players[seat]) for seat in winners)


def parts_of(points: Points) -> dict[str, int | list[str]]:
    """What card points are made of, and which colours the mermaids counted."""
    return {
        "mermaids": points.mermaids,
        "duos": points.duos,
        "collectors": points.collectors,
        "multipliers": points.multipliers,
        "mermaid_colours": list(points.mermaid_colours),
    }


def _ended(
    terms: Terms,
    reason: Reason,
    result: RoundResult,
    parts: dict[str, dict[str, int | list[str]]] | None,
) -> RoundEnded:
    def by_player(values: Sequence[int]) -> dict[str, int]:
        return dict(zip(terms.players, values, strict=True))

    return RoundEnded(
        reason=reason,
        bet_won=Nothing.NOTHING if result.bet_won is None else result.bet_won,
        card_points=by_player(result.card_points),
        colour_bonus=by_player(result.colour_bonus),
        round_points=by_player(result.round_points),
        parts=parts,
    )


def _leaders(
    terms: Terms, totals: Sequence[int], caller: int, round_points: Sequence[int]
) -> tuple[int, ...]:
    """Rule 24: who wins, and who of those with equal totals."""
    tied = [seat for seat, total in enumerate(totals) if total == max(totals)]
    if not terms.tie_by_round:
        return (caller,) if caller in tied else tuple(tied)
    best = max(round_points[seat] for seat in tied)
    return tuple(seat for seat in tied if round_points[seat] == best)
