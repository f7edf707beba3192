"""The description of that part of the HTTP API by which the past is set right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_NAME = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_LABEL = {
    **_NAME,
    "pattern": r"^[1-9][0-9]*(\.[1-9][0-9]*)?$",
    "description": "Names an action for ever: the number of the entry that told it, such as `12`; "
    "what correction 15 has inserted is `15.1`, `15.2` …",
}
_PLAYER = {"type": ["string", "null"]}
_SECURITY: list[dict[str, list[str]]] = [{"token": []}, {"link": []}]


def _ref(schema: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{schema}"}


def _object(properties: Mapping[str, Any], description: str = "") -> dict[str, Any]:
    """An object with exactly these keys."""
    about = {"description": description} if description else {}
    return {
        "type": "object",
        **about,
        "required": list(properties),
        "additionalProperties": False,
        "properties": dict(properties),
    }


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(items)}


_ACTION = {
    "type": "object",
    "description": "As in the play protocol. With `secret` only what everybody may know of it.",
    "required": ["do"],
    "properties": {"do": _NAME, "secret": {"const": True}},
}
_WAS = _object(
    {
        "player": {**_PLAYER, "description": "Whose it was."},
        "action": _ACTION,
        "outcomes": _list({"type": "object", "required": ["what"], "properties": {"what": _NAME}}),
    }
)
_OR_GONE = {"oneOf": [_WAS, {"type": "null"}]}
_TOLD = _object(
    {
        "entry": _LABEL,
        "source": {"enum": ["reader", "page", "api", "service"]},
        "reader": _NAME,
        "inserted": {"type": "boolean", "description": "A correction told it afterwards."},
        "first": {**_WAS, "description": "As it was told first."},
        "now": {**_OR_GONE, "description": "As it is now; null when it is not in force."},
        "changes": _list(
            _object(
                {
                    "by": {**_COUNT, "description": "The entry that did it."},
                    "what": {"enum": ["undone", "deleted", "replaced", "restored", "withdrawn"]},
                    "source": {"enum": ["reader", "page", "api", "service"]},
                    "now": _OR_GONE,
                }
            )
        ),
    }
)
_MOVES = {
    **_list(_object({"player": _PLAYER, "text": _NAME, "key": _NAME})),
    "description": "What hands must move, in order.",
}
_SIDE = _object(
    {
        "scores": {"type": "object", "additionalProperties": {"type": "integer"}},
        "turn": _PLAYER,
        "phase": _NAME,
        "winners": _list(_NAME),
    }
)
_MISFIT = _object(
    {
        "entry": _LABEL,
        "action": _ACTION,
        "player": _PLAYER,
        "edit": {
            "type": ["integer", "null"],
            "description": "Which of the edits it is, from 0; null for an action told before.",
        },
        "code": _NAME,
        "reason": _NAME,
        "rest": {**_list(_LABEL), "description": "All later actions from this one on."},
    },
)
_CHOICES = _object(
    {
        "likely": {**_list(_ref("Edit")), "maxItems": 3, "description": "The likeliest first."},
        "actions": {**_list(_ACTION), "description": "All else that is possible there."},
        "blanks": {
            **_list(
                _object(
                    {
                        "action": _ACTION,
                        "field": {**_NAME, "description": "To be filled in."},
                        "names": _list(_NAME),
                        "fewest": _COUNT,
                        "most": _COUNT,
                    }
                )
            ),
            "description": "What needs cards to be named.",
        },
    }
)

SCHEMAS: Mapping[str, Any] = {
    "Edit": {
        "type": "object",
        "description": "One change of the past: an action in place of another one (`entry`, `do` "
        "and its fields), none in its place (`do` is null), the same kept as of whoever is in turn "
        "then (`keep`), or one that was missed (`before`: an entry, or null for the end).",
        "properties": {
            "entry": _LABEL,
            "before": {"oneOf": [_LABEL, {"type": "null"}]},
            "do": {"type": ["string", "null"]},
            "keep": {"const": True},
        },
        "oneOf": [{"required": ["entry"]}, {"required": ["before"]}],
    },
    "Edits": {**_list(_ref("Edit")), "minItems": 1},
}


def paths(
    json: Callable[[str, dict[str, Any]], dict[str, Any]], changed: Mapping[str, Any]
) -> dict[str, Any]:
    """The paths of this part.

    Args:
        json: describes an answer in JSON.
        changed: what may become of a request that changes something, by status.
    """
    refused = {status: changed[status] for status in ("400", "401", "403", "409", "422")}
    nowhere = {"404": {**changed["401"], "description": "`not-found`: no such address."}}
    posted = {status: changed[status] for status in ("413", "415")}
    ok: dict[str, Any] = {"ok": {"const": True}}
    done = {
        **changed,
        "200": json(
            "It is done, and on the disk.",
            {
                "allOf": [_ref("Table")],
                "properties": {
                    "entry": {**_COUNT, "description": "Its number."},
                    "moves": _MOVES,
                    "repeated": {
                        "const": True,
                        "description": "It had been done before and was not done again.",
                    },
                },
                "required": ["entry", "moves"],
                "unevaluatedProperties": False,
            },
        ),
    }
    based_on = {
        "revision": {**_COUNT, "description": "As in an action."},
        "id": {**_NAME, "minLength": 1, "maxLength": 100, "description": "As in an action."},
    }
    label = {"name": "label", "in": "path", "required": True, "schema": _LABEL}
    entry = {"name": "entry", "in": "path", "required": True, "schema": _COUNT}
    return {
        "/api/v1/history": {
            "get": {
                "operationId": "history",
                "summary": "All that was ever told of this game, and what became of it",
                "responses": {
                    "200": json(
                        "As a spectator may see it.",
                        _object(
                            {
                                **ok,
                                "game_id": _NAME,
                                "epoch": _NAME,
                                "revision": _COUNT,
                                "entries": {**_COUNT, "description": "The number of the last."},
                                "restorable": {
                                    "type": ["integer", "null"],
                                    "description": "The correction that can be taken back.",
                                },
                                "history": _list(_TOLD),
                            }
                        ),
                    )
                },
            }
        },
        "/api/v1/entries/{label}/likely": {
            "get": {
                "operationId": "likely",
                "summary": "What an action may have been, and what may have been missed before it",
                "security": _SECURITY,
                "parameters": [label],
                "responses": {
                    **nowhere,
                    "200": json(
                        "What to choose from. It tells no more than everybody may know.",
                        _object({**ok, "entry": _LABEL, "instead": _CHOICES, "before": _CHOICES}),
                    ),
                    **refused,
                },
            }
        },
        "/api/v1/corrections/preview": {
            "post": {
                "operationId": "previewCorrection",
                "summary": "What would change; nothing is done",
                "security": _SECURITY,
                "requestBody": _body(
                    {
                        "edits": _ref("Edits"),
                        "restore": {**_COUNT, "description": "A correction to be taken back."},
                        "undo": {**_COUNT, "description": "So many actions to be taken back."},
                    },
                    [["edits"], ["restore"], ["undo"]],
                ),
                "responses": {
                    "200": json(
                        "What would change.",
                        _object(
                            {
                                **ok,
                                "revision": _COUNT,
                                "before": _SIDE,
                                "after": {
                                    "oneOf": [_SIDE, {"type": "null"}],
                                    "description": "With a misfit, as far as it goes; null where "
                                    "something hidden decides.",
                                },
                                "replayed": {
                                    **_COUNT,
                                    "description": "Later actions to be carried out again.",
                                },
                                "fitting": {**_COUNT, "description": "How many of these fit."},
                                "fits": {
                                    "type": ["boolean", "null"],
                                    "description": "null where something hidden decides.",
                                },
                                "concealed": {
                                    **_NAME,
                                    "description": "Why it is not told what would change: "
                                    "something hidden decides; or empty.",
                                },
                                "misfit": {"oneOf": [_MISFIT, {"type": "null"}]},
                                "moves": _MOVES,
                                "shows_hidden": {
                                    **_NAME,
                                    "description": "What was seen and cannot be unseen; or empty.",
                                },
                            }
                        ),
                    ),
                    **refused,
                    **posted,
                },
            }
        },
        "/api/v1/corrections": {
            "post": {
                "operationId": "correct",
                "summary": "Set the past right: all edits or none",
                "security": _SECURITY,
                "requestBody": _body({"edits": _ref("Edits"), **based_on}, [["edits"]]),
                "responses": done,
            }
        },
        "/api/v1/corrections/{entry}/restore": {
            "post": {
                "operationId": "restore",
                "summary": "Take a correction back",
                "security": _SECURITY,
                "parameters": [entry],
                "requestBody": _body(based_on, [[]]),
                "responses": {**done, **nowhere},
            }
        },
    }


def _body(properties: Mapping[str, Any], either: list[list[str]]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": dict(properties),
        "oneOf": [{"required": keys} for keys in either],
    }
    return {"required": True, "content": {"application/json": {"schema": schema}}}
