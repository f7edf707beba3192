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
