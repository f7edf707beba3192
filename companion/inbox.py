"""What waits in the table's queue beside readings."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeAlias

from companion.codec import action_to_json, as_parsed
from companion.drivers.api import Reading
from companion.enrolling.acts import Act
from companion.match import Setup
from companion.repair.timeline import Edit, edits_to_json
from companion.rules.api import Action
from companion.ship import Thresholds
from companion.snapshot import Answer, Snapshot, Source


@dataclass(frozen=True, slots=True)
class Correction:
    """The past was otherwise."""

    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Restoration:
    """A correction is taken back: the one of this entry."""

    entry: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What people choose of a question: the keys of both."""

    question: str
    choice: str


@dataclass(frozen=True, slots=True)
class Touch:
    """Somebody tells by touch what a reader would have read.

    Attributes:
        component: what would have been laid down.
        station: where.
    """

    component: str
    station: str


@dataclass(frozen=True, slots=True)
class NewGame:
    """Another game.

    Attributes:
        setup: how it begins; None for the same game, players and options again.
        instead: also when the game in progress is not over; that one stays in the record.
    """

    setup: Setup | None = None
    instead: bool = False


@dataclass(frozen=True, slots=True)
class Arrange:
    """Things stand otherwise on the table.

    Attributes:
        stations: where readers stand, by their names.
        thresholds: of the judge of the ship.
    """

    stations: Mapping[str, str]
    thresholds: Thresholds


@dataclass(frozen=True, slots=True)
class Refresh:
    """Publish again: something beside the game has changed, such as who sits where."""


@dataclass(frozen=True, slots=True)
class Enrol:
    """People want something of enrolment.

    Attributes:
        act: what.
        at: what they were told last, as a number (`Enrolment.number`); None where it does not
            matter whether something was told since.
    """

    act: Act
    at: int | None = None


Change: TypeAlias = Action | int | Correction | Restoration
"""What changes a game: an action, an undo of n, a correction, or taking one back."""

Wish: TypeAlias = Change | Reply | Touch | NewGame | Arrange | Refresh | Enrol


def command(wish: Change) -> Mapping[str, Any]:
    """The wish as the record spells it, and gives it back: with lists where actions have tuples."""
    match wish:
        case int():
            return {"undo": wish}
        case Correction(edits):
            return as_parsed({"correct": edits_to_json(edits)})
        case Restoration(entry):
            return {"restore": entry}
        case _:
            return as_parsed(action_to_json(wish))


@dataclass(frozen=True, slots=True)
class Request:
    """Something that is asked of the table."""

    wish: Wish
    source: Source
    revision: int | None
    identity: str | None
    answer: Future[Answer]


@dataclass(frozen=True, slots=True)
class Settle:
    """Answered when everything that was queued before it is done."""

    answer: Future[Snapshot]


@dataclass(frozen=True, slots=True)
class Listing:
    """Answered with what is enrolled: component by UID."""

    answer: Future[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Stop:
    """The last thing that the table's thread takes out of the queue."""


Item: TypeAlias = Reading | Request | Settle | Listing
