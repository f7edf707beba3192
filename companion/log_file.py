"""The log in the data folder, for the question of the next morning: few lines, none of them secret.

It is written by a thread of its own, once in a while, so that neither a slow SD card nor a full
or read-only disk ever stops the table; what could not be written is counted.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Literal

from companion.masking import Mask
from companion.said import say

log = logging.getLogger(__name__)

FOLDER = "log"
NAME = "tidetable.log"

OURS = ("companion", "web_ui", "hardware_sim", "firmware_bridge", "tests")
"""Of other programs' libraries warnings alone are kept."""

WRITE_S = 2.0
AGAIN_S = 60.0
"""The same line is not written again within this time, and a disk that failed is left alone."""

MOST_WAITING = 400
MOST_LINES = 30
"""Of one message: the way an error came is long."""
MOST_KNOWN = 200


@dataclass(frozen=True, slots=True)
class Log:
    """The section `[log]`: the file `log/tidetable.log` in the data folder.

    Attributes:
        file: write it, without names, UIDs, hidden cards and secrets.
        level: from which lines on: info or warning.
        kilobytes: so large it grows before another is begun.
        old: so many full ones are kept beside it.

    Raises:
        ValueError: sizes that no table needs.
    """

    file: bool = True
    level: Literal["info", "warning"] = "info"
    kilobytes: int = 256
    old: int = 3

    def __post_init__(self) -> None:
        if not 4 <= self.kilobytes <= 10_000:
            raise ValueError(say("kilobytes is a number from 4 to 10000."))
        if not 0 <= self.old <= 20:
            raise ValueError(say("old is a number from 0 to 20."))


class LogFile(logging.Handler):
    """Keeps lines in a file that is begun anew when it is full. No method raises or waits.

    Args:
        folder: in which it lies; made when the first line is written.
        settings: what is kept, and how much of it.
        clock: seconds that only grow.
    """

    def __init__(
        self, folder: Path, settings: Log, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(getattr(logging, settings.level.upper()))
        self.path = folder / NAME
        self._settings = settings
        self._clock = clock
        self._began_s = clock()
        self._names: Callable[[], Iterable[str]] = tuple
        self._secrets: Callable[[], Iterable[str]] = tuple
        self._masked: tuple[object, Mask] = ((), Mask())
        self._guard = threading.Lock()
        self._waiting: deque[str] = deque()
        self._known: dict[str, tuple[float, int]] = {}
        self._lost = 0
        self._not_before_s = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._write_on, name="log", daemon=True)

    def use(self, settings: Log) -> None:
        """Keep lines by these settings from now on; sizes count for the lines to come."""
        self._settings = settings
        self.setLevel(settings.level.upper())

    def hide(
        self, names: Callable[[], Iterable[str]], secrets: Callable[[], Iterable[str]]
    ) -> None:
        """From now on these are left out, too."""
        self._names, self._secrets = names, secrets

    # --- whoever has something to say -------------------------------------------------

    def emit(self, record: logging.LogRecord) -> None:
        """Take one more; it is written later."""
        if not self._settings.file:
            return
        if record.levelno < logging.WARNING and record.name.partition(".")[0] not in OURS:
            return
        try:
            mask = self._mask()
            lines = record.getMessage().splitlines()[:MOST_LINES]
            text = "\n    ".join(mask.line(line) for line in lines)
            if record.exc_info and record.exc_info[0] is not None:
                text += f" ({record.exc_info[0].__name__})"  # its own text may name a card
        except Exception:  # noqa: BLE001 - a message that cannot be formed must not end its thread
            text = f"a line that cannot be formed, of {record.name}"
        now_s = self._clock()
        with self._guard:
            last_s, again = self._known.get(text, (-AGAIN_S, 0))
            if now_s - last_s < AGAIN_S:
                self._known[text] = last_s, again + 1
                return
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[text] = now_s, 0
            more = f" (and {again} times more since)" if again else ""
            self._put(f"{record.levelname} {text}{more}")

    def _mask(self) -> Mask:
        known = (tuple(self._names()), tuple(self._secrets()))
        if self._masked[0] != known:
            self._masked = known, Mask(known[0], secrets=known[1])
        return self._masked[1]

    def _put(self, text: str) -> None:
        if len(self._waiting) >= MOST_WAITING:
            self._lost += 1
            return
        wall = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        # The clock of a Pi is not set at the start: the seconds since then are true in any case.
        self._waiting.append(f"{wall} +{self._clock() - self._began_s:.1f}s {text}\n")

    # --- the thread that writes -------------------------------------------------------

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def close(self) -> None:
        """Write what waits, and end."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(1.0)  # a disk that hangs is left behind
        super().close()

    def _write_on(self) -> None:
        while not self._ended.wait(WRITE_S):
            self.write()
        self._not_before_s = 0.0
        self.write()

    def write(self) -> None:
        """Write what waits, if the disk takes it."""
        now_s = self._clock()
        with self._guard:
            if now_s < self._not_before_s or not (self._waiting or self._lost):
                return
            lines, lost = list(self._waiting), self._lost
            self._waiting.clear()
            self._lost = 0
        if lost:
            lines.append(f"{lost} lines were not written.\n")
        try:
            self._append("".join(lines).encode())
        except OSError:
            with self._guard:
                self._lost += lost + len(lines) - (1 if lost else 0)
                self._not_before_s = now_s + AGAIN_S

    def _append(self, data: bytes) -> None:
        self.path.parent.mkdir(mode=0o700, exist_ok=True)
        if self.path.exists() and self.path.stat().st_size + len(data) > self._most():
            self._begin_anew()
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(handle, "ab", buffering=0) as file:  # noqa: PTH123 - made for its owner alone
            if file.write(data) != len(data):
                raise OSError("the disk is full")

    def _most(self) -> int:
        return self._settings.kilobytes * 1024

    def _begin_anew(self) -> None:
        files = [self.path.with_name(f"{NAME}.{n}") for n in range(1, self._settings.old + 1)]
        files.insert(0, self.path)
        for newer, older in reversed(list(pairwise(files))):
            if newer.exists():
                newer.replace(older)
        self.path.unlink(missing_ok=True)


@contextmanager
def writing(data: Path, settings: Log) -> Iterator[LogFile]:
    """What the program says is kept in the data folder, from now to the end of the block."""
    kept = LogFile(data / FOLDER, settings)
    logger = logging.getLogger()
    logger.addHandler(kept)
    kept.start()
    try:
        yield kept
        log.info("The service ends.")  # where this is missing, the power did, or it was refused
    finally:
        logger.removeHandler(kept)
        kept.close()
