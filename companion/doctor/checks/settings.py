"""Whether the settings can be used."""

from __future__ import annotations

from collections.abc import Iterator

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


CHECKS = (Check("settings", "the settings", ("settings-bad", "settings-strangers"), _settings),)
