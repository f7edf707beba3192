"""What the board of Sea Salt & Paper shows of what everybody may know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from companion.rules.sea_salt_paper.words import (
    TARGETS,
    Dealt,
    Discarded,
    Drew,
    DuoPlayed,
    Hand,
    Picked,
    Stole,
    Took,
)
from companion.snapshot import Snapshot
from web_ui.games.sea_salt_paper.cards import FEW, Many, Shown, card_name, kind_name, many, shown
from web_ui.games.sea_salt_paper.scoring import sums
from web_ui.words import gettext, ngettext

MOST_BACKS = 12
"""So many backs of cards are drawn; their number stands beside them."""
MOST_PLAYED = 8
"""So many cards of pairs that were played are shown one by one."""


When: TypeAlias = Literal["done", "now", "maybe", "next"]


@dataclass(frozen=True, slots=True)
class Step:
    """One of the three steps of a turn.

    Attributes:
        label: what people read.
        when: whether it is over, is now, may be now, or is still to come.
    """

    label: str
    when: When


@dataclass(frozen=True, slots=True)
class Pile:
    """One of the two piles.

    Attributes:
        number: 1 or 2.
        top: the card that everybody sees; None for an empty pile.
        count: how many cards lie there.
        fresh: the last event has changed it.
        says: all of it in words.
    """

    number: int
    top: Shown | None
    count: int
    fresh: bool
    says: str


@dataclass(frozen=True, slots=True)
class Place:
    """What lies before one player.

    Attributes:
        count: how many cards are in the hand.
        backs: how many of them are drawn.
        says: the number in words.
        open: the cards of a hand that lies open; None for a hidden one.
        table: the pairs that were played.
        fresh: the last event has changed the hand.
        called: this player has called LAST CHANCE.
        told: with score tracking, once the round is over: whether the cards were told.
        percent: of the way to the points that end the game.
    """

    count: int
    backs: int
    says: str
    open: Many | None
    table: Many
    fresh: bool
    called: bool
    told: bool | None
    percent: int


def facts(snapshot: Snapshot) -> Mapping[str, Any]:
    """What the template needs."""
    state = snapshot.state
    full = "deck" in state
    target = TARGETS[len(snapshot.players)]
    ranking = _ranking(snapshot)
    return {
        "full": full,
        "deck": state.get("deck", 0),
        "deck_says": ngettext("%(num)d card", "%(num)d cards", state.get("deck", 0))
        % {"num": state.get("deck", 0)},
        "steps": _steps(snapshot, full=full),
        "piles": _piles(snapshot) if full else (),
        "places": {player: _place(snapshot, player, target) for player in snapshot.players},
        "round": state.get("round", 1),
        "target": target,
        "salt": bool(snapshot.options.get("salt")),
        "sums": sums(snapshot),
        "ranking": ranking,
        "ranked": lambda players: sorted(players, key=lambda each: ranking.get(each.name, 0)),
        "pictures": _pictures(snapshot),
        "shown": shown,
        "card_name": card_name,
        "kind_name": kind_name,
    }


def _steps(snapshot: Snapshot, *, full: bool) -> tuple[Step, Step, Step]:
    phase = snapshot.standing.phase
    if not full:
        return (
            Step(gettext("Play"), "now" if phase == "call" else "done"),
            Step(gettext("Who ends it?"), "maybe" if phase == "call" else "done"),
            Step(gettext("Cards"), "now" if phase == "hand" else "next"),
        )
    last = gettext("Finish?") if snapshot.state.get("called") is None else gettext("Pass")
    labels = (gettext("Take"), gettext("Pairs"), last)
    now: tuple[When, When, When]
    match phase:
        case "take" | "keep" | "discard" | "stung":
            now = ("now", "next", "next")
        case "play":
            now = ("done", "now", "maybe")
        case "look" | "pick" | "fish" | "steal":
            now = ("done", "now", "next")
        case _:
            now = ("next", "next", "next")
    first, second, third = now
    return Step(labels[0], first), Step(labels[1], second), Step(labels[2], third)


def _piles(snapshot: Snapshot) -> tuple[Pile, ...]:
    changed = {
        outcome.pile
        for outcome in snapshot.event.outcomes
        if isinstance(outcome, Discarded | Took | Picked) and outcome.pile is not None
    }
    if any(isinstance(outcome, Dealt) for outcome in snapshot.event.outcomes):
        changed = {1, 2}
    return tuple(
        _pile(number, pile["top"], pile["count"], fresh=number in changed)
        for number, pile in enumerate(snapshot.state["piles"], 1)
    )


def _pile(number: int, top: str | None, count: int, *, fresh: bool) -> Pile:
    if top is None:
        says = gettext("Pile %(number)s is empty") % {"number": number}
        return Pile(number, None, count, fresh, says)
    card = shown(top)
    says = ngettext(
        "Pile %(number)s: %(card)s, %(num)d card",
        "Pile %(number)s: %(card)s, %(num)d cards",
        count,
    ) % {"number": number, "card": card.says, "num": count}
    return Pile(number, card, count, fresh, says)


def _place(snapshot: Snapshot, player: str, target: int) -> Place:
    state = snapshot.state
    count = state.get("hand_counts", {}).get(player, 0)
    hand = state.get("revealed", {}).get(player)
    table = state.get("tables", {}).get(player, ())
    # Of a hand that lies open and is large, the pairs are counted together with it.
    whole = hand is not None and len(hand) + len(table) > FEW
    told = None
    if snapshot.standing.phase == "hand":
        told = Hand(player) not in snapshot.legal
    return Place(
        count=count,
        backs=min(count, MOST_BACKS),
        says=ngettext("%(num)d card in the hand", "%(num)d cards in the hand", count)
        % {"num": count},
        open=None if hand is None else many((*hand, *table) if whole else hand),
        table=many(() if whole else table, few=MOST_PLAYED),
        fresh=player in _changed_hands(snapshot),
        called=state.get("called") == player,
        told=told,
        percent=min(100, 100 * snapshot.standing.scores.get(player, 0) // target),
    )


def _changed_hands(snapshot: Snapshot) -> set[str]:
    changed: set[str] = set()
    for outcome in snapshot.event.outcomes:
        match outcome:
            case Took(player) | Picked(player) | Drew(player):
                changed.add(player)
            case Stole(player, victim):
                changed |= {player, victim}
    return changed


def _ranking(snapshot: Snapshot) -> Mapping[str, int]:
    """By player, the place at the end: winners first, then by points; empty before."""
    standing = snapshot.standing
    if not standing.over:
        return {}

    def key(player: str) -> tuple[bool, int]:
        return (player not in standing.winners, -standing.scores[player])

    ordered = sorted(snapshot.players, key=key)
    keys = [key(player) for player in ordered]
    return {player: keys.index(key(player)) + 1 for player in ordered}


def _pictures(snapshot: Snapshot) -> Sequence[Shown]:
    """The cards that the last event has laid open."""
    cards: list[str] = []
    for outcome in snapshot.event.outcomes:
        match outcome:
            case Dealt(names) | DuoPlayed(_, names):
                cards += names
            case Discarded(name) | Took(_, name):
                cards.append(name)
    return tuple(map(shown, cards))
