"""Power, heat and clock."""

from __future__ import annotations

from collections.abc import Iterator

from companion.doctor.api import Check, Finding, Unseen, bad, warning
from companion.doctor.system import System
from companion.machine import FIRST_YEAR

HOT_CELSIUS = 90.0
"""Of a computer that does not say itself that it is too hot."""


def _is_pi(system: System) -> bool:
    return "Raspberry Pi" in system.word("/proc/device-tree/model")


def _tells_voltage(system: System) -> bool:
    return system.machine.under_voltage is not None or _is_pi(system)


def _tells_heat(system: System) -> bool:
    return system.machine.celsius is not None or system.machine.too_hot is not None


def _voltage(system: System) -> Iterator[Finding]:
    if system.machine.under_voltage is None:
        raise Unseen("Whether the power is too weak this user may not ask (group video).")
    match system.machine.under_voltage:
        case "now":
            yield bad(
                "under-voltage-now",
                "The power supply is too weak at this moment: readers drop out, and the card "
                "may be damaged.",
                "Use the supply that is made for this Pi, with a short cable, and put readers on a "
                "hub with a supply of its own.",
                "vcgencmd get_throttled",
            )
        case "earlier":
            yield warning(
                "under-voltage-earlier",
                "The power was too low at some time in the last "
                f"{_long(system.machine.up_s)}, since this computer was switched on.",
                "Use the supply that is made for this Pi, with a short cable; the mark stays until "
                "the next start.",
                "vcgencmd get_throttled",
            )


def _long(seconds: float | None) -> str:
    if seconds is None:
        return "hours"
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{round(minutes / 60)} hours"


def _heat(system: System) -> Iterator[Finding]:
    celsius, too_hot = system.machine.celsius, system.machine.too_hot
    degrees = "" if celsius is None else f" ({celsius:g} degrees)"
    if too_hot == "now" or (too_hot is None and celsius is not None and celsius >= HOT_CELSIUS):
        yield warning(
            "too-hot-now",
            f"The processor is too hot{degrees}, and is slowed down.",
            "Give it air: no closed case, and a heat sink or a fan.",
            "cat /sys/class/thermal/thermal_zone*/temp",
        )
    elif too_hot == "earlier":
        yield warning(
            "too-hot-earlier",
            "The processor was too hot and was slowed down, since this computer was switched on.",
            "Give it air: no closed case, and a heat sink or a fan.",
            "cat /sys/class/thermal/thermal_zone*/temp",
        )


def _clock(system: System) -> Iterator[Finding]:
    if system.machine.year_is_right is False:
        yield warning(
            "clock-never-set",
            f"The clock tells a year before {FIRST_YEAR}: it was never set. Games can be played, "
            "and their dates are wrong.",
            "Connect the network for a minute, or set the clock by hand.",
            'sudo date --set "2026-12-24 18:00"',
        )
    elif system.machine.synchronised is False:
        able = system.run(["timedatectl", "show", "--property=CanNTP", "--value"]).out.strip()
        yield warning(
            "clock-unsynchronised",
            "The clock follows no other one, so it may be wrong. Games can be played, and their "
            "dates may be wrong.",
            "Connect the network, and add what sets the clock by it."
            if able == "no"
            else "Connect the network, and switch the synchronisation on.",
            "sudo apt install systemd-timesyncd"
            if able == "no"
            else "sudo timedatectl set-ntp true",
        )


CHECKS = (
    Check(
        "power",
        "the power",
        ("under-voltage-now", "under-voltage-earlier"),
        _voltage,
        _tells_voltage,
    ),
    Check("heat", "the heat", ("too-hot-now", "too-hot-earlier"), _heat, _tells_heat),
    Check("clock", "the clock", ("clock-never-set", "clock-unsynchronised"), _clock),
)
