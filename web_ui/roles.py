"""Which route needs which role: one table, and the check of every request against it."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Flask, request

from web_ui.access import Role
from web_ui.errors import Problem
from web_ui.parts import parts
from web_ui.visitor import visitor
from web_ui.words import gettext

ROLES: Mapping[str, Role] = {
    # Endpoint: who may call it.
    "healthz": Role.VIEWER,
    "static_file": Role.VIEWER,
    "api.table": Role.VIEWER,
    "api.table_stream": Role.VIEWER,
    "api.openapi": Role.VIEWER,
    "api.actions": Role.HELPER,
    "api.answers": Role.HELPER,
    "corrections_api.history": Role.VIEWER,
    "corrections_api.likely": Role.HELPER,
    "corrections_api.preview_correction": Role.HELPER,
    "corrections_api.correct": Role.HELPER,
    "corrections_api.restore": Role.HELPER,
    "pages.scoreboard": Role.VIEWER,
    "pages.take_link": Role.VIEWER,
    "pages.language": Role.VIEWER,
    "pages.stream": Role.VIEWER,  # what a page shows is looked up in `live.PAGES`
    "pages.cards": Role.HELPER,
    "joining.join": Role.VIEWER,
    "joining.choose": Role.VIEWER,
    "joining.sit": Role.VIEWER,
    "joining.stand_up": Role.SEAT,
    "joining.helper": Role.VIEWER,
    "joining.become_helper": Role.VIEWER,
    "people.people": Role.HELPER,
    "people.free": Role.HELPER,
    "people.shape": Role.HELPER,
    "people.forget": Role.HELPER,
    "people.hub": Role.HELPER,
    "phone.play": Role.VIEWER,  # without a seat it leads to one
    "virtual.virtual_table": Role.HELPER,
    "virtual.move": Role.HELPER,
    "virtual.ask_to_show": Role.HELPER,
    "virtual.show": Role.HELPER,
    "virtual.stop_show": Role.HELPER,
    "settings.rules": Role.VIEWER,
    "settings.settings": Role.HELPER,
    "settings.change": Role.HELPER,
    "tag_sheet.tag_sheet": Role.VIEWER,
    "enrol.page": Role.HELPER,
    "enrol.act": Role.HELPER,
    "enrol.file": Role.HELPER,
    "enrol.bring": Role.HELPER,
    "enrol.tags_csv": Role.HELPER,
    "enrol.tags_json": Role.HELPER,
    "places.readers": Role.HELPER,
    "places.try_readers": Role.HELPER,
    "places.readers_done": Role.HELPER,
    "places.place": Role.HELPER,
    "places.ship": Role.HELPER,
    "places.ship_stands": Role.HELPER,
    "places.ship_lies": Role.HELPER,
    "setup.welcome": Role.HELPER,
    "setup.players": Role.HELPER,
    "setup.rules": Role.HELPER,
    "setup.summary": Role.HELPER,
    "setup.start": Role.HELPER,
    "setup.at_once": Role.HELPER,
    "history.index": Role.VIEWER,
    "history.charts": Role.VIEWER,
    "history.single": Role.VIEWER,
    "history.replay": Role.VIEWER,
    "history.players": Role.HELPER,
    "history.forget": Role.HELPER,
    "history_api.listing": Role.VIEWER,
    "history_api.all_json": Role.VIEWER,
    "history_api.all_csv": Role.VIEWER,
    "history_api.plays": Role.VIEWER,
    "history_api.single": Role.VIEWER,
    "history_api.course_json": Role.VIEWER,
    "history_api.course_csv": Role.VIEWER,
    "touch.touch": Role.SEAT,
    "touch.card": Role.SEAT,
    "touch.undo": Role.SEAT,
    "touch.answer": Role.SEAT,
    "touch.new_game": Role.SEAT,
    "corrections.feed": Role.SEAT,
    "corrections.entry": Role.SEAT,
    "corrections.missing": Role.SEAT,
    "corrections.back": Role.SEAT,
    "corrections.restoring": Role.SEAT,
    "corrections.preview_page": Role.SEAT,
    "corrections.correct": Role.SEAT,
    "corrections.restore": Role.SEAT,
    "corrections.undo": Role.SEAT,
    "corrections.by_hand": Role.SEAT,
    "diagnostics.diagnostics_page": Role.HELPER,
    "diagnostics.restart": Role.HELPER,
    "diagnostics.report": Role.HELPER,
    "diagnostics.facts": Role.HELPER,
    "taps_api.taps": Role.HELPER,
    "taps_api.begin": Role.HELPER,
    "taps_api.end": Role.HELPER,
}

CORRECTING = frozenset({"touch.undo"})
"""Endpoints that set the past right, beside all pages for it: players may call them only where
the household lets players correct."""


def install(app: Flask) -> None:
    """Check each request before anything else happens.

    Raises:
        LookupError: a route is not in the table.
    """
    unnamed = {rule.endpoint for rule in app.url_map.iter_rules()} - ROLES.keys()
    if unnamed:
        raise LookupError(f"who may call {', '.join(sorted(unnamed))}? See ROLES.")
    app.before_request(_check)


def _check() -> None:
    endpoint = request.endpoint
    if endpoint is not None:
        require(ROLES[endpoint])
        if endpoint in CORRECTING or endpoint.startswith("corrections."):
            _require_corrector()


def require(role: Role) -> None:
    """Refuse a device that may do less than this.

    Raises:
        Problem: `unauthorized`, with what to do.
    """
    if visitor().role >= role:
        return
    if request.path.startswith("/api/"):
        raise Problem("unauthorized", _for_programs())
    if role is Role.SEAT:
        raise Problem("unauthorized", gettext("Join the table on this device first."))
    raise Problem("unauthorized", link_needed())


def _require_corrector() -> None:
    if not visitor().helper and not parts().settings.now.choices.players_correct:
        raise Problem(
            "forbidden", gettext("At this table the past is set right by those who help.")
        )


def _for_programs() -> str:
    if request.headers.get("Authorization") is not None:
        return "The token in the Authorization header is wrong."
    return "Send the token as Authorization: Bearer TOKEN, or the link's cookie."


def link_needed() -> str:
    """What to do on a device that does not hold the link."""
    return gettext(
        "Open the table's link on this device first. It is printed where the service "
        "was started, and begins with this address followed by /link/."
    )
