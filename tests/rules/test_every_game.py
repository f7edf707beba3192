"""What holds in every game: whole games with random choices, dealt by the program."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from random import Random

import pytest

from companion.codec import action_from_json, action_to_json, outcome_to_json
from companion.match import Match, SeededChance, Setup
from companion.rules import GAMES
from companion.rules.api import Action, Outcome, Refusal

MOST_ACTIONS = 400
NAMES = ("Ann", "Bo", "Cy", "Dora", "Eve", "Finn", "Gil", "Hedy")
of_each_game = pytest.mark.parametrize("name", GAMES)


def games(name, seeds=range(3)):
    """Matches of one game, each with the random choices that play it."""
    game = GAMES[name]
    for seed in seeds:
        count = game.seats[0] if seed % 2 else game.seats[-1]
        yield Match.start(Setup(name, NAMES[:count], seed=seed)), Random(seed)


def played(match, chance, limit=MOST_ACTIONS):
    """The match after each action, until it is over or the limit is reached."""
    yield match
    while match.step < limit:
        legal = match.game.legal(match.state)
        if not legal:
            return
        match = match.do(chance.choice(legal))
        yield match


def seen(match):
    """All that can be seen of a match from outside, as JSON."""
    standing = match.game.standing(match.state)
    views = [match.game.view(match.state, viewer) for viewer in (None, *match.setup.players)]
    return json.loads(json.dumps([views, dict(standing.scores), standing.turn, standing.phase]))


def cards_of(match):
    """The texts of the last action that are no names of players."""
    values = [value for key, value in action_to_json(match.action).items() if key != "do"]
    texts = [
        text for value in values for text in (value if isinstance(value, list | tuple) else [value])
    ]
    return [text for text in texts if isinstance(text, str) and text not in match.setup.players]


@of_each_game
def test_whatever_is_legal_can_be_done(name):
    for start, chance in games(name):
        for match in played(start, chance):
            for action in match.game.legal(match.state):
                assert type(action) in match.game.actions
                assert match.do(action).step == match.step + 1


@of_each_game
def test_the_standing_makes_sense(name):
    for start, chance in games(name):
        for match in played(start, chance):
            standing = match.game.standing(match.state)
            assert list(standing.scores) == list(match.setup.players)
            assert standing.over == (standing.turn is None) == (standing.phase == "over")
            assert standing.over == bool(standing.winners) == (not match.game.legal(match.state))
            assert standing.turn is None or standing.turn in match.setup.players


@of_each_game
def test_the_record_plays_the_game_again(name):
    """From what was written down, at a table where chance is in the command."""
    for start, chance in games(name):
        *_, dealt = played(start, chance)
        again = Match.start(Setup(name, start.setup.players))
        for match in reversed(list(dealt.back())):
            record = json.loads(json.dumps(action_to_json(match.action)))
            again = again.do(action_from_json(name, record))
            assert again.outcomes == match.outcomes
            assert seen(again) == seen(match)


@of_each_game
def test_every_outcome_is_one_of_the_game_and_becomes_json(name):
    for start, chance in games(name):
        for match in played(start, chance):
            for outcome in match.outcomes:
                assert isinstance(outcome, Outcome)
                assert type(outcome) in match.game.outcomes
                json.dumps(outcome_to_json(outcome))


@of_each_game
def test_the_odds_add_up(name):
    for start, chance in games(name):
        for match in played(start, chance):
            odds = match.game.odds(match.state)
            if odds is not None:
                assert math.isclose(sum(odds["next"].values()), 1)


@of_each_game
def test_pieces_are_components_and_no_more_lie_face_up_than_there_are(name):
    for start, chance in games(name):
        for match in played(start, chance):
            pieces = match.game.pieces(match.state)
            assert set(pieces.total) <= set(match.game.components)
            assert all(count <= pieces.total[kind] for kind, count in pieces.turned.items())


@of_each_game
def test_any_tag_means_an_action_of_the_game_or_nothing(name):
    """Laid down at any moment it is done, refused, or means nothing; it never fails."""
    for start, chance in games(name, range(1)):
        tags = [("component", component) for component in start.game.components]
        tags += [("player", player) for player in start.setup.players]
        tags += [("control", "stop"), ("control", "shuffle")]
        for match in played(start, chance, 60):
            for kind, tag in tags:
                action = match.game.meaning(match.state, kind, tag)
                assert action is None or isinstance(action, Action)
                if action is None:
                    continue
                with suppress(Refusal):
                    match.game.apply(match.state, action)


@of_each_game
def test_a_secret_that_no_outcome_told_is_not_in_the_spectators_view(name):
    for start, chance in games(name):
        for match in played(start, chance):
            if match.action is None or not match.game.secret(match.action):
                continue
            told = json.dumps([outcome_to_json(outcome) for outcome in match.outcomes])
            view = json.dumps(match.game.view(match.state, None))
            hidden = [card for card in cards_of(match) if f'"{card}"' not in told]
            assert [card for card in hidden if f'"{card}"' in view] == []


@of_each_game
def test_where_all_see_the_same_nothing_is_a_secret(name):
    for start, chance in games(name):
        for match in played(start, chance):
            views = [match.game.view(match.state, viewer) for viewer in match.setup.players]
            if all(view == match.game.view(match.state, None) for view in views):
                legal = match.game.legal(match.state)
                assert [action for action in legal if match.game.secret(action)] == []


def test_the_same_seed_gives_the_same_game():
    chance = SeededChance(5)
    assert chance.shuffled("pile", range(20)) == SeededChance(5).shuffled("pile", range(20))
    assert chance.shuffled("pile", range(20)) != SeededChance(6).shuffled("pile", range(20))
