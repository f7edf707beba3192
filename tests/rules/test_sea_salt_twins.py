"""Sea Salt & Paper tells nobody what they may not know (rules 26 and 27).

Two ways to see it. A game is dealt again in thought, with the cards that a viewer may not
know lying otherwise: all that viewer can see must stay the same. And over whole games, no
name of a card may turn up that a spectator has not been shown.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sea_salt_by_chance import (
    NOT_A_WORD,
    as_it_comes,
    begin,
    cards_in_play,
    chosen,
    played_on,
    with_state,
)

from companion.codec import action_to_json, outcome_to_json, reply
from companion.rules.api import Refusal
from companion.rules.sea_salt_paper import game
from companion.rules.sea_salt_paper.cards import MERMAIDS, NAMES, OF_KIND, names_of, set_of
from companion.rules.sea_salt_paper.state import with_seat
from companion.rules.sea_salt_paper.words import (
    Deal,
    Discard,
    Draw,
    DrawOne,
    Duo,
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

SEEDS = st.integers(0, 2**32)
STEPS = st.integers(1, 250)


def somewhere(seed, players, steps, *, salt, draws=0.6):
    """A game after some random play."""
    (now,) = deque(played_on(begin(players, salt=salt), Random(seed), steps, draws=draws), 1)
    return now


# --- what a viewer cannot tell apart --------------------------------------------------


def hidden_from(match, viewer):
    """The cards whose place this viewer may not know, as the rules tell it."""
    state, players = match.state, match.setup.players
    seat = players.index(viewer) if viewer else None
    acting = seat == state.seat
    shown = set()
    for table in state.tables:
        shown.update(names_of(table))
    for number, hand in enumerate(state.hands):
        if state.revealed[number] or number == seat:
            shown.update(names_of(hand))
    for number, pile in enumerate(state.piles, 1):
        looking = acting and state.looking == number
        for card in pile if looking else pile[-1:]:
            shown.update(names_of(card))
    if acting:
        for card in (*state.drawn, state.looked):
            shown.update(names_of(card))
    return sorted(set(cards_in_play(match)) - shown)


def lying_otherwise(match, hidden, chance):
    """The same game, with the hidden cards in each other's places."""
    goes_to = dict(zip(hidden, chance.sample(hidden, len(hidden)), strict=True))

    def moved(cards):
        return set_of(goes_to.get(name, name) for name in names_of(cards))

    state = match.state
    return with_state(
        match,
        state._replace(
            deck=moved(state.deck),
            piles=tuple(tuple(map(moved, pile)) for pile in state.piles),
            hands=tuple(map(moved, state.hands)),
            tables=tuple(map(moved, state.tables)),
            drawn=tuple(map(moved, state.drawn)),
            looked=moved(state.looked),
            shuffled=moved(state.shuffled),
        ),
    )


def all_seen_by(match, viewer):
    """All that this viewer is ever told of a game that stands so."""
    seen = reply(match, viewer=viewer, only_viewer=True)
    if viewer == seen["turn"]:
        seen["odds"] = match.game.odds(match.state)
    return {**seen, "step": None}


def what_comes(match, action):
    """The outcomes or the refusal; None where they lay open what was hidden."""
    try:
        after = match.do(action)
    except Refusal as refusal:
        return refusal.code, refusal.message
    outcomes = [outcome_to_json(outcome) for outcome in after.outcomes]
    ended = any(outcome["what"] == "round-ended" for outcome in outcomes)
    return None if ended else outcomes


def assert_nothing_seen(match, viewer, chance):
    """That this viewer sees the same whatever lies where it is hidden."""
    other = lying_otherwise(match, hidden_from(match, viewer), chance)
    seen = all_seen_by(with_state(match, match.state), viewer)
    assert all_seen_by(other, viewer) == seen


@given(SEEDS, st.integers(2, 4), STEPS, st.booleans(), st.sampled_from((0.1, 0.6, 1)))
@settings(max_examples=80)
def test_a_viewer_sees_the_same_whatever_is_hidden(seed, players, steps, salt, draws):
    """At every step, for everyone at the table and for a spectator."""
    chance = Random(seed)
    play = played_on(begin(players, salt=salt), Random(seed), steps, draws=draws)
    for now in play:
        if chance.random() < 0.2 or now.state.phase in ("keep", "pick", "discard"):
            for viewer in (None, *now.setup.players):
                assert_nothing_seen(now, viewer, chance)


