"""What Sea Salt & Paper refuses: with which code, in which order, and in which words."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest
from sea_salt_paper_game import SEVEN, Table, dealt, given, names_in

from companion.match import Match, Setup
from companion.rules import game_named
from companion.rules.api import Refusal
from companion.rules.sea_salt_paper.cards import NAMES, names_of
from companion.rules.sea_salt_paper.words import (
    Call,
    Deal,
    Discard,
    Draw,
    DrawOne,
    Duo,
    Hand,
    Keep,
    LastChance,
    Look,
    Mermaids,
    Pass,
    Pick,
    Skip,
    Steal,
    Stop,
    Take,
)

CRABS = "crab-black crab-green"
THIEVES = "swimmer-black shark-green"


def over():
    table = given(hands={"Ann": SEVEN}, totals=(39, 0))
    table.do("stop")
    return table


def in_steal():
    table = given(hands={"Ann": THIEVES, "Bo": "penguin-pink"})
    table.do(f"duo {THIEVES}")
    return table


def in_hand():
    table = Table(tracking="score")
    table.do("call Ann stop; hand Ann shell-grey")
    return table


def in_play(**places):
    return given(hands={"Ann": "crab-black swimmer-black"}, **places)


@pytest.mark.parametrize(
    ("table", "text", "code"),
    [
        # bad-command before game-over and all others
        (over, "duo crab-black", "bad-command"),
        (over, "duo crab-black crab-green crab-grey", "bad-command"),
        (over, "draw kraken crab-black crab-green", "bad-command"),
        (over, "take 3", "bad-command"),
        (over, "look 0", "bad-command"),
        (over, "call Ann leave", "bad-command"),
        (dealt, "deal crab-black", "bad-command"),
        (dealt, "leave Bo", "bad-command"),
        # game-over
        (over, "pass", "game-over"),
        (over, "draw kraken crab-black", "game-over"),
        (over, "steal Zed kraken", "game-over"),
        (over, "call Ann stop", "game-over"),
        # the phase before what is named
        (dealt, "keep kraken", "not-legal"),
        (dealt, "deal kraken kraken", "not-legal"),
        (dealt, "duo kraken kraken", "not-legal"),
        (dealt, "steal Zed kraken", "not-legal"),
        (dealt, "pick kraken", "not-legal"),
        (dealt, "draw-one kraken", "not-legal"),
        (in_play, "draw kraken kraken", "not-legal"),
        (in_hand, "call Zed stop", "not-legal"),
        # cards that there are not
        (dealt, "draw kraken crab-grey", "unknown-card"),
        (dealt, "draw kraken kraken", "unknown-card"),
        (in_play, "duo kraken crab-green", "unknown-card"),
        (in_steal, "steal Zed kraken", "unknown-card"),
        (in_hand, "hand Zed kraken", "unknown-card"),
        (in_hand, "hand Bo kraken shell-grey shell-grey", "unknown-card"),
        # players that cannot be meant
        (in_steal, "steal Zed crab-grey", "unknown-player"),
        (in_steal, "steal Ann crab-grey", "unknown-player"),
        (in_hand, "hand Zed shell-grey shell-grey", "unknown-player"),
        # cards that cannot be there
        (dealt, "draw crab-grey crab-black", "card-not-available"),
        (dealt, "draw crab-black crab-black", "card-not-available"),
        (in_play, "duo crab-black fish-green", "card-not-available"),
        (in_steal, "steal Bo crab-grey", "card-not-available"),
        (in_hand, "hand Ann shell-grey", "card-not-available"),
        (in_hand, "hand Ann crab-grey crab-grey", "card-not-available"),
        # a choice that is none
        (in_play, "duo crab-black swimmer-black", "not-legal"),
        (in_hand, "hand Ann crab-grey", "not-legal"),
    ],
)
def test_of_several_faults_the_first_is_reported(table, text, code):
    played = table()
    before = played.match
    assert played.refusal(text) == code
    assert played.match is before


@pytest.mark.parametrize(
    ("players", "options", "code"),
    [
        ("Ann", {}, "bad-option"),
        ("Ann Bo Cy Dee Eve", {}, "bad-option"),
        ("Ann Ann", {}, "bad-option"),
        ("Ann Bo", {"tracking": "none"}, "bad-option"),
        ("Ann Bo", {"tie": "shared"}, "bad-option"),
        ("Ann Bo", {"salt": 1}, "bad-option"),
        ("Ann Bo", {"pepper": True}, "bad-option"),
        ("Ann Bo", {"starter": "Cy"}, "unknown-player"),
    ],
)
def test_how_no_game_begins(players, options, code):
    with pytest.raises(Refusal) as refused:
        Table(players, **options)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("table", "text", "possible"),
    [
        (dealt, "pass", "must take a card first (rule 3)"),
        (Table, "take 1", "open both piles first (rule 2)"),
        (in_play, "take 1", "may play a duo, pass or, with 7 points, end the round"),
        (in_play, "stop", "takes 7 points: play duos or pass (rule 12)"),
        (in_play, "mermaids", "all four mermaids in the hand to win by them (rule 25)"),
        (in_play, "duo crab-black swimmer-black", "two crabs, two boats, two fish"),
        (in_steal, "pass", "must choose whose hand to draw from (rule 11)"),
        (in_steal, "steal Zed crab-grey", "choose Bo (rule 11)"),
        (in_hand, "call Bo stop", "enter the cards of Bo (rule 29)"),
    ],
)
def test_a_refusal_says_what_is_possible_instead(table, text, possible):
    assert possible in table().refused(text).message


DRAW, TAKE, SKIP = "draw crab-black crab-green", "take 1", "skip"
MUST_TAKE = "There are cards to take, so one must be taken (rules 3 and 6)."


@pytest.mark.parametrize(
    # cards in the deck, cards on the piles
    ("deck", "piles", "text", "sentence"),
    [
        (0, (1, 0), DRAW, "The deck is empty: take from a pile (rule 6)."),
        (0, (0, 1), DRAW, "The deck is empty: take from a pile (rule 6)."),
        (0, (0, 0), DRAW, "The deck is empty: skip (rule 6)."),
        (1, (1, 1), DRAW, "Name as many cards as are drawn: one card is left (rules 3 and 5)."),
        (9, (0, 1), TAKE, "Pile 1 is empty: draw from the deck or take from pile 2 (rule 3)."),
        (9, (1, 0), "take 2", "Pile 2 is empty: draw from the deck or take from pile 1 (rule 3)."),
        (9, (0, 0), TAKE, "Pile 1 is empty: draw from the deck (rule 3)."),
        (0, (0, 1), TAKE, "Pile 1 is empty: take from pile 2 (rule 3)."),
        (0, (0, 0), TAKE, "Pile 1 is empty: skip (rule 3)."),
        (9, (0, 0), SKIP, MUST_TAKE),
        (0, (1, 0), SKIP, MUST_TAKE),
        (0, (0, 1), SKIP, MUST_TAKE),
        (0, (0, 0), SKIP, None),
    ],
)
def test_what_is_possible_instead_of_taking_where_there_is_nothing(deck, piles, text, sentence):
    table = given()
    cards = iter([1 << number for number in range(deck + sum(piles))])
    table.match = replace(
        table.match,
        state=table.match.state._replace(
            phase="take",
            deck=sum(next(cards) for _ in range(deck)),
            piles=tuple(tuple(next(cards) for _ in range(count)) for count in piles),
        ),
    )
    refused = table.refused(text)
    assert (refused and refused.message) == sentence


@pytest.mark.parametrize(
    ("deck", "text", "possible"),
    [
        (1, "pass", "only draws one card in this turn (rule 32)"),
        (0, "draw-one shell-grey", "can only pass in this turn (rule 32)"),
    ],
)
def test_what_is_possible_for_who_is_stung(deck, text, possible):
    table = given(salt=True)
    stung = table.match.state._replace(phase="stung", stinger=1, deck=deck)
    table.match = replace(table.match, state=stung)
    assert table.refused(text).message.endswith(f"now: Ann {possible}.")


# --- every refusal of whole games -----------------------------------------------------


def attempts(lot, match):
    """Actions of every verb, most of them impossible."""
    players = (*match.setup.players, "Zed")
    hand = names_of(match.state.hands[match.state.seat])

    def card():
        return lot.choice([*NAMES, *hand, "kraken"])

    return (
        *(Deal((card(), card())), Draw((card(), card())), Draw((card(),)), Skip()),
        *(Take(1), Take(2), Keep(card()), Discard(1), Look(1), Pick(card()), DrawOne(card())),
        *(
            Duo((card(), card())),
            Duo((card(), card(), card())),
            Duo(("lobster-black", card()), (card(),)),
        ),
        *(Steal(lot.choice(players), card()), Pass(), Stop(), LastChance(), Mermaids()),
        *(Call(lot.choice(players), "stop"), Hand(lot.choice(players), (card(),))),
    )


def refusals(seed, steps, **options):
    """Of a game that the table plays by lot; and the cards that nobody may be told."""
    players = ("Ann", "Bo", "Cy")
    game = game_named("sea-salt-paper")
    match = Match.start(Setup("sea-salt-paper", players, None, options, seed))
    lot = Random(seed)
    for _ in range(steps):
        for action in attempts(lot, match):
            try:
                game.apply(match.state, action)
            except Refusal as refusal:
                yield refusal
        possible = game.legal(match.state)
        if not possible:
            return
        match = match.do(lot.choice(possible))


@pytest.mark.parametrize("salt", [False, True])
def test_refusals_name_a_rule_and_no_card(salt):
    """No card but the one that stands for all; so none of them can tell a secret."""
    codes = set()
    for seed in range(6):
        for refusal in refusals(seed, 120, salt=salt):
            codes.add(refusal.code)
            named = re.findall(r"[a-z]+(?:-[a-z0-9]+)+", refusal.message)
            assert names_in(named) <= {NAMES[0]}
            assert refusal.message.endswith(".")
            if refusal.code in ("not-legal", "unknown-card", "card-not-available"):
                assert re.search(r"\(rules? \d+", refusal.message), refusal.message
    assert codes >= {
        *("bad-command", "not-legal", "unknown-card", "unknown-player", "card-not-available")
    }


@pytest.mark.parametrize("text", ["call Ann stop", "hand Ann crab-grey", "hand Bo shell-grey"])
def test_refusals_of_score_tracking_name_a_rule(text):
    """Here all cards lie open."""
    refused = in_hand().refused(text)
    assert "(rule " in refused.message
    assert refused.message.endswith(".")
