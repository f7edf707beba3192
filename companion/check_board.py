"""`companion check-board`: a self-test in the terminal of one driver and all that hangs on it.

It opens the driver that is named, says what answers, and goes through the places with the
person at the terminal: a card on each, the ship, the buttons, lights and sounds. Nothing is
enrolled, and no game knows of it.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from typing import TextIO
from urllib.parse import parse_qs

from companion.check_talk import CheckTalk, Finding, NobodyTypes, Stopped, cause_and_fix
from companion.drivers.api import (
    Attitude,
    ButtonPressed,
    Clock,
    DeviceBack,
    DeviceLost,
    Driver,
    SeveralTags,
    Sign,
    Signalling,
    SimulatedDriver,
    TagOff,
    TagOn,
    TagUnreadable,
)
from companion.drivers.bridge import BridgeDriver
from companion.drivers.gpio import ButtonDriver, SignDriver, TiltDriver
from companion.drivers.line import LineDriver
from companion.errors import PlainError
from companion.ship import STRANGE_MG, TILT_SWITCH, S, Thresholds, Vector, tilt_deg
from firmware_bridge.board import PINS
from firmware_bridge.messages import PROTOCOL

LIMIT_S = 20.0
"""How long people are waited for at each step."""

ANSWER_S = 14.0
"""A board that starts anew when its port is opened needs some seconds, and may be asked twice."""

GATHER_S = 3.0
"""Within this time after the first answer the other places answer, or are told as lost."""

HOLD_S = 3.0
"""A card that lies there is watched for so long."""

UPRIGHT_S = 1.0
STAYS_NS = 300_000_000
LEAST_HZ = 10
SHOWN_NS = 250_000_000
SHOWN_DEG = 5
TILT_FALLS = (1000.0, 0.0, 0.0)

SIGNS: dict[Sign, tuple[str, str]] = {
    "accepted": ("green, one short tone", "once, short"),
    "refused": ("red twice, two long low tones", "once, long"),
    "your-turn": ("blue three times, three rising tones", "twice, short"),
    "alarm": ("amber, flickering for over a second", "four times"),
}
"""What people should see and hear: at a place of a board, and from a pin of the Pi."""


class NothingToCheck(PlainError, ValueError):
    """The driver that was named has no hardware."""


def typed_lines(descriptor: int = 0) -> Iterator[str]:
    """What is typed at the terminal, without the buffer that Python locks when it ends."""
    held = b""
    with suppress(OSError):  # as the end: a terminal that is gone
        while data := os.read(descriptor, 1024):
            *lines, held = (held + data).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace")


def notes_only(record: logging.LogRecord) -> bool:
    """A filter for the log: that something is lost is told by the check itself."""
    return not str(record.msg).startswith("%s: lost.")


def check_board(
    driver: Driver,
    name: str,
    clock: Clock,
    lines: Iterable[str],
    out: TextIO,
    *,
    show_uids: bool = False,
    limit_s: float = LIMIT_S,
) -> Sequence[Finding]:
    """Walk through all that hangs on a driver, and print a list of what works at the end.

    Args:
        driver: not open yet.
        name: what it was called, such as `bridge:/dev/ttyACM0`.
        clock: for the driver.
        lines: what is typed; it is read in a thread of its own.
        out: where to print.
        show_uids: print UIDs in full, and not their last two bytes alone.
        limit_s: how long to wait for people at each step.

    Returns:
        The findings, in order.

    Raises:
        NothingToCheck: a simulated table.
        NobodyTypes: what is typed has ended, and more is asked; the list was printed.
        DriverError: the driver cannot be opened.
    """
    if isinstance(driver, SimulatedDriver):
        raise NothingToCheck(f"{name} is a table in software: there is nothing to check.")
    check = _Check(driver, name, clock, out, show_uids=show_uids, limit_s=limit_s)
    with ExitStack() as stack:
        stack.callback(check.summary)
        driver.open(check.heard.put, clock)
        stack.callback(driver.close)
        threading.Thread(target=check.read, args=(lines,), name="typed", daemon=True).start()
        check.run()
    return check.findings


class _Check(CheckTalk):
    """The steps."""

    def __init__(
        self,
        driver: Driver,
        name: str,
        clock: Clock,
        out: TextIO,
        *,
        show_uids: bool,
        limit_s: float,
    ) -> None:
        super().__init__(clock, out)
        self._driver = driver
        self._name = name
        self._show_uids = show_uids
        self._limit_s = limit_s

    def run(self) -> None:
        """All steps."""
        self._meet()
        readers = sorted(self.hardware, key=_in_order)
        places = [reader for reader in readers if not reader.endswith("/ship")]
        match self._driver:
            case _ if not readers:
                return
            case TiltDriver():
                self.step("the ship", self._ship, readers[0])
            case ButtonDriver():
                self.step("the button", self._button, readers[0])
            case SignDriver() as driver:
                self._signs(driver, _stands_at(self._name, readers), of_board=False)
            case LineDriver():
                self._any_places()
            case BridgeDriver() as driver:
                self._cards(places)
                if places != readers:
                    self.step("the ship", self._ship, readers[-1])
                for reader in places:
                    self.step(f"the button of {reader}", self._button, reader)
                self._signs(driver, places, of_board=True)
            case _:
                self._cards(places)

    def _cards(self, places: Sequence[str]) -> None:
        for reader in places:
            self.step(f"a card on {reader}", self._card, reader)

    # --- who answers ------------------------------------------------------------------

    def _meet(self) -> None:
        """Wait until somebody answers, and a while longer for the others."""
        self.say(f"Looking for {self._name} …")
        since_ns = self.clock()
        for reading in self.readings(ANSWER_S, skips=False):
            if isinstance(reading, DeviceBack | DeviceLost):
                break
        for reason in () if self.hardware else self.reasons.values():
            self.say(f"  {reason}\nWaiting a little longer … (Enter: give up)")
        with suppress(NobodyTypes):  # who gives up; what did not answer is told all the same
            for reading in self.readings(0.0 if self.hardware else ANSWER_S):
                if isinstance(reading, DeviceBack):
                    break
        if self.hardware:
            for _ in self.readings(GATHER_S, skips=False):
                pass
        took_s = (self.clock() - since_ns) / S
        for reader, reason in self.reasons.items():
            self._gone(reader, reason)
        for reader in sorted(self.hardware, key=_in_order):
            self.say(f"  {reader} answers: {self.hardware[reader]}")
            self.found(reader, "works", self.hardware[reader])
        if isinstance(self._driver, BridgeDriver) and self.hardware:
            self.say(f"  It speaks version {PROTOCOL} of the board protocol, as this program does.")
        if not self.hardware and not self.reasons:
            self.found(
                self._name,
                "fails",
                f"nothing answered within {took_s:.0f} s",
                "plug it in, and see that it has power",
            )

    # --- cards ------------------------------------------------------------------------

    def _card(self, reader: str) -> str:
        asked_ns = self.clock()
        uid = self.lying.get(reader)
        if uid is None:
            self.say(f"Lay one card on {reader}. (Enter: leave it out)")
            uid = self._card_comes(reader)
            seen = f"seen after {(self.clock() - asked_ns) / S:.1f} s"
        else:
            seen = "it lay there already"
        self.say(f"  Tag {self._short(uid)}, {seen}. Leave it there …")
        self._stays(reader, uid)
        self.say(f"  Not missed once in {HOLD_S:g} s.")
        self.say("Take it away. (Enter: leave it out)")
        asked_ns = self.clock()
        gone = "not taken away"
        for reading in self.readings(self._limit_s):
            if isinstance(reading, TagOff) and reading.reader == reader:
                gone = f"gone after {(self.clock() - asked_ns) / S:.1f} s"
                break
        return f"tag {self._short(uid)}, {seen}, no misses in {HOLD_S:g} s, {gone}"

    def _card_comes(self, reader: str) -> str:
        unreadable = ""
        elsewhere = ""
        for reading in self.readings(self._limit_s):
            match reading:
                case TagOn(reader=where, uid=uid) if where == reader:
                    return uid
                case TagOn(reader=where):
                    elsewhere = where
                    self.say(f"  A card came to {where}.")
                case SeveralTags(reader=where) if where == reader:
                    self.say("  More than one card lies there: lay one.")
                case TagUnreadable(reader=where, reason=reason) if where == reader:
                    unreadable = reason
                    self.say(f"  Something lies there that cannot be read: {reason}")
        if self.skipped:
            raise Stopped("not checked", "left out")
        if unreadable:
            raise Stopped("fails", unreadable, "try a tag of another kind, such as an NTAG213")
        if elsewhere:
            raise Stopped(
                "fails",
                f"the card was seen by {elsewhere}",
                "compare the select wires of the two readers, and move their antennas apart",
            )
        raise Stopped(
            "fails",
            f"no card was seen within {self._limit_s:g} s",
            "lay another card on the middle of the antenna, with no metal near it",
        )

    def _stays(self, reader: str, uid: str) -> None:
        misses = 0
        for reading in self.readings(HOLD_S, skips=False):
            match reading:
                case TagOff(reader=where) if where == reader:
                    misses += 1
                case SeveralTags(reader=where) if where == reader:
                    raise Stopped(
                        "fails",
                        "more than one card was seen there",
                        "lay one card alone; no second tag within a hand's breadth",
                    )
                case TagOn(reader=where, uid=other) if where != reader and other == uid:
                    raise Stopped(
                        "fails",
                        f"{where} sees the same card",
                        "move the two antennas a hand apart",
                    )
        if misses:
            times = "once" if misses == 1 else f"{misses} times"
            raise Stopped(
                "fails",
                f"the card was lost {times} in {HOLD_S:g} s while it lay there",
                "stick the tag flat and away from metal, and see that the reader's power holds",
            )

    def _any_places(self) -> None:
        """A plain board does not tell which places it has: they are found by cards."""
        places: dict[str, str] = {}
        self.say("Lay a card on each place in turn, and take it away. (Enter: that was all)")
        for reading in self.readings(self._limit_s, anew=True):
            match reading:
                case TagOn(reader=reader, uid=uid):
                    self.say(f"  {reader}: tag {self._short(uid)}")
                    places.setdefault(reader, f"tag {self._short(uid)}")
                case TagOff(reader=reader):
                    self.say(f"  {reader}: gone")
                    places[reader] = places.get(reader, "a tag").split(",")[0] + ", gone again"
                case TagUnreadable(reader=reader, reason=reason):
                    self.say(f"  {reader}: {reason}")
                    self.found(f"a card on {reader}", "fails", reason, "send the whole UID")
                case DeviceLost(reader=reader, reason=reason) if reader not in places:
                    self.found(reader, "fails", *cause_and_fix(reason))
                    return
        for reader in sorted(places):
            self.found(f"a card on {reader}", "works", places[reader])
        if not places and self.skipped:
            self.found("cards", "not checked", "left out")
        elif not places:
            self.found(
                "cards",
                "fails",
                f"no line about a card came within {self._limit_s:g} s",
                "see that it prints lines such as `1 04A3C6CAE26180 on`, at the same baud rate",
            )

    # --- the ship ---------------------------------------------------------------------

    def _ship(self, reader: str) -> str:
        rules = Thresholds()
        assert isinstance(self._driver, Signalling)  # noqa: S101 - for the type checker
        self._driver.arm(armed=True)
        try:
            self.ask("Stand the ship upright, take your hand away and press Enter.")
            upright, rate_hz = self._upright(reader)
            self.say(f"  {rate_hz:.0f} readings a second.")
            self.say("Tip the ship on its side. (Enter: leave it out)")
            self._leans(reader, upright, at_least=rules.capsized_deg, at_most=180.0)
            self.say("Stand it up again. (Enter: leave it out)")
            self._leans(reader, upright, at_least=0.0, at_most=rules.upright_deg)
        finally:
            self._driver.arm(armed=False)
        return f"{rate_hz:.0f} readings a second, tipped and stood up again"

    def _upright(self, reader: str) -> tuple[Vector, float]:
        since_ns = self.clock()
        felt = [
            (reading.x_mg, reading.y_mg, reading.z_mg)
            for reading in self.readings(UPRIGHT_S, skips=False)
            if isinstance(reading, Attitude)
            and reading.reader == reader
            and reading.at_ns >= since_ns
        ]
        if not felt:
            raise Stopped(
                "fails", "its sensor tells nothing", "look at the sensor's wires and its power"
            )
        x, y, z = (sum(axis) / len(felt) for axis in zip(*felt, strict=True))
        gravity_mg = (x * x + y * y + z * z) ** 0.5
        is_switch = set(felt) <= TILT_SWITCH
        if is_switch and (x, y, z) == TILT_FALLS:
            raise Stopped("fails", "it tells a fallen ship while the ship stands", self._turn_it())
        if abs(gravity_mg - 1000) > STRANGE_MG and not is_switch:
            raise Stopped(
                "fails",
                f"at rest it feels {gravity_mg / 1000:.2f} g, and gravity is 1",
                "look at the sensor's wires and its battery, and hold the ship still",
            )
        rate_hz = len(felt) / UPRIGHT_S
        if rate_hz < LEAST_HZ:
            raise Stopped(
                "fails",
                f"only {rate_hz:.0f} readings a second come, and an alarm needs {LEAST_HZ}",
                "bring the ship nearer to the network's box, or shorten the sensor's wires",
            )
        return (x, y, z), rate_hz

    def _turn_it(self) -> str:
        if not isinstance(self._driver, TiltDriver):
            return "turn the switch round: it has to be closed while the ship stands"
        bare, _, query = self._name.partition("?")
        other = "low" if "upright=high" in query else "high"
        return f"call it {bare}?upright={other}"

    def _leans(self, reader: str, upright: Vector, *, at_least: float, at_most: float) -> None:
        """Show the angle until it has stayed in this range for a moment."""
        came_ns: int | None = None
        shown_ns, shown_deg, furthest_deg = 0, -180.0, 0.0
        for reading in self.readings(self._limit_s):
            if not isinstance(reading, Attitude) or reading.reader != reader:
                continue
            angle = tilt_deg((reading.x_mg, reading.y_mg, reading.z_mg), upright)
            furthest_deg = max(furthest_deg, angle)
            if reading.at_ns - shown_ns >= SHOWN_NS and abs(angle - shown_deg) >= SHOWN_DEG:
                self.say(f"  {angle:3.0f} degrees")
                shown_ns, shown_deg = reading.at_ns, angle
            if not at_least <= angle <= at_most:
                came_ns = None
            elif came_ns is None:
                came_ns = reading.at_ns
            elif reading.at_ns - came_ns >= STAYS_NS:
                return
        if self.skipped:
            raise Stopped("not checked", "left out")
        if at_least:
            raise Stopped(
                "fails",
                f"it told {furthest_deg:.0f} degrees at most, and {at_least:g} are capsized",
                "fasten the sensor firmly in the ship; a tilt switch stands along the mast",
            )
        raise Stopped(
            "fails",
            f"it did not tell that the ship stands again, within {at_most:g} degrees",
            "fasten the sensor firmly in the ship, and begin again",
        )

    # --- buttons, lights and sounds -----------------------------------------------------

    def _button(self, reader: str) -> str:
        self.say(f"Press the button at {reader}. (Enter: there is none)")
        for reading in self.readings(self._limit_s):
            if not isinstance(reading, ButtonPressed):
                continue
            if reading.reader == reader:
                self.say(f"  It means {reading.button}.")
                return f"means {reading.button}"
            raise Stopped(
                "fails",
                f"the press came from {reading.reader}",
                f"compare its wire with that of {reading.reader}",
            )
        if self.skipped:
            raise Stopped("not checked", "there is none")
        raise Stopped(
            "fails",
            f"no press came within {self._limit_s:g} s",
            f"look at the wires from {self._pin('buttons', reader)} to the button and to ground",
        )

    def _signs(self, driver: Signalling, places: Sequence[str], *, of_board: bool) -> None:
        places = [place for place in places if place not in self.reasons]
        for sign, looks in SIGNS.items() if places else ():
            look = looks[0 if of_board else 1]
            if self._shown(driver, sign, places, f"{sign!r}: {look}"):
                continue
            for place in places if len(places) > 1 else ():
                self._shown(driver, sign, [place], f"{sign!r} at {place}: {look}")

    def _shown(self, driver: Signalling, sign: Sign, places: Sequence[str], look: str) -> bool:
        """Play a sign and ask; whether nobody has to ask place by place."""
        for place in places:
            driver.signal(place, sign)
        several = len(places) > 1
        question = f"Sign {look}{', at all places' if several else ''}. Was it so? [y/n]"
        answer = self.ask(question).casefold()[:1]
        what = f"the sign {sign!r} at {', '.join(places)}"
        if answer == "y":
            self.found(what, "works", "seen")
        elif answer != "n":
            self.found(what, "not checked", "no answer")
        elif several:
            return False
        else:
            self.found(
                what,
                "fails",
                "it was not seen or heard as it should be",
                f"look at the power and the wires of {self._outputs(places[0])}",
            )
        return True

    def _outputs(self, place: str) -> str:
        lights = self._pin("lights", place)
        if lights == "its pin":
            return "the lamp or buzzer"
        return f"the lights ({lights}) and the buzzer ({self._pin('buzzers', place)})"

    def _pin(self, kind: str, reader: str) -> str:
        """The pin of a board for this, in words; boards tell which table of pins they have."""
        pins = PINS.get(self.hardware.get(reader, "").partition(",")[0], {})
        number = reader.rpartition("/")[2]
        found = pins.get(kind)
        if isinstance(found, tuple) and number.isdecimal():
            found = found[int(number)]
        return f"GPIO {found}" if isinstance(found, int) else "its pin"

    def _gone(self, reader: str, reason: str) -> None:
        self.hardware.pop(reader, None)
        self.found(reader, "fails", *cause_and_fix(reason))

    def _short(self, uid: str) -> str:
        return uid if self._show_uids else f"…{uid[-4:]}"


def _in_order(reader: str) -> tuple[str, int, str]:
    head, _, last = reader.rpartition("/")
    return (head, int(last), "") if last.isdecimal() else (head, 1 << 30, last)


def _stands_at(name: str, readers: Sequence[str]) -> list[str]:
    """Where a lamp or buzzer answers: the first place that its name tells, or its own."""
    at = parse_qs(name.partition("?")[2]).get("at", [""])[0]
    return [at.split(",")[0] or readers[0]]
