"""The `bridge:` driver: a board with readers, and perhaps the ship, at any serial port."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from companion.drivers import ports
from companion.drivers.api import Clock, Driver, DriverError, Report, Sign
from companion.drivers.bridge.board import Board
from companion.drivers.port_thread import PortThread

KIND = "bridge:"


class BridgeDriver(Driver):
    """One board that runs the project's firmware.

    Args:
        where: its port, as `companion.drivers.ports.parse` takes it. The board is called
            `bridge-1`, its places `bridge-1/0` and so on, its ship's sensor `bridge-1/ship`;
            with `?number=2` the board is `bridge-2`, where there are several.
        listing: the ports of this computer; pyserial's own if None.

    Raises:
        DriverName: no port is named.
    """

    def __init__(self, where: str, *, listing: ports.Listing | None = None) -> None:
        where, number = ports.cut_option(where, "number", 1)
        self._address = ports.parse(KIND, where)
        self._name = f"bridge-{number}"
        self._listing = listing
        self._board: Board | None = None
        self._settle: Callable[[], object] | None = None
        self._armed = False
        self._running: PortThread | None = None

    def settle_with(self, settle: Callable[[], object]) -> None:
        """Acknowledge to the board only what this has waited for; call it before `open`."""
        self._settle = settle

    def open(self, report: Report, clock: Clock) -> None:
        """Start to look for the board and to report; returns at once.

        Raises:
            DriverMissing: pyserial is not installed.
            DriverError: it is open already.
        """
        if self._running is not None:
            raise DriverError(f"The board {self._name} is open already: close it first.")
        board = Board(
            self._name,
            str(self._address),
            1 + secrets.randbelow(0xFFFFFFFF),
            armed=self._armed,
            remote=self._address.is_remote,
        )
        thread = PortThread(
            self._name,
            kind=KIND,
            address=self._address,
            talk=board,
            report=report,
            clock=clock,
            listing=self._listing,
            settle=self._settle,
        )
        self._board, self._running = board, thread
        thread.start()

    def close(self) -> None:
        """Stop reporting and end the thread, within a second."""
        thread, self._running = self._running, None
        if thread is not None:
            thread.stop()

    def signal(self, reader: str, sign: Sign) -> None:
        """Show this at the place of that reader, if the board is there; returns at once."""
        board, thread = self._board, self._running
        if board is not None and thread is not None:
            thread.ask(lambda at_ns: board.signal(reader, sign, at_ns))

    def arm(self, *, armed: bool) -> None:
        """Look at the ship 50 times a second while an alarm runs, else once."""
        self._armed = armed
        board, thread = self._board, self._running
        if board is not None and thread is not None:
            thread.ask(lambda at_ns: board.arm(at_ns, armed=armed))
