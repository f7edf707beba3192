"""What each viewer may know: the one place where a card is shown or hidden (rules 26 and 27).

Nothing else renders a state. The odds, too, are worked out from what this shows.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from companion.rules.api import Action, Json
from companion.rules.sea_salt_paper.cards import CARDS, name_of, names_of, set_of
from companion.rules.sea_salt_paper.endings import parts_of
from companion.rules.sea_salt_paper.scoring import points_of
from companion.rules.sea_salt_paper.state import DECK_LOOKED_AT, State
from companion.rules.sea_salt_paper.words import (
    Draw,
    DrawOne,
    Duo,
    Keep,
    LastChance,
    Mermaids,
    Pick,
    Steal,
    Stop,
)

_KIND_OF = {card.name: card.kind for card in CARDS}


def view(state: State, viewer: str | None) -> dict[str, Any]:
    """What that player, or a spectator, may know."""
    players = state.terms.players
    seen: dict[str, Any] = {
        "round": max(state.dealt, 1),
        "deck": state.deck.bit_count(),
        "piles": [
            {"top": name_of(pile[-1]) if pile else None, "count": len(pile)} for pile in state.piles
        ],
        "tables": {
            player: names_of(table) for player, table in zip(players, state.tables, strict=True)
        },
        "hand_counts": {
            player: hand.bit_count() for player, hand in zip(players, state.hands, strict=True)
        },
        "totals": dict(zip(players, state.totals, strict=True)),
        "called": None if state.caller is None else players[state.caller],
        "revealed": {
            player: names_of(hand) if shown else None
            for player, hand, shown in zip(players, state.hands, state.revealed, strict=True)
        },
    }
    if viewer in players:
        seen |= _own(state, players.index(viewer))
    return seen


def _own(state: State, seat: int) -> dict[str, Any]:
    """What a player sees beyond what everybody sees."""
    points = points_of(state.hands[seat], state.tables[seat])
    own: dict[str, Any] = {
        "hand": names_of(state.hands[seat]),
        "points": points.total,
        "colour_bonus": points.colour_bonus,
        "parts": parts_of(points),
    }
    if seat != state.seat:
        return own
    if state.phase in ("keep", "discard"):
        own["drawn"] = [name_of(card) for card in state.drawn]
    if state.looking is not None:
        if state.looking != DECK_LOOKED_AT:
            own["looking_at"] = [name_of(card) for card in state.piles[state.looking - 1]]
        elif state.looked:
            own["looking_at"] = names_of(state.looked)
    return own


def odds(state: State) -> Json | None:
    """Rule 37: how likely each kind of card is on top of the deck, for the player in turn.

    Any card that this player does not see may lie there, each as likely as the others.
    """
    if state.phase not in ("take", "fish", "stung") or not state.deck:
        return None
    unseen = state.terms.cards & ~set_of(_seen_in(view(state, state.terms.players[state.seat])))
    count = unseen.bit_count()
    kinds = Counter(_KIND_OF[name] for name in names_of(unseen))
    return {"next": {kind: number / count for kind, number in kinds.items()}}


def _seen_in(shown: dict[str, Any]) -> list[str]:
    """The cards that a view names."""
    return [
        *shown["hand"],
        *(name for table in shown["tables"].values() for name in table),
        *(name for hand in shown["revealed"].values() if hand for name in hand),
        *(pile["top"] for pile in shown["piles"] if pile["top"]),
    ]


def tells_of_a_hand(action: Action) -> bool:
    """Whether the action, done or merely possible, tells something of a hidden card.

    That a player may end the round tells of seven points, and mermaids of four cards.
    """
    match action:
        case Keep() | Duo() | Stop() | LastChance() | Mermaids():
            return True
        case Draw(cards):
            return cards is not None
        case Pick(card) | DrawOne(card) | Steal(_, card):
            return card is not None
    return False
