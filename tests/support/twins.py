"""Pairs of games that look the same to a spectator, and differ in what lies hidden."""

from __future__ import annotations

from dataclasses import fields, replace
from random import Random

from companion.codec import action_to_json, outcome_to_json
from companion.match import Match, Setup
from companion.repair.public import forgotten, public_action
from companion.repair.suspects import names_in_play, texts
from companion.rules.api import Refusal
from companion.rules.octopus_alarm_words import Flip
from companion.rules.sea_salt_paper import words as salt
from tests.support.random_games import NAMES, timeline_of

SALT = ("sea-salt-paper", {"tracking": "full"})
EXTRA_SALT = ("sea-salt-paper", {"tracking": "full", "salt": True})
ALARM = ("octopus-alarm", {})


def setup_of(kind, players):
    return Setup(kind[0], NAMES[:players], None, kind[1])


def looks(match, viewer=None):
    """All that everybody, or a player, may know of a game and of its past, as it stands."""
    seen = [match.game.view(match.state, viewer)]
    for past in match.back():
        shut = forgotten(match, past.before, past.action)
        # What a tile showed is to be remembered (octopus alarm, rule 12).
        view = {
            key: value
            for key, value in past.game.view(past.state, viewer).items()
            if key not in ("face_up", "seen", "animal")
        }
        outcomes = [] if shut else [outcome_to_json(outcome) for outcome in past.outcomes]
        standing = past.game.standing(past.state)
        own = viewer is not None and _turn(past.before) == viewer
        action = past.action if own else public_action(match, past.before, past.action)
        seen.append((view, standing, action, outcomes))
    return seen


def _turn(match):
    return match.game.standing(match.state).turn


def renamed(action, names):
    """The action with other cards, or another face."""
    changed = {}
    for field in fields(action):
        value = getattr(action, field.name)
        if isinstance(value, tuple):
            changed[field.name] = tuple(names.get(name, name) for name in value)
        elif field.name in ("card", "face"):
            changed[field.name] = names.get(value, value)
    return replace(action, **changed)


def twin_of(setup, actions, chance, tries=25, viewer=None):
    """Other actions that look the same to that viewer; None when none was found."""
    try:
        match = timeline_of(setup, actions).match
    except Refusal:
        return None
    wanted = looks(match, viewer)
    change = _tile_otherwise if setup.game == "octopus-alarm" else _cards_otherwise
    found = list(actions)
    for _ in range(tries):
        try:
            other = change(match, found, chance)
            if other != found and looks(timeline_of(setup, other).match, viewer) == wanted:
                found = other
        except Refusal:
            continue
    return None if found == list(actions) else tuple(found)


def _tile_otherwise(match, actions, chance):
    places = [place for place, action in enumerate(actions) if isinstance(action, Flip)]
    if not places:
        return actions
    place = chance.choice(places)
    face = chance.choice(names_in_play(match))
    return [*actions[:place], replace(actions[place], face=face), *actions[place + 1 :]]


def _cards_otherwise(match, actions, chance):
    """Cards that nobody saw in a round are others; or two of them came in another order."""
    deals = [place for place, action in enumerate(actions) if isinstance(action, salt.Deal)]
    if not deals:
        return actions
    first = chance.choice(deals)
    last = next((place for place in deals if place > first), len(actions))
    cards = list(names_in_play(match))
    if chance.random() < 0.5:
        shown = set().union(
            *(
                texts(past.game.view(past.state, None))
                for past in match.back()
                if first <= past.step <= last + 1
            )
        )
        cards = [card for card in cards if card not in shown]
        names = dict(zip(cards, chance.sample(cards, len(cards)), strict=True))
    else:
        last = chance.randint(first, last)
        named = sorted({*cards} & texts([action_to_json(each) for each in actions[first:last]]))
        if len(named) < 2:
            return actions
        one, other = chance.sample(named, 2)
        names = {one: other, other: one}
    changed = [renamed(action, names) for action in actions[first:last]]
    return [*actions[:first], *changed, *actions[last:]]


def twins(kind, seed, most, seat=None):
    """How a game begins, and two ways in which it went; None when chance finds no such pair."""
    chance = Random(seed)
    setup = setup_of(kind, chance.randint(2, 4))
    match = Match.start(replace(setup, seed=seed))
    for _ in range(chance.randint(most // 3, most)):
        legal = match.game.legal(match.state)
        if not legal:
            break
        ends = [each for each in legal if not isinstance(each, (salt.Stop, salt.Mermaids))]
        match = match.do(chance.choice(ends or legal))
    actions = tuple(each.action for each in reversed(list(match.back())))
    viewer = None if seat is None else setup.players[seat]
    other = twin_of(setup, actions, chance, viewer=viewer)
    return None if other is None else (setup, actions, other)
