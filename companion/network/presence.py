"""Follows the addresses of this computer while the table is served, and keeps its name announced.

A table is often switched on before the Wi-Fi is, or is carried to another room: the thread
here looks again every few seconds, and neither the start nor the end of the service waits for it.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from companion.network.addresses import (
    ANYWHERE,
    Address,
    best_first,
    is_wireless,
    own_addresses,
    way_out,
)
from companion.network.mdns import Announced, NoName
from companion.network.nearby import Nearby, at
from companion.network.settings import Network, Wifi

log = logging.getLogger(__name__)

LOOK_S = 3.0
"""How often the addresses are looked at: a file of the kernel, no traffic."""

AGAIN_S = 60.0
"""After this time what failed is tried again."""

PATIENCE = 8
"""So many looks a table bears one that ought to give way and does not."""

END_WITHIN_S = 1.5


class Presence:
    """Where the table is found; started by `present`.

    Args:
        host: the address that the pages are served on, as a number.
        port: of the pages.
        network: whether there is a name, and which.
        wifi: the table's own access point.
        changed: called from a thread of its own when something is otherwise.
        look: gives all addresses of now.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        host: str,
        port: int,
        network: Network,
        wifi: Wifi,
        *,
        changed: Callable[[], object] = lambda: None,
        look: Callable[[], Sequence[Address]] = own_addresses,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._host = host
        self._port = port
        self._network = network
        self._wifi = wifi if wifi.ssid else None
        self._changed = changed
        self._look = look
        self._clock = clock
        self._ended = threading.Event()
        self._awake = threading.Event()
        self._announced: Announced | None = None
        self._told: tuple[tuple[Address, ...], Network] | None = None
        self._again_s = 0.0
        self._why: tuple[Network, str] | None = None
        self._rivals = 0
        self._addresses = self._reached()
        self._now = self._nearby(None)
        self._thread = threading.Thread(target=self._follow, name="network", daemon=True)

    @property
    def now(self) -> Nearby:
        """Where it is found; may be asked by any thread."""
        return self._now

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def use(self, network: Network) -> None:
        """Be called otherwise from now on, or not at all; returns at once."""
        self._network = network
        self._awake.set()

    def close(self) -> None:
        """Take the name back; what hangs is left behind after a while."""
        self._ended.set()
        self._awake.set()
        if self._thread.is_alive():
            self._thread.join(END_WITHIN_S)

    # --- what is there ----------------------------------------------------------------

    def _reached(self) -> tuple[Address, ...]:
        """The addresses at which the pages are reached, best first."""
        found = self._look()
        leads_out = way_out()
        access_point = None
        if self._wifi is not None:
            waves = (address.interface for address in found if is_wireless(address.interface))
            access_point = next((each for each in waves if each != leads_out), None)
        best = best_first(found, leads_out, access_point)
        if self._host not in ANYWHERE:
            return tuple(address for address in best if address.ip == self._host)
        if self._host == "::":
            return best
        return tuple(address for address in best if address.version == 4)

    def _nearby(self, name: str | None) -> Nearby:
        places = [at(address.ip, self._port) for address in self._addresses]
        return Nearby(
            address=places[0] if places else None,
            name=None if name is None else at(f"{name}.local", self._port),
            others=tuple(places[1:]),
            wifi=self._wifi,
        )

    # --- the thread -------------------------------------------------------------------

    def _follow(self) -> None:
        try:
            while True:
                self._look_again()
                self._awake.wait(LOOK_S)
                self._awake.clear()
                if self._ended.is_set():
                    return
        finally:
            self._fall_silent()

    def _look_again(self) -> None:
        try:
            addresses = self._reached()
            if addresses != self._addresses:
                self._addresses = addresses
                self._show(None)
                if addresses:
                    log.info("The network is another: this table is at %s.", self._now.address)
                else:
                    log.warning("There is no network: other devices do not reach this table.")
            self._announce()
        except Exception:
            # A surprise, such as an interface that goes meanwhile, must not end this thread: then
            # no other network would be noticed until the next start.
            log.exception("The addresses of this computer could not be followed.")
            self._fall_silent()
            self._show(None)
            self._again_s = self._clock() + AGAIN_S

    def _show(self, name: str | None) -> None:
        now = self._nearby(name)
        if now != self._now:
            self._now = now
            self._changed()

    def _announce(self) -> None:
        network = self._network
        if self._told == (self._addresses, network) and not self._has_to_try():
            return
        self._fall_silent()
        self._show(None)
        self._told = self._addresses, network
        self._again_s = self._clock() + AGAIN_S
        if not network.mdns or not self._addresses or self._ended.is_set():
            return
        wish = network.name
        try:
            self._announced = Announced(
                wish, self._port, self._addresses, self._look(), self._ended.is_set
            )
        except NoName as why:
            if (network, str(why)) != self._why and not self._ended.is_set():
                log.warning("This table has no name in the network: %s.", why)
            self._why = network, str(why)
            return
        self._why = None
        self._rivals = 0
        name = self._announced.name
        self._show(name)
        if name == wish:
            log.info("This table is found as %s, too.", self._now.name)
        else:
            log.warning(
                "Another device is called %s.local, so this table is at %s.", wish, self._now.name
            )

    def _has_to_try(self) -> bool:
        """Whether the table, at the same addresses as before, has to look for a name."""
        if self._announced is None:
            return bool(self._addresses) and self._clock() >= self._again_s
        rival = self._announced.rival()
        self._rivals = 0 if rival is None else self._rivals + 1
        return rival is True or self._rivals > PATIENCE

    def _fall_silent(self) -> None:
        if self._announced is not None:
            announced, self._announced = self._announced, None
            announced.close()


@contextmanager
def present(
    listener: socket.socket, network: Network, wifi: Wifi, changed: Callable[[], object]
) -> Iterator[Presence]:
    """The pages of this listener are found until the end of the block.

    Args:
        listener: that serves them.
        network: whether there is a name, and which.
        wifi: the table's own access point.
        changed: called from another thread when something is otherwise.
    """
    host, port = listener.getsockname()[:2]
    presence = Presence(host, port, network, wifi, changed=changed)
    presence.start()
    try:
        yield presence
    finally:
        presence.close()
