"""What was tapped with score tracking, and for how long it holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from companion.meaning.api import Known, Meaning
from companion.meaning.sea_salt_paper.asked import Asked
from companion.rules.sea_salt_paper.score_tracking import Tally
from companion.rules.sea_salt_paper.words import Reason


@dataclass(frozen=True, slots=True)
class Taps:
    """What was tapped of a round.

    Attributes:
        round: whose hands were tapped.
        phase: that the game was in, and in which round.
        state: of the game when something was asked last.
        hands: by seat, the names of the cards in the order of the taps.
        teller: the seat that taps now, where somebody said so.
        who: the seat whose token was laid before the call.
        token: the seat whose token told the last hand.
        call: the call of which it is not known whose it is.
        gathered: after the round, the other cards that were tapped.
        closed: people said that those are all.
        asked: the question that is open.
    """

    round: int = 1
    phase: tuple[int, str] = (1, "call")
    state: Tally | None = None
    hands: tuple[tuple[str, ...], ...] = ()
    teller: int | None = None
    who: int | None = None
    token: int | None = None
    call: Reason | None = None
    gathered: tuple[str, ...] = ()
    closed: bool = False
    asked: Asked[Taps] | None = None


Meant: TypeAlias = tuple[Taps, Meaning]


def begin(players: int) -> Taps:
    """Nothing was tapped."""
    return Taps(hands=((),) * players)


def followed(memory: Taps, known: Known) -> Taps:
    """What was tapped holds for its round, also when a hand is taken back and told anew."""
    state = known.match.state
    if memory.state != state:
        teller = _taken_back(memory.state, state, memory.teller)
        memory = replace(memory, state=state, asked=None, who=None, call=None, teller=teller)
    phase = (state.round, state.phase)
    if phase == memory.phase:
        return memory
    memory = replace(memory, phase=phase, teller=None, gathered=(), closed=False)
    if state.phase == "hand" and memory.round != state.round:
        return replace(memory, round=state.round, hands=_empty(state))
    if state.phase == "call" and memory.round == state.round:
        return replace(memory, hands=_empty(state))
    return memory


def _taken_back(before: Tally | None, state: Tally, teller: int | None) -> int | None:
    """Whose cards come now: those of the hand that was taken back, if one was."""
    if before is None or before.round != state.round:
        return teller
    pairs = enumerate(zip(before.hands, state.hands, strict=True))
    return next((seat for seat, (then, now) in pairs if then is not None and now is None), teller)


def _empty(state: Tally) -> tuple[tuple[str, ...], ...]:
    return ((),) * len(state.hands)
