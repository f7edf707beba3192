"""The one authority over a table: a single thread, a single queue.

Readings and requests wait in one queue. For each, in this order: apply it to the game,
write the entry to the disk, swap the state, publish a snapshot, answer. Nobody else
changes anything, and every attempt is answered, also the refused one.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Literal, TypeAlias

from companion.codec import action_from_json, action_to_json
from companion.drivers.api import DeviceBack, DeviceLost, Reading, TagOn
from companion.errors import course_of
from companion.interpreter import Do, Interpreter, Notice, Refuse, TagReading, TakeBack
from companion.journal import Begun, Entry, Journal, JournalError
from companion.match import Match, Setup
from companion.rules.api import Action, Outcome, Refusal
from companion.snapshot import Answer, ErrorCode, Event, ReaderStatus, Snapshot, Source

log = logging.getLogger(__name__)

REVISIONS_A_RUN = 1_000_000_000
"""Each run of the service counts on from a higher number than any run before it used, so
that a view from before a restart is always known to be old."""

SERVICE = Source("service")

Wish: TypeAlias = Action | int | Literal["new-game"]


class TableError(RuntimeError):
    """The table's thread met something that it was not made for; the log says what."""


@dataclass(frozen=True, slots=True)
class _Request:
    """Something that is asked of the table: an action, an undo of n, or a new game."""

    wish: Wish
    source: Source
    revision: int | None
    identity: str | None
    answer: Future[Answer]


@dataclass(frozen=True, slots=True)
class _Settle:
    """Answered when everything that was queued before it is done."""

    answer: Future[Snapshot]


class _Stop:
    """The last thing that the thread takes out of the queue."""


class _NotKept(Exception):
    """The disk did not take the entry; nothing has changed."""


