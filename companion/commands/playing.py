"""`companion play`, `score` and `rules`: games without a table."""

from __future__ import annotations

import argparse
import sys

from companion.commands.common import (
    Words,
    add_game_options,
    names_from,
    options_from,
    refuse,
)


def add(words: Words) -> None:
    """Add these words."""
    _add_play(words)
    _add_score(words)
    _add_rules(words)


def _add_play(words: Words) -> None:
    play = words.add_parser("play", help="play a game over lines of JSON (docs/play-protocol.md)")
    play.add_argument("game", nargs="?", help="such as tentacles; else the first line is new")
    add_game_options(play)
    play.add_argument("--deal", action="store_true", help="the program deals the cards")
    play.add_argument("--seed", type=int, help="the same seed and commands give the same game")
    play.set_defaults(run=_play)


def _add_score(words: Words) -> None:
    score = words.add_parser("score", help="what cards are worth (docs/play-protocol.md)")
    score.add_argument("game", help="such as sea-salt-paper")
    score.set_defaults(run=_score)


def _add_rules(words: Words) -> None:
    rules = words.add_parser("rules", help="the rules of a game in short")
    rules.add_argument("game", nargs="?", help="such as tentacles; else all games are listed")
    rules.set_defaults(run=_rules)


def _play(chosen: argparse.Namespace) -> int:
    from companion.play import Player, play, standard_input, write  # noqa: PLC0415
    from companion.rules.api import Refusal  # noqa: PLC0415

    player = Player(warn=sys.stderr)
    out = sys.stdout.buffer
    if chosen.game is None:
        if chosen.players or chosen.starter or chosen.set or chosen.deal or chosen.seed is not None:
            return refuse(
                "Name the game to play, such as: companion play tentacles --players Ann,Bo"
            )
        play(standard_input(), out, player)
        return 0
    if not chosen.players:
        return refuse("Name who plays, such as: --players Ann,Bo")
    given: dict[str, object] = {"starter": chosen.starter, "seed": chosen.seed}
    try:
        opening = player.new(
            {
                "game": chosen.game,
                "players": names_from(chosen.players),
                "set": options_from(chosen.set),
                "deal": chosen.deal,
                **{key: value for key, value in given.items() if value is not None},
            }
        )
    except (ValueError, Refusal) as error:
        return refuse(str(error))
    write(out, opening)
    play(standard_input(), out, player)
    return 0


def _score(chosen: argparse.Namespace) -> int:
    from companion.score import SCORERS, score, standard_input  # noqa: PLC0415

    answer = SCORERS.get(chosen.game)
    if answer is None:
        return refuse(
            f"There is nothing to score in {chosen.game!r}: there is in {', '.join(SCORERS)}."
        )
    score(answer, standard_input(), sys.stdout.buffer)
    return 0


def _rules(chosen: argparse.Namespace) -> int:
    from companion.rules import GAMES, game_named  # noqa: PLC0415
    from companion.rules.api import Refusal  # noqa: PLC0415

    if chosen.game is None:
        for game in GAMES.values():
            print(f"{game.name:<16}  {game.seats[0]} to {game.seats[-1]} players")
        return 0
    try:
        print(game_named(chosen.game).in_short.strip())
    except Refusal as refusal:
        return refuse(str(refusal))
    return 0
