"""Tells a broker by MQTT how the table stands, and what happens.

One thread, one connection. It reads what it is told to tell, never the table, so that a broker
that is slow, away or refuses matters to nobody. Of states only the newest is kept; it is sent
when the one before was confirmed. Of events the last ones are kept, each for a few seconds: an
alarm of an hour ago must not make a lamp blink. Nothing that is received changes the game; the
only topic that is listened to says that Home Assistant has started.
"""

from __future__ import annotations

import json
import logging
import selectors
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from companion.snapshot import Snapshot
from companion.telling.complaints import Complaints
from companion.telling.home_assistant import BIRTH, device, device_topic, status_topic
from companion.telling.public import events_between, state_of
from companion.telling.settings import Mqtt

if TYPE_CHECKING:
    from paho.mqtt.client import Client

log = logging.getLogger(__name__)

CONNECT_S = 5.0
"""For the connection, and again for the broker's word that it takes us."""
KEEP_ALIVE_S = 30
"""After one and a half times as long without a sign of us the broker tells our last will."""
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
STEADY_S = 10.0
"""A connection that held for so long was a good one: the next is tried soon."""
LOOK_S = 5.0
GOODBYE_S = 1.0
"""How long the broker has to confirm what it was sent, and again for the last words."""
NEWS_S = 10.0
"""So long an event is news."""
MOST_EVENTS = 100

ONLINE, OFFLINE = "online", "offline"


class Trouble(Exception):
    """Why there is no connection: one sentence, and what to do."""


class Refused(Trouble):
    """The broker is there, and does not take us."""


def try_out(settings: Mqtt, clock: Callable[[], float] = time.monotonic) -> None:
    """Sign in once under a name of its own, beside a table that runs, and tell nothing.

    Args:
        settings: which broker, and how.
        clock: monotonic time in seconds.

    Raises:
        Trouble: the broker is not reached.
        Refused: it does not take us.
    """
    context = _context(settings) if settings.tls else None
    client = _client(settings, f"tidetable-doctor-{token_hex(3)}", context)
    answers: list[Any] = []
    client.on_connect = lambda *arguments: answers.append(arguments[3])
    until_s = clock() + 2 * CONNECT_S
    try:
        client.connect(settings.host or "", settings.port_in_use, KEEP_ALIVE_S)
        while not answers and clock() < until_s and not client.loop(0.1):
            pass
        client.disconnect()
    except (OSError, ValueError) as error:
        if context is not None:
            context.close_last()
        raise Trouble(_why(error, settings)) from None
    finally:
        if (left := client.socket()) is not None:
            left.close()
    if not answers:
        raise Trouble(
            f"MQTT: {_at(settings)} takes the connection and does not answer: is it a broker, "
            f"{_tls_or_not(settings)}?"
        )
    if answers[0].is_failure:
        raise Refused(_refused(str(answers[0]), settings))


@dataclass(eq=False)
class _Session:
    """One connection, and what was sent over it.

    Attributes:
        client: of paho; a new one each time, so that nothing of an old connection is sent again.
        accepted: whether the broker takes us.
        refused: why it does not.
        unconfirmed: messages that it has not confirmed yet.
        described: the description that Home Assistant was sent.
        sent: the revision that was sent last.
    """

    client: Client
    accepted: bool = False
    refused: str = ""
    unconfirmed: set[int] = field(default_factory=set)
    described: str = ""
    sent: int = 0

    def publish(self, topic: str, payload: str, *, retain: bool = True) -> None:
        """What is retained is confirmed by the broker; what is not is sent once at most."""
        info = self.client.publish(topic, payload.encode(), qos=1 if retain else 0, retain=retain)
        if retain:
            self.unconfirmed.add(info.mid)


