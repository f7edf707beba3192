"""Sea Salt & Paper with `--deal`: the engine has the cards, and the game is the same game."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from math import sqrt
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sea_salt_by_chance import PLAYERS, begin, cards_in_play, chosen, with_state

from companion.cli import main
from companion.codec import action_from_json, action_to_json, outcome_to_json, reply
from companion.match import SeededChance
from companion.play import Player
from companion.rules.api import Refusal
from companion.rules.sea_salt_paper.cards import BIT, CARDS, NAMES, names_of, set_of
from companion.rules.sea_salt_paper.words import (
    Deal,
    Discard,
    Draw,
    DrawOne,
    Duo,
    Keep,
    Pass,
    Pick,
    Steal,
    Take,
)

SEEDS = st.integers(-(2**63), 2**63)
LOBSTER = Duo(("crab-grey", "lobster-black"))
THIEVES = Duo(("swimmer-black", "shark-green"))
FISH = Duo(("fish-green", "fish-yellow"))


def dealing(players=2, *, seed=1, **options):
    """A game that has just begun, in which the engine deals."""
    return begin(players, seed=seed, **options)


def holding(cards, *others, seed=1, **options):
    """In the phase `play` of the first player, who has these cards; and the next ones theirs.

    The piles hold one card each, and all others lie in the deck.
    """
    now = dealing(max(2, 1 + len(others)), seed=seed, **options).do(Deal())
    hands = [set_of(names) for names in (cards, *others)]
    hands += [0] * (len(now.setup.players) - len(hands))
    left = [name for name in cards_in_play(now) if not BIT[name] & sum(hands)]
    deck = set_of(left[2:])
    piles = ((BIT[left[0]],), (BIT[left[1]],))
    state = now.state._replace(
        hands=tuple(hands), piles=piles, deck=deck, shuffled=deck, phase="play"
    )
    return with_state(now, state)


def code_of(match, action):
    try:
        match.do(action)
    except Refusal as refusal:
        return refusal.code
    return None


def game_of(seed, choices, steps, players=3, **options):
    """Everything that is told in a game in which each action is sent as `legal` has it."""
    now, chance = dealing(players, seed=seed, **options), Random(choices)
    told = [reply(now)]
    for _ in range(steps):
        legal = now.game.legal(now.state)
        if not legal:
            break
        body = json.loads(json.dumps(action_to_json(chosen(legal, chance))))
        now = now.do(action_from_json("sea-salt-paper", body, dealing=True))
        told.append(reply(now, outcomes=now.outcomes, viewer=now.setup.players[0]))
    return now, told


# --- through the line protocol --------------------------------------------------------


@given(SEEDS, st.integers(0, 2**32), st.integers(2, 4), st.booleans())
@settings(max_examples=15)
def test_every_entry_of_legal_can_be_sent_as_it_is(seed, choices, players, salt):
    """At every step each of them, through the program, taken back and one of them done again."""
    player, chance = Player(sys.stderr), Random(choices)

    def say(command):
        return json.loads(json.dumps(player.answer(json.dumps(command).encode())))

    new = {"game": "sea-salt-paper", "players": PLAYERS[:players], "set": {"salt": salt}}
    now = say({"new": {**new, "deal": True, "seed": seed}})
    for _ in range(60):
        assert now["ok"], now
        if now["over"]:
            break
        for action in now["legal"]:
            first = say(action)
            assert first["ok"], (action, first)
            back = say({"undo": 1})
            assert back == {**now, "outcomes": []}
        legal = [action_from_json("sea-salt-paper", body, dealing=True) for body in now["legal"]]
        now = say(action_to_json(chosen(legal, chance)))


def test_the_program_deals_with_deal_and_seed(monkeypatch, capfdbinary, tmp_path):
    """`companion play … --deal --seed 7`, twice, and with another seed."""
    commands = [{"do": "deal"}, {"do": "draw"}, {"view": "Ann"}, {"odds": True}]
    lines = tmp_path / "commands"
    lines.write_bytes(b"".join(json.dumps(command).encode() + b"\n" for command in commands))

    def output(seed):
        with Path(lines).open() as stdin:
            monkeypatch.setattr("sys.stdin", stdin)
            players = ("--players", "Ann,Bo")
            main(["play", "sea-salt-paper", *players, "--deal", "--seed", str(seed)])
        return capfdbinary.readouterr().out

    first = output(7)
    replies = [json.loads(line) for line in first.splitlines()]
    assert [reply["ok"] for reply in replies] == [True] * 5
    assert len(replies[3]["state"]["drawn"]) == 2
    assert output(7) == first
    assert output(8) != first


# --- the same seed, the same game -----------------------------------------------------


@given(SEEDS, st.integers(0, 2**32), st.booleans())
@settings(max_examples=20)
def test_the_same_seed_and_commands_give_the_same_game(seed, choices, salt):
    first, second = (game_of(seed, choices, 200, salt=salt)[1] for _ in range(2))
    assert first == second


def test_another_seed_gives_another_game():
    deals = {dealing(seed=seed).do(Deal()).action for seed in range(100)}
    assert len(deals) > 90


@given(SEEDS, st.integers(0, 2**32), st.integers(1, 40), st.booleans())
@settings(max_examples=30)
def test_after_undo_the_same_action_brings_the_same_card(seed, choices, count, salt):
    end, _ = game_of(seed, choices, 250, salt=salt)
    count = min(count, end.step)
    again = end.undo(count)
    for now in reversed(list(end.back())[:count]):
        as_legal_had_it = again.do(without_chance(now.action))
        as_it_came = again.do(now.action)
        assert as_legal_had_it.action == as_it_came.action == now.action
        assert reply(as_legal_had_it) == reply(now)
        again = as_legal_had_it


def without_chance(action):
    """The action as `legal` had it before the cards came."""
    match action:
        case Deal() | Draw() | DrawOne():
            return type(action)()
        case Steal(victim):
            return Steal(victim)
        case Duo(cards):
            return Duo(cards)
    return action


def test_what_players_do_does_not_change_the_order_of_the_deck():
    """Whoever draws and however: the cards come as they were shuffled."""
    start = dealing(seed=5).do(Deal())
    two = start.do(Draw()).action.cards
    behind = start.do(Take(1)).do(Pass())
    assert behind.do(Draw()).action.cards == two
    kept = start.do(Draw())
    nexts = set()
    for card in two:
        for pile in (1, 2):
            now = kept.do(Keep(card)).do(Discard(pile)).do(Pass())
            nexts.add(now.do(Draw()).action.cards)
    assert len(nexts) == 1
    assert nexts.isdisjoint({two})


def test_a_round_deals_each_card_once():
    """The two of the deal and then all of the deck, until the round ends by itself."""
    for seed in range(10):
        now = dealing(seed=seed).do(Deal())
        cards = [*now.action.cards]
        while now.state.phase == "take":
            now = now.do(Draw())
            cards += now.action.cards
            if now.state.phase == "keep":
                now = now.do(Keep(now.action.cards[0])).do(Discard(1))
            now = now.do(Pass())
        assert now.state.phase == "deal"
        assert Counter(cards) == Counter(NAMES[:58])


# --- fields that are given ------------------------------------------------------------


@given(SEEDS)
@settings(max_examples=20)
def test_only_the_card_that_comes_can_be_named(seed):
    """One card after a fish; any other is not available, wherever it lies."""
    now = holding(FISH.cards, ("shell-grey",), seed=seed).do(FISH)
    comes = now.do(DrawOne()).action.card
    codes = {name: code_of(now, DrawOne(name)) for name in NAMES[:58]}
    assert codes == {**dict.fromkeys(NAMES[:58], "card-not-available"), comes: None}


@given(SEEDS, st.data())
@settings(max_examples=20)
def test_only_the_cards_that_come_can_be_named(seed, data):
    """Two to open the piles, in their order; two that are drawn, in any order."""
    start = dealing(seed=seed)
    opening = start.do(Deal()).action.cards
    assert start.do(Deal(opening)).action.cards == opening
    now = start.do(Deal())
    drawn = now.do(Draw()).action.cards
    for order in (drawn, drawn[::-1]):
        assert set(now.do(Draw(order)).action.cards) == set(drawn)
    other = data.draw(st.sampled_from(sorted(set(NAMES[:58]) - {*drawn, *opening})))
    for wrong in ((drawn[0], other), (other, drawn[1]), (opening[0], drawn[1]), drawn[:1] * 2):
        assert code_of(now, Draw(wrong)) == "card-not-available"
        if set(wrong) != set(opening):
            assert code_of(start, Deal(wrong)) == "card-not-available"


@given(SEEDS)
@settings(max_examples=20)
def test_only_the_card_drawn_blindly_can_be_named(seed):
    hand = ("shell-grey", "shell-black", "crab-grey", "mermaid-white-1")
    now = holding(THIEVES.cards, hand, seed=seed).do(THIEVES)
    comes = now.do(Steal("Bo")).action.card
    assert comes in hand
    codes = {name: code_of(now, Steal("Bo", name)) for name in NAMES[:58]}
    assert codes == {**dict.fromkeys(NAMES[:58], "card-not-available"), comes: None}


@given(SEEDS)
@settings(max_examples=20)
def test_only_the_cards_on_top_can_be_named_for_the_lobster(seed):
    now = holding(LOBSTER.cards, seed=seed, salt=True)
    looked = now.do(LOBSTER).action.looked
    assert now.do(replace(LOBSTER, looked=looked[::-1])).state == now.do(LOBSTER).state
    elsewhere = names_of(now.state.deck & ~set_of(looked))[0]
    for wrong in ((*looked[:4], elsewhere), looked[:4], (*looked, elsewhere), looked[:1] * 5):
        assert code_of(now, replace(LOBSTER, looked=wrong)) == "card-not-available"


def test_a_card_that_there_is_not_is_unknown():
    """Extra Salt's, too, where it is not played."""
    fish = holding(FISH.cards).do(FISH)
    thieves = holding(THIEVES.cards, ("shell-grey",)).do(THIEVES)
    lobster = holding(LOBSTER.cards, salt=True)
    for name in ("kraken", "", "lobster-black"):
        assert code_of(dealing(), Deal((name, "crab-grey"))) == "unknown-card"
        assert code_of(dealing().do(Deal()), Draw(("crab-grey", name))) == "unknown-card"
        assert code_of(fish, DrawOne(name)) == "unknown-card"
        assert code_of(thieves, Steal("Bo", name)) == "unknown-card"
        assert code_of(thieves, Steal("Zoe", name)) == "unknown-card"
        if name != "lobster-black":
            assert code_of(lobster, replace(LOBSTER, looked=(name,) * 5)) == "unknown-card"


