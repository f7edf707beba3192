"""The rules of octopus alarm, clause by clause: what a table may choose, and how a game ends: rules 8 to 13."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from octopus_alarm_game import GAME, Table

from companion.rules.api import Leave, Refusal
from companion.rules.octopus_alarm_words import ANIMALS, Swing

AT_0 = {"ship": 3, "billy": 2}
"""Sailing 1 leads to area 0, with a crab in slot 2 and a fish in slot 3."""


def stranded(animals, lost=MappingProxyType({}), **options):
    """The first of three players has just lost the last provision.

    Args:
        animals: by player, how many were taken.
        lost: by player, how many of three provisions.
        options: of the game.

    Returns:
        The state and the outcomes.
    """
    names = ("Ann", "Bo", "Cy")
    table = Table(" ".join(names), **options)
    table.put(
        crew=table.match.state.crew._replace(
            animals=tuple(("crab",) * animals.get(name, 0) for name in names),
            provisions=(1, 3 - lost.get("Bo", 0), 3 - lost.get("Cy", 0)),
        ),
        billy=0,
        phase="alarm",
    )
    return GAME.apply(table.match.state, Swing("capsized"))


def names_of(outcomes, what):
    return [outcome.player for outcome in outcomes if type(outcome).__name__ == what]


# --- rule 8 ---------------------------------------------------------------------------


def test_rule_8_a_stack_that_runs_empty_stays_empty():
    table = Table(**AT_0)
    table.put(reef=table.match.state.reef._replace(left=(6, 1, 6, 6)))
    assert table.do("sail 1; flip 3").endswith("tile 0 3 fish; animal-taken Ann fish 1")
    assert (table.turn, table.phase) == ("Ann", "choose")
    assert table.state["reef"] == ["crab", None, "jellyfish", "crab"]
    assert table.state["reef_left"] == [6, 0, 6, 6]
    table.do("flip 2; take 0")
    assert table.legal == {"reef 0"}
    assert table.refusal("reef 1 fish") == "not-legal"


@pytest.mark.parametrize(("players", "most"), [("Ann Bo", 12), ("Ann Bo Cy", 8), ("A B C D", 6)])
def test_rule_8_a_target_that_could_empty_the_reef_is_refused(players, most):
    assert Table(players, target=most).state["target"] == most
    with pytest.raises(Refusal) as refusal:
        Table(players, target=most + 1)
    assert refusal.value.code == "bad-option"


def test_rule_8_there_are_three_chips_of_each_animal():
    table = Table(**AT_0)
    table.do("sail 1; flip 3")
    assert table.refusal("reef 1 crab") is None
    table.do("reef 1 crab; flip 2; take 0")
    assert table.refusal("reef 0 crab") == "card-not-available"
    assert table.do("reef 0 turtle") == "reef-top 0 turtle"


def test_rule_8_chips_of_a_player_who_left_do_not_come_back():
    table = Table("Ann Bo Cy", tops="crab crab crab fish", **AT_0)
    table.do("sail 1; flip 2; take 0; leave Ann")
    assert table.refusal("reef 0 crab") == "card-not-available"


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("reef 3 wave", "unknown-card"),
        ("reef 3 unknown", "unknown-card"),
        ("reef 3 whale", "unknown-card"),
        ("reef 0 whale", "unknown-card"),
        ("reef 0 crab", "card-not-available"),
        ("reef 3 crab", "card-not-available"),
        ("reef 0 fish", "not-legal"),
        ("reef 4 fish", "bad-command"),
        ("reef 3", "bad-command"),
        ("reef 3 fish", None),
    ],
)
def test_rule_8_what_can_be_on_top(action, code):
    assert Table(tops="crab crab crab").refusal(action) == code


# --- rules 9 and 10 -------------------------------------------------------------------


def test_rule_9_the_last_provision_ends_the_game():
    table = Table("Ann Bo", provisions=1)
    assert table.do("sail 2; flip 0; swing capsized").endswith(
        "ship-capsized; provision-lost Ann 0; player-stranded Ann; game-won Bo"
    )
    assert (table.turn, table.phase, table.winners) == (None, "over", ("Bo",))
    assert table.state["swinger"] is None
    assert table.state["provisions"] == {"Ann": 0, "Bo": 1}


@pytest.mark.parametrize(
    ("option", "animals", "winners"),
    [
        ("end-excluded", {"Ann": 5, "Bo": 2, "Cy": 1}, ["Bo"]),
        ("end-excluded", {"Ann": 5, "Bo": 2, "Cy": 4}, ["Cy"]),
        ("end-excluded", {"Ann": 5}, ["Bo", "Cy"]),
        ("end-included", {"Ann": 5, "Bo": 2, "Cy": 4}, ["Ann"]),
        ("end-included", {"Ann": 1, "Bo": 2, "Cy": 4}, ["Cy"]),
        ("end-included", {"Ann": 4, "Bo": 2, "Cy": 4}, ["Cy"]),
    ],
)
def test_rule_9_most_animals_win_without_or_with_the_stranded_player(option, animals, winners):
    state, outcomes = stranded(animals, stranded=option)
    assert names_of(outcomes, "PlayerStranded") == ["Ann"]
    assert names_of(outcomes, "GameWon") == winners
    assert GAME.standing(state).winners == tuple(winners)
    assert state.phase == "over"


def test_rule_9_eliminated_the_player_is_skipped_and_keeps_the_chips():
    state, outcomes = stranded({"Ann": 5}, stranded="eliminate")
    kinds = [type(outcome).__name__ for outcome in outcomes]
    assert kinds == ["ShipCapsized", "ProvisionLost", "PlayerStranded", "TurnEnded"]
    standing = GAME.standing(state)
    assert (standing.turn, standing.phase, standing.over) == ("Bo", "sail", False)
    assert (standing.scores["Ann"], standing.gone) == (5, ())
    with pytest.raises(Refusal) as refusal:
        GAME.apply(state, Leave("Ann"))
    assert refusal.value.code == "unknown-player"


def test_rule_9_eliminated_the_player_swings_no_more_and_the_last_one_left_wins():
    table = Table("Ann Bo Cy", provisions=1, stranded="eliminate")
    table.do("sail 2; flip 0; swing capsized")
    assert (table.turn, table.winners) == ("Bo", ())
    table.do("sail 2; flip 1; stop")
    assert table.turn == "Cy"
    assert (table.state["ship"], table.state["billy"]) == (1, 0)
    table.do("sail 2")
    assert table.do("flip 0") == "tile 3 0 wave; ship-moved 0; alarm Bo"
    assert table.do("swing capsized") == (
        "ship-capsized; provision-lost Cy 0; player-stranded Cy; game-won Bo"
    )
    assert table.winners == ("Bo",)


@pytest.mark.parametrize(
    ("tie", "lost", "winners"),
    [
        ("provisions", {"Cy": 1}, ["Bo"]),
        ("provisions", {"Bo": 2, "Cy": 1}, ["Cy"]),
        ("provisions", {"Bo": 1, "Cy": 1}, ["Bo", "Cy"]),
        ("shared", {"Cy": 1}, ["Bo", "Cy"]),
    ],
)
def test_rule_10_a_tie_goes_to_provisions_or_is_shared(tie, lost, winners):
    _, outcomes = stranded({"Ann": 1, "Bo": 2, "Cy": 2}, lost, tie=tie)
    assert names_of(outcomes, "GameWon") == winners


def test_rule_10_provisions_count_only_between_those_with_most_animals():
    _, outcomes = stranded({"Bo": 3, "Cy": 2}, {"Bo": 2})
    assert names_of(outcomes, "GameWon") == ["Bo"]


def test_rule_10_a_player_who_left_wins_nothing():
    table = Table("Ann Bo Cy", provisions=1)
    table.do("leave Bo; sail 2; flip 0")
    assert table.do("swing capsized").endswith("player-stranded Ann; game-won Cy")


# --- rule 11 --------------------------------------------------------------------------


def seen(layout, *faces):
    """A game in which these tiles were seen, by place, and the ship is in the last of the areas.

    `-` is a tile that was not seen.
    """
    table = Table(layout=layout)
    known = [None if face == "-" else face for face in faces]
    known += [None] * (16 - len(known))
    table.put(seen=tuple(known), phase="flip", ship=len(faces) // 4 - 1)
    return table


def possible(table, tile=3):
    """The faces that the tile can show."""
    faces = ("wave", "billy", *ANIMALS)
    return {face for face in faces if table.refusal(f"flip {tile} {face}") is None}


def test_rule_11_fixed_has_one_wave_one_billy_and_two_animals_in_each_area():
    every = {"wave", "billy", *ANIMALS}
    assert possible(seen("fixed", *"----")) == every
    assert possible(seen("fixed", "wave", *"---")) == every - {"wave"}
    assert possible(seen("fixed", "wave", "billy", *"--")) == set(ANIMALS)
    assert possible(seen("fixed", "crab", "fish", *"--")) == {"wave", "billy"}
    assert possible(seen("fixed", "crab", "fish", "wave", "-")) == {"billy"}
    assert possible(seen("fixed", "crab", "billy", "wave", "-")) == set(ANIMALS) - {"crab"}


def test_rule_11_fixed_has_each_animal_once_on_the_board():
    areas = [("wave", "billy", *ANIMALS[:2]), ("wave", "billy", *ANIMALS[2:4])]
    before = [face for area in areas for face in area]
    assert possible(seen("fixed", *before, "wave", "billy", *"--")) == set(ANIMALS[4:])
    hidden = ["wave", "billy", ANIMALS[4], "-"]
    assert possible(seen("fixed", *before, *hidden)) == set(ANIMALS[5:])
    last = ["wave", "billy", *ANIMALS[4:6]]
    assert possible(seen("fixed", *before, *last, "wave", "billy", "-", "-")) == set(ANIMALS[6:])


def test_rule_11_waves_only_has_one_wave_in_each_area():
    every = {"wave", "billy", *ANIMALS}
    assert possible(seen("waves-only", *"----")) == every
    assert possible(seen("waves-only", "wave", *"---")) == every - {"wave"}
    assert possible(seen("waves-only", "billy", "billy", "crab", "-")) == {"wave"}
    assert possible(seen("waves-only", "billy", "billy", "wave", "-")) == {"billy", *ANIMALS}
    billies = ["billy", "billy", "billy", "-"]
    rest = every - {"billy", "wave"}
    assert possible(seen("waves-only", *billies, "billy", "wave", *"--")) == rest


def test_rule_11_free_has_four_waves_four_billies_and_each_animal_once_anywhere():
    every = {"wave", "billy", *ANIMALS}
    assert possible(seen("free", "wave", "wave", "wave", "-")) == every
    assert possible(seen("free", *["wave"] * 4, *"----")) == every - {"wave"}
    assert possible(seen("free", *["billy"] * 4, "crab", *"---")) == every - {"billy", "crab"}


def test_rule_11_start_areas():
    assert (Table().state["ship"], Table().state["billy"]) == (0, 3)
    assert (Table(ship=2).state["ship"], Table(ship=2).state["billy"]) == (2, 3)
    assert (Table(billy=1).state["ship"], Table(billy=1).state["billy"]) == (0, 1)
    together = Table(ship=2, billy=2)
    assert (together.phase, together.legal) == ("sail", {"sail 1", "sail 2"})


@pytest.mark.parametrize(
    "option",
    [
        *({"ship": 4}, {"billy": -1}, {"billy": True}, {"target": 0}, {"target": "9"}),
        *({"provisions": 0}, {"provisions": 1001}, {"layout": "loose"}, {"tie": "all"}),
        *({"landing": "no"}, {"stranded": "end"}, {"memory_aid": True}, {"octopus": 1}),
        *({"animals": "cat"}, {"animals": "a,b,c,d,e,f,g,g"}, {"animals": "a,b,c,d,e,f,g, "}),
        *({"animals": "a,b,c,d,e,f,g,wave"}, {"animals": "a,b,c,d,e,f,g, unknown"}),
        *({"animals": "a,b,c,d,e,f,g,billy"}, {"animals": list("abcdefgh")}),
        {"animals": "a,b,c,d,e,f,g,h,i"},
    ],
    ids=str,
)
def test_rule_11_an_option_that_cannot_be_is_refused(option):
    with pytest.raises(Refusal) as refusal:
        GAME.start(("Ann", "Bo"), options=option)
    assert refusal.value.code == "bad-option"


def test_rule_11_other_animals_have_other_names():
    table = Table(tops="", animals=" cat,dog , hen,pig,cow,fox,owl,bee cat")
    assert table.refusal("reef 0 crab") == "unknown-card"
    table.do("reef 0 cat; reef 1 dog; reef 2 hen; reef 3 cat; sail 1")
    assert table.refusal("flip 2 crab") == "unknown-card"
    assert table.do("flip 2 dog") == "tile 1 2 dog; animal-taken Ann dog 1"
    with pytest.raises(Refusal, match="bee cat"):
        table.do("reef 1 bee")


# --- rule 12 --------------------------------------------------------------------------


def test_rule_12_a_tile_shows_the_same_face_in_the_whole_game():
    table = Table()
    table.do("sail 1; flip 1; stop")
    table.put(ship=1, phase="flip")
    for face in ("wave", "crab", "fish"):
        assert table.refusal(f"flip 1 {face}") == "tile-mismatch"
    assert table.do("flip 1 billy").startswith("tile 1 1 billy")


def test_rule_12_after_an_undo_the_tile_was_not_seen():
    table = Table()
    table.do("sail 1; flip 1 billy")
    table.match = table.match.undo(1)
    assert table.refusal("flip 1 crab") is None


@pytest.mark.parametrize("viewer", ["Ann", "Bo", None])
def test_rule_12_nobody_is_shown_what_was_seen(viewer):
    table = Table()
    table.do("sail 1; flip 2; reef 2 snail")
    view = GAME.view(table.match.state, viewer)
    assert view["face_up"] == {"1-2": "jellyfish"}
    table.do("stop")
    view = GAME.view(table.match.state, viewer)
    assert "seen" not in view
    assert view["face_up"] == {}
    assert view == {**GAME.view(Table().match.state, viewer), **view}


@pytest.mark.parametrize(("aid", "told"), [("off", False), ("on", True)])
def test_rule_12_no_refusal_tells_what_the_tile_showed(aid, told):
    table = Table(memory_aid=aid)
    table.do("sail 1; flip 2; reef 2 snail; stop")
    table.put(ship=1, phase="flip")
    message = table.refused("flip 2 crab").message
    assert ("jellyfish" in message) is told


def test_rule_12_the_memory_aid_shows_what_was_seen():
    table = Table(memory_aid="on")
    assert table.state["seen"] == {}
    table.do("sail 1; flip 2; reef 2 snail; flip 1; stop")
    assert table.state["seen"] == {"1-1": "billy", "1-2": "jellyfish"}
    assert table.state["face_up"] == {}


def test_rule_12_the_odds_know_what_lies_open_and_nothing_else():
    table = Table()
    table.do("sail 1; flip 1")
    odds = table.odds["next"]
    assert set(odds) == {"wave", *ANIMALS}
    table.do("stop")
    table.put(ship=1, billy=3, phase="flip")
    fresh = Table()
    fresh.do("sail 1")
    assert table.odds == fresh.odds


def test_rule_12_with_the_memory_aid_the_odds_know_what_was_seen():
    table = Table(memory_aid="on")
    table.do("sail 1; flip 2; reef 2 snail; stop")
    table.put(ship=1, phase="flip")
    assert table.odds["next"]["jellyfish"] == 1 / 4
    table.put(ship=2)
    assert "jellyfish" not in table.odds["next"]


def test_rule_12_no_odds_where_nothing_can_be_flipped():
    table = Table(tops="crab crab fish")
    assert table.odds is None
    table.do("reef 3 snail")
    assert (table.phase, table.odds) == ("sail", None)
    table.do("sail 1")
    assert table.odds is not None
    table.do("flip 0; flip 0")
    assert (table.phase, table.odds) == ("alarm", None)


# --- rule 13 --------------------------------------------------------------------------


def test_rule_13_chips_are_set_aside_and_the_seat_is_skipped():
    table = Table("Ann Bo Cy")
    table.do("sail 1; flip 2; reef 2 snail; stop")
    assert table.do("leave Ann") == "player-left Ann"
    assert (table.turn, table.chips("Ann"), table.state["target"]) == ("Bo", "", 7)
    assert table.standing.scores == {"Ann": 0, "Bo": 0, "Cy": 0}
    assert table.standing.gone == ("Ann",)
    table.do("sail 1; flip 1; stop")
    assert table.turn == "Cy"
    table.do("sail 1; flip 1; stop")
    assert table.turn == "Bo"


def test_rule_13_the_others_keep_their_chips():
    table = Table("Ann Bo Cy")
    table.do("sail 1; flip 2; reef 2 snail; stop")
    table.do("leave Bo")
    assert table.standing.scores == {"Ann": 1, "Bo": 0, "Cy": 0}


def test_rule_13_the_turn_of_whoever_leaves_is_over():
    table = Table("Ann Bo Cy")
    table.do("sail 1; flip 1")
    assert table.do("leave Ann") == "player-left Ann; turn-ended Ann"
    assert (table.turn, table.phase, table.up) == ("Bo", "sail", set())


def test_rule_13_the_last_one_left_wins():
    table = Table("Ann Bo Cy")
    table.do("leave Bo")
    assert table.do("leave Ann") == "player-left Ann; game-won Cy"
    assert (table.turn, table.winners) == (None, ("Cy",))


@pytest.mark.parametrize("player", ["Zoe", "Bo"])
def test_rule_13_only_somebody_who_plays_can_leave(player):
    table = Table("Ann Bo Cy")
    table.do("leave Bo")
    assert table.refusal(f"leave {player}") == "unknown-player"


def test_rule_13_at_the_start_the_next_player_tells_the_rest_of_the_reef():
    table = Table("Ann Bo Cy", tops="crab fish")
    assert table.do("leave Ann") == "player-left Ann; turn-ended Ann"
    assert (table.turn, table.phase, table.legal) == ("Bo", "reef", {"reef 2", "reef 3"})
    table.do("reef 2 crab; reef 3 crab")
    assert (table.turn, table.phase) == ("Bo", "sail")


def test_rule_13_the_next_player_tells_the_top_below_a_chip_that_was_taken():
    table = Table("Ann Bo Cy")
    table.do("sail 1; flip 2")
    assert table.do("leave Ann") == "player-left Ann; turn-ended Ann"
    assert (table.turn, table.phase, table.legal) == ("Bo", "reef", {"reef 2"})
    assert table.do("reef 2 jellyfish") == "reef-top 2 jellyfish"
    assert (table.turn, table.phase) == ("Bo", "sail")


def test_rule_13_a_player_who_is_not_in_turn_leaves_all_as_it_is():
    table = Table("Ann Bo Cy")
    table.do("sail 1; flip 2")
    assert table.do("leave Cy") == "player-left Cy"
    assert (table.turn, table.phase, table.legal) == ("Ann", "reef", {"reef 2"})
    table.do("reef 2 snail")
    assert (table.turn, table.phase, table.up) == ("Ann", "choose", {"1-2"})


def test_rule_13_a_choice_of_stacks_is_still_to_be_made():
    table = Table("Ann Bo Cy", **AT_0)
    table.do("sail 1; flip 2; leave Bo")
    assert (table.phase, table.legal) == ("take", {"take 0", "take 3"})
    table.do("take 0; reef 0 fish; stop")
    assert table.turn == "Cy"


def test_rule_13_with_the_last_one_left_there_is_nothing_to_choose_any_more():
    table = Table(**AT_0)
    table.do("sail 1; flip 2")
    assert table.match.state.animal == "crab"
    table.do("leave Bo")
    assert (table.phase, table.match.state.animal) == ("over", "")


def test_rule_13_whoever_leaves_before_choosing_takes_nothing():
    table = Table("Ann Bo Cy", **AT_0)
    table.do("sail 1; flip 2; leave Ann")
    assert (table.turn, table.phase) == ("Bo", "sail")
    assert table.state["reef_left"] == [6, 6, 6, 6]


def test_rule_13_when_the_swinger_leaves_the_next_one_swings():
    table = Table("Ann Bo Cy")
    table.do("sail 2; flip 0")
    assert table.state["swinger"] == "Bo"
    assert table.do("leave Bo") == "player-left Bo"
    assert (table.turn, table.phase, table.state["swinger"]) == ("Ann", "alarm", "Cy")
    assert table.do("swing upright") == "ship-upright; turn-ended Ann"
    assert table.turn == "Cy"


def test_rule_13_whoever_leaves_in_an_alarm_ends_it():
    table = Table("Ann Bo Cy")
    table.do("sail 2; flip 0")
    assert table.do("leave Ann") == "player-left Ann; turn-ended Ann"
    assert (table.turn, table.phase, table.state["swinger"]) == ("Bo", "sail", None)
    assert table.state["provisions"] == {"Ann": 3, "Bo": 3, "Cy": 3}
