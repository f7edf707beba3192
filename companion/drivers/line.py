"""A board that was made in an hour: it prints a line for each tag that comes or goes.

    1 04A3C6CAE26180 on
    1 04A3C6CAE26180 off

docs/board-protocol.md has all of it. Such a board acknowledges nothing and keeps nothing, so
what it says while nobody listens is lost.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import ClassVar

from companion import uid as uids
from companion.drivers.api import (
    DeviceBack,
    DeviceLost,
    Reading,
    TagOff,
    TagOn,
    TagUnreadable,
)
from companion.drivers.port_thread import PortDriver, Talk
from companion.said import say

logger = logging.getLogger(__name__)

LONGEST_LINE = 120
MOST_PLACES = 32
"""Noise may look like a place; it must not fill the page."""

SETTLE_NS = 3_000_000_000
"""A board that restarts when its port is opened tells within this time what lies there."""

SILENCE_NS = 5_000_000_000
"""A board that says `alive` says so at least every second; some loops are slow."""

_LINE = re.compile(
    r"(?P<place>[0-9a-z_-]{1,16})(?:\s+(?P<uid>\S.*?))?\s+(?P<state>on|off)", re.IGNORECASE
)


class LineDriver(PortDriver):
    """A board that speaks the plain line protocol (see `PortDriver`).

    Its places are called `line-1/PLACE`; with `?number=2` `line-2/PLACE`.
    """

    kind: ClassVar[str] = "line:"

    def _talk(self) -> LineBoard:
        return LineBoard(self._name, str(self._address))


class LineBoard(Talk):
    """What one board has told so far. Pure: bytes and times in, readings out.

    Args:
        name: such as `line-1`: a reader itself, which answers while the port is open.
        where: the port, for people.
    """

    def __init__(self, name: str, where: str) -> None:
        self._name = name
        self._where = where
        self._readers = [name]  # and those of the places that were heard of
        self._answers = dict.fromkeys(self._readers, False)
        self._told_lost = False
        self._lying: dict[str, str] = {}
        self._unsure: set[str] = set()  # readers whose tag was not seen since the port came back
        self._held = b""
        self._overlong = False
        self._beats = False
        self._opened_ns: int | None = None
        self._heard_ns = 0
        self._odd_told = False

    def opened(self, at_ns: int) -> None:
        """The port was opened (again)."""
        self._held, self._overlong = b"", False
        self._beats = False
        self._opened_ns = self._heard_ns = at_ns
        self._unsure = set(self._lying)

    def heard(self, data: bytes, at_ns: int) -> Iterator[Reading]:
        """The readings that follow from these bytes, and from the time."""
        if data:
            self._heard_ns = at_ns
        if self._beats and at_ns - self._heard_ns >= SILENCE_NS:
            yield from self._lost(
                say(
                    "The board at %(where)s has fallen silent: see that it has power, and plug it in "
                    "again.",
                    where=self._where,
                ),
                at_ns,
            )
            return
        yield from self._all_back(at_ns)
        if self._unsure and at_ns - (self._opened_ns or 0) >= SETTLE_NS:
            for reader in sorted(self._unsure):
                yield from self._leave(reader, at_ns)
        for line in self._lines(data):
            yield from self._line(line, at_ns)

    def lost(self, reason: str, at_ns: int) -> Iterator[Reading]:
        """The port cannot be opened or was lost."""
        yield from self._lost(reason, at_ns)

    def _lines(self, data: bytes) -> Iterator[str]:
        *ended, rest = re.split(b"[\r\n]", self._held + data)
        self._held = b""
        for line in ended:
            if not self._overlong and len(line) <= LONGEST_LINE:
                yield line.decode("ascii", errors="replace").strip()
            self._overlong = False
        if len(rest) <= LONGEST_LINE and not self._overlong:
            self._held = rest
        else:
            self._overlong = True

    def _line(self, line: str, at_ns: int) -> Iterator[Reading]:
        line = line.partition("#")[0].strip()
        if not line:
            return
        if line.casefold() == "alive":
            self._beats = True
            return
        found = _LINE.fullmatch(line)
        reader = f"{self._name}/{found['place'].lower()}" if found else ""
        is_off = found is not None and found["state"].lower() == "off"
        full = reader not in self._answers and len(self._answers) > MOST_PLACES
        if found is None or full or not (found["uid"] or is_off):
            self._odd(line)
            return
        if reader not in self._answers:
            self._readers.append(reader)
            self._answers[reader] = False
            yield from self._all_back(at_ns)
        if is_off and found["uid"] is None:
            yield from self._leave(reader, at_ns)
            return
        try:
            uid = uids.parse(found["uid"])
        except uids.UidError as error:
            if not is_off:
                yield TagUnreadable(reader, str(error), at_ns)
            return
        if not is_off:
            yield from self._on(reader, uid, at_ns)
        elif self._lying.get(reader) == uid:
            yield from self._leave(reader, at_ns)

    def _on(self, reader: str, uid: str, at_ns: int) -> Iterator[Reading]:
        self._unsure.discard(reader)
        if self._lying.get(reader) == uid:
            return  # a board that tells at every look
        yield from self._leave(reader, at_ns)
        self._lying[reader] = uid
        found = at_ns - (self._opened_ns or 0) < SETTLE_NS
        yield TagOn(reader, uid, at_ns, lay_there=found)

    def _leave(self, reader: str, at_ns: int) -> Iterator[Reading]:
        self._unsure.discard(reader)
        uid = self._lying.pop(reader, None)
        if uid is not None:
            yield TagOff(reader, uid, at_ns)

    def _all_back(self, at_ns: int) -> Iterator[Reading]:
        self._told_lost = False
        for reader in self._readers:
            if not self._answers[reader]:
                self._answers[reader] = True
                yield DeviceBack(reader, f"board at {self._where}", at_ns)

    def _lost(self, reason: str, at_ns: int) -> Iterator[Reading]:
        if self._told_lost:
            return
        self._told_lost = True
        for reader in self._readers:
            self._answers[reader] = False
            yield DeviceLost(reader, reason, at_ns)

    def _odd(self, line: str) -> None:
        if not self._odd_told:
            self._odd_told = True
            logger.warning(
                "%s: %r is no line of the plain protocol (such as `1 04A3C6CAE26180 on`) and was "
                "skipped, as others will be; if all are odd, the baud rate may be another.",
                self._name,
                line,
            )
