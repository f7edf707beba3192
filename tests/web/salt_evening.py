"""Sea Salt & Paper on pages: a table that stands still, and one that plays a dealt game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from still_table import CARDS, FOUR

from companion.match import Match, Setup
from companion.rules.api import Action, Outcome
from companion.rules.sea_salt_paper.words import Duo, LastChance, RoundEnded, Stop
from companion.snapshot import Snapshot
from companion.table import Table
from tests.support.tables import API, running

GAME = "sea-salt-paper"
BOARD = replace(CARDS, game_name=GAME)
"""Four players in the middle of a round; Dora's hand lies open."""
TALLY = replace(
    BOARD,
    state={"round": 2, "totals": dict(BOARD.standing.scores), "called": None},
    legal=(),
    options={"tracking": "score"},
)
MANY = (
    *("crab-dark-blue-1", "crab-light-blue-1", "crab-black", "boat-black-1", "boat-yellow-2"),
    *("fish-green", "fish-dark-blue-1", "swimmer-yellow", "swimmer-light-orange", "shark-purple"),
    *("mermaid-white-1", "mermaid-white-2", "shell-grey", "shell-green", "octopus-grey"),
    *("octopus-purple", "penguin-pink", "penguin-purple", "sailor-orange", "lighthouse-purple"),
    *("shoal-grey", "colony-green", "captain-light-orange", "shell-black", "shell-yellow"),
)
"""A hand of twenty-five."""


def told(
    *outcomes: Outcome, on: Snapshot = BOARD, action: Action | None = None, **standing: Any
) -> Snapshot:
    """The board after these outcomes of an action."""
    event = replace(on.event, outcomes=outcomes, action=action, player=on.standing.turn)
    return replace(on, event=event, standing=replace(on.standing, **standing))


def with_state(on: Snapshot = BOARD, /, **state: Any) -> Snapshot:
    """The board with another state."""
    return replace(on, state={**on.state, **state})


Chooser = Callable[[Match, Sequence[Action], Random], Action]


def at_random(match: Match, legal: Sequence[Action], chance: Random) -> Action:
    """Plays pairs more often than not, and never ends a round by a call."""
    del match
    duos = [action for action in legal if isinstance(action, Duo)]
    if duos and chance.random() < 0.8:
        return chance.choice(duos)
    return chance.choice([one for one in legal if not isinstance(one, Stop | LastChance)])


def calling(kind: type[Action]) -> Chooser:
    """Plays at random, and calls so as soon as it is possible."""

    def choose(match: Match, legal: Sequence[Action], chance: Random) -> Action:
        calls = [action for action in legal if isinstance(action, kind)]
        return calls[0] if calls else at_random(match, legal, chance)

    return choose


class Dealt:
    """A real table, and a game that is dealt beside it and played there."""

    def __init__(self, table: Table, match: Match, chance: Random) -> None:
        self.table, self.match, self._chance = table, match, chance

    def do(self, action: Action) -> None:
        self.match = self.match.do(action)
        answer = self.table.act(self.match.action, source=API)
        assert answer.code is None, answer.message

    def play(
        self,
        until: Callable[[Match], bool],
        choose: Chooser = at_random,
        *,
        seen: Callable[[], None] = lambda: None,
    ) -> None:
        """Go on until this holds."""
        while not until(self.match):
            legal = self.match.game.legal(self.match.state)
            assert legal, "the game is over"
            self.do(choose(self.match, legal, self._chance))
            seen()


@contextmanager
def dealt(
    folder: Path,
    players: Sequence[str] = ("Ann", "Bo", "Cy"),
    seed: int = 1,
    options: Mapping[str, Any] | None = None,
) -> Iterator[Dealt]:
    """A table with a game that is about to be dealt."""
    setup = Setup(GAME, tuple(players), None, dict(options or {}), seed=seed)
    with running(folder, replace(setup, seed=None)) as table:
        yield Dealt(table, Match.start(setup), Random(seed))


def ended(reason: str) -> Callable[[Match], bool]:
    """Whether a round has just ended so."""
    return lambda match: any(
        isinstance(outcome, RoundEnded) and outcome.reason == reason for outcome in match.outcomes
    )


__all__ = ["FOUR", "MANY"]
