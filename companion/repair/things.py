"""Where the real things lie by the record: fish, ship, tiles, chips and cards.

A description names places and what lies in each; things of one name are alike. Two of them
make the shortest list of transfers from one to the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Things: TypeAlias = Mapping[str, tuple[str, ...]]
"""By place, what lies there; in a pile from bottom to top. A place is a path, such as
`hand/Ann`. An empty place may be left out."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """One thing goes from one place to another.

    Attributes:
        thing: its name.
        source: the place where it lies.
        target: the place where it belongs.
        height: in a pile, how many things lie below it in the end; else 0.
    """

    thing: str
    source: str
    target: str
    height: int = 0


def transfers(before: Things, after: Things, piles: Sequence[str] = ()) -> list[Transfer]:
    """The fewest transfers that lead from one description to the other.

    Args:
        before: where things lie.
        after: where they belong; the same things.
        piles: the places in which the order matters.
    """
    sources: dict[str, list[str]] = {}
    targets: dict[str, list[tuple[str, int]]] = {}
    for place in {**before, **after}:
        here, wanted = before.get(place, ()), after.get(place, ())
        stay = _common_order(here, wanted) if place in piles else _common(here, wanted)
        for thing in (Counter(here) - stay).elements():
            sources.setdefault(thing, []).append(place)
        for thing, height in _missing(wanted, stay):
            targets.setdefault(thing, []).append((place, height if place in piles else 0))
    return [move for thing in sources for move in _paired(thing, sources[thing], targets[thing])]


def _common(one: Sequence[str], other: Sequence[str]) -> Counter[str]:
    return Counter(one) & Counter(other)


def _common_order(one: Sequence[str], other: Sequence[str]) -> Counter[str]:
    """The most things that can stay in a pile while all others come and go; each is there once."""
    place = {thing: number for number, thing in enumerate(one)}
    best: list[list[str]] = [[]]
    for thing in other:
        if thing in place:
            chains = [chain for chain in best if not chain or place[chain[-1]] < place[thing]]
            best.append([*max(chains, key=len), thing])
    longest: list[str] = max(best, key=len)
    return Counter(longest)


def _missing(wanted: Sequence[str], stay: Counter[str]) -> Iterator[tuple[str, int]]:
    """What must still come to a place, with how many things lie below it there in the end."""
    left = Counter(stay)
    for height, thing in enumerate(wanted):
        if left[thing]:
            left[thing] -= 1
        else:
            yield thing, height


def _paired(
    thing: str, sources: Sequence[str], targets: Sequence[tuple[str, int]]
) -> Iterator[Transfer]:
    """Each of these things to a place that is as near as can be: they are alike."""
    left = list(targets)
    waiting = sorted(sources, key=lambda source: -max(_near(source, place) for place, _ in left))
    for source in waiting:
        target = max(left, key=lambda pair: _near(source, pair[0]))
        left.remove(target)
        yield Transfer(thing, source, *target)


def _near(one: str, other: str) -> int:
    """How much two places have in common; the last part, such as a pattern, counts most."""
    parts, others = one.split("/"), other.split("/")
    return 2 * (parts[-1] == others[-1]) + (parts[:-1] == others[:-1])


def carried_out(things: Things, moves: Sequence[Transfer]) -> dict[str, tuple[str, ...]]:
    """Where the things lie after all of these transfers.

    Raises:
        ValueError: a thing does not lie where a transfer takes it from.
    """
    places = {place: list(here) for place, here in things.items()}
    for move in moves:
        places[move.source].remove(move.thing)
    for move in sorted(moves, key=lambda each: each.height):
        here = places.setdefault(move.target, [])
        here.insert(move.height, move.thing)
    return {place: tuple(here) for place, here in places.items()}
