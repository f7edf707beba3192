"""What cards are worth in Sea Salt & Paper, and who scores what when a round ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from companion.rules.sea_salt_paper.cards import COLOURS, OF_COLOUR, OF_KIND

SHELLS = (0, 0, 2, 4, 6, 8, 10)
OCTOPUSES = (0, 0, 3, 6, 9, 12)
PENGUINS = (0, 1, 3, 5)
SAILORS = (0, 0, 5)
"""Points by number of collectors (rule 14)."""

STARFISH_POINTS = 2
"""What a starfish adds to a duo (rule 34)."""

_COLLECTORS = (
    (OF_KIND["shell"], SHELLS),
    (OF_KIND["octopus"], OCTOPUSES),
    (OF_KIND["penguin"], PENGUINS),
    (OF_KIND["sailor"], SAILORS),
)
_MULTIPLIERS = (
    # The card, what it counts, points for each of those (rules 15 and 33).
    (OF_KIND["lighthouse"], OF_KIND["boat"], 1),
    (OF_KIND["shoal"], OF_KIND["fish"], 1),
    (OF_KIND["colony"], OF_KIND["penguin"], 2),
    (OF_KIND["captain"], OF_KIND["sailor"], 3),
    (OF_KIND["cast-of-crabs"], OF_KIND["crab"], 1),
)
_CRABS = OF_KIND["crab"] | OF_KIND["lobster"]
_BOATS = OF_KIND["boat"]
_FISH = OF_KIND["fish"]
_SWIMMERS = OF_KIND["swimmer"]
_PREDATORS = OF_KIND["shark"] | OF_KIND["jellyfish"]
_MERMAIDS = OF_KIND["mermaid"]
_STARFISH = OF_KIND["starfish"]
_SEAHORSE = OF_KIND["seahorse"]
_COLOURS = tuple(OF_COLOUR[colour] for colour in COLOURS)


class Points(NamedTuple):
    """What a player's cards are worth.

    Attributes:
        mermaids: points of the mermaids (rule 16).
        duos: points of the duos, with what starfish add to them (rules 13 and 34).
        collectors: points of shells, octopuses, penguins and sailors (rules 14 and 35).
        multipliers: points of lighthouse, shoal, colony, captain and cast of crabs (rule 15).
        total: the card points: the sum of these four, never with the colour bonus.
        colour_bonus: the number of cards of the most frequent colour (rule 17).
        mermaid_colours: the colours that the mermaids counted, the most frequent first.
    """

    mermaids: int
    duos: int
    collectors: int
    multipliers: int
    total: int
    colour_bonus: int
    mermaid_colours: tuple[str, ...]


class RoundResult(NamedTuple):
    """What a round brought to each player, by seat.

    Attributes:
        card_points: of all cards, hand and table.
        colour_bonus: of all cards, whether it was scored or not.
        round_points: what was scored.
        bet_won: whether the caller of LAST CHANCE won the bet; None without a bet.
    """

    card_points: tuple[int, ...]
    colour_bonus: tuple[int, ...]
    round_points: tuple[int, ...]
    bet_won: bool | None


def points_of(hand: int, table: int = 0) -> Points:
    """What a player's cards are worth.

    Hand and table count together: no duo reaches the table by halves. They differ for the
    starfish alone (rule 34).

    Args:
        hand: the set of the cards in hand.
        table: the set of the cards that lie in front of the player.
    """
    cards = hand | table
    mermaids = (cards & _MERMAIDS).bit_count()
    counts = [(cards & colour).bit_count() for colour in _COLOURS]
    ranked = sorted(range(len(COLOURS)), key=counts.__getitem__, reverse=True)
    counted = [colour for colour in ranked[:mermaids] if counts[colour]]
    mermaid_points = sum(counts[colour] for colour in counted)
    duos = _duo_points(hand, table)
    collectors = _collector_points(cards)
    multipliers = _multiplier_points(cards)
    return Points(
        mermaid_points,
        duos,
        collectors,
        multipliers,
        mermaid_points + duos + collectors + multipliers,
        max(counts),
        tuple(COLOURS[colour] for colour in counted),
    )


def card_points(hand: int, table: int = 0) -> int:
    """The total of `points_of` alone."""
    cards = hand | table
    points = _duo_points(hand, table) + _collector_points(cards) + _multiplier_points(cards)
    mermaids = (cards & _MERMAIDS).bit_count()
    if mermaids:
        counts = sorted((cards & colour).bit_count() for colour in _COLOURS)
        points += sum(counts[-mermaids:])
    return points


def round_result(reason: str, caller: int | None, hands: Sequence[tuple[int, int]]) -> RoundResult:
    """Who scores what when a round ends (rules 18 to 21).

    Args:
        reason: `stop`, `last-chance`, `deck-empty` or `mermaids`.
        caller: the seat of the player who called; needed for `last-chance` alone.
        hands: the cards in hand and on the table, by seat.
    """
    points = [points_of(hand, table) for hand, table in hands]
    totals = tuple(each.total for each in points)
    bonuses = tuple(each.colour_bonus for each in points)
    if reason == "stop":
        return RoundResult(totals, bonuses, totals, None)
    if reason != "last-chance" or caller is None:
        return RoundResult(totals, bonuses, (0,) * len(totals), None)
    # With equal points the bet is won (rule 20).
    won = totals[caller] == max(totals)
    # Whoever lost scores the colour bonus alone; a winning caller scores both.
    scored = list(bonuses if won else totals)
    scored[caller] = totals[caller] + bonuses[caller] if won else bonuses[caller]
    return RoundResult(totals, bonuses, tuple(scored), won)


def _duos(cards: int) -> int:
    """The largest number of duos among these cards.

    The only lobster stands in for a crab, and a jellyfish for a shark (rules 31 and 32).
    """
    return (
        (cards & _CRABS).bit_count() // 2
        + (cards & _BOATS).bit_count() // 2
        + (cards & _FISH).bit_count() // 2
        + min((cards & _SWIMMERS).bit_count(), (cards & _PREDATORS).bit_count())
    )


def _duo_points(hand: int, table: int) -> int:
    """One for each duo (rule 13), and what starfish add (rule 34)."""
    points = _duos(hand | table)
    if (hand | table) & _STARFISH:
        # A starfish in hand needs a duo of that hand; one on the table has had it.
        starfish = min((hand & _STARFISH).bit_count(), _duos(hand))
        points += STARFISH_POINTS * (starfish + (table & _STARFISH).bit_count())
    return points


def _collector_points(cards: int) -> int:
    """By family, the more the better (rule 14); the seahorse adds to the best (rule 35)."""
    points = best_gain = 0
    for family, table in _COLLECTORS:
        count = (cards & family).bit_count()
        points += table[count]
        if 0 < count < len(table) - 1:
            best_gain = max(best_gain, table[count + 1] - table[count])
    return points + best_gain if cards & _SEAHORSE else points


def _multiplier_points(cards: int) -> int:
    """For each multiplier, the cards that it counts (rules 15 and 33)."""
    return sum(
        points * (cards & counted).bit_count()
        for card, counted, points in _MULTIPLIERS
        if cards & card
    )
