"""The last warnings of the log, fit to be shown to others: without UIDs, cards and names."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from companion.rules import GAMES

MOST_LINES = 40
LONGEST_LINE = 300

_UID = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[ :-]?){3,9}([0-9A-Fa-f]{2})(?![0-9A-Za-z])")
_CARD = re.compile(rf"\b({'|'.join(map(re.escape, GAMES))})/[\w-]+")
_LINK = re.compile(r"/link/\S+")
_PATH = re.compile(
    r"/(?:home|root|Users|tmp|var|media|mnt|run/media)/"
    r"(?:[^\s'\"]*?(?=/table\.toml\b)|[^\s'\"]+)"
)
"""A folder may tell who lives here. That the file of the settings is meant tells nobody's name."""


@dataclass(frozen=True, slots=True)
class Line:
    """One warning.

    Attributes:
        at_s: seconds of the monotonic clock.
        level: such as `WARNING`.
        text: its first line, without UIDs and cards.
    """

    at_s: float
    level: str
    text: str


class LogTail(logging.Handler):
    """Keeps the last warnings of all of the program.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(logging.WARNING)
        self._clock = clock
        self._lines: deque[Line] = deque(maxlen=MOST_LINES)
        self._guard = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one more."""
        try:
            text = without_secrets(record.getMessage().partition("\n")[0])
        except Exception:  # noqa: BLE001 - a message that cannot be formed must not end its thread
            self.handleError(record)
            return
        line = Line(self._clock(), record.levelname, text)
        with self._guard:
            self._lines.append(line)

    def lines(self) -> tuple[Line, ...]:
        """Those that are kept, oldest first."""
        with self._guard:
            return tuple(self._lines)


@contextmanager
def listening() -> Iterator[LogTail]:
    """The last warnings of all of the program, from now to the end of the block."""
    tail = LogTail()
    logging.getLogger().addHandler(tail)
    try:
        yield tail
    finally:
        logging.getLogger().removeHandler(tail)


def without_secrets(text: str, names: Iterable[str] = ()) -> str:
    """The text without UIDs, cards, links, folders of people, and these names."""
    for pattern, instead in ((_LINK, "/link/…"), (_PATH, "…"), (_CARD, r"\1/…"), (_UID, r"…\1")):
        text = pattern.sub(instead, text)
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "(a player)", text)
    return text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + "…"
