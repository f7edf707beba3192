"""A turn of Sea Salt & Paper, clause by clause: rules 1 to 12."""

from __future__ import annotations

from collections import Counter

import pytest
from sea_salt_paper_game import GAME, SEVEN, Table, dealt, given

from companion.rules.sea_salt_paper.cards import CARDS, NAMES

CRABS = "crab-black crab-green"
BOATS = "boat-black-1 boat-black-2"
FISH = "fish-black-1 fish-green"
THIEVES = "swimmer-black shark-green"
ENDS = {"pass"}
EMPTY = ("", "")


def counted(text):
    """Such as `crab 9, boat 8`."""
    return {name: int(count) for name, count in map(str.split, text.split(","))}


# --- rules 1 and 2 --------------------------------------------------------------------


def test_rule_1_there_are_58_cards_and_one_of_each_name():
    assert (len(set(NAMES[:58])), Table().state["deck"]) == (58, 58)


def test_rule_1_every_kind_comes_in_its_colours():
    """And the colours add up."""
    plain = CARDS[:58]
    assert Counter(card.kind for card in plain) == counted(
        "crab 9, boat 8, fish 7, swimmer 5, shark 5, mermaid 4, shell 6, octopus 5, penguin 3, "
        "sailor 2, lighthouse 1, shoal 1, colony 1, captain 1"
    )
    assert Counter(card.colour for card in plain) == counted(
        "dark-blue 9, light-blue 9, black 8, yellow 8, green 6, white 4, purple 4, grey 4, "
        "light-orange 3, pink 2, orange 1"
    )


@pytest.mark.parametrize(
    "elsewhere", ["crab-grey", "boat-yellow-2", "shell-grey", "octopus-grey", "penguin-pink"]
)
def test_rule_1_a_card_that_lies_elsewhere_cannot_be_drawn(elsewhere):
    """On a pile, in a hand, on a table."""
    table = given(
        hands={"Ann": "shell-grey", "Bo": "octopus-grey"},
        tables={"Bo": "penguin-pink"},
        phase="take",
    )
    assert table.refusal(f"draw fish-green {elsewhere}") == "card-not-available"
    assert table.refusal("draw fish-green fish-yellow") is None


@pytest.mark.parametrize("text", ["deal crab-grey crab-grey", "deal crab-grey kraken"])
def test_rule_1_two_cards_are_two(text):
    expected = "unknown-card" if "kraken" in text else "card-not-available"
    assert Table().refusal(text) == expected


def test_rule_2_two_cards_open_the_piles_and_nobody_has_any():
    table = Table("Ann Bo Cy", starter="Bo")
    assert (table.turn, table.phase, table.legal) == ("Bo", "deal", {"deal"})
    assert (table.tops, table.counts) == ((None, None), (58, 0, 0))
    assert table.do("deal crab-grey boat-yellow-2") == "dealt crab-grey boat-yellow-2"
    assert (table.turn, table.phase) == ("Bo", "take")
    assert (table.tops, table.counts) == (("crab-grey", "boat-yellow-2"), (56, 1, 1))
    assert table.state["hand_counts"] == {"Ann": 0, "Bo": 0, "Cy": 0}
    assert table.state["tables"] == {"Ann": [], "Bo": [], "Cy": []}


def test_rule_2_nothing_comes_before_the_deal():
    table = Table()
    for text in ("draw crab-grey crab-black", "take 1", "skip", "pass", f"duo {CRABS}", "stop"):
        assert table.refusal(text) == "not-legal"


# --- rules 3 to 6: taking -------------------------------------------------------------


def test_rule_3_draw_two_keep_one_and_lay_the_other_on_a_pile():
    table = dealt()
    assert table.legal == {"draw", "take 1", "take 2"}
    assert table.do("draw mermaid-white-1 shell-grey") == "drew Ann 2"
    assert (table.phase, table.legal) == ("keep", {"keep mermaid-white-1", "keep shell-grey"})
    assert table.do("keep mermaid-white-1") == ""
    assert (table.phase, table.legal) == ("discard", {"discard 1", "discard 2"})
    assert table.do("discard 2") == "discarded shell-grey 2"
    assert (table.phase, table.legal) == ("play", {"pass"})
    assert table.hand("Ann") == {"mermaid-white-1"}
    assert (table.tops, table.counts) == (("crab-grey", "shell-grey"), (54, 1, 2))


