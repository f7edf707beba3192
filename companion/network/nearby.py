"""Where the table is found at one moment, for the pages that show it."""

from __future__ import annotations

from dataclasses import dataclass

from companion.network.settings import Wifi


@dataclass(frozen=True, slots=True)
class Nearby:
    """How other devices come to the table.

    Attributes:
        address: the best one, such as `http://192.168.1.7:8080`; None where none reaches it.
        name: the same by name, such as `http://tidetable.local:8080`; None while it has none.
        others: at which it is reached in other networks.
        wifi: the access point that the table is; None where it is none.
    """

    address: str | None = None
    name: str | None = None
    others: tuple[str, ...] = ()
    wifi: Wifi | None = None


def at(host: str, port: int) -> str:
    """The address of the pages, such as `http://192.168.1.7:8080`."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}" if port == 80 else f"http://{shown}:{port}"
