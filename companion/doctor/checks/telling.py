"""Those who are told: whether the broker of MQTT and the receiver of the events are there."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from companion.check_talk import cause_and_fix
from companion.config import Config
from companion.doctor import remedies
from companion.doctor.api import Check, Finding, Unseen, warning
from companion.doctor.checks.storage import is_ours_to_see
from companion.doctor.here import unit_file
from companion.doctor.system import System
from companion.installing.files import USER

HOMES = ("/home", "/root", "/run/user")
"""What ProtectHome=yes hides (systemd.exec(5))."""


def _config(system: System) -> Config:
    """The settings; without any where they are of no use."""
    return system.settings.config or Config()


def _has_broker(system: System) -> bool:
    return _config(system).mqtt.host is not None


def _broker(system: System) -> Iterator[Finding]:
    settings = _config(system).mqtt
    closed = _closed(system, settings.password_file, settings.ca)
    if closed is not None:
        yield closed
        return
    answer = system.probes.broker(settings)
    if answer is None:
        return
    cause, fix = cause_and_fix(answer.sentence.removeprefix("MQTT: "))
    yield warning(
        "broker-refuses" if answer.refused else "broker-away",
        f"The broker of MQTT is not told how the table stands: {cause}.",
        f"{fix[0].upper()}{fix[1:]}{'' if fix.endswith('?') else '.'}",
        remedies.edit(system),
    )


def _has_webhook(system: System) -> bool:
    return _config(system).webhook.url is not None


def _webhook(system: System) -> Iterator[Finding]:
    settings = _config(system).webhook
    closed = _closed(system, settings.ca)
    if closed is not None:
        yield closed
        return
    why = system.probes.receiver(settings)
    if why is not None:
        # Without the address: who knows it may post there as well.
        yield warning(
            "webhook-away",
            f"The receiver of the webhook cannot be reached ({why}), so it is told no event.",
            "See that it is on, and that url of [webhook] leads to it.",
            remedies.edit(system),
        )


def _closed(system: System, *files: Path | None) -> Finding | None:
    """What to do about the first of these that this user may not read."""
    for file in files:
        if file is not None and _is_hidden(system, file):
            copy = system.data / file.name
            return warning(
                "telling-file",
                f"The service sees no folders of people, so it cannot read {file}, and those who "
                "are told are not reached.",
                f"Copy it into the data folder, and name {copy} in the settings.",
                shlex.join(
                    ["sudo", "install", "-o", USER, "-m", "600", *map(str, (file, copy))],
                ),
            )
        if file is None or system.probes.may(file, os.R_OK):
            continue
        if not is_ours_to_see(system):
            raise Unseen("What the service shows to those who are told is for its own user.")
        return warning(
            "telling-file",
            f"{system.user.name} may not read {file}, or it is not there, and without it those "
            "who are told are not reached.",
            "Give it to that user, or name another file in the settings.",
            remedies.give(system, file),
        )
    return None


def _is_hidden(system: System, file: Path) -> bool:
    """Whether the unit of the service hides the folders of people from it, and with them this."""
    unit = unit_file(system.root)
    if unit is None or not any(file.is_relative_to(folder) for folder in HOMES):
        return False
    return "ProtectHome=yes" in (system.text(system.name(unit)) or "").splitlines()


CHECKS = (
    Check(
        "broker",
        "the broker of MQTT takes the table",
        ("telling-file", "broker-refuses", "broker-away"),
        _broker,
        _has_broker,
    ),
    Check(
        "webhook", "the receiver of the webhook is there", ("webhook-away",), _webhook, _has_webhook
    ),
)
