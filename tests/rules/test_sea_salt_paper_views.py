"""Who sees which card of Sea Salt & Paper: rules 26 to 28 and 37, and taking back."""

from __future__ import annotations

from dataclasses import fields
from random import Random

import pytest
from sea_salt_paper_game import SEVEN, Table, dealt, given, names_in

from companion.codec import outcome_to_json, reply
from companion.match import Match, Setup
from companion.rules.sea_salt_paper.cards import CARDS, names_of
from companion.rules.sea_salt_paper.words import Draw, DrawOne, Duo, Keep, Pick, Steal

CRABS = "crab-black crab-green"
BOATS = "boat-black-1 boat-black-2"
FISH = "fish-black-1 fish-green"
THIEVES = "swimmer-black shark-green"
PLAIN = {card.name for card in CARDS[:58]}


def hidden_from(table, viewer, card):
    return card not in names_in(table.own(viewer))


# --- rule 26 --------------------------------------------------------------------------


def test_rule_26_the_cards_drawn_are_seen_by_the_drawer_alone():
    """E35: the one that is laid down is seen by all."""
    table = dealt()
    table.do("draw mermaid-white-1 shell-grey")
    assert table.own("Ann")["drawn"] == ["mermaid-white-1", "shell-grey"]
    table.do("keep mermaid-white-1")
    assert table.own("Ann")["drawn"] == ["shell-grey"]
    for viewer in ("Bo", None):
        assert "drawn" not in table.own(viewer)
        assert hidden_from(table, viewer, "mermaid-white-1")
        assert hidden_from(table, viewer, "shell-grey")
    table.do("discard 1")
    assert hidden_from(table, None, "mermaid-white-1")
    assert not hidden_from(table, None, "shell-grey")
    assert table.state["hand_counts"] == {"Ann": 1, "Bo": 0}


def test_rule_26_a_card_taken_from_a_pile_was_seen_by_all_and_is_hidden_from_then_on():
    table = dealt()
    assert table.do("take 1") == "took Ann crab-grey 1"
    assert hidden_from(table, None, "crab-grey")
    assert table.hand("Ann") == {"crab-grey"}


@pytest.mark.parametrize(
    ("hand", "actions", "outcome"),
    [
        (CRABS, f"duo {CRABS}; look 1; pick shell-grey", "picked Ann 1"),
        (FISH, f"duo {FISH}; draw-one shell-grey", "drew Ann 1"),
        (THIEVES, f"duo {THIEVES}; steal Bo shell-grey", "stole Ann Bo"),
    ],
    ids=["crabs", "fish", "swimmer and shark"],
)
def test_rule_26_what_a_duo_brings_is_not_told(hand, actions, outcome):
    """E35."""
    places = {"Ann": hand, "Bo": "octopus-grey penguin-pink"}
    piles = ("crab-grey", "boat-yellow-2")
    if "pick" in actions:
        piles = ("shell-grey crab-grey", "boat-yellow-2")
    if "steal" in actions:
        places["Bo"] += " shell-grey"
    table = given("Ann Bo Cy", hands=places, piles=piles)
    told = table.do(actions)
    assert outcome in told
    assert "shell-grey" not in told
    assert table.hand("Ann") == {"shell-grey"}
    for viewer in ("Bo", "Cy", None):
        assert hidden_from(table, viewer, "shell-grey")


def test_rule_26_what_is_being_looked_at_is_seen_by_the_one_who_looks():
    table = given(hands={"Ann": CRABS}, piles=("shell-grey crab-grey", "boat-yellow-2"))
    table.do(f"duo {CRABS}; look 1")
    for viewer in ("Bo", None):
        assert "looking_at" not in table.own(viewer)
        assert hidden_from(table, viewer, "shell-grey")


def test_rule_26_points_are_seen_by_their_owner_alone():
    table = given(hands={"Ann": SEVEN})
    assert table.own("Ann")["points"] == 7
    assert table.own("Bo")["points"] == 0
    assert table.own(None).keys().isdisjoint({"hand", "points", "colour_bonus", "parts"})


