"""Who holds the table's link, and whether a request was sent by our own page."""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import urlsplit

from flask import Request, Response

COOKIE_AGE_S = 400 * 24 * 3600


class TableLink:
    """The secret that lets people and programs change things at this table.

    The cookie and the form key are derived from the token, so they survive a restart of
    the service, and knowing one of them gives away neither the token nor the other.
    """

    def __init__(self, token: str, table_id: str) -> None:
        if not token:
            raise ValueError("The table's link needs a token.")
        self._token = token.encode()
        # Cookies ignore ports: two services on one host must not overwrite each other's.
        self.cookie_name = "tidetable_" + hashlib.sha256(table_id.encode()).hexdigest()[:12]
        self._cookie_value = self._derived(f"cookie:{table_id}")
        self.form_key = self._derived(f"form:{table_id}")[:32]

    def _derived(self, purpose: str) -> str:
        return hmac.new(self._token, purpose.encode(), hashlib.sha256).hexdigest()

    def opens(self, token: str) -> bool:
        """Whether this is the token of the link."""
        return _equal(token, self._token)

    def held_by(self, request: Request) -> bool:
        """Whether the request carries the link's cookie."""
        return _equal(request.cookies.get(self.cookie_name, ""), self._cookie_value.encode())

    def is_form_key(self, key: str) -> bool:
        """Whether the form was rendered by this service for a holder of the link."""
        return _equal(key, self.form_key.encode())

    def hand_over(self, response: Response) -> None:
        """Set the cookie that makes this device a holder of the link."""
        response.set_cookie(
            self.cookie_name,
            self._cookie_value,
            max_age=COOKIE_AGE_S,
            httponly=True,
            samesite="Lax",
        )


def foreign_origin(request: Request) -> bool:
    """Whether the browser says that another site sent this; no header is no evidence."""
    origin = request.headers.get("Origin")
    if origin is None:
        return False
    try:
        sender = urlsplit(origin)
    except ValueError:
        return True
    return sender.scheme not in {"http", "https"} or sender.netloc.lower() != request.host.lower()


def _equal(given: str, expected: bytes) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected)
