"""Score tracking of Sea Salt & Paper: rule 29."""

from __future__ import annotations

import pytest
from sea_salt_paper_game import MERMAIDS, SEVEN, Table, dealt

NINE = (
    "shell-dark-blue shell-light-blue penguin-pink sailor-pink octopus-yellow octopus-purple "
    "swimmer-light-blue shark-light-blue fish-black-1 fish-yellow crab-grey crab-black"
)


def scored(players="Ann Bo", **options):
    return Table(players, tracking="score", **options)


def test_rule_29_a_call_and_then_all_hands_in_any_order():
    table = scored("Ann Bo Cy", starter="Bo")
    assert (table.turn, table.phase, table.legal) == ("Bo", "call", {"call"})
    assert table.state == {
        "round": 1,
        "totals": dict.fromkeys(("Ann", "Bo", "Cy"), 0),
        "called": None,
    }
    assert table.do("call Cy stop") == "called Cy stop"
    assert (table.turn, table.phase) == ("Bo", "hand")
    assert table.legal == {"hand Ann", "hand Bo", "hand Cy"}
    assert table.do(f"hand Cy {SEVEN}") == ""
    assert table.legal == {"hand Ann", "hand Bo"}
    assert table.do("hand Ann penguin-pink") == ""
    assert table.do("hand Bo") == "round-ended stop"
    assert table.round_points == (1, 0, 7)
    assert (table.turn, table.phase, table.state["round"]) == ("Ann", "call", 2)
    assert table.totals == (1, 0, 7)


@pytest.mark.parametrize(
    ("bo", "won", "points"),
    [("penguin-pink", True, (9, 1)), (NINE, False, (2, 9))],
    ids=["won", "lost"],
)
def test_rule_29_last_chance_is_worked_out(bo, won, points):
    table = scored()
    assert table.do("call Ann last-chance") == "called Ann last-chance"
    assert table.state["called"] == "Ann"
    table.do(f"hand Ann {SEVEN}; hand Bo {bo}")
    assert (table.round_ended["bet_won"], table.round_points) == (won, points)
    assert table.state["called"] is None


def test_rule_29_a_card_is_entered_once():
    table = scored("Ann Bo Cy")
    table.do(f"call Ann stop; hand Ann {SEVEN}")
    assert table.refusal("hand Bo shell-green") == "card-not-available"
    assert table.refusal("hand Bo crab-grey crab-grey") == "card-not-available"
    assert table.refusal("hand Ann shell-green") == "card-not-available"
    assert table.refusal("hand Ann crab-grey") == "not-legal"
    assert table.refusal("hand Bo kraken") == "unknown-card"
    assert table.refusal("hand Zed crab-grey") == "unknown-player"


def test_rule_29_who_called_is_believed_with_few_points():
    table = scored()
    table.do("call Bo stop; hand Ann; hand Bo crab-grey")
    assert table.round_points == (0, 0)


def test_rule_29_an_empty_deck_asks_for_no_cards():
    table = scored("Ann Bo Cy")
    assert table.do("call Bo deck-empty") == "round-ended deck-empty"
    assert table.round_ended == {
        "what": "round-ended",
        "reason": "deck-empty",
        "bet_won": None,
        "round_points": {"Ann": 0, "Bo": 0, "Cy": 0},
    }
    assert (table.turn, table.phase, table.state["round"]) == ("Cy", "call", 2)


def test_rule_29_four_mermaids_win_with_no_cards_told():
    table = scored()
    assert table.do("call Bo mermaids") == "round-ended mermaids; game-won Bo"
    assert (table.turn, table.phase, table.winners) == (None, "over", ("Bo",))
    assert table.totals == (0, 0)


def test_rule_29_the_game_ends_as_ever():
    table = scored()
    best = f"{MERMAIDS} {SEVEN} colony-green crab-green"
    while not table.standing.over:
        table.do(f"call Bo last-chance; hand Ann; hand Bo {best}")
    assert (table.phase, table.winners) == ("over", ("Bo",))
    assert table.totals[1] >= 40
    assert table.refusal("call Bo stop") == "game-over"


def test_rule_29_each_way_of_tracking_has_its_own_verbs():
    table = scored()
    for text in ("deal crab-grey crab-black", "draw crab-grey crab-black", "pass", "stop"):
        assert table.refusal(text) == "not-legal"
    assert table.refusal("hand Ann crab-grey") == "not-legal"  # before a call
    table.do("call Ann stop")
    assert table.refusal("call Ann stop") == "not-legal"
    table = dealt()
    for text in ("call Ann stop", "hand Ann crab-grey"):
        assert table.refusal(text) == "not-legal"
