"""How rounds and games of Sea Salt & Paper end: rules 18 to 25."""

from __future__ import annotations

import pytest
from sea_salt_paper_game import MERMAIDS, SEVEN, given

BOATS = "boat-black-1 boat-black-2"
THIEVES = "swimmer-black shark-green"
SIX = "shell-dark-blue shell-light-blue penguin-pink sailor-pink octopus-yellow octopus-purple"
"""Cards for 6 points, with a colour bonus of 2."""
NINE = f"{SIX} swimmer-light-blue shark-light-blue fish-black-1 fish-yellow crab-grey crab-black"
OTHERS = ("boat-yellow-2", "boat-dark-blue-1")
TWO_PLAY = "Ann Bo"
FOUR_PLAY = "Ann Bo Cy Dee"


def take_and_pass(table):
    """A turn in which the top of a pile is taken, of pile 1 if it has cards."""
    table.do(min(entry for entry in table.legal if entry.startswith("take")))
    return table.do("pass")


# --- rule 18: STOP --------------------------------------------------------------------


def test_rule_18_stop_shows_all_hands_and_scores_card_points_alone():
    """E42."""
    table = given(hands={"Ann": SEVEN, "Bo": "penguin-pink crab-green"}, totals=(3, 4))
    assert table.do("stop") == "called Ann stop; round-ended stop"
    assert table.round_ended == {
        "what": "round-ended",
        "reason": "stop",
        "bet_won": None,
        "card_points": {"Ann": 7, "Bo": 1},
        "colour_bonus": {"Ann": 2, "Bo": 1},
        "round_points": {"Ann": 7, "Bo": 1},
        "parts": {
            "Ann": {
                "mermaids": 0,
                "duos": 0,
                "collectors": 7,
                "multipliers": 0,
                "mermaid_colours": [],
            },
            "Bo": {
                "mermaids": 0,
                "duos": 0,
                "collectors": 1,
                "multipliers": 0,
                "mermaid_colours": [],
            },
        },
    }
    assert table.totals == (10, 5)
    assert set(table.state["revealed"]["Ann"]) == set(SEVEN.split())
    assert set(table.state["revealed"]["Bo"]) == {"penguin-pink", "crab-green"}
    assert table.state["called"] is None


def test_rule_18_tables_are_scored_with_the_hands():
    table = given(hands={"Ann": SEVEN}, tables={"Ann": BOATS, "Bo": "fish-green fish-yellow"})
    table.do("stop")
    assert table.round_points == (8, 1)


# --- rules 19 and 20: LAST CHANCE -----------------------------------------------------


def last_chance(players="Ann Bo Cy", **places):
    table = given(players, **places)
    assert table.do("last-chance") == "called Ann last-chance; turn-ended Ann"
    return table


def test_rule_19_the_hand_of_the_caller_lies_open():
    table = last_chance(hands={"Ann": SEVEN})
    assert set(table.state["revealed"]["Ann"]) == set(SEVEN.split())
    assert (table.state["revealed"]["Bo"], table.state["revealed"]["Cy"]) == (None, None)
    assert table.state["called"] == "Ann"


def test_rule_19_each_of_the_others_has_one_more_turn_in_order():
    table = last_chance(hands={"Ann": SEVEN, "Bo": "penguin-pink"})
    assert (table.turn, table.phase) == ("Bo", "take")
    assert take_and_pass(table) == "turn-ended Bo"
    assert set(table.state["revealed"]["Bo"]) == {"penguin-pink", "crab-grey"}
    assert (table.turn, table.phase) == ("Cy", "take")
    assert take_and_pass(table) == "round-ended last-chance"
    assert table.state["revealed"]["Cy"] == ["boat-yellow-2"]


def test_rule_19_nobody_can_call_any_more():
    """E21: with seven points and more."""
    table = last_chance(hands={"Ann": SEVEN, "Bo": SIX + " shell-yellow"})
    table.do("take 1")
    assert table.own("Bo")["points"] >= 7
    assert table.legal == {"pass"}
    assert [table.refusal(text) for text in ("stop", "last-chance")] == ["not-legal"] * 2


def test_rule_19_in_the_last_turn_all_duos_are_played():
    """E20: boats bring a further turn."""
    table = last_chance(
        hands={
            "Ann": SEVEN,
            "Bo": f"{BOATS} fish-black-1 fish-green crab-black crab-green {THIEVES}",
            "Cy": "penguin-pink",
        }
    )
    table.do("take 1")
    table.do("duo fish-black-1 fish-green; draw-one shell-yellow")
    table.do("duo crab-black crab-green; pick boat-yellow-2")
    table.do(f"duo {THIEVES}; steal Cy penguin-pink")
    assert "another-turn" in table.do(f"duo {BOATS}")
    assert (table.turn, table.phase, table.legal) == ("Bo", "take", {"draw"})
    table.do("draw sailor-pink sailor-orange; keep sailor-pink")
    assert table.do("pass") == "turn-ended Bo"
    assert table.turn == "Cy"


