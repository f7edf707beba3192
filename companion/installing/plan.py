"""All steps of the installation, in their order."""

from __future__ import annotations

from companion.installing import access_point, display, files
from companion.installing.choices import Choices
from companion.installing.packages import needed
from companion.installing.people import DataFolder, Groups, User
from companion.installing.program import Program, Tidied
from companion.installing.running import Chosen, Started
from companion.installing.settings import Served, usual_port
from companion.installing.step import Plan
from companion.installing.system import System
from companion.installing.system_files import RELOAD, Linked, Unloaded, Written

UDEV = (
    ("udevadm", "control", "--reload"),
    ("udevadm", "trigger", "--action=change", "--subsystem-match=tty", "--subsystem-match=usb"),
)
ENABLED = files.UNIT.parent / "multi-user.target.wants" / files.UNIT_NAME


def plan_of(
    system: System,
    choices: Choices,
    program: Program,
    password: str | None = None,
    port: int | None = None,
) -> Plan:
    """The steps for these choices.

    Args:
        system: the computer, which is only looked at.
        choices: what is wanted.
        program: the release to install.
        password: of the table's own Wi-Fi; None to keep it, or to have one made.
        port: of the pages; None for the one that `table.toml` says, or else a usual one.
    """
    unit = files.unit(choices)
    served = Served(choices.data, port, usual_port(system))
    return Plan(
        (
            Chosen(choices),
            needed(system),
            User(choices.data),
            Groups(),
            DataFolder(choices.data),
            program,
            served,
            Written(files.MODPROBE, files.modprobe(), "so that the kernel leaves readers alone"),
            Unloaded(),
            Written(files.UDEV, files.udev_rules(), "the names of readers and boards", told=UDEV),
            Written(files.POLKIT, files.polkit_rule(), "so that the service may use readers"),
            Written(
                files.COMMAND,
                files.command(choices.data),
                "the command companion",
                mode=0o755,
                yields=True,
            ),
            Written(files.UNIT, unit, "the service", told=(RELOAD,)),
            Linked(ENABLED, files.UNIT, "so that the service starts with the computer"),
            Started(unit, served),
            Tidied(),
            *display.steps(system, choices),
            *access_point.steps(choices, password),
        )
    )
