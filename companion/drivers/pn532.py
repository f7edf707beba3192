"""A PN532 on a serial port of this computer: `pn532:/dev/serial0`.

What the chip is told is in `firmware_bridge.pn532`, what its looks mean in
`firmware_bridge.presence`, and how a port is kept open in `companion.drivers.port_thread`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from companion import uid
from companion.drivers import ports, unreadable
from companion.drivers.api import (
    DeviceBack,
    DeviceLost,
    Reading,
    SeveralTags,
    TagOff,
    TagOn,
    TagUnreadable,
)
from companion.drivers.port_thread import PortDriver, Talk
from companion.said import say
from firmware_bridge import pn532
from firmware_bridge.pn532 import Pn532
from firmware_bridge.presence import Presence

ACK_MS = 30
"""The chip has 15 ms to acknowledge; a USB adapter keeps bytes for up to 16 ms besides."""

FOUND_LOOKS = 5
"""A tag that is seen twice within so many looks of the chip's first lay there before."""

TRIES_UNTIL_TOLD = 5
"""Looks in a row that found a tag without a UID that can be believed."""

_PORT_OF_THE_PI = re.compile(r"/dev/(?:serial|ttyS|ttyAMA)[0-9]+")
_NS_IN_MS = 1_000_000


class Pn532Driver(PortDriver):
    """One PN532 on a serial line (see `PortDriver`).

    `?targets=1` looks for one tag at a time, where a copy of the chip is confused by looking
    for two; `?number=2` calls the reader `pn532-2`.
    """

    kind: ClassVar[str] = "pn532:"

    def __init__(self, where: str, listing: ports.Listing | None = None) -> None:
        where, self._targets = ports.cut_option(self.kind, where, "targets", 2, highest=2)
        super().__init__(where, listing)

    def _talk(self) -> Conversation:
        return Conversation(self._name, self._address, self._targets)


class Conversation(Talk):
    """What is said with one chip, and which readings follow from it.

    The belief about the field outlasts a lost port: a tag that lies there still when the
    chip is back is no new one.

    Args:
        reader: the reader's name.
        address: where it is, for people.
        targets: how many tags to tell apart, 1 or 2.
    """

    def __init__(self, reader: str, address: ports.Address, targets: int) -> None:
        self._reader = reader
        self._address = address
        self._targets = targets
        self._chip = Pn532(targets, ack_ms=ACK_MS)
        self._presence = Presence()
        self._answers: bool | None = None
        self._looks = 0  # since it began to answer
        self._unreadable = 0  # looks in a row

    def opened(self, at_ns: int) -> None:  # noqa: ARG002 - the chip's time begins with `to_say`
        """The port was opened (again), so the chip is met as if for the first time."""
        self._chip = Pn532(self._targets, ack_ms=ACK_MS)

    def heard(self, data: bytes, at_ns: int) -> Iterable[Reading]:
        """What follows from these bytes."""
        self._chip.feed(data, at_ns // _NS_IN_MS)
        readings: list[Reading] = []
        while (event := self._chip.next_event()) is not None:
            readings += self._understood(event, at_ns)
        return readings

    def to_say(self, at_ns: int) -> bytes:
        """What to write to the chip now."""
        return self._chip.output(at_ns // _NS_IN_MS)

    def lost(self, reason: str, at_ns: int) -> Iterable[Reading]:
        """The port or the chip does not answer; told once."""
        if self._answers is False:
            return ()
        self._answers = False
        where = self._address.where
        if _PORT_OF_THE_PI.fullmatch(where) and not Path(where).exists():
            reason = say(
                "There is no port %(where)s: switch it on with `sudo raspi-config` (Interface "
                "Options, Serial Port: no login shell, but the hardware), and start again.",
                where=where,
            )
        return (DeviceLost(self._reader, reason, at_ns),)

    def _understood(
        self, event: tuple[str, str | tuple[bytes, ...]], at_ns: int
    ) -> Iterable[Reading]:
        match event:
            case ("ready", str(hardware)):
                self._looks = self._unreadable = 0
                if not self._answers:
                    self._answers = True
                    yield DeviceBack(self._reader, hardware, at_ns)
            case ("lost", str(reason)):
                yield from self.lost(what_to_check(reason, self._address), at_ns)
            case ("unreadable", str(reason)):
                self._unreadable += 1
                if self._unreadable == TRIES_UNTIL_TOLD:
                    yield TagUnreadable(self._reader, unreadable.said(reason), at_ns)
            case ("targets", tuple(found)):
                self._looks += 1
                self._unreadable = 0
                yield from self._looked(found, at_ns)

    def _looked(self, found: tuple[bytes, ...], at_ns: int) -> Iterator[Reading]:
        for word in self._presence.seen(found, at_ns // _NS_IN_MS):
            match word:
                case ("on", number):
                    there = self._looks <= FOUND_LOOKS
                    yield TagOn(self._reader, uid.from_bytes(number), at_ns, lay_there=there)
                case ("off", number):
                    yield TagOff(self._reader, uid.from_bytes(number), at_ns)
                case ("several",):
                    yield SeveralTags(self._reader, at_ns)


def what_to_check(reason: str, address: ports.Address) -> str:
    """One sentence for people about a chip that does not answer.

    Args:
        reason: as `firmware_bridge.pn532` has it.
        address: where the chip is.
    """
    where = str(address)
    match reason:
        case pn532.ECHO:
            return say(
                "What is sent to %(where)s comes back: check that TX and RX are not joined, and that "
                "no login shell uses the port (`sudo raspi-config`, Interface Options, Serial Port).",
                where=where,
            )
        case pn532.GARBLED:
            return say(
                "What comes from %(where)s is nothing that a PN532 says: check that its switches "
                "stand on UART (HSU), that no other program has the port, and that no login shell "
                "uses the port (`sudo raspi-config`, Interface Options, Serial Port).",
                where=where,
            )
        case pn532.STOPPED:
            return say(
                "The PN532 at %(where)s does not answer any more: check its power and its wires; it "
                "is asked again and again.",
                where=where,
            )
    return say(
        "No PN532 answers at %(where)s: check that it has power, that its switches stand on UART "
        "(HSU), that TX of each side goes to RX of the other, and that no login shell uses the port "
        "(`sudo raspi-config`, Interface Options, Serial Port).",
        where=where,
    )
