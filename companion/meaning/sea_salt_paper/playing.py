"""Duos and what they say: what a card is that was tapped to be played, or after that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.meaning.api import TakeBack, Wait
from companion.meaning.sea_salt_paper.asked import Answered
from companion.meaning.sea_salt_paper.reading import Reading
from companion.meaning.sea_salt_paper.waiting import NOTHING, STAY, Meant, Waiting, waits_for
from companion.rules.sea_salt_paper.cards import BIT
from companion.rules.sea_salt_paper.duos import EFFECT_OF, STARFISH
from companion.rules.sea_salt_paper.state import DECK_LOOKED_AT, victims
from companion.rules.sea_salt_paper.words import DrawOne, Duo, Look, Pick, Steal
from companion.said import say


def _at_the_table(reading: Reading) -> bool:
    return reading.place in ("play", "")


def third_of_a_trio(reading: Reading) -> Meant | None:
    """A starfish right after a pair: it may belong to it (rule 34)."""
    action = reading.match.action
    if (
        reading.memory.cards
        or not _at_the_table(reading)
        or not reading.card & STARFISH & reading.state.hands[reading.seat]
        or not isinstance(action, Duo)
        or len(action.cards) > 2
    ):
        return None
    anew: tuple[Answered[Waiting], ...] = ()
    if reading.state.phase == "play":
        on = replace(reading.memory, cards=((reading.name, "played"),))
        anew = (Answered("another", say("No: to another pair"), on, waits_for(on)),)
    none = Answered(
        "none",
        say("It was not meant"),
        replace(reading.memory, cards=()),
        Wait(say("Then it stays.")),
    )
    return reading.ask(
        "trio",
        say(
            "Does this card go with the pair that was just played? Then the pair is taken back: "
            "tap all three, the starfish first."
        ),
        Answered("trio", say("Yes: take the pair back"), NOTHING, TakeBack()),
        *(anew or (none,)),
    )


def play(reading: Reading) -> Meant | None:
    """A card of the hand: alone it waits, whatever it is (rule 7)."""
    cards = [name for name, _ in reading.memory.cards]
    left = tuple(card for card in reading.memory.cards if card[0] != reading.name)
    without = replace(reading.memory, cards=left)
    if reading.at_own_seat and reading.name in cards:
        return without, Wait(say("This card is back in the hand: it is not played."))
    if not _at_the_table(reading) or not reading.card & reading.state.hands[reading.seat]:
        return None
    if reading.name in cards:
        stays = Answered(STAY, say("It stays"), reading.memory, waits_for(reading.memory))
        out = Answered(
            "out", say("It was taken back"), without, Wait(say("Then it does not count."))
        )
        return reading.ask("twice", say("This card was tapped twice: does it stay?"), stays, out)
    return _played(reading, [*cards, reading.name])


def _played(reading: Reading, names: Sequence[str]) -> Meant:
    """A duo when two match; of what does not match, the newest waits."""
    starfish = [name for name in names if BIT[name] & STARFISH][-1:]
    others = [name for name in names if not BIT[name] & STARFISH]
    if len(others) == 2:
        if BIT[others[0]] | BIT[others[1]] in EFFECT_OF:
            return reading.do(Duo((*others, *starfish)))
        others = others[1:]
        memory, _ = reading.wait(*((name, "played") for name in (*starfish, *others)))
        return memory, Wait(
            say("These two make no duo (rule 7): the last one waits now for what goes with it.")
        )
    return reading.wait(*((name, "played") for name in (*starfish, *others)))


def look(reading: Reading) -> Meant | None:
    """At a pile it shows which one is looked through; elsewhere the card was picked from it."""
    pile = reading.pile
    if pile is None:
        return None
    if reading.at_own_seat or reading.anywhere:
        return reading.do(Look(pile), Pick(reading.name))
    return reading.do(Look(pile)) if reading.pile_here == pile else None


def pick(reading: Reading) -> Meant | None:
    """One of the cards looked at was picked (rules 8 and 31)."""
    state = reading.state
    if state.looking == DECK_LOOKED_AT:
        there = bool(reading.card & (state.looked or state.deck))
    else:
        there = reading.pile == state.looking
    return (
        reading.do(Pick(reading.name))
        if there and (reading.at_own_seat or reading.anywhere)
        else None
    )


def draw_one(reading: Reading) -> Meant | None:
    """The top of the deck was taken (rules 10 and 32)."""
    here = reading.at_own_seat or reading.place in ("draw", "")
    return reading.do(DrawOne(reading.name)) if here and reading.card & reading.state.deck else None


def steal(reading: Reading) -> Meant | None:
    """Whose card it was says from whom it was drawn (rule 11)."""
    if not (reading.at_own_seat or reading.anywhere):
        return None
    for seat in victims(reading.state):
        if reading.card & reading.state.hands[seat]:
            return reading.do(Steal(reading.state.terms.players[seat], reading.name))
    return None
