"""A game in progress: the fold of its actions.

A `Match` is immutable. Each action makes a new one that remembers the one before, so
undo is exact by construction: the former state is still there, and nothing is computed
backwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, TypeVar

from companion.rules import game_named
from companion.rules.api import Action, Game, Json, Outcome, Refusal
from companion.said import say, say_number

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SeededChance:
    """Chance that depends on the seed and on what is asked, and on nothing else.

    So the same action after an undo brings the same card, and the same seed and commands
    give the same game.
    """

    seed: int

    def shuffled(self, key: str, items: Sequence[T]) -> Sequence[T]:
        """The items in an order of their own for this seed and key."""
        order = list(items)
        Random(f"{self.seed}/{key}").shuffle(order)  # noqa: S311 - cards, not secrets
        return order


@dataclass(frozen=True, slots=True)
class Setup:
    """How a game begins: enough, with its actions, to play it again.

    Attributes:
        game: its name in the play protocol.
        players: in seating order.
        starter: one of them; None for the first.
        options: as the table chose them.
        seed: where the engine deals; None at a physical table.
    """

    game: str
    players: tuple[str, ...]
    starter: str | None = None
    options: Json = field(default_factory=dict)
    seed: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A game after some number of actions.

    Attributes:
        game: the rules.
        setup: how it began.
        state: of the rules; immutable.
        step: the number of actions in force.
        action: the last of them; None at the start.
        outcomes: what it brought about.
        before: the match that it was done in; None at the start.
    """

    game: Game[Any]
    setup: Setup
    state: Any
    step: int = 0
    action: Action | None = None
    outcomes: tuple[Outcome, ...] = ()
    before: Match | None = None

    @classmethod
    def start(cls, setup: Setup) -> Match:
        """A new game.

        Raises:
            Refusal: `bad-option` or `unknown-player`.
        """
        game = game_named(setup.game)
        return cls(game, setup, game.start(setup.players, setup.starter, setup.options))

    def do(self, action: Action) -> Match:
        """The match after this action; where the engine deals, chance is filled in first.

        Raises:
            Refusal: the rules say no.
        """
        if self.setup.seed is not None:
            action = self.game.deal(self.state, action, SeededChance(self.setup.seed))
        state, outcomes = self.game.apply(self.state, action)
        return replace(
            self, state=state, step=self.step + 1, action=action, outcomes=outcomes, before=self
        )

    def undo(self, count: int) -> Match:
        """The match before the last `count` actions.

        Raises:
            Refusal: `not-legal` when there are fewer; nothing is taken back then.
        """
        if count > self.step:
            raise Refusal(
                "not-legal",
                say_number(
                    "There are %(num)d actions to take back, not %(count)s.",
                    "There are %(num)d actions to take back, not %(count)s.",
                    self.step,
                    count=count,
                )
                if self.step
                else say("There is no action to take back."),
            )
        match = self
        for _ in range(count):
            if match.before is not None:
                match = match.before
        return match

    def back(self) -> Iterator[Match]:
        """This match and those before it, newest first, down to the first action."""
        match: Match | None = self
        while match is not None and match.action is not None:
            yield match
            match = match.before
