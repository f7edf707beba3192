"""Every error in one shape: `{"error": {"code", "message"}}`, or a plain page of it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from flask import Flask, Response, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException

from companion.errors import course_of
from companion.household import NotRemembered
from companion.rules.api import Refusal
from companion.settings.writing import NotWritten
from web_ui.words import gettext, told

_log = logging.getLogger(__name__)

STATUS: Mapping[str, int] = {
    "bad-command": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not-found": 404,
    "method-not-allowed": 405,
    "stale": 409,
    "not-legal": 409,
    "game-over": 409,
    "no-game": 409,
    "card-not-available": 409,
    "tile-mismatch": 409,
    "too-large": 413,
    "unsupported-type": 415,
    "unknown-card": 422,
    "unknown-player": 422,
    "bad-option": 422,
    "slow-down": 429,
    "internal": 500,
    "storage": 503,
    "closed": 503,
    "too-many-streams": 503,
}
"""Each error code and its HTTP status."""

_CODE_OF_STATUS = {
    400: "bad-command",
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    413: "too-large",
    415: "unsupported-type",
}


class Problem(Exception):
    """The request is answered with this error.

    Attributes:
        code: one of `STATUS`.
        message: one plain sentence.
        more: further members of the JSON answer, beside `error`.
        headers: of the answer.
    """

    def __init__(
        self,
        code: str,
        message: str,
        more: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.more = more or {}
        self.headers = headers or {}


def wants_json() -> bool:
    """Whether a program asks, or a page's script, and not a browser that shows a page."""
    return _of_the_api() or request.accept_mimetypes.best == "application/json"


def _of_the_api() -> bool:
    return request.path == "/api" or request.path.startswith("/api/")


def error_response(code: str, message: str, more: Mapping[str, Any] | None = None) -> Response:
    """The error as JSON or as a page, with its status."""
    status = STATUS[code]
    if wants_json():
        # A program reads English; a page's script shows the sentence to people.
        sentence = message if _of_the_api() else told(message)
        body = {"error": {"code": code, "message": sentence}, **(more or {})}
        response = make_response(jsonify(body), status)
    else:
        page = render_template("error.html", code=code, message=message, status=status)
        response = make_response(page, status)
    if code == "unauthorized":
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def install(app: Flask) -> None:
    """Let every error of the application leave in the one shape."""
    app.register_error_handler(Problem, _problem)
    app.register_error_handler(Refusal, _refusal)
    app.register_error_handler(NotRemembered, _not_kept)
    app.register_error_handler(NotWritten, _not_kept)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)


def _problem(problem: Problem) -> Response:
    response = error_response(problem.code, problem.message, problem.more)
    response.headers.update(problem.headers)
    return response


def _refusal(refusal: Refusal) -> Response:
    return error_response(refusal.code, refusal.message)


def _not_kept(fault: NotRemembered | NotWritten) -> Response:
    return error_response("storage", fault.args[0])


def _http(error: HTTPException) -> Response:
    if error.response is not None or (error.code or 500) < 400:
        return make_response(error.get_response())
    code = _CODE_OF_STATUS.get(error.code or 500)
    if code is None:
        code = "bad-command" if (error.code or 500) < 500 else "internal"
    response = error_response(code, _sentence(code))
    if error.code == 405:
        response.headers["Allow"] = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
    return response


def _unexpected(error: Exception) -> Response:
    _log.error("%s %s failed: %s", request.method, request.path, course_of(error))
    return error_response("internal", _sentence("internal"))


def _sentence(code: str) -> str:
    return {
        "bad-command": gettext("The request could not be understood."),
        "unauthorized": gettext("This needs the table's link."),
        "forbidden": gettext("This request does not come from the table's own page."),
        "not-found": gettext("There is nothing at this address."),
        "method-not-allowed": gettext("This address does not take that kind of request."),
        "too-large": gettext("The request is too large."),
        "unsupported-type": gettext("The request must be sent as application/json."),
        "internal": gettext("Something went wrong in the service; its log says what."),
    }[code]
