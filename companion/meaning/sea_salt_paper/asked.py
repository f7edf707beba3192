"""A question that is open, with what each of its answers brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from companion.match import Match
from companion.meaning.api import Ask, Meaning
from companion.rules.api import Action, Refusal
from companion.snapshot import Choice, Question

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Answered(Generic[M]):
    """What one answer brings.

    Attributes:
        key: of the choice.
        label: what people read.
        memory: from then on.
        meaning: of the answer.
    """

    key: str
    label: str
    memory: M
    meaning: Meaning


@dataclass(frozen=True, slots=True)
class Asked(Generic[M]):
    """A question and its answers; both hold as long as the game stands as it does.

    Attributes:
        question: what people read.
        answers: one for each choice.
    """

    question: Question
    answers: tuple[Answered[M], ...]

    @classmethod
    def of(
        cls, key: str, text: str, answers: Sequence[Answered[M]], who: str | None = None
    ) -> Asked[M]:
        """The question whose choices these answers are."""
        choices = tuple(Choice(answer.key, answer.label) for answer in answers)
        return cls(Question(key, text, choices, who), tuple(answers))

    @property
    def ask(self) -> Ask:
        """The question as the meaning of a tap."""
        return Ask(self.question)

    def answer(self, choice: str) -> Answered[M]:
        """What that choice brings; a KeyError for one that is not offered."""
        for answer in self.answers:
            if answer.key == choice:
                return answer
        raise KeyError(choice)


def refusal_of(match: Match, actions: Sequence[Action]) -> Refusal | None:
    """Why the rules do not allow these actions, one after the other; None where they do."""
    try:
        for action in actions:
            match = match.do(action)
    except Refusal as refusal:
        return refusal
    return None
