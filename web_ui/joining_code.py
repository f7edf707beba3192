"""What the TV shows to those who want to join: a QR code, the address and the short code."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import segno
from markupsafe import Markup

from companion.network.nearby import Nearby

QUIET_MODULES = 4
"""So wide a border the standard asks for (ISO/IEC 18004)."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """How to join.

    Attributes:
        code: what people type.
        address: where they type it, without `http://`; None where other devices reach nothing.
        name: the same by name, which is easier and does not open on every phone; or None.
        others: where they type it in other networks.
        qr: leads there at once; empty without an address.
        begin: nothing was done yet in the game, so the whole screen may say it.
        wifi: what joins the table's own Wi-Fi, to be read first; empty without one.
    """

    code: str
    address: str | None
    name: str | None
    others: tuple[str, ...]
    qr: Markup
    begin: bool
    wifi: Markup = field(default=Markup(), repr=False)


def invitation(
    code: str, nearby: Nearby, *, begin: bool = False, with_wifi: bool = False
) -> Invitation:
    """How to join the table with this code.

    Args:
        code: of the table.
        nearby: where other devices reach the pages.
        begin: nothing was done yet in the game.
        with_wifi: for those who stand in the room: also the code of the table's own Wi-Fi, in
            which its password is.
    """
    wifi = qr(nearby.wifi.joining()) if with_wifi and nearby.wifi is not None else Markup()
    if nearby.address is None:
        return Invitation(code, None, None, (), Markup(), begin)
    return Invitation(
        code,
        typed(nearby.address),
        nearby.name and typed(nearby.name),
        tuple(map(typed, nearby.others)),
        # By number: a name does not open on every phone, nor in every guests' Wi-Fi.
        qr(f"{nearby.address}/join/{code}"),
        begin,
        wifi,
    )


def typed(address: str) -> str:
    """What people type to get there."""
    return f"{address.removeprefix('http://')}/join"


@lru_cache(maxsize=8)
def qr(text: str) -> Markup:
    """The text as a QR code, drawn in dark modules on a light square."""
    made = segno.make(text, error="m", micro=False)
    size = made.symbol_size(scale=1, border=QUIET_MODULES)[0]
    path = "".join(
        f"M{start + QUIET_MODULES} {row + QUIET_MODULES}h{length}v1h-{length}z"
        for row, modules in enumerate(made.matrix)
        for start, length in _runs(modules)
    )
    return Markup(
        '<svg class="qr" viewBox="0 0 {0} {0}" shape-rendering="crispEdges" aria-hidden="true">'
        '<rect width="{0}" height="{0}" fill="#fff"/><path d="{1}" fill="#000"/></svg>'
    ).format(size, path)


def _runs(modules: bytes | bytearray) -> list[tuple[int, int]]:
    """Where dark modules stand in a row, as pairs of start and length."""
    found: list[tuple[int, int]] = []
    for place, dark in enumerate(modules):
        if dark and found and sum(found[-1]) == place:
            found[-1] = found[-1][0], found[-1][1] + 1
        elif dark:
            found.append((place, 1))
    return found
