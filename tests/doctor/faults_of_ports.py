"""How a system gets the faults of serial ports and pins, and how it has them not."""

from __future__ import annotations

from types import SimpleNamespace

from companion.doctor.pin_lines import Chip
from tests.doctor.systems import UID, Change, FakeSystem, Pairs, all_of, refused, usb

# --- serial ports -----------------------------------------------------------------------

DIALOUT = 20


def port(fake: FakeSystem, name: str = "bridge:/dev/ttyACM0") -> None:
    """A board at a serial port, for a user who may use it."""
    fake.config["readers"] = (name,)
    fake.put(name.partition(":")[2].lstrip("/"))
    fake.put("etc/group", f"root:x:0:\ntidetable:x:{UID}:\ndialout:x:{DIALOUT}:ann,tidetable\n")
    fake.groups.add(DIALOUT)


def pi(fake: FakeSystem, *, real: str = "ttyAMA0", config: str = "enable_uart=1\n") -> None:
    """A PN532 on the pins of a Pi, as it should be."""
    port(fake, "pn532:/dev/serial0")
    (fake.root / "dev/serial0").unlink()
    fake.put(f"dev/{real}")
    fake.link("dev/serial0", real)
    fake.put("boot/firmware/config.txt", f"[all]\n{config}")
    fake.put("boot/firmware/cmdline.txt", "console=tty1 root=PARTUUID=1 rootwait\n")


def pi_5(fake: FakeSystem) -> None:
    """There the pins are `ttyAMA0`, and `serial0` is a plug of its own."""
    pi(fake, real="ttyAMA10")
    fake.config["readers"] = ("pn532:/dev/ttyAMA0",)
    fake.put("dev/ttyAMA0")


def afar(fake: FakeSystem) -> None:
    """Besides, a board in the network, which no program of this computer can take."""
    fake.config["readers"] = (*fake.config["readers"], "bridge:socket://10.0.0.4:4000")


def boot(name: str, text: str) -> Change:
    def change(fake: FakeSystem) -> None:
        fake.put(f"boot/firmware/{name}", text)

    return change


def mini(config: str) -> Change:
    return lambda fake: pi(fake, real="ttyS0", config=config)


def no_port(fake: FakeSystem) -> None:
    (fake.root / "dev/ttyACM0").unlink()


def not_a_member(fake: FakeSystem) -> None:
    fake.put("etc/group", f"root:x:0:\ntidetable:x:{UID}:\ndialout:x:{DIALOUT}:ann\n")


def not_in_session(fake: FakeSystem) -> None:
    fake.groups.discard(DIALOUT)


def service_with_groups(*groups: int) -> Change:
    """The service runs, and has these groups."""

    def change(fake: FakeSystem) -> None:
        fake.serves(700)
        listed = " ".join(map(str, groups))
        fake.put(
            "proc/700/status",
            f"Name:\tcompanion\nUid:\t{UID}\t{UID}\nGid:\t{UID}\t{UID}\nGroups:\t{listed}\n",
        )

    return change


def held_by(name: str, pid: int = 812) -> Change:
    return lambda fake: fake.process(pid, name, holds="/dev/ttyACM0")


def held_by_the_service(fake: FakeSystem) -> None:
    fake.serves(700)
    fake.link("proc/700/fd/9", "/dev/ttyACM0")


def program(name: str, *arguments: str) -> Change:
    return lambda fake: fake.process(555, name, *arguments)


def ch340(driver: str) -> Change:
    def change(fake: FakeSystem) -> None:
        usb(fake, "1-1.4", "1a86:7523", name="USB Serial", driver=driver)
        fake.put("usr/bin/brltty")

    return change


def listed(fake: FakeSystem) -> None:
    fake.probes.listed = [
        SimpleNamespace(device="/dev/ttyACM0", serial_number="E66", location="1-1.2:1.0")
    ]


