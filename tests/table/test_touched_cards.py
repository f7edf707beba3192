"""What a reader would have read is told by touch, and counts as if it had been read."""

from __future__ import annotations

import pytest

from companion.match import Setup
from companion.rules.sea_salt_paper.words import Call, Deal, Hand
from companion.snapshot import Source
from tests.support.tables import API, running

PHONE = Source("page", "Bo")
SCORE = Setup("sea-salt-paper", ("Ann", "Bo"), None, {"tracking": "score"})
FULL = Setup("sea-salt-paper", ("Ann", "Bo"))


def touch(table, card, station, **more):
    return table.touch(f"sea-salt-paper/{card}", station, source=PHONE, **more)


@pytest.fixture
def full(tmp_path):
    with running(tmp_path, FULL) as table:
        yield table


def test_two_cards_are_drawn_one_touch_after_the_other(full):
    full.act(Deal(("shell-grey", "shell-black")), source=API)
    first = touch(full, "crab-black", "draw")
    assert (first.code, full.snapshot.event.kind) == (None, "taken")
    assert full.moment.seen_by("Ann").held == ("crab-black",)
    assert full.moment.seen_by("Bo").held == ()
    touch(full, "crab-grey", "draw")
    assert full.snapshot.standing.phase == "keep"
    assert set(full.moment.seen_by("Ann").state["drawn"]) == {"crab-black", "crab-grey"}
    assert full.moment.seen_by("Ann").held == ()
    assert full.snapshot.event.source == PHONE


def test_what_waits_is_said_to_all_without_its_card(full):
    full.act(Deal(("shell-grey", "shell-black")), source=API)
    touch(full, "crab-black", "draw")
    assert "crab" not in repr(full.snapshot)
    assert "One card was drawn" in full.snapshot.waiting


def test_what_cannot_be_is_refused_and_changes_nothing(full):
    full.act(Deal(("shell-grey", "shell-black")), source=API)
    answer = touch(full, "shell-grey", "draw")
    assert answer.code == "card-not-available"
    assert full.snapshot.standing.phase == "take"


def test_a_view_from_before_the_last_change_counts_no_more(full):
    before = full.snapshot.revision
    full.act(Deal(("shell-grey", "shell-black")), source=API)
    assert touch(full, "crab-black", "draw", revision=before).code == "stale"
    assert full.snapshot.waiting == ""


def test_with_score_tracking_all_act_whose_cards_are_still_to_come(tmp_path):
    with running(tmp_path, SCORE) as table:
        assert [table.moment.may_act(name) for name in ("Ann", "Bo")] == [True, False]
        table.act(Call("Bo", "stop"), source=API)
        assert [table.moment.may_act(name) for name in ("Ann", "Bo")] == [True, True]
        touch(table, "crab-black", "seat-2")
        assert table.moment.seen_by("Bo").held == ("crab-black",)
        table.touch("control/stop", "seat-2", source=PHONE)
        assert table.snapshot.event.action == Hand("Bo", ("crab-black",))
        assert [table.moment.may_act(name) for name in ("Ann", "Bo")] == [True, False]


def test_what_was_told_by_touch_comes_back_with_the_record(tmp_path):
    with running(tmp_path, FULL) as table:
        table.act(Deal(("shell-grey", "shell-black")), source=API)
        touch(table, "crab-black", "draw")
    with running(tmp_path, FULL) as table:
        assert table.moment.seen_by("Ann").held == ("crab-black",)
        touch(table, "crab-grey", "draw")
        assert table.snapshot.standing.phase == "keep"
