"""What a player's own phone shows of Sea Salt & Paper: the hand, its points, and what can be done.

All of it is made of what that player may see (`Seen`), and goes to that player alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.codec import action_to_json
from companion.rules.api import Action
from companion.rules.sea_salt_paper.cards import CARDS, PLAIN_COUNT, set_of
from companion.rules.sea_salt_paper.endings import parts_of
from companion.rules.sea_salt_paper.scoring import points_of
from companion.rules.sea_salt_paper.words import (
    Call,
    Deal,
    Discard,
    Draw,
    DrawOne,
    Duo,
    Hand,
    Keep,
    LastChance,
    Look,
    Mermaids,
    Pass,
    Pick,
    Skip,
    Steal,
    Stop,
    Take,
)
from companion.snapshot import Seen, Snapshot
from web_ui.games.sea_salt_paper.cards import Shown, kind_name, shown
from web_ui.games.sea_salt_paper.scoring import Part, parts
from web_ui.sentences import Sentence
from web_ui.words import gettext, ngettext

_GAME = "sea-salt-paper"


@dataclass(frozen=True, slots=True)
class Choice:
    """A button.

    Attributes:
        sends: the action as JSON.
        label: what it says.
        group: how it looks (`face.Group`).
        cards: pictures on it.
        hold: it is to be held for a second.
    """

    sends: str
    label: Sentence
    group: str = "choice"
    cards: Sequence[Shown] = ()
    hold: bool = False


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs, or trios, of the same kinds of cards.

    Attributes:
        kinds: of the cards.
        says: the kinds in words.
        choices: one for each way.
    """

    kinds: Sequence[str]
    says: str
    choices: Sequence[Choice]


@dataclass(frozen=True, slots=True)
class Drawer:
    """The cards of one kind, among which one can be told.

    Attributes:
        kind: its symbol is `salt-` and this.
        says: the kind in words.
        cards: each with what it sends.
    """

    kind: str
    says: str
    cards: Sequence[tuple[Shown, str]]


@dataclass(frozen=True, slots=True)
class Picker:
    """All cards that may be told now, by kind and then by colour.

    Attributes:
        asks: what is to be told.
        address: where its form is sent.
        field: the name of what its buttons send.
        place: where the card lies (`touch.card`); empty where an action is sent.
        drawers: by kind.
    """

    asks: Sentence
    address: str
    field: str
    place: str
    drawers: Sequence[Drawer]


@dataclass(frozen=True, slots=True)
class Worth:
    """What cards are worth.

    Attributes:
        points: the card points.
        parts: what they are made of.
        bonus: the colour bonus.
        says: points in words.
    """

    points: int
    parts: Sequence[Part]
    bonus: int
    says: str


def mine(snapshot: Snapshot, seen: Seen) -> Mapping[str, Any]:
    """What the template of the phone needs."""
    if "hand" in seen.state:
        return _with_all_cards(snapshot, seen)
    return _with_points_alone(snapshot, seen)


# All cards are followed


def _with_all_cards(snapshot: Snapshot, seen: Seen) -> Mapping[str, Any]:
    state = seen.state
    drawn: Sequence[str] = state.get("drawn", ())
    looking: Sequence[str] = state.get("looking_at", ())
    legal = seen.legal
    return {
        "hand": _sorted(state["hand"]),
        "table": _sorted(state["tables"][seen.player]),
        "worth": _worth(state["points"], state["parts"], state["colour_bonus"]),
        "drawn": tuple(map(shown, drawn)) if any(isinstance(each, Keep) for each in legal) else (),
        "laid": tuple(map(shown, drawn))
        if any(isinstance(each, Discard) for each in legal)
        else (),
        "looking": [
            (shown(each.card), sends(each))
            for each in legal
            if isinstance(each, Pick) and each.card is not None
        ]
        if looking
        else [],
        "held": tuple(map(shown, seen.held)),
        # What lets the turn go by stands last, apart from what ends the round.
        "choices": sorted(_choices(snapshot, legal), key=lambda each: each.group == "go-on"),
        "pairs": _by_kinds(_pairs(legal)),
        "victims": [each.from_ for each in legal if isinstance(each, Steal)],
        "picker": _picker(snapshot, seen),
    }


