"""The odds of Sea Salt & Paper against counting every way the hidden cards can lie (rule 37)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import isclose, sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sea_salt_by_chance import begin, cards_in_play, played_on, with_state

from companion.codec import reply
from companion.rules.sea_salt_paper.cards import BIT, CARDS, names_of, set_of

KIND = {card.name: card.kind for card in CARDS}
SEEDS = st.integers(0, 2**32)


def standing_so(players=2, *, hands=(), tables=(), piles=("", ""), deck="", **changes):
    """The first player is in turn, and the cards that are named nowhere lie before the last.

    Args:
        players: how many.
        hands: by seat, the names of the cards in the hand.
        tables: by seat, the names of the cards played.
        piles: from bottom to top.
        deck: its cards.
        changes: of the state, and the option `salt`.
    """
    match = begin(players, salt=changes.pop("salt", False))
    in_hands = [set_of(hand.split()) for hand in hands]
    in_hands += [0] * (players - len(in_hands))
    on_tables = [set_of(table.split()) for table in tables]
    on_tables += [0] * (players - len(on_tables))
    in_piles = tuple(tuple(BIT[name] for name in pile.split()) for pile in piles)
    in_deck = set_of(deck.split())
    elsewhere = [*in_hands, *on_tables, *(card for pile in in_piles for card in pile), in_deck]
    on_tables[-1] |= set_of(cards_in_play(match)) & ~sum(elsewhere)
    state = match.state._replace(
        dealt=1,
        phase=changes.pop("phase", "take"),
        hands=tuple(in_hands),
        tables=tuple(on_tables),
        piles=in_piles,
        deck=in_deck,
        **changes,
    )
    return with_state(match, state)


def odds(match):
    return match.game.odds(match.state)


def counted(match):
    """Of all the ways the hidden cards can lie, in how many each kind is on top of the deck.

    The player in turn sees the own hand, the tables, open hands and the tops of the piles;
    the other places hold the rest, in any order.
    """
    state = match.state
    hidden = [state.deck]
    hidden += [
        hand
        for seat, hand in enumerate(state.hands)
        if seat != state.seat and not state.revealed[seat]
    ]
    hidden += [card for pile in state.piles for card in pile[:-1]]
    cards = [name for place in hidden for name in names_of(place)]
    # The first places are those of the deck, the very first is its top.
    tops = Counter(KIND[order[0]] for order in permutations(cards))
    ways = sum(tops.values())
    return {kind: Fraction(count, ways) for kind, count in tops.items()}


def assert_as_counted(match):
    expected, found = counted(match), odds(match)["next"]
    assert found == {kind: float(probability) for kind, probability in expected.items()}


FEW_HIDDEN = {
    "a deck alone": {"deck": "crab-black crab-grey boat-black-1 mermaid-white-1"},
    "the last card": {"deck": "crab-black"},
    "one in the deck, one in a hand": {"hands": ("", "shell-grey"), "deck": "crab-black"},
    "a hand": {
        "hands": ("fish-green", "shell-grey shell-black crab-green"),
        "deck": "crab-black crab-grey",
    },
    "hands of three": {
        "players": 3,
        "hands": ("fish-green", "shell-grey crab-yellow-1", "shell-black crab-green"),
        "deck": "crab-black crab-grey boat-black-1",
    },
    "below the tops of the piles": {
        "hands": ("octopus-grey", "shell-grey"),
        "piles": ("crab-green fish-green", "penguin-pink crab-black sailor-pink"),
        "deck": "boat-yellow-1 boat-yellow-2",
    },
    "a hand that lies open is seen": {
        "players": 3,
        "hands": ("fish-green", "shell-grey crab-yellow-1", "shell-black crab-green"),
        "revealed": (False, True, False),
        "caller": 1,
        "deck": "crab-black crab-grey boat-black-1",
    },
    "fish": {
        "hands": ("octopus-grey", "shell-grey shell-black"),
        "piles": ("crab-green fish-green", "sailor-pink"),
        "phase": "fish",
        "deck": "boat-yellow-1 crab-yellow-2 shell-yellow",
    },
    "Extra Salt": {
        "salt": True,
        "hands": ("octopus-grey", "shell-grey lobster-black"),
        "piles": ("crab-green seahorse-white fish-green", "sailor-pink"),
        "deck": "boat-yellow-1 starfish-yellow starfish-dark-blue",
    },
    "stung": {
        "salt": True,
        "hands": ("octopus-grey", "shell-grey shell-black"),
        "phase": "stung",
        "stinger": 1,
        "deck": "jellyfish-pink cast-of-crabs-green",
    },
}


@pytest.mark.parametrize("name", FEW_HIDDEN)
def test_odds_are_those_of_counting_every_way(name):
    assert_as_counted(standing_so(**FEW_HIDDEN[name]))


def test_the_count_itself_by_hand():
    """Three crabs and a shell hidden, one of them in the other hand: 3 to 1."""
    match = standing_so(hands=("", "shell-grey"), deck="crab-black crab-grey crab-green")
    assert counted(match) == {"crab": Fraction(3, 4), "shell": Fraction(1, 4)}
    assert odds(match) == {"next": {"crab": 0.75, "shell": 0.25}}


def test_at_the_start_every_card_but_two_may_come():
    match = begin(4)
    first, second = BIT["crab-black"], BIT["boat-black-1"]
    deck = match.state.deck ^ first ^ second
    state = match.state._replace(phase="take", dealt=1, deck=deck, piles=((first,), (second,)))
    found = odds(with_state(match, state))["next"]
    assert found["crab"] == 8 / 56
    assert found["boat"] == 7 / 56
    assert found["lighthouse"] == 1 / 56
    assert len(found) == 14


@st.composite
def small_worlds(draw):
    """Positions with seven hidden cards, in any places."""
    chance = Random(draw(SEEDS))
    salt, players = draw(st.booleans()), draw(st.integers(2, 4))
    cards = chance.sample(cards_in_play(begin(salt=salt)), 7 + 6)
    hidden, seen = cards[:7], cards[7:]
    places = [[] for _ in range(players + 2)]
    for name in hidden:
        chance.choice(places).append(name)
    deck, below_1, below_2, *others = places
    deck.append(others[0].pop() if others[0] else seen.pop())
    own, tops = seen[2:], seen[:2]
    return standing_so(
        players,
        hands=(" ".join(own), *map(" ".join, others)),
        piles=(" ".join([*below_1, tops[0]]), " ".join([*below_2, tops[1]])),
        deck=" ".join(deck),
        phase=draw(st.sampled_from(("take", "fish", "stung"))),
        salt=salt,
    )


@given(small_worlds())
@settings(max_examples=40)
def test_odds_are_those_of_counting_every_way_in_any_small_world(match):
    assert_as_counted(match)


# --- larger ones ----------------------------------------------------------------------


def hidden_from_the_player(match):
    """What the player in turn does not see, as sets in their places: deck, hands, piles."""
    state = match.state
    hands = [
        0 if seat == state.seat or state.revealed[seat] else hand
        for seat, hand in enumerate(state.hands)
    ]
    below = [card for pile in state.piles for card in pile[:-1]]
    return state.deck, hands, below


def dealt_again(match, chance):
    """The hidden cards in other places, and the one on top of the deck then."""
    deck, hands, below = hidden_from_the_player(match)
    cards = names_of(deck | sum(hands) | sum(below))
    order = iter(chance.sample(cards, len(cards)))

    def as_many(place):
        return set_of(next(order) for _ in range(place.bit_count()))

    top = next(order)
    state = match.state
    new_deck = BIT[top] | as_many(deck & (deck - 1))
    new_hands = tuple(
        as_many(hand) if hand else own for hand, own in zip(hands, state.hands, strict=True)
    )
    new_piles = tuple((*(as_many(card) for card in pile[:-1]), *pile[-1:]) for pile in state.piles)
    other = state._replace(deck=new_deck, hands=new_hands, piles=new_piles)
    return with_state(match, other), top


def moments(seed, players, steps, *, salt):
    """Every game on the way in which a card can be drawn."""
    for now in played_on(begin(players, salt=salt), Random(seed), steps):
        if now.state.phase in ("take", "fish", "stung") and now.state.deck:
            yield now


@given(SEEDS, st.integers(2, 4), st.booleans())
@settings(max_examples=40)
def test_two_games_that_look_the_same_have_the_same_odds(seed, players, salt):
    chance = Random(seed)
    for now in moments(seed, players, 150, salt=salt):
        other, _ = dealt_again(now, chance)
        player = now.setup.players[now.state.seat]
        assert reply(other, viewer=player)["state"] == reply(now, viewer=player)["state"]
        assert odds(other) == odds(now)


@pytest.mark.parametrize(("seed", "salt"), [(1, False), (2, True), (3, False), (4, True)])
def test_cards_come_as_often_as_the_odds_say(seed, salt):
    """2,000 deals of what is hidden: each kind within five standard deviations."""
    *_, now = moments(seed, 3, 60, salt=salt)
    chance, deals = Random(seed), 2_000
    tops = Counter(KIND[dealt_again(now, chance)[1]] for _ in range(deals))
    expected = odds(now)["next"]
    assert tops.keys() <= expected.keys()
    for kind, probability in expected.items():
        spread = sqrt(deals * probability * (1 - probability))
        assert abs(tops[kind] - deals * probability) <= 5 * spread, kind


@given(SEEDS, st.integers(2, 4), st.booleans(), st.sampled_from((0.1, 0.6, 1)))
@settings(max_examples=40)
def test_odds_are_probabilities_wherever_a_card_can_be_drawn_and_null_elsewhere(
    seed, players, salt, draws
):
    begun = begin(players, salt=salt)
    for now in (begun, *played_on(begun, Random(seed), 300, draws=draws)):
        verbs = {body["do"] for body in reply(now)["legal"]}
        found = odds(now)
        if verbs.isdisjoint({"draw", "draw-one"}):
            assert found is None
            continue
        assert found.keys() == {"next"}
        assert all(0 < probability <= 1 for probability in found["next"].values())
        assert isclose(sum(found["next"].values()), 1)
        deck, hands, below = hidden_from_the_player(now)
        hidden = names_of(deck | sum(hands) | sum(below))
        kinds = Counter(KIND[name] for name in hidden)
        assert found["next"] == {kind: count / len(hidden) for kind, count in kinds.items()}


@pytest.mark.parametrize("phase", ["deal", "keep", "discard", "play", "look", "pick", "steal"])
def test_null_where_something_else_comes_first(phase):
    match = standing_so(deck="crab-black crab-grey", phase=phase)
    assert odds(match) is None


@pytest.mark.parametrize("phase", ["take", "fish", "stung"])
def test_null_with_an_empty_deck(phase):
    assert odds(standing_so(piles=("crab-black", ""), phase=phase)) is None


def test_null_with_score_tracking_and_after_the_end():
    assert odds(begin(tracking="score")) is None
    ended = standing_so(hands=("mermaid-white-1",), deck="crab-black", phase="over", winners=(0,))
    assert odds(ended) is None
