"""Extra Salt in play: rules 30 to 36. What its cards are worth has tests of its own."""

from __future__ import annotations

import pytest
from sea_salt_paper_game import MERMAIDS, SEVEN, Table, given

LOBSTER = "lobster-black crab-green"
JELLYFISH = "jellyfish-pink swimmer-black"
FISH = "fish-black-1 fish-green"
TOP = "shell-green shell-grey penguin-pink sailor-pink sailor-orange"
THREE_PLAY = "Ann Bo Cy"


def salted(players="Ann Bo", **places):
    return given(players, salt=True, **places)


# --- rule 30 --------------------------------------------------------------------------


def test_rule_30_eight_cards_are_added():
    assert (Table().state["deck"], Table(salt=True).state["deck"]) == (58, 66)


@pytest.mark.parametrize(
    "text", ["deal lobster-black crab-grey", "deal seahorse-white starfish-yellow"]
)
def test_rule_30_without_it_there_are_no_such_cards(text):
    assert Table().refusal(text) == "unknown-card"
    assert Table(salt=True).refusal(text) is None


def test_rule_30_without_it_they_are_entered_for_nobody():
    for salt, code in ((False, "unknown-card"), (True, None)):
        table = Table(tracking="score", salt=salt)
        table.do("call Ann stop")
        assert table.refusal("hand Bo seahorse-white") == code


def test_rule_30_lobster_and_crab_jellyfish_and_swimmer_are_duos():
    table = salted(hands={"Ann": f"{LOBSTER} {JELLYFISH} shark-green seahorse-white"})
    assert table.legal == {
        "pass",
        "duo crab-green lobster-black",
        "duo swimmer-black jellyfish-pink",
        "duo swimmer-black shark-green",
    }


@pytest.mark.parametrize(
    "cards",
    [
        "lobster-black jellyfish-pink",
        "jellyfish-pink jellyfish-purple",
        "jellyfish-pink shark-green",
        "lobster-black fish-green",
        "starfish-yellow starfish-dark-blue",
    ],
)
def test_rule_30_other_cards_make_no_duo(cards):
    assert salted(hands={"Ann": cards}).refusal(f"duo {cards}") == "not-legal"


# --- rule 31: lobster -----------------------------------------------------------------


def test_rule_31_the_lobster_looks_at_the_top_five_and_keeps_one():
    table = salted(hands={"Ann": LOBSTER})
    deck = table.state["deck"]
    assert table.do(f"duo {LOBSTER} / {TOP}") == f"duo-played Ann {LOBSTER}"
    assert (table.phase, table.legal) == ("pick", {f"pick {card}" for card in TOP.split()})
    assert set(table.own("Ann")["looking_at"]) == set(TOP.split())
    assert table.refusal("pick shell-black") == "card-not-available"
    assert table.do("pick sailor-pink") == "picked Ann"
    assert (table.phase, table.hand("Ann")) == ("play", {"sailor-pink"})
    assert table.state["deck"] == deck - 1


def test_rule_31_at_a_table_that_does_not_tell_them_the_card_kept_is_named():
    table = salted(hands={"Ann": LOBSTER, "Bo": "shell-black"})
    table.do(f"duo {LOBSTER}")
    assert (table.phase, table.legal) == ("pick", {"pick"})
    assert "looking_at" not in table.own("Ann")
    assert table.refusal("pick shell-black") == "card-not-available"
    assert table.do("pick sailor-pink") == "picked Ann"


def test_rule_31_nobody_else_sees_the_five():
    table = salted(hands={"Ann": LOBSTER})
    table.do(f"duo {LOBSTER} / {TOP}")
    for viewer in ("Bo", None):
        assert not any(card in str(table.own(viewer)) for card in TOP.split())
    assert "sailor-pink" not in table.do("pick sailor-pink")


@pytest.mark.parametrize("deck", ["shell-green shell-grey", "shell-green"])
def test_rule_31_with_fewer_cards_fewer_are_looked_at(deck):
    table = salted(hands={"Ann": LOBSTER}, deck=deck)
    assert table.refusal(f"duo {LOBSTER} / {TOP}") == "card-not-available"
    table.do(f"duo {LOBSTER} / {deck}")
    assert table.legal == {f"pick {card}" for card in deck.split()}
    table.do("pick shell-green")
    assert table.state["deck"] == len(deck.split()) - 1


def test_rule_31_with_the_deck_empty_nothing_happens():
    table = salted(hands={"Ann": LOBSTER}, deck="")
    assert table.do(f"duo {LOBSTER}") == f"duo-played Ann {LOBSTER}; fizzled"
    assert table.phase == "play"


