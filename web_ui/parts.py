"""The parts of one application, for its routes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import Response, current_app, request

from companion.chronicle import Games
from companion.config import Config
from companion.household import Household
from companion.instruments import Instruments
from companion.network.nearby import Nearby
from companion.said import say
from companion.settings.live import LiveSettings
from web_ui.access import TableLink
from web_ui.assets import Assets
from web_ui.contracts import Table, VirtualTable
from web_ui.errors import Problem
from web_ui.guessing import Guesses
from web_ui.histories import Histories
from web_ui.joining_seats import Seats
from web_ui.streams import EventStream, Rendering, Streams, hello
from web_ui.views import Views
from web_ui.virtual_show import Show

KEY = "tidetable"


@dataclass(frozen=True, slots=True)
class Parts:
    """All that the routes work with.

    Attributes:
        codes: guesses at the code that people join by.
        pins: guesses at the helpers' PIN.
        nearby: where other devices reach the pages.
    """

    table: Table
    virtual: VirtualTable | None
    link: TableLink
    assets: Assets
    streams: Streams
    views: Views
    histories: Histories
    household: Household
    settings: LiveSettings[Config]
    seats: Seats
    codes: Guesses
    pins: Guesses
    nearby: Callable[[], Nearby]
    games: Games | None
    instruments: Instruments
    show: Show | None = None


def parts() -> Parts:
    """The parts of the application that answers the current request."""
    found = current_app.extensions[KEY]
    if not isinstance(found, Parts):
        raise TypeError("the application was not made by create_app")
    return found


def stream_response(
    render: Callable[[], Rendering],
    *,
    seen: str,
    tick_s: float | None = None,
    page: str = "",
    seat: str = "",
) -> Response:
    """An event stream of these renderings, or a problem when there is no place for it.

    Args:
        render: gives the newest one.
        seen: the id of what the client shows already; it is not sent again.
        tick_s: how often to render though the table did not change; None for now and then.
        page: that the client shows; empty for a program.
        seat: the player whose device it is; empty for none.
    """
    its = parts()
    if request.method == "HEAD":
        return Response(mimetype="text/event-stream")
    ticket = its.streams.admit(page, seat, request.remote_addr or "")
    if ticket is None:
        raise Problem(
            "too-many-streams", say("Too many screens are open: close one and try again.")
        )
    events = EventStream(
        its.table,
        its.streams,
        ticket,
        render,
        hello=hello(its.assets.version),
        seen=seen,
        tick_s=tick_s,
        gone=request.environ.get("waitress.client_disconnected", lambda: False),
    )
    response = Response(events, mimetype="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"
    return response
