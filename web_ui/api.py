"""The HTTP API for programs, version 1."""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, Response, jsonify, request

from companion.codec import action_from_json, parse_json, undo_from_json
from companion.rules.api import Refusal
from companion.snapshot import Answer, Source
from web_ui.access import foreign_origin
from web_ui.errors import Problem
from web_ui.openapi import described
from web_ui.parts import parts, stream_response
from web_ui.replies import table_reply
from web_ui.sse import frame
from web_ui.streams import Rendering
from web_ui.views import version_of

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")

LONGEST_ID = 100
_API = Source("api")


@blueprint.get("/table")
def table() -> Response:
    """The table as a spectator may see it."""
    return jsonify(table_reply(parts().table.snapshot))


@blueprint.get("/table/stream")
def table_stream() -> Response:
    """The same, at once and at each change."""
    its = parts()

    def newest() -> Rendering:
        snapshot = its.table.snapshot

        def make() -> Rendering:
            version = version_of(snapshot)
            text = json.dumps(table_reply(snapshot), ensure_ascii=False, separators=(",", ":"))
            return Rendering(version, snapshot.revision, frame("table", text, version))

        return its.views.once(snapshot, "api", make)

    # A program that has just connected wants the table, whatever it saw before.
    return stream_response(newest, seen="")


@blueprint.get("/openapi.json")
def openapi() -> Response:
    """The description of this API."""
    return jsonify(described(parts().link.cookie_name))


@blueprint.post("/actions")
def actions() -> Response:
    """Do something, or take something back."""
    body = _body()
    revision = _whole_number(body, "revision")
    request_id = _request_id(body)
    its = parts().table
    if "undo" in body:
        if len(body) > 1:
            raise Refusal("bad-command", "undo goes with revision and id, and nothing else.")
        count = undo_from_json(body["undo"])
        answer = its.undo(count, source=_API, revision=revision, request_id=request_id)
    else:
        action = action_from_json(its.snapshot.game_name, body)
        answer = its.act(action, source=_API, revision=revision, request_id=request_id)
    return _reply(answer)


@blueprint.post("/answers")
def answers() -> Response:
    """Answer a question of the table."""
    body = _body()
    revision = _whole_number(body, "revision")
    if set(body) != {"question", "choice"} or not all(isinstance(k, str) for k in body.values()):
        raise Refusal(
            "bad-command",
            "An answer has the keys question and choice, both texts, and maybe revision.",
        )
    its = parts().table
    return _reply(its.answer(body["question"], body["choice"], source=_API, revision=revision))


def _body() -> dict[str, Any]:
    """The object that an authorised request carries."""
    _authorise()
    if request.mimetype != "application/json":
        raise Problem("unsupported-type", "The request must be sent as application/json.")
    body = parse_json(request.get_data(cache=False))
    if not isinstance(body, dict):
        raise Refusal("bad-command", "The body must be a JSON object.")
    return body


def _authorise() -> None:
    link = parts().link
    bearer = request.headers.get("Authorization")
    if bearer is not None:
        scheme, _, token = bearer.partition(" ")
        if scheme.lower() != "bearer" or not link.opens(token.strip()):
            raise Problem("unauthorized", "The token in the Authorization header is wrong.")
        return
    if not link.held_by(request):
        raise Problem(
            "unauthorized", "Send the token as Authorization: Bearer TOKEN, or the link's cookie."
        )
    # Only the cookie is sent by a browser on its own, so only there another site can meddle.
    if foreign_origin(request):
        raise Problem("forbidden", "This request does not come from the table's own page.")


def _whole_number(body: dict[str, Any], key: str) -> int | None:
    value = body.pop(key, None)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < 2**63:
        raise Refusal("bad-command", f"The key {key} is a whole number from 0.")
    return value


def _request_id(body: dict[str, Any]) -> str | None:
    value = body.pop("id", None)
    if value is None:
        return None
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST_ID or "\0" in value:
        raise Refusal("bad-command", f"The key id is a text of 1 to {LONGEST_ID} characters.")
    return value


def _reply(answer: Answer) -> Response:
    if answer.code is not None:
        more = {"table": table_reply(answer.snapshot)} if answer.code == "stale" else None
        raise Problem(answer.code, answer.message, more)
    reply = table_reply(answer.snapshot, answer.outcomes)
    if answer.repeated:
        reply["repeated"] = True
    return jsonify(reply)
