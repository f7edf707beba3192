"""Where the chain from a tag to the screens is stuck: pure, from what passed and who looks.

What is found is a code and its facts; how that is said is the matter of the pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from companion.passages import Passed, ReaderPassed, S

Link: TypeAlias = Literal["field", "driver", "tags", "engine", "screens"]
Health: TypeAlias = Literal["good", "quiet", "warning", "bad"]
Facts: TypeAlias = Mapping[str, str | int]
LINKS: tuple[Link, ...] = get_args(Link)

STUCK_S = 2.0
"""The table does everything at once; what takes it longer is stuck."""

SILENT_S = 6.0
"""In an alarm a ship's sensor tells at least twice a second; otherwise some tell nothing."""

IN_FIELD_S = 30.0
"""So long it is said that something in a field could not be read."""

FAULT_S = 60.0
"""So long it is said that the table met an error."""

STALLED_S = 12.0
"""A screen takes a sign of life every five seconds; one that missed two has gone."""

BEHIND_S = 3.0
"""A screen that has not taken what the table told so long ago is behind."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A page that somebody has open, and follows the table.

    Attributes:
        page: its name; empty for a program.
        seat: the player whose page it is; empty for none.
        opened_ns: when it asked for the stream.
        sent_ns: when it took something last, be it a sign of life.
        revision: of the table that it was sent; 0 for none yet.
        left_ns: when it left; None while it is open.
    """

    page: str
    seat: str
    opened_ns: int
    sent_ns: int
    revision: int
    left_ns: int | None = None

    @property
    def shows_table(self) -> bool:
        """Whether people follow the game there, and not the diagnostics alone."""
        return self.page != "diagnostics"


