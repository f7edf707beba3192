"""What looks say about tags: traces of real tables, chance, and what must hold of any trace."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.presence import (
    GAP_LOOKS,
    GONE_MS,
    LIFT_LOOKS,
    MISSES,
    RETURN_MS,
    SWAP_MS,
    Presence,
)

A, B, C = bytes.fromhex("04A3C6CAE26180"), bytes.fromhex("04101B9A776B85"), b"\x82\xac\xb9\x5d"
RATES = (3, 4, 5, 7, 10, 12, 15, 20)
MINUTE_MS = 60_000


def play(looks, rate=10, presence=None, start_ms=0):
    """The events of these looks, one after the other, at so many a second."""
    presence = presence or Presence()
    events = []
    for number, uids in enumerate(looks):
        events += presence.seen(tuple(uids), start_ms + number * 1000 // rate)
    return events


def looks_of(text):
    """`AAB-` is two looks that saw A, one that saw B, an empty one; `+` is A and B together."""
    meaning = {"A": (A,), "B": (B,), "C": (C,), "-": (), "+": (A, B)}
    return [meaning[letter] for letter in text]


GONE = "-" * MISSES
PASSED = "B" * MISSES


@pytest.mark.parametrize(
    ("looks", "events"),
    [
        ("", []),
        ("A", []),
        ("AA", [("on", A)]),
        ("A-A", [("on", A)]),
        ("A---A", [("on", A)]),
        ("A" + GONE + "A", []),
        ("AAAAAA", [("on", A)]),
        ("AA" + "-" * (MISSES - 1) + "A", [("on", A)]),
        ("AA" + GONE, [("on", A), ("off", A)]),
        ("AA" + GONE * 3, [("on", A), ("off", A)]),
        ("AA" + GONE + "AA", [("on", A), ("off", A), ("on", A)]),
        # one wrong UID, or two different ones
        ("AAAACAAAA", [("on", A)]),
        ("ACA", []),
        ("ACAA", [("on", A)]),
        ("AACAAAB" + "A" * 8, [("on", A)]),
        # a swap, with and without a moment of nothing
        ("AAAABBBBB", [("on", A), ("off", A), ("on", B)]),
        ("AAAA-B-B-BBB", [("on", A), ("off", A), ("on", B)]),
        ("AAAA----BB", [("on", A), ("off", A), ("on", B)]),
        ("AAAA----BBB----AAA", [("on", A), ("off", A), ("on", B), ("off", B), ("on", A)]),
        # lifted in between, so the next card need not wait
        ("AA--BB", [("on", A), ("off", A), ("on", B)]),
        ("AA--B-B", [("on", A), ("off", A), ("on", B)]),
        ("AA--B--CC", [("on", A), ("off", A), ("on", C)]),
        ("AA--BCC", [("on", A), ("off", A), ("on", C)]),
        ("AA--BA", [("on", A)]),
        ("AA-B-B", [("on", A), ("off", A), ("on", B)]),
        ("AAB--B", [("on", A), ("off", A), ("on", B)]),
        # ... and what comes back at once was not
        ("AA--BBA", [("on", A), ("off", A), ("on", B), ("several",)]),
        ("AA--BB--A", [("on", A), ("off", A), ("on", B), ("several",)]),
        ("AA--BB--CC", [("on", A), ("off", A), ("on", B), ("off", B), ("on", C)]),
        # two at once
        ("+", []),
        ("++", [("several",)]),
        ("++++++++", [("several",)]),
        ("+-+-++--+", [("several",)]),
        ("AAA++++", [("on", A), ("several",)]),
        ("AAA+A+A+A", [("on", A), ("several",)]),
        ("AAA+AAAA", [("on", A)]),
        ("ABAB", [("several",)]),
        ("A-B-A-B", [("several",)]),
        ("ABABABABABAB", [("several",)]),
        ("AABBAABBAABB", [("on", A), ("several",)]),
        ("++" + GONE + "++", [("several",), ("several",)]),
        ("++" + GONE + "AA", [("several",), ("on", A)]),
        # one of two is taken away
        ("++" + PASSED, [("several",), ("on", B)]),
        ("AA++" + PASSED, [("on", A), ("several",), ("off", A), ("on", B)]),
        ("BB++" + PASSED, [("on", B), ("several",)]),
        ("BB++" + PASSED + "++", [("on", B), ("several",), ("several",)]),
        ("AA++" + GONE, [("on", A), ("several",), ("off", A)]),
        # two others take its place
        ("AA" + "BC" * MISSES, [("on", A), ("several",), ("off", A)]),
    ],
)
def test_a_trace(looks, events):
    assert play(looks_of(looks)) == events


def test_with_a_check_byte_one_look_is_enough():
    assert play(looks_of("A"), presence=Presence(looks=1)) == [("on", A)]
    assert play(looks_of("+"), presence=Presence(looks=1)) == [("several",)]
    again = play(looks_of("+" + GONE + "+"), presence=Presence(looks=1))
    assert again == [("several",), ("several",)]
    # ... but not for a swap, which two cards in turn look like to a slow reader.
    assert play(looks_of("AB"), 3, Presence(looks=1)) == [("on", A)]
    assert play(looks_of("ABA"), 3, Presence(looks=1)) == [("on", A), ("several",)]
    swapped = play(looks_of("ABBBBB"), presence=Presence(looks=1))
    assert swapped == [("on", A), ("off", A), ("on", B)]
    alternating = play(looks_of("ABABABAB"), presence=Presence(looks=1))
    assert alternating == [("on", A), ("several",)]


def test_time_alone_takes_nothing_away():
    """A reader that was lost for an hour has seen nothing, so it says nothing."""
    presence = Presence()
    play(looks_of("AA"), presence=presence)
    hour_ms = 3_600_000
    assert play(looks_of("-A-A"), presence=presence, start_ms=hour_ms) == []


def test_the_counter_of_milliseconds_may_wrap():
    presence = Presence()
    wrap = 1 << 30
    events = []
    for number, uids in enumerate(looks_of("AAAA" + "BBBBB" + GONE)):
        events += presence.seen(uids, (wrap - 400 + 100 * number) % wrap)
    assert events == [("on", A), ("off", A), ("on", B), ("off", B)]


# --- chance ----------------------------------------------------------------------------


def chance_of_a_run(misses, looks, miss):
    """How probable it is that so many looks have so many misses in a row somewhere."""
    runs = [1.0] + [0.0] * (misses - 1)  # probability of each run up to now
    happened = 0.0
    for _ in range(looks):
        happened += runs[-1] * miss
        runs = [sum(runs) * (1 - miss)] + [run * miss for run in runs[:-1]]
    return happened


def misses_needed(rate):
    """Looks in a row that saw nothing, until a tag is off; by trying it."""
    presence = Presence()
    play(looks_of("AA"), rate, presence)
    start_ms = 1000 // rate
    for number in range(1, 1000):
        if presence.seen((), start_ms + number * 1000 // rate):
            return number
    return pytest.fail("the tag never leaves")


@pytest.mark.parametrize("rate", [*RATES, 36, 50, 100, 200])
def test_a_resting_card_with_three_misses_in_ten_never_leaves(rate):
    assert chance_of_a_run(misses_needed(rate), 60 * rate, 0.3) <= 1e-6


def test_fewer_misses_would_not_do():
    assert chance_of_a_run(MISSES - 1, 60 * 20, 0.3) > 1e-6


@pytest.mark.parametrize("rate", [18, 20, 30, 50, 100])
def test_a_lifted_card_is_off_within_a_second(rate):
    assert misses_needed(rate) * 1000 / rate <= 1000


def test_the_chance_is_reckoned_rightly():
    assert chance_of_a_run(1, 2, 0.5) == pytest.approx(0.75)
    assert chance_of_a_run(2, 3, 0.5) == pytest.approx(3 / 8)


@pytest.mark.parametrize("rate", RATES)
def test_a_card_that_rests_for_a_minute_is_told_once(rate):
    for seed in range(20):
        chance = random.Random(seed)
        looks = [() if chance.random() < 0.3 else (A,) for _ in range(60 * rate)]
        assert play(looks, rate) == [("on", A)]


@pytest.mark.parametrize("every", range(16, 21))
def test_a_card_that_is_missed_now_and_then_is_told_once(every):
    looks = [() if number % every == every - 1 else (A,) for number in range(1200)]
    assert play(looks, 20) == [("on", A)]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("seed", range(10))
def test_a_swap_without_an_empty_look(rate, seed):
    chance = random.Random(seed)
    before, after = 3 + chance.randrange(rate), rate
    assert play([(A,)] * before + [(B,)] * after, rate) == [("on", A), ("off", A), ("on", B)]


def test_two_empty_looks_or_three_tenths_of_a_second():
    assert play(looks_of("AA--BB"), 20) == [("on", A), ("off", A), ("on", B)]
    assert play(looks_of("AA-BBBB"), 20) == [("on", A)]
    assert play(looks_of("AAB--BB"), 20) == [("on", A)]  # B had come before them
    assert play(looks_of("AAB----B"), 20) == [("on", A)]
    assert play(looks_of("AA--B"), 20, Presence(looks=1)) == [("on", A)]
    assert play(looks_of("AA--BB"), 20, Presence(looks=1)) == [("on", A), ("off", A), ("on", B)]


def test_a_gap_before_the_first_card_says_nothing_of_the_second():
    assert play(looks_of("--AABB"), 20) == [("on", A)]
    assert play(looks_of("--AA--BB----A"), 20)[-1] == ("several",)


def test_a_card_laid_again_after_another_is_a_card_or_several_by_the_time_it_was_away():
    swapped = [("on", A), ("off", A), ("on", B)]
    soon = play(looks_of("AA--BB----AA"), 20)
    assert RETURN_MS > 9 * 50
    assert soon == [*swapped, ("several",)]
    late = play(looks_of("AA--BBBB------AA"), 20)
    assert RETURN_MS <= 13 * 50
    assert late == [*swapped, ("off", B), ("on", A)]


@pytest.mark.parametrize("rate", [10, 20])
@pytest.mark.parametrize(("lying", "away"), [(2, 2), (2, 3), (3, 2), (3.2, 2), (4, 4), (6.6, 2)])
@pytest.mark.parametrize("start", [0, 0.3, 0.9])
def test_quick_cards_are_told_once_each_and_in_order(rate, lying, away, start):
    """Lengths in looks; where a look falls into a card is by chance."""
    cards = [b"\x04" + number.to_bytes(6, "big") for number in range(131)]
    looks = []
    for number in range(int((lying + away) * len(cards))):
        card, within = divmod(number + start, lying + away)
        looks.append((cards[int(card)],) if within < lying else ())
    events = play([*looks, *looks_of(GONE)], rate)
    expected = [event for card in cards for event in (("on", card), ("off", card))]
    assert events == expected


@pytest.mark.parametrize("rate", [12, 20, 30])
@pytest.mark.parametrize("half_ms", [100, 200])
def test_two_cards_in_turn_look_like_one_swap_at_most(rate, half_ms):
    """Where 30 of 100 looks are missed, two cards that take turns are rarely told as a swap."""
    swaps = 0
    for seed in range(200):
        chance = random.Random(seed)
        start_ms = chance.randrange(2 * half_ms)
        turns = [(start_ms + number * 1000 // rate) // half_ms % 2 for number in range(10 * rate)]
        looks = [() if chance.random() < 0.3 else ((A, B)[turn],) for turn in turns]
        events = play(looks, rate)
        before = events[: events.index(("several",))]
        assert events == [*before, ("several",)]
        assert len(before) <= 3, (seed, events)
        swaps += len(before) == 3
    assert swaps <= 40


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("half_ms", [100, 200])
@pytest.mark.parametrize("miss", [0, 0.3])
def test_two_cards_in_turn_are_told_once(rate, half_ms, miss):
    """Five times a second, whichever way that is counted; seen by slow readers and fast ones."""
    for seed in range(10):
        chance = random.Random(seed)
        start_ms = chance.randrange(2 * half_ms)
        looks = []
        for number in range(10 * rate):
            turn = (start_ms + number * 1000 // rate) // half_ms % 2
            looks.append(() if chance.random() < miss else ((A, B)[turn],))
        seen = [look for look in looks if look]
        if len(set(seen)) < 2:  # a reader as slow as they are sees one of them for ever
            continue
        events = play(looks, rate)
        assert events.count(("several",)) == 1, (seed, events)
        if rate >= 5 and not miss:
            # ... and at most the first of them is believed before.
            assert events[-1] == ("several",)
            assert len(events) <= 2


@pytest.mark.parametrize("rate", RATES)
def test_two_cards_read_at_random_are_told_once(rate):
    for seed in range(10):
        chance = random.Random(seed)
        kinds = [(), (A,), (B,), (A, B)]
        looks = [chance.choices(kinds, (30, 25, 25, 20))[0] for _ in range(20 * rate)]
        events = play(looks, rate)
        assert events.count(("several",)) == 1
        assert events[-1] == ("several",)


# --- what must hold of any trace ----------------------------------------------------------

FIELD = st.sampled_from([(), (), (A,), (A,), (A,), (B,), (B,), (C,), (A, B), (B, A), (A, B, C)])
RUNS = st.lists(st.tuples(FIELD, st.integers(1, 25)), max_size=40)
STEPS = st.integers(20, 400)


@given(RUNS, STEPS)
def test_any_trace_tells_a_story_that_can_be(runs, step_ms):
    presence = Presence()
    looks = [uids for uids, count in runs for _ in range(count)]
    told = None
    for number, uids in enumerate(looks):
        past = looks[: number + 1]
        seen = [look for look in past if look]
        for event in presence.seen(uids, number * step_ms):
            match event:
                case ("on", uid):
                    assert told is None
                    assert seen[-2:] == [(uid,), (uid,)]
                    told = uid
                case ("off", uid):
                    assert told == uid
                    told = None
                    since = next(back for back, look in enumerate(reversed(past)) if uid in look)
                    others = [look for look in past[len(past) - since :] if look]
                    if others and any(past[-MISSES:]):
                        assert len(others) >= 2
                        lifted = past[len(past) - since :][:LIFT_LOOKS] == [()] * LIFT_LOOKS
                        assert lifted or since * step_ms >= SWAP_MS
                    else:
                        assert since >= MISSES
                        assert since * step_ms >= GONE_MS - (step_ms if others else 0)
                case ("several",):
                    assert len({uid for look in seen for uid in look}) > 1


@given(RUNS, STEPS)
def test_whatever_happened_a_single_card_is_believed_in_the_end(runs, step_ms):
    presence = Presence()
    told = None
    looks = [uids for uids, count in runs for _ in range(count)]
    end = [(C,)] * (2 * MISSES)
    for number, uids in enumerate(looks + end):
        for event in presence.seen(uids, number * step_ms):
            if event[0] != "several":
                told = event[1] if event[0] == "on" else None
    assert told == C


@given(RUNS, STEPS)
def test_whatever_happened_an_empty_field_is_empty_in_the_end(runs, step_ms):
    presence = Presence()
    told = None
    looks = [uids for uids, count in runs for _ in range(count)]
    end = [()] * (MISSES + GONE_MS // step_ms + 1)
    for number, uids in enumerate(looks + end):
        for event in presence.seen(uids, number * step_ms):
            if event[0] != "several":
                told = event[1] if event[0] == "on" else None
    assert told is None
    # ... and the next card is a new one.
    start_ms = (len(looks) + len(end)) * step_ms
    assert play(looks_of("AA"), presence=presence, start_ms=start_ms) == [("on", A)]


def longest_run(looks, holds):
    longest = run = 0
    for look in looks:
        run = run + 1 if holds(look) else 0
        longest = max(longest, run)
    return longest


@given(RUNS, STEPS)
def test_several_is_told_again_only_after_it_had_changed(runs, step_ms):
    """Between two of them one of the tags stayed away for long, or all of them did."""
    presence = Presence()
    looks = [uids for uids, count in runs for _ in range(count)]
    told_at = None
    for number, uids in enumerate(looks):
        if ("several",) not in presence.seen(uids, number * step_ms):
            continue
        if told_at is not None:
            before = [look for look in looks[: told_at + 1] if look]
            since = [look for look in looks[told_at + 1 : number + 1] if look]
            lay_there = {uid for look in before[-MISSES:] for uid in look}
            row = before[-MISSES:] + since
            assert (
                longest_run(looks[told_at:number], lambda look: not look) >= MISSES
                or max(longest_run(row, lambda look, uid=uid: uid not in look) for uid in lay_there)
                >= MISSES
            )
        told_at = number


@given(st.lists(st.binary(min_size=4, max_size=4), max_size=300))
def test_what_is_remembered_is_bounded(uids):
    presence = Presence()
    for number, uid in enumerate(uids):
        presence.seen((uid,), number * 50)
        assert len(presence._tags) <= MISSES + 1


def test_the_gap_is_shorter_than_a_removal():
    assert 1 < GAP_LOOKS < MISSES
