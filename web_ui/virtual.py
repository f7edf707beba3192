"""The virtual table: things to click on, beside the board."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response, request

from web_ui.access import Role
from web_ui.contracts import VirtualTable
from web_ui.errors import Problem
from web_ui.forms import check_form
from web_ui.live import LivePage, Scene
from web_ui.parts import parts
from web_ui.showing import done, live_page
from web_ui.views import board_players, table_top, touch_context
from web_ui.words import gettext

blueprint = Blueprint("virtual", __name__, url_prefix="/virtual")


def _movable() -> VirtualTable:
    virtual = parts().virtual
    if virtual is None:
        raise Problem(
            "not-found",
            gettext("There is no virtual table: start the service with a simulated reader."),
        )
    return virtual


def _available() -> None:
    _movable()


def _on_the_table(scene: Scene) -> dict[str, Any]:
    top = table_top(_movable(), scene.snapshot, scene.face, board_players(scene))
    return {**touch_context(scene, scene.snapshot.legal), "virtual": top}


def _facts() -> object:
    virtual = _movable()
    return tuple(virtual.faces()), virtual.pile(), virtual.plugged, tuple(virtual.others())


PAGES = (
    LivePage(
        "virtual",
        "/virtual",
        Role.HELPER,
        _on_the_table,
        facts=_facts,
        available=_available,
    ),
)


@blueprint.get("")
def virtual_table() -> str:
    """Cards and a reader to click on, beside the board."""
    return live_page("virtual")


_MOVES: Mapping[str, Callable[[VirtualTable], None]] = {
    "turn-top": lambda virtual: virtual.turn_top(),
    "tap": lambda virtual: virtual.tap(request.form.get("component", "")),
    "unknown": lambda virtual: virtual.tap_unknown(),
    "two": lambda virtual: virtual.lay_two(),
    "unplug": lambda virtual: virtual.unplug(),
    "plug": lambda virtual: virtual.plug(),
}


@blueprint.post("/<what>")
def move(what: str) -> Response:
    """Move something on the virtual table."""
    if what not in _MOVES:
        raise Problem("not-found", gettext("There is no such move."))
    check_form()
    virtual = _movable()
    try:
        _MOVES[what](virtual)
    except LookupError as error:
        raise Problem("not-legal", str(error.args[0] if error.args else error)) from error
    return done()
