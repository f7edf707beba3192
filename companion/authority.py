"""The one authority over a game: what the table's thread does with each item of its queue.

It belongs to that thread alone. Others read what it publishes.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion import doubts, interpreter
from companion.announcer import Announcer
from companion.counted import Counted, CountedTaps, to_take_back
from companion.course import ANSWER, SERVICE, TAP, Course, NotKept, not_kept
from companion.drivers.api import (
    Attitude,
    ButtonPressed,
    Clock,
    ClockJumped,
    DeviceBack,
    DeviceGone,
    DeviceLost,
    TagOn,
)
from companion.enrolling.desk import Desk
from companion.inbox import (
    Arrange,
    Change,
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
    Touch,
    command,
)
from companion.interpreter import HandReading, Interpreter, Laid, Together, TwoPlaces
from companion.match import Setup
from companion.meaning.api import Ask, Do, Meaning, Notice, Refuse, TakeBack, Wait
from companion.record.journal import Journal, Note
from companion.rules.api import Action, Refusal
from companion.said import say, together
from companion.ship import Thresholds, Verdict
from companion.ship_watch import ShipWatch
from companion.snapshot import (
    Answer,
    ErrorCode,
    Event,
    EventKind,
    Question,
    ReaderStatus,
    Source,
    plain_event,
)

log = logging.getLogger(__name__)


class Authority:
    """Takes readings and requests, one by one (see `companion.table.Table` for the arguments).

    Attributes:
        course: the game in progress.
        resumed: it went on with a game of the record.
        publisher: the newest snapshot.
        stations: where readers stand, by their names.
        thresholds: of the judge of the ship.
    """

    def __init__(
        self,
        journal: Journal,
        look_up: Callable[[str], str | None],
        begin: Callable[[], Setup],
        *,
        fresh: bool,
        clock: Clock,
        thresholds: Thresholds,
        stations: Mapping[str, str],
        began: Callable[[], None],
    ) -> None:
        self._journal = journal
        self._began = began
        self.stations = stations
        self.thresholds = thresholds
        self._clock = clock
        begun = None if fresh else journal.newest()
        self.resumed = begun is not None
        event = plain_event("resumed" if self.resumed else "started", SERVICE, None)
        self._told = Announcer(journal, event)
        self._desk = Desk(journal, self._told)
        self.publisher = self._told.publisher
        if begun is None:
            self.course = Course.begin(journal, begin())
        else:
            self.course = Course.resume(journal, begun)
            self._doubt_the_time_away()
        begun_ns = None if self.resumed else clock()
        self._interpreter = Interpreter(look_up, journal.last_read(), begun_ns)
        self._counted = CountedTaps()
        self._ship = ShipWatch(thresholds)
        self._ship.follow(self.course.match, clock())
        self._told.first(self.course, self._ship.status)

    @property
    def due_ns(self) -> int | None:
        """When the judge of the ship is to be told the time."""
        return self._ship.due_ns

    def take(self, item: Item | None) -> None:
        """Do what it takes; None when the judge of the ship is to be told the time."""
        try:
            self._take(item)
        except (sqlite3.Error, NotKept) as error:
            # Something could not be written, or not even what is known could be read.
            message = str(error if isinstance(error, NotKept) else not_kept(error))
            if isinstance(item, Request):
                item.answer.set_result(self._refuse("storage", message, item.source))
            elif isinstance(item, TagOn | ButtonPressed):
                self._refuse("storage", message, Source("reader", item.reader))
            else:
                raise

    def _take(self, item: Item | None) -> None:
        match item:
            case None:
                self._tell_time()
            case Settle(answer):
                self._tell_time()
                answer.set_result(self.publisher.snapshot)
            case Listing(listed):
                listed.set_result(self._journal.tags())
            case Request():
                item.answer.set_result(self._fulfil(item))
            case Attitude():
                self._see_ship(self._ship.heard(item))
                if self._ship.fell(item) and self.course.match.game.ship:
                    self._doubt(doubts.SHIP_FELL)
            case DeviceLost():
                self._lose(item)
            case DeviceBack():
                self._find_again(item)
            case DeviceGone(reader, _):
                self._told.readers.pop(reader, None)
                self._publish(self._told.event)
            case ClockJumped(reader, by_s, _):
                self._doubt(doubts.clock_jumped(reader, by_s))
            case _:
                self._hear(item)

    def _tell_time(self) -> None:
        now_ns = self._clock()
        if (due_ns := self._ship.due_ns) is not None and now_ns >= due_ns:
            self._ship.ticked(now_ns)
            self._see_ship(None)

    # Devices

    def _lose(self, lost: DeviceLost) -> None:
        reader = lost.reader
        self._ship.lost(reader)
        self._see_ship(None)
        course = self.course
        course.doubts = course.doubts.lost(reader, lost.at_ns, self._turn())
        course.remark("device-lost", {"reader": reader, "reason": lost.reason})
        hardware = known.hardware if (known := self._told.readers.get(reader)) else ""
        self._show_reader(ReaderStatus(reader, False, hardware, lost.reason))  # noqa: FBT003

    def _find_again(self, back: DeviceBack) -> None:
        course = self.course
        course.remark("device-back", {"reader": back.reader, "hardware": back.hardware})
        course.doubts, question = course.doubts.back(back.reader, back.at_ns, self._turn())
        if question is not None:
            course.doubt(question)
        self._show_reader(ReaderStatus(back.reader, True, back.hardware, ""))  # noqa: FBT003

    def _show_reader(self, status: ReaderStatus) -> None:
        self._told.readers[status.name] = status
        self._publish(self._told.event)

    def _doubt(self, question: Question) -> None:
        """Ask it while a game goes on."""
        if self._turn() is not None:
            self.course.doubt(question)
            self._publish(self._told.event)

    def _doubt_the_time_away(self) -> None:
        """Another run has ended in the middle of this game: something may have been missed."""
        if self._turn() is None or not self.course.match.step:
            return
        self.course.doubt(doubts.service_was_away(self._journal.away_s(self.course.begun.id)))

    def _see_ship(self, verdict: Verdict | None) -> None:
        """The ship's judge was told something: carry out the verdict, or show what he thinks."""
        source = Source("reader", self._ship.reader, "ship")
        match = self.course.match
        action = verdict and match.game.meaning(match.state, "ship", verdict)
        if action is not None:
            answer = self._change(action, source)
            if answer.code is None:
                return
            self._ship.ask(answer.message)
        shown, status = self.publisher.snapshot.ship, self._ship.status
        if shown == (replace(status, angle=shown.angle) if shown and status else status):
            return  # an angle alone is no news: pages would be flooded
        if action is None and status is not None and status.phase == "asking":
            self._tell("notice", "ship-unsure", status.reason, source)
        else:
            self._publish(self._told.event)

    # Taps and answers

    def _hear(self, reading: HandReading) -> None:
        """Carry out what a reading means."""
        reader = reading.reader
        pressed = isinstance(reading, ButtonPressed)
        source = Source("reader", reader, "button" if pressed else "tag")
        uid = reading.uid if isinstance(reading, TagOn) else None
        heard = self._interpreter.read(reading)
        if self._desk.is_open:
            if self._desk.hears(reading, heard):
                self._publish(self._told.event)
            return
        match heard:
            case Laid(component):
                self._take_tap(component, uid, source, reading.at_ns, self.stations.get(reader, ""))
            case Notice(code, message):
                if code == "unknown-tag":
                    self._desk.unknown = uid or ""
                    log.warning("unknown tag %s on %s", uid, reader)
                self.course.remark("notice", {"reader": reader, "uid": uid, "code": code})
                self._tell("notice", code, message, source)
            case TwoPlaces():
                since_ns = reading.at_ns - interpreter.TWO_PLACES_NS
                self._count_none(since_ns, interpreter.SEEN_TWICE, source, uid=uid)
            case Together(since_ns):
                self._count_none(since_ns, interpreter.ONE_AT_A_TIME, source, reader=reader)

    def _take_tap(
        self, component: str, uid: str | None, source: Source, at_ns: int, station: str
    ) -> Answer:
        before, taps = self.course.entries, self.course.taps
        memory, meaning = self.course.meaning(component, uid or "", station)
        body = {"component": component, "uid": uid or "", "station": station, "reader": source.name}
        answer = self._carry_out(meaning, memory, (TAP, body), source, uid)
        if self.course.taps > taps:
            made = range(before + 1, self.course.entries + 1)
            self._counted.add(Counted(source.name, uid, at_ns, self.course.taps, made))
        return answer

    def _reply(self, reply: Reply, source: Source) -> Answer:
        """People answered a question."""
        asked = next((one for one in self.course.questions if one.key == reply.question), None)
        if asked is None:
            return self._refuse("not-legal", say("That is not asked any more: look again."), source)
        choices = [choice.key for choice in asked.choices]
        if reply.choice not in choices:
            return self._refuse(
                "bad-command",
                say(
                    "The question %(question)s takes %(choices)s.",
                    question=asked.key,
                    choices=together(choices, "or"),
                ),
                source,
            )
        body = {"question": asked.key, "choice": reply.choice}
        if self.course.asks(asked.key):
            memory, meaning = self.course.answered(reply.choice)
            return self._carry_out(meaning, memory, (ANSWER, body), source, None)
        self.course.clear_up(asked.key, self.course.note(ANSWER, body))
        label = next(choice.label for choice in asked.choices if choice.key == reply.choice)
        return self._tell("taken", reply.choice, label, source)

    def _carry_out(
        self,
        meaning: Meaning,
        memory: Any,  # noqa: ANN401 - the understanding's own
        told: tuple[str, dict[str, Any]],
        source: Source,
        uid: str | None,
    ) -> Answer:
        """Do what a tap or an answer means, and keep it."""
        note = self.course.note(*told)
        match meaning:
            case Do(actions, unless, earlier):
                uid = uid or earlier
                return self._do(actions, source, uid=uid, meant=(memory, note), unless=unless)
            case TakeBack():
                return self._change(1, source, uid=uid, meant=(memory, note))
            case Refuse():
                return self._refuse(meaning.code, meaning.message, source, told=told[1])
        self.course.take(memory, note)
        match meaning:
            case Wait(message):
                return self._tell("taken", "waiting", message, source)
            case Ask(question):
                return self._tell("taken", "question", question.text, source)
        return self._tell("notice", meaning.code, meaning.message, source)

    def _count_none(
        self,
        since_ns: int,
        why: Notice,
        source: Source,
        *,
        reader: str | None = None,
        uid: str | None = None,
    ) -> None:
        """These turn out to be no taps: what they did is taken back, where nothing came after."""
        self._interpreter.forget_repeats()
        course = self.course
        taps = self._counted.newest(since_ns, course.taps, reader=reader, uid=uid)
        count = to_take_back(taps, course.timeline.links)
        stands = not (taps or self._counted.none(since_ns, reader=reader, uid=uid))
        if why is interpreter.SEEN_TWICE and (stands or count is None):
            why = interpreter.COUNTED_ALREADY
        if count and self._change(count, source).code is not None:
            return
        if taps and count is not None:
            course.unsay(taps[-1].tap)
        self._tell("notice", why.code, why.message, source)

    # Requests

    def _fulfil(self, request: Request) -> Answer:
        if request.identity is not None:
            repeated = self._repeated(request)
            if repeated is not None:
                return repeated
        if request.revision is not None and not self._told.is_current(request.revision):
            return self.answer(
                "stale", say("The game has moved on since that view: look again, then choose.")
            )
        match request.wish:
            case NewGame():
                return self._begin(request.wish, request.source)
            case Arrange(stations, thresholds):
                self.stations, self.thresholds = stations, thresholds
                self._ship.judge_by(thresholds, self.course.match, self._clock())
            case Reply():
                return self._reply(request.wish, request.source)
            case Touch(component, station):
                return self._take_tap(component, None, request.source, self._clock(), station)
            case Enrol():
                try:
                    self._desk.carries_out(request.wish)
                except Refusal as refusal:
                    return self.answer(refusal.code, refusal.message)
                self._interpreter.forget_repeats()  # the same tag may be laid again at once
            case Refresh():
                pass
            case _:
                return self._change(request.wish, request.source, identity=request.identity)
        self._publish(self._told.event)
        return self.answer(None, "")

    def _repeated(self, request: Request) -> Answer | None:
        """The answer to a request that was carried out before; None for a new one."""
        found = self._journal.find_request(request.identity or "")
        if found is None:
            return None
        game, number, done = found
        wish = request.wish
        if not isinstance(wish, Change) or done != command(wish):
            return self.answer(
                "bad-command", say("That id was used for another action: use a new one.")
            )
        here = game == self.course.begun.id
        outcomes = self.course.timeline.outcomes_of(number) if here else ()
        return Answer(self.publisher.snapshot, outcomes, None, "", repeated=True)

    # The only ways by which a game changes

    def _change(
        self,
        wish: Change,
        source: Source,
        *,
        uid: str | None = None,
        identity: str | None = None,
        meant: tuple[Any, Note] | None = None,
    ) -> Answer:
        course, turn = self.course, self._turn()
        event = plain_event("corrected", source, turn)
        try:
            match wish:
                case int():
                    event = replace(event, kind="undo", count=wish)
                    course.undo(wish, source, uid=uid, identity=identity, meant=meant)
                case Correction(edits):
                    course.correct(edits, source, identity)
                case Restoration(entry):
                    course.restore(entry, source, identity)
                case _:
                    return self._do((wish,), source, uid=uid, identity=identity)
        except Refusal as refusal:
            told = {"commands": [command(wish)]}
            return self._refuse(refusal.code, refusal.message, source, told=told)
        except NotKept as fault:
            return self._refuse("storage", str(fault), source)
        return self._changed(event, uid)

    def _do(
        self,
        actions: Sequence[Action],
        source: Source,
        *,
        uid: str | None = None,
        identity: str | None = None,
        meant: tuple[Any, Note] | None = None,
        unless: str = "",
    ) -> Answer:
        event = replace(plain_event("action", source, self._turn()), action=actions[-1])
        try:
            outcomes = self.course.do(
                actions, source, uid=uid, identity=identity, meant=meant, unless=unless
            )
        except Refusal as refusal:
            told = {"uid": uid, "commands": [command(action) for action in actions]}
            return self._refuse(
                refusal.code, refusal.message, source, told=told, action=actions[-1]
            )
        except NotKept as fault:
            return self._refuse("storage", str(fault), source, action=actions[-1])
        return self._changed(replace(event, outcomes=outcomes), uid)

    def _changed(self, event: Event, uid: str | None) -> Answer:
        if uid is None:
            self._interpreter.forget_repeats()
        self._ship.follow(self.course.match, self._clock())
        self._told.game_changes()
        self._publish(event)
        return Answer(self.publisher.snapshot, event.outcomes, None, "", repeated=False)

    def _begin(self, wish: NewGame, source: Source) -> Answer:
        over = self.publisher.snapshot.standing.over
        untouched = wish.setup is not None and not self.course.match.step
        if not (over or untouched or wish.instead):
            return self._refuse(
                "not-legal", say("A new game can begin when this one is over."), source
            )
        try:
            self.course = Course.begin(
                self._journal, wish.setup or self._desk.setup_again(self.course.begun.setup)
            )
        except Refusal as refusal:
            return self._refuse(refusal.code, refusal.message, source)
        except NotKept as fault:
            return self._refuse("storage", str(fault), source)
        self._ship.follow(self.course.match, self._clock())
        self._interpreter.begin(self._clock())
        self._told.game_changes()
        self._publish(plain_event("started", source, None))
        self._began()
        return self.answer(None, "")

    # What everybody is told

    def _refuse(
        self,
        code: ErrorCode,
        message: str,
        source: Source,
        *,
        told: Mapping[str, Any] | None = None,
        action: Action | None = None,
    ) -> Answer:
        self._interpreter.forget_repeats()
        if told is not None:
            whence = {"source": source.kind, "reader": source.name}
            self.course.remark("refused", {**whence, **told, "code": code, "message": message})
        event = plain_event("refused", source, self._turn())
        self._publish(replace(event, action=action, code=code, message=message))
        return self.answer(code, message)

    def _tell(self, kind: EventKind, code: str, message: str, source: Source) -> Answer:
        event = plain_event(kind, source, self._turn())
        self._publish(replace(event, code=code, message=message))
        return self.answer(None, "")

    def answer(self, code: ErrorCode | None, message: str) -> Answer:
        """The answer to a request that brought nothing about."""
        return Answer(self.publisher.snapshot, (), code, message, repeated=False)

    def _turn(self) -> str | None:
        match = self.course.match
        return match.game.standing(match.state).turn

    def _publish(self, event: Event) -> None:
        self._told.tell(event, self.course, self._ship.status)
