"""Steps that let a display at this computer show the table.

Without a desktop a unit has the display to itself: cage, a compositor for one program, with the
browser in it, as a user of its own. With a desktop the browser is one of its programs, started
when somebody logs in, which Raspberry Pi OS does by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from companion.installing.choices import Choices
from companion.installing.files import COMPANION, UNIT_NAME
from companion.installing.packages import Packages
from companion.installing.people import add_account, groups_there, is_gone, remove_account
from companion.installing.step import Step
from companion.installing.system import InstallError, System
from companion.installing.system_files import RELOAD, Linked, Written

KIOSK = "tidetable-kiosk"
"""The user and the unit."""

KIOSK_UNIT = Path(f"/etc/systemd/system/{KIOSK}.service")
KIOSK_ENABLED = KIOSK_UNIT.parent / "multi-user.target.wants" / KIOSK_UNIT.name
PAM = Path("/etc/pam.d") / KIOSK
AUTOSTART = Path("/etc/xdg/autostart") / f"{KIOSK}.desktop"
DESKTOP = Path("/etc/systemd/system/display-manager.service")

GROUPS = ("audio", "input", "render", "video")
"""Who may use the display, its sound, and what is touched, where logind does not hand it out."""

WITHOUT_BROWSER = "the display cannot show the table"
PROGRAMS = {
    "chromium": WITHOUT_BROWSER,
    "fonts-dejavu-core": "letters may be missing on the display",
    "fonts-noto-color-emoji": "pictures among letters may be missing on the display",
}
ALONE = {
    "cage": WITHOUT_BROWSER,
    "xwayland": WITHOUT_BROWSER,  # Debian's cage does not start without it
    "libpam-systemd": WITHOUT_BROWSER,
}
"""What is needed besides where there is no desktop."""


def unit() -> str:
    """The unit of the display."""
    return "\n".join(
        [
            "# Written by ./run install --kiosk, and written anew by the next installation.",
            "[Unit]",
            "Description=The display of Tidetable",
            f"After={UNIT_NAME} systemd-user-sessions.service plymouth-quit-wait.service",
            "Wants=dbus.socket systemd-logind.service",
            "After=dbus.socket systemd-logind.service",
            "# It takes the first console from the prompt to log in; Ctrl+Alt+F2 is another.",
            "Conflicts=getty@tty1.service",
            "After=getty@tty1.service",
            "ConditionPathExists=/dev/tty0",
            "StartLimitIntervalSec=0",
            "",
            "[Service]",
            f"ExecStart={COMPANION} kiosk --alone",
            f"User={KIOSK}",
            f"PAMName={KIOSK}",
            "TTYPath=/dev/tty1",
            "TTYReset=yes",
            "TTYVHangup=yes",
            "TTYVTDisallocate=yes",
            "StandardInput=tty-fail",
            "StandardOutput=journal",
            "StandardError=journal",
            "UtmpIdentifier=tty1",
            "UtmpMode=user",
            "Restart=always",
            "RestartSec=5s",
            "TimeoutStopSec=20s",
            "# The browser's profile lies in memory, and is a new one at each start.",
            f"RuntimeDirectory={KIOSK}",
            "RuntimeDirectoryMode=0700",
            "Environment=PYTHONUNBUFFERED=1",
            "ProtectSystem=strict",
            "ProtectHome=yes",
            "PrivateTmp=yes",
            "# It shows this computer's own pages, and nothing of the internet.",
            "IPAddressDeny=any",
            "IPAddressAllow=localhost",
            "",
            "[Install]",
            "WantedBy=multi-user.target",
            "",
        ]
    )


def pam() -> str:
    """What makes the unit a session, so that logind hands it the display; with its language."""
    return (
        "# Written by ./run install --kiosk: the session of the table's display.\n"
        "auth     required  pam_unix.so nullok\n"
        "account  required  pam_unix.so\n"
        "session  required  pam_unix.so\n"
        "session  optional  pam_env.so envfile=/etc/default/locale\n"
        "session  required  pam_systemd.so type=wayland class=user\n"
    )


def autostart() -> str:
    """The entry of a desktop."""
    return (
        "[Desktop Entry]\n"
        "Type=Application\n"
        "Name=Tidetable\n"
        "Comment=The table on this display\n"
        f"Exec={COMPANION} kiosk\n"
        "Terminal=false\n"
        "NoDisplay=true\n"
    )


def has_desktop(system: System) -> bool:
    """Whether somebody logs in at a desktop of this computer."""
    place = system.at(DESKTOP)
    return place.is_symlink() or place.exists()


def steps(system: System, choices: Choices) -> Sequence[Step]:
    """What the display needs, wanted or not."""
    alone = not has_desktop(system)
    only = choices.kiosk and alone
    text = unit()
    programs = {**PROGRAMS, **ALONE} if alone else PROGRAMS
    return (
        Packages(tuple(programs), programs, wanted=choices.kiosk),
        KioskUser(wanted=only),
        Written(PAM, pam(), "the session of the display", wanted=only),
        Written(KIOSK_UNIT, text, "the display", told=(RELOAD,), wanted=only),
        Linked(KIOSK_ENABLED, KIOSK_UNIT, "so that the display shows the table", wanted=only),
        Shown(text, wanted=only),
        Written(
            AUTOSTART,
            autostart(),
            "so that the desktop shows the table once somebody logs in",
            wanted=choices.kiosk and not alone,
        ),
    )


@dataclass(frozen=True)
class KioskUser(Step):
    """The user of the display, whom nobody can log in as.

    Attributes:
        wanted: whether there is to be one.
    """

    wanted: bool = True

    def doing(self) -> str:
        """What it will do."""
        return f"add the user {KIOSK}, who may use the display and nothing else"

    def undoing(self) -> str:
        """What undoing it will do."""
        return f"remove the user {KIOSK}"

    def is_done(self, system: System) -> bool:
        """Whether there is one, in all the groups that the computer has."""
        there = groups_there(system, GROUPS).values()
        return system.user(KIOSK) is not None and all(KIOSK in members for members in there)

    def is_undone(self, system: System) -> bool:
        """Whether there is none."""
        return is_gone(system, KIOSK)

    def do(self, system: System) -> None:
        """Add them."""
        add_account(system, KIOSK, f"/run/{KIOSK}", "The display of Tidetable")
        if names := groups_there(system, GROUPS):
            system.must("usermod", "--append", "--groups", ",".join(names), KIOSK)

    def undo(self, system: System) -> None:
        """Remove them."""
        remove_account(system, KIOSK)


@dataclass(frozen=True)
class Shown(Step):
    """The display, running with this unit.

    Attributes:
        unit: the text of its unit.
        wanted: whether it is to run.
    """

    unit: str
    wanted: bool = True

    def doing(self) -> str:
        """What it will do."""
        return "show the table on the display"

    def undoing(self) -> str:
        """What undoing it will do."""
        return "give the display back"

    def is_done(self, system: System) -> bool:
        """Whether it runs so; without systemd nobody can start it."""
        if not system.runs_systemd:
            return True
        return system.is_active(KIOSK_UNIT.name) and system.ledger().get("shown") == self._key()

    def is_undone(self, system: System) -> bool:
        """Whether it does not run."""
        return not system.runs_systemd or not system.is_active(KIOSK_UNIT.name)

    def do(self, system: System) -> None:
        """Start it anew."""
        if system.run("systemctl", "restart", KIOSK_UNIT.name).status:
            raise InstallError(
                "The display does not start; this says why: "
                f"sudo journalctl --unit {KIOSK_UNIT.name} --lines 30 --no-pager"
            )
        system.write_down(shown=self._key())

    def undo(self, system: System) -> None:
        """Stop it; the prompt to log in comes back."""
        system.must("systemctl", "stop", KIOSK_UNIT.name)
        system.run("systemctl", "start", "getty@tty1.service")

    def _key(self) -> str:
        return sha256(self.unit.encode()).hexdigest()[:12]
