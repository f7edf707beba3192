"""What taps mean in a game, where one tag alone cannot say it.

A tap is a tag that was laid on a reader: known, fresh, and alone. What it means depends on
the *station* where the reader stands, on the game as it is, and on what was tapped before.
An `Understanding` knows that for one game. It is pure: what it remembers is an immutable
value that it is handed and hands back, and the table keeps each tap on the disk, so that
the memory is a fold over the record just as the game is.

It never picks. Where two meanings are possible it asks the person concerned (`Ask`); where
one more tap can change the meaning it waits (`Wait`), and only there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeAlias, TypeVar

from companion.match import Match, Setup
from companion.rules.api import Action, Standing
from companion.snapshot import ErrorCode, Question

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Tap:
    """A tag of the game that is played was laid on a reader.

    Attributes:
        name: what it is on, one of `Game.components`.
        uid: of the tag.
        station: where the reader stands, such as `play`, `draw`, `discard-1`, `seat-2`,
            `area-0`, `reef`; empty where the configuration does not say it.
    """

    name: str
    uid: str
    station: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """What an understanding may look at, beside its memory.

    Attributes:
        match: the game as it stands.
        uids: of each action in force, oldest first: the tag that told it, or None.
    """

    match: Match
    uids: Sequence[str | None] = ()

    def past(self) -> Iterator[tuple[Match, str | None]]:
        """The match after each action in force and the action's tag, newest first."""
        return zip(self.match.back(), reversed(self.uids), strict=True)

    @property
    def spent(self) -> frozenset[str]:
        """Tags of the cards that were turned since all were last gathered."""
        spent: set[str] = set()
        for match, uid in self.past():
            if match.action is not None and match.game.gathers(match.action):
                break
            if uid is not None:
                spent.add(uid)
        return frozenset(spent)


@dataclass(frozen=True, slots=True)
class Do:
    """The person does this: all of it or nothing.

    Attributes:
        actions: in order; the tag is recorded beside the last of them.
        unless: why the tag itself forbids what the rules would allow; empty when it does not.
        uid: of the tag that told it, where that was laid down before a question was answered.
    """

    actions: tuple[Action, ...]
    unless: str = ""
    uid: str | None = None


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The person takes the last action back; the memory that comes with it holds after that."""


@dataclass(frozen=True, slots=True)
class Wait:
    """The tap was taken, and something more is needed: a sentence that names it."""

    message: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Two meanings are possible: the memory holds the question from now on."""

    question: Question


@dataclass(frozen=True, slots=True)
class Refuse:
    """The tag means something that cannot be: nothing changes, and the person is told why."""

    code: ErrorCode
    message: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to tell that is no action: nothing changes."""

    code: str
    message: str


Meaning: TypeAlias = Do | TakeBack | Wait | Ask | Refuse | Notice
"""What a tap means."""


def scores_sentence(standing: Standing) -> str:
    """`Ann 5, Bo 2`, by which people compare the page with the table."""
    return ", ".join(f"{player} {score}" for player, score in standing.scores.items())


class Understanding(ABC, Generic[M]):
    """What taps mean in one game. One instance serves every game that is played.

    Attributes:
        stations: where readers of this game may stand, without numbers at their end.
    """

    stations: ClassVar[tuple[str, ...]]

    @abstractmethod
    def begin(self, setup: Setup) -> M:
        """The memory before the first tap."""

    @abstractmethod
    def tapped(self, memory: M, tap: Tap, known: Known) -> tuple[M, Meaning]:
        """A tag of this game was tapped.

        The memory that comes back holds if the meaning could be carried out; when the rules
        refuse the actions of a `Do`, the memory stays as it was.
        """

    def control(self, memory: M, name: str, station: str, known: Known) -> tuple[M, Meaning] | None:
        """A control token or a button, other than `undo`; None where `Game.meaning` knows it."""
        del memory, name, station, known
        return None

    def player(
        self, memory: M, player: str, station: str, known: Known
    ) -> tuple[M, Meaning] | None:
        """A player's token; None where `Game.meaning` knows it."""
        del memory, player, station, known
        return None

    def followed(self, memory: M, known: Known) -> M:
        """The game has changed by whatever way: what waited for something else is forgotten.

        It is called after a `Do` of this understanding, too, with the memory that came with it.
        """
        del known
        return memory

    def follows(self, memory: M, known: Known) -> tuple[Action, ...]:
        """What follows by itself, from what was tapped before, after an action was done.

        It is asked after each action that was not a correction or an undo, by whatever way the
        action came, and carried out with it.
        """
        del memory, known
        return ()

    def question(self, memory: M, known: Known) -> Question | None:
        """What is asked now, if anything. No secret may be in it: everybody reads it."""
        del memory, known
        return None

    def answered(self, memory: M, choice: str, known: Known) -> tuple[M, Meaning]:
        """Somebody chose this, one of the open question's choices."""
        del memory, known
        raise NotImplementedError(choice)

    def closing(self, known: Known) -> str:
        """What people should compare with the table now, as a plain sentence; empty when nothing.

        A pass, a round or the game has just been closed: what was silently missed shows here
        at the latest. No secret may be in it.
        """
        standing = known.match.game.standing(known.match.state)
        return scores_sentence(standing) if standing.over else ""

    def held(self, memory: M, known: Known) -> Mapping[str, tuple[str, ...]]:
        """By player, the cards that were tapped and wait for more, for that player's eyes alone."""
        del memory, known
        return {}

    def waiting(self, memory: M, known: Known) -> str:
        """A sentence on what was tapped and waits for more; empty when nothing does.

        No secret may be in it.
        """
        del memory, known
        return ""
