"""The command `companion`: one function for each of its words.

What a word needs is imported when it is asked for, so that each starts quickly.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

BAD_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, or 2 with one sentence that says why."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        return int(chosen.run(chosen))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has left: nothing more can be said to them.
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="companion", description="Reads the table, referees the game and keeps the score."
    )
    words = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_play(words)
    return parser


def _add_play(words: Any) -> None:  # noqa: ANN401 - argparse gives this type no public name
    play = words.add_parser("play", help="play a game over lines of JSON (docs/play-protocol.md)")
    play.add_argument("game", nargs="?", help="such as tentacles; else the first line is new")
    add_game_options(play)
    play.add_argument("--deal", action="store_true", help="the program deals the cards")
    play.add_argument("--seed", type=int, help="the same seed and commands give the same game")
    play.set_defaults(run=_play)


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """The options that say how a game begins."""
    parser.add_argument("--players", metavar="NAMES", help="in seating order, such as Ann,Bo")
    parser.add_argument("--starter", metavar="NAME", help="who begins; else the first player")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="an option of the game"
    )


def options_from(pairs: Sequence[str]) -> dict[str, object]:
    """`["octopus=4", "steal=forced"]` as `{"octopus": 4, "steal": "forced"}`.

    Raises:
        ValueError: one sentence that says which is wrong.
    """
    options: dict[str, object] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ValueError(f"--set takes KEY=VALUE, such as octopus=4, and not {pair!r}.")
        if name in options:
            raise ValueError(f"--set names {name} twice: say it once.")
        try:
            options[name] = json.loads(text)
        except ValueError:
            options[name] = text
    return options


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
    body: dict[str, object] = {
        "game": chosen.game,
        "players": names_from(chosen.players),
        "deal": chosen.deal,
    }
    if chosen.starter is not None:
        body["starter"] = chosen.starter
    if chosen.seed is not None:
        body["seed"] = chosen.seed
    try:
        body["set"] = options_from(chosen.set)
        opening = player.new(body)
    except (ValueError, Refusal) as error:
        return refuse(str(error))
    write(out, opening)
    play(standard_input(), out, player)
    return 0


def names_from(text: str) -> list[str]:
    """`"Ann, Bo"` as `["Ann", "Bo"]`."""
    return [name.strip() for name in text.split(",")]


def refuse(sentence: str) -> int:
    """Say on standard error why the command cannot be done; the exit status."""
    print(f"companion: {sentence}", file=sys.stderr)  # noqa: T201 - that is how a command speaks
    return BAD_USAGE


if __name__ == "__main__":
    sys.exit(main())
