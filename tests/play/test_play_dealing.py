"""`--deal`: the engine turns up the cards, and the game is the same game."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from play_talk import NEW, Talk, run_play

from companion.rules.tentacles_words import FACES, PATTERNS

REVEAL = {"do": "reveal"}
SEEDS = st.integers(-(2**63), 2**63)
ONE_OF_EACH = {**dict.fromkeys(PATTERNS, 1), "octopus": 1}


def dealt(seed, **options):
    return {"new": {**NEW, "set": options, "deal": True, "seed": seed}}


def card_of(reply):
    (card,) = (outcome["card"] for outcome in reply["outcomes"] if outcome["what"] == "card")
    return card


def played(talk, choices, steps):
    """All replies of a game in which each action is an entry of `legal`, sent as it is."""
    replies = [talk.say({"odds": True})]
    while len(replies) <= steps and not replies[-1]["over"]:
        replies.append(talk.say(choices.choice(replies[-1]["legal"])))
    return replies


@given(SEEDS, st.integers(0, 2**32), st.sampled_from(("all", "one")))
def test_every_entry_of_legal_can_be_sent_as_it_is(seed, choices, takes):
    replies = played(Talk(dealt(seed, octopus_takes=takes)), Random(choices), 60)
    assert [reply["ok"] for reply in replies] == [True] * len(replies)


@given(SEEDS, st.integers(0, 2**32))
def test_the_same_seed_and_commands_give_the_same_game(seed, choices):
    games = [played(Talk(dealt(seed)), Random(choices), 30) for _ in range(2)]
    assert games[0] == games[1]


def test_the_same_in_two_processes():
    arguments = ("tentacles", "--players", "Ann,Bo", "--deal", "--seed", "7")
    commands = [REVEAL, {"do": "stop"}] * 20
    assert run_play(*arguments, commands=commands) == run_play(*arguments, commands=commands)


def test_another_seed_gives_another_game():
    firsts = [Talk(dealt(seed)).say(REVEAL) for seed in range(40)]
    assert len({card_of(reply) for reply in firsts}) > 5


def test_without_a_seed_each_game_is_another():
    new = {"new": {**NEW, "deal": True}}
    games = {str(played(Talk(new), Random(1), 12)) for _ in range(8)}
    assert len(games) > 1


@given(SEEDS, st.integers(0, 2**32), st.integers(1, 12))
def test_after_undo_the_same_action_brings_the_same_card(seed, choices, count):
    talk = Talk(dealt(seed))
    replies = played(talk, Random(choices), 25)
    count = min(count, replies[-1]["step"])
    talk.say({"undo": count})
    again = Talk(dealt(seed))
    assert played(again, Random(choices), 25) == replies
    again.say({"undo": count})
    assert again.seen() == talk.seen()
    if REVEAL in talk.say({"odds": True})["legal"]:
        first = talk.say(REVEAL)
        talk.say({"undo": 1})
        assert talk.say(REVEAL) == first
        talk.say({"undo": 1})
        assert talk.say({"do": "reveal", "card": card_of(first)}) == first


def test_another_action_in_between_does_not_change_the_next_card():
    """The order of the pile is settled when it is shuffled, whoever turns the card."""
    talk = Talk(dealt(7))
    talk.say(REVEAL)
    while "stop" not in [action["do"] for action in talk.say({"odds": True})["legal"]]:
        talk.say(REVEAL)
    going_on = card_of(talk.say(REVEAL))
    talk.say({"undo": 1})
    talk.say({"do": "stop"})
    assert card_of(talk.say(REVEAL)) == going_on


@given(SEEDS)
def test_a_given_card_must_be_the_one_that_comes(seed):
    codes = {}
    for face in FACES:
        codes[face] = Talk(dealt(seed)).code({"do": "reveal", "card": face})
    comes = card_of(Talk(dealt(seed)).say(REVEAL))
    assert codes == {**dict.fromkeys(FACES, "card-not-available"), comes: None}


def test_one_pass_through_the_pile_brings_each_card_as_often_as_the_deck_has_it():
    """And after the shuffle the same cards come in another order."""
    deck = {"dots": 5, "rings": 1, "stars": 2, "stripes": 1, "waves": 1}
    deck |= {"dots-eyes": 3, "octopus": 4, "waves-tentacle": 2}
    talk = Talk(dealt(11, deck=deck))
    passes = []
    for _ in range(2):
        cards = []
        while REVEAL in talk.say({"odds": True})["legal"]:
            cards.append(card_of(talk.say(REVEAL)))
            legal = talk.say({"odds": True})["legal"]
            if {"do": "decline"} in legal:
                talk.say({"do": "decline"})
            if {"do": "stop"} in legal:
                talk.say({"do": "stop"})
        passes.append(cards)
        named = [{"do": "reveal", "card": face} for face in ("dots", "octopus", "kraken")]
        assert [talk.code(command) for command in (REVEAL, *named)] == ["not-legal"] * 4
        talk.say({"do": "reshuffle"})
    assert [Counter(cards) for cards in passes] == [Counter(deck)] * 2
    assert passes[0] != passes[1]


def test_each_card_is_as_likely_to_be_the_first():
    """600 piles of six different cards: 100 times each, give or take five deviations of 9."""
    firsts = Counter(
        card_of(Talk(dealt(seed, deck=ONE_OF_EACH)).say(REVEAL)) for seed in range(600)
    )
    assert firsts.keys() == ONE_OF_EACH.keys()
    assert all(55 <= count <= 145 for count in firsts.values()), firsts


def test_a_seed_without_dealing_changes_nothing():
    talk = Talk({"new": {**NEW, "seed": 1}})
    assert talk.code(REVEAL) == "bad-command"
    assert talk.code({"do": "reveal", "card": "dots"}) is None


@pytest.mark.parametrize("deal", [True, False])
def test_nothing_of_the_pile_can_be_seen(deal):
    """The replies before a card is turned are the same, whatever the seed."""
    views = [
        Talk({"new": {**NEW, "deal": deal, "seed": seed}}).say(look)
        for look in ({"view": "Ann"}, {"odds": True})
        for seed in (1, 2)
    ]
    assert views[0] == views[1]
    assert views[2] == views[3]
