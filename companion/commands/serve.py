"""`companion run`: the service."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from companion.commands.common import (
    Words,
    add_config_option,
    add_data_option,
    add_game_options,
    names_from,
    options_from,
    refuse,
)

if TYPE_CHECKING:
    from companion.config import Told


def add(words: Words) -> None:
    """Add the word."""
    run = words.add_parser("run", help="read the table and serve the scoreboard")
    add_run_options(run)
    run.add_argument("--new", action="store_true", help="begin another game")
    run.set_defaults(run=_run)


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """What the command line may say instead of the file of the settings."""
    add_config_option(parser)
    parser.add_argument("--game", help="such as tentacles")
    add_game_options(parser)
    add_data_option(parser)
    parser.add_argument("--host", help="the address to serve on; 0.0.0.0 for the home network")
    parser.add_argument("--port", type=int, help="0 for any free one")
    parser.add_argument(
        "--reader",
        action="append",
        metavar="NAME",
        help="pn532:PORT, bridge:PORT, line:PORT, gpio:PIN (see docs/hardware.md), "
        "pcsc: for every contactless reader, pcsc:TEXT for those with that text in their "
        "name, sim: for the virtual table; may be given again",
    )
    parser.add_argument("--token", help="opens the table's link; else one is made and kept")


def told_by(chosen: argparse.Namespace) -> Told:
    """What the options of `add_run_options` say.

    Raises:
        ValueError: one sentence that says which is wrong.
    """
    from companion.config import Told  # noqa: PLC0415

    named = {
        "game": chosen.game,
        "players": chosen.players and tuple(names_from(chosen.players)),
        "starter": chosen.starter and chosen.starter.strip(),
        "data": chosen.data,
        "host": chosen.host,
        "port": chosen.port,
        "token": chosen.token,
        "readers": chosen.reader and tuple(chosen.reader),
        "set": options_from(chosen.set) or None,
        "new": getattr(chosen, "new", False) or None,
    }
    line = {key: value for key, value in named.items() if value is not None}
    return Told(line, chosen.config)


def _run(chosen: argparse.Namespace) -> int:
    import logging  # noqa: PLC0415

    from companion.data_folder import readable  # noqa: PLC0415
    from companion.record.restoring import finish_before_a_start  # noqa: PLC0415
    from companion.service import run  # noqa: PLC0415

    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stderr)
    try:
        told = told_by(chosen)
        finish_before_a_start(readable(told.path.parent))
        run(told)
    except ValueError as error:
        return refuse(str(error))
    return 0
