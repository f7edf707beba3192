"""`companion config`: the file of the settings is checked, shown and begun."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from companion.commands.common import Words, refuse
from companion.commands.serve import add_run_options, told_by

if TYPE_CHECKING:
    from companion.config import Told


def add(words: Words) -> None:
    """Add the word."""
    config = words.add_parser("config", help="the file of the settings, table.toml")
    verbs = config.add_subparsers(metavar="VERB", required=True)
    check = verbs.add_parser("check", help="say every fault of the file, and what it changes when")
    check.add_argument("file", type=Path, nargs="?", metavar="FILE")
    check.add_argument("--data", type=Path, metavar="DIR", help="the folder of the record")
    check.set_defaults(run=_check)
    show = verbs.add_parser("show", help="all keys with what is in force, and why")
    add_run_options(show)
    show.set_defaults(run=_show)
    example = verbs.add_parser("example", help="print a file with every key, in comments")
    example.set_defaults(run=_example)


def _check(chosen: argparse.Namespace) -> int:
    from companion.config import Told  # noqa: PLC0415
    from companion.config_check import findings  # noqa: PLC0415

    told = Told({} if chosen.data is None else {"data": chosen.data}, chosen.file)
    if chosen.file is None and not told.there:
        print(f"There is no {told.path}, so all is as usual; companion config example begins one.")
        return 0
    found = findings(told)
    for line in (*found.faults, *found.notes):
        print(line)
    return int(bool(found.faults))


def _show(chosen: argparse.Namespace) -> int:
    from companion.settings.documents import shown  # noqa: PLC0415

    try:
        told = told_by(chosen)
        settings = told.put(told.read())
    except ValueError as error:
        return refuse(str(error))
    for line in shown(settings, _origins(told), "default"):
        print(line)
    return 0


def _origins(told: Told) -> dict[str, str]:
    from companion.config_check import places  # noqa: PLC0415

    of_file = {path: f"{told.path}, line {line}" for path, line in places(told).items()}
    return {**of_file, **dict.fromkeys(told.line, "the command line")}


def _example(chosen: argparse.Namespace) -> int:
    del chosen
    from companion.config import Config  # noqa: PLC0415
    from companion.settings.documents import example  # noqa: PLC0415

    sys.stdout.write(example(Config))
    return 0
