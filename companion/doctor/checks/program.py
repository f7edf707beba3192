"""The program itself and its service: versions, the installation, what systemd says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from companion.doctor import remedies
from companion.doctor.api import Check, Finding, Unseen, bad, warning
from companion.doctor.here import unit_file
from companion.doctor.system import System
from companion.doctor.versions import numbers
from companion.installing.files import UNIT_NAME

LEAST_PYTHON = (3, 11)
LEAST_SQLITE = (3, 37)  # the record's tables are STRICT
_NEED = re.compile(r"([A-Za-z0-9_.-]+)\s*>=\s*([0-9.]+)$")
_PIN = re.compile(r"([A-Za-z0-9_.-]+)==(\S+)$")
ASKED = (
    "LoadState",
    "ActiveState",
    "SubState",
    "UnitFileState",
    "NRestarts",
    "Result",
    "NeedDaemonReload",
)


def _versions(system: System) -> Iterator[Finding]:
    python, sqlite = system.probes.python, system.probes.sqlite
    faults = list(_old(system, python, sqlite))
    yield from faults
    if not faults:
        own = system.probes.version("tidetable") or "of no number"
        yield Finding("versions", "fine", f"Tidetable {own}, Python {python}, SQLite {sqlite}")


def _old(system: System, python: str, sqlite: str) -> Iterator[Finding]:
    if numbers(python) < LEAST_PYTHON:
        yield bad(
            "python-old",
            f"Python {python} is older than 3.11, which the program needs.",
            "Renew the system: Debian 12 and Raspberry Pi OS Bookworm have a newer one.",
            "cat /etc/os-release",
        )
    if numbers(sqlite) < LEAST_SQLITE:
        yield bad(
            "sqlite-old",
            f"SQLite {sqlite} is older than 3.37, which the record needs.",
            "Renew the system: Debian 12 and Raspberry Pi OS Bookworm have a newer one.",
            "cat /etc/os-release",
        )
    for line in system.probes.requirements():
        need = _NEED.match(line.strip())
        if need is None:  # of an extra, or without a number
            continue
        there = system.probes.version(need[1])
        if there is None or numbers(there) < numbers(need[2]):
            yield bad(
                "package-old",
                f"The Python package {need[1]} is missing."
                if there is None
                else f"The Python package {need[1]} is {there}, and the program needs {need[2]}.",
                "Install the program anew.",
                remedies.run_script(system, "doctor")
                if remedies.is_checkout(system)
                else remedies.install(system),
            )
            break


def _in_step(system: System) -> Iterator[Finding]:
    pins = _pins(system)
    for line in system.probes.requirements():
        need = re.match(r"[A-Za-z0-9_.-]+", line)
        name = need[0].lower() if need and ";" not in line else ""
        there = system.probes.version(name) if name in pins else None
        if there is not None and there != pins[name]:
            yield warning(
                "venv-behind",
                f"The environment .venv is not in step with the sources: {name} is {there}, and "
                f"constraints.txt names {pins[name]}.",
                "Start once by ./run, which brings it on.",
                remedies.run_script(system, "doctor"),
            )
            return


def _pins(system: System) -> Mapping[str, str]:
    lines = (system.text(system.probes.checkout / "constraints.txt") or "").splitlines()
    found = (_PIN.match(line.strip()) for line in lines)
    return {pin[1].lower(): pin[2] for pin in found if pin}


# --- systemd ----------------------------------------------------------------------------


def _installed(system: System) -> bool:
    return unit_file(system.root) is not None


def _unit(system: System) -> Iterator[Finding]:
    ran = system.run(["systemctl", "show", UNIT_NAME, f"--property={','.join(ASKED)}"])
    told = dict(line.split("=", 1) for line in ran.out.splitlines() if "=" in line)
    if ran.status != 0 or "ActiveState" not in told:
        raise Unseen("systemd does not answer here, so how the service does cannot be seen.")
    state = told["ActiveState"]
    if told.get("SubState") == "auto-restart":
        yield bad(
            "service-failed",
            "The service ends again and again, and systemd starts it anew every few seconds "
            f"(systemd says {told.get('Result', '?')}).",
            "Read why in its log, and mend that.",
            f"sudo journalctl -u {UNIT_NAME} -n 50 --no-pager",
        )
    elif state == "failed":
        yield bad(
            "service-failed",
            f"The service ended and is not started again (systemd says {told.get('Result', '?')}).",
            "Read why in its log, mend that, and start it.",
            f"sudo journalctl -u {UNIT_NAME} -n 50 --no-pager",
        )
    elif state in ("inactive", "deactivating"):
        yield bad(
            "service-stopped",
            "The service is installed and does not run.",
            "Start it.",
            "sudo systemctl start tidetable",
        )
    restarts = told.get("NRestarts", "0")
    if restarts.isdecimal() and int(restarts) > 0 and state == "active":
        times = "once" if restarts == "1" else f"{restarts} times"
        yield warning(
            "service-restarts",
            f"systemd had to start the service again {times} since it was started: it crashed, or "
            "its watchdog ended it.",
            "Read why in its log, and report it.",
            f"sudo journalctl -u {UNIT_NAME} -n 100 --no-pager",
        )
    if told.get("UnitFileState") == "disabled":
        yield warning(
            "service-not-at-start",
            "The service does not start with the computer.",
            "Let it.",
            "sudo systemctl enable tidetable",
        )
    if told.get("NeedDaemonReload") == "yes":
        yield warning(
            "unit-changed",
            "The unit of the service was changed, and systemd has not read it yet.",
            "Let it read it, and start the service again.",
            "sudo systemctl daemon-reload && sudo systemctl restart tidetable",
        )


CHECKS_OF_VERSIONS = (
    Check("versions", "the versions", ("python-old", "sqlite-old", "package-old"), _versions),
    Check(
        "checkout",
        "the environment is in step with the sources",
        ("venv-behind",),
        _in_step,
        remedies.is_checkout,
    ),
)
CHECKS_OF_SERVICE = (
    Check(
        "service",
        "the service",
        (
            "service-failed",
            "service-stopped",
            "service-restarts",
            "service-not-at-start",
            "unit-changed",
        ),
        _unit,
        _installed,
    ),
)
