"""A fault is planted in each link of the chain, and the diagnosis names it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.diagnosis import LINKS, Screen, diagnose
from companion.passages import EnginePassed, LastTag, Passed, ReaderPassed, S
from companion.ship import Thresholds
from companion.ship_trace import Trace

NOW = 1000 * S
READER = ReaderPassed("pcsc-1", ready=True, since_ns=0, heard_ns=NOW - S, hardware="A reader")
LOST = replace(READER, ready=False, since_ns=NOW - 12 * S, trouble="Plug it in.")
NEVER = replace(LOST, hardware="")
TAG = LastTag(NOW - S, known=True)
ENGINE = EnginePassed(NOW - S, "action", "", "pcsc-1")
SHIP = Trace("ship", (), (), 0.0, 2.0, NOW - S, Thresholds())
GOOD = Passed(
    now_ns=NOW,
    began_ns=0,
    readers=(READER,),
    tag=("pcsc-1", TAG),
    driver_ns=NOW - S,
    looked_ns=NOW - S,
    engine=ENGINE,
    published_ns=NOW - 10 * S,
    revision=7,
    ships=(SHIP,),
)
TV = Screen("tv", "", NOW - 60 * S, NOW - S, 7)
SELF = Screen("diagnostics", "", NOW - 60 * S, NOW - S, 7)


def test_everything_passes():
    found = diagnose(GOOD, [TV, SELF], alarm=False)
    assert found.verdict.code == "passes"
    assert [state.link for state in found.links] == list(LINKS)
    assert {state.finding.health for state in found.links} == {"good"}
    assert [state.passed_s for state in found.links] == [1, 1, 1, 1, 1]


def test_before_the_first_tag_nobody_knows():
    fresh = replace(GOOD, tag=None, looked_ns=None, engine=None)
    found = diagnose(fresh, [TV], alarm=False)
    assert (found.verdict.code, found.verdict.health) == ("untried", "quiet")
    health = [state.finding.health for state in found.links]
    assert health == ["quiet", "good", "quiet", "quiet", "good"]


def with_reader(**changed):
    return replace(GOOD, readers=(replace(READER, **changed),))


PLANTED = {
    "no-reader": ("driver", "warning", replace(GOOD, readers=()), [TV]),
    "reader-lost": ("driver", "bad", replace(GOOD, readers=(READER, LOST)), [TV]),
    "reader-never": ("driver", "bad", replace(GOOD, readers=(NEVER,)), [TV]),
    "ship-silent": (
        "driver",
        "bad",
        replace(
            GOOD,
            readers=(READER, replace(READER, name="ship")),
            ships=(replace(SHIP, heard_ns=NOW - 8 * S),),
        ),
        [TV],
    ),
    "field-several": (
        "field",
        "warning",
        with_reader(field="several", field_ns=NOW - 2 * S),
        [TV],
    ),
    "field-unreadable": (
        "field",
        "warning",
        with_reader(field="unreadable", field_ns=NOW - 2 * S),
        [TV],
    ),
    "tag-unknown": (
        "tags",
        "bad",
        replace(GOOD, tag=("pcsc-1", LastTag(NOW - S, end="77", known=False))),
        [TV],
    ),
    "tags-failed": ("tags", "bad", replace(GOOD, tags_failed="OSError"), [TV]),
    "engine-stuck": ("engine", "bad", replace(GOOD, stuck_s=7.0, waiting=3), [TV]),
    "engine-failed": (
        "engine",
        "bad",
        replace(GOOD, failed="KeyError", failed_ns=NOW - 5 * S),
        [TV],
    ),
    "storage": (
        "engine",
        "bad",
        replace(GOOD, engine=replace(ENGINE, kind="refused", code="storage")),
        [TV],
    ),
    "no-screen": ("screens", "warning", GOOD, [SELF]),
    "screen-left": (
        "screens",
        "warning",
        GOOD,
        [SELF, replace(TV, left_ns=NOW - 9 * S, sent_ns=NOW - 9 * S)],
    ),
    "screen-stalled": ("screens", "bad", GOOD, [TV, replace(TV, sent_ns=NOW - 20 * S)]),
    "screen-behind": ("screens", "bad", GOOD, [TV, replace(TV, revision=6)]),
}


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_fault_is_found_in_its_link_and_told_first(code):
    link, health, passed, screens = PLANTED[code]
    verdict = diagnose(passed, screens, alarm=True).verdict
    assert (verdict.code, verdict.link, verdict.health) == (code, link, health)


@pytest.mark.parametrize(
    ("passed", "screens"),
    [
        (with_reader(field="several", field_ns=NOW - 40 * S), [TV]),
        (replace(GOOD, failed="KeyError", failed_ns=NOW - 70 * S), [TV]),
        (replace(GOOD, stuck_s=1.0), [TV]),
        (GOOD, [TV, replace(TV, revision=0, opened_ns=NOW - S)]),
        (replace(GOOD, published_ns=NOW - S), [replace(TV, revision=6)]),
        (GOOD, [TV, replace(TV, left_ns=NOW - S, sent_ns=NOW - 100 * S)]),
        (replace(GOOD, engine=replace(ENGINE, kind="refused", code="not-legal")), [TV]),
    ],
)
def test_what_is_over_or_has_just_begun_is_no_fault(passed, screens):
    assert diagnose(passed, screens, alarm=True).verdict.code == "passes"


def test_a_stuck_table_is_told_before_all_that_follows_from_it():
    worst = replace(GOOD, stuck_s=9.0, readers=(LOST,), tags_failed="OSError")
    found = diagnose(worst, [], alarm=False)
    assert found.verdict.code == "engine-stuck"
    assert [state.finding.health for state in found.links[1:]] == ["bad"] * 3 + ["warning"]


def test_a_sensor_may_be_silent_while_no_ship_is_judged():
    passed = replace(
        GOOD,
        readers=(READER, replace(READER, name="ship")),
        ships=(replace(SHIP, heard_ns=NOW - 60 * S),),
    )
    assert diagnose(passed, [TV], alarm=False).verdict.code == "passes"


def test_a_lost_sensor_is_lost_and_not_silent():
    ship = replace(LOST, name="ship")
    passed = replace(GOOD, readers=(ship,), ships=(replace(SHIP, heard_ns=NOW - 60 * S),))
    assert diagnose(passed, [TV], alarm=True).verdict.code == "reader-lost"
