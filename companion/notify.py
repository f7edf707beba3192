"""What systemd is told of the service (sd_notify): ready, alive, stopping. Elsewhere nothing.

A page may answer while the table itself is stuck. So the service is said to be alive only as
long as the table's own thread answers; else systemd ends it and starts it again.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)

PAGE_LIMIT_S = 30.0
"""How long the first page may take, on a Pi that is just starting."""


def tell(*lines: str) -> bool:
    """Tell systemd these lines, such as `READY=1`; whether there was somebody to tell.

    It never raises: a service plays on also when nobody listens.
    """
    name = os.environ.get("NOTIFY_SOCKET", "")
    if not name.startswith(("/", "@")):
        return False
    address = f"\0{name[1:]}" if name.startswith("@") else name
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
            end.settimeout(1.0)
            end.sendto("\n".join(lines).encode(), address)
    except OSError as error:
        log.warning("systemd could not be told: %s.", error.strerror or error)
        return False
    return True


def watchdog_s() -> float | None:
    """How often systemd wants to hear that the service is alive; None where it does not."""
    if os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    try:
        micros = int(os.environ.get("WATCHDOG_USEC", ""))
    except ValueError:
        return None
    return micros / 1e6 if micros > 0 else None


@contextmanager
def told(page: str, answers: Callable[[], object], status: str) -> Iterator[None]:
    """Say that the service is ready; while it runs, that it is alive; at its end, that it stops.

    Args:
        page: the address of a page that has to answer first.
        answers: returns once the table's thread has answered, however long that takes.
        status: what the service does, in words.
    """
    if not os.environ.get("NOTIFY_SOCKET"):
        yield
        return
    _await(page)
    tell("READY=1", f"STATUS={status}")
    end = threading.Event()
    limit_s = watchdog_s()
    if limit_s is not None:
        beat = threading.Thread(
            target=_beat, args=(answers, limit_s, end), name="watchdog", daemon=True
        )
        beat.start()
    try:
        yield
    finally:
        end.set()
        tell("STOPPING=1", "STATUS=Closing the record.")


def _beat(answers: Callable[[], object], limit_s: float, end: threading.Event) -> None:
    """Three times within the limit, so that a busy moment is not taken for a fault."""
    while True:
        answers()
        if end.is_set():
            return
        tell("WATCHDOG=1")
        if end.wait(limit_s / 3):
            return


def _await(page: str) -> None:
    """Wait until the page answers; also a refusal is an answer."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(page, timeout=PAGE_LIMIT_S):
            return
    except urllib.error.HTTPError:
        return
    except OSError as error:
        log.warning("The page %s does not answer (%s).", page, error)
