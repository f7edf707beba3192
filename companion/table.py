"""The one authority over a table: a single thread, a single queue.

Readings and requests wait in one queue. For each, in this order: apply it to the game,
write the entry to the disk, swap the state, publish a snapshot, answer. Nobody else
changes anything, and every attempt is answered, also the refused one.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from queue import Empty, SimpleQueue

from companion import fold
from companion.drivers.api import (
    Attitude,
    ButtonPressed,
    Clock,
    DeviceBack,
    DeviceLost,
    Reading,
    TagOn,
)
from companion.errors import course_of
from companion.inbox import Item, Request, Settle, Stop, Wish, command
from companion.interpreter import (
    SEEN_TWICE,
    Do,
    HandReading,
    Interpreter,
    Notice,
    Refuse,
    TakeBack,
    TwoPlaces,
)
from companion.journal import Entry, Journal
from companion.match import Match, Setup
from companion.repair.timeline import Timeline
from companion.rules.api import Action, Refusal
from companion.ship import Thresholds, Verdict
from companion.ship_watch import ShipWatch
from companion.snapshot import Answer, ErrorCode, Event, ReaderStatus, Snapshot, Source, plain_event

log = logging.getLogger(__name__)

REVISIONS_A_RUN = 1_000_000_000
"""Each run of the service counts on from a higher number than any run before it used, so
that a view from before a restart is always known to be old."""

SHORTEST_WAIT_S = 0.01
"""No judge of the ship can make the thread spin."""

SERVICE = Source("service")


class TableError(RuntimeError):
    """The table's thread met something that it was not made for; the log says what."""


class _NotKept(Exception):
    """The disk did not take the entry; nothing has changed."""


