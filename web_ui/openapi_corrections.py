"""The description of that part of the HTTP API by which the past is set right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from web_ui.openapi_shapes import COUNT, SECURITY, TEXT, exactly, list_of, ref

_LABEL = {
    **TEXT,
    "pattern": r"^[1-9][0-9]*(\.[1-9][0-9]*)?$",
    "description": "Names an action for ever: the number of the entry that told it, such as `12`; "
    "what correction 15 has inserted is `15.1`, `15.2` …",
}
_PLAYER = {"type": ["string", "null"]}


_ACTION = {
    "type": "object",
    "description": "As in the play protocol. With `secret` only what everybody may know of it.",
    "required": ["do"],
    "properties": {"do": TEXT, "secret": {"const": True}},
}
_WAS = exactly(
    {
        "player": {**_PLAYER, "description": "Whose it was."},
        "action": _ACTION,
        "outcomes": list_of({"type": "object", "required": ["what"], "properties": {"what": TEXT}}),
    }
)
_OR_GONE = {"oneOf": [_WAS, {"type": "null"}]}
_TOLD = exactly(
    {
        "entry": _LABEL,
        "source": {"enum": ["reader", "page", "api", "service"]},
        "reader": TEXT,
        "inserted": {"type": "boolean", "description": "A correction told it afterwards."},
        "first": {**_WAS, "description": "As it was told first."},
        "now": {**_OR_GONE, "description": "As it is now; null when it is not in force."},
        "changes": list_of(
            exactly(
                {
                    "by": {**COUNT, "description": "The entry that did it."},
                    "what": {"enum": ["undone", "deleted", "replaced", "restored", "withdrawn"]},
                    "source": {"enum": ["reader", "page", "api", "service"]},
                    "now": _OR_GONE,
                }
            )
        ),
    }
)
_MOVES = {
    **list_of(exactly({"player": _PLAYER, "text": TEXT, "key": TEXT})),
    "description": "What hands must move, in order.",
}
_SIDE = exactly(
    {
        "scores": {"type": "object", "additionalProperties": {"type": "integer"}},
        "turn": _PLAYER,
        "phase": TEXT,
        "winners": list_of(TEXT),
    }
)
_MISFIT = exactly(
    {
        "entry": _LABEL,
        "action": _ACTION,
        "player": _PLAYER,
        "edit": {
            "type": ["integer", "null"],
            "description": "Which of the edits it is, from 0; null for an action told before.",
        },
        "code": TEXT,
        "reason": TEXT,
        "rest": {**list_of(_LABEL), "description": "All later actions from this one on."},
    },
)
_CHOICES = exactly(
    {
        "likely": {**list_of(ref("Edit")), "maxItems": 3, "description": "The likeliest first."},
        "actions": {**list_of(_ACTION), "description": "All else that is possible there."},
        "blanks": {
            **list_of(
                exactly(
                    {
                        "action": _ACTION,
                        "field": {**TEXT, "description": "To be filled in."},
                        "names": list_of(TEXT),
                        "fewest": COUNT,
                        "most": COUNT,
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
    "Edits": {
        **list_of(ref("Edit"), "Changes of the past, carried out together or not at all."),
        "minItems": 1,
    },
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
                "allOf": [ref("Table")],
                "properties": {
                    "entry": {**COUNT, "description": "Its number."},
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
        "revision": {**COUNT, "description": "As in an action."},
        "id": {**TEXT, "minLength": 1, "maxLength": 100, "description": "As in an action."},
    }
    label = {
        "name": "label",
        "in": "path",
        "required": True,
        "description": "The `entry` of an action in the history.",
        "schema": _LABEL,
    }
    entry = {
        "name": "entry",
        "in": "path",
        "required": True,
        "description": "The correction; `restorable` in the history names the one that can be.",
        "schema": COUNT,
    }
    return {
        "/api/v1/history": {
            "get": {
                "operationId": "history",
                "summary": "All that was ever told of this game, and what became of it",
                "responses": {
                    "200": json(
                        "As a spectator may see it.",
                        exactly(
                            {
                                **ok,
                                "game_id": TEXT,
                                "epoch": TEXT,
                                "revision": COUNT,
                                "entries": {**COUNT, "description": "The number of the last."},
                                "restorable": {
                                    "type": ["integer", "null"],
                                    "description": "The correction that can be taken back.",
                                },
                                "history": list_of(_TOLD),
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
                "security": SECURITY,
                "parameters": [label],
                "responses": {
                    **nowhere,
                    "200": json(
                        "What to choose from. It tells no more than everybody may know.",
                        exactly({**ok, "entry": _LABEL, "instead": _CHOICES, "before": _CHOICES}),
                    ),
                    **refused,
                },
            }
        },
        "/api/v1/corrections/preview": {
            "post": {
                "operationId": "previewCorrection",
                "summary": "What would change; nothing is done",
                "security": SECURITY,
                "requestBody": _body(
                    {
                        "edits": ref("Edits"),
                        "restore": {**COUNT, "description": "A correction to be taken back."},
                        "undo": {**COUNT, "description": "So many actions to be taken back."},
                    },
                    [["edits"], ["restore"], ["undo"]],
                ),
                "responses": {
                    "200": json(
                        "What would change.",
                        exactly(
                            {
                                **ok,
                                "revision": COUNT,
                                "before": _SIDE,
                                "after": {
                                    "oneOf": [_SIDE, {"type": "null"}],
                                    "description": "With a misfit, as far as it goes; null where "
                                    "something hidden decides.",
                                },
                                "replayed": {
                                    **COUNT,
                                    "description": "Later actions to be carried out again.",
                                },
                                "fitting": {**COUNT, "description": "How many of these fit."},
                                "fits": {
                                    "type": ["boolean", "null"],
                                    "description": "null where something hidden decides.",
                                },
                                "concealed": {
                                    **TEXT,
                                    "description": "Why it is not told what would change: "
                                    "something hidden decides; or empty.",
                                },
                                "misfit": {"oneOf": [_MISFIT, {"type": "null"}]},
                                "moves": _MOVES,
                                "shows_hidden": {
                                    **TEXT,
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
                "security": SECURITY,
                "requestBody": _body({"edits": ref("Edits"), **based_on}, [["edits"]]),
                "responses": done,
            }
        },
        "/api/v1/corrections/{entry}/restore": {
            "post": {
                "operationId": "restore",
                "summary": "Take a correction back",
                "security": SECURITY,
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
