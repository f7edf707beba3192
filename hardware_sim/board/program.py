"""The program `companion sim board`: a board on a serial line in software."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from hardware_sim.board.cable import FAULTS, parse_faults
from hardware_sim.tags import parse_uid

if TYPE_CHECKING:
    from hardware_sim.board.simulated_board import SimulatedBoard

READERS = ("pn532-spi", "pn532-uart", "rc522")
SHIPS = ("none", "tilt-switch", "lis3dh", "adxl345", "mpu6050")
PINS = ("pico", "esp32")
MOST_PLACES = 8

COMMANDS = """\
the lines of a script, and # for comments:
  put PLACE UID        lay a tag down; places count from 0
  take PLACE UID       take it away
  tilt X Y Z           what the ship feels, in thousandths of g; 0 0 1000 is upright
  press PLACE          press the button and let it go
  silence PLACE        take the power from a reader's chip
  revive PLACE         give it back
  reboot               the board's power goes and comes again
  cut, mend            the cable carries nothing, carries again
  unplug, plug         the line is gone, is back
  garbage HEX          the host hears these bytes
  wait MILLISECONDS
"""

PRESS_S = 0.1

Step: TypeAlias = "Callable[[SimulatedBoard, threading.Event], object]"


class ScriptError(ValueError):
    """A script has lines that are not understood; the text names each of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser the arguments of this program."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        COMMANDS
        + "\nfaults of the cable, in any combination:\n"
        + "\n".join(f"  {name:<14}{meaning}" for name, meaning in FAULTS.items())
    )
    parser.add_argument(
        "--link",
        type=Path,
        required=True,
        metavar="PATH",
        help="the name that the serial line gets, such as /tmp/board: a link to its terminal",
    )
    parser.add_argument(
        "--places",
        type=int,
        default=1,
        choices=range(MOST_PLACES + 1),
        metavar="N",
        help="how many readers, 0 to 8 (%(default)s)",
    )
    parser.add_argument("--chip", choices=READERS, default=READERS[0], help="(%(default)s)")
    parser.add_argument("--ship", choices=SHIPS, default=SHIPS[0], help="(%(default)s)")
    parser.add_argument("--pins", choices=PINS, default=PINS[0], help="(%(default)s)")
    parser.add_argument(
        "--script", type=Path, metavar="FILE", help="what happens, a line each; else nothing does"
    )
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="what is wrong with the cable, see below; may be given again",
    )


def run(namespace: argparse.Namespace) -> int:
    """Be that board until the script has ended, or without one until the program is ended.

    Returns:
        0 when it ended; 2 when something in the arguments cannot be or a part is missing,
        which is told on standard error.
    """
    from hardware_sim.board.simulated_board import SimulatedBoard  # noqa: PLC0415

    try:
        steps = None if namespace.script is None else read_script(namespace.script)
        faults = parse_faults(namespace.fault)
        _check_places(namespace.places, namespace.chip)
        board = SimulatedBoard(
            namespace.link,
            namespace.places,
            reader=namespace.chip,
            ship=namespace.ship,
            pins=namespace.pins,
            faults=faults,
        )
    except (ValueError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    ended = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: ended.set())
    try:
        with board:
            board.world.on_shown = _tell_shown
            _tell(f"board at {namespace.link}")
            _live(board, steps, ended)
    except OSError as error:
        sys.stderr.write(f"The board cannot be at {namespace.link} ({error}).\n")
        return 2
    finally:
        signal.signal(signal.SIGTERM, before)
    return 0


def read_script(path: Path) -> list[tuple[str, Step]]:
    """The steps of a script with their lines.

    Raises:
        ScriptError: lines that are not understood, each with its number.
        OSError: it cannot be read.
    """
    steps, complaints = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            steps.append((" ".join(words), _step(*words)))
        except ValueError as error:
            complaints.append(f"line {number}: {error}")
        except TypeError:
            complaints.append(f"line {number}: {words[0]} takes other words; see --help")
    if complaints:
        raise ScriptError("\n".join(complaints))
    return steps


def _step(verb: str, *words: str) -> Step:
    made = _MAKERS.get(verb)
    if made is None:
        raise ValueError(f"{verb!r} is none of {', '.join(_MAKERS)}")
    return made(*words)


def _check_places(places: int, chip: str) -> None:
    most = 2 if chip == "pn532-uart" else MOST_PLACES
    if places > most:
        raise ValueError(f"With {chip} there are {most} places at most.")


def _place(text: str) -> int:
    if not (text.isdecimal() and int(text) < MOST_PLACES):
        raise ValueError(f"{text!r} is no place: 0 to {MOST_PLACES - 1}")
    return int(text)


def _put(place: str, uid: str) -> Step:
    number, tag = _place(place), parse_uid(uid)
    return lambda board, _: board.world.put(number, tag)


def _take(place: str, uid: str) -> Step:
    number, tag = _place(place), parse_uid(uid)
    return lambda board, _: board.world.take(number, tag)


def _tilt(x_mg: str, y_mg: str, z_mg: str) -> Step:
    axes = int(x_mg), int(y_mg), int(z_mg)
    return lambda board, _: board.world.tilt(axes)


def _press(place: str) -> Step:
    number = _place(place)

    def press(board: SimulatedBoard, ended: threading.Event) -> None:
        board.world.hold(number, down=True)
        ended.wait(PRESS_S)
        board.world.hold(number, down=False)
        ended.wait(PRESS_S)

    return press


def _silence(place: str) -> Step:
    number = _place(place)
    return lambda board, _: board.world.silence(number)


def _revive(place: str) -> Step:
    number = _place(place)
    return lambda board, _: board.world.silence(number, on=False)


def _garbage(text: str) -> Step:
    data = bytes.fromhex(text)
    return lambda board, _: board.garbage(data)


def _wait(milliseconds: str) -> Step:
    lasts_s = int(milliseconds) / 1000
    return lambda _, ended: ended.wait(lasts_s)


_MAKERS: dict[str, Callable[..., Step]] = {
    "put": _put,
    "take": _take,
    "tilt": _tilt,
    "press": _press,
    "silence": _silence,
    "revive": _revive,
    "garbage": _garbage,
    "wait": _wait,
    "reboot": lambda: lambda board, _: board.reboot(),
    "cut": lambda: lambda board, _: board.cut(),
    "mend": lambda: lambda board, _: board.mend(),
    "unplug": lambda: lambda board, _: board.unplug(),
    "plug": lambda: lambda board, _: board.plug(),
}


def _live(
    board: SimulatedBoard, steps: list[tuple[str, Step]] | None, ended: threading.Event
) -> None:
    if steps is None:
        ended.wait()
        return
    for line, step in steps:
        if ended.is_set():
            return
        _tell(line)
        try:
            step(board, ended)
        except IndexError:
            sys.stderr.write(f"{line}: the board has no such place.\n")


def _tell(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def _tell_shown(place: int, what: tuple[int, int, int] | int) -> None:
    if isinstance(what, int):
        _tell(f"place {place}: {f'tone of {what} Hz' if what else 'silence'}")
    else:
        _tell(f"place {place}: light {' '.join(map(str, what))}")