def test_with_several_faults_the_first_of_the_table_is_told():
    """Also where the card that comes would be another one."""
    now = dealing().do(Deal())
    wrong = ("crab-grey", "crab-green")
    assert code_of(now, Deal(wrong)) == "not-legal"
    assert code_of(now, DrawOne("crab-grey")) == "not-legal"
    assert code_of(now, Steal("Zoe", "crab-grey")) == "not-legal"
    assert code_of(now, Draw(wrong[:1])) == "bad-command"
    fishing = holding(FISH.cards, ("shell-grey",)).do(FISH)
    assert code_of(fishing, Draw(wrong)) == "not-legal"
    stealing = holding(THIEVES.cards, ("shell-grey",)).do(THIEVES)
    assert code_of(stealing, DrawOne("crab-grey")) == "not-legal"
    assert code_of(stealing, Steal("Zoe", "crab-grey")) == "unknown-player"


@pytest.mark.parametrize("victim", ["Ann", "Cy", "Zoe"])
def test_a_player_who_cannot_be_robbed_is_unknown_with_a_card_or_without(victim):
    """Oneself, a player without cards in the hand, and nobody."""
    now = holding(THIEVES.cards, ("shell-grey",), ()).do(THIEVES)
    assert code_of(now, Steal(victim)) == "unknown-player"
    assert code_of(now, Steal(victim, "shell-grey")) == "unknown-player"