class Table:
    """A game at a table, from start to close. Its public methods may be called anywhere.

    Args:
        journal: the record; from `start` on it belongs to the table's thread.
        look_up: what a tag is on, by UID; called by the table's thread.
        begin: says how to begin; asked only if no game goes on.
        fresh: begin another game in any case.

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
    ) -> None:
        self._journal = journal
        self._queue: SimpleQueue[Reading | _Request | _Settle | _Stop] = SimpleQueue()
        self._published = threading.Condition()
        self._closed = self._ending = False
        self._readers: dict[str, ReaderStatus] = {}
        run = journal.count_run()
        self._epoch = uuid.uuid4().hex[:12]
        self._revision = self._game_revision = run * REVISIONS_A_RUN
        begun = None if fresh else journal.newest()
        self.resumed = begun is not None
        self._entries = 0
        self._in_force: list[Entry] = []
        if begun is None:
            setup = begin()
            self._match = Match.start(setup)
            self._begun = journal.begin(setup)
        else:
            self._begun = begun
            self._match = self._replay(begun)
        self._interpreter = Interpreter(look_up, journal.last_read())
        self.spent: frozenset[str] = self._spent()
        self._event = self._plain_event("resumed" if self.resumed else "started", SERVICE, None)
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
        self._queue.put(_Stop())
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
        settle = _Settle(Future())
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
        request = _Request(wish, source, revision, identity, Future())
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

    def _turn_away(self, item: Reading | _Request | _Settle | _Stop) -> None:
        if isinstance(item, _Settle):
            item.answer.set_result(self._snapshot)
        elif isinstance(item, _Request):
            item.answer.set_result(self._answer("closed", "The service is ending."))

    # The table's own thread

    def _run(self) -> None:
        while not isinstance(item := self._queue.get(), _Stop):
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
                if isinstance(item, _Request | _Settle):
                    item.answer.set_exception(TableError(type(error).__name__))

    def _take(self, item: Reading | _Request | _Settle) -> None:
        match item:
            case _Settle(answer):
                answer.set_result(self._snapshot)
            case _Request():
                item.answer.set_result(self._fulfil(item))
            case DeviceLost(reader, reason, _):
                hardware = self._readers[reader].hardware if reader in self._readers else ""
                self._readers[reader] = ReaderStatus(
                    reader, ready=False, hardware=hardware, trouble=reason
                )
                self._publish(self._event)
            case DeviceBack(reader, hardware, _):
                self._readers[reader] = ReaderStatus(
                    reader, ready=True, hardware=hardware, trouble=""
                )
                self._publish(self._event)
            case _:
                self._hear(item)

    def _hear(self, reading: TagReading) -> None:
        """Carry out what a reading means."""
        source = Source("reader", reading.reader)
        uid = reading.uid if isinstance(reading, TagOn) else None
        meaning = self._interpreter.read(reading, self._match, self.spent)
        match meaning:
            case Do(action, unless):
                self._attempt(action, source, uid, None, unless)
            case TakeBack():
                self._attempt(1, source, uid, None)
            case Refuse(code, message):
                self._refuse(code, message, source, None)
            case Notice(code, message):
                if code == "unknown-tag":
                    log.warning("unknown tag %s on %s", uid, reading.reader)
                event = self._plain_event("notice", source, self._turn())
                self._publish(replace(event, code=code, message=message))

    def _fulfil(self, request: _Request) -> Answer:
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

    def _repeated(self, request: _Request) -> Answer | None:
        """The answer to a request that was carried out before; None for a new one."""
        found = self._journal.find_request(request.identity or "")
        if found is None:
            return None
        game, number, command = found
        if request.wish == "new-game" or command != _command(request.wish):
            return self._answer(
                "bad-command", "That id was used for another action: use a new one."
            )
        outcomes: tuple[Outcome, ...] = ()
        if game == self._begun.id:
            for match, entry in zip(self._match.back(), reversed(self._in_force), strict=True):
                if entry.entry == number:
                    outcomes = match.outcomes
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
            match = self._applied(wish, unless)
            number = self._entries + 1
            entry = Entry(number, match.step, _command(wish), source, uid, identity)
            self._keep(entry)
        except Refusal as refusal:
            return self._refuse(refusal.code, refusal.message, source, action)
        except _NotKept as fault:
            return self._refuse("storage", str(fault), source, action)
        self._swap(match, entry)
        if uid is None:
            self._interpreter.forget_repeats()
        outcomes = () if action is None else match.outcomes
        event = self._plain_event("undo" if action is None else "action", source, turn)
        self._game_revision = self._revision + 1
        self._publish(
            replace(
                event,
                action=action,
                count=wish if isinstance(wish, int) else 0,
                outcomes=outcomes,
            )
        )
        return Answer(self._snapshot, outcomes, None, "", repeated=False)

    def _applied(self, wish: Action | int, unless: str) -> Match:
        match = self._match.undo(wish) if isinstance(wish, int) else self._match.do(wish)
        if unless:
            raise Refusal("card-not-available", unless)
        return match

    def _keep(self, entry: Entry) -> None:
        try:
            self._journal.append(self._begun.id, entry)
        except sqlite3.Error as error:
            log.error("the disk did not take an entry: %s", error)  # noqa: TRY400
            raise _NotKept(
                f"The disk did not take it ({error}), so nothing has changed: make room or mend the "
                "disk, then do it again."
            ) from error

    def _swap(self, match: Match, entry: Entry) -> None:
        self._entries = entry.entry
        if match.step > len(self._in_force):
            self._in_force.append(entry)
        else:
            del self._in_force[match.step :]
        self._match = match
        self.spent = self._spent()

    def _spent(self) -> frozenset[str]:
        """UIDs of the cards turned since the last shuffle."""
        spent: set[str] = set()
        for match, entry in zip(self._match.back(), reversed(self._in_force), strict=True):
            if match.action is not None and match.game.gathers(match.action):
                break
            if entry.uid is not None:
                spent.add(entry.uid)
        return frozenset(spent)

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
        self._match = Match.start(setup)
        self._entries = 0
        self._in_force = []
        self.spent = frozenset()
        self._interpreter.forget_repeats()
        self._game_revision = self._revision + 1
        self._publish(self._plain_event("started", source, None))
        return self._answer(None, "")

    def _refuse(
        self, code: ErrorCode, message: str, source: Source, action: Action | None
    ) -> Answer:
        self._interpreter.forget_repeats()
        event = self._plain_event("refused", source, self._turn())
        self._publish(replace(event, action=action, code=code, message=message))
        return self._answer(code, message)

    def _answer(self, code: ErrorCode | None, message: str) -> Answer:
        return Answer(self._snapshot, (), code, message, repeated=False)

    def _turn(self) -> str | None:
        return self._match.game.standing(self._match.state).turn

    def _plain_event(
        self,
        kind: Literal["started", "resumed", "action", "undo", "refused", "notice"],
        source: Source,
        player: str | None,
    ) -> Event:
        return Event(0, kind, player, None, 0, (), source, "", "")

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
        )

    def _replay(self, begun: Begun) -> Match:
        """Fold the record of a game."""
        try:
            match = Match.start(begun.setup)
            for entry in self._journal.entries(begun.id):
                if "undo" in entry.command:
                    match = match.undo(entry.command["undo"])
                    del self._in_force[match.step :]
                else:
                    match = match.do(action_from_json(begun.setup.game, entry.command))
                    self._in_force.append(entry)
                self._entries = entry.entry
        except (sqlite3.DatabaseError, ValueError) as error:
            raise JournalError(
                f"The record of the game is damaged after entry {self._entries} ({error}): begin "
                "another with --new, or put the record aside."
            ) from error
        except Refusal as refusal:
            raise JournalError(
                f"The game in the record stops making sense after entry {self._entries} "
                f"({refusal.message}): begin another with --new; this one stays in the record."
            ) from refusal
        return match


def _command(wish: Action | int) -> dict[str, object]:
    return {"undo": wish} if isinstance(wish, int) else action_to_json(wish)
