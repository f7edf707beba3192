"""What was tapped in full tracking and waits for more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from companion.meaning.api import Known, Meaning, Wait
from companion.meaning.sea_salt_paper.asked import Asked
from companion.rules.sea_salt_paper.state import State
from companion.rules.sea_salt_paper.words import Pile
from companion.said import say
from companion.snapshot import Choice, Question

Role = Literal["drawn", "kept", "played", "pile-1", "pile-2"]

ON_PILE: Mapping[Pile, Role] = {1: "pile-1", 2: "pile-2"}

WAITS, FORGET, STAY = "waits", "forget", "stay"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What was tapped and waits for more.

    Attributes:
        state: of the game that it belongs to; when another holds, it is forgotten.
        cards: names in the order of the taps, with what is known of each.
        asked: the question that is open.
    """

    state: State | None = None
    cards: tuple[tuple[str, Role], ...] = ()
    asked: Asked[Waiting] | None = None


NOTHING = Waiting()
Meant = tuple[Waiting, Meaning]


def followed(memory: Waiting, known: Known) -> Waiting:
    """What waited belongs to a game that stands as it did."""
    return memory if memory.state == known.match.state else NOTHING


def question(memory: Waiting, known: Known) -> Question | None:
    """What is open, or whether what waits was meant at all."""
    memory = followed(memory, known)
    if memory.asked is not None:
        return memory.asked.question
    if not memory.cards:
        return None
    state = known.match.state
    return Question(
        WAITS,
        waiting(memory, known),
        (Choice(FORGET, say("Forget it: it was not meant")),),
        state.terms.players[state.seat],
    )


def answered(memory: Waiting, choice: str, known: Known) -> Meant:
    """Somebody chose this."""
    memory = followed(memory, known)
    if memory.asked is None:
        return NOTHING, Wait(say("Then nothing waits any more."))
    answer = memory.asked.answer(choice)
    return answer.memory, answer.meaning


def waiting(memory: Waiting, known: Known) -> str:
    """What was tapped and what it waits for."""
    memory = followed(memory, known)
    return waits_for(memory).message if memory.cards else ""


def waits_for(memory: Waiting) -> Wait:
    """The sentence on the card that was tapped last."""
    *_, (_, role) = memory.cards
    if role in ("drawn", "kept", "played"):
        return Wait(
            {
                "drawn": say("One card was drawn: tap the other one."),
                "kept": say("One card was kept: tap the one that was laid down."),
                "played": say("A card was tapped to be played: tap what goes with it."),
            }[role]
        )
    pile = role[-1]
    return Wait(say("A card was laid on pile %(pile)s: tap the other one.", pile=pile))
