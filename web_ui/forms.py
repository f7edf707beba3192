"""What all forms of the pages have in common."""

from __future__ import annotations

import hashlib
import re

from flask import request

from web_ui.access import foreign_origin
from web_ui.errors import Problem
from web_ui.parts import parts
from web_ui.words import gettext

_VERSION = re.compile(r"([^.]{1,80})\.([0-9]{1,18})")


def check_form() -> None:
    """Refuse a form that our own page did not render for a holder of the table's link."""
    link = parts().link
    if not link.held_by(request):
        raise Problem("unauthorized", link_needed())
    # Under our own referrer policy a browser sends `Origin: null` with a plain form, so
    # the form carries a key that no other site can read.
    own_form = link.is_form_key(request.form.get("key", ""))
    unnamed_origin = request.headers.get("Origin") in {None, "null"}
    if not own_form or (foreign_origin(request) and not unnamed_origin):
        raise Problem("forbidden", gettext("This form does not come from the table's own page."))


def seen_version() -> tuple[str, int]:
    """Epoch and revision of the view that the form belongs to."""
    match = _VERSION.fullmatch(request.form.get("view", ""))
    if match is None:
        raise Problem("bad-command", gettext("The form does not say which view it belongs to."))
    return match[1], int(match[2])


def request_id_of(epoch: str, revision: int, what: str) -> str:
    """The same for the same button of the same view."""
    # The same button of the same view is the same request, so a double tap counts once.
    return f"touch-{hashlib.sha256(f'{epoch}.{revision} {what}'.encode()).hexdigest()[:40]}"


def link_needed() -> str:
    """What to do on a device that does not hold the link."""
    return gettext(
        "Open the table's link on this device first. It is printed where the service "
        "was started, and begins with this address followed by /link/."
    )
