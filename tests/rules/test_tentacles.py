"""The rules of five tentacles, clause by clause, as `docs/rules/tentacles.md` numbers them."""

from __future__ import annotations

import pytest
from in_words import words
from tentacles_game import GAME, Table, given

from companion.codec import action_to_json
from companion.rules.tentacles_words import Decline

PATTERNS = ("dots", "rings", "stars", "stripes", "waves")
FOUR = "dots rings stripes waves"
MAY_GO_ON = {"reveal", "stop"}
ONE_OF_EACH = {**dict.fromkeys(PATTERNS, 1), "octopus": 1}


# --- the table of cards ---------------------------------------------------------------


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_card_on_an_empty_tentacle_brings_a_fish(pattern):
    table = Table()
    assert table.do(f"reveal {pattern}") == f"card {pattern}; fish-won Ann {pattern}"
    assert (table.turn, table.phase, table.legal) == ("Ann", "choose", MAY_GO_ON)
    assert table.fish("Ann") == pattern
    assert table.state["sea"] == 9


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_card_on_a_full_tentacle_does_nothing(pattern):
    table = Table()
    table.do(f"reveal {pattern}")
    assert table.do(f"reveal {pattern}") == f"card {pattern}"
    assert (table.turn, table.phase, table.legal) == ("Ann", "choose", MAY_GO_ON)
    assert table.fish("Ann") == pattern
    assert table.state["sea"] == 9


@pytest.mark.parametrize("pattern", PATTERNS)
def test_eyes_on_an_empty_tentacle_do_nothing(pattern):
    table = Table()
    assert table.do(f"reveal {pattern}-eyes") == f"card {pattern}-eyes"
    assert (table.turn, table.phase, table.legal) == ("Ann", "choose", MAY_GO_ON)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_eyes_on_a_full_tentacle_cost_that_fish_and_the_turn(pattern):
    table = Table()
    table.do(f"reveal {pattern}")
    outcomes = table.do(f"reveal {pattern}-eyes")
    assert outcomes == f"card {pattern}-eyes; fish-lost Ann {pattern}; turn-ended Ann"
    assert (table.turn, table.phase, table.legal) == ("Bo", "reveal", {"reveal"})
    assert table.fish("Ann") == ""
    assert table.state["sea"] == 10


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_tentacle_card_on_an_empty_tentacle_may_rob(pattern):
    table = Table(starter="Bo")
    table.do(f"reveal {pattern}; stop")
    assert table.do(f"reveal {pattern}-tentacle") == f"card {pattern}-tentacle"
    assert (table.turn, table.phase) == ("Ann", "steal")
    assert table.do("steal Bo") == f"fish-stolen Ann Bo {pattern}; turn-ended Ann"
    assert (table.fish("Ann"), table.fish("Bo")) == (pattern, "")
    assert (table.turn, table.phase) == ("Bo", "reveal")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_tentacle_card_on_a_full_tentacle_does_nothing(pattern):
    table = Table(starter="Bo")
    table.do(f"reveal {pattern}; stop; reveal {pattern}")
    assert table.do(f"reveal {pattern}-tentacle") == f"card {pattern}-tentacle"
    assert (table.turn, table.phase, table.legal) == ("Ann", "choose", MAY_GO_ON)
    assert (table.fish("Ann"), table.fish("Bo")) == (pattern, pattern)


@pytest.mark.parametrize(
    ("fish", "lost"),
    [
        ("", ""),
        ("waves", "fish-lost Ann waves; "),
        ("waves dots", "fish-lost Ann dots; fish-lost Ann waves; "),
        (
            FOUR,
            "fish-lost Ann dots; fish-lost Ann rings; fish-lost Ann stripes; fish-lost Ann waves; ",
        ),
    ],
)
def test_an_octopus_costs_all_own_fish_and_the_turn(fish, lost):
    table = given(fish={"Ann": fish, "Bo": "dots"})
    assert table.do("reveal octopus") == f"card octopus; {lost}turn-ended Ann"
    assert (table.fish("Ann"), table.fish("Bo")) == ("", "dots")
    assert table.state["sea"] == 9
    assert (table.turn, table.phase) == ("Bo", "reveal")


# --- rule 1 ---------------------------------------------------------------------------