def by_serial(fake: FakeSystem) -> None:
    port(fake, "bridge:/dev/ttyACM0")
    fake.config["readers"] = ("bridge:serial=e66",)


def adapters(*serials: str | None) -> Change:
    """Boards of one kind, each at a socket of its own; the first is named by its link."""

    def change(fake: FakeSystem) -> None:
        port(fake, "line:/dev/ttyUSB0")
        link = "dev/serial/by-id/usb-1a86_USB_Serial-if00-port0"
        fake.link(link, "../../ttyUSB0")
        fake.config["readers"] = (f"line:/{link}",)
        fake.probes.listed = [
            SimpleNamespace(
                device=f"/dev/ttyUSB{number}",
                serial_number=serial,
                location=f"1-1.{number + 1}:1.0",
                vid=0x1A86,
                pid=0x7523,
            )
            for number, serial in enumerate(serials)
        ]

    return change


SERIAL: Pairs = {
    "port-missing": [
        (all_of(port, no_port), port),
        (by_serial, all_of(by_serial, listed)),
    ],
    "port-group-missing": [
        (all_of(port, not_a_member, refused("ttyACM0")), port),
        (all_of(port, not_a_member, refused("ttyACM0")), all_of(port, not_a_member)),
    ],
    "port-group-late": [
        (all_of(port, not_in_session, refused("ttyACM0")), port),
        (all_of(port, service_with_groups(UID)), all_of(port, service_with_groups(UID, DIALOUT))),
    ],
    "port-denied": [(all_of(port, refused("ttyACM0")), port)],
    "serial-console": [
        (all_of(pi, boot("cmdline.txt", "console=serial0,115200 console=tty1\n")), pi),
        (all_of(pi, boot("cmdline.txt", "console=ttyAMA0,115200\n")), pi),
        (
            all_of(pi, boot("cmdline.txt", "console=serial0,115200\n")),
            all_of(pi_5, boot("cmdline.txt", "console=serial0,115200\n")),
        ),
        (
            all_of(pi, boot("cmdline.txt", "console=ttyAMA0\n")),
            all_of(pi, boot("cmdline.txt", "console=ttyUSB0\n")),
        ),
    ],
    "serial-login": [
        (
            all_of(pi, program("agetty", "--keep-baud", "ttyAMA0", "vt220")),
            all_of(pi, program("agetty", "tty1")),
        )
    ],
    "uart-off": [
        (
            all_of(pi, boot("config.txt", "#enable_uart=1\n")),
            all_of(pi, boot("config.txt", "dtparam=uart0=on\n")),
        )
    ],
    "bluetooth-has-uart": [
        (mini("enable_uart=1\n"), mini("enable_uart=1\ndtoverlay=disable-bt\n")),
        (mini("enable_uart=1\n"), pi),
    ],
    "port-held": [
        (all_of(port, held_by("screen")), all_of(port, held_by_the_service)),
    ],
    "brltty": [
        (all_of(port, ch340("")), all_of(port, ch340("ch341"))),
        (all_of(port, ch340("usbfs")), port),
    ],
    "modem-manager": [
        (all_of(port, program("ModemManager")), port),
        (all_of(port, program("ModemManager")), all_of(pi, program("ModemManager"))),
        (all_of(port, program("ModemManager")), all_of(pi, afar, program("ModemManager"))),
    ],
    "port-name-passes": [(all_of(port, listed), all_of(by_serial, listed))],
    "port-name-shared": [
        (adapters(None, None), adapters(None)),
        (adapters("0001", "0001"), adapters("0001", "0002")),
    ],
}

# --- pins -------------------------------------------------------------------------------

GPIO = 986


def pins(fake: FakeSystem) -> None:
    """A button on a Pi 5 whose kernel has the new name, for a user who may use it."""
    fake.config["readers"] = ("gpio:17?kind=stop",)
    fake.put("dev/gpiochip0")
    fake.put("etc/group", f"tidetable:x:{UID}:\ngpio:x:{GPIO}:tidetable\n")
    fake.groups.add(GPIO)
    fake.probes.versions |= {"gpiozero": "2.0.1.post3", "lgpio": "0.2.2.0"}
    fake.probes.chip_list = [Chip("/dev/gpiochip0", "pinctrl-rp1", 54)]


