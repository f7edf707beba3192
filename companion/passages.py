"""What passed each link of the chain, and when: from a tag in a field to the table's answer.

    field ──▶ driver ──▶ table of tags ──▶ engine ──▶ screens

Drivers' threads and the table's thread write down what passes; whoever draws the diagnostics
reads it. All of it is bounded: a few numbers for each reader, and the last moments of the ship.
Nothing here tells a card that not everybody may see, and no UID is kept whole.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from companion.codec import action_to_json
from companion.drivers.api import (
    Attitude,
    Clock,
    ClockJumped,
    DeviceBack,
    DeviceGone,
    DeviceLost,
    Reading,
    SeveralTags,
    TagOn,
    TagUnreadable,
)
from companion.inbox import Item
from companion.ship import Thresholds
from companion.ship_trace import MOST_SHIPS, ShipTrace, Trace
from companion.snapshot import Event, EventKind, Snapshot

S = 1_000_000_000
"""Nanoseconds in a second."""

MOST_READERS = 64
"""Noise on a line may look like readers; beyond these it is not written down."""

RATE_S = 5
_RATES = 60 // RATE_S
"""Readings are counted in steps of RATE_S over the last minute."""

_TOKENS = ("player", "control")
"""What is on these tags everybody may know."""


@dataclass(frozen=True, slots=True)
class LastTag:
    """The tag that a reader told last.

    Attributes:
        at_ns: when it came into the field.
        end: the last two digits of its UID where nobody knows the tag; else empty.
        known: whether the table of tags has it; None while it was not looked up.
        component: what it is on, where everybody was told that; else empty.
    """

    at_ns: int
    end: str = ""
    known: bool | None = None
    component: str = ""


@dataclass(frozen=True, slots=True)
class ReaderPassed:
    """What one reader has told.

    Attributes:
        name: such as `pcsc-1`.
        ready: whether it answers; None while it never said so nor otherwise.
        since_ns: since when that is so.
        heard_ns: its last reading of any kind.
        hardware: what it calls itself; empty while it has never answered.
        trouble: why it does not answer, and what to do; empty while it does.
        last: the tag that it told last.
        field: what lies in its field when no tag can be read: `unreadable` or `several`; else
            empty.
        field_ns: when that was told.
        a_minute: readings in the last minute.
        losses: how often it was lost.
        errors: tags that could not be read, several at once, and jumps of its clock.
    """

    name: str
    ready: bool | None
    since_ns: int
    heard_ns: int
    hardware: str = ""
    trouble: str = ""
    last: LastTag | None = None
    field: str = ""
    field_ns: int = 0
    a_minute: int = 0
    losses: int = 0
    errors: int = 0


@dataclass(frozen=True, slots=True)
class EnginePassed:
    """What the table made of something.

    Attributes:
        at_ns: when.
        kind: of the event.
        code: why it was refused, or which notice.
        reader: where it came from, if that was a reader.
    """

    at_ns: int
    kind: EventKind
    code: str
    reader: str


@dataclass(frozen=True, slots=True)
class Passed:
    """All of it at one moment; None where nothing passed yet. Times are monotonic, nanoseconds.

    Attributes:
        now_ns: the moment.
        began_ns: since when anything is written down.
        readers: in the order in which they were first heard of.
        tag: the last tag of any reader, and on which.
        driver_ns: when a driver reported last.
        looked_ns: when the table of tags was asked last and answered.
        tags_failed: the kind of error with which it failed last, until it answers again.
        engine: what the table made of something last.
        failed: the kind of error that the table met last; empty while it met none.
        failed_ns: when that was.
        stuck_s: for how long the table has been at one thing, or has not taken what waits.
        waiting: so many readings wait for the table.
        published_ns: when the table told something new.
        revision: of what it told.
        ships: the last seconds of each sensor of a ship.
    """

    now_ns: int
    began_ns: int
    readers: tuple[ReaderPassed, ...] = ()
    tag: tuple[str, LastTag] | None = None
    driver_ns: int | None = None
    looked_ns: int | None = None
    tags_failed: str = ""
    engine: EnginePassed | None = None
    failed: str = ""
    failed_ns: int = 0
    stuck_s: float = 0.0
    waiting: int = 0
    published_ns: int | None = None
    revision: int = 0
    ships: tuple[Trace, ...] = ()


class _Reader:
    """What is written down of one reader. Under the lock of `Passages`."""

    def __init__(self, name: str, at_ns: int) -> None:
        self.name = name
        self.ready: bool | None = None
        self.since_ns = self.heard_ns = at_ns
        self.hardware = self.trouble = self.field = ""
        self.field_ns = 0
        self.last: LastTag | None = None
        self.losses = self.errors = 0
        self._rates: deque[tuple[int, int]] = deque(maxlen=_RATES + 1)

    def heard(self, reading: Reading, at_ns: int) -> None:
        self.heard_ns = at_ns
        if not isinstance(reading, DeviceLost | DeviceBack):  # that is no reading of anything
            step, count = at_ns // (RATE_S * S), 0
            if self._rates and self._rates[-1][0] == step:
                count = self._rates.pop()[1]
            self._rates.append((step, count + 1))
        match reading:
            case DeviceLost(reason=reason):
                self.losses += self.ready is True
                self._answers(ready=False, at_ns=at_ns)
                self.trouble = reason
            case DeviceBack(hardware=hardware):
                self._answers(ready=True, at_ns=at_ns)
                self.hardware, self.trouble = hardware, ""
            case TagOn():
                self.last, self.field = LastTag(reading.at_ns), ""
            case TagUnreadable() | SeveralTags():
                self.field = "several" if isinstance(reading, SeveralTags) else "unreadable"
                self.field_ns = at_ns
                self.errors += 1
            case ClockJumped():
                self.errors += 1

    def _answers(self, *, ready: bool, at_ns: int) -> None:
        if self.ready is not ready:
            self.ready, self.since_ns = ready, at_ns
            self.field = ""

    def passed(self, now_ns: int) -> ReaderPassed:
        first = now_ns // (RATE_S * S) - _RATES
        return ReaderPassed(
            name=self.name,
            ready=self.ready,
            since_ns=self.since_ns,
            heard_ns=self.heard_ns,
            hardware=self.hardware,
            trouble=self.trouble,
            last=self.last,
            field=self.field,
            field_ns=self.field_ns,
            a_minute=sum(count for step, count in self._rates if step > first),
            losses=self.losses,
            errors=self.errors,
        )


class Passages:
    """Writes down what passes. Every method may be called by any thread, and is quick.

    Args:
        clock: the one that readings are stamped with.
        thresholds: of the judge of the ship.
    """

    def __init__(self, clock: Clock, thresholds: Thresholds | None = None) -> None:
        self._clock = clock
        self._thresholds = thresholds or Thresholds()
        self._lock = threading.Lock()
        self._began_ns = clock()
        self._readers: dict[str, _Reader] = {}
        self._ships: dict[str, ShipTrace] = {}
        self._newest = ""  # the reader that told the last tag
        self._driver_ns: int | None = None
        self._looked: tuple[str, str | None] | None = None
        self._looked_ns: int | None = None
        self._tags_failed = self._failed = ""
        self._failed_ns = 0
        self._engine: EnginePassed | None = None
        self._busy_ns: int | None = None
        self._waiting = 0
        self._waiting_ns = 0
        self._published_ns: int | None = None
        self._revision = 0

    def judge_by(self, thresholds: Thresholds) -> None:
        """Ships are judged by these from now on, such as after a calibration."""
        with self._lock:
            self._thresholds = thresholds
            self._ships.clear()

    # Drivers' threads

    def heard(self, reading: Reading) -> None:
        """A driver reports this, and the table is about to be handed it."""
        with self._lock:
            now_ns = self._clock()
            if not self._waiting:
                self._waiting_ns = now_ns
            self._waiting += 1
            self._driver_ns = now_ns
            name = reading.reader
            if isinstance(reading, DeviceGone):
                self._readers.pop(name, None)
                self._ships.pop(name, None)
                return
            reader = self._readers.get(name)
            if reader is None:
                if len(self._readers) >= MOST_READERS:
                    return
                reader = self._readers[name] = _Reader(name, now_ns)
            reader.heard(reading, now_ns)
            if isinstance(reading, TagOn):
                self._newest = name
            elif isinstance(reading, Attitude):
                self._tilted(reading)

    def _tilted(self, attitude: Attitude) -> None:
        trace = self._ships.get(attitude.reader)
        if trace is None:
            if len(self._ships) >= MOST_SHIPS:
                return
            trace = self._ships[attitude.reader] = ShipTrace(attitude.reader, self._thresholds)
        trace.heard(attitude)

    # The table's thread

    def watched(self, look_up: Callable[[str], str | None]) -> Callable[[str], str | None]:
        """The same table of tags, with what passes it written down."""

        def look(uid: str) -> str | None:
            try:
                component = look_up(uid)
            except Exception as error:
                with self._lock:
                    self._tags_failed = type(error).__name__
                raise
            with self._lock:
                self._looked, self._looked_ns = (uid, component), self._clock()
                self._tags_failed = ""
            return component

        return look

    def begins(self, item: Item | None) -> None:
        """The table takes this up; None is a look at the time."""
        with self._lock:
            self._busy_ns = now_ns = self._clock()
            self._looked = None
            if isinstance(item, Reading):
                self._waiting -= 1
                self._waiting_ns = now_ns

    def ended(
        self, item: Item | None, before: Snapshot, after: Snapshot, error: Exception | None = None
    ) -> None:
        """It is through with it: published was `before`, and is `after`."""
        with self._lock:
            self._busy_ns = None
            now_ns = self._clock()
            if error is not None:
                self._failed, self._failed_ns = type(error).__name__, now_ns
            event = after.event if after.event.number != before.event.number else None
            if event is not None:
                reader = event.source.name if event.source.kind == "reader" else ""
                self._engine = EnginePassed(now_ns, event.kind, event.code, reader)
            if after.revision != self._revision:
                self._published_ns, self._revision = now_ns, after.revision
            if isinstance(item, TagOn):
                self._tag_taken(item, event)

    def _tag_taken(self, tag: TagOn, event: Event | None) -> None:
        reader = self._readers.get(tag.reader)
        if reader is None or self._looked is None or self._looked[0] != tag.uid:
            return  # the same read once more was not looked up
        component = self._looked[1]
        if component is None:
            reader.last = LastTag(tag.at_ns, end=tag.uid[-2:], known=False)
        else:
            told = component if _everybody_knows(component, event) else ""
            reader.last = LastTag(tag.at_ns, known=True, component=told)

    # Whoever looks

    def now(self) -> Passed:
        """All that is written down."""
        with self._lock:
            now_ns = self._clock()
            newest = self._readers.get(self._newest)
            tag = None if newest is None or newest.last is None else (newest.name, newest.last)
            since_ns = self._busy_ns
            if since_ns is None:
                since_ns = self._waiting_ns if self._waiting else now_ns
            return Passed(
                now_ns=now_ns,
                began_ns=self._began_ns,
                readers=tuple(reader.passed(now_ns) for reader in self._readers.values()),
                tag=tag,
                driver_ns=self._driver_ns,
                looked_ns=self._looked_ns,
                tags_failed=self._tags_failed,
                engine=self._engine,
                failed=self._failed,
                failed_ns=self._failed_ns,
                stuck_s=max(0, now_ns - since_ns) / S,
                waiting=self._waiting,
                published_ns=self._published_ns,
                revision=self._revision,
                ships=tuple(trace.passed(now_ns) for trace in self._ships.values()),
            )


def _everybody_knows(component: str, event: Event | None) -> bool:
    """Whether what lies there may be said: a token, or a card that the table has just told all.

    An action that names what not everybody may see is not in the event.
    """
    kind, _, name = component.partition("/")
    if kind in _TOKENS:
        return True
    if event is None or event.kind != "action" or event.action is None:
        return False
    return name in action_to_json(event.action).values()
