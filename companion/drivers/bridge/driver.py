"""The `bridge:` driver: a board with readers, and perhaps the ship, at any serial port."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import ClassVar

from companion.drivers import ports
from companion.drivers.api import Sign
from companion.drivers.bridge.board import Board
from companion.drivers.port_thread import PortDriver


class BridgeDriver(PortDriver):
    """One board that runs the project's firmware (see `PortDriver`).

    The board is called `bridge-1`, its places `bridge-1/0` and so on, its ship's sensor
    `bridge-1/ship`; with `?number=2` the board is `bridge-2`.
    """

    kind: ClassVar[str] = "bridge:"

    def __init__(self, where: str, listing: ports.Listing | None = None) -> None:
        super().__init__(where, listing)
        self._board: Board | None = None
        self._armed = False

    def settle_with(self, settle: Callable[[], object]) -> None:
        """Acknowledge to the board only what this has waited for; call it before `open`."""
        self._settle = settle

    def _talk(self) -> Board:
        self._board = Board(
            self._name,
            str(self._address),
            1 + secrets.randbelow(0xFFFFFFFF),
            armed=self._armed,
            remote=self._address.is_remote,
        )
        return self._board

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