def version(package: str, number: str | None) -> Change:
    def change(fake: FakeSystem) -> None:
        fake.probes.versions.pop(package, None)
        if number is not None:
            fake.probes.versions[package] = number

    return change


def environment(value: str) -> Change:
    return lambda fake: fake.environ.update(GPIOZERO_PIN_FACTORY=value)


def environment_of_service(value: str) -> Change:
    def change(fake: FakeSystem) -> None:
        fake.serves(700)
        fake.put("proc/700/environ", f"LANG=C\0GPIOZERO_PIN_FACTORY={value}\0")

    return change


def unit_names_factory(value: str) -> Change:
    def change(fake: FakeSystem) -> None:
        fake.installed(f"Environment=GPIOZERO_PIN_FACTORY={value}\n")

    return change


def no_chip(fake: FakeSystem) -> None:
    (fake.root / "dev/gpiochip0").unlink()
    fake.probes.chip_list = []


def no_member_of_gpio(fake: FakeSystem) -> None:
    fake.put("etc/group", f"tidetable:x:{UID}:\ngpio:x:{GPIO}:\n")


def no_gpio_in_session(fake: FakeSystem) -> None:
    fake.groups.discard(GPIO)


def of_debian(fake: FakeSystem) -> None:
    fake.probes.debian = {"gpiozero"}


def old_name(fake: FakeSystem) -> None:
    fake.put("dev/gpiochip4")


def used_by(name: str, pin: int = 17) -> Change:
    return lambda fake: fake.probes.pin_users.update({("/dev/gpiochip0", pin): name})


def runs(fake: FakeSystem) -> None:
    fake.serves(700)


def lg_folder(fake: FakeSystem) -> None:
    fake.put("srv/pipes/x")
    fake.environ["LG_WD"] = "/srv/pipes"


PINS: Pairs = {
    "gpiozero-missing": [(all_of(pins, version("gpiozero", None)), pins)],
    "pins-not-real": [
        (all_of(pins, environment("mock")), all_of(pins, environment("lgpio"))),
        (
            all_of(pins, environment_of_service("mock")),
            all_of(pins, environment("mock"), environment_of_service("lgpio")),
        ),
        (all_of(pins, unit_names_factory("mock")), all_of(pins, unit_names_factory("lgpio"))),
    ],
    "lgpio-missing": [(all_of(pins, version("lgpio", None)), pins)],
    "pins-by-another-library": [(all_of(pins, environment("rpigpio")), pins)],
    "no-pins": [(all_of(pins, no_chip), pins)],
    "pin-group-missing": [(all_of(pins, no_member_of_gpio, refused("gpiochip0")), pins)],
    "pin-group-late": [(all_of(pins, no_gpio_in_session, refused("gpiochip0")), pins)],
    "pin-denied": [(all_of(pins, refused("gpiochip0")), pins)],
    "gpiozero-old": [
        (all_of(pins, version("gpiozero", "2.0.1")), pins),
        (
            all_of(pins, version("gpiozero", "2.0.1")),
            all_of(pins, version("gpiozero", "2.0.1"), of_debian),
        ),
        (
            all_of(pins, version("gpiozero", "2.0")),
            all_of(pins, version("gpiozero", "2.0"), old_name),
        ),
    ],
    "pin-held": [
        (all_of(pins, used_by("spi0 CS0")), pins),
        (all_of(pins, used_by("lg")), all_of(pins, used_by("lg"), runs)),
        (all_of(pins, used_by("button")), all_of(pins, used_by("button", pin=18))),
    ],
    "lgpio-folder": [(all_of(pins, lg_folder, refused("srv/pipes")), all_of(pins, lg_folder))],
}
