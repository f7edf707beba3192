"""The HTTP API for programs, version 1."""

from __future__ import annotations

import json

from flask import Blueprint, Response, jsonify

from companion.codec import action_from_json, undo_from_json
from companion.rules.api import Refusal
from web_ui.api_requests import API, body_of_request, reply_of, request_id_of, whole_number
from web_ui.openapi import described
from web_ui.parts import parts, stream_response
from web_ui.replies import table_reply
from web_ui.sse import frame
from web_ui.streams import Rendering
from web_ui.views import version_of

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")


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
    body = body_of_request()
    revision = whole_number(body, "revision")
    request_id = request_id_of(body)
    its = parts().table
    if "undo" in body:
        if len(body) > 1:
            raise Refusal("bad-command", "undo goes with revision and id, and nothing else.")
        count = undo_from_json(body["undo"])
        answer = its.undo(count, source=API, revision=revision, request_id=request_id)
    else:
        action = action_from_json(its.snapshot.game_name, body)
        answer = its.act(action, source=API, revision=revision, request_id=request_id)
    return reply_of(answer)


@blueprint.post("/answers")
def answers() -> Response:
    """Answer a question of the table."""
    body = body_of_request()
    revision = whole_number(body, "revision")
    if set(body) != {"question", "choice"} or not all(isinstance(k, str) for k in body.values()):
        raise Refusal(
            "bad-command",
            "An answer has the keys question and choice, both texts, and maybe revision.",
        )
    its = parts().table
    return reply_of(its.answer(body["question"], body["choice"], source=API, revision=revision))
