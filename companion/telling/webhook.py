"""Posts what happens to a program, by HTTP.

One thread. Each event is one request, in order: the next waits until the one before was taken,
or given up. Neither the table nor its other listeners ever wait.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import logging
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from urllib.parse import urlsplit

from companion.snapshot import Snapshot
from companion.telling.complaints import Complaints
from companion.telling.public import events_between
from companion.telling.settings import Webhook

log = logging.getLogger(__name__)

ANSWER_S = 10.0
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
KEPT_S = 600.0
"""So long it is tried to deliver an event."""
MOST_EVENTS = 500
"""Of more the oldest is given up."""
STOP_S = 2.0

LATER = frozenset({408, 425, 429})
"""Refusals that will not be there for ever, beside those of the receiver's own faults."""


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """What says that a request comes from who knows the secret, and when it was made."""
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256)
    return f"sha256={digest.hexdigest()}"


def try_out(settings: Webhook) -> str | None:
    """Connect once to where events go, and post nothing.

    Returns:
        Why it is not reached, a few words that do not name it; None where it is.
    """
    connection = None
    try:
        connection = _connection_to(settings)
        connection.connect()
    except _Unusable as unusable:
        return f"{unusable}"
    except OSError as error:
        return _reason(error).replace(urlsplit(settings.url or "").hostname or "\n", "…")
    finally:
        if connection is not None:
            connection.close()
    return None


class _Unusable(Exception):
    """The file of the authority's certificate is none; a few words."""


def _connection_to(settings: Webhook) -> http.client.HTTPConnection:
    """Where events go, not connected yet.

    Raises:
        _Unusable: the file of the authority's certificate is none.
    """
    url = urlsplit(settings.url or "")
    if url.scheme == "https":
        try:
            context = ssl.create_default_context(cafile=settings.ca)
        except OSError as error:
            raise _Unusable(
                f"the ca {settings.ca} cannot be used, {error.strerror or error}"
            ) from None
        return http.client.HTTPSConnection(
            url.hostname or "", url.port, timeout=ANSWER_S, context=context
        )
    return http.client.HTTPConnection(url.hostname or "", url.port, timeout=ANSWER_S)


def _reason(error: Exception) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return f"its certificate is not believed, {error.verify_message}"
        case socket.gaierror():
            return "nobody here knows that name"
        case TimeoutError():
            return "it does not answer in time"
        case http.client.RemoteDisconnected():
            return "it does not answer"
        case OSError():
            return error.strerror or type(error).__name__
    return "what it answers is no HTTP"


@dataclass(frozen=True, slots=True)
class _Event:
    """What is to be posted.

    Attributes:
        at_s: when it happened, monotonic time.
        id: names it for ever.
        body: that is posted.
    """

    at_s: float
    id: str
    body: bytes


class _Later(Exception):
    """It was not delivered, and may be another time.

    Attributes:
        wait_s: how long the receiver wants to be left alone.
    """

    def __init__(self, trouble: str, wait_s: float = 0.0) -> None:
        super().__init__(trouble)
        self.wait_s = wait_s


class _Never(Exception):
    """The receiver does not want it."""