@pytest.mark.parametrize(
    ("duo", "code"),
    [
        (f"{LOBSTER} / shell-green", "bad-command"),
        (f"{LOBSTER} / shell-green {TOP}", "card-not-available"),
        (f"{LOBSTER} / kraken", "unknown-card"),
        (f"{LOBSTER} / {TOP.replace('sailor-pink', 'fish-green')}", "card-not-available"),
        (f"{FISH} / {TOP}", "bad-command"),
    ],
    ids=["one of five", "twice", "no card", "from a hand", "fish"],
)
def test_rule_31_what_is_looked_at_must_be_what_can_lie_there(duo, code):
    table = salted(hands={"Ann": f"{LOBSTER} {FISH}"})
    assert table.refusal(f"duo {duo}") == code


def test_rule_31_the_others_are_shuffled_into_the_deck():
    """Where the engine deals, they are not the next cards to come, and they do come."""
    table = salted(hands={"Ann": LOBSTER}, seed=7)
    table.do(f"duo {LOBSTER}")
    kept, *others = table.own("Ann")["looking_at"]
    table.do(f"pick {kept}; pass; draw")
    assert len(others) == 4
    assert set(others).isdisjoint(table.own("Bo")["drawn"])
    assert set(others) <= set(table.unseen(66))


# --- rule 32: jellyfish ---------------------------------------------------------------


def test_rule_32_the_others_only_draw_a_card_until_the_next_own_turn():
    table = salted(THREE_PLAY, hands={"Ann": JELLYFISH, "Bo": f"{SEVEN} {FISH}"})
    played = table.do(f"duo {JELLYFISH}")
    assert played == f"duo-played Ann {JELLYFISH}; stung Bo; stung Cy"
    assert table.phase == "play"
    table.do("pass")
    assert (table.turn, table.phase, table.legal) == ("Bo", "stung", {"draw-one"})
    for text in ("take 1", "draw shell-yellow penguin-pink", f"duo {FISH}", "stop", "pass"):
        assert table.refusal(text) == "not-legal"
    assert table.do("draw-one shell-yellow") == "drew Bo 1; turn-ended Bo"
    assert (table.turn, table.phase) == ("Cy", "stung")
    assert table.do("draw-one penguin-pink") == "drew Cy 1; turn-ended Cy"
    assert (table.turn, table.phase) == ("Ann", "take")
    table.do("take 1; pass")
    assert (table.turn, table.phase) == ("Bo", "take")


def test_rule_32_a_fourth_mermaid_is_shown_only_later():
    *three, last = MERMAIDS.split()
    table = salted(hands={"Ann": JELLYFISH, "Bo": " ".join(three)})
    table.do(f"duo {JELLYFISH}; pass")
    assert table.do(f"draw-one {last}") == "drew Bo 1; turn-ended Bo"
    table.do("take 1; pass; take 2")
    assert table.do("mermaids") == "round-ended mermaids; game-won Bo"


def test_rule_32_the_last_card_of_the_deck_ends_the_round_also_in_such_a_turn():
    table = salted(THREE_PLAY, hands={"Ann": JELLYFISH}, deck="shell-grey")
    table.do(f"duo {JELLYFISH}; pass")
    assert table.do("draw-one shell-grey") == "drew Bo 1; round-ended deck-empty"
    assert table.turn == "Cy"
    table.do("deal crab-grey boat-yellow-2")
    assert (table.turn, table.phase) == ("Cy", "take")


def test_rule_32_with_the_deck_empty_such_a_turn_is_passed():
    table = salted(hands={"Ann": f"{JELLYFISH} {SEVEN}"}, deck="")
    table.do(f"duo {JELLYFISH}; last-chance")
    assert (table.turn, table.phase, table.legal) == ("Bo", "stung", {"pass"})
    assert table.refusal("draw-one shell-yellow") == "not-legal"
    assert table.do("pass") == "round-ended last-chance"


def test_rule_32_after_last_chance_it_meets_those_who_are_still_to_come():
    table = salted("Ann Bo Cy Dee", hands={"Ann": SEVEN, "Bo": JELLYFISH})
    table.do("last-chance; take 1")
    assert table.do(f"duo {JELLYFISH}") == f"duo-played Bo {JELLYFISH}; stung Cy; stung Dee"
    table.do("pass; draw-one shell-yellow")
    assert table.do("draw-one penguin-pink") == "drew Dee 1; round-ended last-chance"


def test_rule_32_after_last_chance_with_nobody_to_come_nothing_happens():
    table = salted(hands={"Ann": SEVEN, "Bo": JELLYFISH})
    table.do("last-chance; take 1")
    assert table.do(f"duo {JELLYFISH}") == f"duo-played Bo {JELLYFISH}; fizzled"


