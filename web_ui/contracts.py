"""What the pages need of the table and of the virtual table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from companion.enrolling.acts import Act
from companion.match import Setup
from companion.repair.history import Past
from companion.repair.timeline import Edit
from companion.rules.api import Action
from companion.ship import Thresholds
from companion.ship_felt import Felt
from companion.snapshot import Answer, Moment, Snapshot, Source


class Table(Protocol):
    """The one authority. Every method may be called from any thread."""

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        ...

    @property
    def moment(self) -> Moment:
        """The newest snapshot with what each player may see of the same moment."""
        ...

    @property
    def felt(self) -> Felt:
        """What the ships' sensors felt last."""
        ...

    @property
    def stations(self) -> Mapping[str, str]:
        """Where readers stand, by their names."""
        ...

    @property
    def thresholds(self) -> Thresholds:
        """How the ship is judged."""
        ...

    def arrange(self, stations: Mapping[str, str], thresholds: Thresholds) -> None:
        """From now on readers stand there, by their names, and the ship is judged so."""
        ...

    @property
    def closed(self) -> bool:
        """Whether the service is ending: streams must end too."""
        ...

    @property
    def past(self) -> Past:
        """All that was told of the game in progress."""
        ...

    @property
    def enrolled(self) -> Mapping[str, str]:
        """Which tag is on what: component by UID. No UID may leave the service."""
        ...

    def act(
        self,
        action: Action,
        *,
        source: Source,
        revision: int | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """Do this, unless the revision is out of date or the rules refuse."""
        ...

    def undo(
        self,
        count: int,
        *,
        source: Source,
        revision: int | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """Take back the last actions."""
        ...

    def correct(
        self,
        edits: Sequence[Edit],
        *,
        source: Source,
        revision: int | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """Set the past right, all edits or none."""
        ...

    def restore(
        self,
        entry: int,
        *,
        source: Source,
        revision: int | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """Take a correction back."""
        ...

    def answer(
        self, question: str, choice: str, *, source: Source, revision: int | None = None
    ) -> Answer:
        """Answer a question of the table, by the keys of both."""
        ...

    def touch(
        self, component: str, station: str, *, source: Source, revision: int | None = None
    ) -> Answer:
        """Tell by touch what a reader would have read there."""
        ...

    def new_game(
        self,
        setup: Setup | None = None,
        *,
        source: Source,
        revision: int | None = None,
        instead: bool = False,
    ) -> Answer:
        """Another game; None is the same again. Refused while one goes on, but for `instead`."""
        ...

    def enrol(self, act: Act, *, source: Source, at: int | None = None) -> Answer:
        """Do something of enrolment, unless something was told since the number `at`."""
        ...

    def refresh(self) -> None:
        """Publish again: something beside the game has changed that pages show."""
        ...

    def wait(self, after_revision: int, timeout_s: float) -> Snapshot:
        """The newest snapshot, as soon as it is newer than that revision or time is over."""
        ...


Push: TypeAlias = Literal["falls", "stands", "wobbles"]
"""What can be done to the ship of a virtual table."""


class VirtualShip(Protocol):
    """A ship to push."""

    @property
    def angle(self) -> int:
        """How far it rests from upright, degrees."""
        ...


@runtime_checkable
class VirtualTable(Protocol):
    """Things and readers that exist in software only. Each call moves things for real.

    The moving calls raise `LookupError`, with a sentence, when there is no such thing. Where a
    reader may be named, an empty name means the one where tokens are laid.
    """

    @property
    def plugged(self) -> bool:
        """Whether the cables of all readers are in."""
        ...

    @property
    def reads_twice(self) -> bool:
        """Whether the next thing will be read twice."""
        ...

    @property
    def ship(self) -> VirtualShip | None:
        """The ship, in a game that has one."""
        ...

    def readers(self) -> Sequence[tuple[str, str, bool]]:
        """Each reader: its name, its station, and whether its cable is in."""
        ...

    def faces(self) -> Sequence[tuple[str, int]]:
        """Each component of the pile, and how many of it lie face down."""
        ...

    def pile(self) -> int:
        """How many cards lie face down in the pile."""
        ...

    def others(self) -> Sequence[str]:
        """What else can be laid on the reader, such as `control/stop` and `player/1`."""
        ...

    def places(self) -> Mapping[str, Sequence[str | None]]:
        """By place the component of all that lies there; None for what lies face down."""
        ...

    def find(self, component: str, place: str = "") -> tuple[str, int]:
        """Where such a thing lies, also face down: its place, or the one named, and its number."""
        ...

    def fix_next(self, seed: int) -> None:
        """In the game that begins next all lies as this number says."""
        ...

    def turn_top(self) -> None:
        """Turn the top card of the pile and lay it on the reader."""
        ...

    def tap(self, component: str, station: str = "") -> None:
        """Lay one of this component on the reader of a station."""
        ...

    def lay(self, place: str, number: int, station: str) -> None:
        """Lay what lies there on the reader of a station; below 0 it is counted from the top."""
        ...

    def turn_over(self, place: str) -> None:
        """Lay a hand open for all who look at this table, or turn it face down again."""
        ...

    def push(self, how: Push) -> None:
        """Push the ship."""
        ...

    def lean(self, degrees: float) -> None:
        """Lay the ship down at this angle from upright."""
        ...

    def tap_unknown(self, reader: str = "") -> None:
        """Lay a tag on a reader that nobody has registered."""
        ...

    def lay_two(self, reader: str = "") -> None:
        """Lay two cards on a reader at once."""
        ...

    def hiss(self, reader: str = "") -> None:
        """Disturb a reader, so that it sees a tag and cannot read it."""
        ...

    def read_twice(self) -> None:
        """The next thing that is laid down is read twice, or not after all."""
        ...

    def unplug(self, reader: str = "") -> None:
        """Pull a reader's cable."""
        ...

    def plug(self, reader: str = "") -> None:
        """Put a reader's cable back."""
        ...
