"""`companion run`: the service."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from companion.commands.common import (
    Words,
    add_data_option,
    add_game_options,
    names_from,
    options_from,
    refuse,
)


def add(words: Words) -> None:
    """Add the word."""
    run = words.add_parser("run", help="read the table and serve the scoreboard")
    run.add_argument("--config", type=Path, metavar="FILE", help="the same settings as TOML")
    run.add_argument("--game", help="such as tentacles")
    add_game_options(run)
    add_data_option(run)
    run.add_argument("--host", help="the address to serve on; 0.0.0.0 for the home network")
    run.add_argument("--port", type=int, help="0 for any free one")
    run.add_argument(
        "--reader",
        action="append",
        metavar="NAME",
        help="pn532:PORT, bridge:PORT, line:PORT, gpio:PIN (see README.md), "
        "pcsc: for every contactless reader, pcsc:TEXT for those with that text in their "
        "name, sim: for the virtual table; may be given again",
    )
    run.add_argument("--token", help="opens the table's link; else one is made and kept")
    run.add_argument("--new", action="store_true", help="begin another game")
    run.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    import logging  # noqa: PLC0415

    from companion.config import Config, read_toml  # noqa: PLC0415
    from companion.service import run  # noqa: PLC0415

    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stderr)
    try:
        settings = read_toml(chosen.config) if chosen.config else {}
        named = {
            "game": chosen.game,
            "players": chosen.players and tuple(names_from(chosen.players)),
            "starter": chosen.starter and chosen.starter.strip(),
            "data": chosen.data,
            "host": chosen.host,
            "port": chosen.port,
            "token": chosen.token,
            "readers": chosen.reader and tuple(chosen.reader),
        }
        known = settings.get("readers", ())
        settings |= {key: value for key, value in named.items() if value is not None}
        settings["set"] = {**settings.get("set", {}), **options_from(chosen.set)}
        config = Config(**settings, new=chosen.new)
        for sentence in config.strangers(known):
            logging.getLogger(__name__).warning("%s", sentence)
        run(config)
    except ValueError as error:
        return refuse(str(error))
    return 0
