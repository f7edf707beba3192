"""The sections `[network]` and `[wifi]` of the settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from companion.said import say
from companion.settings.sections import SECRET

LONGEST_SSID_BYTES = 32
"""So long may the name of a Wi-Fi be (IEEE 802.11)."""

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
_PASSPHRASE = re.compile(r"[ -~]{8,63}|[0-9A-Fa-f]{64}")


@dataclass(frozen=True, slots=True)
class Network:
    """The section `[network]`.

    Attributes:
        mdns: announce the table in the home network by its name, so that `tidetable.local` opens.
        name: that name, without `.local`; where another table has it, this one takes `name-2`.

    Raises:
        ValueError: a name that no network can have.
    """

    mdns: bool = True
    name: str = "tidetable"

    def __post_init__(self) -> None:
        if not _LABEL.fullmatch(self.name):
            raise ValueError(
                say(
                    "name is made of small letters a to z, digits and hyphens between them, such "
                    "as tidetable, and not %(given)s.",
                    given=f"{self.name!r}",
                )
            )


@dataclass(frozen=True, slots=True)
class Wifi:
    """The section `[wifi]`: the access point that the table itself is, for the QR code on the TV.

    Attributes:
        ssid: the name of the Wi-Fi; empty where the table is no access point.
        password: what opens it; empty for an open one. It is shown nowhere but in that QR code.

    Raises:
        ValueError: a name or a password that no Wi-Fi can have.
    """

    ssid: str = ""
    password: str = field(default="", repr=False, metadata=SECRET)

    def __post_init__(self) -> None:
        if len(self.ssid.encode()) > LONGEST_SSID_BYTES or not self.ssid.isprintable():
            raise ValueError(
                say(
                    "ssid is the name of a Wi-Fi: at most %(most)s bytes in one line.",
                    most=LONGEST_SSID_BYTES,
                )
            )
        if self.password and not self.ssid:
            raise ValueError(say("password opens a Wi-Fi: name it by ssid, too."))
        if self.password and not _PASSPHRASE.fullmatch(self.password):
            raise ValueError(
                say("password has 8 to 63 plain letters, digits and signs, as WPA asks for.")
            )

    def joining(self) -> str:
        r"""What a phone reads from a QR code to join, such as `WIFI:T:WPA;S:Table;P:…;;`.

        Signs with a meaning of their own, `\ ; , : "`, get a backslash before them.
        """
        if not self.password:
            return f"WIFI:T:nopass;S:{_escaped(self.ssid)};;"
        return f"WIFI:T:WPA;S:{_escaped(self.ssid)};P:{_escaped(self.password)};;"


def _escaped(text: str) -> str:
    return re.sub(r'([\\;,:"])', r"\\\1", text)
