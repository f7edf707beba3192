"""Whether the settings can be used."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from companion.doctor import remedies
from companion.doctor.api import Check, Finding, Unseen, bad, warning
from companion.doctor.checks.storage import is_ours_to_see
from companion.doctor.system import System
from companion.drivers import registry
from companion.drivers.api import DriverError


def _settings(system: System) -> Iterator[Finding]:
    found = system.settings
    if found.file is None and not is_ours_to_see(system):
        raise Unseen("The settings are for the service's own user.")
    if found.closed:
        raise Unseen(f"The settings are in a folder that is closed to {system.user.name}.")
    if found.file is not None and _is_closed(system, found.file):
        yield bad(
            "settings-bad",
            f"{system.user.name} may not read {found.file}: it belongs to another user.",
            "Give it to that user; without that the service does not start.",
            remedies.give(system, system.data if found.file.parent == system.data else found.file),
        )
        return
    for sentence in found.troubles:
        yield bad(
            "settings-bad",
            sentence,
            "Set right what it names; without that the service does not start.",
            remedies.edit(system),
        )
    for name in system.readers():
        try:
            registry.make(name)
        except DriverError as error:
            yield bad(
                "settings-bad",
                str(error),
                "Set right how that reader is named.",
                remedies.edit(system),
            )
    for sentence in found.config.strangers() if found.config is not None else ():
        yield warning(
            "settings-strangers",
            sentence,
            "Set the name right, or take it out.",
            remedies.edit(system),
        )


def _is_closed(system: System, file: Path) -> bool:
    """Whether there is such a file, and this user may not read it."""
    try:
        there = file.exists()
    except PermissionError:
        return True
    return there and not system.probes.may(file, os.R_OK)


CHECKS = (Check("settings", "the settings", ("settings-bad", "settings-strangers"), _settings),)
