"""`companion config`: the file of the settings is checked, shown, begun and changed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from companion.commands.common import Words, refuse, told_of
from companion.commands.serve import add_run_options, told_by

if TYPE_CHECKING:
    from companion.config import Told
    from companion.settings.typed import Place


def add(words: Words) -> None:
    """Add the word."""
    config = words.add_parser("config", help="the file of the settings, table.toml")
    verbs = config.add_subparsers(metavar="VERB", required=True)
    check = verbs.add_parser("check", help="say every fault of the file, and what it changes when")
    check.add_argument("config", type=Path, nargs="?", metavar="FILE")
    check.add_argument("--data", type=Path, metavar="DIR", help="the folder of the record")
    check.set_defaults(run=_check)
    show = verbs.add_parser("show", help="all keys with what is in force, and why")
    add_run_options(show)
    show.set_defaults(run=_show)
    example = verbs.add_parser("example", help="print a file with every key, in comments")
    example.set_defaults(run=_example)
    change = verbs.add_parser("set", help="write settings into the file, when all of it is good")
    change.add_argument(
        "changes",
        nargs="+",
        metavar="KEY=VALUE",
        help="such as port=80 or wifi.ssid=Tide; KEY=- asks for the value, so that nobody sees it",
    )
    change.add_argument(
        "--missing", action="store_true", help="only those that the file does not say yet"
    )
    change.set_defaults(run=_set)
    removal = verbs.add_parser("unset", help="take settings out of the file: they are as usual")
    removal.add_argument(
        "keys", nargs="+", metavar="KEY", help="such as port, or wifi for all of it"
    )
    removal.set_defaults(run=_unset)
    for word in (change, removal):
        where = word.add_mutually_exclusive_group()
        where.add_argument("--config", type=Path, metavar="FILE", help="else table.toml")
        where.add_argument("--data", type=Path, metavar="DIR", help="the folder of table.toml")


def _check(chosen: argparse.Namespace) -> int:
    from companion.config_check import findings  # noqa: PLC0415

    told = told_of(chosen)
    if told.file is None and not told.there:
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
    for line in shown(settings, _origins(told)):
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


def _set(chosen: argparse.Namespace) -> int:
    from companion.config import Config  # noqa: PLC0415
    from companion.settings.typed import ASKED, changes_of  # noqa: PLC0415

    told = told_of(chosen)
    asked: set[Place] = set()

    def ask(place: Place) -> str:
        asked.add(place)
        return _asked(place)

    changes = changes_of(Config, chosen.changes, ask)
    if chosen.missing:
        changes = {place: value for place, value in changes.items() if not _says(told, place)}
    status = _write(told, changes)
    for place in changes:
        if place.key.secret and place not in asked:
            print(
                f"Others may have seen {place.path} in the list of programs that run; "
                f"{place.path}={ASKED} asks for it instead."
            )
    return status


def _unset(chosen: argparse.Namespace) -> int:
    from companion.config import Config  # noqa: PLC0415
    from companion.settings.typed import removals_of  # noqa: PLC0415

    told = told_of(chosen)
    places = removals_of(Config, chosen.keys)
    return _write(told, {place: None for place in places if _says(told, place)})


def _says(told: Told, place: Place) -> bool:
    """Whether the file says something there."""
    import tomllib  # noqa: PLC0415

    from companion.settings.reading import text_of  # noqa: PLC0415

    if not told.there:
        return False
    try:
        room: object = tomllib.loads(text_of(told.path))
    except tomllib.TOMLDecodeError:
        return True  # which is refused when it is to be written
    for step in place.steps:
        if not isinstance(room, Mapping) or step not in room:
            return False
        room = room[step]
    return True


def _asked(place: Place) -> str:
    """A value from standard input: a line, or what is typed, unseen when it is a secret."""
    import getpass  # noqa: PLC0415

    if sys.stdin is not None and sys.stdin.isatty():
        return (getpass.getpass if place.key.secret else input)(f"{place.path}: ")
    line = sys.stdin.readline() if sys.stdin is not None else ""
    if not line:
        from companion.settings.sections import ConfigError  # noqa: PLC0415

        raise ConfigError(f"Standard input has no line for {place.path}.")
    return line.removesuffix("\n").removesuffix("\r")


def _write(told: Told, changes: Mapping[Place, object]) -> int:
    from companion.config import Config  # noqa: PLC0415
    from companion.config_check import faults_in  # noqa: PLC0415
    from companion.data_folder import usable  # noqa: PLC0415
    from companion.settings.reading import text_of  # noqa: PLC0415
    from companion.settings.writing import write  # noqa: PLC0415

    before = text_of(told.path) if told.there else ""
    if changes:
        if told.file is None:
            usable(told.folder)
        after = write(
            Config,
            told.path,
            {place.steps: value for place, value in changes.items()},
            lambda text: faults_in(told, text),
        )
    if not changes or after == before:
        print(f"{told.path} says so already.")
        return 0
    print(f"{told.path} is written.")
    for line in _effects(told, changes):
        print(line)
    return 0


def _effects(told: Told, changes: Mapping[Place, object]) -> Iterator[str]:
    """What of it takes effect when."""
    from companion.settings.documents import NEXT_START, by_change  # noqa: PLC0415

    live: dict[str, bool] = {}
    for place in changes:
        live |= {key.path: key.live for key in place.key.inside} or {place.path: place.key.live}
    for when, paths in by_change(live):
        start = ""
        if when == NEXT_START and os.environ.get("TIDETABLE_DATA") == f"{told.folder}":
            start = ", which is: sudo systemctl restart tidetable"
        yield f"Takes effect {when}: {', '.join(paths)}{start}."
