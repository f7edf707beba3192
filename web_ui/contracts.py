"""What the pages need of the table and of the virtual table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from companion.enrolling.acts import Act
from companion.match import Setup
from companion.repair.history import Past
from companion.repair.timeline import Edit
from companion.rules.api import Action
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


@runtime_checkable
class VirtualTable(Protocol):
    """Cards and a reader that exist in software only. Each call moves things for real.

    The moving calls raise `LookupError`, with a sentence, when there is no such thing.
    """

    @property
    def plugged(self) -> bool:
        """Whether the reader's cable is in."""
        ...

    def faces(self) -> Sequence[tuple[str, int]]:
        """Each component, and how many of it lie face down in the pile."""
        ...

    def pile(self) -> int:
        """How many cards lie face down."""
        ...

    def others(self) -> Sequence[str]:
        """What else can be laid on the reader, such as `control/stop` and `player/1`."""
        ...

    def turn_top(self) -> None:
        """Turn the top card and lay it on the reader."""
        ...

    def tap(self, component: str) -> None:
        """Lay one of this component on the reader."""
        ...

    def tap_unknown(self) -> None:
        """Lay a tag on the reader that nobody has registered."""
        ...

    def lay_two(self) -> None:
        """Lay two cards on the reader at once."""
        ...

    def unplug(self) -> None:
        """Pull the reader's cable."""
        ...

    def plug(self) -> None:
        """Put the reader's cable back."""
        ...