@pytest.mark.parametrize(("pile", "card"), [(1, "crab-grey"), (2, "boat-yellow-2")])
def test_rule_3_or_take_the_top_of_a_pile(pile, card):
    table = given(piles=("shell-grey crab-grey", "shell-green boat-yellow-2"), phase="take")
    assert table.do(f"take {pile}") == f"took Ann {card} {pile}"
    assert (table.phase, table.hand("Ann")) == ("play", {card})
    assert table.tops[pile - 1] in {"shell-grey", "shell-green"}


def test_rule_3_taking_cannot_be_passed_over_nor_can_a_duo_come_first():
    """E8 and E39."""
    table = given(hands={"Ann": f"{CRABS} {SEVEN}"}, phase="take")
    for text in (f"duo {CRABS}", "pass", "stop", "last-chance", "mermaids", "skip", "discard 1"):
        assert table.refusal(text) == "not-legal"


def test_rule_3_only_a_card_drawn_can_be_kept():
    table = given(hands={"Ann": "shell-grey"}, phase="take")
    table.do("draw fish-green fish-yellow")
    assert table.refusal("keep shell-grey") == "card-not-available"
    assert table.refusal("keep octopus-grey") == "card-not-available"
    assert table.refusal("keep kraken") == "unknown-card"


def test_rule_3_of_an_empty_pile_nothing_is_taken():
    table = given(piles=("crab-grey", ""), phase="take")
    assert table.legal == {"draw", "take 1"}
    assert table.refusal("take 2") == "not-legal"


@pytest.mark.parametrize(
    ("piles", "filled"),
    [(("", "crab-grey"), 1), (("crab-grey", ""), 2), (EMPTY, 1)],
    ids=["pile 1 empty", "pile 2 empty", "both empty"],
)
def test_rule_4_the_other_card_fills_an_empty_pile_by_itself(piles, filled):
    """E37 and E38."""
    table = given(piles=piles, phase="take")
    table.do("draw mermaid-white-1 shell-grey")
    assert table.do("keep mermaid-white-1") == f"discarded shell-grey {filled}"
    assert table.phase == "play"
    assert table.tops[filled - 1] == "shell-grey"
    assert table.refusal(f"discard {filled}") == "not-legal"


def test_rule_5_the_last_card_of_the_deck_is_kept_without_a_question():
    """E22."""
    table = given(deck="fish-green", phase="take")
    assert table.refusal("draw fish-green shell-grey") == "bad-command"
    assert table.do("draw fish-green") == "drew Ann 1"
    assert (table.phase, table.hand("Ann")) == ("play", {"fish-green"})
    assert table.counts == (0, 1, 1)


@pytest.mark.parametrize("deck", ["fish-green fish-yellow", "fish-green fish-yellow shell-grey"])
def test_rule_5_of_two_cards_or_more_two_are_drawn(deck):
    table = given(deck=deck, phase="take")
    assert table.refusal("draw fish-green") == "bad-command"
    table.do("draw fish-green fish-yellow; keep fish-green; discard 1")
    assert table.counts == (len(deck.split()) - 2, 2, 1)


def test_rule_6_with_the_deck_empty_one_takes_from_a_pile():
    table = given(deck="", phase="take")
    assert table.legal == {"take 1", "take 2"}
    assert table.refusal("draw fish-green fish-yellow") == "not-legal"
    assert table.refusal("skip") == "not-legal"


def test_rule_6_with_no_card_anywhere_taking_is_skipped():
    """E23: then the turn goes on with duos."""
    table = given(hands={"Ann": CRABS}, deck="", piles=EMPTY, phase="take")
    assert table.legal == {"skip"}
    assert table.refusal("pass") == "not-legal"
    assert table.do("skip") == ""
    assert (table.turn, table.phase, table.legal) == ("Ann", "play", {"pass", f"duo {CRABS}"})


# --- rule 7: duos ---------------------------------------------------------------------


