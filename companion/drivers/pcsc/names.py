"""What a PC/SC reader's name says, and which seat at the table a reader has.

Nothing here touches a reader: a name is text, and a seat is the name under which the
rest of the program knows a reader for as long as the service runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

MOST_SEATS = 16
"""pcsc-lite serves no more readers than this (PCSCLITE_MAX_READERS_CONTEXTS)."""

FIRST_SEAT = "pcsc-1"

# pcsc-lite writes the reader's and the slot's index as two hexadecimal digits each.
_PCSC_LITE = re.compile(r"(?P<text>.+) (?P<reader>[0-9A-F]{2}) (?P<slot>[0-9A-F]{2})")
# macOS counts the slots of a reader from one, without a space before the bracket.
_MACOS = re.compile(r"(?P<text>.*\S)\((?P<slot>[1-9][0-9]?)\)")
_WINDOWS = re.compile(r"(?P<text>.+) (?P<reader>[0-9]{1,2})")

_SERIAL = re.compile(r"(?P<rest>.*\S) \((?P<serial>[^()]+)\)")
_INTERFACE = re.compile(r"(?P<rest>.*\S) \[(?P<interface>[^\[\]]+)\]")

_CONTACT_WORDS = frozenset({"SAM", "ICC"})

_CONTACT_SLOTS = frozenset(
    {
        ("ACS ACR1281 1S Dual Reader", 0),
        ("ACS ACR1281 1S Dual Reader", 2),
        ("ACS ACR1252 1S CL Reader", 1),
    }
)
"""Slots that take contact cards though their name does not say so: (vendor text, slot)."""


@dataclass(frozen=True, slots=True)
class ReaderName:
    """The parts of a reader's name as PC/SC shows it.

    Attributes:
        vendor: the maker's text, such as `ACS ACR122U PICC Interface`.
        interface: what stands in square brackets: the USB interface's own name.
        serial: what stands in round brackets. Two readers may share one.
        reader_index: which reader of this name it is, from zero; it changes at replug.
        slot_index: which slot of the reader it is, from zero, also where macOS counts
            from one.
    """

    vendor: str
    interface: str | None = None
    serial: str | None = None
    reader_index: int | None = None
    slot_index: int | None = None

    @property
    def identity(self) -> tuple[str, str | None, str | None]:
        """What stays when the reader is plugged in again: everything but the indices."""
        return (self.vendor, self.interface, self.serial)

    @property
    def is_contactless(self) -> bool:
        """Whether a tag may come into this slot's field.

        Whole words are compared, as PICC, the contactless one, contains ICC.
        """
        text = self.vendor if self.interface is None else self.interface
        words = re.findall("[A-Z0-9]+", text.upper())
        return (
            _CONTACT_WORDS.isdisjoint(words)
            and (self.vendor, self.slot_index) not in _CONTACT_SLOTS
        )


def parse(pcsc_name: str) -> ReaderName:
    """Take a reader's name apart: the forms of pcsc-lite, Windows and macOS.

    A name of another form is its own vendor text; nothing is refused, because the
    name belongs to the reader's maker. (The pcsc-lite form: libccid's rule of
    manufacturer, product, [interface], (serial), two indices.)
    """
    text, reader_index, slot_index = pcsc_name.strip(), None, None
    if found := _PCSC_LITE.fullmatch(text):
        text = found["text"]
        reader_index, slot_index = int(found["reader"], 16), int(found["slot"], 16)
    elif found := _MACOS.fullmatch(text):
        text, slot_index = found["text"], int(found["slot"]) - 1
    elif found := _WINDOWS.fullmatch(text):
        text, reader_index = found["text"], int(found["reader"])
    text, serial = _cut(_SERIAL, text, "serial")
    text, interface = _cut(_INTERFACE, text, "interface")
    return ReaderName(text, interface, serial, reader_index, slot_index)


def chosen(pcsc_names: Iterable[str], which: str) -> tuple[str, ...]:
    """The contactless readers whose name contains `which`, sorted, each once.

    Args:
        pcsc_names: the names as PC/SC lists them, in any order.
        which: text, of any case; empty takes every contactless reader.
    """
    return tuple(
        name
        for name in sorted(set(pcsc_names))
        if which.casefold() in name.casefold() and parse(name).is_contactless
    )


@dataclass(frozen=True, slots=True)
class Seat:
    """The lasting name of a reader.

    Attributes:
        name: `pcsc-1`, `pcsc-2` and so on.
        pcsc_name: the name under which PC/SC showed the reader last; none yet if None.
        present: whether PC/SC shows that name now.
    """

    name: str
    pcsc_name: str | None = None
    present: bool = False


FIRST_SEATS = (Seat(FIRST_SEAT),)
"""The first seat is there before any reader is."""


def assign(seats: Sequence[Seat], pcsc_names: Sequence[str]) -> tuple[Seat, ...]:
    """The seats after PC/SC has shown these readers.

    A reader that shows its old name keeps its seat. One with a new name takes the seat
    of a vanished reader that differs in the index numbers alone, one of the same slot
    first; else a seat that nobody had yet; else a new one at the end. No seat is ever
    taken away, and beyond `MOST_SEATS` nobody is seated.

    Args:
        seats: as they were, in the order of their numbers.
        pcsc_names: the readers that are there, in the order in which newcomers sit down.
    """
    here = set(pcsc_names)
    now = [replace(seat, present=seat.pcsc_name in here) for seat in seats]
    seated = {seat.pcsc_name for seat in now}
    for pcsc_name in pcsc_names:
        if pcsc_name in seated:
            continue
        index = _free_seat(now, parse(pcsc_name))
        if index is not None:
            now[index] = replace(now[index], pcsc_name=pcsc_name, present=True)
        elif len(now) < MOST_SEATS:
            now.append(Seat(f"pcsc-{len(now) + 1}", pcsc_name, present=True))
        seated.add(pcsc_name)
    return tuple(now)


def _free_seat(seats: Sequence[Seat], newcomer: ReaderName) -> int | None:
    ranked = []
    for index, seat in enumerate(seats):
        if seat.present:
            continue
        if seat.pcsc_name is None:
            ranked.append((2, index))
            continue
        vanished = parse(seat.pcsc_name)
        if vanished.identity == newcomer.identity:
            ranked.append((int(vanished.slot_index != newcomer.slot_index), index))
    return min(ranked)[1] if ranked else None


def _cut(pattern: re.Pattern[str], text: str, part: str) -> tuple[str, str | None]:
    found = pattern.fullmatch(text)
    return (found["rest"], found[part]) if found else (text, None)
