"""What every request of the HTTP API that changes something has in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, jsonify, request

from companion.codec import parse_json
from companion.rules.api import Refusal
from companion.snapshot import Answer, Source
from web_ui.access import foreign_origin
from web_ui.errors import Problem
from web_ui.replies import table_reply

LONGEST_ID = 100
API = Source("api")


def body_of_request() -> dict[str, Any]:
    """The object that an authorised request carries."""
    authorise()
    if request.mimetype != "application/json":
        raise Problem("unsupported-type", "The request must be sent as application/json.")
    body = parse_json(request.get_data(cache=False))
    if not isinstance(body, dict):
        raise Refusal("bad-command", "The body must be a JSON object.")
    return body


def authorise() -> None:
    """Refuse what another site makes a browser send; the role was checked before."""
    # Only the cookie is sent by a browser on its own, so only there another site can meddle.
    if request.headers.get("Authorization") is None and foreign_origin(request):
        raise Problem("forbidden", "This request does not come from the table's own page.")


def whole_number(body: dict[str, Any], key: str) -> int | None:
    """Take that key out of the body, if it is there."""
    value = body.pop(key, None)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < 2**63:
        raise Refusal("bad-command", f"The key {key} is a whole number from 0.")
    return value


def request_id_of(body: dict[str, Any]) -> str | None:
    """Take the id of the request out of the body, if it has one."""
    value = body.pop("id", None)
    if value is None:
        return None
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST_ID or "\0" in value:
        raise Refusal("bad-command", f"The key id is a text of 1 to {LONGEST_ID} characters.")
    return value


def reply_of(answer: Answer, more: Mapping[str, Any] | None = None) -> Response:
    """The table's answer as JSON; `more` is added where it was carried out."""
    if answer.code is not None:
        now = {"table": table_reply(answer.snapshot)} if answer.code == "stale" else None
        raise Problem(answer.code, answer.message, now)
    reply = table_reply(answer.snapshot, answer.outcomes) | dict(more or {})
    if answer.repeated:
        reply["repeated"] = True
    return jsonify(reply)