def _choices(snapshot: Snapshot, legal: Sequence[Action]) -> Iterable[Choice]:
    """The buttons that anybody may see."""
    tops = [pile["top"] for pile in snapshot.state["piles"]]
    for number, action in enumerate(legal, 1):
        match action:
            case Take(pile):
                yield _on_a_pile(action, gettext("Take from pile %(pile)s"), pile, tops)
            case Discard(pile):
                yield _on_a_pile(action, gettext("Lay it on pile %(pile)s"), pile, tops)
            case Look(pile):
                yield _on_a_pile(action, gettext("Look through pile %(pile)s"), pile, tops)
            case Keep():
                which = gettext("Keep card %(number)s")
                label = Sentence("salt-hand", which, {}, {"number": number})
                yield Choice(sends(action), label)
            case Skip():
                yield Choice(sends(action), Sentence("turn-over", gettext("Go on")), "go-on")
            case Mermaids():
                label = Sentence("salt-mermaid", gettext("Show four mermaids"))
                yield Choice(sends(action), label, "answer", hold=True)
            case Stop():
                yield Choice(sends(action), Sentence("stop", gettext("STOP")), "end", hold=True)
            case LastChance():
                label = Sentence("salt-last-chance", gettext("LAST CHANCE"))
                yield Choice(sends(action), label, "end", hold=True)
            case Pass():
                yield Choice(sends(action), Sentence("turn-over", gettext("Pass")), "go-on")


def _on_a_pile(action: Action, label: str, pile: int, tops: Sequence[str | None]) -> Choice:
    top = tops[pile - 1]
    cards = () if top is None else (shown(top),)
    return Choice(sends(action), Sentence("salt-take", label, {}, {"pile": pile}), "choice", cards)


def _pairs(legal: Sequence[Action]) -> Iterable[Choice]:
    """The pairs and trios of the own hand; of equal ones, one."""
    told = set()
    for action in legal:
        if isinstance(action, Duo):
            cards = tuple(map(shown, action.cards))
            looks = tuple(sorted((card.kind, card.colour) for card in cards))
            if looks not in told:
                told.add(looks)
                says = " + ".join(card.says for card in cards)
                label = Sentence("salt-pair", "%(cards)s", {}, {"cards": says})
                yield Choice(sends(action), label, "choice", cards)


def _by_kinds(pairs: Iterable[Choice]) -> Sequence[Pairs]:
    kinds: dict[tuple[str, ...], list[Choice]] = {}
    for choice in pairs:
        kinds.setdefault(tuple(sorted(card.kind for card in choice.cards)), []).append(choice)
    return tuple(
        Pairs(of, " + ".join(map(kind_name, of)), choices) for of, choices in kinds.items()
    )


def _picker(snapshot: Snapshot, seen: Seen) -> Picker | None:
    """Where a card came that the page cannot know, it is told here when no reader sees it."""
    state = seen.state
    known = {
        *state["hand"],
        *state.get("drawn", ()),
        *seen.held,
        *(name for table in state["tables"].values() for name in table),
        *(name for hand in state["revealed"].values() for name in hand or ()),
        *(pile["top"] for pile in state["piles"] if pile["top"]),
    }
    again = bool(seen.held)
    for action in seen.legal:
        match action:
            case Deal():
                if again:
                    asks = Sentence("salt-take", gettext("Which card opens pile 2?"))
                    return _taps(snapshot, asks, "discard-2", seen.held)
                asks = Sentence("salt-take", gettext("Which card opens pile 1?"))
                return _taps(snapshot, asks, "discard-1", ())
            case Draw():
                asks = Sentence("salt-take", _drawn(state["deck"], again=again))
                return _taps(snapshot, asks, "draw", known)
            case DrawOne():
                asks = Sentence("salt-take", gettext("Which card came from the deck?"))
                return _actions(snapshot, asks, DrawOne, known)
            case Steal():
                asks = Sentence("salt-shark", gettext("Which card have you drawn?"))
                return _taps(snapshot, asks, "seat", known)
            case Pick(None):
                asks = Sentence("salt-lobster", gettext("Which card do you keep?"))
                return _actions(snapshot, asks, Pick, known)
    return None


