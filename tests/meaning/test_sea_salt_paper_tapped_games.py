"""Whole games of Sea Salt & Paper told by taps: the record is the truth, or the table asks.

Robot people play (`hardware_sim.evening`), and what their taps mean is done. They never see the
record. A wrong guess would part the two.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from companion.match import Match, Setup
from companion.meaning.api import Ask, Do, Notice, Refuse, Wait
from companion.meaning.sea_salt_paper import SeaSaltPaper, taking
from companion.rules.sea_salt_paper.cards import NAMES
from companion.rules.sea_salt_paper.words import Draw, Duo, Hand
from hardware_sim.evening.api import Lay, Say, Touch
from hardware_sim.evening.sea_salt_paper import MANY_READERS, ONE_READER, SeaSaltPaperPeople
from tests.support.understanding import Listener

SEEDS = st.integers(0, 2**32)
TRACKINGS = st.sampled_from(("full", "score"))
READERS = st.sampled_from((MANY_READERS, ONE_READER))


class Evening:
    """People who play, and a table that hears their taps."""

    def __init__(self, seed, players, tracking, *, salt=False, readers=MANY_READERS):
        chance = Random(seed)
        names = readers[:players]
        options = {"tracking": tracking, "salt": salt}
        setup = Setup("sea-salt-paper", names, chance.choice(names), options)
        self.people = SeaSaltPaperPeople(setup, chance)
        self.truth = Match.start(setup)
        self.table = Listener(
            SeaSaltPaper(), setup, lambda question: self.people.answer(question, self.truth)
        )

    @property
    def over(self):
        return self.truth.game.standing(self.truth.state).over

    def move(self):
        """The gestures of what happens next; the truth is as it is after it."""
        move = self.people.move(self.truth)
        for action in move.actions:
            self.truth = self.truth.do(action)
        return move.gestures

    def make(self, gesture):
        """Make it; what it means."""
        match gesture:
            case Lay(station, uid):
                return self.table.tap(self.people.world.tags[uid], station, uid)
            case Touch(action):
                return self.table.touch(action)
            case Say(choice):
                if choice not in keys(self.table.question):
                    self.table.answer(self.people.answer(self.table.question, self.truth))
                return self.table.answer(choice)
        raise AssertionError(gesture)

    def make_unanswered(self, gesture):
        """Make it, and let a question that it brings stay open."""
        answer, self.table.answer_to = self.table.answer_to, lambda question: None
        meaning = self.make(gesture)
        self.table.answer_to = answer
        return meaning

    def moves(self, count):
        """The gestures of so many moves, or of the game."""
        for _ in range(count):
            if self.over:
                return
            yield self.move()

    def assert_told(self):
        """That the record holds what happened."""
        assert actions(self.table.match) == actions(self.truth)
        assert self.table.match.state == self.truth.state


def actions(match):
    """Newest first; which of the cards was tapped first is nothing that happened."""
    return [
        replace(action, cards=tuple(sorted(action.cards)))
        if isinstance(action := each.action, Draw | Duo | Hand)
        else action
        for each in match.back()
    ]


@given(SEEDS, st.integers(2, 4), TRACKINGS, st.booleans(), READERS)
@example(16063, 4, "full", True, ONE_READER)  # the card drawn last is dealt first
@settings(max_examples=50, deadline=None)
def test_a_game_told_by_taps_is_the_game_that_was_played(seed, players, tracking, salt, readers):
    evening = Evening(seed, players, tracking, salt=salt, readers=readers)
    for gestures in evening.moves(200):
        for gesture in gestures:
            meaning = evening.make(gesture)
            assert not isinstance(meaning, Refuse), meaning
            assert not isinstance(meaning, Ask), meaning
        evening.assert_told()
    assert evening.table.again().memory == evening.table.memory


@given(SEEDS, st.integers(2, 4), TRACKINGS, st.booleans(), READERS)
@settings(max_examples=40, deadline=None)
def test_a_tap_that_is_read_again_changes_nothing(seed, players, tracking, salt, readers):
    """Of a card; where it could mean something else as well, the table asks (one reader)."""
    evening, chance = Evening(seed, players, tracking, salt=salt, readers=readers), Random(seed)
    for gestures in evening.moves(150):
        for gesture in gestures:
            evening.make(gesture)
            if not is_card(evening, gesture) or chance.random() < 0.7:
                continue
            before, state = evening.table.memory, evening.table.match.state
            again = evening.make_unanswered(gesture)
            assert isinstance(again, Notice | Refuse | Ask | Wait), again
            assert evening.table.match.state == state
            assert evening.table.memory == before or isinstance(again, Ask | Wait)
        evening.assert_told()


def is_card(evening, gesture):
    tags = evening.people.world.tags
    return isinstance(gesture, Lay) and tags[gesture.uid].startswith("sea-salt-paper/")


@given(SEEDS, st.integers(2, 4), TRACKINGS, st.booleans(), READERS)
@settings(max_examples=40, deadline=None)
def test_any_tap_anywhere_has_a_meaning_that_can_be_carried_out(
    seed, players, tracking, salt, readers
):
    """The table is told nonsense, and does nothing that the rules would refuse."""
    evening, chance = Evening(seed, players, tracking, salt=salt, readers=readers), Random(seed)
    table = evening.table
    table.answer_to = lambda question: chance.choice([None, *keys(question)])
    tokens = [f"control/{name}" for name in ("stop", "pass", "last-chance", "mermaids")]
    tokens += [f"player/{number}" for number in range(1, players + 1)]
    stations = ["", "play", "draw", "discard-1", "discard-2", "seat-1", "seat-2", "seat-4"]
    for _ in range(120):
        cards = [*NAMES, *likely(table.match.state)]
        what = chance.choice(tokens) if chance.random() < 0.15 else chance.choice(cards)
        step = table.match.step
        meaning = table.tap(what, chance.choice(stations))
        if isinstance(meaning, Do):
            assert table.match.step == step + len(meaning.actions)
        if table.question is not None and chance.random() < 0.3:
            table.answer(chance.choice(keys(table.question)))
        if chance.random() < 0.02 and table.match.step:
            table.undo(chance.randint(1, table.match.step))
    again = table.again()
    assert again.match.state == table.match.state
    assert again.memory == table.memory


def keys(question):
    return [choice.key for choice in question.choices]


def likely(state):
    """Cards that may well be tapped, so that games get somewhere."""
    piles = getattr(state, "piles", ())
    return [NAMES[cards[-1].bit_length() - 1] for cards in piles if cards] * 10


def test_a_wrong_guess_is_noticed(monkeypatch):
    """With the other card taken for the one that was kept."""
    honest = taking._both_drawn
    monkeypatch.setattr(
        taking,
        "_both_drawn",
        lambda reading, other, known, role: honest(reading, other, role, known),
    )
    evening = Evening(1, 3, "full")
    with pytest.raises(AssertionError):
        play_on(evening)


def play_on(evening):
    for gestures in evening.moves(60):
        for gesture in gestures:
            evening.make(gesture)
        evening.assert_told()
