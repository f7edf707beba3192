"""What several words of the command line share: their options, and how they refuse.

What a word needs beyond this is imported when it is asked for, so that each starts quickly.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from companion.config import Told
    from companion.record.journal import Journal

BAD_USAGE = 2
Words: TypeAlias = Any
"""What `add_subparsers` gives: argparse has no public name for it."""


def refuse(sentence: str) -> int:
    """Say on standard error why the command cannot be done; the exit status."""
    print(f"companion: {sentence}", file=sys.stderr)
    return BAD_USAGE


def nobody_reads() -> None:
    """Whoever read standard output has left: what is still said goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Where the record is."""
    parser.add_argument("--data", type=Path, metavar="DIR", help="the folder of the record")


def add_config_option(parser: argparse.ArgumentParser) -> None:
    """Which file has the settings."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="the settings as TOML; else table.toml in the data folder",
    )


def told_of(chosen: argparse.Namespace) -> Told:
    """Which settings are meant, where no option says more than `--config` and `--data`."""
    from companion.config import Told  # noqa: PLC0415

    return Told({} if chosen.data is None else {"data": chosen.data}, chosen.config)


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
    from companion.codec import once  # noqa: PLC0415

    options: dict[str, object] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ValueError(f"--set takes KEY=VALUE, such as octopus=4, and not {pair!r}.")
        if name in options:
            raise ValueError(f"--set names {name} twice: say it once.")
        try:
            options[name] = json.loads(text, object_pairs_hook=once)
        except (ValueError, RecursionError):
            options[name] = text
    return options


def names_from(text: str) -> list[str]:
    """`"Ann, Bo"` as `["Ann", "Bo"]`.

    Raises:
        ValueError: not UTF-8, as the terminal gave it.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("--players is not UTF-8 text: type the names in UTF-8.") from None
    return [name.strip() for name in text.split(",")]


def data_folder(chosen: argparse.Namespace) -> Path:
    """The data folder that is meant; it need not be there.

    Raises:
        DataFolderError: it is another user's.
    """
    from companion.config import default_data_folder  # noqa: PLC0415
    from companion.data_folder import readable  # noqa: PLC0415

    return readable(chosen.data or default_data_folder())


@contextmanager
def journal_of(chosen: argparse.Namespace) -> Iterator[Journal]:
    """The record that `--data` names, opened.

    Raises:
        PlainError: it cannot be had.
    """
    from companion.clocks import machine_clocks  # noqa: PLC0415
    from companion.data_folder import JOURNAL, usable  # noqa: PLC0415
    from companion.record.journal import Journal  # noqa: PLC0415

    folder = usable(data_folder(chosen))
    journal = Journal(folder / JOURNAL, machine_clocks())
    try:
        yield journal
    finally:
        journal.close()
