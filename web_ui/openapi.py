"""The description of the HTTP API (OpenAPI 3.1)."""

from __future__ import annotations

from typing import Any

from web_ui import openapi_corrections, openapi_diagnostics, openapi_history
from web_ui.errors import STATUS
from web_ui.openapi_shapes import COUNT, SECURITY, TEXT, ref


def _error(description: str, schema: str = "Error") -> dict[str, Any]:
    return {
        "description": description,
        "content": {"application/json": {"schema": ref(schema)}},
    }


def _json(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


_TABLE = ref("Table")

_TABLE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "The reply object of the play protocol for a spectator, and what the table adds.",
    "required": [
        "ok",
        "step",
        "outcomes",
        "game",
        "turn",
        "phase",
        "legal",
        "scores",
        "state",
        "over",
        "winners",
        "revision",
        "epoch",
        "readers",
        "ship",
        "questions",
        "waiting",
        "last_event",
        "table",
        "game_id",
    ],
    "properties": {
        "ok": {"const": True},
        "step": {**COUNT, "description": "How many actions are in force."},
        "outcomes": {
            "type": "array",
            "description": "What the action brought about that this answers, in order.",
            "items": {"type": "object", "required": ["what"], "properties": {"what": TEXT}},
        },
        "game": {**TEXT, "description": "Such as `tentacles`."},
        "turn": {"type": ["string", "null"], "description": "The player in turn."},
        "phase": {**TEXT, "description": "What the rules wait for; `over` at the end."},
        "legal": {"type": "array", "maxItems": 0, "description": "A spectator has no choice."},
        "scores": {"type": "object", "additionalProperties": {"type": "integer"}},
        "state": {"type": "object", "description": "What a spectator may see; see each game."},
        "over": {"type": "boolean"},
        "winners": {"type": "array", "items": TEXT},
        "revision": {**COUNT, "description": "Grows with every change, also across restarts."},
        "epoch": {**TEXT, "description": "Names this run of the service."},
        "readers": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "state", "hardware", "trouble"],
                "additionalProperties": False,
                "properties": {
                    "name": TEXT,
                    "state": {"enum": ["ready", "lost"]},
                    "hardware": TEXT,
                    "trouble": {**TEXT, "description": "What is wrong and what to do."},
                },
            },
        },
        "ship": {
            "type": ["object", "null"],
            "description": "How the ship is judged in an alarm, and until it has been stood up "
            "again; else null.",
            "required": ["phase", "angle", "reason", "alarm"],
            "additionalProperties": False,
            "properties": {
                "phase": {
                    "enum": [
                        "unwatched",
                        "armed",
                        "swinging",
                        "settling",
                        "judged",
                        "asking",
                        "stand-up",
                    ]
                },
                "angle": {
                    "type": ["integer", "null"],
                    "description": "Degrees from upright when the phase began.",
                },
                "reason": {
                    **TEXT,
                    "description": "Why people are asked how it stands, or what is waited for.",
                },
                "alarm": {"type": "boolean", "description": "False when only to be stood up."},
            },
        },
        "questions": {
            "type": "array",
            "description": "What the table cannot know and asks, oldest first.",
            "items": {
                "type": "object",
                "required": ["key", "text", "choices", "who", "blocking"],
                "additionalProperties": False,
                "properties": {
                    "key": {**TEXT, "description": "Names it while it is asked."},
                    "text": TEXT,
                    "choices": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["key", "label"],
                            "additionalProperties": False,
                            "properties": {"key": TEXT, "label": TEXT},
                        },
                    },
                    "who": {
                        "type": ["string", "null"],
                        "description": "The player concerned; null for whoever is there.",
                    },
                    "blocking": {
                        "type": "boolean",
                        "description": "Nothing else counts until it is answered.",
                    },
                },
            },
        },
        "waiting": {**TEXT, "description": "What was tapped and waits for more; or empty."},
        "last_event": {
            "type": "object",
            "required": ["text", "cause"],
            "additionalProperties": False,
            "properties": {
                "text": {**TEXT, "description": "What happened, in English."},
                "cause": {**TEXT, "description": "Why, such as `card read on pcsc-1`."},
            },
        },
        "table": {**TEXT, "description": "The id of this table."},
        "game_id": {**TEXT, "description": "The id of this game."},
    },
}

_ERROR_BODY: dict[str, Any] = {
    "type": "object",
    "required": ["code", "message"],
    "additionalProperties": False,
    "properties": {
        "code": {"enum": sorted(STATUS)},
        "message": {"type": "string", "minLength": 1},
    },
}