def test_rule_7_every_pair_of_the_hand_can_be_played():
    hand = f"{CRABS} crab-grey {BOATS} {THIEVES} shark-black fish-green shell-grey"
    table = given(hands={"Ann": hand}, piles=("penguin-pink", "boat-yellow-2"))
    assert table.legal == {
        "pass",
        "duo crab-black crab-green",
        "duo crab-black crab-grey",
        "duo crab-green crab-grey",
        f"duo {BOATS}",
        "duo swimmer-black shark-green",
        "duo swimmer-black shark-black",
    }


def test_rule_7_the_two_cards_may_be_named_in_any_order():
    table = given(hands={"Ann": THIEVES, "Bo": "shell-grey"})
    played = table.do("duo shark-green swimmer-black")
    assert played == "duo-played Ann shark-green swimmer-black"


@pytest.mark.parametrize(
    "cards",
    [
        "crab-black fish-green",
        "swimmer-black swimmer-yellow",
        "shark-black shark-green",
        "mermaid-white-1 mermaid-white-2",
        "shell-grey shell-green",
        "penguin-pink colony-green",
    ],
)
def test_rule_7_other_cards_make_no_duo(cards):
    table = given(hands={"Ann": cards})
    assert (table.legal, table.refusal(f"duo {cards}")) == (ENDS, "not-legal")


def test_rule_7_a_duo_comes_from_the_own_hand():
    """E6: not from a table, nor half of it."""
    table = given(hands={"Ann": "crab-black", "Bo": "crab-green"}, tables={"Ann": "crab-yellow-1"})
    for other in ("crab-green", "crab-yellow-1", "crab-grey", "crab-yellow-2"):
        assert table.refusal(f"duo crab-black {other}") == "card-not-available"
    assert table.refusal("duo crab-black crab-black") == "card-not-available"
    assert table.refusal("duo crab-black kraken") == "unknown-card"


@pytest.mark.parametrize("cards", ["crab-black", "crab-black crab-green crab-yellow-1"])
def test_rule_7_a_duo_is_two_cards(cards):
    table = given(hands={"Ann": "crab-black crab-green crab-yellow-1"})
    assert table.refusal(f"duo {cards}") == "bad-command"


def test_rule_7_several_duos_in_a_turn_also_of_cards_just_gained():
    """E7: the fish bring a crab, the crabs a shark, and the shark goes on."""
    table = given(
        hands={"Ann": f"{FISH} crab-black swimmer-black", "Bo": "shell-grey"},
        piles=("shark-green crab-grey", "boat-yellow-2"),
    )
    table.do(f"duo {FISH}; draw-one crab-green; duo {CRABS}; look 1; pick shark-green")
    table.do(f"duo {THIEVES}; steal Bo shell-grey")
    assert (table.phase, table.hand("Ann")) == ("play", {"shell-grey"})
    assert table.laid("Ann") == set(f"{FISH} {CRABS} {THIEVES}".split())


def test_rule_7_what_a_duo_says_cannot_be_declined():
    table = given(hands={"Ann": f"{CRABS} {BOATS} {FISH} {THIEVES} {SEVEN}", "Bo": "penguin-pink"})
    start = table.match
    for duo in (CRABS, BOATS, FISH, THIEVES):
        table.match = start
        table.do(f"duo {duo}")
        for text in ("pass", "stop", "last-chance"):
            assert table.refusal(text) == "not-legal"


# --- rules 8 to 11: what duos do ------------------------------------------------------


def test_rule_8_crabs_look_through_a_pile_and_take_one_card_of_it():
    """E15: the pile is chosen before it is seen, and the others keep their order."""
    table = given(
        hands={"Ann": CRABS},
        piles=("shell-grey octopus-grey penguin-pink crab-grey", "boat-yellow-2"),
    )
    assert table.do(f"duo {CRABS}") == f"duo-played Ann {CRABS}"
    assert (table.phase, table.legal) == ("look", {"look 1", "look 2"})
    assert "looking_at" not in table.own("Ann")
    assert table.do("look 1") == ""
    assert table.own("Ann")["looking_at"] == [
        *("shell-grey", "octopus-grey", "penguin-pink", "crab-grey")
    ]
    assert table.legal == {
        *("pick shell-grey", "pick octopus-grey", "pick penguin-pink", "pick crab-grey")
    }
    assert table.refusal("pick boat-yellow-2") == "card-not-available"
    assert table.do("pick octopus-grey") == "picked Ann 1"
    assert (table.phase, table.hand("Ann")) == ("play", {"octopus-grey"})
    assert (table.tops, table.counts[1:]) == (("crab-grey", "boat-yellow-2"), (3, 1))
    for card in ("crab-grey", "penguin-pink", "shell-grey"):  # from the top to the bottom
        table.do("pass")
        assert table.do("take 1") == f"took {table.turn} {card} 1"


