"""Serial ports: boards and a PN532, on the USB or on the pins of a Pi."""

from __future__ import annotations

import re
from collections.abc import Iterator

from companion.doctor import remedies
from companion.doctor.api import Check, Finding, Unseen, bad, warning
from companion.doctor.devices import Codes, rights
from companion.doctor.here import service_pid
from companion.doctor.processes import holders, running
from companion.doctor.system import System
from companion.doctor.usb import usb_devices
from companion.drivers import ports
from companion.drivers.api import DriverName

KINDS = ("pn532:", "bridge:", "line:")
BY_ID = "/dev/serial/by-id/"
BOOT_FOLDERS = ("/boot/firmware", "/boot")
ON_PINS = re.compile(r"/dev/(serial[0-9]|ttyAMA[0-9]+|ttyS[0-9]+)")
BRAILLE_ALIKE = ("1a86:7523", "10c4:ea60", "0403:6001")
"""Chips that are in boards and in Braille displays: CH340, CP2102, FT232."""

CODES = Codes("port-group-missing", "port-group-late", "port-denied")


def _wanted(system: System) -> bool:
    return bool(list(_addresses(system)))


def _addresses(system: System) -> Iterator[tuple[str, ports.Address]]:
    """The readers at ports of this computer: their full names, and where they are."""
    for name in system.readers(*KINDS):
        kind, _, where = name.partition(":")
        try:
            where, _ = ports.cut_option(f"{kind}:", where, "number", 1)
            if kind == "pn532":
                where, _ = ports.cut_option("pn532:", where, "targets", 2)
            address = ports.parse(f"{kind}:", where)
        except DriverName:
            continue  # the settings say so
        if not address.is_remote:
            yield name, address


def _ports(system: System) -> Iterator[tuple[str, str]]:
    """Readers and the names of their devices, of those that are there."""
    for name, address in _addresses(system):
        try:
            device = ports.find(address, system.probes.ports()).partition("?")[0]
        except ports.PortTrouble:
            continue
        if device.startswith("/dev/") and system.exists(device):
            yield name, device


def _there(system: System) -> Iterator[Finding]:
    for name, address in _addresses(system):
        try:
            device = ports.find(address, system.probes.ports()).partition("?")[0]
        except ports.PortTrouble as trouble:
            yield bad(
                "port-missing",
                f"{name}: {str(trouble).partition(':')[0].removesuffix('.')}.",
                "Plug the board in, or name the port that it has now.",
                remedies.list_ports(system),
            )
            continue
        if not system.exists(device):
            yield bad(
                "port-missing",
                f"{name}: there is no {device}.",
                "Switch the serial port of the Pi on, and start it anew."
                if ON_PINS.fullmatch(device)
                else "Plug the board in, or name the port that it has now.",
                "sudo raspi-config nonint do_serial_hw 0 && sudo reboot"
                if ON_PINS.fullmatch(device) and remedies.is_pi(system)
                else "ls -l /dev/serial/by-id /dev/serial/by-path",
            )


def _rights(system: System) -> Iterator[Finding]:
    for _, device in _ports(system):
        yield from rights(system, device, "dialout", CODES)


def _held(system: System) -> Iterator[Finding]:
    ours = service_pid(system.root, system.data)
    hidden = False
    for name, device in _ports(system):
        found = holders(system, system.real(device))
        hidden |= not found.all_seen
        for process in found.found:
            # A getty is told of with the cure that lasts.
            if process.pid != ours and process.name != "agetty":
                yield bad(
                    "port-held",
                    f"The program {process} has {device} open, so {name} cannot use it.",
                    "End that program; a port is for one program alone.",
                    f"sudo kill {process.pid}",
                )
    if hidden:
        raise Unseen("Whether another program holds the port only root can see.")


def _modem_manager(system: System) -> Iterator[Finding]:
    on_usb = [name for name, address in _addresses(system) if not ON_PINS.match(address.where)]
    if on_usb and running(system, "ModemManager"):
        yield warning(
            "modem-manager",
            "ModemManager runs, and talks to every board that is plugged in: its first seconds "
            "are garbage.",
            "Switch it off where no modem is used.",
            "sudo systemctl disable --now ModemManager",
        )


def _braille(system: System) -> Iterator[Finding]:
    adapters = [device for device in usb_devices(system) if device.id in BRAILLE_ALIKE]
    lost = [device for device in adapters if not device.drivers - {"usbfs"}]
    installed = system.exists("/usr/bin/brltty") or system.glob("/usr/lib/udev/rules.d/*brltty*")
    if lost and (installed or running(system, "brltty")):
        yield bad(
            "brltty",
            f"brltty takes the board at the USB socket {lost[0].place} for a Braille display, so it "
            "has no port.",
            "Remove it where no such display is used.",
            "sudo apt remove brltty",
        )


def _passing(system: System) -> Iterator[Finding]:
    for name, address in _addresses(system):
        kind = name.partition(":")[0]
        sentence = ports.note(f"{kind}:", address, system.probes.ports())
        if sentence:
            yield warning(
                "port-name-passes",
                f"{address.where} may be another board after the next start.",
                _as_sentence(sentence.partition(": ")[2])
                or "Where there are several boards, name it by its USB socket.",
                remedies.list_ports(system),
            )


def _lasting(system: System) -> Iterator[Finding]:
    yield from _passing(system)
    yield from _shared(system)


