"""What of the table is told to others: its state, and what happens, as plain JSON.

Pure. All of it is made from the spectator's snapshot and from nothing else, so nothing is told
that not everybody may see; nor what everybody saw and is to remember without help. The shapes are
described in docs/smart-home.md, and a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, get_args

from companion.codec import outcome_to_json
from companion.rules.api import Outcome
from companion.rules.octopus_alarm_words import (
    AnimalNotVisible,
    ShipCapsized,
    ShipUpright,
    Tile,
)
from companion.rules.sea_salt_paper.words import TARGETS
from companion.rules.tentacles_words import PATTERNS
from companion.snapshot import Question, Snapshot

EventType = Literal[
    "game-begun",
    "turn",
    "score",
    "shown",
    "happened",
    "alarm-began",
    "alarm-ended",
    "question",
    "reader-lost",
    "reader-back",
    "taken-back",
    "corrected",
    "game-over",
]
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)

THINGS = frozenset({"card", "cards", "face", "animal", "pattern"})
"""Fields of outcomes that name cards, tiles or chips, whatever a player is called."""

SHOWN = frozenset({"card", "cards", "face", "animal"})
"""Fields of outcomes by which something came to lie open."""


def state_of(snapshot: Snapshot, *, names: bool = True) -> dict[str, Any]:
    """How the table stands.

    Args:
        snapshot: as the table published it.
        names: tell what players are called; without, they are `Player 1` and so on.
    """
    standing, called = snapshot.standing, _called(snapshot, names=names)
    lost = [reader.name for reader in snapshot.readers if not reader.ready]
    return {
        "table": snapshot.table,
        "game": snapshot.game,
        "game_name": snapshot.game_name,
        "revision": snapshot.revision,
        "step": snapshot.step,
        "phase": standing.phase,
        "turn": None if standing.turn is None else called(standing.turn),
        "turn_seat": _seat(snapshot, standing.turn),
        "players": [
            {
                "seat": _seat(snapshot, player),
                "name": called(player),
                "score": standing.scores.get(player, 0),
                "gone": player in standing.gone,
            }
            for player in snapshot.players
        ],
        "target": target_of(snapshot),
        "over": standing.over,
        "winners": [called(player) for player in standing.winners],
        "alarm": snapshot.alarm,
        "questions": len(_asked(snapshot)),
        "readers": len(snapshot.readers),
        "readers_lost": lost,
        "reader_problem": bool(lost),
    }


def events_between(
    before: Snapshot | None, now: Snapshot, *, time: str, names: bool = True
) -> tuple[dict[str, Any], ...]:
    """What happened between two snapshots, in order.

    Args:
        before: the one that was told last; None at the start of the service.
        now: the one that follows it.
        time: when it was published, by the clock on the wall (ISO 8601).
        names: tell what players are called; without, they are `Player 1` and so on.
    """
    return tuple(
        {
            "event_type": kind,
            "id": f"{now.game}/{now.revision}/{number}",
            "table": now.table,
            "game": now.game,
            "game_name": now.game_name,
            "revision": now.revision,
            "step": now.step,
            "n": number,
            "time": time,
            **more,
        }
        for number, (kind, more) in enumerate(_happened(before, now, names=names), 1)
    )


def to_be_remembered(now: Snapshot, outcome: Outcome) -> frozenset[str]:
    """Fields that are not told: all saw it, and who listens would remember it for them.

    What a tile showed is for people's heads (octopus alarm, rule 12), unless they play with the
    memory aid, by which it stays on the page.
    """
    if isinstance(outcome, (Tile, AnimalNotVisible)) and "seen" not in now.state:
        return frozenset({"face", "animal"})
    return frozenset()


def target_of(snapshot: Snapshot) -> int | None:
    """How many points win, in a game that says so."""
    match snapshot.game_name:
        case "tentacles":
            return len(PATTERNS)
        case "sea-salt-paper":
            return TARGETS.get(len(snapshot.players))
    target = snapshot.state.get("target")
    return target if type(target) is int else None


def _asked(snapshot: Snapshot) -> tuple[Question, ...]:
    """What the table cannot know.

    A tap that waits for another is asked about as well, so that people can forget it; but by it
    nothing has happened, and it comes with nearly every card that is drawn.
    """
    return tuple(
        question
        for question in snapshot.questions
        if not snapshot.waiting or question.text != snapshot.waiting
    )


def _seat(snapshot: Snapshot, player: str | None) -> int | None:
    return snapshot.players.index(player) + 1 if player in snapshot.players else None


def _called(snapshot: Snapshot, *, names: bool) -> Callable[[str], str]:
    """What a player is called when others are told."""
    if names:
        return str
    others = {name: f"Player {seat}" for seat, name in enumerate(snapshot.players, 1)}
    return lambda name: others.get(name, name)


_Told = Iterator[tuple[EventType, dict[str, Any]]]


def _happened(before: Snapshot | None, now: Snapshot, *, names: bool) -> _Told:
    called = _called(now, names=names)

    def who(player: str) -> dict[str, Any]:
        return {"player": called(player), "seat": _seat(now, player)}

    new_game = before is None or before.game != now.game
    if new_game and (before is not None or now.event.kind == "started"):
        yield "game-begun", {"players": list(map(called, now.players)), "target": target_of(now)}
    if before is None:
        return
    if now.event.number != before.event.number:
        yield from _course(now, called)
    yield from _alarm(before, now)
    standing = now.standing
    if not new_game:
        for player, score in standing.scores.items():
            was = before.standing.scores.get(player, 0)
            if score != was:
                yield "score", {**who(player), "score": score, "before": was}
    if standing.turn is not None and (new_game or standing.turn != before.standing.turn):
        yield "turn", who(standing.turn)
    if standing.over and not (before.standing.over and not new_game):
        yield (
            "game-over",
            {
                "winners": list(map(called, standing.winners)),
                "scores": {called(player): score for player, score in standing.scores.items()},
            },
        )
    asked = {question.key for question in _asked(before)}
    for question in _asked(now):
        if question.key not in asked:
            yield (
                "question",
                {
                    "key": question.key,
                    # A sentence may name somebody anywhere.
                    "text": question.text if names else "",
                    "player": None if question.who is None else called(question.who),
                    "seat": _seat(now, question.who),
                },
            )
    yield from _readers(before, now)


def _course(now: Snapshot, called: Callable[[str], str]) -> _Told:
    match now.event.kind:
        case "undo":
            yield "taken-back", {"count": now.event.count}
        case "corrected":
            yield "corrected", {}
        case "action":
            for outcome in now.event.outcomes:
                body = {
                    key: value if key in THINGS or key == "what" else _renamed(value, called)
                    for key, value in outcome_to_json(outcome).items()
                    if key not in to_be_remembered(now, outcome)
                }
                yield "happened" if SHOWN.isdisjoint(body) else "shown", {"outcome": body}


def _alarm(before: Snapshot, now: Snapshot) -> _Told:
    if now.alarm and not before.alarm:
        yield "alarm-began", {}
    elif before.alarm and not now.alarm:
        how = next(filter(None, map(_how, now.event.outcomes)), "")
        yield "alarm-ended", {"how": how or _OTHERWISE.get(now.event.kind, "otherwise")}


def _how(outcome: Outcome) -> str:
    match outcome:
        case ShipCapsized():
            return "capsized"
        case ShipUpright():
            return "upright"
    return ""


_OTHERWISE = {"undo": "taken-back", "corrected": "corrected"}


def _readers(before: Snapshot, now: Snapshot) -> _Told:
    were_ready = {reader.name: reader.ready for reader in before.readers}
    for reader in now.readers:
        was = were_ready.get(reader.name, reader.ready)
        if was != reader.ready:
            yield "reader-back" if reader.ready else "reader-lost", {"reader": reader.name}


def _renamed(value: Any, called: Callable[[str], str]) -> Any:  # noqa: ANN401 - a value of JSON
    """The same with every player called so, also where a name stands as a key."""
    match value:
        case str():
            return called(value)
        case Mapping():
            return {called(key): _renamed(content, called) for key, content in value.items()}
        case list() | tuple():
            return [_renamed(content, called) for content in value]
    return value
