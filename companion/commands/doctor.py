"""`companion doctor`: why the evening does not begin."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from companion.commands.common import Words, add_data_option, refuse

if TYPE_CHECKING:
    from companion.doctor.system import System


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
    instead = doctor.add_mutually_exclusive_group()
    instead.add_argument(
        "--bundle",
        type=Path,
        metavar="FILE",
        help="write one ZIP file for those who are asked for help, without names, tags and secrets",
    )
    instead.add_argument(
        "--tap", action="store_true", help="lay one card on every reader, and compare them"
    )
    doctor.set_defaults(run=_doctor)


def _doctor(chosen: argparse.Namespace) -> int:
    from companion.doctor import telling  # noqa: PLC0415
    from companion.doctor.asking import asked  # noqa: PLC0415
    from companion.doctor.here import this_system  # noqa: PLC0415

    system = this_system(data=chosen.data, config=chosen.config, readers=chosen.reader or ())
    if chosen.tap:
        return _tap(system, as_json=chosen.json)
    report = asked(system)
    if chosen.bundle:
        from companion.doctor import bundle  # noqa: PLC0415

        size = bundle.write(chosen.bundle, system, report)
        print(f"{chosen.bundle}: {size} bytes. Read it before you send it: all of it is text.")
        return 0
    if chosen.json:
        print(json.dumps(telling.in_json(report), indent=2))
    else:
        print("\n".join(telling.in_words(report, verbose=chosen.verbose)))
    return report.status


def _tap(system: System, *, as_json: bool) -> int:
    """The way from reader to reader; with `--json` what is said on it goes to standard error."""
    import logging  # noqa: PLC0415

    from companion.check_board import notes_only, typed_lines  # noqa: PLC0415
    from companion.clocks import machine_clocks  # noqa: PLC0415
    from companion.data_folder import holder_of  # noqa: PLC0415
    from companion.doctor import taps  # noqa: PLC0415
    from companion.doctor.running import running  # noqa: PLC0415
    from companion.doctor.tap import KINDS, tap  # noqa: PLC0415
    from companion.doctor.tap_service import tap_by_service  # noqa: PLC0415
    from companion.drivers.api import DriverError  # noqa: PLC0415
    from companion.drivers.registry import make  # noqa: PLC0415

    out = sys.stderr if as_json else sys.stdout
    lines = typed_lines() if sys.stdin else ()
    try:
        service = running(system)
        if service is not None:
            verdicts = tap_by_service(service, lines, out)
        else:
            holder = holder_of(system.data)
            if holder is not None:
                return refuse(
                    f"The readers are held by {holder}, which cannot be asked: stop it (sudo "
                    "systemctl stop tidetable), type this again, and start it after that."
                )
            handler = logging.StreamHandler(sys.stderr)
            handler.addFilter(notes_only)
            logging.basicConfig(
                format="note: %(message)s", level=logging.WARNING, handlers=[handler]
            )
            drivers = [(name, make(name)) for name in system.readers(*KINDS)]
            verdicts = tap(drivers, machine_clocks().monotonic_ns, lines, out)
    except DriverError as error:
        return refuse(str(error))
    if as_json:
        print(json.dumps(taps.in_json(verdicts), indent=2))
    else:
        print("\n" + "\n".join(verdict.line() for verdict in verdicts))
    return taps.status(verdicts)