# --- rules 27 and 28 ------------------------------------------------------------------


def test_rule_27_of_a_pile_the_top_and_the_number_are_seen():
    """E36."""
    table = given(piles=("shell-grey octopus-grey crab-grey", ""))
    for viewer in ("Ann", "Bo", None):
        assert table.own(viewer)["piles"] == [
            {"top": "crab-grey", "count": 3},
            {"top": None, "count": 0},
        ]
        assert hidden_from(table, viewer, "octopus-grey")


def test_rule_28_a_hand_has_no_limit():
    """E40."""
    *most, last, other = sorted(PLAIN - {"crab-grey", "boat-yellow-2"})
    table = given(hands={"Ann": " ".join(most)}, deck=f"{last} {other}", phase="take")
    table.do(f"draw {last} {other}; keep {last}; discard 1")
    assert table.state["hand_counts"]["Ann"] == 55


# --- rule 37: odds --------------------------------------------------------------------


def kinds(cards):
    found = [card.kind for card in CARDS[:58] if card.name in cards]
    return {kind: found.count(kind) / len(found) for kind in set(found)}


def test_rule_37_every_card_that_the_player_in_turn_does_not_see_is_equally_likely():
    """A hidden card of the others counts like one of the deck, and so does one in a pile."""
    table = given(
        "Ann Bo Cy",
        hands={"Ann": "crab-black", "Bo": "penguin-pink"},
        tables={"Cy": BOATS},
        piles=("shell-grey crab-grey", "boat-yellow-2"),
        phase="take",
    )
    seen = {"crab-black", *BOATS.split(), "crab-grey", "boat-yellow-2"}
    unseen = PLAIN - seen
    assert table.odds == {"next": pytest.approx(kinds(unseen))}
    assert sum(table.odds["next"].values()) == pytest.approx(1)


def test_rule_37_a_hand_that_lies_open_is_seen():
    table = given(hands={"Ann": "lighthouse-purple shoal-grey " + SEVEN})
    table.do("last-chance")
    assert {"lighthouse", "shoal"}.isdisjoint(table.odds["next"])


def test_rule_37_there_are_odds_where_a_card_is_drawn_from_the_deck():
    table = given(hands={"Ann": "fish-green fish-yellow"}, phase="take")
    assert table.odds is not None
    table.do("take 1")
    assert table.odds is None
    table.do("duo fish-green fish-yellow")
    assert table.odds is not None
    assert given(deck="", phase="take").odds is None
    assert Table().odds is None
    assert Table(tracking="score").odds is None


# --- whole games that the engine deals ------------------------------------------------


def dealt_game(seed, steps, **options):
    """A match after each of so many actions, each of them chosen by lot."""
    players = ("Ann", "Bo", "Cy", "Dee")[: 2 + seed % 3]
    match = Match.start(Setup("sea-salt-paper", players, None, options, seed))
    lot = Random(seed)
    for _ in range(steps):
        possible = match.game.legal(match.state)
        if not possible:
            return
        match = match.do(lot.choice(possible))
        yield match


def hidden(state, viewer):
    """The cards that this player, or a spectator, must not see now."""
    cards = state.deck
    for pile in state.piles:
        cards |= sum(pile[:-1])
    for player, hand, shown in zip(state.terms.players, state.hands, state.revealed, strict=True):
        if player != viewer and not shown:
            cards |= hand
    in_turn = state.terms.players[state.seat]
    if viewer != in_turn:
        cards |= sum(state.drawn)
    elif state.phase == "pick":
        cards &= ~(state.looked if state.looking == 0 else sum(state.piles[state.looking - 1]))
    return set(names_of(cards))


SEEDS = range(12)


@pytest.mark.parametrize("salt", [False, True])
def test_rule_26_no_view_of_a_whole_game_has_a_hidden_card(salt):
    for seed in SEEDS:
        for match in dealt_game(seed, 150, salt=salt):
            for viewer in (*match.setup.players, None):
                answer = reply(match, viewer=viewer, only_viewer=True)
                assert not names_in(answer) & hidden(match.state, viewer)


