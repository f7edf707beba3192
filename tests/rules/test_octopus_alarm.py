"""The rules of octopus alarm, clause by clause, as `docs/rules/octopus-alarm.md` numbers them."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from octopus_alarm_game import GAME, Table

from companion.match import SeededChance
from companion.rules.api import Leave, Refusal
from companion.rules.octopus_alarm_words import ANIMALS, Flip, Stop, Swing

AT_0 = {"ship": 3, "billy": 2}
"""Sailing 1 leads to area 0, with a crab in slot 2 and a fish in slot 3."""
CAPSIZED = "sail 1; flip 1; swing capsized"


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


# --- the start and the table of tiles -------------------------------------------------


def test_the_four_tops_are_told_in_any_order_and_then_the_first_player_sails():
    table = Table(tops="", starter="Bo")
    assert (table.turn, table.phase) == ("Bo", "reef")
    assert table.state["reef"] == ["unknown"] * 4
    assert table.legal == {"reef 0", "reef 1", "reef 2", "reef 3"}
    assert table.do("reef 2 crab") == "reef-top 2 crab"
    assert table.legal == {"reef 0", "reef 1", "reef 3"}
    assert table.refusal("sail 1") == "not-legal"
    table.do("reef 3 crab; reef 0 fish; reef 1 crab")
    assert (table.turn, table.phase, table.legal) == ("Bo", "sail", {"sail 1", "sail 2"})
    assert table.state["reef"] == ["fish", "crab", "crab", "crab"]
    assert table.state["reef_left"] == [6, 6, 6, 6]


@pytest.mark.parametrize(
    ("players", "target"), [("Ann Bo", 9), ("Ann Bo Cy", 7), ("Ann Bo Cy Dee", 6)]
)
def test_the_target_depends_on_the_number_of_players(players, target):
    assert Table(players).state["target"] == target


@pytest.mark.parametrize("players", [1, 5])
def test_two_to_four_can_play(players):
    with pytest.raises(Refusal) as refusal:
        GAME.start([f"P{number}" for number in range(players)])
    assert refusal.value.code == "bad-option"


def test_an_animal_on_top_of_one_stack_is_taken():
    table = Table()
    assert table.do("sail 1") == "ship-moved 1"
    assert table.do("flip 2") == "tile 1 2 jellyfish; animal-taken Ann jellyfish 2"
    assert (table.turn, table.phase, table.legal) == ("Ann", "reef", {"reef 2"})
    assert table.state["reef"] == ["crab", "fish", "unknown", "crab"]
    assert table.state["reef_left"] == [6, 6, 5, 6]
    assert table.do("reef 2 snail") == "reef-top 2 snail"
    assert (table.turn, table.phase) == ("Ann", "choose")
    assert table.legal == {"flip 0", "flip 1", "flip 3", "stop"}
    assert table.chips("Ann") == "jellyfish"
    assert table.standing.scores == {"Ann": 1, "Bo": 0}


def test_an_animal_that_is_not_visible_ends_the_turn():
    table = Table()
    table.do("sail 1")
    assert table.do("flip 3") == "tile 1 3 seahorse; animal-not-visible seahorse; turn-ended Ann"
    assert (table.turn, table.phase, table.up) == ("Bo", "sail", set())


def test_billy_moves_on_and_the_player_may_go_on():
    table = Table(ship=0, billy=0)
    table.do("sail 2")
    assert table.do("flip 1") == "tile 2 1 billy; billy-moved 1"
    assert (table.phase, table.legal) == ("choose", {"flip 0", "flip 2", "flip 3", "stop"})
    assert table.state["billy"] == 1


def test_billy_comes_to_the_ship():
    table = Table("Ann Bo Cy", starter="Cy", ship=0, billy=0)
    table.do("sail 1")
    assert table.do("flip 1") == "tile 1 1 billy; billy-moved 1; alarm Ann"
    assert (table.turn, table.phase, table.state["swinger"]) == ("Cy", "alarm", "Ann")


def test_a_wave_carries_the_ship_on():
    table = Table()
    table.do("sail 1")
    assert table.do("flip 0") == "tile 1 0 wave; ship-moved 2"
    assert (table.phase, table.legal) == (
        "choose",
        {"flip 0", "flip 1", "flip 2", "flip 3", "stop"},
    )
    assert table.do("flip 0") == "tile 2 0 wave; ship-moved 3; alarm Bo"
    assert (table.turn, table.phase, table.legal) == ("Ann", "alarm", {"swing"})
    assert table.state["swinger"] == "Bo"


def test_a_wave_goes_round():
    table = Table(ship=2, billy=2)
    table.do("sail 1")
    assert table.do("flip 0") == "tile 3 0 wave; ship-moved 0"


@pytest.mark.parametrize(
    ("swing", "outcomes", "left"),
    [
        ("capsized", "ship-capsized; provision-lost Bo 2; turn-ended Bo", 2),
        ("upright", "ship-upright; turn-ended Bo", 3),
    ],
)
def test_an_alarm_costs_the_player_in_turn_a_provision_or_nothing(swing, outcomes, left):
    table = Table("Ann Bo Cy", starter="Bo", ship=0, billy=3)
    assert table.do("sail 2; flip 0") == "ship-moved 2; tile 2 0 wave; ship-moved 3; alarm Cy"
    assert table.do(f"swing {swing}") == outcomes
    assert [table.provisions(player) for player in ("Ann", "Bo", "Cy")] == [3, left, 3]
    assert (table.turn, table.phase, table.up) == ("Cy", "sail", set())
    assert table.state["swinger"] is None


def test_whoever_stops_keeps_everything_and_play_passes_on():
    table = Table("Ann Bo Cy")
    table.do("sail 1; flip 2; reef 2 snail")
    assert table.do("stop") == "turn-ended Ann"
    assert (table.turn, table.phase, table.up) == ("Bo", "sail", set())
    assert table.chips("Ann") == "jellyfish"


# --- rule 1 ---------------------------------------------------------------------------

WAYS = {0: {1, 2}, 1: {2}, 2: {1}, 3: {1, 2}}
"""By the areas from the ship to Lille-Billy, how far the ship may sail."""


@pytest.mark.parametrize("ship", range(4))
@pytest.mark.parametrize("gap", WAYS)
def test_rule_1_the_ship_does_not_stop_where_lille_billy_is(ship, gap):
    table = Table(ship=ship, billy=(ship + gap) % 4)
    assert table.legal == {f"sail {areas}" for areas in WAYS[gap]}
    for areas in (1, 2):
        allowed = areas in WAYS[gap]
        assert table.refusal(f"sail {areas}") == (None if allowed else "not-legal")
    areas = min(WAYS[gap])
    assert table.do(f"sail {areas}") == f"ship-moved {(ship + areas) % 4}"
    assert table.phase == "flip"


def test_rule_1_the_refusal_says_the_way_that_is_open():
    assert Table(ship=0, billy=1).refused("sail 1").message.endswith("(rule 1): sail 2.")
    assert Table(ship=0, billy=2).refused("sail 2").message.endswith("(rule 1): sail 1.")


def test_rule_1_at_a_table_that_allows_it_the_alarm_comes_at_once():
    table = Table("Ann Bo Cy", landing="alarm", ship=0, billy=2)
    assert table.legal == {"sail 1", "sail 2"}
    assert table.do("sail 2") == "ship-moved 2; alarm Bo"
    assert (table.turn, table.phase, table.up) == ("Ann", "alarm", set())
    assert table.refusal("flip 0") == "not-legal"
    assert table.do("swing upright") == "ship-upright; turn-ended Ann"
    assert (table.turn, table.legal) == ("Bo", {"sail 1", "sail 2"})


# --- rule 2 ---------------------------------------------------------------------------


def test_rule_2_a_tile_must_be_flipped_before_stopping():
    table = Table()
    table.do("sail 1")
    assert (table.phase, table.legal) == ("flip", {"flip 0", "flip 1", "flip 2", "flip 3"})
    assert table.refusal("stop") == "not-legal"
    assert table.refusal("sail 1") == "not-legal"


def test_rule_2_a_tile_that_is_up_cannot_be_flipped():
    table = Table()
    table.do("sail 1; flip 1")
    refusal = table.refused("flip 1")
    assert (refusal.code, "flip tile 0, 2 or 3" in refusal.message) == ("not-legal", True)


def test_rule_2_tiles_stay_up_when_the_ship_comes_by_again():
    table = Table(ship=2, billy=1, tops="crab starfish turtle fish")
    table.do("sail 1; flip 1; flip 0; flip 1; flip 0; flip 1; flip 0")
    assert (table.state["ship"], table.state["billy"]) == (2, 0)
    assert table.do("flip 0") == "tile 2 0 wave; ship-moved 3"
    assert table.up == {"3-0", "3-1", "0-0", "0-1", "1-0", "1-1", "2-0"}
    assert table.legal == {"flip 2", "flip 3", "stop"}
    table.do("stop")
    assert table.up == set()


# --- rule 3 ---------------------------------------------------------------------------


def test_rule_3_four_tiles_up_end_the_turn_after_a_chip_and_its_new_top():
    table = Table(layout="free", board=(("crab", "fish", "jellyfish", "squid"),) * 4)
    table.do("sail 1; flip 1; reef 1 squid; flip 2; reef 2 starfish; flip 3; reef 1 turtle")
    assert table.do("flip 0") == "tile 1 0 crab"
    assert table.do("take 3") == "animal-taken Ann crab 3"
    assert (table.turn, table.phase) == ("Ann", "reef")
    assert table.do("reef 3 seahorse") == "reef-top 3 seahorse; turn-ended Ann"
    assert (table.turn, table.phase, table.up) == ("Bo", "sail", set())
    assert table.provisions("Ann") == 3


def test_rule_3_four_tiles_up_end_the_turn_after_billy():
    board = (("billy", "crab", "fish", "jellyfish"),) * 4
    table = Table(layout="free", board=board, ship=0, billy=0)
    table.do("sail 2; flip 1; take 0; reef 0 squid; flip 2; reef 1 squid; flip 3; reef 2 squid")
    assert table.do("flip 0") == "tile 2 0 billy; billy-moved 1; turn-ended Ann"


def test_rule_3_four_tiles_up_end_the_turn_after_the_last_chip_of_a_stack():
    board = (("crab", "fish", "jellyfish", "squid"),) * 4
    table = Table(layout="free", board=board)
    table.do("sail 1; flip 0; take 0; reef 0 snail; flip 1; reef 1 snail; flip 2; reef 2 snail")
    reef = table.match.state.reef
    table.put(reef=reef._replace(tops=("squid", "fish", "turtle", "crab"), left=(1, 4, 4, 5)))
    assert table.do("flip 3") == "tile 1 3 squid; animal-taken Ann squid 0; turn-ended Ann"
    assert (table.turn, table.phase, table.up) == ("Bo", "sail", set())


def test_rule_3_a_wave_into_an_area_that_is_all_up_ends_the_turn():
    table = Table()
    table.put(phase="choose", ship=0, billy=2, up=0xF0)
    assert table.do("flip 0") == "tile 0 0 wave; ship-moved 1; turn-ended Ann"
    assert (table.turn, table.phase, table.up) == ("Bo", "sail", set())


def test_rule_3_an_alarm_comes_first():
    table = Table()
    table.put(phase="choose", ship=0, billy=1, up=0xF0)
    assert table.do("flip 0") == "tile 0 0 wave; ship-moved 1; alarm Bo"
    assert table.phase == "alarm"


# --- rule 4 ---------------------------------------------------------------------------


def test_rule_4_of_two_tops_the_player_chooses_one():
    table = Table(**AT_0)
    assert table.do("sail 1; flip 2") == "ship-moved 0; tile 0 2 crab"
    assert (table.turn, table.phase, table.legal) == ("Ann", "take", {"take 0", "take 3"})
    for other in ("take 1", "take 2"):
        refusal = table.refused(other)
        assert (refusal.code, "0 or 3" in refusal.message) == ("not-legal", True)
    assert table.refusal("flip 3") == table.refusal("stop") == "not-legal"
    assert table.do("take 3") == "animal-taken Ann crab 3"
    assert table.legal == {"reef 3"}
    assert table.state["reef"] == ["crab", "fish", "jellyfish", "unknown"]


def test_rule_4_a_new_top_counts_for_the_next_flip():
    table = Table(**AT_0)
    table.do("sail 1; flip 2; take 0; reef 0 fish")
    assert table.do("flip 3") == "tile 0 3 fish"
    assert table.legal == {"take 0", "take 1"}


def test_rule_4_a_new_top_never_counts_for_a_tile_that_is_up():
    table = Table(**AT_0)
    assert table.do("sail 1; flip 2; take 0; reef 0 crab").endswith("reef-top 0 crab")
    assert (table.phase, table.chips("Ann")) == ("choose", "crab")
    assert table.legal == {"flip 0", "flip 1", "flip 3", "stop"}


def test_rule_4_the_target_wins_at_once():
    table = Table(target=1, **AT_0)
    outcomes = table.do("sail 1; flip 3")
    assert outcomes == "ship-moved 0; tile 0 3 fish; animal-taken Ann fish 1; game-won Ann"
    assert (table.turn, table.phase, table.legal) == (None, "over", set())
    assert table.winners == ("Ann",)
    assert table.state["reef"] == ["crab", "unknown", "jellyfish", "crab"]
    assert table.up == {"0-3"}
    for action in ("reef 1 crab", "stop", "leave Bo", "leave Zoe", "flip 0"):
        assert table.refusal(action) == "game-over"


def test_rule_4_so_does_a_chip_from_a_chosen_stack():
    table = Table(target=1, **AT_0)
    assert table.do("sail 1; flip 2; take 0").endswith("animal-taken Ann crab 0; game-won Ann")
    assert table.standing.over


# --- rules 5, 6 and 7 -----------------------------------------------------------------


@pytest.mark.parametrize("ship", ["capsized", "upright"])
def test_rule_5_animals_are_kept_in_an_alarm(ship):
    table = Table(ship=0, billy=2)
    table.do(f"sail 1; flip 2; reef 2 snail; flip 0; swing {ship}")
    assert table.chips("Ann") == "jellyfish"


@pytest.mark.parametrize("ship", ["capsized", "upright"])
def test_rule_6_after_an_alarm_both_stay_and_the_next_turn_sails_off(ship):
    table = Table()
    table.do(f"sail 2; flip 0; swing {ship}")
    assert (table.state["ship"], table.state["billy"]) == (3, 3)
    assert (table.turn, table.legal) == ("Bo", {"sail 1", "sail 2"})
    table.do("sail 2")
    assert table.state["ship"] == 1


def test_rule_7_only_the_final_state_is_told_and_only_in_an_alarm():
    table = Table()
    table.do("sail 2")
    assert table.refusal("swing capsized") == "not-legal"
    table.do("flip 0")
    assert table.refusal("swing") == "bad-command"
    assert table.refusal("swing sunk") == "bad-command"
    assert table.refusal("stop") == table.refusal("flip 1") == "not-legal"
    table.do("swing upright")
    assert table.refusal("swing upright") == "not-legal"


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
