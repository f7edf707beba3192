"""The steps of the wizard that look at the hardware: where readers stand, how the ship stands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from flask import Blueprint, Response, make_response, redirect, request
from werkzeug.datastructures import MultiDict

from companion.calibration import LEAST_APART_DEG, CalibrationError, Pose
from companion.enrolling.acts import Act, Begin, Check, End
from companion.rules import game_named
from companion.ship import tilt_deg
from web_ui.access import Role
from web_ui.errors import Problem, wants_json
from web_ui.forms import check_form, page_source
from web_ui.live import LivePage, Scene
from web_ui.parts import parts
from web_ui.sentences import Sentence
from web_ui.setup.draft import Draft
from web_ui.showing import done, go_to, live_page
from web_ui.words import gettext

blueprint = Blueprint("places", __name__, url_prefix="/setup")

TICK_S = 0.5
GREEN_S = 6.0
"""A reader that read a tag so short a time ago has its lamp on."""
STYLE = "pages.css"


@dataclass(frozen=True, slots=True)
class Station:
    """A place where a reader can stand.

    Attributes:
        key: as the configuration spells it; empty for none.
        label: what it is, in words.
    """

    key: str
    label: Sentence


def stations_of(game: str, players: int) -> Iterator[Station]:
    """Where a reader can stand in this game."""
    yield Station("", Sentence("reader", gettext("Anywhere")))
    match game:
        case "octopus-alarm":
            for area in range(4):
                text = gettext("Area %(number)d")
                yield Station(f"area-{area}", Sentence("pile", text, {}, {"number": area}))
            yield Station("reef", Sentence("seen", gettext("Reef")))
        case "sea-salt-paper":
            yield Station("draw", Sentence("pile", gettext("Deck")))
            for pile in (1, 2):
                text = gettext("Pile %(number)d")
                yield Station(f"discard-{pile}", Sentence("seen", text, {}, {"number": pile}))
            yield Station("play", Sentence("card", gettext("Middle of the table")))
            for seat in range(1, players + 1):
                text = gettext("Player %(number)d")
                yield Station(f"seat-{seat}", Sentence("circle", text, {}, {"number": seat}))
        case _:
            yield Station("play", Sentence("card", gettext("Middle of the table")))


def _draft(topic: str) -> Draft:
    return Draft.read(MultiDict(parse_qsl(topic, keep_blank_values=True)))


def _after_readers(draft: Draft) -> str:
    ship = game_named(draft.game).ship
    return draft.address("/setup/ship" if ship else "/setup/rules")


# Readers


def _readers(scene: Scene) -> dict[str, Any]:
    its = parts()
    draft = _draft(scene.view.topic)
    passed = its.instruments.passages.now()
    lit = {
        reader.name
        for reader in passed.readers
        if reader.last is not None and passed.now_ns - reader.last.at_ns < GREEN_S * 1e9
    }
    stations = list(stations_of(draft.game, len(draft.players) or 2))
    by_key = {station.key: station for station in stations}
    rows = [
        (reader, reader.name in lit, by_key.get(its.table.stations.get(reader.name, "")))
        for reader in scene.snapshot.readers
    ]
    trying = scene.snapshot.enrolment is not None
    return {
        "rows": rows,
        "stations": stations,
        "trying": trying,
        "draft": draft,
        "topic": scene.view.topic,
        "back": draft.address("/setup/players"),
        "on": _after_readers(draft),
    }


def _reader_facts() -> object:
    its = parts()
    passed = its.instruments.passages.now()
    times = [(reader.name, reader.last and reader.last.at_ns) for reader in passed.readers]
    fresh = [at for _, at in times if at and passed.now_ns - at < GREEN_S * 1e9]
    return tuple(times), len(fresh), tuple(its.table.stations.items())


def _ship(scene: Scene) -> dict[str, Any]:
    its = parts()
    draft = _draft(scene.view.topic)
    given = dict(parse_qsl(scene.view.topic))
    upright = _vector(given.get("up", ""))
    now = _pose_or_fault()
    return {
        "draft": draft,
        "topic": scene.view.topic,
        "upright": upright,
        "apart": given.get("apart", ""),
        "now": now[0],
        "fault": now[1],
        "tilt": None
        if now[0] is None or upright is None
        else round(tilt_deg(now[0].mean, upright)),
        "limits": its.table.thresholds,
        "least": round(LEAST_APART_DEG),
        "back": draft.address("/setup/readers"),
        "on": draft.address("/setup/rules"),
    }


def _ship_facts() -> object:
    found, fault = _pose_or_fault()
    return None if found is None else tuple(round(part, -1) for part in found.mean), fault


def _pose_or_fault() -> tuple[Pose | None, str]:
    its = parts()
    try:
        found = its.table.felt.pose(its.table.thresholds, its.instruments.passages.now().now_ns)
    except CalibrationError:
        return None, gettext("At rest the sensor does not feel gravity: look at its wires.")
    return found, ""


PAGES = (
    LivePage(
        "setup/readers",
        "/setup/readers",
        Role.HELPER,
        _readers,
        facts=_reader_facts,
        tick_s=TICK_S,
        style=STYLE,
        topics=True,
    ),
    LivePage(
        "setup/ship",
        "/setup/ship",
        Role.HELPER,
        _ship,
        facts=_ship_facts,
        tick_s=TICK_S,
        style=STYLE,
        topics=True,
    ),
)


@blueprint.get("/readers")
def readers() -> str:
    """Where the readers stand, and whether they read."""
    return live_page("setup/readers", request.query_string.decode("utf-8", "replace"))


@blueprint.post("/readers/try")
def try_readers() -> Response:
    """Lay any card anywhere: it lights a lamp, and does nothing else."""
    check_form()
    draft = _draft(request.form.get("topic", ""))
    _enrol(Begin(draft.game))
    _enrol(Check())
    return _stay(draft.address("/setup/readers"))


@blueprint.post("/readers/done")
def readers_done() -> Response:
    """The game has the readers again; on to the next step."""
    check_form()
    draft = _draft(request.form.get("topic", ""))
    if parts().table.snapshot.enrolment is not None:
        _enrol(End())
    return go_to(_after_readers(draft))


@blueprint.post("/readers/place")
def place() -> Response:
    """A reader stands there from now on."""
    check_form()
    draft = _draft(request.form.get("topic", ""))
    reader, _, key = request.form.get("place", "").rpartition("|")
    its = parts()
    known = {status.name for status in its.table.snapshot.readers}
    keys = {each.key for each in stations_of(draft.game, len(draft.players) or 2)}
    if reader not in known or key not in keys:
        raise Problem("bad-command", gettext("There is no such reader, or no such place."))
    _place(reader, key)
    return _stay(draft.address("/setup/readers"))


def _place(reader: str, key: str) -> None:
    """The reader stands there, or anywhere for an empty key.

    One place has one reader, but for the middle of the table: who stood there stands anywhere.
    """
    settings = parts().settings
    gone = [name for name, at in settings.now.stations.items() if at == key != "play"]
    settings.change(
        {**{("stations", name): None for name in gone}, ("stations", reader): key or None}
    )


def _enrol(act: Act) -> None:
    answer = parts().table.enrol(act, source=page_source())
    if answer.code is not None:
        raise Problem(answer.code, answer.message)


# The ship


@blueprint.get("/ship")
def ship() -> str:
    """How the ship stands, and how it lies."""
    return live_page("setup/ship", request.query_string.decode("utf-8", "replace"))


@blueprint.post("/ship/stands")
def ship_stands() -> Response:
    """So it stands."""
    check_form()
    draft = _draft(request.form.get("topic", ""))
    x, y, z = _pose_now().mean
    return go_to(f"{draft.address('/setup/ship')}&{urlencode({'up': f'{x:.0f},{y:.0f},{z:.0f}'})}")


@blueprint.post("/ship/lies")
def ship_lies() -> Response:
    """So it lies: from now on it is judged by the two."""
    check_form()
    topic = request.form.get("topic", "")
    draft = _draft(topic)
    upright = _vector(dict(parse_qsl(topic)).get("up", ""))
    if upright is None:
        return go_to(draft.address("/setup/ship"))
    apart = tilt_deg(_pose_now().mean, upright)
    if apart < LEAST_APART_DEG:
        text = gettext(
            "That is only %(deg)d degrees from how it stood, and %(least)d are needed: lay it "
            "down flat."
        )
        raise Problem("not-legal", text % {"deg": apart, "least": LEAST_APART_DEG})
    parts().settings.change({("ship", "upright"): upright})
    more = {"up": ",".join(f"{part:.0f}" for part in upright), "apart": f"{apart:.0f}"}
    return go_to(f"{draft.address('/setup/ship')}&{urlencode(more)}")


def _pose_now() -> Pose:
    found, fault = _pose_or_fault()
    if found is None:
        raise Problem(
            "not-legal",
            fault or gettext("The ship is not at rest yet, or no sensor is heard: wait a second."),
        )
    return found


def _vector(text: str) -> tuple[float, float, float] | None:
    try:
        x, y, z = map(float, text.split(","))
    except ValueError:
        return None
    length = math.hypot(x, y, z)
    return (x, y, z) if math.isfinite(length) and 500 < length < 1500 else None


# Answers


def _stay(address: str) -> Response:
    """The page as it is now."""
    return done() if wants_json() else make_response(redirect(address, 303))