class Broker:
    """Tells one broker.

    Args:
        settings: which one, and how.
        table: the table's id.
        clock: monotonic time in seconds.
    """

    def __init__(
        self, settings: Mqtt, table: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.settings = settings
        self._table = table
        self._base = f"{settings.prefix}/{table}"
        self._clock = clock
        self._complaints = Complaints(log)
        self._lock = threading.Lock()
        self._newest: Snapshot | None = None
        self._events: deque[tuple[float, str]] = deque(maxlen=MOST_EVENTS)
        self._ending = threading.Event()
        self._forget = False
        self._woken, self._waker = socket.socketpair()
        for end in (self._woken, self._waker):
            end.setblocking(False)  # noqa: FBT003 - the face of a socket
        self._thread = threading.Thread(target=self._run, name="mqtt", daemon=True)
        self._thread.start()

    def tell(self, before: Snapshot | None, now: Snapshot, at: str) -> None:
        """Take what is to be told; returns at once."""
        events = events_between(before, now, time=at, names=self.settings.names)
        with self._lock:
            self._newest = now
            self._events.extend((self._clock(), _json(event)) for event in events)
        self._wake()

    def close(self, *, forget: bool = False) -> None:
        """Say goodbye and end.

        Args:
            forget: also take back what the broker was given to keep, since the household does
                not want it told there any more.
        """
        self._forget = forget
        self._ending.set()
        self._wake()
        # Only a connection that is being tried takes longer; it ends by itself.
        self._thread.join(3 * GOODBYE_S)

    def _wake(self) -> None:
        with suppress(OSError):  # it is awake already, or has ended
            self._waker.send(b"\0")

    # In its own thread

    def _run(self) -> None:
        wait_s = FIRST_WAIT_S
        while not self._ending.is_set():
            began_s = self._clock()
            try:
                self._talk()
            except Trouble as trouble:
                self._complaints.say(str(trouble))
            except Exception as error:  # noqa: BLE001 - it must not end the telling
                self._complaints.say(
                    f"MQTT: this should not happen ({error!r}); it is tried again."
                )
            if self._clock() - began_s >= STEADY_S:
                wait_s = FIRST_WAIT_S
            self._ending.wait(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)
        self._woken.close()
        self._waker.close()

    def _talk(self) -> None:
        """Connect, and tell until the connection or the telling ends.

        Raises:
            Trouble: there is no connection, or it broke.
        """
        settings = self.settings
        context = _context(settings) if settings.tls else None
        session = _Session(self._client(context))
        client = session.client

        def on_connect(*arguments: Any) -> None:  # noqa: ANN401 - paho's own shape
            reason = arguments[3]
            if reason.is_failure:
                session.refused = str(reason)
            else:
                session.accepted = True
                if settings.discovery:
                    client.subscribe(status_topic(settings.discovery_prefix))

        def on_publish(*arguments: Any) -> None:  # noqa: ANN401 - paho's own shape
            session.unconfirmed.discard(arguments[2])

        def on_message(*arguments: Any) -> None:  # noqa: ANN401 - paho's own shape
            if arguments[2].payload == BIRTH:
                session.described = ""  # Home Assistant has started: it is told all again
                session.sent = 0

        client.on_connect, client.on_publish, client.on_message = on_connect, on_publish, on_message
        try:
            client.connect(settings.host or "", settings.port_in_use, KEEP_ALIVE_S)
        except (OSError, ValueError) as error:
            if context is not None:
                context.close_last()
            raise Trouble(_why(error, settings)) from None
        try:
            self._serve(session)
        finally:
            # Without the word that it was meant so: then the broker tells our last will.
            if (left := client.socket()) is not None:
                left.close()

    def _serve(self, session: _Session) -> None:
        client = session.client
        until_s = self._clock() + CONNECT_S
        with selectors.DefaultSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ)
            watched = client.socket()
            if watched is not None:
                selector.register(watched, selectors.EVENT_READ)
            while (its_socket := client.socket()) is not None:
                writing = selectors.EVENT_WRITE if client.want_write() else 0
                selector.modify(its_socket, selectors.EVENT_READ | writing)
                ready = selector.select(LOOK_S if session.accepted else 0.5)
                self._exchange(session, {key.fd: mask for key, mask in ready})
                if session.accepted:
                    self._complaints.over(f"MQTT: {_at(self.settings)} is told again.")
                    if self._ending.is_set():
                        return self._goodbye(session)
                    self._push(session)
                elif session.refused:
                    raise Trouble(_refused(session.refused, self.settings))
                elif self._clock() > until_s:
                    raise Trouble(
                        f"MQTT: {_at(self.settings)} takes the connection and does not answer: "
                        f"is it a broker, {_tls_or_not(self.settings)}?"
                    )
                elif self._ending.is_set():
                    return None
        if not session.accepted:
            raise Trouble(
                f"MQTT: {_at(self.settings)} closed the connection before it answered: is it a "
                f"broker, {_tls_or_not(self.settings)}?"
            )
        raise Trouble(f"MQTT: the connection to {_at(self.settings)} broke; it is tried again.")

    def _exchange(self, session: _Session, ready: dict[int, int]) -> None:
        client = session.client
        if self._woken.fileno() in ready:
            self._woken.recv(4096)
        its_socket = client.socket()
        mask = 0 if its_socket is None else ready.get(its_socket.fileno(), 0)
        if mask & selectors.EVENT_READ:
            client.loop_read()
            # What TLS has deciphered already makes no socket ready.
            while (
                isinstance(its_socket, ssl.SSLSocket) and client.socket() and its_socket.pending()
            ):
                client.loop_read()
        if mask & selectors.EVENT_WRITE:
            client.loop_write()
        client.loop_misc()

    def _push(self, session: _Session) -> None:
        """Send what is new, if the broker has confirmed all that went before."""
        if session.unconfirmed or session.client.want_write():
            return
        with self._lock:
            newest = self._newest
            events, stale_s = list(self._events), self._clock() - NEWS_S
            self._events.clear()
        if newest is not None and newest.revision != session.sent:
            state = state_of(newest, names=self.settings.names)
            self._describe(session, state)
            if session.sent == 0:
                session.publish(f"{self._base}/availability", ONLINE)
            session.publish(f"{self._base}/state", _json(state))
            session.sent = newest.revision
        for told_s, event in events:
            if told_s >= stale_s:
                session.publish(f"{self._base}/event", event, retain=False)

    def _describe(self, session: _Session, state: dict[str, Any]) -> None:
        settings = self.settings
        if not settings.discovery:
            return
        described = _json(device(self._base, state, version("tidetable")))
        if described != session.described:
            session.publish(device_topic(settings.discovery_prefix, self._table), described)
            session.described = described

    def _goodbye(self, session: _Session) -> None:
        self._confirm(session)
        self._push(session)
        if self._forget:
            if self.settings.discovery:
                session.publish(device_topic(self.settings.discovery_prefix, self._table), "")
            for topic in ("state", "availability"):
                session.publish(f"{self._base}/{topic}", "")
        else:
            session.publish(f"{self._base}/availability", OFFLINE)
        self._confirm(session)
        session.client.disconnect()

    def _confirm(self, session: _Session) -> None:
        """Wait until the broker has confirmed what it was sent, but not for long."""
        until_s = self._clock() + GOODBYE_S
        while session.unconfirmed and self._clock() < until_s:
            if session.client.loop(0.1):
                return

    def _client(self, context: ssl.SSLContext | None) -> Client:
        """A client that has not connected yet.

        Args:
            context: how it speaks TLS; None where it does not.

        Raises:
            Trouble: what belongs to it cannot be read.
        """
        # A client of the same name takes the place of one that the broker takes for alive, and
        # so no last will of that one comes later.
        client = _client(self.settings, f"tidetable-{self._table}", context)
        client.will_set(f"{self._base}/availability", OFFLINE, qos=1, retain=True)
        return client


