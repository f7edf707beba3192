"""Whose rights are tried: those of the service, where root asks and it is installed."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

from companion.doctor import here, remedies, telling
from companion.doctor.api import SEVERITIES, Finding, Report
from companion.doctor.examination import CHECKS, examine
from companion.doctor.system import System

LIMIT_S = 120.0


def asked(system: System) -> Report:
    """Examine it as whoever runs the service, as far as that can be.

    As root, the service's user is asked where there is one; what he may not see root looks at
    himself. Anybody else answers for himself, and says so where the service has another user.
    """
    account = here.service_user()
    if account is None or system.user.name == account.pw_name:
        return examine(system)
    if not system.user.is_root:
        return _untried(
            system,
            f"The service runs as {account.pw_name}, and what that user may do was not tried: "
            "type sudo companion doctor.",
        )
    told = _as_service(system, account)
    if told is None:
        return _untried(
            system,
            f"The program cannot be run as {account.pw_name} from here, so the rights of root were "
            "tried.",
        )
    hidden = {finding.code for finding in told.of("unseen")}
    seen = [finding for finding in told.findings if finding.severity != "unseen"]
    again = examine(system, [check for check in CHECKS if check.name in hidden])
    better = {finding.code for finding in again.findings}
    kept = [finding for finding in seen if finding.code not in better]
    return Report(told.user, _sorted([*kept, *again.findings]), told.left_out)


def _untried(system: System, why: str) -> Report:
    """What we may see ourselves, and why that is not what the service's user may."""
    report = examine(system)
    note = Finding("service-user", "unseen", why)
    return replace(report, findings=_sorted([note, *report.findings]))


def _sorted(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """By severity, and within it in the order of the checks."""
    codes = [name for check in CHECKS for name in (check.name, *check.codes)]
    place = {code: number for number, code in reversed(list(enumerate(codes)))}
    return tuple(
        sorted(
            findings,
            key=lambda finding: (
                SEVERITIES.index(finding.severity),
                place.get(finding.code, -1),
            ),
        )
    )


def _as_service(system: System, account: pwd.struct_passwd) -> Report | None:
    words = [*_program(), "doctor", "--json", "--data", str(system.data)]
    if system.settings.file is not None:
        words += ["--config", str(system.settings.file)]
    words += [word for name in system.readers() for word in ("--reader", name)]
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            here.as_user_command(account, words),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=LIMIT_S,
            check=False,
            cwd="/",
            env=here.environment_of(account, os.environ) | _way_to(system),
        )
        return telling.from_json(done.stdout.decode())
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _way_to(system: System) -> dict[str, str]:
    """Where Python finds this program, when it is run from its sources."""
    if not remedies.is_checkout(system):
        return {}
    return {"PYTHONPATH": str(system.probes.checkout), "PYTHONDONTWRITEBYTECODE": "1"}


def _program() -> Sequence[str]:
    """This program, as a command."""
    return (sys.executable, "-m", "companion.cli")
