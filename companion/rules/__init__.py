"""The games. A module in this folder that has a `GAME` is a game; nothing else lists them."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from companion.rules.api import Game, Refusal
from companion.said import Listed, say


def _found() -> dict[str, Game[Any]]:
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    games = (module.GAME for module in modules if hasattr(module, "GAME"))
    return {game.name: game for game in games}


GAMES: dict[str, Game[Any]] = _found()


def game_named(name: str) -> Game[Any]:
    """The game of that name.

    Raises:
        Refusal: `bad-option`, naming the games there are.
    """
    if name not in GAMES:
        raise Refusal(
            "bad-option",
            say(
                "There is no game %(name)s; there is %(games)s.",
                name=repr(name),
                games=Listed(GAMES),
            ),
        )
    return GAMES[name]
