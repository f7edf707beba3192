"""The plan of faults, and what a reader tells of one tap when they strike."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from companion.drivers.api import SeveralTags, TagOff, TagOn, TagUnreadable
from hardware_sim.evening.faults import (
    ALL_KINDS,
    KINDS,
    UNKNOWN_UID,
    USUAL,
    Plan,
    PlanError,
    Tap,
    steps_of,
)

UID = "FE000000000001"
OTHER = "FE000000000002"


def readings(*struck: str, seed: int = 1):
    now_ns, told = 0, []
    for after_s, reading_at in steps_of(Tap("r1", UID), OTHER, frozenset(struck), Random(seed)):
        now_ns += int(after_s * 1e9)
        told.append(reading_at(now_ns))
    return told


def in_short(*struck: str, seed: int = 1) -> str:
    names = {UID: "1", OTHER: "2", UNKNOWN_UID: "?"}
    signs = {TagOn: "+", TagOff: "-", SeveralTags: "several", TagUnreadable: "unreadable"}
    return " ".join(
        signs[type(reading)] + names.get(getattr(reading, "uid", ""), "")
        for reading in readings(*struck, seed=seed)
    )


def test_a_tap_without_a_fault():
    assert in_short() == "+1 -1"


@pytest.mark.parametrize(
    ("kind", "ways"),
    [
        ("hold", {"+1 -1"}),
        ("fumble", {"+1 -1 +1 -1"}),
        ("twice", {"+1 -1 +1 -1"}),
        ("two-cards", {"several", "+1" + " -1 +2 -2 +1" * 3 + " -1", "+2" + " -2 +1 -1 +2" * 3 + " -2"}),
        ("forget", {""}),
        ("miss", {""}),
        ("duplicate", {"+1 +1 -1", "+1 -1 +1 -1"}),
        ("garbage", {"+? -?"}),
        ("unreadable", {"unreadable"}),
    ],
)  # fmt: skip
def test_what_a_reader_tells(kind, ways):
    assert {in_short(kind, seed=seed) for seed in range(30)} == ways


def test_a_held_card_lies_for_seconds():
    first, last = readings("hold")
    assert last.at_ns - first.at_ns > 5_000_000_000


def test_of_a_double_tap_one_may_be_missed():
    assert in_short("twice", "miss") == "+1 -1"


def test_the_usual_plan_has_every_kind_and_three_in_a_hundred_misses():
    plan = Plan.of(USUAL)
    assert set(plan.rates) == set(ALL_KINDS)
    assert plan.rates["miss"] == plan.rates["duplicate"] == 0.03


def test_faults_come_as_often_as_the_plan_says():
    plan = Plan.of("[readers]\nmiss = 0.25\n[hands]\nhold = 1\n")
    chance = Random(3)
    struck = Counter(kind for _ in range(1000) for kind in plan.strikes(chance))
    assert struck["hold"] == 1000
    assert 200 < struck["miss"] < 300
    assert plan.strikes(Random(5)) == plan.strikes(Random(5))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("miss = ", "not TOML"),
        ("[people]\nmiss = 0.1", "its tables are hands, readers, devices, service"),
        ("miss = 0.1", "its tables are"),
        ("[readers]\nmisss = 0.1", "there is miss, duplicate"),
        ("[hands]\nmiss = 0.1", "no fault 'miss' of hands"),
        ("[readers]\nmiss = 3", "from 0 to 1"),
        ("[readers]\nmiss = true", "from 0 to 1"),
    ],
)
def test_a_plan_that_is_not_understood_says_where(text, words):
    with pytest.raises(PlanError, match=words):
        Plan.of(text)


def test_a_plan_that_cannot_be_read(tmp_path):
    with pytest.raises(PlanError, match="nowhere"):
        Plan.read(tmp_path / "nowhere.toml")
    (tmp_path / "plan.toml").write_text(USUAL)
    assert Plan.read(tmp_path / "plan.toml") == Plan.of(USUAL)


def test_every_kind_is_told_of():
    assert all(sentence for kinds in KINDS.values() for sentence in kinds.values())