class Table:
    """A game at a table, from start to close. Its public methods may be called anywhere.

    Args:
        journal: the record; from `start` on it belongs to the table's thread.
        look_up: what a tag is on, by UID; called by the table's thread.
        begin: says how to begin; asked only if no game goes on.
        fresh: begin another game in any case.
        clock: the one that readings are stamped with.
        thresholds: of the judge of the ship.

    Raises:
        Refusal: the game cannot be set up so.
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
    ) -> None:
        self._journal = journal
        self._queue: SimpleQueue[Item | Stop] = SimpleQueue()
        self._published = threading.Condition()
        self._closed = self._ending = False
        self._readers: dict[str, ReaderStatus] = {}
        run = journal.count_run()
        self._epoch = uuid.uuid4().hex[:12]
        self._revision = self._game_revision = run * REVISIONS_A_RUN
        begun = None if fresh else journal.newest()
        self.resumed = begun is not None
        self._entries = 0
        if begun is None:
            setup = begin()
            self._timeline = Timeline.start(setup)
            self._begun = journal.begin(setup)
        else:
            self._begun = begun
            self._timeline, self._entries = fold.folded(journal, begun)
        begun_ns = None if self.resumed else clock()
        self._interpreter = Interpreter(look_up, journal.last_read(), begun_ns)
        self._tapped = 0
        self.spent = self._timeline.spent
        self._clock = clock
        self._ship = ShipWatch(thresholds or Thresholds())
        self._ship.follow(self._match, clock())
        self._event = plain_event("resumed" if self.resumed else "started", SERVICE, None)
        self._snapshot = self._make_snapshot()
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)

    # From anywhere

    @property
    def snapshot(self) -> Snapshot:
        """The newest one."""
        return self._snapshot

    @property
    def closed(self) -> bool:
        """Whether the service is ending; streams end then, too."""
        return self._closed

    def start(self) -> None:
        """Begin to take readings and requests."""
        self._thread.start()

    def close(self) -> None:
        """Finish what is being done, and stop. All other requests are answered `closed`."""
        self._ending = True
        self._queue.put(Stop())
        self._thread.join()
        with self._published:
            self._closed = True
            self._published.notify_all()
        self._answer_the_rest()

    def report(self, reading: Reading) -> None:
        """Take a reading from a driver; returns at once."""
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

    def new_game(self, *, source: Source) -> Answer:
        """When the game is over, begin another with the same players and options."""
        return self._ask("new-game", source, None, None)

    def settle(self) -> Snapshot:
        """Wait until everything that was queued before is done; the newest snapshot."""
        if self._closed:
            return self._snapshot
        settle = Settle(Future())
        self._queue.put(settle)
        if self._closed:
            self._answer_the_rest()
        return settle.answer.result()

    def wait(self, after_revision: int, timeout_s: float) -> Snapshot:
        """Wait for a newer revision, the end of the service or of the time.

        Returns:
            The newest snapshot in any case.
        """
        with self._published:
            self._published.wait_for(
                lambda: self._closed or self._snapshot.revision > after_revision, timeout_s
            )
        return self._snapshot

    def _ask(
        self, wish: Wish, source: Source, revision: int | None, identity: str | None
    ) -> Answer:
        request = Request(wish, source, revision, identity, Future())
        self._queue.put(request)
        if self._closed:
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
            item.answer.set_result(self._snapshot)
        elif isinstance(item, Request):
            item.answer.set_result(self._answer("closed", "The service is ending."))

    # The table's own thread

    def _next(self) -> Item | Stop | None:
        """What comes next; None when the judge of the ship is to be told the time."""
        due_ns = self._ship.due_ns
        left_s = None if due_ns is None else (due_ns - self._clock()) / 1e9
        try:
            # What waits already comes first: it may be a reading from before that time.
            wait_s = None if left_s is None else max(left_s, SHORTEST_WAIT_S)
            return self._queue.get(timeout=wait_s)
        except Empty:
            return None

    def _run(self) -> None:
        while not isinstance(item := self._next(), Stop):
            try:
                if self._ending:
                    self._turn_away(item)
                else:
                    self._take(item)
            except Exception as error:  # noqa: BLE001 - nothing may end this thread
                # A fault of ours must not end the evening: the state is only swapped when
                # all went well, so it is still that of the last acknowledged action.
                what = type(item).__name__
                log.error("the table could not handle %s: %s", what, course_of(error))  # noqa: TRY400
                if isinstance(item, Request | Settle):
                    item.answer.set_exception(TableError(type(error).__name__))

    def _take(self, item: Item | None) -> None:
        match item:
            case None:
                self._tell_time()
            case Settle(answer):
                self._tell_time()
                answer.set_result(self._snapshot)
            case Request():
                item.answer.set_result(self._fulfil(item))
            case Attitude():
                self._see_ship(self._ship.heard(item))
            case DeviceLost(reader, reason, _):
                self._ship.lost(reader)
                self._see_ship(None)
                hardware = self._readers[reader].hardware if reader in self._readers else ""
                self._show_reader(ReaderStatus(reader, False, hardware, reason))  # noqa: FBT003
            case DeviceBack(reader, hardware, _):
                self._show_reader(ReaderStatus(reader, True, hardware, ""))  # noqa: FBT003
            case _:
                self._hear(item)

    def _show_reader(self, status: ReaderStatus) -> None:
        self._readers[status.name] = status
        self._publish(self._event)

    def _tell_time(self) -> None:
        due_ns = self._ship.due_ns
        now_ns = self._clock()
        if due_ns is not None and now_ns >= due_ns:
            self._ship.ticked(now_ns)
            self._see_ship(None)

    def _see_ship(self, verdict: Verdict | None) -> None:
        """The ship's judge was told something: carry out the verdict, or show what he thinks."""
        source = Source("reader", self._ship.reader, "ship")
        action = verdict and self._match.game.meaning(self._match.state, "ship", verdict)
        if action is not None:
            answer = self._attempt(action, source, None, None)
            if answer.code is None:
                return
            self._ship.ask(answer.message)
        shown, status = self._snapshot.ship, self._ship.status
        if shown == status or (shown and status and shown.phase == status.phase):
            return  # an angle alone is no news: pages would be flooded
        if action is None and status is not None and status.phase == "asking":
            self._notice("ship-unsure", status.reason, source)
        else:
            self._publish(self._event)

    def _hear(self, reading: HandReading) -> None:
        """Carry out what a reading means."""
        pressed = isinstance(reading, ButtonPressed)
        source = Source("reader", reading.reader, "button" if pressed else "tag")
        uid = reading.uid if isinstance(reading, TagOn) else None
        meaning = self._interpreter.read(reading, self._match, self.spent)
        match meaning:
            case Do(action, unless):
                answer = self._attempt(action, source, uid, None, unless)
                self._tapped = self._entries if answer.code is None else 0
            case TakeBack():
                self._attempt(1, source, uid, None)
            case Refuse(code, message):
                self._refuse(code, message, source, None)
            case Notice(code, message):
                if code == "unknown-tag":
                    log.warning("unknown tag %s on %s", uid, reading.reader)
                self._notice(code, message, source)
            case TwoPlaces():
                self._count_at_neither(uid, source)

    def _count_at_neither(self, uid: str | None, source: Source) -> None:
        """Another place has just seen this card, too: what it counted there is taken back."""
        self._interpreter.forget_repeats()
        last = self._timeline.links[-1] if self._timeline.links else None
        counted = last is not None and (last.uid, last.entry) == (uid, self._entries)
        if counted and self._tapped == self._entries:
            answer = self._attempt(1, source, None, None)
            if answer.code is not None:
                return
        self._notice(SEEN_TWICE.code, SEEN_TWICE.message, source)

    def _notice(self, code: str, message: str, source: Source) -> None:
        event = plain_event("notice", source, self._turn())
        self._publish(replace(event, code=code, message=message))

    def _fulfil(self, request: Request) -> Answer:
        if request.identity is not None:
            repeated = self._repeated(request)
            if repeated is not None:
                return repeated
        if request.revision is not None and not (
            self._game_revision <= request.revision <= self._revision
        ):
            return self._answer(
                "stale", "The game has moved on since that view: look again, then choose."
            )
        if request.wish == "new-game":
            return self._begin_again(request.source)
        return self._attempt(request.wish, request.source, None, request.identity)

    def _repeated(self, request: Request) -> Answer | None:
        """The answer to a request that was carried out before; None for a new one."""
        found = self._journal.find_request(request.identity or "")
        if found is None:
            return None
        game, number, done = found
        if request.wish == "new-game" or done != command(request.wish):
            return self._answer(
                "bad-command", "That id was used for another action: use a new one."
            )
        here = game == self._begun.id
        outcomes = self._timeline.outcomes_of(number) if here else ()
        return Answer(self._snapshot, outcomes, None, "", repeated=True)

    def _attempt(
        self,
        wish: Action | int,
        source: Source,
        uid: str | None,
        identity: str | None,
        unless: str = "",
    ) -> Answer:
        """Apply, commit, swap, publish: the only way by which a game changes."""
        turn = self._turn()
        action = None if isinstance(wish, int) else wish
        try:
            number = self._entries + 1
            timeline = self._applied(wish, number, uid, unless)
            match = timeline.match
            self._keep(Entry(number, match.step, command(wish), source, uid, identity))
        except Refusal as refusal:
            return self._refuse(refusal.code, refusal.message, source, action)
        except _NotKept as fault:
            return self._refuse("storage", str(fault), source, action)
        self._swap(timeline, number)
        if uid is None:
            self._interpreter.forget_repeats()
        outcomes = () if action is None else match.outcomes
        count = wish if isinstance(wish, int) else 0
        event = plain_event("undo" if action is None else "action", source, turn)
        self._game_revision = self._revision + 1
        self._publish(replace(event, action=action, count=count, outcomes=outcomes))
        return Answer(self._snapshot, outcomes, None, "", repeated=False)

    def _applied(self, wish: Action | int, number: int, uid: str | None, unless: str) -> Timeline:
        now = self._timeline
        timeline = now.undo(wish) if isinstance(wish, int) else now.do(wish, number, uid)
        if unless:
            raise Refusal("card-not-available", unless)
        return timeline

    def _keep(self, entry: Entry) -> None:
        try:
            self._journal.append(self._begun.id, (entry,))
        except sqlite3.Error as error:
            log.error("the disk did not take an entry: %s", error)  # noqa: TRY400
            raise _NotKept(
                f"The disk did not take it ({error}), so nothing has changed: make room or mend the "
                "disk, then do it again."
            ) from error

    def _swap(self, timeline: Timeline, number: int) -> None:
        self._entries = number
        self._timeline = timeline
        self.spent = timeline.spent
        self._ship.follow(timeline.match, self._clock())

    def _begin_again(self, source: Source) -> Answer:
        if not self._snapshot.standing.over:
            return self._refuse(
                "not-legal", "A new game can begin when this one is over.", source, None
            )
        setup = self._begun.setup
        try:
            begun = self._journal.begin(setup)
        except sqlite3.Error as error:
            return self._refuse("storage", f"The disk did not take it ({error}).", source, None)
        self._begun = begun
        self._timeline = Timeline.start(setup)
        self._entries = 0
        self.spent = frozenset()
        self._ship.follow(self._match, self._clock())
        self._interpreter.begin(self._clock())
        self._game_revision = self._revision + 1
        self._publish(plain_event("started", source, None))
        return self._answer(None, "")

    def _refuse(
        self, code: ErrorCode, message: str, source: Source, action: Action | None
    ) -> Answer:
        self._interpreter.forget_repeats()
        event = plain_event("refused", source, self._turn())
        self._publish(replace(event, action=action, code=code, message=message))
        return self._answer(code, message)

    def _answer(self, code: ErrorCode | None, message: str) -> Answer:
        return Answer(self._snapshot, (), code, message, repeated=False)

    @property
    def _match(self) -> Match:
        return self._timeline.match

    def _turn(self) -> str | None:
        return self._match.game.standing(self._match.state).turn

    def _publish(self, event: Event) -> None:
        if event is not self._event:
            secret = event.action is not None and self._match.game.secret(event.action)
            action = None if secret else event.action
            event = replace(event, action=action, number=self._event.number + 1)
        self._event = event
        self._revision += 1
        snapshot = self._make_snapshot()
        with self._published:
            self._snapshot = snapshot
            self._published.notify_all()

    def _make_snapshot(self) -> Snapshot:
        match = self._match
        game = match.game
        legal = (action for action in game.legal(match.state) if not game.secret(action))
        return Snapshot(
            epoch=self._epoch,
            revision=self._revision,
            table=self._journal.table_id,
            game=self._begun.id,
            game_name=game.name,
            players=match.setup.players,
            options=match.setup.options,
            step=match.step,
            standing=game.standing(match.state),
            state=game.view(match.state, None),
            pieces=game.pieces(match.state),
            legal=tuple(legal),
            readers=tuple(self._readers.values()),
            event=self._event,
            ship=self._ship.status,
        )
