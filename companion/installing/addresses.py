"""Where the installed table is found."""

from __future__ import annotations

import socket

ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - named to be recognised, not bound


def address(host: str, port: int) -> str:
    """The address of the pages, in the home network where there is one.

    Args:
        host: the address that they are served on.
        port: of them.
    """
    name = _own() if host in ANYWHERE else host
    shown = "" if port == 80 else f":{port}"
    return f"http://{f'[{name}]' if ':' in name else name}{shown}/"


def _own() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: a datagram socket is only asked which way it would take.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