def test_rule_32_the_next_round_is_free_of_it():
    table = salted(THREE_PLAY, hands={"Ann": f"{JELLYFISH} {SEVEN}"})
    table.do(f"duo {JELLYFISH}; stop; deal crab-grey boat-yellow-2")
    for name in ("Bo", "Cy"):
        assert (table.turn, table.phase) == (name, "take")
        table.do(f"take {'1' if name == 'Bo' else '2'}; pass")


# --- rules 33 to 36 -------------------------------------------------------------------


def test_rule_33_the_cast_of_crabs_counts_all_own_crabs():
    table = salted(
        hands={"Ann": "cast-of-crabs-green crab-black lobster-black"},
        tables={"Ann": "crab-yellow-1 crab-yellow-2"},
    )
    assert table.own("Ann")["parts"]["multipliers"] == 3


@pytest.mark.parametrize(
    "duo",
    [FISH, "crab-black crab-green", "boat-black-1 boat-black-2", LOBSTER, JELLYFISH],
    ids=["fish", "crabs", "boats", "lobster", "jellyfish"],
)
def test_rule_34_a_starfish_joins_a_duo_and_what_it_says_is_not_done(duo):
    table = salted(hands={"Ann": f"{duo} starfish-yellow"})
    by_number = [card.partition(" ")[2] for card in table.legal if card.count(" ") == 3]
    assert [set(trio.split()) for trio in by_number] == [{*duo.split(), "starfish-yellow"}]
    assert table.do(f"duo {duo} starfish-yellow") == f"duo-played Ann {duo} starfish-yellow"
    assert (table.turn, table.phase) == ("Ann", "play")
    assert table.own("Ann")["points"] == 3
    assert table.do("pass") == "turn-ended Ann"
    assert (table.turn, table.phase) == ("Bo", "take")


def test_rule_34_each_starfish_makes_a_trio_of_its_own():
    table = salted(hands={"Ann": f"{FISH} starfish-yellow starfish-dark-blue shell-grey"})
    assert table.legal == {
        "pass",
        f"duo {FISH}",
        f"duo {FISH} starfish-yellow",
        f"duo {FISH} starfish-dark-blue",
    }
    for third in ("shell-grey", "fish-green"):
        assert table.refusal(f"duo {FISH} {third}") in {"not-legal", "card-not-available"}
    four = f"duo {FISH} starfish-yellow starfish-dark-blue"
    assert table.refusal(four) == "bad-command"


def test_rule_34_none_joins_a_duo_that_was_played_before():
    table = salted(hands={"Ann": "starfish-yellow"}, tables={"Ann": FISH})
    assert table.legal == {"pass"}
    assert table.refusal(f"duo {FISH} starfish-yellow") == "card-not-available"
    assert table.own("Ann")["points"] == 1


def test_rule_34_with_score_tracking_every_duo_can_serve():
    table = Table(tracking="score", salt=True)
    table.do(f"call Ann stop; hand Ann {FISH} starfish-yellow; hand Bo starfish-dark-blue")
    assert table.round_points == (3, 0)


def test_rule_34_a_trio_looks_at_nothing():
    table = salted(hands={"Ann": f"{LOBSTER} starfish-yellow"})
    assert table.refusal(f"duo {LOBSTER} starfish-yellow / {TOP}") == "not-legal"


def test_rule_35_the_seahorse_is_one_more_of_a_kind_that_was_begun():
    table = salted(hands={"Ann": "seahorse-white sailor-pink", "Bo": "penguin-pink"})
    assert table.own("Ann")["parts"]["collectors"] == 5
    assert salted(hands={"Ann": "seahorse-white"}).own("Ann")["points"] == 0


def test_rule_36_seven_points_call_and_four_mermaids_win():
    table = salted(hands={"Ann": f"{SEVEN} {JELLYFISH}"}, totals=(0, 0))
    assert {"stop", "last-chance"} <= table.legal
    assert salted(hands={"Ann": "sailor-pink seahorse-white"}).refusal("stop") == "not-legal"
    table = salted(hands={"Ann": MERMAIDS.rpartition(" ")[0] + " seahorse-white"})
    assert "mermaids" not in table.legal
    table = salted(hands={"Ann": MERMAIDS})
    assert table.do("mermaids") == "round-ended mermaids; game-won Ann"


@pytest.mark.parametrize(("total", "over"), [(32, False), (33, True)])
def test_rule_36_the_totals_that_end_a_game_are_the_same(total, over):
    table = salted(hands={"Ann": SEVEN}, totals=(total, 0))
    table.do("stop")
    assert table.standing.over == over


def test_rule_31_what_a_lobster_saw_in_an_empty_deck_is_refused():
    table = salted(hands={"Ann": LOBSTER}, deck="")
    assert table.refusal(f"duo {LOBSTER} / {TOP}") == "card-not-available"
