"""Steps that make the table a Wi-Fi network of its own, by a file of NetworkManager.

The file is taken at the next start of the computer, and not at once: whoever installs may have
come by the very Wi-Fi that the radio leaves for it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import NAMESPACE_DNS, uuid5

from companion.data_folder import SETTINGS
from companion.installing.choices import Choices
from companion.installing.packages import Packages
from companion.installing.settings import change, said
from companion.installing.step import Step
from companion.installing.system import InstallError, System
from companion.installing.system_files import Written
from companion.network.settings import Wifi
from companion.settings.sections import toml_of

CONNECTION = Path("/etc/NetworkManager/system-connections/tidetable.nmconnection")
REGULATIONS = Path("/etc/modprobe.d/tidetable-wifi.conf")
ADDRESS = "10.42.0.1"
"""Where the table is in its own Wi-Fi."""

LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
"""Without those that look alike."""

WITHOUT = {
    "network-manager": "the table has no Wi-Fi of its own",
    "dnsmasq-base": "phones get no address in the table's Wi-Fi",
    "nftables": "phones get no way on in the table's Wi-Fi",
    "wireless-regdb": "the radio knows no country's rules",
}


def made_password() -> str:
    """Three groups of four signs, which can be read out."""
    return "-".join("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(3))


def connection(name: str, password: str) -> str:
    """The file of NetworkManager (nm-settings-keyfile)."""
    return "\n".join(
        [
            "# Written by ./run install --access-point, and written anew by the next one.",
            "[connection]",
            "id=tidetable",
            f"uuid={uuid5(NAMESPACE_DNS, 'tidetable.local')}",
            "type=wifi",
            "autoconnect=true",
            "# Before any Wi-Fi that this computer could join.",
            "autoconnect-priority=100",
            "",
            "[wifi]",
            "mode=ap",
            "band=bg",
            f"ssid={_spelled(name)}",
            "",
            "[wifi-security]",
            "key-mgmt=wpa-psk",
            "proto=rsn;",
            "pairwise=ccmp;",
            "group=ccmp;",
            "# Frames of management go unprotected: radios of the Raspberry Pi know it no other way.",
            "pmf=1",
            f"psk={_escaped(password)}",
            "",
            "[ipv4]",
            "# It hands out addresses, and leads on to a cable where one is plugged in.",
            "method=shared",
            f"address1={ADDRESS}/24",
            "",
            "[ipv6]",
            "method=disabled",
            "",
        ]
    )


def _spelled(name: str) -> str:
    """The name as NetworkManager's key files have it: a plain one, or byte by byte."""
    if re.fullmatch("[A-Za-z][A-Za-z0-9 _-]*", name):
        return name
    return "".join(f"{byte};" for byte in name.encode())


def _escaped(text: str) -> str:
    """A text as GLib's key files have it."""
    text = text.replace("\\", "\\\\")
    return f"\\s{text[1:]}" if text.startswith(" ") else text


def password_in(text: str) -> str | None:
    """The password of such a file."""
    found = re.search(r"^psk=(.+)$", text, re.MULTILINE)
    if found is None:
        return None
    return re.sub(r"\\(.)", lambda sign: " " if sign[1] == "s" else sign[1], found[1])


def regulations(country: str) -> str:
    """Tells the kernel's radios whose rules they keep."""
    return (
        "# Written by ./run install --access-point, and written anew by the next one.\n"
        f"options cfg80211 ieee80211_regdom={country}\n"
    )


def steps(choices: Choices, password: str | None = None) -> Sequence[Step]:
    """What the table's own Wi-Fi needs, wanted or not."""
    wanted = choices.access_point
    return (
        Packages(tuple(WITHOUT), WITHOUT, wanted=wanted),
        Written(
            REGULATIONS,
            regulations(choices.wifi_country),
            f"so that the radio keeps the rules of {choices.wifi_country}",
            wanted=wanted and bool(choices.wifi_country),
        ),
        AccessPoint(choices.data, choices.wifi_name, choices.wifi_country, password, wanted),
    )


@dataclass(frozen=True)
class AccessPoint(Step):
    """The Wi-Fi, and its name and password in `table.toml`, for the QR code on the TV page.

    Attributes:
        data: the folder of `table.toml`.
        name: of the Wi-Fi.
        country: whose rules the radio keeps; empty if nobody said.
        password: what opens it; None to keep it, or to have one made.
        wanted: whether there is to be one.
    """

    data: Path
    name: str
    country: str = ""
    password: str | None = field(default=None, repr=False)
    wanted: bool = True

    def __post_init__(self) -> None:
        try:
            Wifi(self.name, self.password or "")
        except ValueError as fault:
            raise InstallError(f"The Wi-Fi of the table cannot be so: {fault}") from None

    def doing(self) -> str:
        """What it will do."""
        return (
            f"make the table a Wi-Fi of its own called {self.name}, from the next start of the "
            f"computer on: {CONNECTION}, and the section wifi of {self.data / SETTINGS}"
        )

    def undoing(self) -> str:
        """What undoing it will do."""
        return f"remove {CONNECTION}, and the section wifi of {self.data / SETTINGS}"

    def is_done(self, system: System) -> bool:
        """Whether file and settings say so; who may not see them, in a dry run, takes it for so."""
        if system.hides(CONNECTION):
            return self.password is None
        text = system.read(CONNECTION)
        known = password_in(text)
        if known is None or self.password not in (None, known):
            return False
        private = system.at(CONNECTION).stat().st_mode & 0o777 == 0o600
        written = private and text == connection(self.name, known)
        return written and self._told(system) == (self.name, known)

    def is_undone(self, system: System) -> bool:
        """Whether NetworkManager has no such file; settings with a fault may say it still."""
        return not system.at(CONNECTION).exists()

    def do(self, system: System) -> None:
        """Write both."""
        password = self.password or password_in(system.read(CONNECTION)) or made_password()
        told = (f"wifi.ssid={toml_of(self.name)}", "wifi.password=-")
        change(system, self.data, "set", *told, given=f"{password}\n")
        system.write(CONNECTION, connection(self.name, password), 0o600)
        self._reload(system)
        if self.country:
            system.run("iw", "reg", "set", self.country)
        else:
            system.say(
                "note: a Raspberry Pi keeps its Wi-Fi off until it knows the country: say it by "
                "--wifi-country, such as --wifi-country NO"
            )
        if system.runs_systemd:
            system.run("rfkill", "unblock", "wlan")
        system.say(
            f"note: the Wi-Fi {self.name} comes at the next start of the computer, or now by: sudo "
            f"nmcli connection up tidetable; in it the table is at {ADDRESS}, and the computer "
            "leaves the Wi-Fi that it is in. The TV page shows how to join."
        )

    def undo(self, system: System) -> None:
        """Remove both."""
        try:
            change(system, self.data, "unset", "wifi")
        except InstallError as fault:
            # A file with a fault keeps nobody from uninstalling.
            system.say(f"note: the TV page goes on to show the Wi-Fi, since {fault}")
        system.remove(CONNECTION)
        self._reload(system)

    def _reload(self, system: System) -> None:
        if system.runs_systemd:
            system.run("nmcli", "connection", "reload")

    def _told(self, system: System) -> tuple[object, object]:
        found = said(system, self.data).get("wifi")
        return (found.get("ssid"), found.get("password")) if isinstance(found, dict) else (0, 0)
