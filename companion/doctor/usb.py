"""What is plugged into the USB, as sysfs tells it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.doctor.system import System


@dataclass(frozen=True, slots=True)
class UsbDevice:
    """One device.

    Attributes:
        place: its folder's name, such as `1-1.2`.
        vendor: in hex, small letters.
        product: the same.
        names: what it says of itself: maker and product.
        node: its file below `/dev/bus/usb`; empty where sysfs does not tell.
        drivers: the kernel's drivers that hold its interfaces.
    """

    place: str
    vendor: str
    product: str
    names: str
    node: str
    drivers: frozenset[str]

    @property
    def id(self) -> str:
        """Such as `072f:2200`."""
        return f"{self.vendor}:{self.product}"


def usb_devices(system: System) -> Iterator[UsbDevice]:
    """All of them, in the order of their places."""
    for folder in system.glob("/sys/bus/usb/devices/*"):
        name = system.name(folder)
        vendor = system.word(f"{name}/idVendor")
        if not vendor:
            continue
        drivers = {
            (interface / "driver").readlink().name
            for interface in system.glob(f"{name}:*")
            if (interface / "driver").is_symlink()
        }
        bus, number = system.word(f"{name}/busnum"), system.word(f"{name}/devnum")
        known = bus.isdecimal() and number.isdecimal()
        yield UsbDevice(
            folder.name,
            vendor.lower(),
            system.word(f"{name}/idProduct").lower(),
            f"{system.word(f'{name}/manufacturer')} {system.word(f'{name}/product')}".strip(),
            f"/dev/bus/usb/{int(bus):03}/{int(number):03}" if known else "",
            frozenset(drivers),
        )