# --- fair -----------------------------------------------------------------------------


def assert_even(counts, kinds):
    """That so many things came about equally often: chi-square within five deviations.

    For `kinds` things its mean is `kinds - 1` and its variance twice that.
    """
    assert len(counts) == kinds
    expected = sum(counts.values()) / kinds
    deviation = sum((count - expected) ** 2 for count in counts.values()) / expected
    assert deviation < kinds - 1 + 5 * sqrt(2 * (kinds - 1)), counts


@pytest.mark.parametrize(("salt", "kinds"), [(False, 58), (True, 66)])
def test_each_card_is_as_likely_in_each_of_the_first_places(salt, kinds):
    """The two that open the piles, and the two that are drawn first."""
    places = [Counter() for _ in range(4)]
    for seed in range(1_500):
        now = dealing(seed=seed, salt=salt).do(Deal())
        cards = (*now.action.cards, *now.do(Draw()).action.cards)
        for place, card in zip(places, cards, strict=True):
            place[card] += 1
    for place in places:
        assert_even(place, kinds)


def test_pairs_of_first_cards_are_even_too():
    """By kind of both: as often as of two cards out of 58, within five deviations."""
    number, deals = Counter(card.kind for card in CARDS[:58]), 3_000
    kind = {card.name: card.kind for card in CARDS}
    pairs = Counter()
    for seed in range(deals):
        one, two = dealing(seed=seed).do(Deal()).action.cards
        pairs[kind[one], kind[two]] += 1
    for one, two in (("crab", "crab"), ("crab", "boat"), ("boat", "crab"), ("mermaid", "fish")):
        chance = number[one] * (number[two] - (one == two)) / (58 * 57)
        spread = sqrt(deals * chance * (1 - chance))
        assert abs(pairs[one, two] - deals * chance) < 5 * spread, (one, two)