def test_rule_8_with_one_pile_there_is_no_choice():
    """E14: and the card must be taken."""
    table = given(hands={"Ann": CRABS}, piles=("", "shell-grey boat-yellow-2"))
    table.do(f"duo {CRABS}")
    assert (table.phase, table.legal) == ("pick", {"pick shell-grey", "pick boat-yellow-2"})
    assert [table.refusal(text) for text in ("look 1", "look 2", "pass")] == ["not-legal"] * 3
    assert table.do("pick shell-grey") == "picked Ann 2"


def test_rule_8_with_both_piles_empty_crabs_do_nothing():
    """E13."""
    table = given(hands={"Ann": CRABS}, piles=EMPTY)
    assert table.do(f"duo {CRABS}") == f"duo-played Ann {CRABS}; fizzled"
    assert (table.phase, table.own("Ann")["points"]) == ("play", 1)


def test_rule_9_boats_bring_another_turn_that_begins_at_once():
    """E9: nothing lies between the boats and taking a card; duos that were kept stay."""
    table = given(hands={"Ann": f"{BOATS} {FISH} {SEVEN}"})
    assert table.do(f"duo {BOATS}") == f"duo-played Ann {BOATS}; another-turn"
    assert (table.turn, table.phase) == ("Ann", "take")
    for text in (f"duo {FISH}", "pass", "stop", "last-chance"):
        assert table.refusal(text) == "not-legal"
    table.do("take 1")
    assert f"duo {FISH}" in table.legal
    assert table.do("pass") == "turn-ended Ann"
    assert table.turn == "Bo"


def test_rule_9_boats_in_a_turn_by_boats_bring_one_more():
    table = given(hands={"Ann": f"{BOATS} boat-yellow-1 boat-dark-blue-1"})
    table.do(f"duo {BOATS}; take 1")
    assert "another-turn" in table.do("duo boat-yellow-1 boat-dark-blue-1")
    assert (table.turn, table.phase) == ("Ann", "take")


def test_rule_9_with_no_card_to_take_boats_do_nothing():
    """E10."""
    table = given(hands={"Ann": f"{BOATS} {CRABS}"}, deck="", piles=EMPTY)
    assert table.do(f"duo {BOATS}") == f"duo-played Ann {BOATS}; fizzled"
    assert (table.turn, table.phase) == ("Ann", "play")
    assert f"duo {CRABS}" in table.legal


def test_rule_9_the_deck_is_not_looked_at_between_a_turn_and_its_boats():
    """E11: then the card must come from a pile."""
    table = given(hands={"Ann": BOATS}, deck="")
    assert table.do(f"duo {BOATS}") == f"duo-played Ann {BOATS}; another-turn"
    assert (table.phase, table.legal) == ("take", {"take 1", "take 2"})
    table.do("take 1")
    assert "round-ended deck-empty" in table.do("pass")


def test_rule_10_fish_bring_the_top_card_of_the_deck():
    table = given(hands={"Ann": FISH, "Bo": "shell-green"})
    deck = table.state["deck"]
    assert table.do(f"duo {FISH}") == f"duo-played Ann {FISH}"
    assert (table.phase, table.legal) == ("fish", {"draw-one"})
    assert table.refusal("draw-one shell-green") == "card-not-available"
    assert table.do("draw-one shell-grey") == "drew Ann 1"
    assert (table.phase, table.hand("Ann"), table.state["deck"]) == (
        *("play", {"shell-grey"}),
        deck - 1,
    )


def test_rule_10_with_the_deck_empty_fish_do_nothing():
    """E12."""
    table = given(hands={"Ann": FISH}, deck="")
    assert table.do(f"duo {FISH}") == f"duo-played Ann {FISH}; fizzled"
    assert (table.phase, table.own("Ann")["points"]) == ("play", 1)


