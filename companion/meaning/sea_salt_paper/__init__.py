"""What taps mean in Sea Salt & Paper, for both ways of tracking it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TypeAlias

from companion.match import Setup
from companion.meaning.api import Known, Meaning, Tap, Understanding, scores_sentence
from companion.meaning.sea_salt_paper import full_tracking, score_tracking, taps, waiting
from companion.meaning.sea_salt_paper.gathering import hands_of_last_round
from companion.meaning.sea_salt_paper.taps import Taps
from companion.meaning.sea_salt_paper.waiting import NOTHING, Waiting
from companion.rules.sea_salt_paper.state import State
from companion.rules.sea_salt_paper.words import RoundEnded
from companion.said import Listed, say
from companion.snapshot import Question

Memory: TypeAlias = Waiting | Taps


class SeaSaltPaper(Understanding[Memory]):
    """Readers at the deck, the piles, the seats and the table, or a single one."""

    stations: ClassVar[tuple[str, ...]] = ("play", "draw", "discard", "seat")

    def begin(self, setup: Setup) -> Memory:
        """Nothing was tapped yet."""
        if setup.options.get("tracking") == "score":
            return taps.begin(len(setup.players))
        return NOTHING

    def tapped(self, memory: Memory, tap: Tap, known: Known) -> tuple[Memory, Meaning]:
        """A card (see `Understanding.tapped`)."""
        if isinstance(memory, Waiting):
            return full_tracking.tapped(memory, tap, known)
        return score_tracking.tapped(memory, tap, known)

    def control(
        self, memory: Memory, name: str, station: str, known: Known
    ) -> tuple[Memory, Meaning] | None:
        """A control token: `pass`, `stop`, `last-chance` or `mermaids`."""
        if isinstance(memory, Waiting):
            return full_tracking.control(memory, name, station, known)
        return score_tracking.control(memory, name, station, known)

    def player(
        self, memory: Memory, player: str, station: str, known: Known
    ) -> tuple[Memory, Meaning] | None:
        """With score tracking: who called, or whose cards are tapped."""
        if isinstance(memory, Waiting):
            return None
        return score_tracking.player(memory, player, station, known)

    def followed(self, memory: Memory, known: Known) -> Memory:
        """What waited for something else is forgotten."""
        if isinstance(memory, Waiting):
            return waiting.followed(memory, known)
        return taps.followed(memory, known)

    def question(self, memory: Memory, known: Known) -> Question | None:
        """What is asked now."""
        if isinstance(memory, Waiting):
            return waiting.question(memory, known)
        return score_tracking.question(memory, known)

    def answered(self, memory: Memory, choice: str, known: Known) -> tuple[Memory, Meaning]:
        """Somebody chose this."""
        if isinstance(memory, Waiting):
            return waiting.answered(memory, choice, known)
        return score_tracking.answered(memory, choice, known)

    def waiting(self, memory: Memory, known: Known) -> str:
        """What was tapped and waits for more."""
        if isinstance(memory, Waiting):
            return waiting.waiting(memory, known)
        return score_tracking.waiting(memory, known)

    def held(self, memory: Memory, known: Known) -> Mapping[str, tuple[str, ...]]:
        """What the player in turn has tapped and not told whole; with score tracking, each hand."""
        players = known.match.setup.players
        if isinstance(memory, Waiting):
            waits = waiting.followed(memory, known).cards
            return {players[known.match.state.seat]: tuple(name for name, _ in waits)}
        return dict(zip(players, taps.followed(memory, known).hands, strict=True))

    def closing(self, known: Known) -> str:
        """After a round: the totals, and how many cards everybody has and has played."""
        match = known.match
        if not any(isinstance(outcome, RoundEnded) for outcome in match.outcomes):
            return ""
        scores = scores_sentence(match.game.standing(match.state))
        players = match.setup.players
        if isinstance(match.state, State):
            pairs = zip(players, match.state.hands, match.state.tables, strict=True)
            counts = (
                say(
                    "%(player)s %(hand)s and %(table)s",
                    player=player,
                    hand=hand.bit_count(),
                    table=table.bit_count(),
                )
                for player, hand, table in pairs
            )
            return say(
                "%(scores)s; cards in the hand and on the table: %(cards)s",
                scores=scores,
                cards=Listed(counts),
            )
        told = hands_of_last_round(match)
        if not told:
            return scores
        cards = ", ".join(f"{player} {len(told[player])}" for player in players)
        return say("%(scores)s; cards: %(cards)s", scores=scores, cards=cards)
