"""A table: a single thread that takes readings and requests out of a single queue.

What it does with each, in this order: apply it to the game, write the entry to the disk,
swap the state, publish a snapshot, answer (`companion.authority`). Nobody else changes
anything, and every attempt is answered, also the refused one.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue

from companion.authority import Authority
from companion.course import SERVICE
from companion.drivers.api import Clock, Reading
from companion.enrolling.acts import Act
from companion.errors import course_of
from companion.inbox import (
    Arrange,
    Correction,
    Enrol,
    Item,
    Listing,
    NewGame,
    Refresh,
    Reply,
    Request,
    Restoration,
    Settle,
    Stop,
    Touch,
    Wish,
)
from companion.match import Setup
from companion.passages import Passages
from companion.record.journal import Journal
from companion.repair.history import Past
from companion.repair.timeline import Edit, Timeline
from companion.rules.api import Action
from companion.said import say
from companion.ship import Thresholds
from companion.ship_felt import Felt
from companion.snapshot import Answer, Moment, Snapshot, Source

log = logging.getLogger(__name__)

SHORTEST_WAIT_S = 0.01
"""No judge of the ship can make the thread spin."""


class TableError(RuntimeError):
    """The table's thread met something that it was not made for; the log says what."""


class Table:
    """A game at a table, from start to close. Its public methods may be called anywhere.

    Args:
        journal: the record; from `start` on it belongs to the table's thread.
        look_up: what a tag is on, by UID; called by the table's thread.
        begin: says how to begin; asked only if no game goes on.
        fresh: begin another game in any case.
        clock: the one that readings are stamped with.
        thresholds: of the judge of the ship.
        stations: where readers stand, by their names.
        began: told by the table's thread when it has begun another game.

    Attributes:
        felt: what the ships' sensors felt last.
        passages: what passed from readers to the table, and when.

    Raises:
        Refusal: the game cannot be set up so.
        NotKept: the disk does not take a new game.
        JournalError: the record of the game in progress cannot be played again.
    """

    def __init__(
        self,
        journal: Journal,
        look_up: Callable[[str], str | None],
        begin: Callable[[], Setup],
        *,
        fresh: bool = False,
        clock: Clock = time.monotonic_ns,
        thresholds: Thresholds | None = None,
        stations: Mapping[str, str] | None = None,
        began: Callable[[], None] = lambda: None,
    ) -> None:
        self._queue: SimpleQueue[Item | Stop] = SimpleQueue()
        self._ending = False
        self._clock = clock
        thresholds = thresholds or Thresholds()
        self.passages = Passages(clock, thresholds)
        self.felt = Felt()
        self._authority = Authority(
            journal,
            self.passages.watched(look_up),
            begin,
            fresh=fresh,
            clock=clock,
            thresholds=thresholds,
            stations=stations or {},
            began=began,
        )
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)

    # From anywhere

    @property
    def snapshot(self) -> Snapshot:
        """The newest one."""
        return self._authority.publisher.snapshot

    @property
    def moment(self) -> Moment:
        """The newest snapshot with what each player may see of the same moment."""
        return self._authority.publisher.moment

    @property
    def closed(self) -> bool:
        """Whether the service is ending; streams end then, too."""
        return self._authority.publisher.closed

    @property
    def resumed(self) -> bool:
        """Whether it went on with a game of the record."""
        return self._authority.resumed

    @property
    def timeline(self) -> Timeline:
        """The actions in force, with everybody's secrets: for setting the past right."""
        return self._authority.course.timeline

    @property
    def past(self) -> Past:
        """All that was told of the game, with everybody's secrets."""
        course = self._authority.course
        return Past(course.begun.id, course.begun.setup, course.told)

    @property
    def stations(self) -> Mapping[str, str]:
        """Where readers stand, by their names."""
        return self._authority.stations

    @property
    def thresholds(self) -> Thresholds:
        """How the ship is judged."""
        return self._authority.thresholds

    @property
    def spent(self) -> frozenset[str]:
        """UIDs of the cards turned since the last shuffle."""
        return self._authority.course.known.spent

    @property
    def enrolled(self) -> Mapping[str, str]:
        """Which tag is on what, as it stands on the disk: component by UID."""
        listing = Listing(Future())
        self._queue.put(listing)
        if self.closed:
            self._answer_the_rest()
        return listing.answer.result()

    def start(self) -> None:
        """Begin to take readings and requests."""
        self._thread.start()

    def close(self) -> None:
        """Finish what is being done, and stop. All other requests are answered `closed`."""
        self._ending = True
        self._queue.put(Stop())
        self._thread.join()
        self._authority.publisher.close()
        self._answer_the_rest()

    def report(self, reading: Reading) -> None:
        """Take a reading from a driver; returns at once."""
        self.passages.heard(reading)
        self.felt.heard(reading)
        self._queue.put(reading)

    def act(
        self,
        action: Action,
        *,
        source: Source,
        revision: int | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """Do an action of the player in turn, and wait for the answer.

        Args:
            action: what to do.
            source: who asks.
            revision: of the snapshot that the wish is based on; refused (`stale`) when the
                game has changed since.
            request_id: makes a repeat harmless: what was carried out once is not done again.
        """
        return self._ask(action, source, revision, request_id)

    def undo(
        self,
        count: int,
        *,
        source: Source,
        revision: int | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """Take the last `count` actions back, and wait for the answer (see `act`)."""
        return self._ask(count, source, revision, request_id)

    def correct(
        self,
        edits: Sequence[Edit],
        *,
        source: Source,
        revision: int | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """Set the past right, all edits or none, and wait for the answer (see `act`)."""
        return self._ask(Correction(tuple(edits)), source, revision, request_id)

    def restore(
        self,
        entry: int,
        *,
        source: Source,
        revision: int | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """Take the correction of that entry back, and wait for the answer (see `act`)."""
        return self._ask(Restoration(entry), source, revision, request_id)

    def answer(
        self, question: str, choice: str, *, source: Source, revision: int | None = None
    ) -> Answer:
        """Answer a question of the table, by the keys of both, and wait (see `act`)."""
        return self._ask(Reply(question, choice), source, revision, None)

    def touch(
        self, component: str, station: str, *, source: Source, revision: int | None = None
    ) -> Answer:
        """Tell by touch what a reader would have read there, and wait (see `act`).

        Args:
            component: what is laid down, such as `sea-salt-paper/crab-black`.
            station: where, such as `seat-2`.
            source: who tells it.
            revision: of the snapshot that the wish is based on.
        """
        return self._ask(Touch(component, station), source, revision, None)

    def new_game(
        self,
        setup: Setup | None = None,
        *,
        source: Source,
        revision: int | None = None,
        instead: bool = False,
    ) -> Answer:
        """Begin another game when this one is over or was not begun yet (see `act`).

        Args:
            setup: how it begins; None for the same game, players and options again.
            source: who asks.
            revision: of the snapshot that the wish is based on.
            instead: also while this one goes on; it stays in the record as it is.
        """
        return self._ask(NewGame(setup, instead), source, revision, None)

    def arrange(self, stations: Mapping[str, str], thresholds: Thresholds) -> None:
        """From now on readers stand there, by their names, and the ship is judged so."""
        self._ask(Arrange(stations, thresholds), SERVICE, None, None)
        self.passages.judge_by(thresholds)

    def enrol(self, act: Act, *, source: Source, at: int | None = None) -> Answer:
        """Do something of enrolment, and wait for the answer.

        Args:
            act: what.
            source: who asks.
            at: the number of what was told last; refused when something was told since.
        """
        return self._ask(Enrol(act, at), source, None, None)

    def refresh(self) -> None:
        """Publish again: something beside the game has changed that pages show."""
        self._ask(Refresh(), SERVICE, None, None)

    def settle(self) -> Snapshot:
        """Wait until everything that was queued before is done; the newest snapshot."""
        if self.closed:
            return self.snapshot
        settle = Settle(Future())
        self._queue.put(settle)
        if self.closed:
            self._answer_the_rest()
        return settle.answer.result()

    def wait(self, after_revision: int, timeout_s: float) -> Snapshot:
        """Wait for a newer revision, the end of the service or of the time.

        Returns:
            The newest snapshot in any case.
        """
        return self._authority.publisher.wait(after_revision, timeout_s)

    def since(self, after_revision: int, timeout_s: float) -> tuple[Snapshot, ...]:
        """Wait as `wait` does, for the snapshots after that revision, oldest first."""
        return self._authority.publisher.since(after_revision, timeout_s)

    def _ask(
        self, wish: Wish, source: Source, revision: int | None, identity: str | None
    ) -> Answer:
        request = Request(wish, source, revision, identity, Future())
        self._queue.put(request)
        if self.closed:
            self._answer_the_rest()
        return request.answer.result()

    def _answer_the_rest(self) -> None:
        """Answer what came after the thread has ended."""
        while True:
            try:
                item = self._queue.get_nowait()
            except Empty:
                return
            self._turn_away(item)

    def _turn_away(self, item: Item | Stop | None) -> None:
        if isinstance(item, Settle):
            item.answer.set_result(self.snapshot)
        elif isinstance(item, Listing):
            item.answer.set_result({})
        elif isinstance(item, Request):
            item.answer.set_result(self._authority.answer("closed", say("The service is ending.")))

    # The table's own thread

    def _next(self) -> Item | Stop | None:
        """What comes next; None when the judge of the ship is to be told the time."""
        due_ns = self._authority.due_ns
        left_s = None if due_ns is None else (due_ns - self._clock()) / 1e9
        try:
            # What waits already comes first: it may be a reading from before that time.
            wait_s = None if left_s is None else max(left_s, SHORTEST_WAIT_S)
            return self._queue.get(timeout=wait_s)
        except Empty:
            return None

    def _run(self) -> None:
        while not isinstance(item := self._next(), Stop):
            before, fault = self.snapshot, None
            self.passages.begins(item)
            try:
                if self._ending:
                    self._turn_away(item)
                else:
                    self._authority.take(item)
            except Exception as error:  # noqa: BLE001 - nothing may end this thread
                fault = error
                # A fault of ours must not end the evening: the state is only swapped when
                # all went well, so it is still that of the last acknowledged action.
                what = type(item).__name__
                log.error("the table could not handle %s: %s", what, course_of(error))  # noqa: TRY400
                if isinstance(item, Request | Settle | Listing):
                    item.answer.set_exception(TableError(type(error).__name__))
            self.passages.ended(item, before, self.snapshot, fault)
