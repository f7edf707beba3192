"""What goes wrong at a table, how often, and what the readers tell then.

A plan says for each kind of fault with which chance it strikes at one tap:

    [hands]
    forget = 0.003          # a tap is left out
    [readers]
    miss = 0.03             # a tap is not read
    duplicate = 0.03        # it is read twice
    [devices]
    unplugged = 0.001       # a reader's cable is pulled, until somebody plugs it in
    [service]
    killed = 0.001          # the service dies, and starts again on the same record

Everything comes from one seed: the same plan, seed and people bring the same faults.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeAlias

from companion.drivers.api import Reading, SeveralTags, TagOff, TagOn, TagUnreadable
from companion.errors import PlainError

KINDS: Mapping[str, Mapping[str, str]] = {
    "hands": {
        "hold": "the card lies on the reader for many seconds",
        "fumble": "it is laid, lifted a little, and laid again",
        "twice": "it is tapped twice",
        "two-cards": "another card lies on the reader at the same time",
        "forget": "the tap is left out",
        "wrong-reader": "it is tapped at another station",
        "misplace": "a thing on the board is put where it does not belong",
    },
    "readers": {
        "miss": "the tap is not read",
        "duplicate": "it is read twice",
        "garbage": "another UID is read, one that no tag has",
        "unreadable": "something is read that is no UID",
    },
    "devices": {
        "unplugged": "the cable of the reader is pulled, until somebody plugs it in",
        "dead-board": "all readers are gone for some time, and people go on by touch",
        "restarted-pcscd": "all readers are gone for a moment, and find what lies there",
        "board-clock": "the clock of the board jumps",
        "knocked-ship": "the ship is knocked over outside an alarm, and stood up again",
    },
    "service": {
        "killed": "the service is killed, and started on the record as it was then",
        "full-disk": "the disk takes nothing for some time",
        "stepped-clock": "the wall clock is set, by hours",
    },
}
"""Every kind of fault, by the table of the plan that names it, and what it is."""

ALL_KINDS = tuple(kind for kinds in KINDS.values() for kind in kinds)

UNKNOWN_UID = "FEFFFFFFFFFFFF"


class PlanError(PlainError):
    """The plan of faults is not understood; the text says where."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How often each kind of fault strikes.

    Attributes:
        rates: chance at one tap, by kind; a kind that is not named never strikes.
    """

    rates: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, toml: str) -> Plan:
        """The plan that this text says (see the module).

        Raises:
            PlanError: it is no TOML, or names what there is not.
        """
        try:
            tables = tomllib.loads(toml)
        except tomllib.TOMLDecodeError as error:
            raise PlanError(f"The plan is not TOML: {error}.") from None
        rates: dict[str, float] = {}
        for table, entries in tables.items():
            if table not in KINDS or not isinstance(entries, dict):
                raise PlanError(
                    f"The plan has no place for {table!r}: its tables are {', '.join(KINDS)}."
                )
            for kind, rate in entries.items():
                if kind not in KINDS[table]:
                    raise PlanError(
                        f"There is no fault {kind!r} of {table}; there is {', '.join(KINDS[table])}."
                    )
                if type(rate) not in (int, float) or not 0 <= rate <= 1:
                    raise PlanError(f"The rate of {kind} is a number from 0 to 1, not {rate!r}.")
                rates[kind] = float(rate)
        return cls(rates)

    @classmethod
    def read(cls, path: Path) -> Plan:
        """The plan in that file.

        Raises:
            PlanError: it cannot be read or understood.
        """
        try:
            return cls.of(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise PlanError(f"The plan {path} cannot be read ({error}).") from None

    def strikes(self, chance: Random) -> frozenset[str]:
        """Which kinds strike at the next tap."""
        return frozenset(kind for kind, rate in self.rates.items() if chance.random() < rate)


USUAL = """\
# What `companion simulate` plays without a plan of your own: misses and duplicates of 3 %, and
# each other kind of fault now and then.
[hands]
hold = 0.005
fumble = 0.005
twice = 0.005
two-cards = 0.003
forget = 0.003
wrong-reader = 0.003
misplace = 0.003
[readers]
miss = 0.03
duplicate = 0.03
garbage = 0.003
unreadable = 0.003
[devices]
unplugged = 0.001
dead-board = 0.0005
restarted-pcscd = 0.001
board-clock = 0.0005
knocked-ship = 0.001
[service]
killed = 0.001
full-disk = 0.001
stepped-clock = 0.001
"""

Step: TypeAlias = tuple[float, Callable[[int], Reading]]
"""Seconds after the step before, and what is read then, given the monotonic time in ns."""

BEFORE_S = 2.0
LYING_S = 0.6


@dataclass(frozen=True, slots=True)
class Tap:
    """One tag at one reader, as it is meant."""

    reader: str
    uid: str

    def on(self, after_s: float = BEFORE_S, *, lay_there: bool = False) -> Step:
        """It comes into the field."""
        return after_s, lambda at_ns: TagOn(self.reader, self.uid, at_ns, lay_there)

    def off(self, after_s: float = LYING_S) -> Step:
        """It leaves the field."""
        return after_s, lambda at_ns: TagOff(self.reader, self.uid, at_ns)


def steps_of(tap: Tap, beside: str | None, struck: frozenset[str], chance: Random) -> list[Step]:
    """What a reader tells of one tap when these faults strike.

    Args:
        tap: as it was meant; a wrong reader is the caller's matter.
        beside: the UID of what may slip onto the reader, too.
        struck: kinds of faults; those of devices and of the service are the caller's matter.
        chance: decides on times.
    """
    steps = _by_hands(tap, beside, struck, chance)
    if "miss" in struck:
        return steps[2:]  # the first laying down and lifting; a second tap is read
    if "unreadable" in struck and steps:
        steps[0] = (
            BEFORE_S,
            lambda at_ns: TagUnreadable(tap.reader, "it gives no UID", at_ns),
        )
        del steps[1:2]
    elif "garbage" in struck and steps:
        steps[:2] = [Tap(tap.reader, UNKNOWN_UID).on(), Tap(tap.reader, UNKNOWN_UID).off()]
    elif "duplicate" in struck and steps:
        again = [tap.on(chance.uniform(0.01, 0.5))]
        if chance.random() < 0.5:
            again = [tap.off(0.1), tap.on(chance.uniform(0.01, 0.25))]
        steps[1:1] = again
    return steps


def _by_hands(tap: Tap, beside: str | None, struck: frozenset[str], chance: Random) -> list[Step]:
    if "forget" in struck:
        return []
    if "two-cards" in struck and beside is not None:
        return _two_cards(tap, Tap(tap.reader, beside), chance)
    steps = [tap.on(), tap.off(chance.uniform(5, 60) if "hold" in struck else LYING_S)]
    if "fumble" in struck:
        steps[1:1] = [tap.off(0.1), tap.on(chance.uniform(0.02, 0.25))]
    if "twice" in struck:
        steps += [tap.on(chance.choice((0.4, 1.0, 2.0, 4.0))), tap.off()]
    return steps


def _two_cards(tap: Tap, other: Tap, chance: Random) -> list[Step]:
    """A reader that says so, or one that reads them in turn."""
    if chance.random() < 0.5:
        return [(BEFORE_S, lambda at_ns: SeveralTags(tap.reader, at_ns))]
    first, second = (tap, other) if chance.random() < 0.5 else (other, tap)
    steps = [first.on()]
    for _ in range(3):
        steps += [first.off(0.2), second.on(0), second.off(0.2), first.on(0)]
    return [*steps, first.off()]
