"""The cards of Sea Salt & Paper: in the deck, on piles, in hands and on tables.

Nobody is told the name of a card that a spectator does not see before or after.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.match import Match
from companion.repair.suspects import texts
from companion.repair.things import Things, Transfer, transfers
from companion.repair.timeline import Link, Timeline
from companion.rules.api import Action
from companion.rules.sea_salt_paper.cards import CARDS, name_of, names_of
from companion.rules.sea_salt_paper.state import State
from companion.rules.sea_salt_paper.words import PILES, Deal, Draw, DrawOne, Steal
from companion.said import Thing, say

DECK = "deck"
_KINDS = {card.name: (card.kind, card.colour) for card in CARDS}
_PLACES = tuple(f"pile/{pile}" for pile in PILES)


def shuffled_between(before: Match, after: Match) -> bool:
    """Whether all cards were gathered and dealt anew between the two."""
    states = before.state, after.state
    return any(isinstance(state, State) for state in states) and (
        before.state.dealt != after.state.dealt
    )


def needed(
    before: Timeline, after: Timeline
) -> tuple[Things, Things, list[tuple[Transfer, tuple[str | None, str]]]]:
    """Where the cards lie, where they belong, and how they get there."""
    if not isinstance(before.match.state, State):
        return {}, {}, []  # with score tracking nobody knows where a card is
    renamed = _renamed(before, after)
    here = {
        place: tuple(renamed.get(card, card) for card in cards)
        for place, cards in _things(before.match.state).items()
    }
    wanted = _things(after.match.state)
    taken = {renamed.get(card, card): when for card, when in _taken(before.match).items()}
    moves = transfers(here, wanted, _PLACES)
    moves.sort(key=lambda move: (move.height, -taken.get(move.thing, 0)))
    shown = texts(_view(before.match)) | texts(_view(after.match))
    told: list[tuple[Transfer, tuple[str | None, str]]] = []
    hands = {place: set(cards) for place, cards in here.items()}
    for move in moves:
        older = [
            card for card in hands[move.source] if taken.get(card, 0) > taken.get(move.thing, 0)
        ]
        hands[move.source].discard(move.thing)
        name = _name(move.thing) if move.thing in shown else ""
        above = len(wanted[move.target]) - move.height - 1 if move.target in _PLACES else 0
        told.append((move, _words(move, name, len(older), above)))
    return here, wanted, told


def _view(match: Match) -> object:
    return match.game.view(match.state, None)


def _name(card: str) -> str:
    kind, colour = _KINDS[card]
    return say(
        "%(kind)s (%(colour)s)",
        kind=Thing(kind.replace("-", " ")),
        colour=Thing(colour.replace("-", " ")),
    )


def _things(state: State) -> Things:
    players = state.terms.players
    things: dict[str, tuple[str, ...]] = {DECK: tuple(names_of(state.deck))}
    for place, pile in zip(_PLACES, state.piles, strict=True):
        things[place] = tuple(map(name_of, pile))
    for player, hand, table in zip(players, state.hands, state.tables, strict=True):
        things[f"hand/{player}"] = tuple(names_of(hand))
        things[f"table/{player}"] = tuple(names_of(table))
    things[f"hand/{players[state.seat]}"] += tuple(map(name_of, state.drawn))
    return things


def _taken(match: Match) -> dict[str, int]:
    """When each card came to where it lies, by the number of the action."""
    taken: dict[str, tuple[str, int]] = {}
    for past in reversed(list(match.back())):
        for place, cards in _things(past.state).items():
            for card in cards:
                if taken.get(card, ("", 0))[0] != place:
                    taken[card] = place, past.step
    return {card: when for card, (_, when) in taken.items()}


def _renamed(before: Timeline, after: Timeline) -> dict[str, str]:
    """Cards that were misread: what the record called so was that card all the time."""
    now = {link.label: match.action for link, match in _past(after)}
    names: dict[str, str] = {}
    for link, match in _past(before):
        wrong, right = _drawn(match.action), _drawn(now.get(link.label))
        if type(match.action) is type(now.get(link.label)):
            lost = [card for card in wrong if card not in right]
            for card, other in zip(lost, (c for c in right if c not in wrong), strict=False):
                if card not in names and other not in names:
                    names |= {card: other, other: card}
    return names


def _past(timeline: Timeline) -> Iterator[tuple[Link, Match]]:
    return zip(reversed(timeline.links), timeline.match.back(), strict=True)


def _drawn(action: Action | None) -> tuple[str, ...]:
    match action:
        case Deal(cards) | Draw(cards):
            return cards or ()
        case DrawOne(card) | Steal(_, card):
            return () if card is None else (card,)
    return ()


def _words(move: Transfer, name: str, newer: int, above: int) -> tuple[str | None, str]:
    kind, _, owner = move.source.partition("/")
    where, _, wanted = move.target.partition("/")
    if name:
        card = say("the %(card)s", card=name)
    elif kind != "hand":
        card = say("the card")
    elif not newer:
        card = say("the card that you took last")
    else:
        card = say("the card that you took before your last %(count)s", count=newer)
    player = owner if kind in ("hand", "table") else wanted if where in ("hand", "table") else None
    target = _target(where, wanted, above, own=wanted == player)
    match kind:
        case "deck":
            text = say(
                "put %(card)s from the top of the deck %(target)s.", card=card, target=target
            )
        case "pile":
            text = say(
                "put %(card)s from pile %(pile)s %(target)s.", card=card, pile=owner, target=target
            )
        case "table":
            text = say("put %(card)s that lies before you %(target)s.", card=card, target=target)
        case _:
            text = say("put %(card)s %(target)s.", card=card, target=target)
    return player, text


def _target(where: str, wanted: str, above: int, *, own: bool) -> str:
    """To where a card is put, as a part of a sentence."""
    match where:
        case "deck":
            return say("back on top of the deck")
        case "pile" if above:
            return say("on pile %(pile)s, under the top %(count)s", pile=wanted, count=above)
        case "pile":
            return say("on pile %(pile)s", pile=wanted)
        case "hand" if own:
            return say("into your hand")
        case "hand":
            return say("into the hand of %(player)s", player=wanted)
        case _ if own:
            return say("before you")
    return say("before %(player)s", player=wanted)
