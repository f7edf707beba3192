"""`companion tags`: which tag is on what."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from companion.commands.common import Words, add_data_option, journal_of, refuse


def add(words: Words) -> None:
    """Add the word."""
    tags = words.add_parser("tags", help="which tag is on which card or token")
    verbs = tags.add_subparsers(metavar="VERB", required=True)
    verb = verbs.add_parser(
        "import", help="enrol the tags of a CSV file (uid,component), or of JSON"
    )
    verb.add_argument("file", type=Path)
    verb.add_argument(
        "--short",
        action="store_true",
        help="take UIDs of four bytes that begin with 88 as they are: say so only when the tags "
        "have no more than four",
    )
    add_data_option(verb)
    verb.set_defaults(run=_tags_import)
    verb = verbs.add_parser("export", help="write all tags as CSV, to a file or standard output")
    verb.add_argument("file", type=Path, nargs="?")
    add_data_option(verb)
    verb.set_defaults(run=_tags_export)
    verb = verbs.add_parser("list", help="show all tags")
    add_data_option(verb)
    verb.set_defaults(run=_tags_list)
    verb = verbs.add_parser("remove", help="forget a tag")
    verb.add_argument("uid")
    add_data_option(verb)
    verb.set_defaults(run=_tags_remove)


def _tags_import(chosen: argparse.Namespace) -> int:
    from companion.tags import read_csv, read_json  # noqa: PLC0415

    try:
        data = chosen.file.read_bytes()
    except OSError as error:
        return refuse(f"The file {chosen.file} cannot be read ({error.strerror}).")
    with journal_of(chosen) as journal:
        read = read_json if chosen.file.suffix.lower() == ".json" else read_csv
        found = read(data, journal.tags(), short=chosen.short)
        journal.enrol(dict(found.tags))
    for note in found.notes:
        print(f"note: {note}", file=sys.stderr)
    print(f"{len(found.tags)} tags imported.")
    return 0


def _tags_export(chosen: argparse.Namespace) -> int:
    from companion.tags import write_csv  # noqa: PLC0415

    with journal_of(chosen) as journal:
        text = write_csv(journal.tags())
    if chosen.file is None:
        sys.stdout.write(text)
        return 0
    try:
        chosen.file.write_text(text, encoding="utf-8")
    except OSError as error:
        return refuse(f"The file {chosen.file} cannot be written ({error.strerror}).")
    return 0


def _tags_list(chosen: argparse.Namespace) -> int:
    with journal_of(chosen) as journal:
        tags = journal.tags()
    for uid, component in tags.items():
        print(f"{uid:<20}  {component}")
    print(
        f"{len(tags)} tags." if tags else "No tags yet: companion tags import FILE.csv adds some."
    )
    return 0


def _tags_remove(chosen: argparse.Namespace) -> int:
    from companion.uid import UidError, parse  # noqa: PLC0415

    try:
        uid = parse(chosen.uid, short=True)  # what was taken in can be taken out
    except UidError as error:
        return refuse(str(error))
    with journal_of(chosen) as journal:
        if not journal.forget_tag(uid):
            return refuse(f"The tag {uid} is not enrolled: companion tags list shows which are.")
    print(f"{uid} removed.")
    return 0
