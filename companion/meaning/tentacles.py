"""What taps mean in five tentacles: a card tapped anywhere is turned by the player in turn."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar, NamedTuple

from companion.match import Match, Setup
from companion.meaning.api import (
    Ask,
    Do,
    Known,
    Meaning,
    Notice,
    Tap,
    Understanding,
)
from companion.rules.tentacles_words import Reshuffle, Reveal
from companion.said import Listed, Thing, say, say_number
from companion.snapshot import Choice, Question

UNSEEN = "unseen"
"""The key of the question that comes when people shuffle a pile that is not through."""

MOST_NAMED = 6
"""So many cards are named; more of them were hardly missed."""

NEVER_READ = "never-read"
NOT_YET = "not-yet"


class Memory(NamedTuple):
    """What was tapped and is no action.

    Attributes:
        shuffling_at: the step at which people said that they shuffle while cards were left;
            None when they did not.
    """

    shuffling_at: int | None = None


class Tentacles(Understanding[Memory]):
    """One reader beside the pile, or several: they mean the same."""

    stations: ClassVar[tuple[str, ...]] = ("play",)

    def begin(self, setup: Setup) -> Memory:
        """Nothing was tapped yet."""
        del setup
        return Memory()

    def tapped(self, memory: Memory, tap: Tap, known: Known) -> tuple[Memory, Meaning]:
        """A reveal; a card that was turned since the last shuffle cannot come again."""
        if tap.uid in known.spent:
            return memory, Do(
                (Reveal(tap.name),),
                unless=say(
                    "This card (%(card)s) was turned since the last shuffle: it cannot come again. If it "
                    "was never turned, a card before it was told wrong: set that right.",
                    card=Thing(tap.name),
                ),
            )
        return memory, Do((Reveal(tap.name),))

    def control(
        self, memory: Memory, name: str, station: str, known: Known
    ) -> tuple[Memory, Meaning] | None:
        """Shuffling confirms that the pile is through; cards that were never told are asked for."""
        del station
        pieces = known.match.game.pieces(known.match.state)
        phase = known.match.game.standing(known.match.state).phase
        begun = any(pieces.turned.values()) and pieces.turned != pieces.total
        if name != "shuffle" or not begun or phase not in ("reveal", "choose"):
            return None
        memory = Memory(known.match.step)
        return memory, Ask(_unseen(known.match))

    def followed(self, memory: Memory, known: Known) -> Memory:
        """A card that is turned after all, and everything else, ends the question."""
        return memory if memory.shuffling_at == known.match.step else Memory()

    def question(self, memory: Memory, known: Known) -> Question | None:
        """Whether the pile is really through, while people say so."""
        return None if memory.shuffling_at is None else _unseen(known.match)

    def answered(self, memory: Memory, choice: str, known: Known) -> tuple[Memory, Meaning]:
        """The pile is through with cards that were never told, or it is not through yet."""
        del memory
        if choice == NEVER_READ:
            return Memory(), Do((Reshuffle(sum(_left(known.match).values())),))
        return Memory(), Notice(
            "not-shuffled", say("Then turn the rest of the pile first (rule 9).")
        )

    def closing(self, known: Known) -> str:
        """After a pass and after the game: the fish of each player, and the pile."""
        match = known.match
        over = match.game.standing(match.state).over
        shuffled = match.action is not None and match.game.gathers(match.action)
        if not (shuffled or over):
            return ""
        fish = match.game.view(match.state, None)["fish"]
        held = (
            say("%(player)s: %(patterns)s", player=name, patterns=Listed(map(Thing, own)))
            if own
            else say("%(player)s: no fish", player=name)
            for name, own in fish.items()
        )
        return say_number(
            "%(players)s; %(num)d card in the pile",
            "%(players)s; %(num)d cards in the pile",
            sum(_left(match).values()),
            players=Listed(held, "; "),
        )


def _left(match: Match) -> Counter[str]:
    pieces = match.game.pieces(match.state)
    left = Counter(pieces.total)
    left.subtract(pieces.turned)
    return +left


def _unseen(match: Match) -> Question:
    left = _left(match)
    total = sum(left.values())
    cards = Listed(
        say("%(count)s x %(card)s", count=count, card=Thing(name)) if count > 1 else Thing(name)
        for name, count in left.items()
    )
    return Question(
        UNSEEN,
        say_number(
            "%(num)d card of this pile was never read: %(cards)s. If they were turned, tell where: "
            "a fish may be missing.",
            "%(num)d cards of this pile were never read: %(cards)s. If they were turned, tell "
            "where: a fish may be missing.",
            total,
            cards=cards,
        )
        if total <= MOST_NAMED
        else say_number(
            "%(num)d card of this pile was never read. If they were turned, tell where: a fish may "
            "be missing.",
            "%(num)d cards of this pile were never read. If they were turned, tell where: a fish "
            "may be missing.",
            total,
        ),
        (
            Choice(NOT_YET, say("The pile is not through yet")),
            Choice(NEVER_READ, say("The pile is through: go on as the score stands")),
        ),
    )