@pytest.mark.parametrize("salt", [False, True])
def test_rule_26_no_outcome_of_a_whole_game_has_a_hidden_card(salt):
    """Save for a card that was open, and went into a hand."""
    for seed in SEEDS:
        for match in dealt_game(seed, 150, salt=salt):
            told = [outcome_to_json(outcome) for outcome in match.outcomes]
            told = [outcome for outcome in told if outcome["what"] != "took"]
            assert not names_in(told) & hidden(match.state, None)


def test_rule_26_an_action_that_names_a_hidden_card_is_a_secret():
    secret = set()
    for seed in SEEDS:
        for match in dealt_game(seed, 150, salt=True):
            action = match.action
            named = names_in([getattr(action, entry.name) for entry in fields(action)])
            if named & hidden(match.state, None):
                assert match.game.secret(action)
                secret.add(type(action))
    assert secret == {Draw, Keep, Pick, DrawOne, Steal, Duo}


@pytest.mark.parametrize("salt", [False, True])
def test_rule_1_every_card_is_in_one_place(salt):
    for seed in SEEDS:
        for match in dealt_game(seed, 150, salt=salt):
            state = match.state
            places = [state.deck, *state.hands, *state.tables, *state.drawn]
            places += [card for pile in state.piles for card in pile]
            assert sum(places) == state.terms.cards  # no two have a card in common
            assert sum(place.bit_count() for place in places) == state.terms.cards.bit_count()


# --- taking back ----------------------------------------------------------------------


def views(match):
    return [match.game.view(match.state, viewer) for viewer in (*match.setup.players, None)]


def test_taking_back_a_draw_takes_back_what_was_seen():
    """At a real table other cards can come then."""
    table = dealt()
    before = views(table.match)
    table.do("draw mermaid-white-1 shell-grey; keep mermaid-white-1")
    table.match = table.match.undo(2)
    assert views(table.match) == before
    assert "drawn" not in table.own("Ann")
    table.do("draw fish-green shell-grey; keep shell-grey; discard 1")
    assert table.hand("Ann") == {"shell-grey"}
    assert table.refusal("draw fish-green shell-grey") == "not-legal"


@pytest.mark.parametrize(
    ("hand", "actions"),
    [
        (CRABS, f"duo {CRABS}; look 1; pick shell-grey"),
        (FISH, f"duo {FISH}; draw-one shell-green"),
        (THIEVES, f"duo {THIEVES}; steal Bo penguin-pink"),
        (SEVEN, "stop"),
        (SEVEN, "last-chance; take 1; pass"),
    ],
    ids=["crabs", "fish", "swimmer and shark", "stop", "last chance"],
)
def test_taking_back_hides_again_what_was_gained_or_laid_open(hand, actions):
    piles = ("boat-yellow-1 crab-grey", "boat-yellow-2")
    if hand == CRABS:
        piles = ("shell-grey crab-grey", "boat-yellow-2")
    table = given(hands={"Ann": hand, "Bo": "penguin-pink"}, piles=piles)
    before = views(table.match)
    table.do(actions)
    assert views(table.match) != before
    table.match = table.match.undo(table.match.step)
    assert views(table.match) == before


def test_where_the_engine_deals_the_same_action_brings_the_same_card_again():
    for seed in SEEDS:
        for match in dealt_game(seed, 60, salt=True):
            again = match.undo(1).do(match.action)
            assert (again.state, again.outcomes) == (match.state, match.outcomes)


def test_where_the_engine_deals_another_card_than_the_next_is_refused():
    table = Table(seed=3)
    table.do("deal")
    top = table.match.do(table.rules.legal(table.match.state)[0]).state.drawn
    first, second = (name for card in top for name in names_of(card))
    other = next(name for name in table.unseen(58) if name not in (first, second))
    assert table.refusal(f"draw {first} {other}") == "card-not-available"
    assert table.refusal(f"draw {second} {first}") is None
    assert table.refusal("draw") is None
