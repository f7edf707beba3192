"""`companion calibrate` and `check-board`: what is done with hardware alone."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from companion.commands.common import Words, add_config_option, add_data_option, refuse, told_of

if TYPE_CHECKING:
    from companion.config import Told


def add(words: Words) -> None:
    """Add these words."""
    _add_calibrate(words)
    _add_check_board(words)


def _add_calibrate(words: Words) -> None:
    calibrate = words.add_parser("calibrate", help="teach the table what a sensor feels")
    things = calibrate.add_subparsers(metavar="THING", required=True)
    ship = things.add_parser("ship", help="how the ship's sensor feels upright, by two poses")
    ship.add_argument("--reader", metavar="NAME", help="such as gpio:17; else those of the file")
    add_config_option(ship)
    add_data_option(ship)
    ship.set_defaults(run=_calibrate_ship)


def _add_check_board(words: Words) -> None:
    check = words.add_parser("check-board", help="a self-test of one reader, board or pin")
    check.add_argument("name", metavar="NAME", help="such as bridge:/dev/ttyACM0 or gpio:17")
    check.add_argument("--show-uids", action="store_true", help="show the tags' UIDs in full")
    check.set_defaults(run=_check_board)


def _calibrate_ship(chosen: argparse.Namespace) -> int:
    from companion.calibration import calibrate, press_enter, refuse_without_sensor  # noqa: PLC0415
    from companion.clocks import machine_clocks  # noqa: PLC0415
    from companion.drivers.api import DriverError  # noqa: PLC0415
    from companion.drivers.registry import make  # noqa: PLC0415
    from companion.ship import Thresholds  # noqa: PLC0415

    told = told_of(chosen)
    settings = told.read()
    names = (chosen.reader,) if chosen.reader else settings.get("readers", ())
    if not names:
        return refuse("Name the ship's sensor, such as: companion calibrate ship --reader gpio:17")
    clock = machine_clocks().monotonic_ns
    thresholds = settings.get("ship", Thresholds())
    try:
        drivers = [make(name) for name in names]
        refuse_without_sensor(names)
        upright = calibrate(drivers, clock, thresholds, press_enter, sys.stdout)
    except DriverError as error:
        return refuse(str(error))
    return _keep(told, upright)


def _keep(told: Told, upright: tuple[float, float, float]) -> int:
    """Write what the sensor feels into the file of the settings, or say what to write there."""
    from companion.config import Config  # noqa: PLC0415
    from companion.settings.sections import toml_of  # noqa: PLC0415
    from companion.settings.writing import NotWritten, write  # noqa: PLC0415

    lines = f"[ship]\nupright = {toml_of(upright)}"
    if not told.path.parent.is_dir():
        print(f"Put this into the file of the settings:\n\n{lines}")
        return 0
    try:
        write(Config, told.path, {("ship", "upright"): upright})
    except NotWritten as error:
        return refuse(f"{error} What was to be written:\n\n{lines}")
    print(f"It is in {told.path} now; a service that runs takes it at once.")
    return 0


def _check_board(chosen: argparse.Namespace) -> int:
    import logging  # noqa: PLC0415

    from companion.check_board import check_board, notes_only, typed_lines  # noqa: PLC0415
    from companion.clocks import machine_clocks  # noqa: PLC0415
    from companion.drivers.api import DriverError  # noqa: PLC0415
    from companion.drivers.registry import make  # noqa: PLC0415

    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(notes_only)
    logging.basicConfig(format="note: %(message)s", level=logging.WARNING, handlers=[handler])
    clock = machine_clocks().monotonic_ns
    try:
        driver = make(chosen.name)
        lines = typed_lines() if sys.stdin else ()  # closed: a port may get its number
        findings = check_board(
            driver, chosen.name, clock, lines, sys.stdout, show_uids=chosen.show_uids
        )
    except DriverError as error:
        return refuse(str(error))
    return int(any(finding.state == "fails" for finding in findings))
