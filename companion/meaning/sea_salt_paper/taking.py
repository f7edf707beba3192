"""Dealing and taking: what a card is that was tapped at the deck, at a pile or at a seat."""

from __future__ import annotations

from companion.meaning.sea_salt_paper.reading import Reading
from companion.meaning.sea_salt_paper.waiting import ON_PILE, Meant, Role
from companion.rules.api import Action, Refusal
from companion.rules.sea_salt_paper.cards import name_of
from companion.rules.sea_salt_paper.words import (
    PILES,
    Deal,
    Discard,
    Draw,
    Keep,
    Pile,
    Take,
)
from companion.said import say


def deal(reading: Reading) -> Meant | None:
    """Two cards open the piles (rule 2), in whatever order they are tapped."""
    cards = dict(reading.memory.cards)
    free = [pile for pile in PILES if ON_PILE[pile] not in cards.values()]
    if reading.name in cards and cards[reading.name] in ("pile-1", "pile-2"):
        if reading.anywhere or f"pile-{reading.number}" == cards[reading.name]:
            return reading.twice()
        return reading.refuse(
            Refusal(
                "card-not-available",
                say(
                    "This card was tapped at pile %(pile)s: tap another one at pile %(other)s (rule 2), "
                    "or forget it.",
                    pile=cards[reading.name][-1],
                    other=reading.number,
                ),
            )
        )
    pile = free[0] if reading.anywhere else reading.pile_here
    if pile is None:
        return None
    if pile not in free:
        return reading.refuse(
            Refusal(
                "not-legal",
                say(
                    "Pile %(pile)s was opened with another card: tap the card of pile %(other)s "
                    "(rule 2), or forget the first one.",
                    pile=pile,
                    other=3 - pile,
                ),
            )
        )
    if len(free) == 2:
        return reading.wait((reading.name, ON_PILE[pile]))
    ((other, _),) = reading.memory.cards
    return reading.do(Deal((reading.name, other) if pile == 1 else (other, reading.name)))


def take(reading: Reading) -> Meant | None:
    """A card of the deck was drawn, the top of a pile was taken (rule 3)."""
    state = reading.state
    if refusal := _wrong_pile(reading):
        return reading.refuse(refusal)
    if reading.card & state.deck:
        return _drawn(reading)
    here = reading.at_own_seat or reading.anywhere
    tops = [pile for pile in PILES if state.piles[pile - 1][-1:] == (reading.card,)]
    if not tops or not here:
        return None
    if reading.memory.cards:
        return reading.refuse(
            Refusal(
                "not-legal",
                say(
                    "%(player)s has drawn from the deck: tap the other card drawn (rule 3), or forget "
                    "the first one.",
                    player=reading.player,
                ),
            )
        )
    return reading.do(Take(tops[0]))


def _drawn(reading: Reading) -> Meant | None:
    """Two cards are needed; with the last of the deck, one (rule 5)."""
    role = _role(reading)
    if role is None:
        return None
    if reading.state.deck == reading.card:
        return reading.do(Draw((reading.name,)))
    cards = dict(reading.memory.cards)
    if reading.name in cards:
        if role in ("drawn", cards[reading.name]):
            return reading.twice()
        if cards[reading.name] != "drawn":
            return reading.refuse(_elsewhere())
        return reading.wait((reading.name, role))
    if not cards:
        return reading.wait((reading.name, role))
    ((other, known),) = reading.memory.cards
    return _both_drawn(reading, other, known, role)


def _role(reading: Reading) -> Role | None:
    """What a card of the deck is, when a card is taken: by its place."""
    pile = reading.pile_here
    if pile is not None:
        return ON_PILE[pile]
    if reading.at_own_seat:
        return "kept"
    return "drawn" if reading.place in ("draw", "") else None


def _both_drawn(reading: Reading, other: str, known: Role, role: Role) -> Meant:
    """Both cards are there: what is known of one tells the other."""
    drawn = Draw((other, reading.name))
    laid = {"pile-1", "pile-2"}
    if known == role == "kept":
        return reading.refuse(
            Refusal(
                "not-legal",
                say(
                    "Another card drawn was kept, and one of them is laid on a pile (rule 3): tap it "
                    "there, or forget both."
                ),
            )
        )
    if known in laid and role in laid:
        return reading.refuse(_elsewhere())
    if known == role == "drawn":
        return reading.do(drawn)
    kept = other if known == "kept" or role in laid else reading.name
    pile = next((pile for pile in PILES if ON_PILE[pile] in (known, role)), None)
    return reading.do(drawn, Keep(kept), *_laid_on(reading, pile))


def _laid_on(reading: Reading, pile: Pile | None) -> tuple[Action, ...]:
    """With an empty pile, keeping one card lays the other there by itself (rule 4)."""
    return (Discard(pile),) if pile is not None and all(reading.state.piles) else ()


def _wrong_pile(reading: Reading) -> Refusal | None:
    """Why no card drawn is laid on this pile: the same for every card that may be one."""
    pile = reading.pile_here
    if pile is None or reading.lies_openly() or reading.known_there():
        return None
    if reading.state.deck.bit_count() == 1 and reading.state.phase == "take":
        return Refusal(
            "not-legal",
            say("The last card of the deck is kept (rule 5): tap it at the player's seat."),
        )
    if pile in _piles_open(reading):
        return None
    return Refusal(
        "not-legal",
        say(
            "Pile %(other)s is empty and is filled first (rule 4): lay the card there, and tap "
            "it there.",
            other=3 - pile,
        ),
    )


def _piles_open(reading: Reading) -> tuple[Pile, ...]:
    """Where the other card may be laid (rule 4)."""
    empty = tuple(pile for pile in PILES if not reading.state.piles[pile - 1])
    return empty[:1] or PILES


def keep(reading: Reading) -> Meant | None:
    """One of the two cards drawn was kept or laid down: so the other was not."""
    if refusal := _wrong_pile(reading):
        return reading.refuse(refusal)
    if reading.card not in reading.state.drawn:
        return None
    pile = reading.pile_here
    (other,) = (name_of(card) for card in reading.state.drawn if card != reading.card)
    if reading.at_own_seat:
        return reading.do(Keep(reading.name))
    if pile is not None:
        return reading.do(Keep(other), *_laid_on(reading, pile))
    if not reading.anywhere:
        return None
    return reading.ask(
        "kept",
        say("Was this card kept, or laid down?"),
        *reading.choice("kept", say("Kept"), Keep(reading.name)),
        *(
            answer
            for pile in _piles_open(reading)
            for answer in reading.choice(
                f"pile-{pile}",
                say("Laid on pile %(pile)s", pile=pile),
                *(Keep(other), *_laid_on(reading, pile)),
            )
        ),
    )


def discard(reading: Reading) -> Meant | None:
    """The other card was laid on a pile."""
    if reading.card not in reading.state.drawn:
        return None
    pile = reading.pile_here
    if pile is not None:
        return reading.do(Discard(pile))
    if not reading.anywhere:
        return None
    return reading.ask(
        "laid",
        say("On which pile was this card laid?"),
        *(
            answer
            for pile in PILES
            for answer in reading.choice(
                f"pile-{pile}", say("On pile %(pile)s", pile=pile), Discard(pile)
            )
        ),
    )


def _elsewhere() -> Refusal:
    return Refusal(
        "card-not-available",
        say(
            "One of the two cards drawn is kept and the other laid on one pile (rule 3): tap the "
            "other one, or forget both."
        ),
    )
