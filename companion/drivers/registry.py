"""From a name on the command line to a driver: `pcsc:`, `bridge:/dev/ttyACM0`, `sim:`."""

from __future__ import annotations

from companion.drivers.api import Driver, DriverName
from companion.said import say

KINDS = ("pcsc:", "pn532:", "gpio:", "bridge:", "line:", "sim:")


def make(name: str) -> Driver:
    """The driver for a name such as `pcsc:`, `pcsc:ACS ACR122U` or `sim:`.

    The libraries that a driver needs are imported here and no earlier, so that a
    missing one is a clear message and no crash.

    Raises:
        DriverName: no driver has this name.
    """
    kind, colon, rest = name.partition(":")
    match kind + colon:
        case "pcsc:":
            from companion.drivers.pcsc import PcscDriver  # noqa: PLC0415

            return PcscDriver(rest)
        case "pn532:":
            from companion.drivers.pn532 import Pn532Driver  # noqa: PLC0415

            return Pn532Driver(rest)
        case "gpio:":
            from companion.drivers import gpio  # noqa: PLC0415

            return gpio.make(rest)
        case "bridge:":
            from companion.drivers.bridge import BridgeDriver  # noqa: PLC0415

            return BridgeDriver(rest)
        case "line:":
            from companion.drivers.line import LineDriver  # noqa: PLC0415

            return LineDriver(rest)
        case "sim:":
            from hardware_sim.virtual_table import VirtualReader  # noqa: PLC0415

            return VirtualReader(rest)
    raise DriverName(
        say(
            "No reader is called %(name)s. Known kinds are %(kinds)s.",
            name=f"{name!r}",
            kinds=", ".join(KINDS),
        )
    )