def test_each_card_of_a_hand_is_as_likely_to_be_stolen():
    hand = ("shell-grey", "shell-black", "crab-grey", "mermaid-white-1", "boat-black-1")
    stolen = Counter(
        holding(THIEVES.cards, hand, seed=seed).do(THIEVES).do(Steal("Bo")).action.card
        for seed in range(1_000)
    )
    assert_even(stolen, 5)


def test_a_second_theft_does_not_follow_from_the_first():
    """Where the card drawn lay in the hand the first time and the second: all 16 as often."""
    more = ("swimmer-yellow", "shark-black")
    hand = ("shell-grey", "shell-black", "crab-grey", "mermaid-white-1", "boat-black-1")
    both = Counter()
    for seed in range(2_000):
        now = holding((*THIEVES.cards, *more), hand, seed=seed).do(THIEVES).do(Steal("Bo"))
        first, left = names_of(set_of(hand)).index(now.action.card), names_of(now.state.hands[1])
        now = now.do(Duo(more)).do(Steal("Bo"))
        both[first, left.index(now.action.card)] += 1
    assert_even(both, 20)


def test_two_rounds_of_one_seed_are_two_deals():
    """And the second does not follow from the first: the same card in a place as by chance."""
    same, rounds = 0, 200
    for seed in range(rounds):
        orders, now = [], dealing(seed=seed)
        for _ in range(2):
            now = with_state(now, now.state._replace(phase="deal")).do(Deal())
            orders.append([*now.action.cards, *order_of_deck(now)])
        first, second = orders
        assert sorted(first) == sorted(second) == sorted(NAMES[:58])
        same += sum(one == two for one, two in zip(first, second, strict=True))
    assert abs(same - rounds) < 5 * sqrt(rounds)


# --- the lobster ----------------------------------------------------------------------


def order_of_deck(match):
    """The cards of the deck from the top, as they would be drawn one after the other."""
    order, now = [], with_state(match, match.state._replace(phase="take"))
    while now.state.deck:
        now = now.do(Draw())
        order += now.action.cards
        now = with_state(match, now.state._replace(phase="take", drawn=()))
    return order