def _shared(system: System) -> Iterator[Finding]:
    """Many boards have no serial number, or all the same: then they have one link by it."""
    listed = [port for port in system.probes.ports() if port.location]
    for name, address in _addresses(system):
        if not address.where.startswith(BY_ID):
            continue
        device = system.real(address.where.partition("?")[0])
        alike = {_maker(port) for port in listed if port.device == device}
        sockets = sorted({_socket(port) for port in listed if _maker(port) in alike})
        if len(sockets) > 1:
            kind = name.partition(":")[0]
            yield warning(
                "port-name-shared",
                f"{len(sockets)} boards that are plugged in share the name {address.where}: none "
                "has a serial number of its own, and it leads to the one that was found last.",
                "Name the one you mean by its USB socket: "
                f"{' or '.join(f'{kind}:usb={socket}' for socket in sockets)}.",
                remedies.list_ports(system),
            )


def _socket(port: ports.ListedPort) -> str:
    return (port.location or "").partition(":")[0]


def _maker(port: ports.ListedPort) -> tuple[object, ...]:
    """What the name by the serial number is made of."""
    return getattr(port, "vid", None), getattr(port, "pid", None), port.serial_number


def _as_sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- the UART on the pins of a Pi ----------------------------------------------------------


def _on_pins(system: System) -> list[str]:
    """The ports on pins that the settings name."""
    found = (address.where.partition("?")[0] for _, address in _addresses(system))
    return [device for device in found if ON_PINS.fullmatch(device)]


def _has_pins(system: System) -> bool:
    return bool(_on_pins(system)) and _boot(system, "config.txt") is not None


def _boot(system: System, name: str) -> str | None:
    return next((f"{at}/{name}" for at in BOOT_FOLDERS if system.exists(f"{at}/{name}")), None)


def _names(system: System, device: str) -> frozenset[str]:
    """What the same UART is called: on a Pi 5, `serial0` is another one than `ttyAMA0`."""
    names = {device.rpartition("/")[2], system.real(device).rpartition("/")[2]}
    if not system.exists("/dev/serial0") and names & {"serial0", "ttyAMA0", "ttyS0"}:
        names.add("serial0")
    return frozenset(names)


def _uart(system: System) -> Iterator[Finding]:
    faults = list(_uart_faults(system))
    yield from faults
    if not faults:
        yield Finding(
            "uart",
            "fine",
            "the serial port on the pins is free; if the reader is silent all the same, compare its "
            "wires (TX to RX, RX to TX) and its switches with the drawing",
        )


def _uart_faults(system: System) -> Iterator[Finding]:
    device = _on_pins(system)[0]
    names = _names(system, device)
    settings = _lines(system, "config.txt")
    command_line = " ".join(_lines(system, "cmdline.txt")).split()
    consoles = {word[8:].partition(",")[0] for word in command_line if word.startswith("console=")}
    if any(names & _names(system, f"/dev/{console}") for console in consoles):
        yield bad(
            "serial-console",
            f"The kernel writes its messages to {device} ({_boot(system, 'cmdline.txt')}), and "
            "what listens there takes them for a reader.",
            "Switch the console off, and start the computer anew.",
            "sudo raspi-config nonint do_serial_cons 1 && sudo reboot",
        )
    for process in running(system, "agetty", "getty"):
        at = names & set(process.arguments)
        if at:
            yield bad(
                "serial-login",
                f"A login waits at {device} ({process}), and answers the reader.",
                "Switch it off for good.",
                f"sudo systemctl disable --now serial-getty@{min(at)}.service",
            )
            break
    on = {"enable_uart=1", "dtparam=uart0=on", "dtparam=uart0", "dtoverlay=uart0"}
    if not any(line in on or line.startswith("dtoverlay=uart") for line in settings):
        yield bad(
            "uart-off",
            f"The serial port on the pins is not switched on in {_boot(system, 'config.txt')}.",
            "Switch it on, and start the computer anew.",
            "sudo raspi-config nonint do_serial_hw 0 && sudo reboot",
        )
    freed = any(re.match(r"dtoverlay=(pi3-)?(disable-bt|miniuart-bt)\b", line) for line in settings)
    if "ttyS0" in names and not freed:
        yield warning(
            "bluetooth-has-uart",
            f"Bluetooth has the good serial port, and {device} is the small one, whose speed "
            "changes with the processor's: bytes get lost.",
            "Switch Bluetooth off, and start the computer anew.",
            f"echo dtoverlay=disable-bt | sudo tee -a {_boot(system, 'config.txt')} && sudo reboot",
        )


def _lines(system: System, name: str) -> list[str]:
    at = _boot(system, name)
    lines = (system.text(at) or "").splitlines() if at else []
    return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


CHECKS = (
    Check("ports", "the serial ports are there", ("port-missing",), _there, _wanted),
    Check(
        "port-rights",
        "this user may use the serial ports",
        ("port-group-missing", "port-group-late", "port-denied"),
        _rights,
        _wanted,
    ),
    Check(
        "uart",
        "the serial port on the pins is free",
        ("serial-console", "serial-login", "uart-off", "bluetooth-has-uart"),
        _uart,
        _has_pins,
    ),
    Check("port-to-itself", "nobody else has the serial ports", ("port-held",), _held, _wanted),
    Check("braille", "no board is taken for a Braille display", ("brltty",), _braille, _wanted),
    Check(
        "modems", "no program that looks for modems", ("modem-manager",), _modem_manager, _wanted
    ),
    Check(
        "port-names",
        "the ports are named for good",
        ("port-name-passes", "port-name-shared"),
        _lasting,
        _wanted,
    ),
)
