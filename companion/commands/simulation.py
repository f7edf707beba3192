"""`companion sim`: hardware that is simulated."""

from __future__ import annotations

from companion.commands.common import Words


def add(words: Words) -> None:
    """Add the word."""
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
