"""What a driver is: it knows one kind of hardware and reports readings. It decides nothing.

A driver runs its own threads and hands every reading to `report`, which only puts it
into the table's queue and returns at once. Each reading is stamped with the monotonic
clock that the driver was handed.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

Clock: TypeAlias = Callable[[], int]
"""A monotonic clock in nanoseconds, such as `time.monotonic_ns`."""


class DriverError(Exception):
    """The root of what can go wrong when a driver is opened; its text says what to do."""


class DriverMissing(DriverError, ImportError):
    """The library that the hardware needs is not installed."""


class DriverName(DriverError, ValueError):
    """No driver answers to this name."""


@dataclass(frozen=True, slots=True)
class TagOn:
    """A tag came into a reader's field, or lies there when the reader starts.

    Attributes:
        reader: the name of the reader; it never changes while the service runs.
        uid: canonical (see `companion.uid`): upper-case hex in transmission order.
        at_ns: monotonic time in nanoseconds.
        lay_there: it was found there when the reader began to answer, so that nobody knows
            when it was laid down.
    """

    reader: str
    uid: str
    at_ns: int
    lay_there: bool = False


@dataclass(frozen=True, slots=True)
class TagOff:
    """The tag was seen to leave the field. An error is never a removal."""

    reader: str
    uid: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class SeveralTags:
    """More than one tag lies in the field and none can be believed."""

    reader: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class TagUnreadable:
    """Something lies in the field that gives no UID, or one that cannot be a UID."""

    reader: str
    reason: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class DeviceLost:
    """The reader does not answer; reported once until it is back.

    Attributes:
        reason: one plain sentence that says what is wrong and what to do.
    """

    reader: str
    reason: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class DeviceBack:
    """The reader answers (again); reported once, also at the start.

    Attributes:
        hardware: what the reader calls itself, for people.
    """

    reader: str
    hardware: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class DeviceGone:
    """The reader does not belong to the table any more: nobody misses it."""

    reader: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """A button was pressed; it does what the control token of that name does.

    Attributes:
        button: `stop`, `undo` or `shuffle`.
    """

    reader: str
    button: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Attitude:
    """How the ship lies: the acceleration that its sensor feels, at rest that of gravity.

    A tilt switch feels (0, 0, 1000) upright and (1000, 0, 0) tilted.

    Attributes:
        x_mg, y_mg, z_mg: along the sensor's axes, in thousandths of g.
    """

    reader: str
    x_mg: int
    y_mg: int
    z_mg: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class ClockJumped:
    """The clock of a board went on by another time than this computer's.

    Attributes:
        reader: the board's name; those of its places begin with it.
        by_s: seconds; below 0 where it jumped back or stood still.
    """

    reader: str
    by_s: float
    at_ns: int


Reading: TypeAlias = (
    TagOn
    | TagOff
    | SeveralTags
    | TagUnreadable
    | DeviceLost
    | DeviceBack
    | DeviceGone
    | ButtonPressed
    | Attitude
    | ClockJumped
)
Report: TypeAlias = Callable[[Reading], None]


class Driver(ABC):
    """One piece of hardware, or several of a kind, between `open` and `close`."""

    @abstractmethod
    def open(self, report: Report, clock: Clock) -> None:
        """Start to report. Returns at once, also when no hardware is there yet.

        Raises:
            DriverMissing: the library for this hardware is not installed.
        """

    @abstractmethod
    def close(self) -> None:
        """Stop reporting and end the threads, within a second."""


Sign: TypeAlias = Literal["accepted", "refused", "your-turn", "alarm"]
"""What a place can tell people by light and sound."""


@runtime_checkable
class Signalling(Protocol):
    """A driver that can tell people something at its places. Both calls return at once."""

    def signal(self, reader: str, sign: Sign) -> None:
        """Tell this at the place of that reader; a reader of another driver is ignored."""
        ...

    def arm(self, *, armed: bool) -> None:
        """An alarm runs, or has ended: how often the ship is looked at."""
        ...


@runtime_checkable
class Settling(Protocol):
    """A driver whose hardware keeps what it read until it hears that the table has it."""

    def settle_with(self, settle: Callable[[], object]) -> None:
        """Be handed, before `open`, what returns when the table has taken all readings so far."""
        ...


@dataclass(frozen=True, slots=True)
class Turned:
    """Which cards lie face up beside the pile.

    Attributes:
        uids: those whose tags were read.
        counts: by component, all of them, also those that were entered by touch.
    """

    uids: Collection[str]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Place:
    """What lies at one place of a table in software.

    Attributes:
        tags: UIDs, bottom to top or side by side.
        up: those of them that lie face up.
    """

    tags: Sequence[str]
    up: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class TableTop:
    """A table in software that is more than one pile of cards.

    Attributes:
        things: component by UID, of all cards, tiles and chips.
        lying: tells what lies where now, by place, such as `deck`, `hand-1`, `area-0`.
        stations: where readers stand, beside the one for tokens.
        carried: whether people have just moved the ship, which has a sensor; None without a ship.
    """

    things: Mapping[str, str]
    lying: Callable[[], Mapping[str, Place]]
    stations: Sequence[str]
    carried: Callable[[], bool] | None = None


class SimulatedDriver(Driver):
    """A driver that is a table in software: its cards are moved by hand on a page."""

    @property
    def stations(self) -> Mapping[str, str]:
        """Where its readers stand in whatever game, by their names."""
        return {}

    def seed(self, game: str) -> int:
        """What decides how the things of the game with this id lie; always the same for one."""
        digest = hashlib.blake2b(game.encode(), digest_size=6).digest()
        return int.from_bytes(digest, "big")

    @abstractmethod
    def lay_out(
        self,
        cards: Mapping[str, int],
        tokens: Sequence[str],
        enrolled: Mapping[str, str],
        turned: Callable[[], Turned],
        settle: Callable[[], object],
        *,
        top: TableTop | None = None,
    ) -> None:
        """Put the things on the table, before `open` and when another game begins.

        Args:
            cards: how many there are of each component.
            tokens: components that lie beside the pile, such as `control/stop`.
            enrolled: component by UID; the virtual twin of an enrolled tag has its UID.
            turned: tells which cards lie face up now.
            settle: returns when the table has taken all readings so far.
            top: what lies there in a game with more than one pile; None leaves a pile of cards.
        """

    @abstractmethod
    def component(self, uid: str) -> str | None:
        """What a tag of this table is on; None when it has no such tag."""
