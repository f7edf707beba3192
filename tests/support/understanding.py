"""Drives an `Understanding` without a table: taps and actions are folded over a `Match`."""

from __future__ import annotations

from companion.match import Match
from companion.meaning.api import Ask, Do, Known, Refuse, TakeBack
from companion.meaning.taps import meaning_of
from companion.rules.api import Refusal


class Listener:
    """What a table would make of the taps; it forgets nothing of them.

    Args:
        understanding: of the game.
        setup: how it begins.
        answer: what people say to a question: the key of a choice, or None to leave it open.

    Attributes:
        match: the game as it stands.
        memory: of the understanding.
        record: all that came, in order, for `again`.
    """

    def __init__(self, understanding, setup, answer=lambda question: None):
        self.understanding = understanding
        self.setup = setup
        self.match = Match.start(setup)
        self.uids = []
        self.memory = understanding.begin(setup)
        self.answer_to = answer
        self.record = []

    @property
    def known(self):
        return Known(self.match, tuple(self.uids))

    @property
    def question(self):
        return self.understanding.question(self.memory, self.known)

    @property
    def waiting(self):
        return self.understanding.waiting(self.memory, self.known)

    def tap(self, component, station="", uid=None):
        """Lay a component down; `card` alone is one of the game's. The meaning comes back."""
        if "/" not in component:
            component = f"{self.setup.game}/{component}"
        uid = uid or component
        memory, meaning = meaning_of(
            self.understanding,
            self.memory,
            self.known,
            component=component,
            uid=uid,
            station=station,
        )
        return self._taken(memory, meaning, ("tap", component, station, uid), uid)

    def answer(self, choice):
        """Choose an answer of the open question."""
        assert choice in [each.key for each in self.question.choices], (choice, self.question)
        memory, meaning = self.understanding.answered(self.memory, choice, self.known)
        return self._taken(memory, meaning, ("answer", choice), None)

    def touch(self, action):
        """An action that comes from a page."""
        self._do((action,), None)
        self.record.append(("do", (action,), None))

    def undo(self, count=1):
        self._undo(count)
        self.record.append(("undo", count))

    def again(self):
        """Another listener that was told the same record."""
        other = Listener(self.understanding, self.setup)
        for kind, *what in self.record:
            match kind:
                case "tap":
                    component, station, uid = what
                    other.memory, _ = meaning_of(
                        other.understanding,
                        other.memory,
                        other.known,
                        component=component,
                        uid=uid,
                        station=station,
                    )
                case "answer":
                    other.memory, _ = other.understanding.answered(other.memory, *what, other.known)
                case "do":
                    other._do(*what)
                case "undo":
                    other._undo(*what)
        return other

    def _taken(self, memory, meaning, row, uid):
        before = self.memory
        match meaning:
            case Do(actions, unless, earlier):
                uid = uid or earlier
                self.memory = memory
                if unless:
                    self.memory = before
                    return Refuse("card-not-available", unless)
                try:
                    self._do(actions, uid)
                except Refusal as refusal:
                    self.memory = before
                    return Refuse(refusal.code, refusal.message)
                self.record += [row, ("do", actions, uid)]
            case TakeBack():
                self.memory = memory
                self.record.append(row)
                self.undo()
            case Refuse():
                pass
            case _:
                self.memory = memory
                self.record.append(row)
        if isinstance(meaning, Ask):
            assert self.question is not None, meaning
            assert self.question.key == meaning.question.key
            choice = self.answer_to(meaning.question)
            return meaning if choice is None else self.answer(choice)
        return meaning

    def _do(self, actions, uid):
        match, uids, memory = self.match, list(self.uids), self.memory
        queue = [(action, uid if last else None) for last, action in _with_last(actions)]
        for action, told in queue:
            match = match.do(action)
            uids.append(told)
            memory = self.understanding.followed(memory, Known(match, tuple(uids)))
        for action in self.understanding.follows(memory, Known(match, tuple(uids))):
            match = match.do(action)
            uids.append(None)
            memory = self.understanding.followed(memory, Known(match, tuple(uids)))
        self.match, self.uids, self.memory = match, uids, memory

    def _undo(self, count):
        self.match = self.match.undo(count)
        del self.uids[self.match.step :]
        self.memory = self.understanding.followed(self.memory, self.known)


def _with_last(actions):
    return [(place == len(actions), action) for place, action in enumerate(actions, 1)]