def test_rule_1_the_first_card_of_a_turn_is_compulsory():
    table = Table()
    assert table.legal == {"reveal"}
    assert table.refusal("stop") == "not-legal"
    table.do("reveal dots; stop")
    assert table.turn == "Bo"
    assert table.refusal("stop") == "not-legal"


@pytest.mark.parametrize("card", ["dots", "rings", "dots-eyes", "dots-tentacle"])
def test_rule_1_stopping_is_possible_after_a_card_that_says_so(card):
    table = given(fish={"Ann": "rings"}, dry_tentacle="continue")
    table.do(f"reveal {card}")
    assert table.legal == MAY_GO_ON
    assert table.do("stop") == "turn-ended Ann"
    assert (table.turn, table.phase, table.state["reveals"]) == ("Bo", "reveal", 0)


def test_rule_1_a_turn_may_have_any_number_of_cards():
    table = Table()
    table.do("reveal dots; reveal dots; reveal dots; reveal dots; reveal rings-eyes")
    assert (table.turn, table.phase, table.state["reveals"]) == ("Ann", "choose", 5)


def test_play_is_clockwise_from_the_starter():
    table = Table("Ann Bo Cy", starter="Cy")
    turns = [table.turn]
    for _ in range(4):
        table.do("reveal dots-eyes; stop" if len(turns) < 3 else "reveal rings-eyes; stop")
        turns.append(table.turn)
    assert turns == ["Cy", "Ann", "Bo", "Cy", "Ann"]


# --- rules 2, 3 and 4 -----------------------------------------------------------------


@pytest.mark.parametrize("chosen", [{}, {"dry_tentacle": "end"}])
def test_rule_2_with_nobody_to_rob_the_turn_ends(chosen):
    table = given(fish={"Bo": "rings"}, **chosen)
    assert table.do("reveal dots-tentacle") == "card dots-tentacle; turn-ended Ann"
    assert (table.turn, table.phase) == ("Bo", "reveal")


def test_rule_2_with_nobody_to_rob_the_turn_goes_on_where_the_table_plays_so():
    table = given(fish={"Bo": "rings"}, dry_tentacle="continue")
    assert table.do("reveal dots-tentacle") == "card dots-tentacle"
    assert (table.turn, table.phase, table.legal) == ("Ann", "choose", MAY_GO_ON)


@pytest.mark.parametrize("chosen", [{}, {"steal": "optional"}])
@pytest.mark.parametrize("dry", ["end", "continue"])
def test_rule_3_a_single_victim_is_asked_about(chosen, dry):
    """Whatever is agreed about tentacle cards without a victim."""
    table = given(fish={"Bo": "dots"}, dry_tentacle=dry, **chosen)
    assert table.do("reveal dots-tentacle") == "card dots-tentacle"
    assert (table.turn, table.phase) == ("Ann", "steal")
    assert table.legal == {"steal Bo", "decline"}
    assert table.do("decline") == "turn-ended Ann"
    assert (table.fish("Ann"), table.fish("Bo")) == ("", "dots")
    assert (table.turn, table.phase) == ("Bo", "reveal")


def test_rule_3_any_opponent_with_that_fish_may_be_chosen():
    table = given("Ann Bo Cy Dee", fish={"Bo": "dots", "Cy": "rings", "Dee": "waves dots"})
    table.do("reveal dots-tentacle")
    assert table.legal == {"steal Bo", "steal Dee", "decline"}
    assert [table.refusal(f"steal {name}") for name in ("Cy", "Ann", "Zed")] == [
        "unknown-player"
    ] * 3
    assert table.do("steal Dee") == "fish-stolen Ann Dee dots; turn-ended Ann"
    assert [table.fish(name) for name in ("Ann", "Bo", "Cy", "Dee")] == [
        "dots",
        "dots",
        "rings",
        "waves",
    ]


def test_rule_3_a_forced_theft_from_a_single_victim_asks_nothing():
    table = given(fish={"Bo": "dots"}, steal="forced")
    outcomes = table.do("reveal dots-tentacle")
    assert outcomes == "card dots-tentacle; fish-stolen Ann Bo dots; turn-ended Ann"
    assert (table.turn, table.fish("Ann"), table.fish("Bo")) == ("Bo", "dots", "")


