"""`companion kiosk`: the table on a display of this computer."""

from __future__ import annotations

import argparse

from companion.commands.common import Words


def add(words: Words) -> None:
    """Add the word."""
    kiosk = words.add_parser(
        "kiosk", help="show the table on this computer's display (docs/kiosk.md)"
    )
    kiosk.add_argument(
        "--port", type=int, help="of the table's pages; else where the service says, or 8080"
    )
    kiosk.add_argument(
        "--alone", action="store_true", help="there is no desktop: cage fills the display"
    )
    kiosk.add_argument("--browser", metavar="PROGRAM", help="else chromium")
    kiosk.set_defaults(run=_kiosk)


def _kiosk(chosen: argparse.Namespace) -> int:
    import logging  # noqa: PLC0415
    import signal  # noqa: PLC0415
    import threading  # noqa: PLC0415

    from companion import kiosk  # noqa: PLC0415

    logging.basicConfig(format="%(message)s", level=logging.INFO)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *told: stopped.set())  # noqa: ARG005
    kiosk.show(chosen.port, stopped, alone=chosen.alone, browser=chosen.browser)
    return 0
