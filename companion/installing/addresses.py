"""Where the installed table is found."""

from __future__ import annotations

import socket


def address(port: int) -> str:
    """The address of the pages, in the home network where there is one."""
    shown = "" if port == 80 else f":{port}"
    return f"http://{_own()}{shown}/"


def _own() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: a datagram socket is only asked which way it would take.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