def test_rule_3_a_forced_theft_from_several_victims_asks_whom():
    table = given("Ann Bo Cy", fish={"Bo": "dots", "Cy": "dots"}, steal="forced")
    assert table.do("reveal dots-tentacle") == "card dots-tentacle"
    assert (table.phase, table.legal) == ("steal", {"steal Bo", "steal Cy"})
    assert table.refusal("decline") == "not-legal"
    assert table.do("steal Cy") == "fish-stolen Ann Cy dots; turn-ended Ann"


@pytest.mark.parametrize("steal", ["optional", "forced"])
@pytest.mark.parametrize("dry", ["end", "continue"])
def test_rule_4_with_nobody_to_rob_nothing_is_asked(steal, dry):
    table = given("Ann Bo Cy", fish={"Bo": "rings"}, steal=steal, dry_tentacle=dry)
    table.do("reveal dots-tentacle")
    assert table.phase != "steal"
    assert [table.refusal(text) for text in ("decline", "steal Bo")] == ["not-legal"] * 2


# --- rules 5 and 6 --------------------------------------------------------------------


def test_rule_5_winning_a_fish_is_automatic():
    table = Table()
    table.do("reveal dots")
    assert table.fish("Ann") == "dots"
    assert table.legal == MAY_GO_ON


def test_rule_5_the_fifth_fish_from_a_pattern_card_wins_at_once():
    table = given(fish={"Ann": FOUR, "Bo": "dots"})
    assert table.do("reveal stars") == "card stars; fish-won Ann stars; game-won Ann"
    assert (table.turn, table.phase, table.legal) == (None, "over", set())
    assert (table.standing.over, table.winners) == (True, ("Ann",))
    assert table.standing.scores == {"Ann": 5, "Bo": 1}
    assert table.refusal("reveal dots") == "game-over"


def test_rule_5_the_fifth_fish_from_a_theft_wins_at_once():
    table = given(fish={"Ann": FOUR, "Bo": "stars"})
    table.do("reveal stars-tentacle")
    assert table.do("steal Bo") == "fish-stolen Ann Bo stars; game-won Ann"
    assert (table.turn, table.phase, table.winners) == (None, "over", ("Ann",))


def test_rule_5_the_fifth_fish_from_a_forced_theft_wins_at_once():
    table = given(fish={"Ann": FOUR, "Bo": "stars"}, steal="forced")
    outcomes = table.do("reveal stars-tentacle")
    assert outcomes == "card stars-tentacle; fish-stolen Ann Bo stars; game-won Ann"
    assert table.winners == ("Ann",)


def test_rule_5_four_fish_do_not_win():
    table = given(fish={"Ann": "dots rings waves"})
    table.do("reveal stripes")
    assert (table.standing.over, table.winners) == (False, ())


def test_rule_6_a_theft_leaves_the_sea_as_it_was():
    table = given("Ann Bo Cy", fish={"Ann": "rings", "Bo": "dots", "Cy": "dots"})
    assert table.state["sea"] == 12
    table.do("reveal dots-tentacle; steal Bo")
    assert table.state["sea"] == 12
    assert [table.fish(name) for name in ("Ann", "Bo", "Cy")] == ["dots rings", "", "dots"]


# --- rules 7 and 8 --------------------------------------------------------------------


@pytest.mark.parametrize("pattern", FOUR.split())
def test_rule_7_eyes_take_the_fish_of_their_own_pattern_and_no_other(pattern):
    table = given(fish={"Ann": FOUR, "Bo": pattern})
    table.do(f"reveal {pattern}-eyes")
    assert table.fish("Ann").split() == [other for other in FOUR.split() if other != pattern]
    assert table.fish("Bo") == pattern


def test_rule_7_eyes_of_another_pattern_take_nothing():
    table = given(fish={"Ann": FOUR, "Bo": "stars"})
    assert table.do("reveal stars-eyes") == "card stars-eyes"
    assert (table.fish("Ann"), table.fish("Bo")) == (FOUR, "stars")
    assert (table.turn, table.phase) == ("Ann", "choose")


