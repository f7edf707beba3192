"""What is easily taken for what, game by game, and how cards are chosen by people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from companion.match import Match
from companion.rules.api import Action
from companion.rules.octopus_alarm_words import BILLY, UNKNOWN, WAVE, Flip, Reef, Sail
from companion.rules.octopus_alarm_words import State as AlarmState
from companion.rules.sea_salt_paper.cards import CARDS, names_of
from companion.rules.sea_salt_paper.score_tracking import Tally
from companion.rules.sea_salt_paper.state import State as SaltState
from companion.rules.sea_salt_paper.words import (
    Deal,
    Draw,
    Duo,
    Hand,
    Keep,
    LastChance,
    Mermaids,
    Pick,
    Stop,
)
from companion.rules.tentacles_words import KIND_OF, KINDS, Reveal

LOOK_ALIKES = (
    ("fish", "turtle"),
    ("jellyfish", "squid"),
    ("crab", "starfish"),
    ("snail", "seahorse"),
)
"""Animals of octopus alarm that are easily taken for one another."""

_SALT = {card.name: card for card in CARDS}


def suspects(here: Match, told: Action) -> Iterator[Action]:
    """What may have been meant in place of what was told, the likeliest first.

    The rules may refuse them; what is told itself and what comes twice is no matter.

    Args:
        here: the match in which it was told.
        told: the action.
    """
    match told:
        case Reveal(card) if card is not None:
            yield from map(Reveal, _cards_like(here, card))
        case Flip():
            yield from _tiles_like(here, told)
        case Sail(areas):
            yield Sail(1 if areas == 2 else 2)
        case Reef(stack, animal):
            yield from (Reef(stack, other) for other in (*_look_alikes(animal), *_tops(here)))
        case Hand(_, cards) | Deal(cards):
            yield from (replace(told, cards=other) for other in _one_exchanged(cards or ()))


def _cards_like(here: Match, card: str) -> Iterator[str]:
    """The card read just before, then the same pattern with another sign, then the same sign."""
    before = next(
        (
            each.action.card
            for each in here.back()
            if isinstance(each.action, Reveal) and each.action.card is not None
        ),
        None,
    )
    if before is not None:
        yield before
    kind = KIND_OF[card]
    yield from (other.name for other in KINDS if kind.pattern and other.pattern == kind.pattern)
    yield from (other.name for other in KINDS if other.sign == kind.sign)


def _tiles_like(here: Match, told: Flip) -> Iterator[Flip]:
    """Look-alikes, the tile read just before, and what else may lie in this area."""
    state = here.state
    if not isinstance(state, AlarmState):
        return
    down = [tile for tile in range(4) if not state.up >> 4 * state.ship + tile & 1]
    near = sorted({*down} - {told.tile}, key=lambda tile: (abs(tile - told.tile), tile))
    for face in _look_alikes(told.face):
        yield replace(told, face=face)
    # The same tile read at a neighbour's place.
    for tile in near[:2]:
        yield Flip(_tile(tile), told.face)
    before = here.action
    if isinstance(before, Flip):
        yield replace(told, face=before.face)
    for face in (*_tops(here), BILLY, WAVE, *state.terms.animals):
        yield replace(told, face=face)


def _tile(tile: int) -> Literal[0, 1, 2, 3]:
    return 0 if tile == 0 else 1 if tile == 1 else 2 if tile == 2 else 3


def _look_alikes(animal: object) -> Iterator[str]:
    for pair in LOOK_ALIKES:
        if animal in pair:
            yield pair[animal == pair[0]]


def _tops(here: Match) -> Sequence[str]:
    """The animals on top of the reef."""
    state = here.state
    if not isinstance(state, AlarmState):
        return ()
    return [top for top in state.reef.tops if top and top != UNKNOWN]


def _cards_of_a_kind(name: str) -> Iterator[str]:
    """The same kind in other colours, then the same colour."""
    card = _SALT.get(name)
    if card is not None:
        yield from (other.name for other in CARDS if other.kind == card.kind)
        yield from (other.name for other in CARDS if other.colour == card.colour)


def _one_exchanged(cards: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """One of the cards is another of its kind."""
    for place, card in enumerate(cards):
        for other in _cards_of_a_kind(card):
            if other not in cards:
                yield (*cards[:place], other, *cards[place + 1 :])


def names_in_play(here: Match) -> tuple[str, ...]:
    """What a card, tile or chip of this game can be."""
    state = here.state
    match state:
        case AlarmState():
            return (WAVE, BILLY, *state.terms.animals)
        case SaltState() | Tally():
            return tuple(names_of(state.terms.cards))
    return here.game.components


def unseen(here: Match, action: Action) -> tuple[str, ...]:
    """The cards that such an action may name, as far as everybody can tell."""
    view = here.game.view(here.state, None)
    seen = texts(view)
    if isinstance(action, Deal):
        seen = set()  # all cards are gathered first, wherever they lie
    if isinstance(action, Pick):
        seen -= texts(view["piles"])
    return tuple(name for name in names_in_play(here) if name not in seen)


def texts(value: object) -> set[str]:
    """All texts in a view."""
    match value:
        case str():
            return {value}
        case Mapping():
            return set().union(*map(texts, value.values()))
        case list() | tuple():
            return set().union(*map(texts, value))
    return set()


def counts(here: Match, action: Action) -> tuple[int, int]:
    """How many cards such an action has at least and at most, where people choose them."""
    match action:
        case Draw():
            left = here.game.view(here.state, None)["deck"]
            return min(left, 2), min(left, 2)
        case Deal():
            return 2, 2
        case Duo():
            return 2, 3 if len(names_in_play(here)) > 58 else 2
        case Hand():
            return 0, len(names_in_play(here))
    return 1, 1


def hidden_verbs(here: Match) -> tuple[Action, ...]:
    """What the player in turn may be able to do, though not everybody may know it.

    Cards in them mean nothing. It is the same whatever the player holds.
    """
    if not isinstance(here.state, SaltState):
        return ()
    match here.state.phase:
        case "keep":
            return (Keep(""),)
        case "play":
            calls = (Stop(), LastChance()) if here.state.caller is None else ()
            return (Duo(("", "")), *calls, Mermaids())
        case "pick":
            return (Pick(""),)
    return ()
