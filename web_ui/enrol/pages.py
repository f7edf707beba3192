"""Enrolment: the page, what is pressed on it, and files of tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Blueprint, Response, make_response, render_template, request

from companion.enrolling.acts import (
    Act,
    Allow,
    Begin,
    Bring,
    Check,
    Choose,
    Counted,
    End,
    LayOn,
    MoveHere,
    Recount,
    SetColour,
    SetMode,
    Skip,
    TakeOff,
    Undo,
)
from companion.tags import TagsError, read_csv, read_json, write_csv, write_json
from web_ui.access import Role
from web_ui.enrol.masked import masked
from web_ui.enrol.view import boxes, context
from web_ui.errors import Problem
from web_ui.forms import check_form, page_source
from web_ui.live import LivePage
from web_ui.parts import parts
from web_ui.showing import answered, live_page
from web_ui.visitor import visitor
from web_ui.words import gettext, told

blueprint = Blueprint("enrol", __name__, url_prefix="/enrol")

PAGES = (LivePage("enrol", "/enrol", Role.HELPER, context, style="pages.css"),)

_ACTS: Mapping[str, Callable[[str], Act]] = {
    "begin": Begin,
    "add": lambda game: Begin(game, "free", adding=True),
    "choose": Choose,
    "skip": lambda _: Skip(),
    "move": lambda _: MoveHere(),
    "take-off": lambda _: TakeOff(),
    "allow": lambda _: Allow(),
    "undo": lambda _: Undo(),
    "guided": lambda _: SetMode("guided"),
    "free": lambda _: SetMode("free"),
    "colour": lambda colour: SetColour(colour[:20]),
    "recount": Recount,
    "counted": lambda _: Counted(),
    "check": lambda _: Check(),
    "lay": lambda _: LayOn(),
    "end": lambda _: End(),
}
"""What a button does, by its name and what it is about."""

_AT_ANY_TIME = ("begin", "add", "guided", "free", "colour", "check", "lay", "end")
"""These do not depend on which card was laid last."""


@blueprint.get("")
def page() -> str:
    """Put tags on things."""
    return live_page("enrol")


@blueprint.post("/act")
def act() -> Response:
    """Do something of it: `act` is its name, or its name, a colon and what it is about."""
    check_form()
    name, _, about = request.form.get("act", "").partition(":")
    if name not in _ACTS:
        raise Problem("bad-command", gettext("There is no such button."))
    at = request.form.get("at", "")
    told = None if name in _AT_ANY_TIME or not at.isdecimal() else int(at[:9])
    answer = parts().table.enrol(_ACTS[name](about), source=page_source(), at=told)
    return answered(answer, {"end": "/enrol", "add": "/enrol"}.get(name))


@blueprint.get("/file")
def file() -> str:
    """Bring tags in from a file, and take them out into one."""
    return _file_page()


def _file_page(faults: tuple[str, ...] = (), brought: int | None = None) -> str:
    tags = parts().table.enrolled
    return render_template(
        "enrol/file.html",
        form_key=visitor().form_key,
        count=len(tags),
        boxes=boxes(tags),
        faults=faults,
        brought=brought,
    )


@blueprint.post("/file")
def bring() -> Response:
    """Take the tags of a file, all or none."""
    check_form()
    table = parts().table
    sent = request.files.get("file")
    data = b"" if sent is None else sent.read()
    short = request.form.get("short") == "yes"
    reading = read_json if data.lstrip()[:1] in (b"{", b"[") else read_csv
    try:
        found = reading(data, table.enrolled, short=short)
    except TagsError as error:
        faults = tuple(masked(line) for line in told(str(error)).splitlines())
        return make_response(_file_page(faults), 400)
    answer = table.enrol(Bring(found.tags), source=page_source())
    if answer.code is not None:
        raise Problem(answer.code, answer.message)
    return make_response(_file_page(brought=len(found.tags)))


@blueprint.get("/tags.csv")
def tags_csv() -> Response:
    """All tags as a file that `companion tags import` reads, with their UIDs."""
    return _download(write_csv(parts().table.enrolled), "tags.csv", "text/csv; charset=utf-8")


@blueprint.get("/tags.json")
def tags_json() -> Response:
    """The same as JSON."""
    return _download(write_json(parts().table.enrolled), "tags.json", "application/json")


def _download(text: str, name: str, media_type: str) -> Response:
    response = make_response(text)
    response.headers["Content-Type"] = media_type
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