@pytest.mark.parametrize("chosen", [{}, {"octopus_takes": "all"}])
def test_rule_8_the_octopus_takes_all(chosen):
    table = given(fish={"Ann": "dots waves"}, **chosen)
    outcomes = table.do("reveal octopus")
    assert outcomes == "card octopus; fish-lost Ann dots; fish-lost Ann waves; turn-ended Ann"


def test_rule_8_for_small_children_the_octopus_takes_one_of_their_choice():
    table = given(fish={"Ann": "waves dots", "Bo": "rings"}, octopus_takes="one")
    assert table.do("reveal octopus") == "card octopus"
    assert (table.turn, table.phase) == ("Ann", "lose")
    assert table.legal == {"lose dots", "lose waves"}
    assert [table.refusal(f"lose {pattern}") for pattern in ("rings", "octopus", "kraken")] == [
        "not-legal",
        "unknown-card",
        "unknown-card",
    ]
    assert table.do("lose dots") == "fish-lost Ann dots; turn-ended Ann"
    assert (table.turn, table.fish("Ann"), table.state["sea"]) == ("Bo", "waves", 8)


@pytest.mark.parametrize(
    ("fish", "lost"), [("", ""), ("stripes", "fish-lost Ann stripes; ")], ids=["none", "one"]
)
def test_rule_8_with_one_fish_or_none_nothing_is_asked(fish, lost):
    table = given(fish={"Ann": fish}, octopus_takes="one")
    assert table.do("reveal octopus") == f"card octopus; {lost}turn-ended Ann"
    assert (table.turn, table.phase, table.fish("Ann")) == ("Bo", "reveal", "")


# --- rule 9 ---------------------------------------------------------------------------

LAST_IS_WAVES = "reveal octopus; reveal dots; reveal rings; reveal stars; reveal stripes; stop"


def test_rule_9_the_last_card_counts_before_the_shuffle():
    table = Table(deck=ONE_OF_EACH)
    table.do(LAST_IS_WAVES)
    assert table.do("reveal waves") == "card waves; fish-won Ann waves"
    assert table.state["pile"] == 0
    assert table.state["discard"] == ONE_OF_EACH


def test_rule_9_until_the_shuffle_no_card_can_come_and_stopping_stays_possible():
    table = Table(deck=ONE_OF_EACH)
    table.do(LAST_IS_WAVES)
    table.do("reveal waves")
    assert (table.phase, table.legal) == ("choose", {"reshuffle", "stop"})
    assert table.refusal("reveal dots") == "not-legal"
    assert table.do("stop") == "turn-ended Ann"
    assert (table.turn, table.phase, table.legal) == ("Bo", "reveal", {"reshuffle"})
    assert table.refusal("stop") == "not-legal"


def test_rule_9_after_the_shuffle_the_same_turn_goes_on():
    table = Table(deck=ONE_OF_EACH)
    table.do(LAST_IS_WAVES)
    table.do("reveal waves")
    assert table.do("reshuffle") == "reshuffled"
    assert (table.turn, table.phase, table.legal) == ("Ann", "choose", MAY_GO_ON)
    assert (table.state["pile"], table.state["discard"], table.state["reveals"]) == (6, {}, 1)
    table.do("reveal waves")
    assert table.state["reveals"] == 2


def test_rule_9_at_the_start_of_a_turn_the_shuffle_keeps_the_card_compulsory():
    table = Table(deck=ONE_OF_EACH)
    table.do(LAST_IS_WAVES + "; reveal waves; stop; reshuffle")
    assert (table.turn, table.phase, table.legal) == ("Bo", "reveal", {"reveal"})


def test_rule_9_a_last_card_that_asks_is_answered_first():
    deck = {**dict.fromkeys(PATTERNS, 1), "stars-eyes": 1, "dots-tentacle": 1}
    table = given(fish={"Bo": "dots"}, deck=deck)
    table.do("reveal rings; reveal stars; reveal stripes; reveal waves; reveal dots-tentacle")
    assert (table.state["pile"], table.phase) == (0, "steal")
    assert table.refusal("reshuffle") == "not-legal"
    table.do("decline")
    assert table.legal == {"reshuffle"}


def test_rule_9_a_pile_with_cards_is_not_shuffled():
    table = Table(deck=ONE_OF_EACH)
    assert table.refusal("reshuffle") == "not-legal"
    table.do("reveal dots; reveal rings; reveal stars; reveal stripes")
    assert table.refusal("reshuffle") == "not-legal"


