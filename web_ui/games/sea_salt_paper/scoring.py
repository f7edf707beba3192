"""The end of a round, added up in the open: one sum for each player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.rules.sea_salt_paper.cards import set_of
from companion.rules.sea_salt_paper.endings import parts_of
from companion.rules.sea_salt_paper.scoring import points_of, round_result
from companion.rules.sea_salt_paper.words import RoundEnded
from companion.snapshot import Snapshot
from web_ui.games.sea_salt_paper.telling import caller_of
from web_ui.words import gettext

_CALLS = ("stop", "last-chance")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of somebody's card points.

    Attributes:
        icon: of the sprite.
        label: what people call it.
        points: how many it brings.
    """

    icon: str
    label: str
    points: int


@dataclass(frozen=True, slots=True)
class Sum:
    """What a round brought to one player.

    Attributes:
        parts: of the card points, without those that bring nothing.
        cards: the card points.
        bonus: the colour bonus.
        counted: which of `cards` and `bonus` were scored.
        got: the points of the round.
        place: from 1; people look at the sums in this order, the caller's last.
    """

    parts: Sequence[Part]
    cards: int
    bonus: int
    counted: frozenset[str]
    got: int
    place: int


def parts(given: Mapping[str, Any]) -> tuple[Part, ...]:
    """What card points are made of, as people see it."""
    every = (
        Part("salt-pair", gettext("Pairs"), given["duos"]),
        Part("salt-shell", gettext("Collections"), given["collectors"]),
        Part("salt-lighthouse", gettext("Multipliers"), given["multipliers"]),
        Part("salt-mermaid", gettext("Mermaids"), given["mermaids"]),
    )
    return tuple(part for part in every if part.points)


def sums(snapshot: Snapshot) -> Mapping[str, Sum]:
    """By player, what the round that is just over brought; empty at any other time."""
    if snapshot.standing.phase not in ("deal", "call", "over"):
        return {}
    ended = next((each for each in snapshot.event.outcomes if isinstance(each, RoundEnded)), None)
    caller = caller_of(snapshot)
    if ended is None or ended.parts is None:
        ended = _from_the_table(snapshot, caller)
    if ended is None or ended.reason not in _CALLS or ended.parts is None:
        return {}
    order = sorted(snapshot.players, key=lambda player: player == caller)
    cards, bonuses = ended.card_points or {}, ended.colour_bonus or {}
    return {
        player: Sum(
            parts(ended.parts[player]),
            cards[player],
            bonuses[player],
            _counted(cards[player], bonuses[player], ended, player, caller),
            ended.round_points[player],
            order.index(player) + 1,
        )
        for player in snapshot.players
    }


def _counted(
    cards: int, bonus: int, ended: RoundEnded, player: str, caller: str | None
) -> frozenset[str]:
    """Which of the two were scored (rules 18 and 20)."""
    if ended.reason == "stop":
        return frozenset({"cards"})
    got = ended.round_points[player]
    if ended.bet_won is True and player == caller:
        return frozenset({"cards", "bonus"})
    if caller is not None:
        return frozenset({"bonus"} if (ended.bet_won is True) != (player == caller) else {"cards"})
    if got == cards + bonus:
        return frozenset({"cards", "bonus"})
    return frozenset({"cards"} if got == cards else {"bonus"})


def _from_the_table(snapshot: Snapshot, caller: str | None) -> RoundEnded | None:
    """The same out of the open hands, as long as the cards lie there."""
    state = snapshot.state
    hands: Mapping[str, Sequence[str] | None] = state.get("revealed", {})
    if not hands or snapshot.standing.phase == "call":
        return None
    opened = [hand for hand in hands.values() if hand is not None]
    if len(opened) < len(hands):
        return None
    tables: Mapping[str, Sequence[str]] = state["tables"]
    cards = [
        (set_of(hand), set_of(tables[player])) for player, hand in zip(hands, opened, strict=True)
    ]
    reason = "stop" if caller is None else "last-chance"
    seat = None if caller is None else snapshot.players.index(caller)
    result = round_result(reason, seat, cards)
    return RoundEnded(
        reason,
        bool(result.bet_won),
        dict(zip(hands, result.card_points, strict=True)),
        dict(zip(hands, result.colour_bonus, strict=True)),
        dict(zip(hands, result.round_points, strict=True)),
        {player: parts_of(points_of(*own)) for player, own in zip(hands, cards, strict=True)},
    )
