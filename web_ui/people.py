"""Pages for helpers: who sits where, with which device, and the way to all that can be arranged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flask import (
    Blueprint,
    Response,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
)
from werkzeug.exceptions import HTTPException

from companion.household import SHAPES
from web_ui.errors import Problem
from web_ui.forms import check_form
from web_ui.joining_code import invitation
from web_ui.parts import parts
from web_ui.views import colour_of, shapes_of
from web_ui.visitor import visitor
from web_ui.words import gettext

blueprint = Blueprint("people", __name__)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whom the table knows.

    Attributes:
        name: as people wrote it.
        number: of the seat, from 1; 0 for somebody who is not in the game.
        shape: of the player; empty where none was chosen.
        devices: their numbers and the days on which they were last seen.
        gone: has left the game.
    """

    name: str
    number: int
    shape: str
    devices: tuple[tuple[int, str], ...]
    gone: bool = False


@blueprint.get("/people")
def people() -> Response:
    """Devices and their seats, shapes, and names of other evenings."""
    return make_response(
        render_template(
            "people.html",
            here=list(_here()),
            others=list(_others()),
            shapes=SHAPES,
            form_key=visitor().form_key,
        )
    )


@blueprint.post("/people/free")
def free() -> Response:
    """Take the seat from a device."""
    check_form()
    number = request.form.get("device", "")
    household = parts().household
    for device, known in household.now.devices.items():
        if str(known.joined) == number:
            household.stand_up(device)
    return _changed()


@blueprint.post("/people/shape")
def shape() -> Response:
    """Give a player another shape; whoever has it gets the player's."""
    check_form()
    name, chosen = request.form.get("player", ""), request.form.get("shape", "")
    snapshot = parts().table.snapshot
    if name not in snapshot.players:
        raise Problem("unknown-player", gettext("There is no such seat in this game."))
    if chosen not in SHAPES:
        raise Problem("bad-command", gettext("There is no such shape."))
    household = parts().household
    shapes = shapes_of(snapshot.players, household.now.shapes)
    for other in snapshot.players:
        if shapes[other] == chosen and other != name:
            household.shape(other, shapes[name])
    household.shape(name, chosen)
    return _changed()


@blueprint.post("/people/forget")
def forget() -> Response:
    """Remember nothing of somebody: no name, no shape, no device."""
    check_form()
    parts().household.forget(request.form.get("player", ""))
    return _changed()


@blueprint.get("/table")
def hub() -> Response:
    """The way to everything that can be arranged at this table."""
    joining = invitation(parts().link.join_code, parts().nearby())
    ways = [way for way in _ways() if _is_there(way[0])]
    return make_response(render_template("hub.html", ways=ways, joining=joining))


def _changed() -> Response:
    parts().table.refresh()
    return make_response(redirect("/people", 303))


def _here() -> Iterator[Person]:
    snapshot, now = parts().table.snapshot, parts().household.now
    shapes = shapes_of(snapshot.players, now.shapes)
    for number, name in enumerate(snapshot.players):
        gone = name in snapshot.standing.gone
        yield Person(name, colour_of(number), shapes[name], _devices(name), gone)


def _others() -> Iterator[Person]:
    """Those who are not in the game, and of whom something is remembered."""
    players, now = parts().table.snapshot.players, parts().household.now
    known = dict.fromkeys(
        (*now.names, *now.shapes, *(each.player for each in now.devices.values()))
    )
    for name in known:
        if name not in players:
            yield Person(name, 0, now.shapes.get(name, ""), _devices(name))


def _devices(name: str) -> tuple[tuple[int, str], ...]:
    devices = parts().household.now.devices.values()
    return tuple((each.joined, each.seen_on) for each in devices if each.player == name)


def _ways() -> list[tuple[str, str, str]]:
    """Address, icon and words of each page for helpers."""
    return [
        ("/people", "people", gettext("People and phones")),
        ("/correct", "pencil", gettext("Set it right")),
        ("/cards", "card", gettext("Card by touch")),
        ("/setup", "octopus", gettext("A new game")),
        ("/settings", "service", gettext("Settings")),
        ("/enrol", "tag", gettext("Teach it the cards")),
        ("/diagnostics", "reader", gettext("What is stuck?")),
        ("/history", "seen", gettext("All games")),
        ("/rules", "asked", gettext("House rules")),
        ("/virtual", "touch", gettext("Virtual table")),
    ]


def _is_there(path: str) -> bool:
    """Whether this service has that page."""
    its = parts()
    if (path == "/virtual" and its.virtual is None) or (path == "/history" and its.games is None):
        return False
    try:
        current_app.url_map.bind("").match(path)
    except HTTPException:
        return False
    return True