def test_rule_19_open_hands_are_safe():
    """E19: the caller's, and those of whom the last turn is over."""
    hands = {"Ann": SEVEN, "Bo": "penguin-pink", "Cy": THIEVES, "Dee": "sailor-pink"}
    table = last_chance(FOUR_PLAY, hands=hands)
    take_and_pass(table)
    table.do(f"take 2; duo {THIEVES}")
    assert table.legal == {"steal Dee"}
    for text in ("steal Ann shell-grey", "steal Bo penguin-pink"):
        assert table.refusal(text) == "unknown-player"


def test_rule_19_with_two_players_a_theft_in_the_last_turn_finds_nobody():
    table = last_chance(TWO_PLAY, hands={"Ann": SEVEN, "Bo": THIEVES})
    table.do("take 1")
    assert table.do(f"duo {THIEVES}") == f"duo-played Bo {THIEVES}; fizzled"


def test_rule_20_a_bet_that_is_won():
    table = last_chance(
        TWO_PLAY, hands={"Ann": SEVEN, "Bo": "shell-yellow fish-yellow"}, totals=(1, 2)
    )
    take_and_pass(table)
    assert table.round_ended["bet_won"] is True
    assert table.round_points == (7 + 2, 2)
    assert table.totals == (10, 4)


def test_rule_20_a_bet_that_is_lost():
    """All others score their cards, also those with fewer points than the caller."""
    table = last_chance(hands={"Ann": SEVEN, "Bo": NINE, "Cy": "penguin-purple"}, piles=OTHERS)
    take_and_pass(table)
    take_and_pass(table)
    assert table.round_ended["bet_won"] is False
    assert table.round_ended["card_points"] == {"Ann": 7, "Bo": 9, "Cy": 1}
    assert table.round_points == (2, 9, 1)


def test_rule_20_equal_points_win_the_bet():
    """E26."""
    seven = f"{SIX} fish-yellow fish-green"
    table = last_chance(TWO_PLAY, hands={"Ann": SEVEN, "Bo": seven}, piles=OTHERS)
    take_and_pass(table)
    assert table.round_ended["card_points"] == {"Ann": 7, "Bo": 7}
    assert table.round_ended["bet_won"] is True


def test_rule_20_what_the_last_turns_bring_counts():
    table = last_chance(
        TWO_PLAY, hands={"Ann": SEVEN, "Bo": f"{SIX} fish-yellow"}, piles=("sailor-orange", "")
    )
    take_and_pass(table)
    assert (table.round_ended["card_points"]["Bo"], table.round_ended["bet_won"]) == (11, False)


# --- rule 21: the deck is empty -------------------------------------------------------


def test_rule_21_with_the_deck_empty_at_the_end_of_a_turn_nobody_scores():
    table = given(hands={"Ann": SEVEN, "Bo": "penguin-pink"}, deck="", totals=(8, 9))
    assert table.do("pass") == "round-ended deck-empty"
    assert table.round_ended == {
        "what": "round-ended",
        "reason": "deck-empty",
        "bet_won": None,
        "card_points": {"Ann": 7, "Bo": 1},
        "colour_bonus": {"Ann": 2, "Bo": 1},
        "round_points": {"Ann": 0, "Bo": 0},
    }
    assert table.totals == (8, 9)
    assert table.state["revealed"] == {"Ann": None, "Bo": None}


def test_rule_21_the_turn_in_which_the_last_card_goes_is_played_to_its_end():
    table = given(hands={"Ann": "fish-green fish-yellow"}, deck="shell-grey", phase="take")
    table.do("draw shell-grey")
    assert (table.turn, table.phase) == ("Ann", "play")
    assert table.do("duo fish-green fish-yellow; pass").endswith("fizzled; round-ended deck-empty")


@pytest.mark.parametrize("call", ["stop", "last-chance"])
def test_rule_21_a_call_comes_before_the_empty_deck(call):
    """E24."""
    table = given(hands={"Ann": SEVEN}, deck="")
    table.do(call)
    if call == "last-chance":
        assert (table.turn, table.phase) == ("Bo", "take")
        take_and_pass(table)
    assert table.round_ended["reason"] == call
    assert table.totals[0] >= 7


