"""What whoever installs may choose. A later installation goes on with what was chosen before."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from companion.installing.system import InstallError, System
from companion.network.settings import Wifi

DATA = Path("/var/lib/tidetable")
"""The data folder when nobody says otherwise."""

HIDDEN = ("/home", "/root", "/run", "/tmp", "/var/tmp", "/dev", "/proc", "/sys")  # noqa: S108
"""Where the service cannot look, or where nothing lasts."""

TAKEN = ("/bin", "/boot", "/etc", "/lib", "/opt", "/sbin", "/usr", "/var/cache", "/var/log")
"""Where the system's own files are."""

SHARED = ("/", "/media", "/mnt", "/srv", "/var", "/var/lib")
"""What holds folders of many."""


@dataclass(frozen=True, slots=True)
class Choices:
    """How a computer is installed.

    Attributes:
        data: the data folder.
        kiosk: whether a display at this computer shows the table.
        access_point: whether the table is a Wi-Fi network of its own.
        wifi_name: what that network is called.
        wifi_country: whose rules the radio keeps, such as NO; empty to leave it as it is.

    Raises:
        InstallError: something that cannot be.
    """

    data: Path = DATA
    kiosk: bool = False
    access_point: bool = False
    wifi_name: str = "Tidetable"
    wifi_country: str = ""

    def __post_init__(self) -> None:
        _refuse_wifi(self.wifi_name, self.wifi_country)
        text = str(self.data)
        if not self.data.is_absolute() or text.startswith("//") or ".." in self.data.parts:
            raise InstallError(
                f"Name the data folder from the root on, such as {DATA}, and not {text}."
            )
        if any(sign in text for sign in "%$\"'\\;:") or not text.isprintable() or " " in text:
            raise InstallError(
                f"The data folder {text!r} has a sign in its name that a unit of systemd cannot "
                "take: choose one of plain letters, digits, dots, dashes and slashes."
            )
        refuse_hidden(self.data)
        if text in SHARED or _below(self.data, TAKEN):
            raise InstallError(
                f"{text} belongs to the system: choose a folder of its own for the data, such as "
                f"{DATA} or /srv/tidetable."
            )


def _refuse_wifi(name: str, country: str) -> None:
    try:
        Wifi(ssid=name)
    except ValueError as fault:
        raise InstallError(f"The Wi-Fi cannot be called {name!r}: {fault}") from None
    if not name or name != name.strip():
        raise InstallError("The Wi-Fi has a name, without spaces around it.")
    if country and not re.fullmatch("[A-Z]{2}", country):
        raise InstallError(
            f"The country of the Wi-Fi is two capital letters, such as NO or PL, and not {country}."
        )


def refuse_hidden(data: Path) -> None:
    """Refuse a data folder that the service cannot see.

    Raises:
        InstallError: it cannot see this one.
    """
    if _below(data, HIDDEN):
        raise InstallError(
            f"The service cannot keep data in {data}: home folders are closed to it, and what "
            f"lies in /run or /tmp does not last. Choose another, such as {DATA} or "
            "/srv/tidetable."
        )


def _below(path: Path, folders: tuple[str, ...]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def chosen_before(system: System) -> Choices | None:
    """What the last installation chose; None where there was none."""
    found = system.ledger().get("choices")
    if not isinstance(found, dict):
        return None
    known = {entry.name for entry in fields(Choices)}
    values = {key: value for key, value in found.items() if key in known}
    return Choices(**{**values, "data": Path(str(values.get("data", DATA)))})


def choose(system: System, wishes: Mapping[str, object]) -> Choices:
    """What was wished for, else what was chosen before, else what is usual.

    Args:
        system: the computer.
        wishes: attributes of `Choices`; None for none.

    Raises:
        InstallError: something that cannot be.
    """
    wished: dict[str, Any] = {key: wish for key, wish in wishes.items() if wish is not None}
    return replace(chosen_before(system) or Choices(), **wished)


def write_down(system: System, choices: Choices) -> None:
    """Keep the choices for the next installation, and where data were before."""
    before = chosen_before(system)
    if before is not None and before.data != choices.data:
        system.note("data", str(before.data))
    system.write_down(choices={**asdict(choices), "data": str(choices.data)})


def data_folders(system: System, data: Path) -> Sequence[Path]:
    """The data folder, and those that were it before."""
    return tuple(dict.fromkeys((data, *map(Path, system.noted("data")))))
