"""What cards are worth in Sea Salt & Paper, and who scores what when a round ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from companion.rules.sea_salt_paper.cards import COLOURS, MERMAIDS, OF_COLOUR, OF_KIND

SHELLS = (0, 0, 2, 4, 6, 8, 10)
OCTOPUSES = (0, 0, 3, 6, 9, 12)
PENGUINS = (0, 1, 3, 5)
SAILORS = (0, 0, 5)
"""Points by number of collectors (rule 14)."""

_CRABS = OF_KIND["crab"]
_BOATS = OF_KIND["boat"]
_FISH = OF_KIND["fish"]
_SWIMMERS = OF_KIND["swimmer"]
_SHELLS = OF_KIND["shell"]
_OCTOPUSES = OF_KIND["octopus"]
_PENGUINS = OF_KIND["penguin"]
_SAILORS = OF_KIND["sailor"]
_STARFISH = OF_KIND["starfish"]
_SEAHORSE = OF_KIND["seahorse"]
_CRAB_DUO = OF_KIND["crab"] | OF_KIND["lobster"]
"""One lobster and no more, so that of these any two are a duo (rule 31)."""
_WITH_SWIMMERS = OF_KIND["shark"] | OF_KIND["jellyfish"]
"""What makes a duo with a swimmer (rule 32)."""
_MULTIPLIERS = (
    # The card, what it counts, points for each of those (rules 15 and 33).
    (OF_KIND["lighthouse"], _BOATS, 1),
    (OF_KIND["shoal"], _FISH, 1),
    (OF_KIND["colony"], _PENGUINS, 2),
    (OF_KIND["captain"], _SAILORS, 3),
    (OF_KIND["cast-of-crabs"], _CRABS, 1),
)
_ANY_MULTIPLIER = sum(card for card, _, _ in _MULTIPLIERS)
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

    Hand and table count together, as only whole duos come onto a table. Where a card lies
    makes a difference to starfish alone (rule 34).

    Args:
        hand: the set of the cards in hand.
        table: the set of the cards that lie in front of the player.
    """
    cards = hand | table
    duos = _duo_points(hand, table)
    collectors = _collector_points(cards)
    multipliers = _multiplier_points(cards) if cards & _ANY_MULTIPLIER else 0
    counts = [(cards & colour).bit_count() for colour in _COLOURS]
    bonus = max(counts)
    mermaids = 0
    counted: tuple[str, ...] = ()
    if cards & MERMAIDS:
        places = _most_frequent(counts, (cards & MERMAIDS).bit_count())
        mermaids = sum([counts[place] for place in places])
        counted = tuple([COLOURS[place] for place in places])
    total = mermaids + duos + collectors + multipliers
    return Points(mermaids, duos, collectors, multipliers, total, bonus, counted)


def card_points(hand: int, table: int = 0) -> int:
    """The total of `points_of` alone, in less time."""
    cards = hand | table
    points = _duo_points(hand, table) + _collector_points(cards)
    if cards & _ANY_MULTIPLIER:
        points += _multiplier_points(cards)
    if cards & MERMAIDS:
        counts = sorted([(cards & colour).bit_count() for colour in _COLOURS])
        points += sum(counts[-(cards & MERMAIDS).bit_count() :])
    return points


def round_result(reason: str, caller: int | None, hands: Sequence[tuple[int, int]]) -> RoundResult:
    """Who scores what when a round ends (rules 18 to 21).

    Args:
        reason: `stop`, `last-chance`, `deck-empty` or `mermaids`.
        caller: the seat of the player who called; only `last-chance` asks for it.
        hands: the sets of the cards in hand and on the table, by seat.
    """
    points = [points_of(hand, table) for hand, table in hands]
    totals = tuple([each.total for each in points])
    bonuses = tuple([each.colour_bonus for each in points])
    if reason == "stop":
        return RoundResult(totals, bonuses, totals, None)
    if reason == "last-chance" and caller is not None:
        won = totals[caller] == max(totals)  # with equal points too (rule 20)
        scored = list(bonuses if won else totals)
        scored[caller] = totals[caller] + bonuses[caller] if won else bonuses[caller]
        return RoundResult(totals, bonuses, tuple(scored), won)
    return RoundResult(totals, bonuses, (0,) * len(totals), None)


def _duo_points(hand: int, table: int) -> int:
    """One for each duo (rule 13), and two for each starfish with a duo (rule 34)."""
    duos = _duos(hand | table)
    if (hand | table) & _STARFISH:
        # One on the table came there with its duo; one in hand needs a duo of that hand.
        in_hand = min((hand & _STARFISH).bit_count(), _duos(hand))
        return duos + 2 * (in_hand + (table & _STARFISH).bit_count())
    return duos


def _duos(cards: int) -> int:
    """The largest number of duos that these cards make at once."""
    swimmers = (cards & _SWIMMERS).bit_count()
    with_swimmers = (cards & _WITH_SWIMMERS).bit_count()
    return (
        ((cards & _CRAB_DUO).bit_count() >> 1)
        + ((cards & _BOATS).bit_count() >> 1)
        + ((cards & _FISH).bit_count() >> 1)
        + (swimmers if swimmers < with_swimmers else with_swimmers)
    )


def _collector_points(cards: int) -> int:
    """By family, the more the better (rule 14)."""
    shells = (cards & _SHELLS).bit_count()
    octopuses = (cards & _OCTOPUSES).bit_count()
    penguins = (cards & _PENGUINS).bit_count()
    sailors = (cards & _SAILORS).bit_count()
    points = SHELLS[shells] + OCTOPUSES[octopuses] + PENGUINS[penguins] + SAILORS[sailors]
    if cards & _SEAHORSE:
        families = (
            (SHELLS, shells),
            (OCTOPUSES, octopuses),
            (PENGUINS, penguins),
            (SAILORS, sailors),
        )
        points += max(_one_more(family, count) for family, count in families)
    return points


def _one_more(family: Sequence[int], count: int) -> int:
    """What a seahorse adds as one more of a family that is begun and not whole (rule 35)."""
    return family[count + 1] - family[count] if 0 < count < len(family) - 1 else 0


def _multiplier_points(cards: int) -> int:
    """For each multiplier the cards that it counts, itself never among them (rule 15)."""
    return sum(
        points * (cards & counted).bit_count()
        for card, counted, points in _MULTIPLIERS
        if cards & card
    )


def _most_frequent(counts: Sequence[int], mermaids: int) -> list[int]:
    """A place in `COLOURS` for each mermaid, as long as there are colours (rule 16)."""
    left = list(counts)
    places = []
    for _ in range(mermaids):
        most = max(left)
        if not most:
            break
        places.append(left.index(most))
        left[places[-1]] = 0
    return places