@dataclass(frozen=True, slots=True)
class Finding:
    """What is found of one link.

    Attributes:
        link: of the chain.
        health: `quiet` is good as far as anybody knows: nothing has passed yet.
        code: what is found, such as `reader-lost`.
        facts: names and numbers that belong to it.
    """

    link: Link
    health: Health
    code: str
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LinkState:
    """One link of the chain.

    Attributes:
        finding: what is found of it.
        passed_s: so many seconds ago something passed it; None while nothing did.
    """

    finding: Finding
    passed_s: float | None

    @property
    def link(self) -> Link:
        """Which one."""
        return self.finding.link


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How the chain does.

    Attributes:
        verdict: what is to be told first.
        links: all five, in their order.
    """

    verdict: Finding
    links: tuple[LinkState, ...]


def diagnose(passed: Passed, screens: Sequence[Screen], *, alarm: bool) -> Diagnosis:
    """Find out where it is stuck.

    Args:
        passed: what passed each link.
        screens: those that are open, and those that left lately.
        alarm: the ship is judged now, so its sensor has to tell all the time.
    """
    found = (
        _field(passed),
        _driver(passed, alarm=alarm),
        _tags(passed),
        _engine(passed),
        _screens(passed, screens),
    )
    sent_ns = max((screen.sent_ns for screen in screens if screen.shows_table), default=None)
    passed_ns = (
        None if passed.tag is None else passed.tag[1].at_ns,
        passed.driver_ns,
        passed.looked_ns,
        None if passed.engine is None else passed.engine.at_ns,
        sent_ns,
    )
    links = tuple(
        LinkState(finding, None if at_ns is None else _since(passed, at_ns))
        for finding, at_ns in zip(found, passed_ns, strict=True)
    )
    return Diagnosis(_verdict(found, passed), links)


def _verdict(found: Sequence[Finding], passed: Passed) -> Finding:
    field_, driver, tags, engine, screens = found
    # Of a table that is stuck nothing else can be believed; a reader that is away explains
    # why no tag comes.
    for health in ("bad", "warning"):
        order = (engine, driver, field_, tags, screens)
        worst = next((finding for finding in order if finding.health == health), None)
        if worst is not None:
            return worst
    if passed.tag is None:
        return Finding("field", "quiet", "untried")
    return Finding("screens", "good", "passes")


def _field(passed: Passed) -> Finding:
    troubled = [
        reader
        for reader in passed.readers
        if reader.field and _since(passed, reader.field_ns) < IN_FIELD_S
    ]
    if troubled:
        newest = max(troubled, key=lambda reader: reader.field_ns)
        facts: Facts = {"reader": newest.name, "seconds": round(_since(passed, newest.field_ns))}
        return Finding("field", "warning", f"field-{newest.field}", facts)
    if passed.tag is None:
        return Finding("field", "quiet", "no-tag-yet")
    return Finding("field", "good", "tag", {"reader": passed.tag[0]})


def _driver(passed: Passed, *, alarm: bool) -> Finding:
    if not passed.readers:
        return Finding("driver", "warning", "no-reader")
    lost = [reader for reader in passed.readers if reader.ready is False]
    if lost:
        first = min(lost, key=lambda reader: reader.since_ns)
        code = "reader-lost" if first.hardware else "reader-never"
        facts: Facts = {"reader": first.name, "seconds": round(_since(passed, first.since_ns))}
        return Finding("driver", "bad", code, facts)
    for ship in passed.ships:
        silent_s = _since(passed, ship.heard_ns)
        if alarm and silent_s > SILENT_S and _is_ready(passed.readers, ship.reader):
            seconds = round(silent_s)
            return Finding(
                "driver", "bad", "ship-silent", {"reader": ship.reader, "seconds": seconds}
            )
    ready = sum(reader.ready is True for reader in passed.readers)
    if not ready:
        return Finding("driver", "quiet", "not-heard-yet")
    return Finding("driver", "good", "readers", {"count": ready})


def _is_ready(readers: Sequence[ReaderPassed], name: str) -> bool:
    return any(reader.name == name and reader.ready is not False for reader in readers)


def _tags(passed: Passed) -> Finding:
    if passed.tags_failed:
        return Finding("tags", "bad", "tags-failed", {"error": passed.tags_failed})
    if passed.tag is None:
        return Finding("tags", "quiet", "no-tag-yet")
    reader, tag = passed.tag
    if tag.known is False:
        return Finding("tags", "bad", "tag-unknown", {"reader": reader, "end": tag.end})
    return Finding("tags", "good", "tag-known")


def _engine(passed: Passed) -> Finding:
    if passed.stuck_s > STUCK_S:
        facts = {"seconds": round(passed.stuck_s), "count": passed.waiting}
        return Finding("engine", "bad", "engine-stuck", facts)
    engine = passed.engine
    if passed.failed and _since(passed, passed.failed_ns) < FAULT_S:
        ago = round(_since(passed, passed.failed_ns))
        return Finding("engine", "bad", "engine-failed", {"error": passed.failed, "seconds": ago})
    if engine is None:
        return Finding("engine", "quiet", "nothing-yet")
    if engine.code == "storage":
        return Finding("engine", "bad", "storage")
    codes = {"refused": "refused", "notice": "notice", "taken": "taken"}
    return Finding("engine", "good", codes.get(engine.kind, "done"))


def _screens(passed: Passed, screens: Sequence[Screen]) -> Finding:
    here = [screen for screen in screens if screen.left_ns is None]
    for screen in here:
        silent_s = _since(passed, screen.sent_ns)
        if silent_s > STALLED_S:
            return Finding("screens", "bad", "screen-stalled", _of(screen, silent_s))
    told_ns = passed.published_ns
    if told_ns is not None and _since(passed, told_ns) > BEHIND_S:
        for screen in here:
            opened_s = _since(passed, screen.opened_ns)
            if screen.revision < passed.revision and opened_s > BEHIND_S:
                facts = _of(screen, _since(passed, told_ns))
                return Finding("screens", "bad", "screen-behind", facts)
    watching = [screen for screen in here if screen.shows_table]
    if watching:
        return Finding("screens", "good", "screens", {"count": len(watching)})
    left = [screen for screen in screens if screen.left_ns is not None and screen.shows_table]
    if left:
        last = max(left, key=lambda screen: screen.left_ns or 0)
        facts = _of(last, _since(passed, last.left_ns or 0))
        return Finding("screens", "warning", "screen-left", facts)
    return Finding("screens", "warning", "no-screen")


def _of(screen: Screen, seconds: float) -> Facts:
    return {"page": screen.page, "seat": screen.seat, "seconds": round(seconds)}


def _since(passed: Passed, at_ns: int) -> float:
    return max(0, passed.now_ns - at_ns) / S
