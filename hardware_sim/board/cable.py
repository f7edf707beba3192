"""The cable between a simulated board and its host, and what befalls cables."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass

FAULTS = {
    "garble": "percent of the pieces that pass, either way, in which a byte is wrong",
    "drop": "percent of the pieces that get lost",
    "duplicate": "percent of the pieces that come twice",
}
_PIECE = 64


@dataclass(frozen=True, slots=True)
class CableFaults:
    """What percentage of the pieces that pass is spoilt, and how."""

    garble: int = 0
    drop: int = 0
    duplicate: int = 0

    def spoil(self, piece: bytes, chance: random.Random) -> bytes:
        """What arrives of a piece."""
        if _hits(self.drop, chance):
            return b""
        if piece and _hits(self.garble, chance):
            place = chance.randrange(len(piece))
            wrong = piece[place] ^ chance.randrange(1, 256)
            piece = piece[:place] + bytes([wrong]) + piece[place + 1 :]
        return piece * 2 if _hits(self.duplicate, chance) else piece


def _hits(percent: int, chance: random.Random) -> bool:
    return chance.randrange(100) < percent


def parse_faults(texts: list[str]) -> CableFaults:
    """`["garble=20", "drop=5"]` as faults.

    Raises:
        ValueError: one sentence that says which is wrong.
    """
    found: dict[str, int] = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in FAULTS:
            raise ValueError(f"No fault is called {name!r}; there are {', '.join(FAULTS)}.")
        if not (number.isdecimal() and int(number) <= 100):
            raise ValueError(f"{name} takes a percentage, such as {name}=5.")
        found[name] = int(number)
    return CableFaults(**found)


class Cable:
    """What a `DeviceOnPty` shows: the bytes of whichever board is plugged in.

    Args:
        faults: what befalls what passes.
        seed: of their chance.

    Attributes:
        cut: nothing passes, either way, and neither end is told.
    """

    def __init__(self, faults: CableFaults, seed: int = 1) -> None:
        self.on_change: Callable[[], None] | None = None
        self.cut = False
        self._faults = faults
        self._chance = random.Random(seed)  # noqa: S311 - it keeps no secret
        self._lock = threading.Lock()
        self._to_host = b""
        self._board: socket.socket | None = None

    def plug(self, board: socket.socket | None) -> None:
        """From now on it is this board's."""
        with self._lock:
            self._board = board

    def inject(self, data: bytes) -> None:
        """Something on the line that the board did not say."""
        self._say(data)

    def from_board(self, data: bytes) -> None:
        """The board has said this."""
        if not self.cut:
            for start in range(0, len(data), _PIECE):
                self._say(self._faults.spoil(data[start : start + _PIECE], self._chance))

    def feed(self, data: bytes, now_ms: int) -> None:
        """The host has said this."""
        del now_ms
        with self._lock:
            board = self._board
        if board is None or self.cut:
            return
        with contextlib.suppress(OSError):  # the board has no power any more
            board.send(self._faults.spoil(data, self._chance))

    def output(self, now_ms: int) -> bytes:
        """What the host is to hear now."""
        del now_ms
        with self._lock:
            data, self._to_host = self._to_host, b""
        return data

    def due_ms(self) -> int | None:
        """Never by itself."""
        return None

    def _say(self, data: bytes) -> None:
        with self._lock:
            self._to_host += data
        on_change = self.on_change
        if on_change is not None:
            on_change()
