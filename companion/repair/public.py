"""What everybody may be shown of the past of a game that goes on.

A card in a hand is nobody else's business, and which tile was seen where is what people are
to remember (octopus alarm, rule 12): so the past tells it only while the tile lies open.
"""

from __future__ import annotations

from typing import Any

from companion.codec import action_to_json
from companion.match import Match
from companion.rules.api import Action
from companion.rules.octopus_alarm_tiles import weight
from companion.rules.octopus_alarm_words import Flip
from companion.rules.octopus_alarm_words import State as AlarmState


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
