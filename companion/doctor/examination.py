"""All checks, in order of consequence, and going through them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.doctor.api import SEVERITIES, Check, Finding, Report, Unseen
from companion.doctor.checks import (
    network,
    pins,
    power,
    program,
    record,
    serial_ports,
    settings,
    smart_cards,
    storage,
    telling,
)
from companion.doctor.system import System

CHECKS: tuple[Check, ...] = (
    *settings.CHECKS,
    *program.CHECKS_OF_VERSIONS,
    *storage.CHECKS,
    *record.CHECKS,
    *network.CHECKS_OF_PORT,
    *program.CHECKS_OF_SERVICE,
    *power.CHECKS,
    *smart_cards.CHECKS,
    *serial_ports.CHECKS,
    *pins.CHECKS,
    *network.CHECKS,
    *telling.CHECKS,
)
"""What comes first explains what comes later."""


def examine(system: System, checks: Sequence[Check] = CHECKS) -> Report:
    """Look at everything; a check that fails spoils no other."""
    findings: list[Finding] = []
    left_out = []
    for check in checks:
        found = list(_looked(check, system))
        findings += found
        if not found:
            left_out.append(check.name)
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Report(system.user.name, tuple(findings), tuple(left_out))


def _looked(check: Check, system: System) -> Iterator[Finding]:
    """What a check finds: something in any case, unless it is of no use at this table."""
    quiet = True
    try:
        if not check.applies(system):
            return
        for finding in check.look(system):
            quiet = False
            yield finding
    except Unseen as reason:
        yield Finding(check.name, "unseen", str(reason))
    except Exception as error:  # noqa: BLE001 - whatever one check meets, the others are made
        kind = type(error).__name__
        yield Finding(check.name, "unseen", f"This check failed ({kind}): please report it.")
    else:
        if quiet:
            yield Finding(check.name, "fine", check.about)
