"""After a round: the cards that were in no hand are tapped, so that a missing one is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from companion.match import Match
from companion.meaning.api import Known, Meaning, Notice, Wait
from companion.meaning.sea_salt_paper.taps import Meant, Taps
from companion.rules.sea_salt_paper.cards import names_of, set_of
from companion.rules.sea_salt_paper.score_tracking import Tally
from companion.rules.sea_salt_paper.words import Call, Hand
from companion.said import Listed, Thing, say


def hands_of_last_round(match: Match) -> Mapping[str, tuple[str, ...]] | None:
    """By player, the cards of the round that has just been ended; None where none has."""
    hands: dict[str, tuple[str, ...]] = {}
    for past in match.back():
        if isinstance(past.action, Call):
            return hands
        if isinstance(past.action, Hand):
            hands[past.action.player] = past.action.cards or ()
    return None


def progress(memory: Taps, known: Known) -> str:
    """How many of the cards that were in no hand were tapped; empty while none was."""
    ended = hands_of_last_round(known.match)
    if not memory.gathered or ended is None:
        return ""
    cards: int = known.match.state.terms.cards
    rest = cards.bit_count() - sum(map(len, ended.values()))
    return say(
        "Gathering: %(count)s of %(rest)s cards that were in no hand were tapped.",
        count=len(memory.gathered),
        rest=rest,
    )


def gathering(memory: Taps, name: str, ended: Mapping[str, tuple[str, ...]], known: Known) -> Meant:
    """A card that was left: it counts unless it was in a hand."""
    player = next((player for player, cards in ended.items() if name in cards), None)
    if player is not None:
        return memory, Notice(
            "known", say("This card was in %(player)s's hand and counts there.", player=player)
        )
    if name in memory.gathered:
        return memory, Notice("known", say("This card was tapped already."))
    memory = replace(memory, gathered=(*memory.gathered, name), closed=False, asked=None)
    return memory, Wait(progress(memory, known))


def missing_cards(memory: Taps, ended: Mapping[str, tuple[str, ...]], state: Tally) -> list[str]:
    """The cards that were tapped in no hand and not since."""
    seen = set_of((*memory.gathered, *(name for cards in ended.values() for name in cards)))
    return names_of(state.terms.cards & ~seen)


def what_is_missing(memory: Taps, known: Known) -> Meaning:
    """The round is over, and no card is a secret any more."""
    state: Tally = known.match.state
    missing = missing_cards(memory, hands_of_last_round(known.match) or {}, state)
    if not missing:
        return Notice(
            "complete", say("All %(count)s cards are there.", count=state.terms.cards.bit_count())
        )
    return Notice(
        "missing-cards",
        say(
            "Tapped in no hand and not among the rest: %(cards)s. If one was in a hand, set that "
            "hand right; else look for it.",
            cards=Listed(map(Thing, missing)),
        ),
    )
