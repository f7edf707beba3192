"""Commands to type that depend on how the program came here."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from companion.data_folder import SETTINGS
from companion.doctor.here import unit_file
from companion.doctor.system import System
from companion.drivers import ports


def is_pi(system: System) -> bool:
    """Whether this is a Raspberry Pi with its own system, which has raspi-config."""
    return system.exists("/usr/bin/raspi-config")


def is_checkout(system: System) -> bool:
    """Whether the program is run from its sources."""
    folder = system.probes.checkout
    return system.exists(folder / "constraints.txt") and system.exists(folder / "run")


def companion(system: System, *words: str) -> str:
    """A command of the program itself."""
    if unit_file(system.root) is not None:
        return shlex.join(("sudo", "companion", *words))
    return run_script(system, *words) if is_checkout(system) else shlex.join(("companion", *words))


def run_script(system: System, *words: str) -> str:
    """The script `run` of a checkout, which also brings its environment on."""
    return shlex.join((str(system.probes.checkout / "run"), *words))


def with_data(system: System, *words: str) -> str:
    """The same of a command about this table's data, which an installation knows."""
    if unit_file(system.root) is not None:
        return companion(system, *words)
    return companion(system, *words, "--data", str(system.data))


def install(system: System, *words: str) -> str:
    """Put the program on this computer, or make an installation whole."""
    if is_checkout(system):
        return run_script(system, "install", *words)
    if system.exists("/var/lib/dpkg/info/tidetable.list") and not words:
        return "sudo apt install --reinstall ./tidetable_*.deb"
    return shlex.join(("./run", "install", *words))


def pip(system: System, *words: str) -> str:
    """Install packages of Python where this program finds them."""
    prefix = system.probes.prefix
    mine = system.probes.may(system.path(prefix), os.W_OK)
    return shlex.join((*(() if mine else ("sudo",)), f"{prefix}/bin/pip", "install", *words))


def list_ports(system: System) -> str:
    """Name the serial ports, by the Python that has pyserial."""
    return shlex.join((f"{system.probes.prefix}/bin/python3", *ports.LISTING))


def sees_packages_of_the_system(system: System) -> bool:
    """Whether what apt installs is there for this Python, too."""
    text = (system.text(system.probes.prefix / "pyvenv.cfg") or "").replace(" ", "").lower()
    return not text or "include-system-site-packages=true" in text


def change(system: System, *words: str) -> str:
    """Write into the settings, and start the service anew where that is systemd's."""
    file = system.settings.file
    where: tuple[str, ...] = ()
    if file is not None and file != system.data / SETTINGS:
        where = ("--config", str(file))
    elif unit_file(system.root) is None:
        where = ("--data", str(system.data))
    written = companion(system, "config", "set", *where, *words)
    return f"{written} && {restart(system)}" if unit_file(system.root) is not None else written


def restart(system: System, pid: int | None = None) -> str:
    """Start the service anew.

    Args:
        system: the system.
        pid: of the process that has to end before; None where none runs.
    """
    if unit_file(system.root) is not None:
        return "sudo systemctl restart tidetable"
    start = run_script(system) if is_checkout(system) else "companion run"
    return start if pid is None else f"kill {pid}; {start}"


def give(system: System, path: Path) -> str:
    """Give a file, or a folder with all that is in it, to the user whose rights are tried."""
    whole = ("-R",) if path == system.data else ()
    return shlex.join(("sudo", "chown", *whole, f"{system.user.name}:", str(path)))


def sudo(system: System) -> str:
    """What comes before a command on a file of an installed service; nothing for one's own."""
    return "sudo " if unit_file(system.root) is not None else ""


def edit(system: System) -> str:
    """Open the settings in an editor."""
    file = system.settings.file or system.data / SETTINGS
    return f"{sudo(system)}{shlex.join(('nano', str(file)))}"
