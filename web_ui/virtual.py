"""The virtual table: things to click on and to drag, beside the board."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from flask import (
    Blueprint,
    Response,
    render_template,
    request,
)

from web_ui.access import Role
from web_ui.contracts import Push, VirtualTable
from web_ui.errors import Problem
from web_ui.forms import check_form, page_source
from web_ui.games import face_of
from web_ui.live import LivePage, Scene
from web_ui.parts import parts
from web_ui.showing import answered, done, go_to, live_page
from web_ui.views import board_players, touch_context
from web_ui.virtual_scripts import SCRIPTS, deal, draw, lay_out
from web_ui.virtual_show import Show
from web_ui.virtual_tops import top_of
from web_ui.visitor import visitor
from web_ui.words import gettext, told

blueprint = Blueprint("virtual", __name__, url_prefix="/virtual")


def _movable() -> VirtualTable:
    virtual = parts().virtual
    if virtual is None:
        raise Problem(
            "not-found",
            gettext("There is no virtual table: start the service with a simulated reader."),
        )
    return virtual


def _show() -> Show:
    _movable()
    show = parts().show
    assert show is not None  # noqa: S101 - wherever there is a virtual table
    return show


def _available() -> None:
    _movable()


def _on_the_table(scene: Scene) -> dict[str, Any]:
    top = top_of(_movable(), scene.snapshot, scene.face, board_players(scene))
    shows = [(game, face_of(game).title()) for game in SCRIPTS]
    return {
        **touch_context(scene, scene.snapshot.legal),
        "virtual": top,
        "show": _show().shown,
        "shows": shows,
    }


def _facts() -> object:
    virtual = _movable()
    return (
        tuple(virtual.faces()),
        virtual.pile(),
        tuple(virtual.readers()),
        tuple(virtual.others()),
        tuple(virtual.places().items()),
        virtual.reads_twice,
        virtual.ship and virtual.ship.angle,
        _show().progress,
    )


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


# What hands do


def _field(name: str) -> str:
    return request.form.get(name, "")


def _tap(virtual: VirtualTable) -> None:
    virtual.tap(_field("component"))


def _lay(virtual: VirtualTable) -> None:
    """One thing on one reader: both in one field, or each in its own."""
    thing, _, station = _field("move").partition(">")
    place, _, number = (thing or _field("thing")).partition(":")
    if not place:
        raise LookupError(gettext("Choose a card first, then press where it goes."))
    if number.removeprefix("-").isdecimal() and len(number) < 4:
        virtual.lay(place, int(number), station or _field("at"))
        return
    raise LookupError(gettext("Nothing lies there any more: look at the table again."))


def _draw(virtual: VirtualTable) -> None:
    one = parts().table.snapshot.standing.phase in ("fish", "stung")
    draw(virtual, min(1 if one else 2, len(virtual.places().get("deck", ()))))


def _push(virtual: VirtualTable) -> None:
    how = _field("push")
    for known in get_args(Push):
        if how == known:
            virtual.push(known)
            return
    angle = _field("angle")
    if not angle.isdecimal() or len(angle) > 3:
        raise LookupError(gettext("There is no such move."))
    virtual.lean(float(angle))


_MOVES: Mapping[str, Callable[[VirtualTable], None]] = {
    "turn-top": lambda virtual: virtual.turn_top(),
    "tap": _tap,
    "lay": _lay,
    "lay-out": lay_out,
    "deal": deal,
    "draw": _draw,
    "turn-over": lambda virtual: virtual.turn_over(_field("place")),
    "ship": _push,
    "unknown": lambda virtual: virtual.tap_unknown(_field("reader")),
    "two": lambda virtual: virtual.lay_two(_field("reader")),
    "noise": lambda virtual: virtual.hiss(_field("reader")),
    "twice": lambda virtual: virtual.read_twice(),
    "unplug": lambda virtual: virtual.unplug(_field("reader")),
    "plug": lambda virtual: virtual.plug(_field("reader")),
}

_UNHEARD = frozenset({"turn-over", "twice", "ship"})
"""Moves that no reader sees: the other screens have to be told."""


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
        raise Problem("not-legal", told(error.args[0] if error.args else "")) from error
    if what in _UNHEARD:
        parts().table.refresh()
    return done()


# A game that is shown


@blueprint.get("/show/<game>")
def ask_to_show(game: str) -> str:
    """Whether the game in progress is to make way."""
    _movable()
    if game not in SCRIPTS:
        raise Problem("not-found", gettext("There is no such game to show."))
    title = face_of(game).title()
    return render_template(
        "virtual/ask.html", game=game, game_title=title, form_key=visitor().form_key
    )


@blueprint.post("/show")
def show() -> Response:
    """Begin a fresh game that plays itself; ask first while another one goes on."""
    check_form()
    game, snapshot = _field("game"), parts().table.snapshot
    if game not in SCRIPTS:
        raise Problem("not-found", gettext("There is no such game to show."))
    shown = _show().shown
    goes_on = snapshot.step > 0 and not snapshot.standing.over and shown is None
    if goes_on and _field("instead") != "yes":
        return go_to(f"/virtual/show/{game}")
    answer = _show().begin(game, page_source())
    return answered(answer, "/virtual" if _field("instead") else None)


@blueprint.post("/stop-show")
def stop_show() -> Response:
    """End it; the game stays as it is."""
    check_form()
    _show().stop()
    return done()
