"""The rules of octopus alarm, clause by clause: what is wrong first, and games that the engine deals."""

from __future__ import annotations

import pytest
from octopus_alarm_game import GAME, Table

from companion.match import SeededChance
from companion.rules.api import Refusal
from companion.rules.octopus_alarm_words import ANIMALS, Flip, Stop, Swing

# --- what is wrong first --------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "action", "code"),
    [
        ("", "flip 4 wave", "bad-command"),
        ("", "sail 3", "bad-command"),
        ("", "take 4", "bad-command"),
        ("", "sail", "bad-command"),
        ("", "flip 0 whale", "not-legal"),
        ("", "take 0", "not-legal"),
        ("", "reef 0 whale", "not-legal"),
        ("sail 1", "flip 0 whale", "unknown-card"),
        ("sail 1", "flip 0 unknown", "unknown-card"),
        ("sail 1; flip 1", "flip 1 whale", "unknown-card"),
        ("sail 1; flip 1", "flip 1 crab", "tile-mismatch"),
        ("sail 1; flip 1", "flip 0 billy", "card-not-available"),
        ("sail 1; flip 1", "flip 1 billy", "not-legal"),
        ("sail 1; flip 1", "take 0", "not-legal"),
        ("sail 1; flip 1", "leave Zoe", "unknown-player"),
    ],
)
def test_the_first_fault_is_told(before, action, code):
    table = Table()
    if before:
        table.do(before)
    assert table.refusal(action) == code


def test_an_action_of_another_game_is_refused():
    with pytest.raises(Refusal) as refusal:
        GAME.apply(Table().match.state, object())
    assert refusal.value.code == "bad-command"


def test_null_is_told_from_nothing():
    table = Table(tops="crab fish crab")
    table.body_of = lambda text: {"do": "reef", "stack": 3, "animal": None}
    assert table.refusal("") == "card-not-available"
    table.body_of = lambda text: {"do": "reef", "stack": 3}
    assert table.refusal("") == "bad-command"


# --- dealt by the engine --------------------------------------------------------------


def test_where_the_engine_deals_the_first_fault_is_told_as_well():
    """A wrong face or chip that could be is `card-not-available`; nothing worse is hidden by it."""
    table = Table(tops="", seed=5)
    assert table.refusal("reef 0 whale") == "unknown-card"
    assert table.refusal("flip 0 whale") == "not-legal"
    comes = table.do("reef 0; reef 1; reef 2; reef 3; sail 1").split("; ")[0].split()[-1]
    table.match = table.match.undo(5)
    codes = {animal: table.refusal(f"reef 0 {animal}") for animal in ANIMALS}
    assert codes == {**dict.fromkeys(ANIMALS, "card-not-available"), comes: None}
    assert table.refusal(f"reef 0 {comes}") is None
    table.do("reef 0")
    assert table.refusal(f"reef 0 {comes}") == "not-legal"
    table.do("reef 1; reef 2; reef 3; sail 1")
    lies = dealt_board(5, "fixed")[4]
    others = {"wave", "billy", *ANIMALS} - {lies}
    table.board = ((None,) * 4,) * 4
    assert table.refusal("flip 0 whale") == "unknown-card"
    assert {table.refusal(f"flip 0 {face}") for face in others} == {"card-not-available"}
    table.do(f"flip 0 {lies}")
    table.put(ship=1, phase="choose", up=1 << 4)
    assert {table.refusal(f"flip 0 {face}") for face in others} == {"tile-mismatch"}
    assert table.refusal(f"flip 0 {lies}") == "not-legal"
    table.put(phase="alarm")
    ends = [table.refusal(f"swing {ship}") for ship in ("capsized", "upright")]
    assert set(ends) == {None, "card-not-available"}


@pytest.mark.parametrize("layout", ["fixed", "waves-only", "free"])
def test_dealt_tiles_lie_as_the_layout_says(layout):
    boards = {dealt_board(seed, layout) for seed in range(100)}
    assert len(boards) == 100
    for board in boards:
        areas = [board[4 * area : 4 * area + 4] for area in range(4)]
        assert sorted(board) == sorted(["wave"] * 4 + ["billy"] * 4 + list(ANIMALS))
        if layout != "free":
            assert [area.count("wave") for area in areas] == [1] * 4
        if layout == "fixed":
            assert [area.count("billy") for area in areas] == [1] * 4


def dealt_board(seed, layout):
    """What is dealt in each place, as each flip alone would turn it up."""
    state = GAME.start(("Ann", "Bo"), options={"layout": layout})._replace(phase="flip")
    return tuple(
        GAME.deal(state._replace(ship=area), Flip(tile), SeededChance(seed)).face
        for area in range(4)
        for tile in range(4)
    )


@pytest.mark.parametrize("layout", ["fixed", "waves-only", "free"])
def test_a_face_is_as_likely_in_each_place(layout):
    """Of 400 boards, give or take five deviations."""
    boards = [dealt_board(seed, layout) for seed in range(400)]
    for face, tiles in (("wave", 4), ("billy", 4), ("crab", 1), ("turtle", 1)):
        share = tiles / 16
        most = 5 * (400 * share * (1 - share)) ** 0.5
        for place in range(16):
            count = sum(board[place] == face for board in boards)
            assert abs(count - 400 * share) < most, (face, place, count)


def test_no_action_gathers_the_pieces():
    """They lie on the table to the end; so a tag that was read once is not waited for again."""
    assert not any(GAME.gathers(action) for action in (Stop(), Swing("upright"), Flip(0, "crab")))


def test_the_stop_token_means_stop_and_nothing_else_means_anything():
    """A tag on a tile cannot tell which tile of the area it is, nor one on a chip which stack."""
    tags = [
        *(("control", "stop"), ("control", "shuffle"), ("player", "Bo")),
        *(("component", name) for name in (*GAME.components, "stop")),
    ]
    state = Table().match.state
    meant = {tag: GAME.meaning(state, *tag) for tag in tags}
    assert meant == {**dict.fromkeys(tags), ("control", "stop"): Stop()}


@pytest.mark.parametrize("ship", ["capsized", "upright"])
def test_each_swing_of_the_ball_has_an_end_of_its_own(ship):
    table = Table()
    table.do("sail 2; flip 0")
    first = [GAME.deal(table.match.state, Swing(), SeededChance(seed)) for seed in range(40)]
    table.do(f"swing {ship}")
    table.put(phase="alarm")
    second = [GAME.deal(table.match.state, Swing(), SeededChance(seed)) for seed in range(40)]
    assert first != second


def test_the_ball_is_fair():
    state = GAME.start(("Ann", "Bo"))._replace(phase="alarm")
    ends = [
        GAME.deal(state._replace(swings=swings), Swing(), SeededChance(seed)).ship
        for seed in range(40)
        for swings in range(10)
    ]
    assert 150 < ends.count("capsized") < 250
