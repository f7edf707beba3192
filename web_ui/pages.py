"""The scoreboard, the cards to touch, and what all live pages share: their stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, current_app, make_response, redirect, request

from web_ui.access import COOKIE_AGE_S, Role
from web_ui.errors import Problem
from web_ui.forms import check_open_form
from web_ui.joining_code import invitation
from web_ui.live import LivePage, Scene, View
from web_ui.parts import parts, stream_response
from web_ui.roles import require
from web_ui.showing import live_page, view_of
from web_ui.streams import Rendering
from web_ui.views import touch_context
from web_ui.visitor import visitor
from web_ui.words import gettext

blueprint = Blueprint("pages", __name__)

LANGUAGE_COOKIE = "lang"


def _touch(scene: Scene) -> dict[str, Any]:
    return touch_context(scene, scene.snapshot.legal) if scene.view.helper else {}


def _tv(scene: Scene) -> dict[str, Any]:
    its = parts()
    joining = None
    if its.seats.offer_of(scene.snapshot, scene.remembered).possible:
        begin = not scene.snapshot.step
        joining = invitation(its.link.join_code, its.nearby(), begin=begin, with_wifi=True)
    return {**_touch(scene), "joining": joining}


PAGES = (
    LivePage("tv", "/", Role.VIEWER, _tv),
    LivePage("cards", "/cards", Role.HELPER, _touch),
)


@blueprint.get("/")
def scoreboard() -> str:
    """The TV's page."""
    return live_page("tv")


@blueprint.get("/cards")
def cards() -> str:
    """The cards to touch, beside the board, for when no reader sees them."""
    return live_page("cards")


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


@blueprint.post("/language")
def language() -> Response:
    """The language of this device."""
    check_open_form()
    chosen = request.form.get("language", "")
    if chosen not in current_app.config["LANGUAGES"]:
        raise Problem("bad-command", gettext("There is no such language."))
    response = make_response(redirect(_own_path(request.form.get("to", "/")), 303))
    response.set_cookie(LANGUAGE_COOKIE, chosen, max_age=COOKIE_AGE_S, samesite="Lax")
    return response


def _own_path(text: str) -> str:
    """A path of this service; anything that could lead elsewhere leads to the scoreboard."""
    own = text.startswith("/") and not text.startswith("//") and text.isprintable()
    return text if own and "\\" not in text else "/"


@blueprint.get("/stream")
def stream() -> Response:
    """The page's event stream: the rendered inside of the page at each change."""
    views = parts().views
    page = views.pages.get(request.args.get("page", "tv"))
    if page is None:
        raise Problem("not-found", gettext("There is no such page."))
    page.available()
    if not page.private:
        require(page.role)
    newest = _newest(view_of(page.name, request.args.get("topic", "")))
    # What else a page shows, such as the pile of the virtual table, is not part of the version.
    seen = request.args.get("seen", "") if page.facts is None else ""
    return stream_response(
        newest,
        seen=seen,
        tick_s=page.tick_s,
        page=page.name,
        seat=visitor().seat or "",
    )


def _newest(view: View) -> Callable[[], Rendering]:
    """Renders the view again and again; what is private ends with the seat of the device."""
    its = parts()
    device = visitor().device if its.views.pages[view.page].private else None

    def render() -> Rendering:
        seat = None if device is None else its.seats.seat_of(device)
        return its.views.newest(replace(view, seat=seat))

    return render
