"""The people of five tentacles: they draw, turn, tap at the one reader, stop, and steal.

The model for people of other games. Cards come from a pile of real tags; the discard is what
was turned since the last shuffle. A token of a player is laid to steal from that player, the
stop token to stop and to decline, the shuffle token when all cards were shuffled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from companion.match import Match, Setup
from companion.rules import game_named
from companion.rules.api import Action
from companion.rules.tentacles_words import (
    PATTERNS,
    Decline,
    FishStolen,
    FishWon,
    Reshuffle,
    Reveal,
    Steal,
    Stop,
)
from companion.snapshot import Question
from hardware_sim.evening.api import CONTROL_TAGS, Lay, Move, People, Touch, numbered_tags

PLAY = "play"
PILE = "pile"
DISCARD = "discard"
NAMES = ("Ann", "Bo", "Cy", "Dora", "Eli", "Fay")


class TentaclesPeople(People):
    """Two to six who play with one deck and one reader (see `People`)."""

    game: ClassVar[str] = "tentacles"
    telling: ClassVar[frozenset[str]] = frozenset({"unseen"})

    def __init__(self, setup: Setup, chance: Random) -> None:
        super().__init__(setup, chance)
        self.cards = [
            uid for uid, component in self.world.tags.items() if component.startswith(self.game)
        ]
        self._new_pile()
        self._astray: set[tuple[str, str]] = set()

    @classmethod
    def invitation(cls, chance: Random) -> Setup:
        """A few players, some house rules, a deck that is sometimes small."""
        players = NAMES[: chance.choice((2, 2, 3, 4, 6))]
        options: dict[str, Any] = {}
        for name, words in (
            ("dry_tentacle", ("end", "continue")),
            ("steal", ("optional", "forced")),
            ("octopus_takes", ("all", "one")),
        ):
            options[name] = chance.choice(words)
        if chance.random() < 0.4:
            options |= {"pattern": chance.choice((2, 3)), "eyes": 1, "tentacle": 1, "octopus": 1}
        return Setup(cls.game, players, chance.choice(players), options)

    @classmethod
    def stations(cls, setup: Setup) -> Sequence[str]:
        """One reader beside the pile."""
        del setup
        return (PLAY,)

    @classmethod
    def tags(cls, setup: Setup) -> Mapping[str, str]:
        """The deck, a token for each player, and the control tokens."""
        game = game_named(cls.game)
        state = game.start(setup.players, setup.starter, setup.options)
        deck = game.pieces(state).total
        return numbered_tags(
            [
                *(f"{cls.game}/{face}" for face, count in deck.items() for _ in range(count)),
                *(f"player/{number}" for number in range(1, len(setup.players) + 1)),
                *CONTROL_TAGS,
            ]
        )

    def move(self, truth: Match) -> Move:
        """What the player in turn does next, and the tag that tells it."""
        game = truth.game
        match game.standing(truth.state).phase:
            case "steal":
                return self._steal(truth)
            case "lose":
                lose = self.chance.choice(game.legal(truth.state))
                return Move((lose,), (Touch(lose),))
            case "choose" if self._stops(truth):
                return self._told(Stop(), "control/stop")
        pile = self.world.at(PILE)
        if not pile:
            self._new_pile()
            return self._told(Reshuffle(), "control/shuffle")
        card = pile[-1]
        self.world.put(card, DISCARD)
        return Move((Reveal(self.world.face(card)),), (Lay(PLAY, card),))

    def answer(self, question: Question, truth: Match) -> str | None:
        """Whether the pile is through: people see it."""
        del truth
        if question.key != "unseen":
            return None
        # The new pile is on the table already when people say that they have shuffled.
        through = not self.world.at(DISCARD)
        return "never-read" if through else "not-yet"

    def beside(self, gesture: Lay, chance: Random) -> str | None:
        """A card that lies face up, or the next one of the pile, which sticks to it."""
        pile = self.world.at(PILE)
        if pile and chance.random() < 0.5:
            return pile[-1]
        return super().beside(gesture, chance)

    def misplace(self, before: Match, after: Match, chance: Random) -> bool:
        """A fish that was won or stolen in this move comes to lie on another tentacle."""
        del before, chance
        fish = [
            (outcome.player, outcome.pattern)
            for outcome in after.outcomes
            if isinstance(outcome, FishWon | FishStolen)
        ]
        self._astray.update(fish)
        return bool(fish)

    def tidied(self, truth: Match) -> int:
        """The fish go where the screen shows them."""
        del truth
        count = len(self._astray)
        self._astray.clear()
        return count

    def _told(self, action: Action, token: str) -> Move:
        return Move((action,), (Lay(PLAY, self.world.one(token)),))

    def _steal(self, truth: Match) -> Move:
        action = self.chance.choice(truth.game.legal(truth.state))
        match action:
            case Steal(victim):
                seat = truth.setup.players.index(victim)
                return self._told(action, f"player/{seat + 1}")
            case _:
                return self._told(Decline(), "control/stop")

    def _stops(self, truth: Match) -> bool:
        """Bolder with nothing to lose; who has many fish does not push it."""
        standing = truth.game.standing(truth.state)
        own = standing.scores[standing.turn] if standing.turn is not None else 0
        return self.chance.random() < 0.1 + 0.5 * own / len(PATTERNS)

    def _new_pile(self) -> None:
        for card in self.cards:
            self.world.put(card, PILE)
        self.world.shuffle(PILE, self.chance)


PEOPLE = TentaclesPeople
