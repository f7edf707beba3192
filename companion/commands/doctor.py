"""`companion doctor`: why the evening does not begin."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from companion.commands.common import Words, add_data_option


def add(words: Words) -> None:
    """Add the word."""
    doctor = words.add_parser("doctor", help="find out what is wrong, and what to type")
    add_data_option(doctor)
    doctor.add_argument("--config", type=Path, metavar="FILE", help="the settings as TOML")
    doctor.add_argument(
        "--reader", action="append", metavar="NAME", help="instead of those of the settings"
    )
    doctor.add_argument("--json", action="store_true", help="the same as JSON (docs/doctor.md)")
    doctor.add_argument("--verbose", action="store_true", help="also a line for what is fine")
    doctor.add_argument(
        "--bundle",
        type=Path,
        metavar="FILE",
        help="write one ZIP file for those who are asked for help, without names, tags and secrets",
    )
    doctor.set_defaults(run=_doctor)


def _doctor(chosen: argparse.Namespace) -> int:
    from companion.doctor import telling  # noqa: PLC0415
    from companion.doctor.asking import asked  # noqa: PLC0415
    from companion.doctor.here import this_system  # noqa: PLC0415

    system = this_system(data=chosen.data, config=chosen.config, readers=chosen.reader or ())
    report = asked(system)
    if chosen.bundle:
        from companion.doctor import bundle  # noqa: PLC0415

        size = bundle.write(chosen.bundle, system, report)
        print(f"{chosen.bundle}: {size} bytes. Read it before you send it: all of it is text.")
        return 0
    if chosen.json:
        print(json.dumps(telling.in_json(report), ensure_ascii=False, indent=2))
    else:
        print("\n".join(telling.in_words(report, verbose=chosen.verbose)))
    return report.status
