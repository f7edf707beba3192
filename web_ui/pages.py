"""The pages for people: scoreboard, virtual table, touch buttons, and their stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Blueprint, Response, jsonify, make_response, redirect, render_template, request
from flask_babel import get_locale
from markupsafe import Markup

from companion.codec import action_from_json, parse_json
from companion.doubts import MISSED
from companion.snapshot import Answer, Source
from web_ui.contracts import VirtualTable
from web_ui.errors import Problem, wants_json
from web_ui.forms import check_form, link_needed, request_id_of, seen_version
from web_ui.parts import parts, stream_response
from web_ui.streams import Rendering
from web_ui.views import View
from web_ui.words import gettext

blueprint = Blueprint("pages", __name__)

_PAGE = Source("page")
_ADDRESSES = {"tv": "/", "virtual": "/virtual", "cards": "/cards"}


def _view(page: str) -> View:
    return View(page, parts().link.held_by(request), str(get_locale()))


def _page(page: str) -> str:
    rendering = parts().views.newest(_view(page))
    return render_template("page.html", page=page, inner=Markup(rendering.html))  # noqa: S704 - our own template's output


@blueprint.get("/")
def scoreboard() -> str:
    """The TV's page."""
    return _page("tv")


@blueprint.get("/virtual")
def virtual_table() -> Response:
    """Cards and a reader to click on, beside the board."""
    if parts().virtual is None:
        raise Problem("not-found", _no_virtual_table())
    if not parts().link.held_by(request):
        raise Problem("unauthorized", link_needed())
    return make_response(_page("virtual"))


@blueprint.get("/cards")
def cards() -> Response:
    """The cards to touch, beside the board, for when no reader sees them."""
    if not parts().link.held_by(request):
        raise Problem("unauthorized", link_needed())
    return make_response(_page("cards"))


@blueprint.get("/link/<path:token>")
def take_link(token: str) -> Response:
    """Make this device one that may change things."""
    link = parts().link
    if not link.opens(token):
        raise Problem("not-found", gettext("This is not the link of this table."))
    target = "/virtual" if request.args.get("to") == "virtual" else "/"
    response = make_response(redirect(target, 303))
    link.hand_over(response)
    return response


@blueprint.get("/stream")
def stream() -> Response:
    """The page's event stream: the rendered inside of the page at each change."""
    page = request.args.get("page", "tv")
    if page not in _ADDRESSES:
        raise Problem("not-found", gettext("There is no such page."))
    view = _view(page)
    if page == "virtual":
        _movable()
    if page != "tv" and not view.helper:
        raise Problem("unauthorized", link_needed())
    views = parts().views
    # The pile of the virtual table is not part of the version.
    seen = request.args.get("seen", "") if page != "virtual" else ""
    return stream_response(lambda: views.newest(view), seen=seen)


@blueprint.post("/touch")
def touch() -> Response:
    """A touch button: the action that it names, done once however often it is pressed."""
    check_form()
    epoch, revision = seen_version()
    text = request.form.get("action", "")
    action = action_from_json(parts().table.snapshot.game_name, parse_json(text.encode()))
    answer = parts().table.act(
        action, source=_PAGE, revision=revision, request_id=request_id_of(epoch, revision, text)
    )
    return _answered(answer)


@blueprint.post("/touch/undo")
def touch_undo() -> Response:
    """Take back one action."""
    check_form()
    epoch, revision = seen_version()
    answer = parts().table.undo(
        1, source=_PAGE, revision=revision, request_id=request_id_of(epoch, revision, "undo")
    )
    return _answered(answer)


@blueprint.post("/touch/answer")
def touch_answer() -> Response:
    """Answer a question of the table."""
    check_form()
    _, revision = seen_version()
    question, choice = request.form.get("question", ""), request.form.get("choice", "")
    answer = parts().table.answer(question, choice, source=_PAGE, revision=revision)
    return _answered(answer, go_on_to="/correct" if choice == MISSED else None)


@blueprint.post("/touch/new-game")
def touch_new_game() -> Response:
    """The same game again, once it is over."""
    check_form()
    _, revision = seen_version()
    snapshot = parts().table.snapshot
    if revision < snapshot.revision and not snapshot.standing.over:
        # A second press, or another device was quicker: what was wanted is there.
        return _done()
    return _answered(parts().table.new_game(source=_PAGE))


_MOVES: Mapping[str, Callable[[VirtualTable], None]] = {
    "turn-top": lambda virtual: virtual.turn_top(),
    "tap": lambda virtual: virtual.tap(request.form.get("component", "")),
    "unknown": lambda virtual: virtual.tap_unknown(),
    "two": lambda virtual: virtual.lay_two(),
    "unplug": lambda virtual: virtual.unplug(),
    "plug": lambda virtual: virtual.plug(),
}


@blueprint.post("/virtual/<what>")
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
    return _done()


def _movable() -> VirtualTable:
    virtual = parts().virtual
    if virtual is None:
        raise Problem("not-found", _no_virtual_table())
    return virtual


def _answered(answer: Answer, go_on_to: str | None = None) -> Response:
    if answer.code is not None:
        raise Problem(answer.code, answer.message)
    if go_on_to is None:
        return _done()
    if wants_json():
        return jsonify({"ok": True, "go": go_on_to})
    return make_response(redirect(go_on_to, 303))


def _done() -> Response:
    asked = request.form.get("page", "tv")
    page = asked if asked in _ADDRESSES else "tv"
    if not wants_json():
        return make_response(redirect(_ADDRESSES[page], 303))
    shown: Rendering = parts().views.newest(_view(page))
    return jsonify({"ok": True, "id": shown.event_id, "view": shown.html})


def _no_virtual_table() -> str:
    return gettext("There is no virtual table: start the service with a simulated reader.")
