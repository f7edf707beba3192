"""Diagnostics: where the chain from a tag to the screens is stuck, and how all of it does."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, make_response, request
from flask_babel import force_locale

from companion.diagnosis import Diagnosis, diagnose
from companion.log_tail import without_secrets
from companion.passages import Passed
from web_ui import diagnostics_report
from web_ui.access import Role
from web_ui.diagnostics_trace import drawn
from web_ui.diagnostics_words import (
    LAMPS,
    NAMES_OF_LINKS,
    ago,
    machine_rows,
    screen_rows,
    sentence,
    tag_said,
)
from web_ui.errors import Problem
from web_ui.forms import check_form
from web_ui.live import LivePage, Scene
from web_ui.parts import parts
from web_ui.showing import done, live_page
from web_ui.views import board_players
from web_ui.words import gettext

blueprint = Blueprint("diagnostics", __name__)

TICK_S = 0.5
"""How often the page is drawn anew: a ship that swings is to be seen swinging."""


def _found() -> tuple[Passed, Diagnosis]:
    its = parts()
    passed = its.instruments.passages.now()
    return passed, diagnose(passed, its.streams.screens(), alarm=its.table.snapshot.alarm)


def _facts() -> object:
    """The same for all who look at once: it is drawn once for them."""
    return time.monotonic_ns() // round(TICK_S * 1e9)


def _context(scene: Scene) -> Mapping[str, Any]:
    its = parts()
    passed, diagnosis = _found()
    players = {player.name: player for player in board_players(scene)}
    now_s = passed.now_ns / 1e9
    names = diagnostics_report.names_of(scene.snapshot, scene.remembered)
    return {
        "passed": passed,
        "verdict": sentence(diagnosis.verdict),
        "verdict_health": diagnosis.verdict.health,
        "verdict_code": diagnosis.verdict.code,
        "trouble": diagnostics_report.trouble_of(passed, diagnosis.verdict),
        "links": [
            {
                "link": state.link,
                "name": NAMES_OF_LINKS[state.link](),
                "health": state.finding.health,
                "said": sentence(state.finding),
                "ago": None if state.passed_s is None else ago(state.passed_s),
            }
            for state in diagnosis.links
        ],
        "lamps": LAMPS,
        "tags_of": {reader.name: tag_said(reader.last, scene.face) for reader in passed.readers},
        "bus_of": its.instruments.bus_of,
        "restartable": {
            reader.name for reader in passed.readers if its.instruments.bus_of(reader.name)
        },
        "traces": [drawn(trace, passed.now_ns) for trace in passed.ships],
        "ships": {trace.reader for trace in passed.ships},
        "judged": scene.snapshot.ship,
        "screens": screen_rows(its.streams.screens(), passed, players),
        "machine": machine_rows(its.instruments.machine.now()),
        "log": [
            (ago(now_s - line.at_s), without_secrets(line.text, names))
            for line in reversed(its.instruments.tail.lines()[-8:])
        ],
        "ago": lambda at_ns: ago(max(0.0, now_s - at_ns / 1e9)),
    }


PAGES = (
    LivePage(
        "diagnostics",
        "/diagnostics",
        Role.HELPER,
        _context,
        facts=_facts,
        tick_s=TICK_S,
        style="diagnostics.css",
    ),
)


@blueprint.get("/diagnostics")
def diagnostics_page() -> str:
    """How all of it does, now."""
    return live_page("diagnostics")


@blueprint.post("/diagnostics/restart")
def restart() -> Response:
    """Start the driver of a reader again."""
    check_form()
    if not parts().instruments.restart(request.form.get("reader", "")):
        raise Problem("not-found", gettext("There is no such reader."))
    return done()


@blueprint.get("/diagnostics/report.txt")
def report() -> Response:
    """All of it as a text that may be sent to others: no names, no UIDs, no cards."""
    its = parts()
    passed, diagnosis = _found()
    with force_locale("en"):
        text = diagnostics_report.report(
            passed,
            diagnosis,
            its.streams.screens(),
            its.instruments,
            diagnostics_report.names_of(its.table.snapshot, its.household.now),
        )
    response = make_response(text)
    response.headers["Content-Type"] = "text/plain; charset=utf-8"
    response.headers["Content-Disposition"] = 'attachment; filename="tidetable-report.txt"'
    return response


@blueprint.get("/api/v1/diagnostics")
def facts() -> Response:
    """The same for programs."""
    its = parts()
    passed, diagnosis = _found()
    snapshot = its.table.snapshot
    with force_locale("en"):
        body = diagnostics_report.as_json(
            passed,
            diagnosis,
            its.streams.screens(),
            its.instruments,
            players=snapshot.players,
            names=diagnostics_report.names_of(snapshot, its.household.now),
        )
    return jsonify(body)
