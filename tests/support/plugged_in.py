"""What the real udev makes of devices that are plugged in, in a mount namespace of its own.

Run as root inside `unshare --mount`, with the folder of the rules: /sys, /dev and /run/udev are made
anew there, with devices at a hub; one line of JSON tells the properties that each of them gets.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SYS = Path("/sys")
CONTROLLER = SYS / "devices/pci0000:00/0000:00:14.0"
HUB = CONTROLLER / "usb1"
SUBSYSTEMS = {"usb": SYS / "bus/usb", "pci": SYS / "bus/pci", "tty": SYS / "class/tty"}


def device(path: Path, subsystem: str, uevent: dict[str, object], **attributes: str) -> Path:
    path.mkdir(parents=True)
    (path / "uevent").write_text("".join(f"{key}={value}\n" for key, value in uevent.items()))
    (path / "subsystem").symlink_to(os.path.relpath(SUBSYSTEMS[subsystem], path))
    for name, value in attributes.items():
        (path / name).write_text(f"{value}\n")
    return path


def plug_in(socket: int, vendor: str, product: str, serial: str = "") -> Path:
    """A USB device."""
    told = {"serial": serial} if serial else {}
    return device(
        HUB / f"1-{socket}",
        "usb",
        {
            "DEVTYPE": "usb_device",
            "MAJOR": 189,
            "MINOR": socket,
            "DEVNAME": f"bus/usb/001/{socket}",
        },
        **told,
        idVendor=vendor,
        idProduct=product,
        bcdDevice="0100",
        manufacturer="Maker",
        product="Board",
    )


def show_port(board: Path, name: str, interface: int = 0) -> Path:
    """A serial port of it."""
    part = device(
        board / f"{board.name}:1.{interface}",
        "usb",
        {"DEVTYPE": "usb_interface", "DRIVER": "cdc_acm"},
        bInterfaceNumber=f"{interface:02}",
        bInterfaceClass="02",
        bInterfaceSubClass="02",
        bInterfaceProtocol="01",
    )
    port = device(part / "tty" / name, "tty", {"MAJOR": 166, "MINOR": name[-1], "DEVNAME": name})
    (port / "device").symlink_to("../..")
    (SUBSYSTEMS["tty"] / name).symlink_to(os.path.relpath(port, SUBSYSTEMS["tty"]))
    return port


def properties(path: Path) -> dict[str, str]:
    """What udev knows of it once the rules are through."""
    done = subprocess.run(
        ["udevadm", "test", "--action=add", str(path)],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "SYSTEMD_DEVICE_VERIFY_SYSFS": "0", "SYSTEMD_COLORS": "0"},
    )
    pairs = (line.strip().partition("=") for line in done.stdout.splitlines())
    return {key: value for key, equals, value in pairs if equals}


def main(rules: str) -> None:
    for folder in ("/sys", "/dev", "/run/udev"):
        Path(folder).mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    os.mknod("/dev/null", 0o20666, os.makedev(1, 3))
    subprocess.run(["mount", "--bind", rules, "/etc/udev/rules.d"], check=True)
    for folder in SUBSYSTEMS.values():
        folder.mkdir(parents=True)
    device(CONTROLLER, "pci", {"PCI_SLOT_NAME": "0000:00:14.0"})
    # The hub is of a maker of boards, too: nothing at it may be taken for one of those.
    hub = {"DEVTYPE": "usb_device", "MAJOR": 189, "MINOR": 0, "DEVNAME": "bus/usb/001/001"}
    device(HUB, "usb", hub, idVendor="1a86", idProduct="8091")
    pico = plug_in(1, "2e8a", "0005", "E6614C311B")
    devices = {
        "pico": pico,
        "pico's port": show_port(pico, "ttyACM0"),
        "pico's second port": show_port(pico, "ttyACM1", 2),
        "ch340's port": show_port(plug_in(2, "1a86", "7523"), "ttyUSB2"),
        "stranger's port": show_port(plug_in(3, "dead", "beef", "X1"), "ttyACM3"),
        "acr122u": plug_in(4, "072f", "2200"),
        "stranger": plug_in(5, "dead", "beef", "X2"),
    }
    print(json.dumps({name: properties(path) for name, path in devices.items()}))


if __name__ == "__main__":
    main(sys.argv[1])
