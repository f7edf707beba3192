"""The Flask application: its parts, its headers, its routes."""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Callable, Collection
from functools import partial

from flask import Flask, Response, current_app, make_response, request
from flask_babel import Babel, get_locale

from companion.chronicle import Games
from companion.config import Config
from companion.household import Household
from companion.instruments import Instruments
from companion.network.nearby import Nearby
from companion.said import say
from companion.settings.live import LiveSettings
from web_ui import (
    api,
    corrections,
    corrections_api,
    diagnostics,
    errors,
    history,
    history_api,
    joining,
    pages,
    people,
    phone,
    roles,
    tag_sheet,
    taps_api,
    touch,
)
from web_ui import settings as settings_pages
from web_ui import virtual as virtual_pages
from web_ui.access import TableLink
from web_ui.assets import Assets
from web_ui.contracts import Table, VirtualTable
from web_ui.enrol import pages as enrol_pages
from web_ui.errors import Problem
from web_ui.guessing import Guesses
from web_ui.histories import Histories
from web_ui.joining_seats import Seats
from web_ui.parts import KEY, Parts, parts
from web_ui.setup import pages as setup_pages
from web_ui.setup import places as setup_places
from web_ui.streams import Streams
from web_ui.views import Views, icon
from web_ui.virtual_show import Show
from web_ui.words import told

LARGEST_BODY_BYTES = 16 * 1024
STREAM_LIMIT = 120
"""How many screens may be open at once."""
STREAM_SPARE = 40
"""How many more may be on their way out."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


_LIVE_PAGES = (
    *setup_places.PAGES,
    *pages.PAGES,
    *phone.PAGES,
    *virtual_pages.PAGES,
    *enrol_pages.PAGES,
    *diagnostics.PAGES,
)


def create_app(
    table: Table,
    *,
    token: str,
    virtual: VirtualTable | None = None,
    household: Household | None = None,
    settings: LiveSettings[Config] | None = None,
    games: Games | None = None,
    show: Show | None = None,
    instruments: Instruments | None = None,
    stream_limit: int = STREAM_LIMIT,
    nearby: Callable[[], Nearby] = Nearby,
    placeholders: Collection[str] = (),
    clock: Callable[[], float] = time.monotonic,
) -> Flask:
    """The application for one table.

    Args:
        table: the authority that it asks.
        token: the secret in the table's link; who has it may change things.
        virtual: the virtual table, when the service runs with a simulated reader.
        household: what is remembered of people and devices; for this run alone where left out.
        settings: in force; the usual ones, for this run alone, where left out.
        games: those of the record, for the history; None where none is kept.
        show: what plays games by itself on the virtual table; made here where left out.
        instruments: what diagnostics are read from; without them it shows the screens alone.
        stream_limit: how many event streams are kept open at once.
        nearby: where other devices reach the pages.
        placeholders: names of players who are nobody yet: they give way to those who join.
        clock: seconds that only grow, for slowing guesses down.
    """
    app = Flask("web_ui", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY_BYTES
    app.config["MAX_FORM_MEMORY_SIZE"] = LARGEST_BODY_BYTES
    app.json.sort_keys = False  # type: ignore[attr-defined]  # the provider that Flask ships
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    app.jinja_env.finalize = told
    babel = Babel(app, locale_selector=_language_of_device)
    with app.app_context():
        app.config["LANGUAGES"] = sorted({"en", *map(str, babel.list_translations())})

    assets = Assets()
    link = TableLink(token, table.snapshot.table)
    household = household or Household()
    settings = settings or LiveSettings(Config())
    settings.subscribe("choices", lambda _: table.refresh())
    histories = Histories(table)
    live_pages = {page.name: page for page in _LIVE_PAGES}
    views = Views(app, table, household, live_pages, settings=settings, histories=histories)
    streams = Streams(stream_limit, STREAM_SPARE)
    app.extensions[KEY] = Parts(
        table=table,
        virtual=virtual,
        link=link,
        assets=assets,
        streams=streams,
        views=views,
        histories=histories,
        household=household,
        settings=settings,
        seats=Seats(table, household, placeholders),
        codes=Guesses(clock),
        pins=Guesses(clock),
        nearby=nearby,
        games=games,
        show=show or (None if virtual is None else Show(table, virtual)),
        instruments=instruments or Instruments(),
    )
    app.jinja_env.globals.update(
        icon=partial(icon, sprite_url=assets.url("icons.svg")),
        asset_url=assets.url,
        asset_version=assets.version,
        language=lambda: str(get_locale()).replace("_", "-"),
    )

    errors.install(app)
    app.register_blueprint(api.blueprint)
    app.register_blueprint(corrections_api.blueprint)
    app.register_blueprint(pages.blueprint)
    app.register_blueprint(joining.blueprint)
    app.register_blueprint(phone.blueprint)
    app.register_blueprint(history.blueprint)
    app.register_blueprint(history_api.blueprint)
    app.register_blueprint(people.blueprint)
    app.register_blueprint(settings_pages.blueprint)
    app.register_blueprint(setup_pages.blueprint)
    app.register_blueprint(setup_places.blueprint)
    app.register_blueprint(touch.blueprint)
    app.register_blueprint(enrol_pages.blueprint)
    app.register_blueprint(tag_sheet.blueprint)
    app.register_blueprint(virtual_pages.blueprint)
    app.register_blueprint(corrections.blueprint)
    app.register_blueprint(diagnostics.blueprint)
    app.register_blueprint(taps_api.blueprint)
    app.add_url_rule("/healthz", "healthz", _health)
    app.add_url_rule("/static/<digest>/<path:name>", "static_file", _static_file)
    roles.install(app)
    app.after_request(_secure)
    return app


_UNDERSTOOD = {"no": "nb", "nn": "nb"}
"""Who asks for the language on the left reads the one on the right: Norwegian has two of them."""


def _language_of_device() -> str:
    if not request:
        return "en"
    languages: list[str] = current_app.config["LANGUAGES"]
    chosen = request.cookies.get(pages.LANGUAGE_COOKIE)
    if chosen in languages:
        return chosen
    for wished, quality in request.accept_languages:  # best first
        primary = re.split("[-_]", wished.lower())[0]
        language = _UNDERSTOOD.get(primary, primary)
        if quality > 0 and language in languages:
            return language
    return "en"


def _health() -> Response:
    if parts().table.closed:
        return Response("ending\n", status=503, mimetype="text/plain")
    return Response("ok\n", mimetype="text/plain")


def _static_file(digest: str, name: str) -> Response:
    asset = parts().assets.find(name)
    if asset is None or asset.digest != digest:
        raise Problem("not-found", say("There is no such file, or it is of another version."))
    packed = request.accept_encodings["gzip"] > 0
    response = make_response(asset.packed if packed else asset.body)
    response.headers["Content-Type"] = asset.media_type
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


def _secure(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers[name] = value
    response.headers.setdefault("Cache-Control", "no-store")
    return _packed(response)


def _packed(response: Response) -> Response:
    """A page, made small for the way through the air; streams and programs get theirs plain."""
    response.headers.setdefault("Vary", "Accept-Encoding")
    if response.mimetype == "text/html" and request.accept_encodings["gzip"] > 0:
        response.set_data(gzip.compress(response.get_data(), 6, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response
