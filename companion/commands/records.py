"""`companion verify`, `export` and `replay`: what was played, checked and looked at again."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from companion.asked_for import write_whole
from companion.commands.common import Words, add_data_option, data_folder, refuse

TROUBLE = 1


def add(words: Words) -> None:
    """Add these words."""
    verify = words.add_parser("verify", help="check every game in the record")
    add_data_option(verify)
    verify.set_defaults(run=_verify)
    export = words.add_parser("export", help="write a game to one file (docs/journal.md)")
    export.add_argument("game", metavar="GAME", help="its number or id, or last")
    add_data_option(export)
    export.add_argument(
        "--with-secrets", action="store_true", help="also UIDs, hidden cards and what was noted"
    )
    export.add_argument("-o", "--output", type=Path, metavar="FILE", help="else standard output")
    export.set_defaults(run=_export)
    replay = words.add_parser("replay", help="play an exported game again")
    replay.add_argument("file", type=Path, metavar="FILE")
    replay.add_argument("--step", action="store_true", help="wait for Enter after each step")
    replay.add_argument("--json", action="store_true", help="the rows as lines of JSON")
    replay.set_defaults(run=_replay)


def _record(chosen: argparse.Namespace) -> Path:
    from companion.data_folder import JOURNAL  # noqa: PLC0415

    return data_folder(chosen) / JOURNAL


def _verify(chosen: argparse.Namespace) -> int:
    from companion.record.journal import UNREADABLE  # noqa: PLC0415
    from companion.record.reading import NotARecord, reading_without_a_trace  # noqa: PLC0415
    from companion.record.verify import end_of, others, verified  # noqa: PLC0415

    record = _record(chosen)
    seen = sys.stderr.isatty()

    def progress(games: int) -> None:
        if seen and games % 100 == 0:
            print(f"\r{games} games …", end="", file=sys.stderr, flush=True)

    try:
        lost = list(end_of(record))
        if not record.exists() and (beside := list(others(record.parent))):
            print(*lost, *(line for line, _ in beside), sep="\n")
            return TROUBLE
        with reading_without_a_trace(record) as connection:
            found = verified(connection, progress)
        found.troubles += lost
    except NotARecord as error:
        print(error)
        return TROUBLE
    except UNREADABLE as error:
        print(f"{record}: it cannot be read ({error}).")
        return TROUBLE
    if seen:
        print("\r", end="", file=sys.stderr)
    for trouble in found.troubles:
        print(trouble)
    verdict = f"{len(found.troubles)} troubles" if found.troubles else "all as it was written"
    print(f"{record}: {found.games} games, {found.rows} rows, {verdict}.")
    beside = list(others(record.parent))
    for line, _ in beside:
        print(line)
    return TROUBLE if found.troubles or not all(good for _, good in beside) else 0


def _export(chosen: argparse.Namespace) -> int:
    from companion.record.export import exported, find  # noqa: PLC0415
    from companion.record.reading import reading_without_a_trace  # noqa: PLC0415

    with reading_without_a_trace(_record(chosen)) as connection:
        game = find(connection, chosen.game)
        lines = b"".join(exported(connection, game, secrets=chosen.with_secrets))
    if chosen.output is None:
        sys.stdout.buffer.write(lines)
        return 0
    try:
        write_whole(chosen.output, lines)
    except OSError as error:
        return refuse(f"The file {chosen.output} cannot be written ({error.strerror}).")
    return 0


def _replay(chosen: argparse.Namespace) -> int:
    from companion.record.replay import in_words, read, replayed  # noqa: PLC0415

    try:
        data = chosen.file.read_bytes()
    except OSError as error:
        return refuse(f"The file {chosen.file} cannot be read ({error.strerror}).")
    file = read(data)
    if file.other_rules is not None:
        _note(f"It was played by version {file.other_rules} of the rules, and ours is another.")
    if file.hidden:
        _note(
            "Hidden cards were left out, so the game is shown as it was seen and not played anew."
        )
    header = file.header
    if not chosen.json:
        print(f"{header['game']}, game {header['number']}: {', '.join(header['players'])}")
    turn = header["shown"]["turn"]
    rows = entries = 0
    for row in replayed(file):
        rows += 1
        print(json.dumps(row, ensure_ascii=False) if chosen.json else in_words(row, turn))
        if "entry" in row:
            entries += 1
            turn = row["shown"]["turn"]
            if chosen.step:
                sys.stdout.flush()
                if not sys.stdin.readline():
                    break
    if not chosen.json:
        print(f"{entries} entries, {rows - entries} notes.")
    return 0


def _note(sentence: str) -> None:
    print(f"note: {sentence}", file=sys.stderr)
