"""How a new game begins: with the pieces that carry tags, where its rules go by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.match import Setup
from companion.rules import game_named
from companion.rules.api import Json, Refusal
from companion.tags import pieces_of


class NoWholeGame(Refusal):
    """What is enrolled makes no whole game yet; the message says what is missing."""


def setup_of(
    game: str,
    players: Sequence[str],
    starter: str | None,
    options: Json,
    enrolled: Mapping[str, str],
) -> Setup:
    """A new game of these players, played with what is enrolled.

    Args:
        game: its name in the play protocol.
        players: in seating order.
        starter: one of them; None for the first.
        options: as chosen; a choice of pieces among them is kept.
        enrolled: component by UID (`companion.table.Table.enrolled`).

    Raises:
        NoWholeGame: the choice is good, and what is enrolled makes no whole game.
        Refusal: the choice cannot be played.
    """
    rules = game_named(game)
    rules.start(players, starter, options)
    played = rules.with_enrolled(options, pieces_of(game, enrolled))
    try:
        rules.start(players, starter, played)
    except Refusal as refusal:
        raise NoWholeGame(refusal.code, refusal.message) from None
    return Setup(game, tuple(players), starter, played)


def unmet(
    setup: Setup,
    game: str | None,
    players: Sequence[str],
    starter: str | None,
    options: Json,
) -> tuple[str, ...]:
    """What was asked of a new game, and is not so in the one that goes on.

    Args:
        setup: of the game that goes on.
        game: that was asked for; None for any.
        players: the same; empty for any.
        starter: the same; None for any.
        options: the same; those that are not named may be anything.

    Returns:
        The names of the settings, such as `game`.
    """
    if game not in (None, setup.game):
        return ("game",)
    usual = {option.name: option.default for option in game_named(setup.game).options}

    def now(name: str) -> object:
        value = setup.options.get(name, usual.get(name))
        return value.get(len(setup.players)) if isinstance(value, Mapping) else value

    asked = {
        "players": bool(players) and tuple(players) != tuple(setup.players),
        "starter": starter is not None and starter != (setup.starter or setup.players[0]),
        "set": any(
            value != now(name) and value != setup.options.get(name)
            for name, value in options.items()
        ),
    }
    return tuple(name for name, differs in asked.items() if differs)
