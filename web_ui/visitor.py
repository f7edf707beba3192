"""Who sent the current request, and what that device may do."""

from __future__ import annotations

from dataclasses import dataclass

from flask import g, request

from web_ui.access import Role
from web_ui.parts import parts


@dataclass(frozen=True, slots=True)
class Visitor:
    """The device that sent a request.

    Attributes:
        role: what it may do.
        seat: the player of the game in progress whose seat it has; None without one. A helper
            may have a seat as well.
        device: its id; None for one that never joined.
        form_key: what its forms carry; empty for a viewer.
    """

    role: Role
    seat: str | None
    device: str | None
    form_key: str

    @property
    def helper(self) -> bool:
        """Whether it may do everything."""
        return self.role is Role.HELPER


def visitor() -> Visitor:
    """Who sent the current request; found out once."""
    known: Visitor | None = g.get("visitor")
    if known is None:
        known = g.visitor = _find()
    return known


def _find() -> Visitor:
    link = parts().link
    bearer = request.headers.get("Authorization")
    if bearer is not None:
        # A program: its cookies do not count, and a wrong token is no weaker right.
        role = Role.HELPER if _is_token(bearer) else Role.VIEWER
        return Visitor(role, None, None, link.form_key if role is Role.HELPER else "")
    device = link.device_of(request)
    seat = None if device is None else parts().seats.seat_of(device)
    if link.held_by(request):
        return Visitor(Role.HELPER, seat, device, link.form_key)
    if device is None or seat is None:
        return Visitor(Role.VIEWER, None, device, "")
    return Visitor(Role.SEAT, seat, device, link.form_key_of(device))


def _is_token(bearer: str) -> bool:
    scheme, _, token = bearer.partition(" ")
    return scheme.lower() == "bearer" and parts().link.opens(token.strip())
