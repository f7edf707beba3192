"""Readers on PC/SC: the library, the service and its rights, the kernel, the reader itself."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from companion.doctor import remedies
from companion.doctor.api import Check, Finding, Unseen, bad, warning
from companion.doctor.here import unit_file
from companion.doctor.processes import holders, running
from companion.doctor.system import System
from companion.doctor.usb import UsbDevice, usb_devices
from companion.drivers.pcsc.names import chosen
from companion.drivers.pcsc.results import TIMEOUT, PcscFailure, Trouble
from companion.installing.files import USER

ACR122 = "072f:2200"
SMART_CARD_READERS = frozenset({"072f", "076b", "04e6", "058f", "0bda", "24dc", "1fd3"})
"""Vendors of readers; other kinds of devices of theirs show no name of a reader."""

KERNEL_DRIVERS = frozenset({"pn533_usb", "pn533"})
RULE_FOLDERS = ("/etc/polkit-1/rules.d", "/usr/share/polkit-1/rules.d", "/run/polkit-1/rules.d")
MODPROBE_FOLDERS = (
    *("/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d"),
    "/usr/local/lib/modprobe.d",
)
RIGHTS = "org.debian.pcsc-lite"
POLICY = f"/usr/share/polkit-1/actions/{RIGHTS}.policy"
SOCKET = "/run/pcscd/pcscd.comm"
PCSCD = ("pcscd.socket", "pcscd.service")
CLONES = ("RFCARD", "RF1258V603")
NFC_PROGRAMS = ("nfc-list", "nfc-poll", "nfc-mfclassic", "nfc-mfultralight", "neard", "nfcd")


def _wanted(system: System) -> bool:
    return bool(system.readers("pcsc:"))


def _readers(system: System) -> Sequence[UsbDevice]:
    """What is plugged in and looks like a reader of smart cards."""
    named = re.compile(r"reader|ccid|smart ?card|picc|acr1|nfc|omnikey", re.IGNORECASE)
    return [
        device
        for device in usb_devices(system)
        if device.id == ACR122
        or (device.vendor in SMART_CARD_READERS and named.search(device.names))
    ]


# --- library ----------------------------------------------------------------------------


def _library(system: System) -> Iterator[Finding]:
    if system.probes.imports("smartcard.scard"):
        return
    if remedies.sees_packages_of_the_system(system):
        command = "sudo apt install python3-pyscard"
    else:
        command = "sudo apt install libpcsclite-dev gcc libc6-dev python3-dev && ./run doctor"
    yield bad(
        "pyscard-missing",
        "Python cannot load pyscard, by which the program speaks to card readers.",
        "Install it; then start the service again.",
        command,
    )


# --- service ----------------------------------------------------------------------------


def _service(system: System) -> Iterator[Finding]:
    answer = system.probes.pcsc()
    if answer.code is None:
        raise Unseen("Without pyscard the smart-card service cannot be asked.")
    if answer.code == 0:
        return
    if answer.code == TIMEOUT:
        yield bad(
            "pcscd-hangs",
            "The smart-card service pcscd runs and does not answer.",
            "Start it again.",
            "sudo systemctl restart pcscd.service",
        )
        return
    match PcscFailure(answer.code).trouble:
        case Trouble.ACCESS:
            yield _denied(system, answer.code)
        case Trouble.SERVICE if system.probes.pcscd_speaks(system.path(_socket(system))):
            yield bad(
                "pcscd-other-version",
                "The smart-card service pcscd runs, and speaks another version than the library "
                "libpcsclite of this program, as where one of them is in a container.",
                "Use both of one version, best from apt of one and the same system.",
                "apt list --installed pcscd libpcsclite1",
            )
        case Trouble.SERVICE if not _installed(system):
            yield bad(
                "pcscd-missing",
                "The smart-card service pcscd is not installed.",
                "Install it, with the drivers for readers.",
                "sudo apt install pcscd libccid",
            )
        case Trouble.SERVICE:
            yield _stopped(system)
        case _:
            raise Unseen(f"The smart-card service gave the result 0x{answer.code:08X}.")


def _socket(system: System) -> str:
    """Where the library looks for pcscd."""
    return system.environ.get("PCSCLITE_CSOCK_NAME") or SOCKET


def _stopped(system: System) -> Finding:
    enabled = system.run(["systemctl", "is-enabled", *PCSCD]).out.split()
    units = " ".join(PCSCD)
    if "masked" in enabled:
        why = "somebody forbade systemd to start it (it is masked)."
        command = f"sudo systemctl unmask {units} && sudo systemctl enable --now pcscd.socket"
    elif system.exists(_socket(system)):
        why = "its socket is there, and nobody serves it."
        command = f"sudo systemctl enable pcscd.socket && sudo systemctl restart {units}"
    else:
        why = "it has no socket."
        command = "sudo systemctl enable --now pcscd.socket"
    return bad(
        "pcscd-stopped",
        f"The smart-card service pcscd does not answer: {why}",
        "Start it, now and at every start of the computer.",
        command,
    )


def _installed(system: System) -> bool:
    # Its socket proves nothing: it stays when the package is removed.
    places = ("/usr/sbin/pcscd", "/usr/local/sbin/pcscd")
    return any(system.exists(place) for place in places) or bool(running(system, "pcscd"))


def _denied(system: System, code: int) -> Finding:
    return bad(
        "pcscd-denies",
        f"The smart-card service denies its use to {system.user.name} (0x{code:08X}): polkit "
        "allows it to who sits at the computer, and to others by a rule.",
        "Install the rule that comes with the program, and let polkit read it.",
        f"{remedies.install(system)} && sudo systemctl restart polkit pcscd",
    )


def _needs_rule(system: System) -> bool:
    return _wanted(system) and unit_file(system.root) is not None and system.exists(POLICY)


def _rule(system: System) -> Iterator[Finding]:
    hidden = False
    for folder in RULE_FOLDERS:
        if system.exists(folder) and not system.probes.may(system.path(folder), os.R_OK | os.X_OK):
            hidden = True
        for path in system.glob(f"{folder}/*.rules"):
            text = system.text(system.name(path)) or ""
            if RIGHTS in text and USER in text:
                return
    if hidden:
        raise Unseen("Whether polkit has the rule for the service only root can see.")
    yield warning(
        "pcscd-rule-missing",
        f"No rule of polkit lets {USER} use the smart-card service: the service gets no "
        "reader, though you may.",
        "Install the rule that comes with the program.",
        remedies.install(system),
    )


def _twice(system: System) -> Iterator[Finding]:
    found = running(system, "pcscd")
    if len(found) > 1:
        pids = ", ".join(str(process.pid) for process in found)
        yield bad(
            "pcscd-twice",
            f"Two smart-card services run (processes {pids}), and only one can have a reader.",
            "End all but the one that the system starts, such as one in a container.",
            "ps -o pid,user,lstart,args -C pcscd",
        )


# --- who else has the reader -------------------------------------------------------------


def _kernel(system: System) -> Iterator[Finding]:
    held = [device for device in usb_devices(system) if device.drivers & KERNEL_DRIVERS]
    if held:
        yield bad(
            "kernel-has-reader",
            f"The kernel's driver pn533_usb holds the reader at the USB socket {held[0].place}, "
            "so pcscd cannot have it.",
            "Take it back now; a rule keeps it from coming again.",
            "sudo modprobe -r pn533_usb pn533 && sudo systemctl restart pcscd",
        )
    plugged = held or [device for device in usb_devices(system) if device.id == ACR122]
    if plugged and not _kept_away(system):
        yield warning(
            "kernel-may-take-reader",
            "Nothing keeps the kernel's driver pn533_usb off this reader: it comes when the "
            "reader is plugged in, or at the next start.",
            "Forbid it for good.",
            r"printf 'blacklist pn533_usb\ninstall pn533_usb /bin/false\n' "
            "| sudo tee /etc/modprobe.d/tidetable.conf",
        )


def _kept_away(system: System) -> bool:
    for folder in MODPROBE_FOLDERS:
        for path in system.glob(f"{folder}/*.conf"):
            text = system.text(system.name(path)) or ""
            if re.search(
                r"^\s*(blacklist\s+pn533_usb\b|install\s+pn533_usb\s)", text, re.MULTILINE
            ):
                return True
    return bool(re.search(r"modprobe\.blacklist=\S*\bpn533_usb\b", system.word("/proc/cmdline")))


def _others(system: System) -> Iterator[Finding]:
    hidden = False
    for device in _readers(system):
        if not device.node:
            continue
        found = holders(system, device.node)
        hidden |= not found.all_seen
        for process in found.found:
            if process.name == "pcscd":
                continue
            yield bad(
                "reader-held",
                f"The program {process} holds the reader at the USB socket {device.place}, so "
                "pcscd cannot have it.",
                "End that program; libnfc and pcscd cannot share a reader.",
                f"sudo kill {process.pid}",
            )
            return
    beside = running(system, *NFC_PROGRAMS)
    if beside:
        yield warning(
            "libnfc-beside",
            f"The program {beside[0]} looks for readers, too; it and pcscd take them from each "
            "other.",
            "End it while the table is used.",
            f"sudo kill {beside[0].pid}",
        )
    for path in (*system.glob("/etc/nfc/libnfc.conf"), *system.glob("/etc/nfc/devices.d/*.conf")):
        text = system.text(system.name(path)) or ""
        if re.search(r'^\s*(device\.)?connstring\s*=\s*"?acr122', text, re.MULTILINE):
            yield warning(
                "libnfc-configured",
                f"{system.name(path)} gives the reader to libnfc: a program that uses it takes "
                "the reader away from pcscd.",
                "Remove that line, or the package.",
                "sudo apt remove libnfc-bin",
            )
            return
    if hidden:
        raise Unseen("Whether another program holds the reader only root can see.")


# --- the reader --------------------------------------------------------------------------


def _reader(system: System) -> Iterator[Finding]:
    answer = system.probes.pcsc()
    if answer.code != 0:
        raise Unseen("The smart-card service has to answer first.")
    plugged = _readers(system)
    if not answer.readers and plugged and not _has_driver(system):
        yield bad(
            "ccid-missing",
            "A card reader is plugged in, and pcscd has no driver for it.",
            "Install the driver.",
            "sudo apt install libccid && sudo systemctl restart pcscd",
        )
    elif not answer.readers and plugged:
        yield bad(
            "reader-not-taken",
            f"A card reader is plugged in at the USB socket {plugged[0].place}, and pcscd does not "
            "show it.",
            "Unplug it and plug it in again; then start pcscd again.",
            "sudo systemctl restart pcscd && sudo journalctl -u pcscd -n 20",
        )
    elif not answer.readers:
        yield bad(
            "no-reader",
            "pcscd runs, and no card reader is plugged in.",
            "Plug one in; try another cable and another socket.",
            "lsusb",
        )
    else:
        which = system.readers("pcsc:")[0].partition(":")[2]
        if not chosen(answer.readers, which):
            yield bad(
                "reader-not-meant",
                f"Readers are there, and none of them is meant by pcsc:{which}, or takes "
                "contactless cards.",
                "Name a part of a reader's name, or pcsc: alone for all.",
                remedies.companion(system, "check-board", "pcsc:"),
            )


def _has_driver(system: System) -> bool:
    return bool(system.glob("/usr/lib/pcsc/drivers/*.bundle"))


def _firmware(system: System) -> Iterator[Finding]:
    for device in _readers(system):
        if any(clone in device.names.upper() for clone in CLONES):
            yield warning(
                "reader-clone",
                f"The reader at the USB socket {device.place} calls itself {device.names}: a copy "
                "that reads only the first tag, or cuts what tags answer.",
                "Use another reader.",
                remedies.with_data(system, "doctor", "--tap"),
            )


# --- beside PC/SC ------------------------------------------------------------------------

_TYPING_READERS = frozenset(
    {("ffff", "0035"), ("08ff", "0009"), ("0c27", "3bfa"), ("6352", "213a")}
)
_TYPING_NAMES = re.compile(r"rfid|\bnfc\b|sycreader|pcprox|ic reader|card ?reader", re.IGNORECASE)


def _typing(system: System) -> Iterator[Finding]:
    for block in (system.text("/proc/bus/input/devices") or "").split("\n\n"):
        ids = re.search(r"Vendor=([0-9a-f]{4}) Product=([0-9a-f]{4})", block)
        name = re.search(r'^N: Name="(.*)"$', block, re.MULTILINE)
        if not re.search(r"^H: .*\bkbd\b", block, re.MULTILINE) or name is None:
            continue
        known = ids is not None and (ids[1], ids[2]) in _TYPING_READERS
        if known or _TYPING_NAMES.search(name[1]):
            yield warning(
                "typing-reader",
                f"The reader {name[1]} is a keyboard: it types what it reads into whatever is "
                "open, and this program cannot use it.",
                "Use a reader for PC/SC, or a PN532.",
                "lsusb",
            )
            return


CHECKS = (
    Check(
        "smart-card-library",
        "the library for card readers",
        ("pyscard-missing",),
        _library,
        _wanted,
    ),
    Check(
        "kernel-driver",
        "the kernel leaves the reader alone",
        ("kernel-has-reader", "kernel-may-take-reader"),
        _kernel,
        _wanted,
    ),
    Check(
        "smart-card-service",
        "the smart-card service serves this user",
        ("pcscd-missing", "pcscd-other-version", "pcscd-stopped", "pcscd-hangs", "pcscd-denies"),
        _service,
        _wanted,
    ),
    Check(
        "polkit-rule",
        "polkit lets the service use the smart-card service",
        ("pcscd-rule-missing",),
        _rule,
        _needs_rule,
    ),
    Check(
        "one-smart-card-service",
        "one smart-card service at most",
        ("pcscd-twice",),
        _twice,
        _wanted,
    ),
    Check(
        "reader-to-itself",
        "nobody else has the reader",
        ("reader-held", "libnfc-beside", "libnfc-configured"),
        _others,
        _wanted,
    ),
    Check(
        "reader",
        "a card reader is there",
        ("ccid-missing", "reader-not-taken", "no-reader", "reader-not-meant"),
        _reader,
        _wanted,
    ),
    Check("firmware", "no reader is known to be bad", ("reader-clone",), _firmware, _wanted),
    Check("typing-reader-there", "no reader that is a keyboard", ("typing-reader",), _typing),
)
