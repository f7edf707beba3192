"""A game of the past on the board, step by step, as everybody at the table saw it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.announcer import snapshot_of
from companion.chronicle import Played, player_of
from companion.match import Match
from companion.snapshot import Event, Snapshot, Source, plain_event
from web_ui.corrections_words import Line, Words
from web_ui.games import face_of
from web_ui.views import board

SERVICE = Source("service")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a replay.

    Attributes:
        number: how many actions are in force.
        last: of all.
        line: what was done, and what it was before it was set right; None at the start.
        gone: what was told before it and is not in force any more.
        clock: when it was done, such as `12:41:07`; empty where the clock was not set.
    """

    number: int
    last: int
    line: Line | None
    gone: tuple[Line, ...]
    clock: str


def snapshot_at(played: Played, step: int) -> Snapshot:
    """The table after so many actions, as a spectator saw it.

    Raises:
        IndexError: the game has fewer.
    """
    match = played.matches[step]
    return snapshot_of(
        match,
        epoch=f"replay-{played.summary.id}",
        revision=step,
        table="",
        game_id=played.summary.id,
        event=_event(played, match),
        readers={},
    )


def _event(played: Played, match: Match) -> Event:
    if match.action is None:
        return plain_event("started", SERVICE, None)
    action = None if match.game.secret(match.action) else match.action
    source = played.sources[played.entry_of(match.step)]
    player = player_of(match)
    return Event(match.step, "action", player, action, 0, match.outcomes, source, "", "")


def board_at(played: Played, step: int, shapes: Mapping[str, str]) -> dict[str, Any]:
    """What the template of the board needs."""
    snapshot = snapshot_at(played, step)
    return {
        **board(snapshot, face_of(snapshot.game_name), shapes),
        "page": "tv",
        "helper": False,
        "form_key": "",
    }


def words_of(played: Played) -> Words:
    """Tells the history of the game."""
    last = snapshot_at(played, played.summary.actions)
    return Words(last, played.history, face_of(played.summary.game))


def step_at(played: Played, step: int, clock: str) -> Step:
    """What stands beside the board."""
    words = words_of(played)
    told = played.history.told
    links = played.history.timeline.links
    line = None
    gone: list[Line] = []
    if step:
        labels = [one.label for one in told]
        place = labels.index(links[step - 1].label)
        before = labels.index(links[step - 2].label) + 1 if step > 1 else 0
        line = words.line(told[place])
        gone = [words.line(one) for one in told[before:place]]
        if step == len(links):
            gone += [words.line(one) for one in told[place + 1 :]]
    elif not links:
        gone = [words.line(one) for one in told]
    return Step(step, len(links), line, tuple(gone), clock)
