"""Random whole games of five tentacles, recorded so that playing them again is all that is timed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from companion.rules import game_named
from companion.rules.api import Action
from companion.rules.tentacles_words import FACES, Reveal

PLAYERS = ("Ann", "Bo", "Cy", "Dee", "Eve", "Fay")


@dataclass(frozen=True, slots=True)
class Recorded:
    """One game from its start to its end.

    Attributes:
        players: in seating order.
        start: the state before the first action.
        actions: all of them; the last one wins the game.
    """

    players: tuple[str, ...]
    start: Any
    actions: tuple[Action, ...]


def record(actions_in_all: int, *, players: int | None = None, seed: int = 1) -> list[Recorded]:
    """Games with at least so many actions together; with two to six players where none is said."""
    chance = random.Random(seed)
    games: list[Recorded] = []
    while actions_in_all > 0:
        games.append(_game(chance, players or chance.randint(2, 6)))
        actions_in_all -= len(games[-1].actions)
    return games


def _game(chance: random.Random, count: int) -> Recorded:
    game = game_named("tentacles")
    players = PLAYERS[:count]
    start = state = game.start(players)
    actions: list[Action] = []
    while open_to_player := game.legal(state):
        action = chance.choice(open_to_player)
        if isinstance(action, Reveal):
            action = Reveal(chance.choices(FACES, state.left)[0])
        state, _ = game.apply(state, action)
        actions.append(action)
    return Recorded(players, start, tuple(actions))