@given(SEEDS, st.integers(0, 50))
@settings(max_examples=20)
def test_the_lobster_looks_at_the_real_top_of_the_deck(seed, drawn):
    """After any number of cards drawn; the rest of the deck is shuffled then."""
    now = holding(LOBSTER.cards, seed=seed, salt=True)
    gone = set_of(order_of_deck(now)[:drawn])
    hands = (now.state.hands[0], gone)
    now = with_state(now, now.state._replace(deck=now.state.deck ^ gone, hands=hands))
    before = order_of_deck(now)
    looking = now.do(LOBSTER)
    assert looking.action.looked == tuple(before[:5])
    seen = looking.game.view(looking.state, "Ann")["looking_at"]
    assert sorted(seen) == sorted(before[:5])
    legal = {action.card for action in looking.game.legal(looking.state)}
    assert legal == set(before[:5])
    for card in before[:5]:
        after = looking.do(Pick(card))
        order = order_of_deck(after)
        assert sorted(order) == sorted({*before} - {card})
        assert card in after.game.view(after.state, "Ann")["hand"]
    assert code_of(looking, Pick(before[5])) == "card-not-available"


def test_the_lobster_looks_at_what_is_left():
    now = holding(LOBSTER.cards, salt=True)
    order = order_of_deck(now)
    for left in range(5, 0, -1):
        gone = set_of(order[:-left])
        hands = (now.state.hands[0], gone)
        last = with_state(now, now.state._replace(deck=now.state.deck ^ gone, hands=hands))
        assert last.do(LOBSTER).action.looked == tuple(order[-left:])
    empty = with_state(now, now.state._replace(deck=0, hands=(now.state.hands[0], set_of(order))))
    told = [outcome_to_json(outcome)["what"] for outcome in empty.do(LOBSTER).outcomes]
    assert told == ["duo-played", "fizzled"]


def test_the_rest_of_the_deck_is_shuffled_evenly():
    """Those four that were put back and the others: each as likely on top, and in no old order."""
    tops, in_place, places = Counter(), 0, 0
    for seed in range(1_500):
        now = holding(LOBSTER.cards, seed=seed, salt=True)
        before = order_of_deck(now)
        kept, *rest = before
        after = order_of_deck(now.do(LOBSTER).do(Pick(kept))) if seed < 300 else None
        if after:
            in_place += sum(one == two for one, two in zip(rest, after, strict=True))
            places += len(rest)
        picked = now.do(LOBSTER).do(Pick(kept))
        top = with_state(picked, picked.state._replace(phase="take")).do(Draw()).action.cards[0]
        tops[rest.index(top)] += 1
    assert_even(tops, len(rest))
    expected = places / len(rest)
    assert abs(in_place - expected) < 5 * sqrt(expected)


def test_only_the_player_sees_what_the_lobster_looks_at():
    now = holding(LOBSTER.cards, ("shell-grey",), ("shell-black",), salt=True).do(LOBSTER)
    looked = now.action.looked
    for viewer in (None, "Bo", "Cy"):
        seen = json.dumps(reply(now, outcomes=now.outcomes, viewer=viewer, only_viewer=True))
        assert not [name for name in looked if name in seen]
        assert "looking_at" not in seen
    assert now.game.secret(now.action)


def test_each_shuffle_has_a_key_of_its_own():
    """Rounds, the shuffles in them and thefts draw on chances that do not repeat."""
    asked = []

    class Witness(SeededChance):
        def shuffled(self, key, items):
            asked.append((key, tuple(items)))
            return super().shuffled(key, items)

    now, chance = dealing(3, seed=1, salt=True), Random(2)
    while now.step < 3_000 and (legal := now.game.legal(now.state)):
        action = now.game.deal(now.state, chosen(legal, chance), Witness(1))
        now = replace(now.do(action), before=None)
    of_key = {}
    for key, items in asked:
        assert of_key.setdefault(key, items) == items, key
    assert len({key for key, _ in asked if key.startswith("round")}) > 3
    assert any(key.startswith("steal") for key, _ in asked)
