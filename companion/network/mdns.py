"""The table's name in the home network, by multicast DNS (RFC 6762) and DNS-SD (RFC 6763).

python-zeroconf answers for names of services, and asks before it takes one. It does not ask
whether another computer is called so, which is what makes `tidetable.local` open the wrong
table: that is done here.
"""

from __future__ import annotations

import ipaddress
import logging
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from companion.network.addresses import Address

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

log = logging.getLogger(__name__)

SERVICE = "_http._tcp.local."
ASK_MS = 800
"""Within this time who has a name has said so (RFC 6762, section 8.1, asks for 750 ms)."""

MOST_NAMES = 20
HOST_TTL_S = 120


class NoName(Exception):
    """The table gets no name now; the text says why."""


class Announced:
    """A name that was taken, until `close`.

    Args:
        wish: the name, without `.local`.
        port: of the pages.
        addresses: of this computer; on their interfaces the name is told.
        own: all addresses of this computer: who answers from one of them is no stranger.
        ended: whether the service ends meanwhile.

    Attributes:
        name: the one that was free, such as `tidetable` or `tidetable-2`.

    Raises:
        NoName: python-zeroconf is missing, or the network takes no multicast.
    """

    def __init__(
        self,
        wish: str,
        port: int,
        addresses: Sequence[Address],
        own: Sequence[Address],
        ended: Callable[[], bool] = lambda: False,
    ) -> None:
        try:
            from zeroconf import Error, InterfaceChoice, IPVersion, Zeroconf  # noqa: PLC0415
        except ImportError as error:
            raise NoName(f"python-zeroconf cannot be imported ({error})") from None
        # What it has to say of interfaces that come and go is said by us, once a change.
        logging.getLogger("zeroconf").setLevel(logging.CRITICAL)
        self._own = {address.ip for address in own}
        self._port = port
        self._addresses = tuple(address.ip for address in addresses)
        old = [address.ip for address in addresses if address.version == 4]
        try:
            self._zeroconf: Zeroconf = Zeroconf(
                interfaces=old or InterfaceChoice.All,
                ip_version=IPVersion.V4Only if old else IPVersion.V6Only,
            )
        except (OSError, Error, RuntimeError) as error:
            raise NoName(f"multicast is not possible here ({error})") from None
        self._info: ServiceInfo | None = None
        try:
            self.name = self._take(wish, ended)
        except BaseException:
            self.close()
            raise

    def _take(self, wish: str, ended: Callable[[], bool]) -> str:
        """The first free one of `wish`, `wish-2`, `wish-3` …, announced."""
        from zeroconf import Error, NonUniqueNameException, ServiceInfo  # noqa: PLC0415

        for number in range(1, MOST_NAMES + 1):
            name = wish if number == 1 else f"{wish}-{number}"
            if ended():
                break
            if self.strangers(name, ask=True):
                continue
            info = ServiceInfo(
                SERVICE,
                f"{name}.{SERVICE}",
                self._port,
                properties={"path": "/"},
                server=f"{name}.local.",
                parsed_addresses=list(self._addresses),
                host_ttl=HOST_TTL_S,
            )
            try:
                self._zeroconf.register_service(info)
            except NonUniqueNameException:
                continue
            except (OSError, Error, TimeoutError) as error:
                raise NoName(f"the name could not be told ({type(error).__name__})") from None
            self._info = info
            return name
        raise NoName("no name was free")

    def strangers(self, name: str, *, ask: bool = False) -> frozenset[str]:
        """Addresses of other computers that call themselves so.

        Args:
            name: without `.local`.
            ask: and not only listen to what was said lately. It takes most of a second.
        """
        from zeroconf import AddressResolver  # noqa: PLC0415

        resolver = AddressResolver(f"{name}.local.")
        if ask:
            # Two tables that are switched on together must not ask at one moment.
            resolver.request(self._zeroconf, ASK_MS + random.randint(0, 250))  # noqa: S311
        else:
            resolver.load_from_cache(self._zeroconf)
        return frozenset(resolver.parsed_addresses()) - self._own

    def rival(self) -> bool | None:
        """Whether another device that has the same name keeps it; None without such a one.

        Two that took it at one moment did not hear of each other. The one with the greater
        address keeps it (RFC 6762, section 8.2).
        """
        strangers = self.strangers(self.name)
        if not strangers:
            return None
        return max(map(_order, strangers)) > max(map(_order, self._addresses))

    def close(self) -> None:
        """Say that the name is gone, and end all threads; takes half a second."""
        from zeroconf import Error  # noqa: PLC0415

        try:
            self._zeroconf.close()
        except (OSError, Error, TimeoutError, RuntimeError) as error:
            log.debug("the name could not be taken back: %s", error)


def _order(ip: str) -> tuple[int, int]:
    address = ipaddress.ip_address(ip)
    return -address.version, int(address)
