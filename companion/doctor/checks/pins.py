"""Pins of a Raspberry Pi: the libraries, the chip, who may use them and who does."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from companion.doctor import remedies
from companion.doctor.api import Check, Finding, Unseen, bad, warning
from companion.doctor.devices import Codes, rights
from companion.doctor.here import service_pid, unit_file
from companion.doctor.pin_lines import Chip
from companion.doctor.system import System
from companion.doctor.versions import numbers

CODES = Codes("pin-group-missing", "pin-group-late", "pin-denied")
OURS = ("lg", "lgpio", "gpiozero")
"""How the library calls itself at the pins that it uses."""

_HEADER = re.compile(r"pinctrl-(bcm|rp1)|raspberrypi-gpio|pinctrl-rp1", re.IGNORECASE)


def _wanted(system: System) -> bool:
    return bool(system.readers("gpio:"))


def _pins(system: System) -> Sequence[int]:
    found = (re.match(r"gpio:(\d+)", name) for name in system.readers("gpio:"))
    return [int(match[1]) for match in found if match]


def _chip(system: System) -> Chip | None:
    """The one of the header."""
    chips = system.probes.chips()
    return next((chip for chip in chips if _HEADER.search(chip.label)), chips[0] if chips else None)


def _libraries(system: System) -> Iterator[Finding]:
    if system.probes.version("gpiozero") is None:
        yield bad(
            "gpiozero-missing",
            "Python does not find gpiozero, by which the program uses pins.",
            "Install it; then start the service again.",
            "sudo apt install python3-gpiozero python3-lgpio"
            if remedies.sees_packages_of_the_system(system)
            else remedies.pip(system, "gpiozero", "lgpio"),
        )
        return
    factory = _factory(system)
    if factory == "mock":
        yield bad(
            "pins-not-real",
            "GPIOZERO_PIN_FACTORY says mock: the pins are imagined, and nothing that is wired "
            "to them is felt.",
            "Take that out of the environment of the service.",
            "sudo systemctl revert tidetable && sudo systemctl restart tidetable"
            if unit_file(system.root)
            else "unset GPIOZERO_PIN_FACTORY",
        )
    elif factory not in ("", "lgpio"):
        yield warning(
            "pins-by-another-library",
            f"GPIOZERO_PIN_FACTORY says {factory}, and the program was tried with lgpio.",
            "Take that out of the environment, or set lgpio.",
            "export GPIOZERO_PIN_FACTORY=lgpio",
        )
    elif not system.probes.imports("lgpio"):
        yield bad(
            "lgpio-missing",
            "Python cannot load lgpio, so gpiozero falls back to libraries that fail on a new Pi.",
            "Install it; then start the service again.",
            "sudo apt install python3-lgpio"
            if remedies.sees_packages_of_the_system(system)
            else remedies.pip(system, "lgpio"),
        )


def _factory(system: System) -> str:
    """The library that the environment names."""
    return _environ(system, "GPIOZERO_PIN_FACTORY").lower()


def _environ(system: System, key: str) -> str:
    """What the environment of the service says: as it runs, or by its unit; else our own."""
    pid = service_pid(system.root, system.data)
    text = system.text(f"/proc/{pid}/environ") if pid is not None else None
    if text is not None:
        pairs = (entry.partition("=") for entry in text.split("\0"))
        return {name: value for name, _, value in pairs}.get(key, "")
    unit = unit_file(system.root)
    if unit is None:
        return system.environ.get(key, "")
    said = re.findall(
        rf"^Environment=(?:.*[\s\"])?{key}=([^\s\"]*)",
        system.text(system.name(unit)) or "",
        re.MULTILINE,
    )
    return str(said[-1]) if said else ""


def _there(system: System) -> Iterator[Finding]:
    nodes = system.glob("/dev/gpiochip*")
    if not nodes:
        yield bad(
            "no-pins",
            "This computer has no pins: there is no /dev/gpiochip0.",
            "Use pins on a Raspberry Pi alone; take gpio: out of the settings elsewhere.",
            "ls /dev/gpiochip*",
        )
        return
    found = list(rights(system, system.name(nodes[0]), "gpio", CODES))
    if found:
        yield from found
        return
    chip = _chip(system)
    if chip is None:
        raise Unseen("No chip of pins says what it is.")
    yield from _versions(system, chip)


def _versions(system: System, chip: Chip) -> Iterator[Finding]:
    gpiozero = system.probes.version("gpiozero") or "none"
    lgpio = system.probes.version("lgpio") or "none"
    # The kernel renamed the chip of a Pi 5, and that version of gpiozero looks for the old name.
    is_renamed = chip.label == "pinctrl-rp1" and chip.device == "/dev/gpiochip0"
    is_old = numbers(gpiozero) < (2, 0, 1) or (
        gpiozero == "2.0.1" and not system.probes.is_of_debian("gpiozero")
    )
    if is_renamed and is_old and not system.exists("/dev/gpiochip4"):
        yield bad(
            "gpiozero-old",
            f"gpiozero {gpiozero} looks for the pins of a Pi 5 at /dev/gpiochip4, and this kernel "
            "has them at /dev/gpiochip0.",
            "Renew gpiozero; then start the service again.",
            remedies.pip(system, "--upgrade", "gpiozero"),
        )
        return
    library = _factory(system) or "lgpio"
    yield Finding(
        "pins",
        "fine",
        f"the pins are {chip.device} ({chip.label}, {chip.lines} lines); gpiozero {gpiozero} by "
        f"{library}, lgpio {lgpio}",
    )


def _held(system: System) -> Iterator[Finding]:
    if not system.glob("/dev/gpiochip*"):
        return
    chip = _chip(system)
    if chip is None:
        raise Unseen("No chip of pins can be asked who uses them.")
    runs = service_pid(system.root, system.data) is not None
    for pin in _pins(system):
        user = system.probes.pin_user(chip.device, pin)
        if user is None:
            raise Unseen(f"The kernel does not tell who uses pin {pin}.")
        if user and not (runs and user in OURS):
            yield bad(
                "pin-held",
                f"Pin {pin} is used by {user}, and a pin has one user at a time.",
                "End that program, or take its overlay out of /boot/firmware/config.txt.",
                "gpioinfo",
            )


def _folder(system: System) -> Iterator[Finding]:
    named = _environ(system, "LG_WD")
    if named and not system.probes.may(system.path(named), os.W_OK | os.X_OK):
        yield bad(
            "lgpio-folder",
            f"lgpio needs a folder for its pipe, and {named} (LG_WD) cannot be written.",
            "Name another, or none.",
            "unset LG_WD",
        )


CHECKS = (
    Check(
        "pin-libraries",
        "the libraries for pins",
        ("gpiozero-missing", "pins-not-real", "lgpio-missing", "pins-by-another-library"),
        _libraries,
        _wanted,
    ),
    Check(
        "pins",
        "the pins are there, and this user may use them",
        ("no-pins", "pin-group-missing", "pin-group-late", "pin-denied", "gpiozero-old"),
        _there,
        _wanted,
    ),
    Check("pins-to-themselves", "nobody else uses these pins", ("pin-held",), _held, _wanted),
    Check("pin-folder", "lgpio has a folder for its pipe", ("lgpio-folder",), _folder, _wanted),
)
