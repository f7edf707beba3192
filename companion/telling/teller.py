"""Follows the table, and hands on what it published to those who tell others."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from companion.publisher import Publishing
from companion.settings.live import LiveSettings
from companion.snapshot import Snapshot
from companion.telling.broker import Broker
from companion.telling.settings import Mqtt, Webhook
from companion.telling.webhook import Poster

if TYPE_CHECKING:
    from companion.config import Config

log = logging.getLogger(__name__)

WAIT_S = 60.0


class Teller:
    """Tells those who are named by the settings.

    Args:
        table: whose snapshots are told.
        wall: the time of day.
    """

    def __init__(self, table: Publishing, wall: Callable[[], datetime]) -> None:
        self._table = table
        self._wall = wall
        self._lock = threading.Lock()
        self._told = table.snapshot
        self._broker: Broker | None = None
        self._poster: Poster | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="telling", daemon=True)

    def start(self, mqtt: Mqtt, webhook: Webhook) -> None:
        """Begin with what is true now, which may be a game that has just begun."""
        self._use(mqtt, webhook, None)
        self._thread.start()

    def use(self, mqtt: Mqtt, webhook: Webhook) -> None:
        """Go on with these settings; what did not change goes on as it is.

        It takes a moment, in which who was told before is told goodbye.
        """
        self._use(mqtt, webhook, self._told)

    def close(self) -> None:
        """End with the table, which has to be closed before."""
        self._thread.join(1.0)
        with self._lock:
            self._closed = True
            for outlet in self._outlets():
                outlet.close()
            self._broker = self._poster = None

    def _use(self, mqtt: Mqtt, webhook: Webhook, before: Snapshot | None) -> None:
        with self._lock:
            if self._closed:
                return
            now, at = self._told, self._at()
            if self._broker is not None and self._broker.settings != mqtt:
                self._broker.close(forget=True)
                self._broker = None
            if self._broker is None and mqtt.host:
                self._broker = Broker(mqtt, now.table)
                self._broker.tell(before, now, at)
            if self._poster is not None and self._poster.settings != webhook:
                self._poster.close()
                self._poster = None
            if self._poster is None and webhook.url:
                self._poster = Poster(webhook)
                self._poster.tell(before, now, at)

    def _run(self) -> None:
        while not self._table.closed:
            self._catch_up(WAIT_S)
        self._catch_up(0.0)

    def _catch_up(self, timeout_s: float) -> None:
        for snapshot in self._table.since(self._told.revision, timeout_s):
            with self._lock:
                before, self._told = self._told, snapshot
                at = self._at()
                for outlet in self._outlets():
                    try:
                        outlet.tell(before, snapshot, at)
                    except Exception:  # what it is told must not end the telling
                        log.exception("%s could not be told.", type(outlet).__name__)

    def _outlets(self) -> list[Broker | Poster]:
        return [outlet for outlet in (self._broker, self._poster) if outlet is not None]

    def _at(self) -> str:
        return self._wall().isoformat(timespec="milliseconds")


@contextmanager
def telling(
    table: Publishing, wall: Callable[[], datetime], settings: LiveSettings[Config]
) -> Iterator[Teller]:
    """Others are told as the settings say, until the table has been closed."""
    teller = Teller(table, wall)

    def follow(_: object) -> None:
        teller.use(settings.now.mqtt, settings.now.webhook)

    settings.subscribe("mqtt", follow)
    settings.subscribe("webhook", follow)
    teller.start(settings.now.mqtt, settings.now.webhook)
    try:
        yield teller
    finally:
        teller.close()
