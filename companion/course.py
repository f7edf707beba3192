"""A game in progress and its record: what is applied, kept on the disk, and only then true.

It belongs to the table's thread. Each method that changes something applies it first, then
commits it, then swaps the state; when the rules or the disk say no, nothing has changed.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from companion.codec import action_to_json
from companion.counted import REMEMBERED
from companion.disk_words import not_taken
from companion.doubts import MISSED, Doubts
from companion.errors import PlainError
from companion.match import Match, Setup
from companion.meaning import understanding_of
from companion.meaning.api import Known, Meaning
from companion.meaning.taps import meaning_of
from companion.record.journal import Begun, Entry, Journal, JournalError, Note
from companion.repair.timeline import Edit, Timeline, edits_to_json
from companion.rules.api import Action, Outcome, Refusal
from companion.said import kept, recalled, say
from companion.snapshot import Choice, Question, Source

log = logging.getLogger(__name__)

SERVICE = Source("service")
CLOSING = "closing"
"""The key of the question whether the page agrees with the table, when something is closed."""

CLOSING_CHOICES = (
    Choice("agrees", say("It agrees")),
    Choice(MISSED, say("It does not: set it right")),
)

TAP, ANSWER, DOUBT, UNSAID = "tap", "answer", "doubt", "unsaid"
"""Kinds of notes that are folded; all others are kept to be read by people alone."""


class NotKept(PlainError):
    """The disk did not take it; nothing has changed. The text is one sentence for people."""


class Course:
    """One game, from its beginning or its record on.

    Attributes:
        begun: the game in the record.
        timeline: the actions in force.
        told: all entries, also those that are no longer in force.
        entries: the number of the last entry.
        doubts: what the table asks beside the game.
        taps: how many taps and answers are kept.
    """

    def __init__(self, journal: Journal, begun: Begun) -> None:
        self._journal = journal
        self.begun = begun
        self.timeline = Timeline.start(begun.setup)
        self.told: tuple[Entry, ...] = ()
        self.entries = 0
        self.doubts = Doubts()
        self._understanding = understanding_of(begun.setup.game)
        self._memory: Any = self._understanding.begin(begun.setup)
        self._agreed: int | None = None
        self.taps = 0
        self._before_tap: dict[int, Any] = {}

    @classmethod
    def begin(cls, journal: Journal, setup: Setup) -> Course:
        """A new game.

        Raises:
            Refusal: it cannot be set up so.
            NotKept: the disk does not take it.
        """
        Match.start(setup)
        try:
            return cls(journal, journal.begin(setup))
        except sqlite3.Error as error:
            raise not_kept(error) from error

    @classmethod
    def resume(cls, journal: Journal, begun: Begun) -> Course:
        """The game out of its record: the fold of its entries and notes.

        Raises:
            JournalError: it is damaged, or makes no sense.
        """
        last = 0
        try:
            course = cls(journal, begun)
            for row in journal.record(begun.id):
                if isinstance(row, Entry):
                    course._replay(row)
                    last = row.entry
                else:
                    course._recall(row)
        except (sqlite3.DatabaseError, ValueError) as error:
            raise JournalError(
                f"The record of the game is damaged after entry {last} ({error}): begin "
                "another with --new, or put the record aside."
            ) from error
        except Refusal as refusal:
            raise JournalError(
                f"The game in the record stops making sense after entry {last} "
                f"({refusal.message}): begin another with --new; this one stays in the record."
            ) from refusal
        return course

    @property
    def match(self) -> Match:
        """The game as it stands."""
        return self.timeline.match

    @property
    def known(self) -> Known:
        """What an understanding may look at."""
        return _known(self.timeline)

    @property
    def questions(self) -> tuple[Question, ...]:
        """What the table cannot know and asks."""
        asked = self._understanding.question(self._memory, self.known)
        closing = self._closing()
        return (
            *(() if asked is None else (asked,)),
            *self.doubts.open,
            *(() if closing is None else (closing,)),
        )

    @property
    def waiting(self) -> str:
        """What was tapped and waits for more."""
        return self._understanding.waiting(self._memory, self.known)

    @property
    def held(self) -> Mapping[str, tuple[str, ...]]:
        """By player, the cards that were tapped and wait for more, for that player's eyes alone."""
        held: Mapping[str, tuple[str, ...]] = self._understanding.held(self._memory, self.known)
        return held

    # What things mean

    def meaning(self, component: str, uid: str, station: str) -> tuple[Any, Meaning]:
        """What it means that this was laid down there, and the memory after it."""
        return meaning_of(
            self._understanding,
            self._memory,
            self.known,
            component=component,
            uid=uid,
            station=station,
        )

    def answered(self, choice: str) -> tuple[Any, Meaning]:
        """What it means that people chose this of what the game's taps ask."""
        return self._understanding.answered(self._memory, choice, self.known)

    def asks(self, key: str) -> bool:
        """Whether the question of that key comes from the game's taps."""
        asked = self._understanding.question(self._memory, self.known)
        return asked is not None and asked.key == key

    # What changes the game

    def do(
        self,
        actions: Sequence[Action],
        source: Source,
        *,
        uid: str | None = None,
        identity: str | None = None,
        meant: tuple[Any, Note] | None = None,
        unless: str = "",
    ) -> tuple[Outcome, ...]:
        """Carry the actions out, all or none, and what follows from them by itself.

        Args:
            actions: in order.
            source: who does it.
            uid: of the tag that told it.
            identity: the id of the request.
            meant: where a tap or an answer means it: the memory after it, and its note.
            unless: a sentence that forbids what the rules would allow.

        Raises:
            Refusal, NotKept: nothing has changed.
        """
        timeline, memory = self.timeline, self._memory if meant is None else meant[0]
        entries: list[Entry] = []
        outcomes: list[Outcome] = []

        def carry_out(action: Action, source: Source, uid: str | None, name: str | None) -> None:
            nonlocal timeline, memory
            number = self.entries + len(entries) + 1
            timeline = timeline.do(action, number, uid)
            step = timeline.match.step
            entries.append(Entry(number, step, action_to_json(action), source, uid, name))
            outcomes.extend(timeline.match.outcomes)
            memory = self._understanding.followed(memory, _known(timeline))

        for place, action in enumerate(actions, 1):
            last = place == len(actions)
            carry_out(action, source, uid if last else None, identity if last else None)
        if unless:
            raise Refusal("card-not-available", unless)
        for action in self._understanding.follows(memory, _known(timeline)):
            carry_out(action, SERVICE, None, None)
        self._keep(entries, () if meant is None else (meant[1],))
        if meant is not None:
            self._count_tap()
        self._swap(timeline, entries[-1].entry, memory)
        return tuple(outcomes)

    def undo(
        self,
        count: int,
        source: Source,
        *,
        uid: str | None = None,
        identity: str | None = None,
        meant: tuple[Any, Note] | None = None,
    ) -> None:
        """Take the last actions back.

        Args:
            count: how many.
            source: who does it.
            uid: of the tag that told it.
            identity: the id of the request.
            meant: where a tap or an answer means it: the memory after it, and its note.

        Raises:
            Refusal, NotKept: nothing has changed.
        """
        self._command({"undo": count}, source, uid, identity, meant)

    def correct(self, edits: Sequence[Edit], source: Source, identity: str | None) -> None:
        """Set the past right.

        Raises:
            Refusal, NotKept: nothing has changed.
        """
        self._command({"correct": edits_to_json(edits)}, source, None, identity)

    def restore(self, entry: int, source: Source, identity: str | None) -> None:
        """Take a correction back.

        Raises:
            Refusal, NotKept: nothing has changed.
        """
        self._command({"restore": entry}, source, None, identity)

    # What does not

    def take(self, memory: Any, note: Note) -> None:  # noqa: ANN401 - the understanding's own
        """A tap or an answer that changes what is remembered, and not the game.

        Raises:
            NotKept: nothing has changed.
        """
        self._keep((), (note,))
        self._count_tap()
        self._memory = memory

    def unsay(self, tap: int) -> None:
        """This tap turns out to be none, and so do those after it; nothing came in between.

        What they did to the game was taken back before.

        Args:
            tap: which of `taps`; one of the newest.

        Raises:
            NotKept: nothing has changed.
        """
        self._keep((), (self.note(UNSAID, {"tap": tap}),))
        self._remember_before(tap)

    def doubt(self, question: Question) -> None:
        """The table asks this; it is in the record where the disk takes it."""
        self.doubts = self.doubts.raised(question)
        choices = [[choice.key, choice.label] for choice in question.choices]
        # As text for who reads the record, and so that each page can tell it in its language.
        said = [kept(question.text), *(kept(choice.label) for choice in question.choices)]
        body = {"key": question.key, "text": question.text, "choices": choices, "said": said}
        self.remark(DOUBT, body)

    def clear_up(self, key: str, note: Note) -> None:
        """People answered a doubt of the table.

        Raises:
            NotKept: nothing has changed.
        """
        self._keep((), (note,))
        self._forget(key)

    def remark(self, kind: str, body: Mapping[str, Any]) -> None:
        """Something that people may read in the record; a disk that does not take it is named."""
        try:
            self._keep((), (self.note(kind, body),))
        except NotKept as fault:
            log.warning("not in the record: %s (%s)", kind, fault)

    def note(self, kind: str, body: Mapping[str, Any]) -> Note:
        """A note that comes now."""
        return Note(self.entries, kind, body)

    def _count_tap(self) -> None:
        """What was remembered before the newest taps is kept, in case they turn out to be none."""
        self.taps += 1
        self._before_tap[self.taps] = self._memory
        self._before_tap.pop(self.taps - REMEMBERED, None)

    def _remember_before(self, tap: int) -> None:
        memory = self._before_tap.get(tap, self._memory)
        self._memory = self._understanding.followed(memory, self.known)

    def _command(
        self,
        command: dict[str, Any],
        source: Source,
        uid: str | None,
        identity: str | None,
        meant: tuple[Any, Note] | None = None,
    ) -> None:
        number = self.entries + 1
        timeline = self.timeline.after(command, number)
        entry = Entry(number, timeline.match.step, command, source, uid, identity)
        self._keep((entry,), () if meant is None else (meant[1],))
        memory = self._memory if meant is None else meant[0]
        if meant is not None:
            self._count_tap()
        self._swap(timeline, number, self._understanding.followed(memory, _known(timeline)))

    def _keep(self, entries: Sequence[Entry], notes: Sequence[Note]) -> None:
        try:
            self._journal.append(self.begun.id, entries, notes)
            self.told += tuple(entries)
        except sqlite3.Error as error:
            raise not_kept(error) from error

    def _swap(self, timeline: Timeline, entries: int, memory: Any) -> None:  # noqa: ANN401
        self.timeline, self.entries, self._memory = timeline, entries, memory
        self._agreed = None

    def _closing(self) -> Question | None:
        if self._agreed == self.entries:
            return None
        what = self._understanding.closing(self.known)
        if not what:
            return None
        return Question(CLOSING, say("Does the table agree? %(what)s.", what=what), CLOSING_CHOICES)

    def _forget(self, key: str) -> None:
        if key == CLOSING:
            self._agreed = self.entries
        self.doubts = self.doubts.answered(key)

    # The fold

    def _replay(self, entry: Entry) -> None:
        timeline = self.timeline.after(entry.command, entry.entry, entry.uid)
        self.told += (entry,)
        memory = self._understanding.followed(self._memory, _known(timeline))
        self._swap(timeline, entry.entry, memory)

    def _recall(self, note: Note) -> None:
        body = note.body
        if note.kind == TAP:
            self._count_tap()
            self._memory, _ = self.meaning(body["component"], body["uid"], body["station"])
        elif note.kind == UNSAID:
            self._remember_before(body["tap"])
        elif note.kind == DOUBT:
            self.doubts = self.doubts.raised(_recalled(body))
        elif note.kind == ANSWER and self.asks(body["question"]):
            self._count_tap()
            self._memory, _ = self.answered(body["choice"])
        elif note.kind == ANSWER:
            self._forget(body["question"])


def _recalled(body: Mapping[str, Any]) -> Question:
    """The doubt of that note; a record of before has its sentences in English alone."""
    labels = [label for _, label in body["choices"]]
    text, *labels = map(recalled, body.get("said", [body["text"], *labels]))
    keys = [key for key, _ in body["choices"]]
    return Question(body["key"], text, tuple(map(Choice, keys, labels)))


def _known(timeline: Timeline) -> Known:
    return Known(timeline.match, timeline.uids)


def not_kept(error: sqlite3.Error) -> NotKept:
    """What people are told of an error of the disk or of the record."""
    return NotKept(not_taken(error))
