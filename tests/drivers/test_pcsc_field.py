"""What follows from what a reader was seen to say, without a reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.drivers.api import DeviceBack, DeviceLost, TagOff, TagOn, TagUnreadable
from companion.drivers.pcsc.field import (
    LONGEST_RETRY_MS,
    READ_AGAIN_MS,
    REST_MS,
    SETTLE_MS,
    TRIES_UNTIL_RESET,
    TRIES_UNTIL_TOLD,
    FieldMemory,
)

A, B = "04A3C6CAE26180", "04101B9A776B85"
MS = 1_000_000


class Field:
    """A field memory at 0 ns and later, whose readings are plain words."""

    def __init__(self):
        self.memory = FieldMemory("pcsc-1")
        self.now_ns = 0

    def seen(self, counter, present):
        return _words(self.memory.seen("ACR122U", counter, self.now_ns, present=present))

    def read(self, uid):
        return _words(self.memory.read(uid, self.now_ns))

    def unreadable(self):
        return _words(self.memory.unreadable("reason", self.now_ns))

    def lost(self):
        return _words(self.memory.lost("reason", self.now_ns))

    @property
    def wait_ms(self):
        return self.memory.wait_ms(self.now_ns)


def _words(readings):
    kinds = {DeviceBack: "back", DeviceLost: "lost", TagUnreadable: "unreadable"}
    return [
        f"on {reading.uid}"
        if isinstance(reading, TagOn)
        else f"off {reading.uid}"
        if isinstance(reading, TagOff)
        else kinds[type(reading)]
        for reading in readings
    ]


@pytest.fixture
def field():
    return Field()


@pytest.fixture
def holding(field):
    """Tag A lies there, seen at counter 1."""
    assert field.seen(0, False) == ["back"]
    assert field.seen(1, True) == []
    assert field.memory.uid_due
    assert field.read(A) == [f"on {A}"]
    assert not field.memory.uid_due
    return field


def test_come_and_go(holding):
    assert holding.seen(2, False) == [f"off {A}"]
    assert holding.wait_ms == REST_MS


def test_a_tag_that_lies_there_is_read_again_and_again_and_told_once(holding):
    assert holding.wait_ms == READ_AGAIN_MS
    for _ in range(3):
        assert holding.seen(1, True) == []
        assert holding.memory.uid_due
        assert holding.read(A) == []


def test_a_swap_that_moves_no_counter_is_seen_by_reading_again(holding):
    assert holding.seen(1, True) == []
    assert holding.read(B) == [f"off {A}", f"on {B}"]


def test_a_card_is_reset_only_after_some_tries(field):
    field.seen(1, True)
    due = []
    for _ in range(TRIES_UNTIL_RESET + 1):
        due.append(field.memory.reset_due)
        field.unreadable()
    assert due == [False] * TRIES_UNTIL_RESET + [True]
    assert field.read(A) == [f"on {A}"]
    assert not field.memory.reset_due


@pytest.mark.parametrize("new", [A, B])
def test_swap_within_one_look(new, holding):
    assert holding.seen(3, True) == [f"off {A}"]
    assert holding.memory.uid_due
    assert holding.read(new) == [f"on {new}"]


def test_the_counter_goes_round(field):
    field.seen(65535, True)
    field.read(A)
    assert field.seen(1, True) == [f"off {A}"]


def test_failed_tries_are_told_once_and_waits_grow(field):
    field.seen(1, True)
    waits_ms, told = [], []
    for _ in range(TRIES_UNTIL_TOLD + 5):
        told += field.unreadable()
        waits_ms.append(field.wait_ms)
    assert told == ["unreadable"]
    assert waits_ms == sorted(waits_ms)
    assert waits_ms[0] < 100
    assert waits_ms[-1] == LONGEST_RETRY_MS
    assert sum(waits_ms[: TRIES_UNTIL_TOLD - 1]) == 900
    assert field.read(A) == [f"on {A}"]


def test_an_unreadable_card_that_leaves_was_never_on(field):
    field.seen(1, True)
    field.unreadable()
    assert field.seen(2, False) == []


def test_a_card_that_is_laid_again_is_told_again(field):
    told = []
    for counter in (1, 3):
        field.seen(counter, True)
        for _ in range(TRIES_UNTIL_TOLD):
            told += field.unreadable()
    assert told == ["unreadable", "unreadable"]


def test_loss_is_told_once_and_also_at_the_start(field):
    assert field.lost() == ["lost"]
    assert field.lost() == []
    assert field.seen(0, False) == ["back"]
    assert field.lost() == ["lost"]


def test_same_tag_after_a_loss_is_no_event(holding):
    assert holding.lost() == ["lost"]
    assert holding.seen(7, True) == ["back"]
    assert holding.memory.uid_due
    assert holding.read(A) == []


def test_another_tag_after_a_loss(holding):
    holding.lost()
    holding.seen(0, True)
    assert holding.read(B) == [f"off {A}", f"on {B}"]


def test_an_empty_field_after_a_loss_is_believed_after_a_while(holding):
    holding.lost()
    assert holding.seen(0, False) == ["back"]
    assert holding.wait_ms == SETTLE_MS
    holding.now_ns += (SETTLE_MS - 1) * MS
    assert holding.seen(0, False) == []
    assert holding.wait_ms == 1
    holding.now_ns += 1 * MS
    assert holding.seen(0, False) == [f"off {A}"]
    assert holding.wait_ms == REST_MS


def test_a_card_found_again_in_that_while_is_no_event(holding):
    holding.lost()
    holding.seen(0, False)
    assert holding.seen(1, True) == []
    assert holding.read(A) == []
    assert holding.seen(2, False) == [f"off {A}"]


def test_losses_in_that_while_do_not_end_it(holding):
    holding.lost()
    holding.seen(0, False)
    assert holding.lost() == ["lost"]
    holding.now_ns += 2 * SETTLE_MS * MS
    assert holding.seen(0, False) == ["back"]
    assert holding.wait_ms == SETTLE_MS


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("seen"), st.integers(0, 3), st.booleans()),
            st.tuples(st.just("read"), st.sampled_from([A, B])),
            st.tuples(st.just("unreadable")),
            st.tuples(st.just("lost")),
        )
    )
)
def test_whatever_happens_readings_make_sense(steps):
    """On and off alternate with one UID, and so do back and lost; no tag leaves while lost."""
    field, lies, answers = Field(), None, None
    for name, *arguments in steps:
        field.now_ns += 700 * MS
        if name in ("read", "unreadable") and not field.memory.uid_due:
            continue
        for word in getattr(field, name)(*arguments):
            kind, _, uid = word.partition(" ")
            if kind == "on":
                assert (lies, answers) == (None, True)
                lies = uid
            elif kind == "off":
                assert (lies, answers) == (uid, True)
                lies = None
            elif kind == "unreadable":
                assert answers
            else:
                assert answers is not (kind == "back")
                answers = kind == "back"
        assert field.wait_ms > 0


def test_a_tag_found_at_the_first_look_lay_there_before():
    memory = FieldMemory("r")
    memory.seen("ACME", 1, 0, present=True)
    (on,) = memory.read(A, 1)
    assert on == TagOn("r", A, 1, lay_there=True)
    memory.seen("ACME", 3, 2, present=True)
    (on,) = memory.read(B, 3)
    assert on == TagOn("r", B, 3, lay_there=False)


def test_a_tag_laid_down_after_the_first_look_did_not_lie_there():
    memory = FieldMemory("r")
    memory.seen("ACME", 0, 0, present=False)
    memory.seen("ACME", 1, 1, present=True)
    assert memory.read(A, 2) == (TagOn("r", A, 2, lay_there=False),)


def test_a_tag_that_took_the_place_of_one_at_the_first_look_did_not_lie_there():
    memory = FieldMemory("r")
    memory.seen("ACME", 1, 0, present=True)
    memory.unreadable("mute", 0)
    memory.seen("ACME", 3, 1, present=True)
    assert memory.read(B, 2) == (TagOn("r", B, 2, lay_there=False),)