def test_rule_21_after_last_chance_an_empty_deck_ends_nothing():
    """E24: it runs out in Bo's turn, and Cy still has one."""
    table = last_chance(hands={"Ann": SEVEN}, deck="fish-green")
    table.do("draw fish-green")
    assert table.do("pass") == "turn-ended Bo"
    assert (table.turn, table.legal) == ("Cy", {"take 1", "take 2"})
    take_and_pass(table)
    assert table.round_ended["reason"] == "last-chance"


# --- rule 22: the next round ----------------------------------------------------------


def test_rule_22_all_cards_are_shuffled_and_nobody_keeps_any():
    table = given(hands={"Ann": SEVEN, "Bo": "penguin-pink"}, tables={"Ann": BOATS})
    table.do("stop")
    assert (table.phase, table.legal, table.state["round"]) == ("deal", {"deal"}, 1)
    assert table.laid("Ann") == set(BOATS.split())  # it stays as it was until the deal
    table.do("deal shell-green penguin-pink")
    assert (table.phase, table.state["round"]) == ("take", 2)
    assert (table.tops, table.counts) == (("shell-green", "penguin-pink"), (56, 1, 1))
    assert table.state["hand_counts"] == {"Ann": 0, "Bo": 0}
    assert table.state["tables"] == {"Ann": [], "Bo": []}
    assert table.state["revealed"] == {"Ann": None, "Bo": None}
    assert table.totals == (8, 1)


@pytest.mark.parametrize("ending", ["stop", "last-chance", "deck-empty"])
def test_rule_22_the_left_neighbour_of_the_one_who_ended_the_round_begins(ending):
    """E25: after LAST CHANCE that of the caller, not of the last to move."""
    table = given(
        FOUR_PLAY,
        hands={"Ann": SEVEN},
        deck="" if ending == "deck-empty" else None,
        piles=("crab-grey boat-yellow-1", "boat-yellow-2"),
    )
    if ending == "last-chance":
        table.do("last-chance")
        for _ in range(3):
            take_and_pass(table)
    else:
        table.do("stop" if ending == "stop" else "pass")
    assert table.round_ended["reason"] == ending
    assert (table.turn, table.phase) == ("Bo", "deal")
    table.do("deal crab-grey boat-yellow-2")
    assert (table.turn, table.phase, table.state["called"]) == ("Bo", "take", None)


def test_rule_22_the_last_player_is_followed_by_the_first():
    table = given("Ann Bo Cy", hands={"Cy": SEVEN}, starter="Cy")
    table.do("stop")
    assert table.turn == "Ann"


# --- rules 23 and 24: the end of the game ---------------------------------------------


@pytest.mark.parametrize(
    ("players", "target"), [("Ann Bo", 40), ("Ann Bo Cy", 35), ("Ann Bo Cy Dee", 30)]
)
def test_rule_23_the_game_ends_with_the_target(players, target):
    """E29: exactly is enough."""
    others = (0,) * (len(players.split()) - 1)
    table = given(players, hands={"Ann": SEVEN}, totals=(target - 7, *others))
    assert table.do("stop") == "called Ann stop; round-ended stop; game-won Ann"
    assert (table.turn, table.phase, table.legal) == (None, "over", set())
    assert (table.standing.over, table.winners) == (True, ("Ann",))
    assert table.standing.scores["Ann"] == target
    assert table.refusal("deal crab-grey boat-yellow-2") == "game-over"

    table = given(players, hands={"Ann": SEVEN}, totals=(target - 8, *others))
    assert table.do("stop") == "called Ann stop; round-ended stop"
    assert (table.standing.over, table.phase) == (False, "deal")


def test_rule_23_the_highest_total_wins_whoever_called():
    """E30."""
    table = given("Ann Bo Cy", hands={"Ann": SEVEN, "Bo": SIX}, totals=(28, 30, 34))
    table.do("stop")
    assert (table.totals, table.winners) == ((35, 36, 34), ("Bo",))


def test_rule_23_a_round_that_is_not_scored_ends_no_game():
    table = given(hands={"Ann": SEVEN}, deck="", totals=(39, 39))
    table.do("pass")
    assert not table.standing.over


def tie(totals, hands, call="stop", **options):
    table = given("Ann Bo Cy", hands=hands, totals=totals, piles=OTHERS, **options)
    table.do(call)
    return table


