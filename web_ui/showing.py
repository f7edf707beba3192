"""How routes show a live page, and how they answer a form of it."""

from __future__ import annotations

from flask import Response, jsonify, make_response, redirect, render_template, request
from flask_babel import get_locale
from markupsafe import Markup

from companion.snapshot import Answer
from web_ui.errors import Problem, wants_json
from web_ui.live import View
from web_ui.parts import parts
from web_ui.visitor import visitor


def view_of(page: str, topic: str = "") -> View:
    """The view that the device which sent this request has of a page.

    What is private is shown on a page that is for seats, and nowhere else: a TV may stand
    where everybody looks.
    """
    who = visitor()
    shown = parts().views.pages[page]
    seat = who.seat if shown.private else None
    # What is rendered is kept until the table changes: a stranger must not name ever new topics.
    about = topic if shown.topics else ""
    return View(page, who.role, seat, str(get_locale()), who.form_key, about)


def live_page(page: str, topic: str = "") -> str:
    """The whole page, with its inside as it is now."""
    its = parts()
    its.views.pages[page].available()
    rendering = its.views.newest(view_of(page, topic))
    inner = Markup(rendering.html)  # noqa: S704 - our own template's output
    style = its.views.pages[page].style
    return render_template("page.html", page=page, topic=topic, inner=inner, style=style)


def answered(answer: Answer, go_on_to: str | None = None) -> Response:
    """What the table answered to a form: the page as it is now, another one, or the error."""
    if answer.code is not None:
        raise Problem(answer.code, answer.message)
    return done() if go_on_to is None else go_to(go_on_to)


def go_to(address: str) -> Response:
    """Another page, for a form that a script sent as well."""
    if wants_json():
        return jsonify({"ok": True, "go": address})
    return make_response(redirect(address, 303))


def done() -> Response:
    """The page that the form came from, as it is now."""
    views = parts().views
    page = views.pages.get(request.form.get("page", "tv"), views.pages["tv"])
    if visitor().role < page.role:
        page = views.pages["tv"]
    if not wants_json():
        return make_response(redirect(page.address, 303))
    shown = views.newest(view_of(page.name, request.form.get("topic", "")))
    return jsonify({"ok": True, "id": shown.event_id, "view": shown.html})