@given(SEEDS, st.integers(2, 4), STEPS, st.booleans())
@settings(max_examples=100)
def test_an_action_without_a_hidden_card_brings_the_same_whatever_is_hidden(
    seed, players, steps, salt
):
    """For the player in turn, with every card that this player sees."""
    now = somewhere(seed, players, steps, salt=salt)
    if now.state.phase == "over":
        return
    viewer = now.setup.players[now.state.seat]
    hidden = hidden_from(now, viewer)
    seen = sorted({*cards_in_play(now), NOT_A_WORD}.difference(hidden))
    own = names_of(now.state.hands[now.state.seat])
    known = (
        *(kind(pile) for kind, pile in product((Take, Discard, Look), (1, 2))),
        *(kind() for kind in (Pass, Stop, LastChance, Mermaids, Skip)),
        *(kind(card) for kind, card in product((Keep, Pick, DrawOne), seen)),
        *(Steal(name, card) for name, card in product((*now.setup.players, NOT_A_WORD), seen)),
        *(Duo(pair) for pair in product((*own, NOT_A_WORD), repeat=2)),
        *(Draw((one, other)) for one, other in product(seen[:6], seen[-6:])),
    )
    other = lying_otherwise(now, hidden, Random(seed))
    for action in known:
        assert what_comes(now, action) == what_comes(other, action), action


@given(SEEDS, st.integers(2, 4), STEPS, st.booleans())
@settings(max_examples=100)
def test_what_others_do_without_naming_a_card_tells_a_viewer_nothing(seed, players, steps, salt):
    """Passing, taking, looking: the same outcomes whatever was drawn, held or looked at.

    A call is refused or not by what is in the hand, and what it lays open is no secret.
    """
    now = somewhere(seed, players, steps, salt=salt)
    for viewer in (None, *now.setup.players):
        other = lying_otherwise(now, hidden_from(now, viewer), Random(seed))
        if MERMAIDS in (match.state.hands[match.state.seat] & MERMAIDS for match in (now, other)):
            continue
        silent = [*(Take(pile) for pile in (1, 2)), *(Look(pile) for pile in (1, 2)), Pass()]
        for action in (*silent, Skip()):
            assert what_comes(now, action) == what_comes(other, action), action


@given(SEEDS, st.integers(2, 4), STEPS, st.booleans())
@settings(max_examples=100)
def test_what_is_possible_and_no_secret_tells_a_spectator_nothing(seed, players, steps, salt):
    """Such as seven points, or four mermaids."""
    now = somewhere(seed, players, steps, salt=salt)
    other = lying_otherwise(now, hidden_from(now, None), Random(seed))
    assert open_choices(now) == open_choices(other)


def open_choices(match):
    """What the pages may offer."""
    rules = match.game
    return {action for action in rules.legal(match.state) if not rules.secret(action)}


def test_seven_points_and_four_mermaids_are_not_told():
    poor = moment(lambda state: state.phase == "play" and state.caller is None)
    seat = poor.state.seat
    rich = poor.state._replace(hands=with_seat(poor.state.hands, seat, MERMAIDS | OF_KIND["shell"]))
    assert {Stop(), LastChance(), Mermaids()} <= set(poor.game.legal(rich))
    assert open_choices(replace(poor, state=rich)) == open_choices(poor) == {Pass()}


def moment(wanted):
    """A game for three, in the thick of a round, of which this holds."""
    return next(
        now
        for seed in range(100)
        for now in played_on(begin(3, salt=True), Random(seed), 300)
        if all(map(int.bit_count, now.state.hands)) and now.state.deck and wanted(now.state)
    )


