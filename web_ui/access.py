"""Who a device is to the table: one that looks, one with a seat, or one that helps.

Everything here is derived from the secret token of the table's link, so it survives a restart
of the service, and knowing one of these values gives away none of the others.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from enum import IntEnum
from urllib.parse import urlsplit

from flask import Request, Response

COOKIE_AGE_S = 400 * 24 * 3600
CODE_LETTERS = "ABCDEFGHJKLMNPQRTUVWXY346789"
"""Without those that people take for one another."""
CODE_LENGTH = 5
PIN_LENGTH = 6

_DEVICE = re.compile(r"([0-9a-f]{16})\.([0-9a-f]{64})")


class Role(IntEnum):
    """What a device may do; each may do what the one before it may."""

    VIEWER = 1
    """Anybody in the table's network: looks."""
    SEAT = 2
    """Joined: acts for one player."""
    HELPER = 3
    """Has the table's link, or told the PIN: acts for all, sets right, enrols, configures."""


class TableLink:
    """The secrets of one table.

    Attributes:
        join_code: what people type to join; the scoreboard shows it.
        pin: what makes a device a helper; the service prints it.
    """

    def __init__(self, token: str, table_id: str) -> None:
        if not token:
            raise ValueError("The table's link needs a token.")
        self._token = token.encode()
        self._table = table_id
        # Cookies ignore ports: two services on one host must not overwrite each other's.
        self.cookie_name = "tidetable_" + hashlib.sha256(table_id.encode()).hexdigest()[:12]
        self.device_cookie_name = f"{self.cookie_name}_device"
        self._cookie_value = self._derived(f"cookie:{table_id}")
        self.form_key = self._derived(f"form:{table_id}")[:32]
        number = int(self._derived(f"join:{table_id}"), 16)
        self.join_code = ""
        for _ in range(CODE_LENGTH):
            number, letter = divmod(number, len(CODE_LETTERS))
            self.join_code += CODE_LETTERS[letter]
        self.pin = str(int(self._derived(f"pin:{table_id}"), 16))[-PIN_LENGTH:]

    def _derived(self, purpose: str) -> str:
        return hmac.new(self._token, purpose.encode(), hashlib.sha256).hexdigest()

    def opens(self, token: str) -> bool:
        """Whether this is the token of the link."""
        return _equal(token, self._token)

    def is_join_code(self, text: str) -> bool:
        """Whether somebody typed the code; case and blanks do not matter."""
        return _equal("".join(text.split()).upper(), self.join_code.encode())

    def is_pin(self, text: str) -> bool:
        """Whether somebody typed the PIN."""
        return _equal("".join(text.split()), self.pin.encode())

    def held_by(self, request: Request) -> bool:
        """Whether the request carries the link's cookie."""
        return _equal(request.cookies.get(self.cookie_name, ""), self._cookie_value.encode())

    def hand_over(self, response: Response) -> None:
        """Set the cookie that makes this device a holder of the link."""
        self._set_cookie(response, self.cookie_name, self._cookie_value)

    def new_device(self) -> str:
        """An id for a device that joins."""
        return secrets.token_hex(8)

    def device_of(self, request: Request) -> str | None:
        """The id of the device that sent this, as it was handed out; None for a stranger."""
        match = _DEVICE.fullmatch(request.cookies.get(self.device_cookie_name, ""))
        if match is None or not _equal(match[2], self._of_device(match[1]).encode()):
            return None
        return match[1]

    def hand_device(self, response: Response, device: str) -> None:
        """Set the cookie by which this device is known again."""
        self._set_cookie(response, self.device_cookie_name, f"{device}.{self._of_device(device)}")

    def form_key_of(self, device: str) -> str:
        """What the forms of that device carry, which no other site and no other device can read."""
        return self._derived(f"form:{self._table}:{device}")[:32]

    def _of_device(self, device: str) -> str:
        return self._derived(f"device:{self._table}:{device}")

    def _set_cookie(self, response: Response, name: str, value: str) -> None:
        response.set_cookie(name, value, max_age=COOKIE_AGE_S, httponly=True, samesite="Lax")


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


def same(given: str, expected: str) -> bool:
    """Compare two secrets in a time that tells nothing about them."""
    return _equal(given, expected.encode())


def _equal(given: str, expected: bytes) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected)