def test_rule_11_swimmer_and_shark_draw_from_a_hand_without_looking():
    table = given("Ann Bo Cy", hands={"Ann": THIEVES, "Bo": SEVEN, "Cy": "penguin-pink"})
    assert table.do(f"duo {THIEVES}") == f"duo-played Ann {THIEVES}"
    assert (table.phase, table.legal) == ("steal", {"steal Bo", "steal Cy"})
    assert table.refusal("steal Bo penguin-pink") == "card-not-available"
    assert table.do("steal Bo shell-grey") == "stole Ann Bo"
    assert (table.phase, table.hand("Ann")) == ("play", {"shell-grey"})
    assert table.hand("Bo") == set(SEVEN.split()) - {"shell-grey"}


def test_rule_11_a_hand_without_cards_is_no_hand_to_draw_from():
    """E17 and E18: and a table cannot be robbed."""
    table = given(
        "Ann Bo Cy",
        hands={"Ann": THIEVES, "Cy": "penguin-pink"},
        tables={"Bo": BOATS},
    )
    table.do(f"duo {THIEVES}")
    assert table.legal == {"steal Cy"}
    for text in ("steal Bo boat-black-1", "steal Ann shell-grey", "steal Zed shell-grey"):
        assert table.refusal(text) == "unknown-player"
    assert table.refusal("steal Cy boat-black-1") == "card-not-available"


def test_rule_11_with_nobody_to_choose_nothing_happens():
    """E16."""
    table = given(hands={"Ann": THIEVES}, tables={"Bo": BOATS})
    assert table.do(f"duo {THIEVES}") == f"duo-played Ann {THIEVES}; fizzled"
    assert (table.phase, table.own("Ann")["points"]) == ("play", 1)


# --- rule 12: the end of a turn -------------------------------------------------------


def test_rule_12_passing_hands_the_turn_to_the_left():
    table = dealt("Ann Bo Cy", starter="Bo")
    for name in ("Bo", "Cy", "Ann", "Bo"):
        assert (table.turn, table.phase) == (name, "take")
        card, other = table.unseen(2)
        table.do(f"draw {card} {other}; keep {card}; discard 1")
        assert table.do("pass") == f"turn-ended {name}"


@pytest.mark.parametrize(
    ("hand", "table", "may"),
    [
        (SEVEN, "", True),
        ("shell-green shell-grey shell-black octopus-grey", "crab-black crab-green", False),
        ("octopus-grey octopus-green octopus-purple", "crab-black crab-green", True),
        ("octopus-grey octopus-green octopus-purple shell-black", "", False),
        (f"{CRABS} {BOATS} {FISH} {THIEVES} octopus-grey octopus-purple", "", True),
    ],
)
def test_rule_12_with_seven_points_the_round_can_be_ended(hand, table, may):
    """E5: hand and table count, and the colour bonus does not."""
    game = given(hands={"Ann": hand}, tables={"Ann": table})
    assert (game.own("Ann")["points"] >= 7) == may
    assert ({"stop", "last-chance"} <= game.legal) == may
    for text in ("stop", "last-chance"):
        assert game.refusal(text) == (None if may else "not-legal")


def test_rule_12_the_colour_bonus_does_not_count_for_the_seven():
    hand = "mermaid-white-1 crab-black fish-black-1 fish-black-2 boat-black-1 octopus-grey"
    table = given(hands={"Ann": hand})
    own = table.own("Ann")
    assert (own["points"], own["colour_bonus"]) == (5, 4)
    assert table.legal == {"pass", "duo fish-black-1 fish-black-2"}


def test_rule_12_a_call_is_possible_as_soon_as_there_are_seven():
    """E41."""
    hand = "octopus-grey octopus-green octopus-purple"
    table = given(hands={"Ann": hand}, piles=("crab-grey", "penguin-pink"), phase="take")
    assert table.own("Ann")["points"] == 6
    table.do("take 2")
    assert table.legal == {"pass", "stop", "last-chance"}


def test_it_is_for_two_to_four_players():
    assert GAME.seats == range(2, 5)
