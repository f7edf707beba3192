"""Whether the settings can be used."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from companion.doctor import remedies
from companion.doctor.api import Check, Finding, Unseen, bad, warning
from companion.doctor.checks.storage import WITHOUT_RIGHTS, is_ours_to_see
from companion.doctor.here import unit_file
from companion.doctor.mounts import mount_of
from companion.doctor.system import System
from companion.drivers import registry
from companion.drivers.api import DriverError
from companion.installing.files import USER
from companion.settings.secret import is_open_to_all, secrets_of


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


def _files_with_secrets(system: System) -> Iterator[Path]:
    config, file = system.settings.config, system.settings.file
    if config is None:
        return
    if file is not None and any(secrets_of(config)):
        yield file
    if config.mqtt.password_file is not None:
        yield config.mqtt.password_file


def _has_secrets(system: System) -> bool:
    return any(_files_with_secrets(system))


def _secrets(system: System) -> Iterator[Finding]:
    installed = unit_file(system.root) is not None
    owner = USER if installed else system.user.name
    for file in _files_with_secrets(system):
        with suppress(OSError):  # what is not there, or closed to this user, is not open to all
            if not is_open_to_all(file, system.root):
                continue
            path = shlex.quote(str(file))
            mount = mount_of(system, file)
            if mount is not None and mount.kind in WITHOUT_RIGHTS:
                fix = (
                    f"{WITHOUT_RIGHTS[mount.kind]} knows no owners: keep the file on another disk, "
                    "or mount this one with the option umask=077."
                )
                command = f"findmnt --target {path}"
            else:
                fix = "Let its owner alone read it."
                # The service has to read it still.
                theirs = system.user.name == owner and file.stat().st_uid == system.user.uid
                sudo = "" if theirs and not installed else "sudo "
                command = f"{sudo}chmod 600 {path}"
                if not theirs:
                    command = f"sudo chown {owner}: {path} && {command}"
            yield warning(
                "secrets-open",
                f"Everybody who has an account on this computer may read {file}, which holds "
                "passwords.",
                fix,
                command,
            )


CHECKS = (
    Check("settings", "the settings", ("settings-bad", "settings-strangers"), _settings),
    Check(
        "secrets",
        "passwords in the settings are for their owner alone",
        ("secrets-open",),
        _secrets,
        _has_secrets,
    ),
)