# --- rules 10 to 13 -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "copies"), [("dots", 4), ("dots-eyes", 2), ("dots-tentacle", 2), ("octopus", 3)]
)
def test_rule_10_a_card_comes_as_often_as_there_are_copies(card, copies):
    table = Table("Ann Bo Cy Dee")
    for _ in range(copies):
        assert table.refusal(f"reveal {card}") is None
        table.do(f"reveal {card}")
        if table.phase == "choose":
            table.do("stop")
    assert table.refusal(f"reveal {card}") == "card-not-available"
    assert table.refusal("reveal rings") is None


def test_rule_10_after_the_shuffle_every_card_can_come_again():
    table = Table(deck=ONE_OF_EACH)
    table.do(LAST_IS_WAVES + "; reveal waves; reshuffle")
    assert [table.refusal(f"reveal {card}") for card in ONE_OF_EACH] == [None] * 6


def test_rule_10_only_cards_of_this_deck_can_come():
    table = Table(deck=ONE_OF_EACH)
    assert table.refusal("reveal dots-eyes") == "card-not-available"
    assert table.refusal("reveal kraken") == "unknown-card"


def test_rule_11_the_second_of_two_cards_goes_back_and_can_still_come():
    """The engine is told the first one alone, so the other one is still in the pile."""
    table = Table(deck=ONE_OF_EACH)
    table.do("reveal dots")
    assert "rings" not in table.state["discard"]
    assert table.refusal("reveal rings") is None


def test_rule_12_the_fish_of_a_leaver_return_to_the_sea_and_the_seat_is_skipped():
    table = given("Ann Bo Cy", fish={"Ann": "dots", "Bo": "rings waves", "Cy": "dots"})
    assert table.state["sea"] == 11
    assert table.do("leave Bo") == "player-left Bo"
    assert (table.turn, table.phase) == ("Ann", "reveal")
    assert (table.fish("Bo"), table.state["sea"]) == ("", 13)
    table.do("reveal stripes; stop")
    assert table.turn == "Cy"


def test_rule_12_two_seats_side_by_side_are_skipped():
    table = Table("Ann Bo Cy Dee", starter="Ann")
    table.do("leave Cy; leave Bo; reveal dots; stop")
    assert table.turn == "Dee"
    table.do("reveal dots; stop")
    assert table.turn == "Ann"


def test_rule_12_a_player_who_leaves_in_turn_ends_the_turn():
    table = given("Ann Bo Cy", fish={"Ann": "dots"})
    table.do("reveal waves")
    assert table.do("leave Ann") == "player-left Ann; turn-ended Ann"
    assert (table.turn, table.phase, table.state["reveals"]) == ("Bo", "reveal", 0)
    assert table.state["sea"] == 15


@pytest.mark.parametrize("leaver", ["Ann", "Bo"])
def test_rule_12_the_last_one_left_wins(leaver):
    table = Table()
    table.do("reveal dots")
    winner = {"Ann": "Bo", "Bo": "Ann"}[leaver]
    assert table.do(f"leave {leaver}") == f"player-left {leaver}; game-won {winner}"
    assert (table.turn, table.phase, table.winners) == (None, "over", (winner,))


def test_rule_12_a_theft_is_done_with_when_the_last_one_left_wins():
    table = given(fish={"Bo": "dots"})
    table.do("reveal dots-tentacle; leave Bo")
    assert (table.phase, table.match.state.pattern) == ("over", "")


@pytest.mark.parametrize("card", ["dots", "rings-eyes", "dots-tentacle"])
def test_a_card_that_brings_nothing_leaves_nothing_to_choose_from(card):
    table = Table()
    table.do(f"reveal dots; reveal {card}")
    assert (table.phase, table.match.state.pattern) == ("choose", "")


def test_rule_12_nobody_leaves_twice():
    table = Table("Ann Bo Cy")
    table.do("leave Bo")
    assert table.refusal("leave Bo") == "unknown-player"


def test_rule_12_a_leaver_cannot_be_robbed():
    table = given("Ann Bo Cy", fish={"Bo": "dots", "Cy": "dots"})
    table.do("leave Bo; reveal dots-tentacle")
    assert table.legal == {"steal Cy", "decline"}


