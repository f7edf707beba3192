"""What a component that was laid down means now, of whatever kind it is."""

from __future__ import annotations

from typing import Any

from companion.meaning.api import Do, Known, Meaning, Notice, Refuse, TakeBack, Tap, Understanding
from companion.meaning.plain import NO_MEANING, no_meaning
from companion.rules.api import TagKind
from companion.said import Thing, say

UNDO = "control/undo"


def meaning_of(
    understanding: Understanding[Any],
    memory: Any,  # noqa: ANN401 - what each understanding remembers is its own matter
    known: Known,
    *,
    component: str,
    uid: str,
    station: str,
) -> tuple[Any, Meaning]:
    """What it means, and the memory after it.

    Args:
        understanding: of the game that is played.
        memory: its memory so far.
        known: the game as it stands.
        component: what was laid down, such as `tentacles/dots`, `player/2`, `control/stop`.
        uid: of the tag; empty for a button.
        station: where the reader stands; empty where nobody said it.
    """
    where, _, name = component.partition("/")
    match = known.match
    told: tuple[Any, Meaning] | None
    kind: TagKind
    if component == UNDO:
        return memory, TakeBack()
    if where == match.game.name:
        return understanding.tapped(memory, Tap(name, uid, station), known)
    if where == "player":
        players = match.setup.players
        if int(name) > len(players):
            return memory, Refuse(
                "unknown-player",
                say(
                    "Nobody sits at seat %(seat)s: %(players)s play.",
                    seat=name,
                    players=len(players),
                ),
            )
        kind, name = "player", players[int(name) - 1]
        told = understanding.player(memory, name, station, known)
    elif where == "control":
        kind = "control"
        told = understanding.control(memory, name, station, known)
    else:
        return memory, Notice(
            NO_MEANING,
            say(
                "This tag belongs to %(other)s, and %(game)s is played.",
                other=Thing(where),
                game=Thing(match.game.name),
            ),
        )
    if told is not None:
        return told
    action = match.game.meaning(match.state, kind, name)
    return memory, no_meaning(match.game.name) if action is None else Do((action,))