LEAKS = {
    "deck": (lambda state: state.phase == "take", lambda state: names_of(state.deck)),
    "hand": (lambda state: state.phase == "take", lambda state: names_of(state.hands[0])),
    "pile": (lambda state: len(state.piles[0]) > 3, lambda state: names_of(state.piles[0][0])),
    "drawn": (lambda state: state.phase == "keep", lambda state: names_of(state.drawn[1])),
    "looked at": (lambda state: state.looked, lambda state: names_of(state.looked)),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_with_a_secret_shown_the_same_test_fails(monkeypatch, leak):
    """Each secret in turn is given away, and the test that looks for it notices."""
    wanted, shown = LEAKS[leak]
    now, chance, honest = moment(wanted), Random(1), game.view

    def look():
        for _ in range(20):
            assert_nothing_seen(now, None, chance)

    look()
    monkeypatch.setattr(game, "view", lambda *of: {**honest(*of), "?": shown(of[0])})
    with pytest.raises(AssertionError):
        look()


# --- names that turn up ---------------------------------------------------------------


def named_in(thing):
    """The names of cards anywhere in this, also within a sentence or as a key."""
    text = json.dumps(thing)
    found = set()
    for name in sorted(NAMES, key=len, reverse=True):
        if name in text:
            found.add(name)
            text = text.replace(name, "")
    return found


def shown_to_all(match):
    """The cards that lie open on the table."""
    state = match.state
    cards = 0
    for table in state.tables:
        cards |= table
    for hand, revealed in zip(state.hands, state.revealed, strict=True):
        cards |= hand if revealed else 0
    for pile in state.piles:
        cards |= pile[-1] if pile else 0
    return set(names_of(cards))


def assert_only_open_cards_are_named(match):
    """In the state that a spectator sees and in the outcomes of the last action."""
    seen = reply(match, outcomes=match.outcomes, only_viewer=True)
    assert named_in(seen["state"]) <= shown_to_all(match)
    before = shown_to_all(match.before) if match.before else set()
    assert named_in(seen["outcomes"]) <= shown_to_all(match) | before
    assert named_in({**seen, "state": None, "outcomes": None}) == set()


EXAMPLE = NAMES[0]
"""The sentence about a card that there is not gives this one as an example, always."""


def wild(match, chance):
    """An action with any cards: mostly one that is refused."""
    cards = (*cards_in_play(match), NOT_A_WORD)
    card, two = chance.choice(cards), tuple(chance.sample(cards, 2))
    player = chance.choice((*match.setup.players, NOT_A_WORD))
    pile = chance.choice((1, 2))
    return chance.choice(
        (
            *(kind(two) for kind in (Deal, Draw, Duo)),
            *(kind(card) for kind in (Keep, Pick, DrawOne)),
            *(kind(pile) for kind in (Take, Discard, Look)),
            *(kind() for kind in (Skip, Pass, Stop, LastChance, Mermaids)),
            *(
                Steal(player, card),
                Draw((card, card)),
                Draw((card,)),
                Duo(("lobster-black", two[0]), (card,)),
            ),
        )
    )


def assert_no_refusal_names_a_hidden_card(match, chance, count):
    for _ in range(count):
        action = wild(match, chance)
        said = what_comes(match, action)
        if isinstance(said, tuple):
            code, message = said
            allowed = named_in(action_to_json(action)) | shown_to_all(match)
            allowed |= {EXAMPLE} if code == "unknown-card" else set()
            assert named_in(message) <= allowed, (action, message)


@given(SEEDS, st.integers(2, 4), st.booleans(), st.sampled_from((0.1, 0.6, 1)))
@settings(max_examples=25)
def test_no_card_is_named_that_does_not_lie_open(seed, players, salt, draws):
    """Over whole games: states, outcomes, refusals; and the same after taking back."""
    chance = Random(seed)
    now = begin(players, salt=salt)
    while now.step < 400 and (legal := now.game.legal(now.state)):
        now = now.do(as_it_comes(now, chosen(legal, chance, draws=draws), chance))
        assert_only_open_cards_are_named(now)
        assert_no_refusal_names_a_hidden_card(now, chance, 3)
        if chance.random() < 0.05:
            count = chance.randint(1, min(now.step, 5))
            back = now.undo(count)
            seen = reply(back, only_viewer=True)
            assert seen["outcomes"] == []
            assert named_in(seen) <= shown_to_all(back)
            assert_no_refusal_names_a_hidden_card(back, chance, 3)
            now = back if chance.random() < 0.5 else now


@pytest.mark.parametrize("place", ["deck", "hands", "drawn"])
def test_with_a_card_named_the_same_test_fails(monkeypatch, place):
    now = moment(lambda state: state.phase == "keep")
    assert_only_open_cards_are_named(now)
    honest = game.view

    def giving_away(state, viewer):
        cards = getattr(state, place)
        cards = cards if isinstance(cards, int) else cards[0]
        return {**honest(state, viewer), "?": f"Watch out for {names_of(cards)[-1]}!"}

    monkeypatch.setattr(game, "view", giving_away)
    with pytest.raises(AssertionError):
        assert_only_open_cards_are_named(now)


# --- actions that are secrets ---------------------------------------------------------


@given(SEEDS, st.integers(2, 4), st.booleans(), st.integers(1, 400))
@settings(max_examples=60)
def test_an_action_that_names_a_hidden_card_is_secret(seed, players, salt, steps):
    """Done, it names a card that does not lie open after it; possible, one that would not."""
    chance = Random(seed)
    for now in played_on(begin(players, salt=salt), chance, steps):
        if named_in(action_to_json(now.action)) - shown_to_all(now):
            assert now.game.secret(now.action), now.action
        for possible in now.game.legal(now.state):
            after = now.do(as_it_comes(now, possible, Random(seed)))
            if named_in(action_to_json(possible)) - shown_to_all(after):
                assert now.game.secret(possible), possible
            if named_in(action_to_json(possible)) - shown_to_all(now):
                assert now.game.secret(possible), possible


@pytest.mark.parametrize(
    "action",
    [
        *(Keep("crab-grey"), Duo(("crab-grey", "crab-green")), Draw(("crab-grey", "crab-green"))),
        *(Draw(("crab-grey",)), Pick("crab-grey"), DrawOne("crab-grey"), Steal("Bo", "crab-grey")),
        Duo(("crab-grey", "lobster-black"), ("fish-green",)),
        *(Stop(), LastChance(), Mermaids()),
    ],
    ids=repr,
)
def test_these_actions_are_secret(action):
    assert game.GAME.secret(action)


@pytest.mark.parametrize(
    "action",
    [
        *(Deal(), Deal(("crab-grey", "crab-green")), Draw(), DrawOne(), Pick(), Steal("Bo")),
        *(Take(1), Discard(2), Look(1), Skip(), Pass()),
    ],
    ids=repr,
)
def test_these_actions_are_not_secret(action):
    assert not game.GAME.secret(action)