def _client(settings: Mqtt, name: str, context: ssl.SSLContext | None) -> Client:
    # Late, since who has no broker needs none of it.
    from paho.mqtt.client import Client  # noqa: PLC0415
    from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415

    client = Client(CallbackAPIVersion.VERSION2, client_id=name)
    client.connect_timeout = CONNECT_S
    if settings.username:
        client.username_pw_set(settings.username, _password(settings))
    if context is not None:
        client.tls_set_context(context)
    return client


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _at(settings: Mqtt) -> str:
    return f"{settings.host}:{settings.port_in_use}"


def _tls_or_not(settings: Mqtt) -> str:
    return "and does it speak TLS at that port" if settings.tls else "and does it want tls = true"


def _password(settings: Mqtt) -> str | None:
    if settings.password_file is None:
        return settings.password
    try:
        return settings.password_file.read_text(encoding="utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise Trouble(
            f"MQTT: the password_file {settings.password_file} cannot be read ({why}): let the "
            "user of the service read it."
        ) from None


class _Context(ssl.SSLContext):
    """Knows the socket that it wrapped last, which paho leaves open when the handshake fails."""

    _last: ssl.SSLSocket | None = None

    def wrap_socket(self, *arguments: Any, **more: Any) -> ssl.SSLSocket:  # noqa: ANN401
        """As the context wraps it."""
        self._last = super().wrap_socket(*arguments, **more)
        return self._last

    def close_last(self) -> None:
        """Close that socket."""
        if self._last is not None:
            self._last.close()


def _context(settings: Mqtt) -> _Context:
    context = _Context(ssl.PROTOCOL_TLS_CLIENT)
    try:
        if settings.ca is None:
            context.load_default_certs()
        else:
            context.load_verify_locations(settings.ca)
    except OSError as error:
        raise Trouble(
            f"MQTT: the ca {settings.ca} cannot be used ({error.strerror or error}): name a file "
            "with the certificate of the authority, in PEM."
        ) from None
    return context


def _refused(reason: str, settings: Mqtt) -> str:
    if reason in ("Not authorized", "Bad user name or password"):
        # Without the name: the log is given to those who are asked for help.
        who = "the user and the password" if settings.username else "a client without a user"
        return (
            f"MQTT: {_at(settings)} refuses {who}: set username and password of mqtt as the "
            "broker knows them."
        )
    return f"MQTT: {_at(settings)} refuses the table ({reason})."


def _why(error: Exception, settings: Mqtt) -> str:
    at = _at(settings)
    match error:
        case ssl.SSLCertVerificationError():
            return (
                f"MQTT: the certificate of {at} is not believed ({error.verify_message}): set ca "
                "of mqtt to the authority that signed it, and host to the name in it."
            )
        case ssl.SSLError() | ConnectionResetError() if settings.tls:
            return f"MQTT: {at} does not speak TLS: set port of mqtt, or leave tls out."
        case socket.gaierror():
            return f"MQTT: nobody here knows {settings.host}: set host of mqtt to an address."
        case ConnectionRefusedError():
            return f"MQTT: nothing answers at {at}: start the broker, or set host and port of mqtt."
        case TimeoutError():
            return f"MQTT: {at} does not answer: is it on, and in this network?"
    return f"MQTT: {at} cannot be reached ({getattr(error, 'strerror', None) or error})."
