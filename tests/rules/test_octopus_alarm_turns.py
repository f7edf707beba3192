"""The rules of octopus alarm, clause by clause: turns: rules 1 to 7."""

from __future__ import annotations

import pytest
from octopus_alarm_game import GAME, Table

from companion.rules.api import Refusal

AT_0 = {"ship": 3, "billy": 2}
"""Sailing 1 leads to area 0, with a crab in slot 2 and a fish in slot 3."""


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