class Poster:
    """Posts to one address.

    Args:
        settings: which one, and how.
        clock: monotonic time in seconds.
        wall: the time of day, in seconds since 1970.
    """

    def __init__(
        self,
        settings: Webhook,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.settings = settings
        self._url = urlsplit(settings.url or "")
        self._clock = clock
        self._wall = wall
        self._complaints = Complaints(log)
        self._changed = threading.Condition()
        self._events: deque[_Event] = deque()
        self._lost = 0
        self._ending = False
        self._socket: socket.socket | None = None
        self._thread = threading.Thread(target=self._run, name="webhook", daemon=True)
        self._thread.start()

    def tell(self, before: Snapshot | None, now: Snapshot, at: str) -> None:
        """Take what is to be told; returns at once."""
        events = events_between(before, now, time=at, names=self.settings.names)
        told = [
            _Event(self._clock(), event["id"], json.dumps(event, ensure_ascii=False).encode())
            for event in events
        ]
        with self._changed:
            self._events.extend(told)
            while len(self._events) > MOST_EVENTS:
                self._events.popleft()
                self._lost += 1
            self._changed.notify()

    def close(self) -> None:
        """End; what was not delivered is given up."""
        with self._changed:
            self._ending = True
            self._changed.notify()
        self._hang_up()
        self._thread.join(STOP_S)

    def _hang_up(self) -> None:
        """Wait for the receiver's answer no longer."""
        with self._changed:
            if self._socket is not None:
                with suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    # In its own thread

    def _run(self) -> None:
        while (event := self._next()) is not None:
            try:
                self._deliver(event)
            except Exception as error:  # noqa: BLE001 - it must not end the telling
                self._complaints.say(
                    f"Webhook: this should not happen ({error!r}); an event is given up."
                )

    def _next(self) -> _Event | None:
        with self._changed:
            self._changed.wait_for(lambda: self._ending or self._events)
            if self._ending:
                if self._events:
                    log.info("Webhook: %s events were not delivered.", len(self._events))
                return None
            if self._lost:
                self._complaints.say(
                    f"Webhook: {self._host} is too slow or away; the oldest events are given up."
                )
                self._lost = 0
            return self._events.popleft()

    @property
    def _host(self) -> str:
        """All of the address that may be told: the rest is as good as a password."""
        return self._url.hostname or ""

    def _deliver(self, event: _Event) -> None:
        wait_s = FIRST_WAIT_S
        while not self._ending:
            if self._clock() - event.at_s > KEPT_S:
                return
            try:
                self._post(event)
            except _Never as trouble:
                self._complaints.say(str(trouble))
                return
            except _Later as trouble:
                if self._ending:
                    return
                self._complaints.say(str(trouble))
                with self._changed:
                    self._changed.wait_for(
                        lambda: self._ending, min(max(wait_s, trouble.wait_s), LONGEST_WAIT_S)
                    )
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)
            else:
                self._complaints.over(f"Webhook: {self._host} takes events again.")
                return

    def _post(self, event: _Event) -> None:
        """One attempt.

        Raises:
            _Later, _Never: it was not taken.
        """
        secret = self.settings.secret
        timestamp = str(int(self._wall()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"tidetable/{version('tidetable')}",
            "Tidetable-Event": event.id,
            "Tidetable-Timestamp": timestamp,
        }
        if secret:
            headers["Tidetable-Signature"] = signature(secret, timestamp, event.body)
        target = self._url.path or "/"
        if self._url.query:
            target += f"?{self._url.query}"
        connection = self._connection()
        # Each part of an answer may come in time, and the whole of it never.
        watch = threading.Timer(ANSWER_S, self._hang_up)
        watch.daemon = True
        try:
            connection.connect()
            with self._changed:
                self._socket = connection.sock
                if self._ending:
                    return
            watch.start()
            connection.request("POST", target, event.body, headers)
            answer = connection.getresponse()
            status, wait = answer.status, answer.headers.get("Retry-After", "")
        except (OSError, http.client.HTTPException) as error:
            raise _Later(self._why(error)) from None
        finally:
            watch.cancel()
            with self._changed:
                self._socket = None
            connection.close()
        if not 200 <= status < 300:
            self._refused(status, int(wait) if wait.isdecimal() and len(wait) < 6 else 0)

    def _connection(self) -> http.client.HTTPConnection:
        # It follows no redirect: what is signed and meant for one is not carried to another.
        try:
            return _connection_to(self.settings)
        except _Unusable as unusable:
            raise _Later(f"Webhook: {unusable}: name a file with a certificate, in PEM.") from None

    def _refused(self, status: int, wait_s: int) -> None:
        if status in LATER or status >= 500:
            raise _Later(f"Webhook: {self._host} answers {status}; it is tried again.", wait_s)
        if 300 <= status < 400:
            raise _Never(
                f"Webhook: {self._host} sends us elsewhere ({status}), where nothing is posted: "
                "set url of webhook to the final address."
            )
        raise _Never(
            f"Webhook: {self._host} refuses events ({status}); they are given up: look at url and "
            "secret of webhook, and at the receiver."
        )

    def _why(self, error: Exception) -> str:
        return f"Webhook: {self._host} cannot be reached ({_reason(error)}); it is tried again."
