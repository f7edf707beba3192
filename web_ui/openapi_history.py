"""The description of that part of the HTTP API which tells of the games that were played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.chronicle import GameState
from web_ui.history_export import FORMAT
from web_ui.openapi_shapes import COUNT, TEXT, exactly, list_of, ref

_SCORES = {"type": "object", "additionalProperties": {"type": "integer"}}
_WHEN = {
    "type": ["string", "null"],
    "description": "UTC, ISO 8601; null where the clock was not set.",
}
_STATES = list(GameState.__args__)  # type: ignore[attr-defined]  # of a Literal
_FORMAT = {"const": FORMAT, "description": "Of this file."}
_PROBLEMS = {
    "404": "`not-found`: no such game, or no history is kept.",
    "503": "`storage`: the record cannot be read now.",
}


_IN_SHORT: dict[str, Any] = {
    "id": {**TEXT, "format": "uuid"},
    "number": {**COUNT, "description": "Counts the games of this table from 1."},
    "game": {**TEXT, "description": "Such as `tentacles`."},
    "state": {"enum": _STATES, "description": "`given-up`: another game was begun before its end."},
    "began": {**_WHEN, "description": f"Its first action. {_WHEN['description']}"},
    "length_s": {**COUNT, "description": "From the first action to the last, without breaks."},
    "players": {**list_of(TEXT), "description": "In seating order."},
    "options": {"type": "object"},
    "scores": _SCORES,
    "winners": list_of(TEXT),
    "actions": {**COUNT, "description": "In force."},
    "turns": COUNT,
    "corrections": {**COUNT, "description": "Of the past, beside what was taken back."},
    "tallies": {
        "type": "object",
        "description": "What came about how often, by its word and by player; empty for nobody.",
        "additionalProperties": {"type": "object", "additionalProperties": COUNT},
    },
    "trouble": {"type": ["string", "null"], "description": "What is wrong with its record."},
}
_TURN = exactly(
    {
        "step": {**COUNT, "description": "How many actions were in force."},
        "player": {"type": ["string", "null"], "description": "Whose turn it was."},
        "scores": _SCORES,
    }
)
_TIME = exactly(
    {
        "entry": COUNT,
        "at": _WHEN,
        "seconds": {
            "type": ["number", "null"],
            "description": "Since the first entry; null after the machine was started anew.",
        },
    }
)
SCHEMAS: Mapping[str, Any] = {
    "PlayedGame": exactly(_IN_SHORT, "A game in short, as everybody may know it.")
}

_GAME = {
    "name": "game",
    "in": "path",
    "required": True,
    "description": "The id of a game.",
    "schema": {**TEXT, "format": "uuid"},
}
_KIND = {
    "name": "game",
    "in": "query",
    "description": "Only games of this kind, such as `tentacles`.",
    "schema": TEXT,
}
_PLAY = exactly(
    {
        "uuid": TEXT,
        "playDate": {**TEXT, "description": "By the table's own clock."},
        "durationMin": COUNT,
        "gameRefId": COUNT,
        "rounds": COUNT,
        "usesTeams": {"const": False},
        "manualWinner": {"const": True},
        "playerScores": list_of(
            exactly(
                {
                    "playerRefId": COUNT,
                    "score": {**TEXT, "description": "A number, as a text."},
                    "winner": {"type": "boolean"},
                    "rank": COUNT,
                    "seatOrder": COUNT,
                }
            )
        ),
    }
)
_COUNT_OR_NULL = {"type": ["integer", "null"]}
_PLAYS = exactly(
    {
        "games": list_of(
            exactly(
                {
                    "id": COUNT,
                    "uuid": TEXT,
                    "name": TEXT,
                    "highestWins": {"const": True},
                    "minPlayerCount": _COUNT_OR_NULL,
                    "maxPlayerCount": _COUNT_OR_NULL,
                }
            )
        ),
        "players": list_of(exactly({"id": COUNT, "uuid": TEXT, "name": TEXT})),
        "locations": {"type": "array", "maxItems": 0},
        "plays": list_of(_PLAY),
    }
)


def paths(
    json: Callable[[str, dict[str, Any]], dict[str, Any]], changed: Mapping[str, Any]
) -> dict[str, Any]:
    """The paths of this part.

    Args:
        json: describes an answer in JSON.
        changed: what may become of a request that changes something, by status; the shape of
            errors is taken from it.
    """
    error = changed["401"]
    problems = {status: {**error, "description": text} for status, text in _PROBLEMS.items()}
    damaged = {"409": {**error, "description": "`not-legal`: the record of this game is damaged."}}
    going_on = {
        "409": {**error, "description": "`not-legal`: it goes on, or its record is damaged."}
    }
    table = {"content": {"text/csv": {"schema": TEXT}}}

    def get(name: str, summary: str, parameters: list[Any], responses: Any) -> dict[str, Any]:  # noqa: ANN401
        return {
            "get": {
                "operationId": name,
                "summary": summary,
                "parameters": parameters,
                "responses": {**responses, **problems},
            }
        }

    short = ref("PlayedGame")
    listing = exactly(
        {
            "ok": {"const": True},
            "total": {**COUNT, "description": "How many games there are of this kind."},
            "games": list_of(short),
            "before": {
                "type": ["integer", "null"],
                "description": "Ask with it for the older ones; null where there are none.",
            },
        }
    )
    course = {
        "course": {**list_of(_TURN), "description": "The score at the start and after turns."}
    }
    in_full = {
        "tidetable_history": _FORMAT,
        **_IN_SHORT,
        **course,
        "history": {
            **list_of({"type": "object"}),
            "description": "As in `GET /api/v1/history`.",
        },
        "times": list_of(_TIME),
    }
    all_games = {"tidetable_history": _FORMAT, "games": list_of(short)}
    whole = {"type": "integer", "minimum": 1, "maximum": 999_999_999}
    return {
        "/api/v1/games": get(
            "games",
            "The newest games in short",
            [
                _KIND,
                {
                    "name": "before",
                    "in": "query",
                    "description": "The `number` of a game: only those before it.",
                    "schema": whole,
                },
                {
                    "name": "limit",
                    "in": "query",
                    "description": "No more than so many; 200 at most.",
                    "schema": {**whole, "maximum": 200},
                },
            ],
            {"200": json("Newest first.", listing), "400": changed["400"]},
        ),
        "/api/v1/games.json": get(
            "allGames",
            "All games in short, to be kept",
            [_KIND],
            {"200": json("Newest first.", exactly(all_games))},
        ),
        "/api/v1/games.csv": get(
            "allGamesTable",
            "All games as a table, a row for each player",
            [_KIND],
            {"200": {"description": "docs/history.md names the columns.", **table}},
        ),
        "/api/v1/plays.json": get(
            "plays",
            "Finished games as logs of plays take them in",
            [_KIND],
            {"200": json("Newest first.", _PLAYS)},
        ),
        "/api/v1/games/{game}": get(
            "game",
            "One game in short, with the score after each turn",
            [_GAME],
            {
                "200": json("The game.", exactly({"ok": {"const": True}, **_IN_SHORT, **course})),
                **damaged,
            },
        ),
        "/api/v1/games/{game}.json": get(
            "gameInFull",
            "One game with its whole course, when it is over",
            [_GAME],
            {"200": json("As everybody at the table saw it.", exactly(in_full)), **going_on},
        ),
        "/api/v1/games/{game}.csv": get(
            "gameTable",
            "One game as a table, a row for each action, when it is over",
            [_GAME],
            {"200": {"description": "docs/history.md names the columns.", **table}, **going_on},
        ),
    }
