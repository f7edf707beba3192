"""The part of the HTTP API by which `companion doctor --tap` compares the readers of a table."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from web_ui.api_requests import authorise
from web_ui.parts import parts

blueprint = Blueprint("taps_api", __name__, url_prefix="/api/v1")


@blueprint.get("/taps")
def taps() -> Response:
    """How the comparison stands; who asks goes on with it."""
    authorise()
    return jsonify({"ok": True, **parts().instruments.taps.now()})


@blueprint.post("/taps")
def begin() -> Response:
    """Begin to compare: what readers read is not played meanwhile."""
    authorise()
    parts().instruments.taps.begin()
    return taps()


@blueprint.delete("/taps")
def end() -> Response:
    """Play again."""
    authorise()
    parts().instruments.taps.end()
    return taps()
