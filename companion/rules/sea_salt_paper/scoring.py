"""What cards are worth in Sea Salt & Paper, and who scores what when a round ends."""

from __future__ import annotations

from collections.abc import Sequence
from operator import getitem
from typing import NamedTuple

from companion.rules.sea_salt_paper.cards import CARDS, COLOURS, KINDS, OF_COLOUR, OF_KIND

SHELLS = (0, 0, 2, 4, 6, 8, 10)
OCTOPUSES = (0, 0, 3, 6, 9, 12)
PENGUINS = (0, 1, 3, 5)
SAILORS = (0, 0, 5)
"""Points by number of collectors (rule 14)."""

_MERMAID = KINDS.index("mermaid")
_GROUPS = (*OF_COLOUR.values(), *OF_KIND.values())
_SET_BYTES = (len(CARDS) + 7) // 8


def _tallies(first: int) -> list[int]:
    """By set of the eight cards from `first` on: how many of each group, a byte for each."""
    tallies = [0]
    for card in range(first, first + 8):
        own = sum((group >> card & 1) << 8 * place for place, group in enumerate(_GROUPS))
        tallies += [tally + own for tally in tallies]
    return tallies


_TALLIES = [_tallies(8 * place) for place in range(_SET_BYTES)]


def _tally(cards: int) -> tuple[bytes, bytes]:
    """How many there are of each of `COLOURS` and of each of `KINDS`.

    To count these thirty one after the other would take several times as long.
    """
    tally = sum(map(getitem, _TALLIES, cards.to_bytes(_SET_BYTES, "little")))
    counts = tally.to_bytes(len(_GROUPS), "little")
    return counts[: len(COLOURS)], counts[len(COLOURS) :]


class Points(NamedTuple):
    """What a player's cards are worth.

    Attributes:
        mermaids: points of the mermaids (rule 16).
        duos: points of the duos, with what starfish add to them (rules 13 and 34).
        collectors: points of shells, octopuses, penguins and sailors (rules 14 and 35).
        multipliers: points of lighthouse, shoal, colony, captain and cast of crabs (rules 15
            and 33).
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


def points_of(hand: int, table: int) -> Points:
    """The points of a player's cards, by what brought them.

    Hand and table count together, as only whole duos come onto a table. Where a card lies
    makes a difference to starfish alone (rule 34).

    Args:
        hand: the set of the cards in hand.
        table: the set of the cards that lie in front of the player.
    """
    colours, kinds = _tally(hand | table)
    duos, collectors, multipliers = _points_of_kinds(kinds, hand, table)
    mermaids = 0
    counted: tuple[str, ...] = ()
    if kinds[_MERMAID]:
        mermaids, counted = _mermaid_points(colours, kinds[_MERMAID])
    total = mermaids + duos + collectors + multipliers
    return Points(mermaids, duos, collectors, multipliers, total, max(colours), counted)


def card_points(hand: int, table: int) -> int:
    """The total of `points_of` alone, in less time."""
    colours, kinds = _tally(hand | table)
    points = sum(_points_of_kinds(kinds, hand, table))
    if kinds[_MERMAID]:
        points += sum(sorted(colours)[-kinds[_MERMAID] :])
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


def _points_of_kinds(kinds: bytes, hand: int, table: int) -> tuple[int, int, int]:
    """Points of the duos, collectors and multipliers.

    Args:
        kinds: how many of each kind there are in hand and on the table.
        hand: as for `points_of`; here it matters for starfish alone.
        table: likewise.
    """
    (
        crabs,
        boats,
        fish,
        swimmers,
        sharks,
        _mermaids,
        shells,
        octopuses,
        penguins,
        sailors,
        lighthouse,
        shoal,
        colony,
        captain,
        jellyfish,
        lobster,
        cast_of_crabs,
        starfish,
        seahorse,
    ) = kinds
    # As there is one lobster, any two of crabs and lobster are a duo (rules 13, 31 and 32).
    duos = (crabs + lobster) // 2 + boats // 2 + fish // 2 + min(swimmers, sharks + jellyfish)
    collectors = SHELLS[shells] + OCTOPUSES[octopuses] + PENGUINS[penguins] + SAILORS[sailors]
    # A multiplier is there once or not at all; it is none of what it counts (rules 15 and 33).
    multipliers = (
        lighthouse * boats
        + shoal * fish
        + colony * 2 * penguins
        + captain * 3 * sailors
        + cast_of_crabs * crabs
    )
    if starfish:
        duos += _starfish_points(hand, table)
    if seahorse:
        collectors += max(
            _one_more(SHELLS, shells),
            _one_more(OCTOPUSES, octopuses),
            _one_more(PENGUINS, penguins),
            _one_more(SAILORS, sailors),
        )
    return duos, collectors, multipliers


def _starfish_points(hand: int, table: int) -> int:
    """Two for each starfish that has a duo (rule 34)."""
    on_table = (table & OF_KIND["starfish"]).bit_count()  # it came there with its duo
    in_hand = hand & OF_KIND["starfish"]
    duos_in_hand, _, _ = _points_of_kinds(_tally(hand ^ in_hand)[1], 0, 0)
    return 2 * (on_table + min(in_hand.bit_count(), duos_in_hand))


def _one_more(points: Sequence[int], count: int) -> int:
    """What a seahorse adds to a family that is begun and not whole (rule 35)."""
    return points[count + 1] - points[count] if 0 < count < len(points) - 1 else 0


def _mermaid_points(counts: bytes, mermaids: int) -> tuple[int, tuple[str, ...]]:
    """Each mermaid counts the most frequent colour that is left, white too (rule 16)."""
    left = list(counts)
    points = 0
    colours = []
    for _ in range(mermaids):
        most = max(left)
        if not most:
            break  # more mermaids than colours
        place = left.index(most)
        left[place] = 0
        points += most
        colours.append(COLOURS[place])
    return points, tuple(colours)
