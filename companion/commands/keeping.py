"""`companion backup` and `restore`: all that a data folder keeps in one file, and the way back."""

from __future__ import annotations

import argparse
import shlex
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from companion.commands.common import Words, add_data_option, data_folder

if TYPE_CHECKING:
    from companion.record.manifest import Manifest
    from companion.record.restoring import Kept


def add(words: Words) -> None:
    """Add these words."""
    backup = words.add_parser("backup", help="write all that is kept to one file (docs/keeping.md)")
    backup.add_argument(
        "file",
        type=Path,
        nargs="?",
        metavar="FILE",
        help="or the folder in which it is to be; else tidetable-DATE.zip, here",
    )
    add_data_option(backup)
    backup.set_defaults(run=_backup)
    restore = words.add_parser("restore", help="go back to a backup or a copy, or list them")
    restore.add_argument(
        "what",
        nargs="?",
        metavar="BACKUP",
        help="a file of companion backup, another data folder, latest, or one that is listed "
        "when nothing is named",
    )
    add_data_option(restore)
    restore.add_argument(
        "--dry-run", action="store_true", help="check it, say what is in it, and change nothing"
    )
    restore.set_defaults(run=_restore)


def _where(chosen: argparse.Namespace) -> str:
    """How the data folder is named again in a command that people are told to type."""
    return f" --data {shlex.quote(str(chosen.data))}" if chosen.data else ""


def _backup(chosen: argparse.Namespace) -> int:
    from companion.clocks import machine_clocks  # noqa: PLC0415
    from companion.record.backup import back_up, default_name  # noqa: PLC0415

    clocks = machine_clocks()
    file: Path = chosen.file or Path()
    if file.is_dir():
        file = default_name(file, clocks.wall())
    told = back_up(data_folder(chosen), file, clocks)
    print(f"{file}: {_contents(told)}; {_size(file.stat().st_size)}.")
    print(
        "It has hidden hands and the key to the table's link: keep it where nobody else reads it."
    )
    return 0


def _restore(chosen: argparse.Namespace) -> int:
    from companion.clocks import machine_clocks  # noqa: PLC0415
    from companion.data_folder import Hold  # noqa: PLC0415
    from companion.record import restoring  # noqa: PLC0415

    folder, clocks = data_folder(chosen), machine_clocks()
    if chosen.what is None:
        return _list(folder, restoring.there_is(folder, clocks), _where(chosen))
    source = restoring.named(folder, chosen.what)
    if source.is_dir() and not restoring.lies_in(source):
        return _list(source, restoring.there_is_below(source, clocks), _where(chosen))
    if chosen.dry_run:
        with tempfile.TemporaryDirectory() as place:
            told = restoring.lay_out(source, Path(place), clocks)
        how = "can be restored" if told.damaged else "is whole"
        print(f"{source} {how}: {_contents(told)}. Nothing was changed.")
        return 0
    with Hold(folder, "companion restore"):
        done = restoring.restored(folder, source, clocks)
    print(f"{source} is back in {folder}: {_contents(done.told)}.")
    if done.aside is not None:
        print(
            f"What was there before lies in {done.aside}; this brings it back: "
            f"companion restore {done.aside.name}{_where(chosen)}"
        )
    return 0


def _list(folder: Path, found: Iterable[Kept], where: str) -> int:
    kept = list(found)
    for each in kept:
        print(f"{each.name:<22} {_line(each.told)}")
    print(
        f"companion restore {kept[0].name}{where} goes back to the first of them."
        if kept
        else f"There is no copy in {folder} yet."
    )
    return 0


def _line(told: Manifest | None) -> str:
    if told is None:
        return "cannot be read"
    when = f"{told.taken[:10]} {told.taken[11:16]}"
    why = {
        "start": "at a start",
        "day": "once a day",
        "game": "after a game",
        "restored": "of a restoration",
        "before-restore": "before a restoration",
        "backup": "a backup",
    }.get(told.why, told.why.replace("-", " "))
    return f"{when} UTC  {why:<20} {_contents(told)}"


def _contents(told: Manifest) -> str:
    """What is in it, in words."""
    from companion.data_folder import SETTINGS  # noqa: PLC0415
    from companion.household import HOUSEHOLD  # noqa: PLC0415

    games = "1 game" if told.games == 1 else f"{told.games} games"
    newest = f", the newest {told.newest}" if told.newest else ""
    tags = "1 tag" if told.tags == 1 else f"{told.tags} tags"
    more = [
        words
        for name, words in ((HOUSEHOLD, "the household"), (SETTINGS, SETTINGS))
        if name in told.files
    ]
    if told.damaged:
        more.append(f"damaged in it: {told.damaged}")
    return "; ".join((f"{games}{newest}", tags, *more))


def _size(length: int) -> str:
    return f"{length / 1024:.0f} KiB" if length < 1 << 20 else f"{length / (1 << 20):.1f} MiB"
