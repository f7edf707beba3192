"""What everybody may be shown of the past of a game that goes on.

A card in a hand is nobody else's business, and which tile was seen where is what people are
to remember (octopus alarm, rule 12): so the past tells it only while the tile lies open.
Nor may anybody find it out by asking what would be, if something had been otherwise.
"""

from __future__ import annotations

from typing import Any

from companion.codec import action_to_json
from companion.match import Match
from companion.repair.suspects import hidden_verbs
from companion.rules.api import Action
from companion.rules.octopus_alarm_tiles import weight
from companion.rules.octopus_alarm_words import Flip
from companion.rules.octopus_alarm_words import State as AlarmState
from companion.rules.sea_salt_paper.state import State as SaltState
from companion.rules.sea_salt_paper.words import RoundEnded


def forgotten(now: Match, here: Match, action: Action) -> bool:
    """Whether people are to remember by themselves what a tile showed.

    Args:
        now: the game as it stands.
        here: the match in which the action was, or would be, done.
        action: the action.
    """
    if not isinstance(action, Flip) or now.game.standing(now.state).over:
        return False
    return not _open(now, 4 * here.state.ship + action.tile)


def _open(now: Match, place: int) -> bool:
    state = now.state
    return bool(state.terms.memory_aid or state.up >> place & 1)


def public_action(now: Match, here: Match, action: Action) -> dict[str, Any]:
    """The action as JSON, as everybody may know it; `secret` is there where something is not."""
    body = action_to_json(action)
    if now.game.secret(action):
        return {"do": body["do"], "secret": True}
    if forgotten(now, here, action):
        return {"do": body["do"], "tile": body["tile"], "secret": True}
    return body


def may_show(now: Match, here: Match, action: Flip) -> bool:
    """Whether a tile may show this face there, as far as everybody can see.

    What was seen and lies face down again is not asked: it would give it away.
    """
    state: AlarmState = here.state
    place = 4 * state.ship + action.tile
    if state.phase not in ("flip", "choose") or state.up >> place & 1 or action.face is None:
        return False
    known = [
        face if (state.up >> number & 1 or state.terms.memory_aid) and _open(now, number) else None
        for number, face in enumerate(state.seen)
    ]
    if known[place] is not None:
        return known[place] == action.face
    return bool(weight(state.terms.always, known, state.ship, action.face))


def verb_is_open(here: Match, action: Action) -> bool:
    """Whether such a verb may be possible here, as far as everybody can see."""
    possible = [each for each in here.game.legal(here.state) if not here.game.secret(each)]
    return type(action) in {type(each) for each in (*possible, *hidden_verbs(here))}


def concealed(now: Match, here: Match, action: Action, told_in: Match | None) -> bool:
    """Whether something hidden decides if an action is possible, or what it brings about.

    Args:
        now: the game as it stands.
        here: the match in which the action would be done.
        action: the action.
        told_in: the match in which it was told; None for one that was not.
    """
    if not verb_is_open(here, action):
        return False  # refused, whatever is hidden
    if now.game.secret(action):
        return True
    if not isinstance(action, Flip) or now.game.standing(now.state).over:
        return False
    if now.state.terms.memory_aid:
        return False
    # Of what else was seen it depends whether a tile can show another face, or lie elsewhere.
    elsewhere = told_in is None or told_in.state.ship != here.state.ship
    return elsewhere or forgotten(now, here, action)


def lays_open(after: Match) -> bool:
    """Whether hands were counted at the end of a round by the action that led to this match."""
    return cards_lie_hidden(after) and any(
        isinstance(outcome, RoundEnded) and outcome.reason != "deck-empty"
        for outcome in after.outcomes
    )


def cards_lie_hidden(match: Match) -> bool:
    """Whether players hold cards that others do not see, and the program knows them."""
    return isinstance(match.state, SaltState)