def _drawn(deck: int, *, again: bool) -> str:
    if deck == 1:
        return gettext("Which card came from the deck?")
    if again:
        return gettext("And the second card?")
    return gettext("Draw two: which is the first card?")


def _taps(snapshot: Snapshot, asks: Sentence, place: str, known: Iterable[str]) -> Picker:
    drawers = _drawers(snapshot, known, lambda name: f"{_GAME}/{name}")
    return Picker(asks, "/touch/card", "component", place, drawers)


def _actions(
    snapshot: Snapshot, asks: Sentence, kind: type[DrawOne | Pick], known: Iterable[str]
) -> Picker:
    drawers = _drawers(snapshot, known, lambda name: sends(kind(name)))
    return Picker(asks, "/touch", "action", "", drawers)


def _drawers(
    snapshot: Snapshot, known: Iterable[str], sent: Callable[[str], str]
) -> Sequence[Drawer]:
    """All cards but those that this player sees lying elsewhere; alike for all that is hidden."""
    away = set(known)
    in_play = CARDS if snapshot.options.get("salt") else CARDS[:PLAIN_COUNT]
    kinds: dict[str, list[tuple[Shown, str]]] = {}
    for card in in_play:
        if card.name not in away:
            kinds.setdefault(card.kind, []).append((shown(card.name), sent(card.name)))
    return tuple(Drawer(kind, kind_name(kind), tuple(cards)) for kind, cards in kinds.items())


# People play by themselves, and tell how a round ended


def _with_points_alone(snapshot: Snapshot, seen: Seen) -> Mapping[str, Any]:
    telling = snapshot.standing.phase == "hand" and Hand(seen.player) in seen.legal
    held = seen.held if telling else ()
    points = points_of(set_of(held), 0)
    drawers: Sequence[Drawer] = ()
    if telling:
        drawers = _drawers(snapshot, (), lambda name: f"{_GAME}/{name}")
    return {
        "calls": list(_calls(seen.player)) if snapshot.standing.phase == "call" else [],
        "telling": telling,
        "told": snapshot.standing.phase == "hand" and not telling,
        "held": _sorted(held),
        "held_names": frozenset(held),
        "count": ngettext("%(num)d card", "%(num)d cards", len(held)) % {"num": len(held)},
        "worth": _worth(points.total, parts_of(points), points.colour_bonus),
        "drawers": drawers,
    }


def _calls(player: str) -> Iterable[Choice]:
    """How this player ends the round."""
    for call, icon, label in (
        ("stop", "stop", gettext("I call STOP")),
        ("last-chance", "salt-last-chance", gettext("I call LAST CHANCE")),
        ("mermaids", "salt-mermaid", gettext("I show four mermaids")),
        ("deck-empty", "pile", gettext("After my turn the deck is empty")),
    ):
        action = Call(player, call)  # type: ignore[arg-type]
        yield Choice(sends(action), Sentence(icon, label), "choice", hold=True)


# For both


def sends(action: Action) -> str:
    """The action as a form sends it."""
    return json.dumps(action_to_json(action), separators=(",", ":"))


def _sorted(names: Iterable[str]) -> Sequence[Shown]:
    """By kind, as people sort a hand."""
    order = {card.name: card.number for card in CARDS}
    return tuple(map(shown, sorted(names, key=order.__getitem__)))


def _worth(points: int, made_of: Mapping[str, Any], bonus: int) -> Worth:
    says = ngettext("%(num)d point", "%(num)d points", points) % {"num": points}
    return Worth(points, parts(made_of), bonus, says)
