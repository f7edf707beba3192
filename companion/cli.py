"""The command `companion`: its words are in `companion/commands/`."""

from __future__ import annotations

import argparse
import io
import sqlite3
import sys
from collections.abc import Sequence

from companion.commands import (
    boards,
    configuration,
    display,
    doctor,
    enrolment,
    installation,
    keeping,
    playing,
    records,
    serve,
    simulation,
)
from companion.commands.common import nobody_reads, refuse
from companion.errors import PlainError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, or 2 with one sentence that says why."""
    if sys.stdout is None:
        return refuse("Standard output is closed: there is nowhere to answer.")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that is not in UTF-8 lacks letters, and no name of a file may end the answer.
        sys.stdout.reconfigure(errors="backslashreplace")
    status = 0
    try:
        try:
            status = _run(arguments)
        finally:
            # Python would do it at its very end, where a fault is a traceback.
            sys.stdout.flush()
    except BrokenPipeError:
        nobody_reads()
    except OSError as error:
        nobody_reads()
        what = error.filename or "The output or a file"
        status = refuse(f"{what} cannot be read or written ({error.strerror}).")
    return status


def _run(arguments: Sequence[str] | None) -> int:
    chosen = _parser().parse_args(arguments)
    try:
        return int(chosen.run(chosen))
    except PlainError as error:
        return refuse(str(error))
    except sqlite3.Error as error:
        return refuse(
            f"The record cannot be read or written ({error}): make room, mend the disk or give "
            "yourself the right to write; or choose another folder with --data."
        )
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="companion", description="Reads the table, referees the game and keeps the score."
    )
    words = parser.add_subparsers(metavar="COMMAND", required=True)
    for group in (
        serve,
        playing,
        enrolment,
        records,
        keeping,
        simulation,
        boards,
        doctor,
        installation,
        configuration,
        display,
    ):
        group.add(words)
    return parser


if __name__ == "__main__":
    sys.exit(main())
