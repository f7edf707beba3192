"""How a device joins the table: by the code, and as a helper by the PIN. No script is needed."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, make_response, redirect, render_template, request

from web_ui.errors import STATUS, Problem
from web_ui.forms import check_form, check_open_form
from web_ui.guessing import Guesses
from web_ui.joining_code import invitation
from web_ui.languages import languages
from web_ui.parts import parts
from web_ui.visitor import visitor
from web_ui.words import gettext

blueprint = Blueprint("joining", __name__)


@blueprint.get("/join")
def join() -> Response:
    """Where the code is typed; for a device that joined before, the seats at once."""
    if "code" in request.args:
        return choose(request.args["code"])
    if _admitted():
        return _seats()
    return make_response(render_template("join/code.html", said="", **_frame()))


@blueprint.get("/join/<code>")
def choose(code: str) -> Response:
    """The seats to choose from, for whoever knows the code."""
    if not _admitted() and not _is_code(code):
        said = gettext("This is not the code of this table: look at the TV.")
        page = render_template("join/code.html", said=said, **_frame())
        return make_response(page, 404)
    return _seats()


@blueprint.post("/join")
def sit() -> Response:
    """Take a seat, or one that is made for somebody new."""
    check_open_form()
    # Who was let in once is not kept out by the guesses of others.
    if not _admitted() and not _is_code(request.form.get("code", "")):
        raise Problem("forbidden", gettext("This is not the code of this table: look at the TV."))
    link, seats = parts().link, parts().seats
    device = visitor().device or link.new_device()
    try:
        if "seat" in request.form:
            seats.take(device, request.form["seat"])
        else:
            name = request.form.get("known") or request.form.get("name", "")
            shape = "" if "known" in request.form else request.form.get("shape", "")
            seats.come(device, name, shape)
    except Problem as problem:
        if problem.code in {"bad-command", "not-legal", "unknown-player", "stale"}:
            return _seats(problem)
        raise
    response = make_response(redirect("/play", 303))
    link.hand_device(response, device)
    return response


@blueprint.post("/stand-up")
def stand_up() -> Response:
    """Leave the seat; the player stays in the game."""
    check_form()
    device = visitor().device
    if device is not None:
        parts().household.stand_up(device)
        parts().table.refresh()
    # It knew the code: it need not be typed again to take another seat.
    return make_response(redirect(f"/join/{parts().link.join_code}", 303))


@blueprint.get("/helper")
def helper() -> Response:
    """Where the PIN is typed."""
    if visitor().helper:
        return make_response(redirect("/", 303))
    return make_response(render_template("join/pin.html", said="", **_frame()))


@blueprint.post("/helper")
def become_helper() -> Response:
    """Make this device a helper, if it knows the PIN."""
    check_open_form()
    right = parts().link.is_pin(request.form.get("pin", ""))
    _take(parts().pins, right=right)
    if not right:
        said = gettext("This is not the PIN: it is printed where the service was started.")
        return make_response(render_template("join/pin.html", said=said, **_frame()), 403)
    response = make_response(redirect("/", 303))
    parts().link.hand_over(response)
    return response


def _admitted() -> bool:
    """Whether this device knew the code before."""
    who = visitor()
    return who.helper or who.device in parts().household.now.devices


def _is_code(text: str) -> bool:
    right = parts().link.is_join_code(text)
    _take(parts().codes, right=right)
    return right


def _take(guesses: Guesses, *, right: bool) -> None:
    wait_s = guesses.take(request.remote_addr or "", right=right)
    if wait_s:
        raise Problem(
            "slow-down",
            gettext("Too many wrong guesses: try again in %(num)d s.") % {"num": wait_s},
            headers={"Retry-After": str(wait_s)},
        )


def _seats(problem: Problem | None = None) -> Response:
    its = parts()
    who = visitor()
    context = {
        "offer": its.seats.offer(),
        "code": its.link.join_code,
        "joining": invitation(its.link.join_code, its.nearby()),
        "mine": who.seat,
        "said": "" if problem is None else problem.message,
        "typed": request.form.get("name", ""),
        "chosen": request.form.get("shape", ""),
    }
    page = render_template("join/seats.html", **context, **_frame())
    return make_response(page, 200 if problem is None else STATUS[problem.code])


def _frame() -> dict[str, Any]:
    """What all these pages have."""
    return {"languages": languages(), "here": request.path if request.method == "GET" else "/join"}
