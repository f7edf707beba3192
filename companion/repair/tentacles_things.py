"""The fish of five tentacles: all alike, in the sea or on a tentacle."""

from __future__ import annotations

from companion.match import Match
from companion.repair.things import Things, Transfer, transfers
from companion.repair.timeline import Timeline
from companion.rules.tentacles_words import PATTERNS
from companion.said import Thing, say

SEA = "sea"
FISH = "fish"


def needed(
    before: Timeline, after: Timeline
) -> tuple[Things, Things, list[tuple[Transfer, tuple[str | None, str]]]]:
    """Where the fish lie, where they belong, and how they get there."""
    here, wanted = _things(before.match), _things(after.match)
    moves = transfers(here, wanted)
    moves.sort(key=lambda move: (move.source == SEA, move.source, move.target))
    return here, wanted, [(move, _words(move)) for move in moves]


def _things(match: Match) -> Things:
    state = match.state
    players = match.setup.players
    things: dict[str, tuple[str, ...]] = {
        f"{player}/{pattern}": (FISH,) if pattern in fish else ()
        for player, fish in zip(players, state.fish, strict=True)
        for pattern in PATTERNS
    }
    on_tentacles = sum(map(len, state.fish))
    return {**things, SEA: (FISH,) * (len(players) * len(PATTERNS) - on_tentacles)}


def _words(move: Transfer) -> tuple[str | None, str]:
    if move.source == SEA:
        player, _, pattern = move.target.rpartition("/")
        return player, say("put a fish from the sea on %(pattern)s.", pattern=Thing(pattern))
    player, _, pattern = move.source.rpartition("/")
    if move.target == SEA:
        return player, say("put the fish on %(pattern)s into the sea.", pattern=Thing(pattern))
    other, _, wanted = move.target.rpartition("/")
    if other == player:
        return player, say(
            "move the fish on %(pattern)s to %(other)s.",
            pattern=Thing(pattern),
            other=Thing(wanted),
        )
    return player, say(
        "give the fish on %(pattern)s to %(player)s, for %(other)s.",
        pattern=Thing(pattern),
        player=other,
        other=Thing(wanted),
    )
