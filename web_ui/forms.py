"""What all forms of the pages have in common."""

from __future__ import annotations

import hashlib
import re

from flask import request

from companion.snapshot import Source
from web_ui.access import foreign_origin, same
from web_ui.errors import Problem
from web_ui.visitor import visitor
from web_ui.words import gettext

_VERSION = re.compile(r"([^.]{1,80})\.([0-9]{1,18})")


def check_form() -> None:
    """Refuse a form that our own page did not render for this device."""
    who = visitor()
    # Under our own referrer policy a browser sends `Origin: null` with a plain form, so
    # the form carries a key that no other site can read.
    own_form = who.form_key != "" and same(request.form.get("key", ""), who.form_key)
    if not own_form or _from_elsewhere():
        raise Problem("forbidden", gettext("This form does not come from the table's own page."))


def check_open_form() -> None:
    """Refuse a form that another site sent, where the device needs no role and has no key yet."""
    if _from_elsewhere():
        raise Problem("forbidden", gettext("This form does not come from the table's own page."))


def _from_elsewhere() -> bool:
    unnamed_origin = request.headers.get("Origin") in {None, "null"}
    return foreign_origin(request) and not unnamed_origin


def page_source() -> Source:
    """The device that sent a form, as the cause of what it brings about."""
    return Source("page", visitor().seat or "")


def seen_version() -> tuple[str, int]:
    """Epoch and revision of the view that the form belongs to."""
    match = _VERSION.fullmatch(request.form.get("view", ""))
    if match is None:
        raise Problem("bad-command", gettext("The form does not say which view it belongs to."))
    return match[1], int(match[2])


def request_id_of(epoch: str, revision: int, what: str) -> str:
    """The same for the same button of the same view, pressed for the same player or helper."""
    # The same button of the same view is the same request, so a double tap counts once. It is
    # the sender's own: else whoever sends what another may have chosen would learn by the answer
    # whether it was that.
    who = visitor()
    sender = "helper" if who.helper else f"seat {who.seat}"
    named = f"{epoch}.{revision} {sender} {what}"
    return f"touch-{hashlib.sha256(named.encode()).hexdigest()[:40]}"