def test_rule_12_when_the_only_one_to_rob_leaves_the_theft_is_done_with():
    table = given("Ann Bo Cy", fish={"Bo": "dots"}, dry_tentacle="continue")
    table.do("reveal dots-tentacle")
    assert table.match.state.pattern == "dots"
    table.do("leave Bo")
    assert (table.turn, table.phase, table.match.state.pattern) == ("Ann", "choose", "")


def test_rule_12_who_leaves_during_a_theft_leaves_the_others_to_choose_from():
    table = given("Ann Bo Cy Dee", fish={"Bo": "dots", "Cy": "dots", "Dee": "dots"})
    table.do("reveal dots-tentacle")
    assert table.do("leave Bo") == "player-left Bo"
    assert (table.turn, table.legal) == ("Ann", {"steal Cy", "steal Dee", "decline"})
    assert table.standing.gone == ("Bo",)


@pytest.mark.parametrize(
    ("kind", "name", "meant"),
    [
        ("component", "dots", "reveal dots"),
        ("player", "Bo", "steal Bo"),
        ("control", "stop", "stop"),
        ("control", "shuffle", "reshuffle"),
    ],
)
def test_what_a_tag_means(kind, name, meant):
    table = Table()
    table.do("reveal dots")
    assert words(action_to_json(GAME.meaning(table.match.state, kind, name))) == meant


def test_the_stop_token_declines_a_theft():
    table = given(fish={"Bo": "dots"})
    table.do("reveal dots-tentacle")
    assert GAME.meaning(table.match.state, "control", "stop") == Decline()


def test_another_control_token_means_nothing():
    assert GAME.meaning(Table().match.state, "control", "cut") is None


@pytest.mark.parametrize(
    ("options", "enrolled", "played"),
    [
        ({}, {"dots": 3}, {"deck": {"dots": 3}}),
        ({"steal": "forced"}, {"dots": 3}, {"steal": "forced", "deck": {"dots": 3}}),
        ({"steal": "forced"}, {}, {"steal": "forced"}),
        ({"eyes": 1}, {"dots": 3}, {"eyes": 1}),
        ({"deck": ONE_OF_EACH}, {"dots": 3}, {"deck": ONE_OF_EACH}),
    ],
)
def test_the_deck_is_what_carries_tags_unless_one_was_chosen(options, enrolled, played):
    assert GAME.with_enrolled(options, enrolled) == played


def test_rule_13_the_number_of_each_card_still_in_the_pile_is_public():
    table = Table(deck={**ONE_OF_EACH, "waves": 3, "octopus": 2})
    assert table.odds["next"] == {
        "dots": 1 / 9,
        "rings": 1 / 9,
        "stars": 1 / 9,
        "stripes": 1 / 9,
        "waves": 3 / 9,
        "octopus": 2 / 9,
    }
    table.do("reveal waves; reveal octopus; reveal dots")
    assert table.state["discard"] == {"dots": 1, "octopus": 1, "waves": 1}
    assert table.odds["next"] == {
        "rings": 1 / 6,
        "stars": 1 / 6,
        "stripes": 1 / 6,
        "waves": 2 / 6,
        "octopus": 1 / 6,
    }


@pytest.mark.parametrize(
    ("fish", "costly"),
    [
        ("", 0),
        ("waves", 2 + 3),  # its own eyes and the octopus cards
        ("dots rings", 2 + 2 + 3),
        ("dots rings stripes waves", 4 * 2 + 3),
    ],
)
@pytest.mark.parametrize("takes", ["all", "one"])
def test_rule_13_so_are_the_odds_of_losing_a_fish(fish, costly, takes):
    table = given("Ann Bo", fish={"Ann": fish, "Bo": "stars"}, octopus_takes=takes)
    assert table.odds["lose"] == pytest.approx(costly / table.state["pile"])


def test_rule_13_with_no_card_to_come_there_are_no_odds():
    table = Table(deck=ONE_OF_EACH)
    table.do(LAST_IS_WAVES + "; reveal waves")
    assert table.odds is None
    table.do("reshuffle")
    assert table.odds is not None


def test_it_is_for_two_to_six_players():
    assert GAME.seats == range(2, 7)