_ACTION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "An action of the play protocol (`do` and its fields), or `undo`.",
    "properties": {
        "do": {**TEXT, "description": "The verb; its fields stand beside it."},
        "undo": {"type": "integer", "minimum": 1, "description": "Take back so many actions."},
        "revision": {
            **COUNT,
            "description": "The revision that it is based on. When the game has changed since, "
            "nothing is done and the answer is `stale`.",
        },
        "id": {
            "type": "string",
            "minLength": 1,
            "maxLength": 100,
            "description": "A request with an id is carried out once, however often it comes.",
        },
    },
    "oneOf": [{"required": ["do"]}, {"required": ["undo"]}],
}

_ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "What people choose of a question, by the keys of both.",
    "required": ["question", "choice"],
    "additionalProperties": False,
    "properties": {
        "question": {**TEXT, "description": "Its `key` in `questions` of the table."},
        "choice": {**TEXT, "description": "The `key` of one of its choices."},
        "revision": _ACTION_SCHEMA["properties"]["revision"],
    },
}

_STREAM_DESCRIPTION = (
    "Events `table` (data: the same JSON as `GET /api/v1/table`; id: `epoch.revision`), at once "
    "and at each change; `heartbeat` every 5 seconds; `hello` first; `evicted` when a newer "
    "client took the place."
)

_CHANGED: dict[str, Any] = {
    "200": _json(
        "It is done, and on the disk.",
        {
            "allOf": [_TABLE],
            "properties": {
                "repeated": {
                    "const": True,
                    "description": "It had been done before and was not done again.",
                }
            },
            "unevaluatedProperties": False,
        },
    ),
    "400": _error("`bad-command`"),
    "401": _error("`unauthorized`"),
    "403": _error("`forbidden`: sent by a page of another site."),
    "409": _error("The game does not allow it now, or the view is `stale`.", "Stale"),
    "413": _error("`too-large`: more than 16 kB."),
    "415": _error("`unsupported-type`: not application/json."),
    "422": _error("Something that this game does not have."),
    "503": _error("`storage` or `closed`: nothing was changed."),
}
"""What may become of a request that changes something."""

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Tidetable",
        "version": "1",
        "description": "One table: what it shows, and how a program plays at it.",
        "license": {"name": "MIT", "identifier": "MIT"},
    },
    "paths": {
        "/api/v1/table": {
            "get": {
                "operationId": "table",
                "summary": "The table as a spectator may see it",
                "responses": {
                    "200": _json("The table.", {"allOf": [_TABLE], "unevaluatedProperties": False})
                },
            }
        },
        "/api/v1/table/stream": {
            "get": {
                "operationId": "tableStream",
                "summary": "The same as server-sent events",
                "responses": {
                    "200": {
                        "description": _STREAM_DESCRIPTION,
                        "content": {"text/event-stream": {"schema": TEXT}},
                    },
                    "503": _error("There is no room for another stream."),
                },
            }
        },
        "/api/v1/actions": {
            "post": {
                "operationId": "act",
                "summary": "Do something, or take something back",
                "security": SECURITY,
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": ref("Action")}},
                },
                "responses": _CHANGED,
            }
        },
        "/api/v1/answers": {
            "post": {
                "operationId": "answer",
                "summary": "Answer a question of the table",
                "security": SECURITY,
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": ref("Answer")}},
                },
                "responses": _CHANGED,
            }
        },
        **openapi_corrections.paths(_json, _CHANGED),
        **openapi_history.paths(_json, _CHANGED),
        **openapi_diagnostics.paths(_json, _error),
        "/api/v1/openapi.json": {
            "get": {
                "operationId": "description",
                "summary": "This description",
                "responses": {"200": _json("OpenAPI 3.1.", {"type": "object"})},
            }
        },
    },
    "components": {
        "securitySchemes": {
            "token": {"type": "http", "scheme": "bearer", "description": "The table's token."},
            "link": {
                "type": "apiKey",
                "in": "cookie",
                "name": "tidetable",
                "description": "Set by the table's link; each table has a name of its own for it.",
            },
        },
        "schemas": {
            "Table": _TABLE_SCHEMA,
            "Action": _ACTION_SCHEMA,
            "Answer": _ANSWER_SCHEMA,
            **openapi_corrections.SCHEMAS,
            **openapi_history.SCHEMAS,
            **openapi_diagnostics.SCHEMAS,
            "Error": {
                "type": "object",
                "required": ["error"],
                "additionalProperties": False,
                "properties": {"error": _ERROR_BODY},
            },
            "Stale": {
                "type": "object",
                "required": ["error"],
                "additionalProperties": False,
                "properties": {"error": _ERROR_BODY, "table": _TABLE},
            },
        },
    },
}


def described(cookie_name: str) -> dict[str, Any]:
    """The description for one table, whose link has a cookie of this name."""
    schemes = DOCUMENT["components"]["securitySchemes"]
    link = {**schemes["link"], "name": cookie_name}
    components = {**DOCUMENT["components"], "securitySchemes": {**schemes, "link": link}}
    return {**DOCUMENT, "components": components}
