"""The part of the HTTP API that tells of the games that were played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

from flask import Blueprint, Response, jsonify, request, stream_with_context

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


@blueprint.get("/games/<uuid:game>")
def single(game: UUID) -> Response:
    """One game in short, with the score after each turn."""
    played = _played(game)
    course = [turn_to_json(turn) for turn in turns(played.matches)]
    return jsonify({"ok": True, **game_to_json(played.summary), "course": course})


@blueprint.get("/games/<uuid:game>.json")
def course_json(game: UUID) -> Response:
    """One game with its whole course, to be kept."""
    played = _ended(game)
    return _file(jsonify(course_to_json(played)), f"game-{played.summary.number}.json")


@blueprint.get("/games/<uuid:game>.csv")
def course_csv(game: UUID) -> Response:
    """One game as a table, a row for each action."""
    played = _ended(game)
    return _streamed(course_to_csv(played), "text/csv", f"game-{played.summary.number}.csv")


def _played(game: UUID) -> Played:
    with problems():
        return games().played(str(game), aliases())


def _ended(game: UUID) -> Played:
    """A game whose course can give nothing away any more."""
    played = _played(game)
    if played.summary.state == "going-on":
        raise Problem("not-legal", "This game goes on: its course can be had when it is over.")
    return played


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
    response = Response(stream_with_context(lines), mimetype=media_type)
    return _file(response, name)


def _file(response: Response, name: str) -> Response:
    response.headers["Content-Disposition"] = f'attachment; filename="tidetable-{name}"'
    return response
