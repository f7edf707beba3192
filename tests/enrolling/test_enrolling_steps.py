"""Enrolment, step by step, with nothing but the steps themselves."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.enrolling import steps
from companion.enrolling.acts import (
    Allow,
    Bring,
    Check,
    Choose,
    Counted,
    LayOn,
    MoveHere,
    Recount,
    SetColour,
    SetMode,
    Skip,
    TakeOff,
    Undo,
)
from companion.enrolling.places import places_of
from companion.enrolling.session import Session
from companion.rules import GAMES
from companion.rules.api import Refusal

SALT = "sea-salt-paper"
CARDS = [place.component for place in places_of(SALT).values() if place.part == "cards"]


def uid(number: int) -> str:
    return f"04A3C6{number:08X}"


class Person:
    """Somebody who enrols; the table of tags is kept beside the session, as on a disk."""

    def __init__(self, game=SALT, mode="guided", tags=None):
        self.disk = dict(tags or {})
        self.session = steps.begun(game, dict(self.disk), mode)
        self.now_ns = 0

    def lay(self, which, reader="r1", after_s=3.0):
        self.now_ns += int(after_s * 1e9)
        name = uid(which) if isinstance(which, int) else which
        return self._take(steps.laid(self.session, name, reader, self.now_ns))

    def does(self, act):
        return self._take(steps.done(self.session, act))

    def together(self, since_ns, reader="r1"):
        return self._take(steps.together(self.session, reader, since_ns))

    def _take(self, step):
        self.session, changes = step
        for tag, on in changes.items():
            if on is None:
                del self.disk[tag]
            else:
                self.disk[tag] = on
        assert self.disk == dict(self.session.tags)
        return self.session.told


def test_guided_the_cards_come_in_order_and_the_last_one_completes_the_deck():
    person = Person()
    assert person.session.next == CARDS[0]
    for number, component in enumerate(CARDS):
        told = person.lay(number)
        assert (told.kind, told.component, told.mark) == ("enrolled", component, f"{number:02X}")
        assert told.complete == (component == CARDS[-1])
    assert person.disk == {uid(number): card for number, card in enumerate(CARDS)}
    assert person.session.next is None


def test_there_are_fifty_eight_cards_eight_of_the_addition_and_the_tokens():
    parts = Counter(place.part for place in places_of(SALT).values())
    assert parts == {"cards": 58, "additions": 8, "tokens": 9}
    alarm = places_of("octopus-alarm")
    assert sum(place.wanted for place in alarm.values() if place.part == "cards") == 16 + 24
    deck = places_of("tentacles")
    assert deck["tentacles/dots"].wanted == 4
    assert not deck["tentacles/dots"].exact


@pytest.mark.parametrize("game", GAMES)
def test_everything_that_can_carry_a_tag_has_its_place(game):
    components = {f"{game}/{name}" for name in GAMES[game].components}
    assert components <= places_of(game).keys()


def test_a_card_that_is_known_is_named_and_can_be_moved_here():
    person = Person()
    person.lay(1)
    assert person.session.next == CARDS[1]
    told = person.lay(1)
    assert (told.kind, told.component) == ("already", CARDS[0])
    assert person.session.held.why == "elsewhere"
    told = person.does(MoveHere())
    assert (told.kind, told.component, told.was) == ("moved", CARDS[1], CARDS[0])
    assert person.disk == {uid(1): CARDS[1]}
    person.does(Undo())
    assert person.disk == {uid(1): CARDS[0]}


def test_the_next_card_may_be_chosen_and_skipped():
    person = Person()
    person.does(Choose(CARDS[10]))
    person.lay(1)
    assert person.disk == {uid(1): CARDS[10]}
    assert person.session.next == CARDS[11]
    person.does(Skip())
    assert person.session.next == CARDS[12]
    with pytest.raises(Refusal, match="no tentacles/dots"):
        person.does(Choose("tentacles/dots"))


def test_skipping_goes_round_and_leaves_the_last_open_card():
    person = Person(tags={uid(n): card for n, card in enumerate(CARDS) if n not in (3, 7)})
    assert person.session.next == CARDS[3]
    person.does(Skip())
    assert person.session.next == CARDS[7]
    person.does(Skip())
    assert person.session.next == CARDS[3]
    person.lay(100)
    person.does(Skip())
    assert person.session.next == CARDS[7]


def test_a_second_tag_on_one_card_is_told_twice():
    person = Person()
    person.lay(1)
    person.does(Choose(CARDS[0]))
    assert person.lay(2).twice
    twice = [cell.place.component for cell in person.session.cells() if cell.twice]
    assert twice == [CARDS[0]]


def test_of_a_deck_that_people_make_themselves_there_may_be_any_number():
    person = Person("tentacles")
    for number in range(6):
        person.does(Choose("tentacles/octopus"))
        assert not person.lay(number).twice


def test_free_a_card_is_laid_and_then_named_or_named_and_then_laid():
    person = Person(mode="free")
    assert person.session.next is None
    assert person.lay(1).kind == "unnamed"
    assert person.disk == {}
    person.does(SetColour("yellow"))
    assert person.session.held is not None
    assert person.does(Choose(CARDS[5])).kind == "enrolled"
    person.does(Choose(CARDS[6]))
    assert person.lay(2).component == CARDS[6]
    assert person.session.next is None
    assert person.disk == {uid(1): CARDS[5], uid(2): CARDS[6]}


def test_a_tag_in_hand_that_is_known_goes_where_people_say():
    person = Person(mode="free", tags={uid(1): CARDS[0]})
    assert person.lay(1).kind == "already"
    assert person.does(Choose(CARDS[0])).kind == "already"
    assert person.does(Choose(CARDS[4])).kind == "moved"
    person.lay(1)
    assert person.does(TakeOff()).kind == "taken-off"
    assert person.disk == {}
    person.does(Undo())
    assert person.disk == {uid(1): CARDS[4]}


def test_what_makes_up_its_uid_is_refused_and_what_looks_cut_is_asked_about():
    person = Person()
    assert person.lay("08A1B2C3").kind == "trouble"
    assert "new UID at each tap" in person.session.told.sentence
    assert person.lay("8804A3C6").kind == "cut"
    with pytest.raises(Refusal):
        person.does(MoveHere())
    person.does(Choose(CARDS[2]))  # only what comes next: the cut tag is not settled by that
    assert person.disk == {}
    person.lay("8804A3C6")
    assert person.does(Allow()).kind == "enrolled"
    assert person.disk == {"8804A3C6": CARDS[2]}
    assert person.lay("8804A3C6").kind == "already"
    with pytest.raises(Refusal):
        person.does(Allow())


def test_two_tags_that_lie_there_together_count_neither():
    person = Person()
    person.lay(1)
    since = person.now_ns + int(1e9)
    person.lay(2, after_s=1)
    person.lay(3, after_s=0.1)
    told = person.together(since)
    assert "one card at a time" in told.sentence
    assert person.disk == {uid(1): CARDS[0]}
    assert person.session.next == CARDS[1]


def test_what_another_reader_read_stands():
    person = Person()
    person.lay(1, reader="r2")
    person.together(0, reader="r1")
    assert person.disk == {uid(1): CARDS[0]}


def test_a_lost_card_is_replaced_and_its_old_tag_is_forgotten():
    person = Person(tags={uid(n): card for n, card in enumerate(CARDS)})
    person.does(Recount(CARDS[20]))
    told = person.lay(200)
    assert (told.kind, told.component) == ("replaced", CARDS[20])
    assert uid(20) not in person.disk
    assert person.disk[uid(200)] == CARDS[20]
    person.does(Undo())
    assert person.disk[uid(20)] == CARDS[20]
    assert uid(200) not in person.disk


def test_of_several_alike_those_that_are_left_are_laid_and_the_lost_one_is_forgotten():
    dots = "tentacles/dots"
    person = Person("tentacles", tags={uid(n): dots for n in range(4)})
    person.does(Recount(dots))
    for number in (0, 1, 3):
        assert person.lay(number).kind == "counted"
    assert person.lay(1).kind == "already"
    assert person.lay(9).kind == "replaced"
    assert set(person.disk) == {uid(0), uid(1), uid(3), uid(9)}
    person.does(Recount(dots))
    with pytest.raises(Refusal, match="Lay down first"):
        person.does(Counted())
    person.lay(0)
    person.does(Counted())
    assert set(person.disk) == {uid(0)}
    person.does(Undo())
    assert set(person.disk) == {uid(0), uid(1), uid(3), uid(9)}


def test_a_recount_leaves_other_cards_where_they_are():
    person = Person(tags={uid(n): card for n, card in enumerate(CARDS)})
    person.does(Recount(CARDS[20]))
    told = person.lay(3)
    assert (told.kind, told.component) == ("already", CARDS[3])
    assert person.session.counting is not None


def test_five_cards_are_named_for_a_proof():
    person = Person(tags={uid(n): card for n, card in enumerate(CARDS)})
    person.does(Check())
    for number in (3, 30, 30, 57, 0):
        told = person.lay(number)
        assert (told.kind, told.component, told.complete) == ("named", CARDS[number], False)
    assert person.lay(8).complete
    assert not person.lay(9).complete
    assert person.does(Choose(CARDS[4])).kind == "moved"  # it was named wrongly
    assert person.lay(400).kind == "unnamed"
    person.does(LayOn())
    assert person.session.stage == "lay"


def test_time_left_goes_by_the_last_cards():
    person = Person()
    assert person.session.shown().left_s == pytest.approx(58 * 3.1)
    for number in range(8):
        person.lay(number, after_s=2)
    assert person.session.shown().left_s == pytest.approx(50 * 2)
    person.lay(8, after_s=600)  # a pause is no pace
    person.lay(9, after_s=2)
    assert person.session.shown().left_s == pytest.approx(48 * 2)


def test_there_is_an_end_to_what_can_be_taken_back():
    person = Person()
    with pytest.raises(Refusal, match="nothing to take back"):
        person.does(Undo())


def test_what_another_program_changed_meanwhile_is_not_taken_back():
    person = Person()
    person.lay(1)
    person.session = replace(person.session, tags={uid(1): CARDS[9]})
    person.disk = {uid(1): CARDS[9]}
    person.does(Undo())
    assert person.disk == {uid(1): CARDS[9]}


def test_pages_are_shown_no_uid():
    person = Person(tags={uid(n): card for n, card in enumerate(CARDS[:9])})
    person.lay(0)
    person.lay(77)
    assert "04A3C6" not in repr(person.session.shown())


# Whatever people do

ACTS = st.one_of(
    st.tuples(st.just("lay"), st.integers(0, 12), st.sampled_from(["r1", "r2"])),
    st.sampled_from(
        [
            Undo(),
            MoveHere(),
            Skip(),
            TakeOff(),
            Allow(),
            Check(),
            LayOn(),
            Counted(),
            SetMode("free"),
            SetMode("guided"),
            SetColour("black"),
        ]
    ),
    st.sampled_from([*CARDS[:6], "player/1", "control/stop"]).map(Choose),
    st.sampled_from(CARDS[:6]).map(Recount),
    st.just(Bring({uid(40): CARDS[7], uid(3): CARDS[1]})),
    st.just("together"),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(ACTS, max_size=40), st.sampled_from(["guided", "free"]))
def test_whatever_people_do_the_tags_are_what_the_last_steps_say(acts, mode):
    person = Person(mode=mode)
    history = []
    for act in acts:
        before, done = dict(person.disk), len(person.session.done)
        try:
            match act:
                case ("lay", number, reader):
                    person.lay(number, reader, after_s=1)
                case "together":
                    person.together(person.now_ns)
                case _:
                    person.does(act)
        except Refusal:
            assert person.disk == before
            continue
        if len(person.session.done) > done:
            history.append(before)
        while len(history) > len(person.session.done):
            assert person.disk == history.pop() or act == "together"
        changed = {
            tag for tag in {**before, **person.disk} if before.get(tag) != person.disk.get(tag)
        }
        if isinstance(act, tuple):
            # A tap puts its own tag somewhere, and takes none away but in a recount.
            assert changed <= {uid(act[1])} or person.session.told.kind == "replaced"
        kept = json.loads(json.dumps(person.session.to_json()))
        again = Session.from_json(kept, person.disk)
        assert (again.next, again.done, again.counting) == (
            person.session.next,
            person.session.done,
            person.session.counting,
        )
    while person.session.done:
        person.does(Undo())
    assert person.disk == {}