@pytest.mark.parametrize("chosen", [{}, {"tie": "ended-last"}])
def test_rule_24_of_equal_totals_the_one_who_ended_the_round_wins(chosen):
    """E27 and E28: though Bo has more points in this round."""
    table = tie((28, 26, 0), {"Ann": SEVEN, "Bo": NINE}, **chosen)
    assert (table.totals, table.winners) == ((35, 35, 0), ("Ann",))


def test_rule_24_the_caller_of_last_chance_has_ended_the_round():
    hands = {"Ann": SEVEN, "Bo": "shell-yellow fish-yellow"}
    table = tie((28, 34, 0), hands, call="last-chance")
    take_and_pass(table)
    take_and_pass(table)
    assert (table.round_points[:2], table.totals[:2]) == ((9, 3), (37, 37))
    assert table.winners == ("Ann",)


def test_rule_24_if_none_of_the_tied_ended_the_round_they_share_the_win():
    table = tie((0, 29, 34), {"Ann": SEVEN, "Bo": SIX, "Cy": "penguin-purple"})
    assert (table.totals, set(table.winners)) == ((7, 35, 35), {"Bo", "Cy"})


def test_rule_24_otherwise_the_points_of_the_last_round_decide():
    table = tie((28, 26, 0), {"Ann": SEVEN, "Bo": NINE}, tie="last-round-points")
    assert (table.totals, table.winners) == ((35, 35, 0), ("Bo",))
    table = tie(
        (0, 29, 34),
        {"Ann": SEVEN, "Bo": SIX, "Cy": "penguin-purple"},
        tie="last-round-points",
    )
    assert (table.totals, table.winners) == ((7, 35, 35), ("Bo",))


def test_rule_24_equal_in_that_too_they_share_the_win():
    hands = {"Ann": SEVEN, "Bo": "penguin-purple", "Cy": "penguin-pink"}
    table = tie((0, 34, 34), hands, tie="last-round-points")
    assert set(table.winners) == {"Bo", "Cy"}
    hands = {"Ann": SEVEN, "Bo": f"{SIX} fish-yellow fish-green"}
    table = tie((28, 28, 0), hands, tie="last-round-points")
    assert (table.totals, set(table.winners)) == ((35, 35, 0), {"Ann", "Bo"})


# --- rule 25: four mermaids -----------------------------------------------------------


@pytest.mark.parametrize("text", ["mermaids", "pass"])
def test_rule_25_four_mermaids_win_with_few_points_by_showing_or_passing(text):
    """E31 to E33: totals stay, and a higher one does not matter."""
    table = given(hands={"Ann": MERMAIDS}, totals=(1, 39))
    assert table.own("Ann")["points"] == 4
    assert table.legal == {"pass", "mermaids"}
    assert table.refusal("stop") == "not-legal"
    assert table.do(text) == "round-ended mermaids; game-won Ann"
    assert (table.phase, table.winners, table.totals) == ("over", ("Ann",), (1, 39))
    assert table.round_points == (0, 0)
    assert table.round_ended["bet_won"] is None


@pytest.mark.parametrize("call", ["stop", "last-chance"])
def test_rule_25_a_call_with_four_mermaids_shows_them(call):
    """E32: and calls nothing."""
    table = given(hands={"Ann": f"{MERMAIDS} {SEVEN}"})
    assert {"pass", "stop", "last-chance", "mermaids"} == table.legal
    assert table.do(call) == "round-ended mermaids; game-won Ann"


def test_rule_25_duos_may_be_played_first():
    table = given(hands={"Ann": f"{MERMAIDS} {BOATS}"})
    table.do(f"duo {BOATS}; take 1")
    assert table.do("mermaids") == "round-ended mermaids; game-won Ann"


def test_rule_25_not_before_a_card_was_taken():
    table = given(hands={"Ann": MERMAIDS}, phase="take")
    assert table.refusal("mermaids") == "not-legal"


def test_rule_25_also_in_a_last_turn():
    table = last_chance(TWO_PLAY, hands={"Ann": SEVEN, "Bo": MERMAIDS})
    table.do("take 1")
    assert table.do("pass") == "round-ended mermaids; game-won Bo"


def test_rule_25_also_with_the_deck_empty():
    table = given(hands={"Ann": MERMAIDS}, deck="")
    assert table.do("pass") == "round-ended mermaids; game-won Ann"


def test_rule_25_three_mermaids_win_nothing_and_are_no_duo():
    """E34."""
    table = given(hands={"Ann": MERMAIDS.rpartition(" ")[0]})
    assert table.legal == {"pass"}
    assert table.refusal("mermaids") == "not-legal"
    assert table.refusal("duo mermaid-white-1 mermaid-white-2") == "not-legal"
