"""`companion sim`: hardware that is simulated. `companion simulate`: whole evenings."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.commands.common import Words


def add(words: Words) -> None:
    """Add the words."""
    _add_sim(words)
    _add_simulate(words)


def _add_sim(words: Words) -> None:
    from hardware_sim import pn532_program, vicc  # noqa: PLC0415
    from hardware_sim.board import program as board_program  # noqa: PLC0415

    sim = words.add_parser("sim", help="simulated hardware for real interfaces")
    kinds = sim.add_subparsers(metavar="KIND", required=True)
    card = kinds.add_parser("vicc", help="lay a virtual NFC tag on a virtual reader of pcscd")
    vicc.add_arguments(card)
    card.set_defaults(run=vicc.run)
    chip = kinds.add_parser("pn532", help="a PN532 reader chip on a serial line, with tags")
    pn532_program.add_arguments(chip)
    chip.set_defaults(run=pn532_program.run)
    board = kinds.add_parser("board", help="a board with the real firmware, on a serial line")
    board_program.add_arguments(board)
    board.set_defaults(run=board_program.run)


def _add_simulate(words: Words) -> None:
    simulate = words.add_parser(
        "simulate", help="robot people play many games with faults: is the table ever wrong?"
    )
    simulate.add_argument(
        "--game", default="tentacles", help="such as tentacles; or all of them: all"
    )
    simulate.add_argument("--games", type=_count, default=100, metavar="N", help="how many")
    simulate.add_argument(
        "--faults", type=Path, metavar="FILE", help="which go wrong, and how often, as TOML"
    )
    simulate.add_argument("--seed", type=int, default=1, metavar="S", help="of all chance")
    simulate.add_argument(
        "--people",
        choices=("attentive", "careless", "both"),
        default="attentive",
        help="attentive people tap again when no sign comes; careless ones do not care; or both",
    )
    simulate.add_argument(
        "--first", type=int, default=0, metavar="N", help="begin with this game of the seed"
    )
    simulate.add_argument(
        "--jobs", type=_count, metavar="N", help="processes; else one a processor"
    )
    simulate.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep the records of games that went wrong"
    )
    simulate.add_argument(
        "--one-table", action="store_true", help="all games in one run of one service"
    )
    simulate.add_argument(
        "--trace", action="store_true", help="tell every movement, fault and sign"
    )
    simulate.set_defaults(run=_simulate)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _simulate(chosen: argparse.Namespace) -> int:
    from hardware_sim.evening import simulate  # noqa: PLC0415

    return simulate.run(chosen)
