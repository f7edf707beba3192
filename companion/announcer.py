"""What everybody is told: the snapshots that the table publishes, one for each change.

It belongs to the table's thread; others read what it published.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace

from companion.course import Course
from companion.enrolling.session import Enrolment
from companion.match import Match
from companion.publisher import Publisher
from companion.record.journal import Journal
from companion.snapshot import Event, Moment, ReaderStatus, ShipStatus, Snapshot

REVISIONS_A_RUN = 1_000_000_000
"""Each run of the service counts on from a higher number than any run before it used, so
that a view from before a restart is always known to be old."""


class Announcer:
    """Makes a snapshot of the game in progress at each change, and publishes it.

    Attributes:
        publisher: has the newest snapshot.
        readers: by name, in the order in which they were first heard of.
        event: the last thing that happened.
        game_revision: of the snapshot with which the game changed last.
        enrolment: while tags are put on things.
    """

    def __init__(self, journal: Journal, event: Event) -> None:
        self._table = journal.table_id
        self._epoch = uuid.uuid4().hex[:12]
        self._revision = self.game_revision = journal.count_run() * REVISIONS_A_RUN
        self.publisher = Publisher()
        self.readers: dict[str, ReaderStatus] = {}
        self.event = event
        self.enrolment: Enrolment | None = None

    def is_current(self, revision: int) -> bool:
        """Whether a view of this revision shows the game as it stands."""
        return self.game_revision <= revision <= self._revision

    def game_changes(self) -> None:
        """What is told next changes the game: views from before it are out of date."""
        self.game_revision = self._revision + 1

    def first(self, course: Course, ship: ShipStatus | None) -> None:
        """Publish how the table stands before anything was heard."""
        self._publish(course, ship)

    def tell(self, event: Event, course: Course, ship: ShipStatus | None) -> None:
        """Publish what happened; the same event again where only what stands around it changed."""
        if event is not self.event:
            secret = event.action is not None and course.match.game.secret(event.action)
            action = None if secret else event.action
            event = replace(event, action=action, number=self.event.number + 1)
        self.event = event
        self._revision += 1
        self._publish(course, ship)

    def _publish(self, course: Course, ship: ShipStatus | None) -> None:
        snapshot = snapshot_of(
            course.match,
            epoch=self._epoch,
            revision=self._revision,
            table=self._table,
            game_id=course.begun.id,
            event=self.event,
            readers=self.readers,
        )
        snapshot = replace(
            snapshot,
            ship=ship,
            questions=course.questions,
            waiting=course.waiting,
            enrolment=self.enrolment,
        )
        self.publisher.publish(Moment(snapshot, course.match, course.held))


def snapshot_of(
    match: Match,
    *,
    epoch: str,
    revision: int,
    table: str,
    game_id: str,
    event: Event,
    readers: Mapping[str, ReaderStatus],
) -> Snapshot:
    """A match as everybody may see it; the ship, questions and what waits are not in it."""
    game = match.game
    legal = (action for action in game.legal(match.state) if not game.secret(action))
    return Snapshot(
        epoch=epoch,
        revision=revision,
        table=table,
        game=game_id,
        game_name=game.name,
        players=match.setup.players,
        options=match.setup.options,
        step=match.step,
        standing=game.standing(match.state),
        state=game.view(match.state, None),
        pieces=game.pieces(match.state),
        legal=tuple(legal),
        readers=tuple(readers.values()),
        event=event,
    )
