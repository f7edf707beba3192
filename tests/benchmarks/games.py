"""Random whole games, recorded so that playing them again is all that is timed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from companion.match import SeededChance
from companion.rules import game_named
from companion.rules.api import Action
from companion.rules.sea_salt_paper.words import Duo, LastChance, Stop

PLAYERS = ("Ann", "Bo", "Cy", "Dee", "Eve", "Fay")


@dataclass(frozen=True, slots=True)
class Recorded:
    """One game from its start to its end.

    Attributes:
        players: in seating order.
        start: the state before the first action.
        actions: all of them, with what chance decided; the last one wins the game.
    """

    players: tuple[str, ...]
    start: Any
    actions: tuple[Action, ...]


def record(
    actions_in_all: int, *, game: str = "tentacles", players: int | None = None, seed: int = 1
) -> list[Recorded]:
    """Games with at least so many actions together.

    Args:
        actions_in_all: of all games.
        game: its name; any that there is.
        players: in each game; where none is said, as many as chance will have it.
        seed: the same games again.
    """
    chance = random.Random(seed)
    games: list[Recorded] = []
    while actions_in_all > 0:
        games.append(_game(game, chance, players or chance.choice(game_named(game).seats)))
        actions_in_all -= len(games[-1].actions)
    return games


def _eager(chance: random.Random, open_to_player: Sequence[Action]) -> Action:
    """Plays every duo and calls half the time, so that there is more to a turn than to draw."""
    duos = [action for action in open_to_player if isinstance(action, Duo)]
    calls = [action for action in open_to_player if isinstance(action, Stop | LastChance)]
    if duos:
        return chance.choice(duos)
    if calls and chance.random() < 0.5:
        return chance.choice(calls)
    return chance.choice(open_to_player)


CHOICES: dict[str, Callable[[random.Random, Sequence[Action]], Action]] = {
    "sea-salt-paper": _eager,
}
"""By game, how players choose where any action at random would not make a game."""


def _game(name: str, chance: random.Random, count: int) -> Recorded:
    """Actions that are open, with what the engine deals."""
    game = game_named(name)
    choose = CHOICES.get(name, random.Random.choice)
    players = PLAYERS[:count]
    dealer = SeededChance(chance.randrange(2**32))
    start = state = game.start(players)
    actions: list[Action] = []
    while open_to_player := game.legal(state):
        action = game.deal(state, choose(chance, open_to_player), dealer)
        state, _ = game.apply(state, action)
        actions.append(action)
    return Recorded(players, start, tuple(actions))
