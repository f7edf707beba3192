"""Whole evenings in software: robot people play a game by hand while a real table listens.

The people know what truly happened. The table knows what it read. `companion simulate`
plays many games with faults and tells where the two differ and nobody was told.

This is a test harness: it may import the product, and the product never imports it.
"""

from __future__ import annotations

from importlib import import_module

from companion.errors import PlainError
from hardware_sim.evening.api import People


class NoPeople(PlainError):
    """Nobody here plays this game."""


def people_of(game: str) -> type[People]:
    """Who plays that game: `PEOPLE` of the module that is called as the game.

    Raises:
        NoPeople: there is no such module.
    """
    name = f"{__name__}.{game.replace('-', '_')}"
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise NoPeople(f"Nobody here plays {game!r} by hand.") from None
    people: type[People] | None = getattr(module, "PEOPLE", None)
    if people is None:
        raise NoPeople(f"Nobody here plays {game!r} by hand.")
    return people


def has_people(game: str) -> bool:
    """Whether somebody here plays that game."""
    try:
        people_of(game)
    except NoPeople:
        return False
    return True
