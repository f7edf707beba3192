"""The part of the HTTP API that tells of the games that were played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

from flask import Blueprint, Response, jsonify, request

from companion.chronicle import Aliases, Played, Summary, turns
from companion.rules.api import Refusal
from web_ui.errors import Problem
from web_ui.history import games, problems
from web_ui.history_export import (
    all_to_csv,
    all_to_json,
    course_to_csv,
    course_to_json,
    game_to_json,
    plays_to_json,
    turn_to_json,
)
from web_ui.parts import parts

blueprint = Blueprint("history_api", __name__, url_prefix="/api/v1")

MOST = 200
"""So many games are told of in one answer."""
DIGITS = 9


def aliases() -> Aliases:
    """What programs are told of players who are not to be named any more."""
    return Aliases(parts().household.now.hidden)


@blueprint.get("/games")
def listing() -> Response:
    """The newest games in short."""
    count = _number("limit", MOST)
    if not 1 <= count <= MOST:
        raise Refusal("bad-command", f"limit is a whole number from 1 to {MOST}.")
    before = _number("before", 0)
    with problems():
        found = games().listed(aliases(), game=_kind(), before=before or None, count=count)
    more = found.games[-1].number if found.more else None
    return jsonify(
        {
            "ok": True,
            "total": found.total,
            "games": [game_to_json(game) for game in found.games],
            "before": more,
        }
    )


def _kind() -> str | None:
    return request.args.get("game") or None


def _number(name: str, default: int) -> int:
    text = request.args.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        raise Refusal("bad-command", f"{name} is a whole number.")
    return int(text)


@blueprint.get("/games.json")
def all_json() -> Response:
    """All games in short, to be kept."""
    return _streamed(all_to_json(_everything()), "application/json", "games.json")


@blueprint.get("/games.csv")
def all_csv() -> Response:
    """All games as a table, a row for each player."""
    return _streamed(all_to_csv(_everything()), "text/csv", "games.csv")


@blueprint.get("/plays.json")
def plays() -> Response:
    """Finished games as logs of plays take them in."""
    return _file(jsonify(plays_to_json(_everything())), "plays.json")


@blueprint.get("/games/<uuid:played>")
def single(played: UUID) -> Response:
    """One game in short, with the score after each turn."""
    found = _played(played)
    course = [turn_to_json(turn) for turn in turns(found.matches)]
    return jsonify({"ok": True, **game_to_json(found.summary), "course": course})


@blueprint.get("/games/<uuid:played>.json")
def course_json(played: UUID) -> Response:
    """One game with its whole course, to be kept."""
    found = _ended(played)
    return _file(jsonify(course_to_json(found)), f"game-{found.summary.number}.json")


@blueprint.get("/games/<uuid:played>.csv")
def course_csv(played: UUID) -> Response:
    """One game as a table, a row for each action."""
    found = _ended(played)
    return _streamed(course_to_csv(found), "text/csv", f"game-{found.summary.number}.csv")


def _played(identity: UUID) -> Played:
    with problems():
        return games().played(str(identity), aliases())


def _ended(identity: UUID) -> Played:
    """A game whose course can give nothing away any more."""
    found = _played(identity)
    if found.summary.state == "going-on":
        raise Problem("not-legal", "This game goes on: its course can be had when it is over.")
    return found


def _everything() -> Iterator[Summary]:
    """All games; the first of them is read before anything is answered, so that a fault shows."""
    with problems():
        found = games().everything(aliases(), _kind())
        first = next(found, None)
    return iter(()) if first is None else _after(first, found)


def _after(first: Summary, rest: Iterable[Summary]) -> Iterator[Summary]:
    yield first
    yield from rest


def _streamed(lines: Iterator[str], media_type: str, name: str) -> Response:
    return _file(Response(lines, mimetype=media_type), name)


def _file(response: Response, name: str) -> Response:
    response.headers["Content-Disposition"] = f'attachment; filename="tidetable-{name}"'
    return response
