"""The program `companion sim pn532`: a PN532 with tags, on a serial line in software."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from pathlib import Path

from hardware_sim.pn532_faults import MEANINGS, Faults, parse_faults
from hardware_sim.tags import KINDS, Tag, make_tag, parse_uid
from hardware_sim.visits import DEFAULT_HOLD_MS, Visit, visits_of

AT_ONCE = 8
"""How many tags may lie there at once; the chip never lists more than two."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser the arguments of this program."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "faults, in any combination:\n" + "\n".join(
        f"  {name.replace('_', '-'):<14}{meaning}" for name, meaning in MEANINGS.items()
    )
    parser.add_argument(
        "--link",
        type=Path,
        required=True,
        metavar="PATH",
        help="the name that the serial line gets, such as /tmp/pn532: a link to its terminal",
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--uid",
        metavar="UID[,UID...]",
        help="the tags that lie there: 4, 7 or 10 bytes each, in hexadecimal",
    )
    what.add_argument(
        "--script",
        type=Path,
        metavar="FILE",
        help="tags that come and go, from the host's first look on: a line each, "
        "UID[,UID...] [hold_ms [gap_ms]], # for comments",
    )
    parser.add_argument(
        "--tag", choices=KINDS, help="what they are; else classic for 4 bytes, else ntag213"
    )
    parser.add_argument("--text", help="what the text on an NTAG says; else its UID")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME[=NUMBER]",
        help="what is wrong with it, see below; may be given again",
    )
    parser.add_argument(
        "--hold-ms",
        type=int,
        help=f"how long a tag lies there, from the host's first look on; for a script "
        f"{DEFAULT_HOLD_MS} where it says nothing, with --uid until the program is ended",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the faults' chance (%(default)s)")


def run(namespace: argparse.Namespace) -> int:
    """Do what the arguments ask, until the last tag was taken away or the program is ended.

    Returns:
        0 when it ended; 2 when something in the arguments cannot be or the link cannot be
        made, which is told on standard error.
    """
    hold_ms = DEFAULT_HOLD_MS if namespace.hold_ms is None else namespace.hold_ms
    try:
        visits = visits_of(namespace.uid, namespace.script, hold_ms, AT_ONCE)
        tags = {
            uid: make_tag(parse_uid(uid), namespace.tag, namespace.text)
            for visit in visits
            for uid in visit.uid.split(",")
        }
        faults = parse_faults(namespace.fault)
    except ValueError as error:
        return _refuse(str(error))
    stays = namespace.script is None and namespace.hold_ms is None
    try:
        _show(namespace.link, visits, tags, faults, namespace.seed, stays=stays)
    except OSError as error:
        return _refuse(f"The link {namespace.link} cannot be made ({error.strerror or error}).")
    return 0


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 2


def _tell(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def _show(
    link: Path,
    visits: tuple[Visit, ...],
    tags: dict[str, Tag],
    faults: Faults,
    seed: int,
    *,
    stays: bool,
) -> None:
    # Here, since every word of the command line loads this module to describe it.
    import random  # noqa: PLC0415

    from hardware_sim.pn532_chip import Pn532Chip  # noqa: PLC0415
    from hardware_sim.pty import DeviceOnPty  # noqa: PLC0415

    ended = threading.Event()
    chance = random.Random(seed).random  # noqa: S311 - it keeps no secret
    chip = Pn532Chip(faults, chance)
    before = signal.signal(signal.SIGTERM, lambda *_: ended.set())
    try:
        with DeviceOnPty(chip, link) as device:
            _tell(f"PN532 at {link}, which is {device.terminal.name}")
            if not stays:
                _wait(ended, chip.looked)
            if ended.is_set():
                return
            for visit in visits:
                here = [tags[uid] for uid in visit.uid.split(",")]
                for tag in here:
                    chip.put(tag)
                _tell(visit.uid if stays else f"{visit.uid} for {visit.hold_ms} ms")
                if ended.wait(None if stays else visit.hold_ms / 1000):
                    return
                for tag in here:
                    chip.take(tag)
                if ended.wait(visit.gap_ms / 1000):
                    return
    finally:
        signal.signal(signal.SIGTERM, before)


def _wait(ended: threading.Event, looked: threading.Event) -> None:
    while not (looked.wait(0.05) or ended.is_set()):
        pass
