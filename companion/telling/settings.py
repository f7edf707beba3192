"""What a household says of those who are told."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from companion.said import say
from companion.settings.sections import SECRET

PORT = 1883
TLS_PORT = 8883

_LONGEST_TOPIC = 100


@dataclass(frozen=True, slots=True)
class Mqtt:
    """The section `[mqtt]`: the broker that is told. All of it takes effect without a restart.

    Attributes:
        host: name or address of the broker; without one nothing is told by MQTT.
        port: of the broker; without one it is 1883, and 8883 with TLS.
        username: with which the table signs in, where the broker asks for it.
        password: that goes with the user name.
        password_file: a file with the password, in place of `password`.
        tls: speak TLS, and believe only a certificate that is right for `host`.
        ca: a file with the certificate of the authority that signed the broker's, where it is
            one of your own.
        prefix: how the topics begin.
        names: tell the names of the players; without, they are Player 1, Player 2 and so on.
        discovery: tell Home Assistant what there is, so that it shows by itself.
        discovery_prefix: how the topics begin by which Home Assistant finds devices.

    Raises:
        ValueError: a value that cannot be used.
    """

    host: str | None = None
    port: int | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False, metadata=SECRET)
    password_file: Path | None = None
    tls: bool = False
    ca: Path | None = None
    prefix: str = "tidetable"
    names: bool = True
    discovery: bool = True
    discovery_prefix: str = "homeassistant"

    def __post_init__(self) -> None:
        if self.host is not None and not re.fullmatch(r"[^\s/@]+", self.host):
            raise ValueError(say("host is a name or an address alone, such as 192.168.1.5."))
        if self.port is not None and not 1 <= self.port <= 65535:
            raise ValueError(
                say("port is a number from 1 to 65535, and not %(given)s.", given=self.port)
            )
        if self.password and self.password_file is not None:
            raise ValueError(
                say("password and password_file are both there: leave one of them out.")
            )
        if (self.password or self.password_file) and not self.username:
            raise ValueError(say("username is missing, and MQTT knows no password without one."))
        if self.ca is not None and not self.tls:
            raise ValueError(say("ca is of use with tls = true alone."))
        for key, prefix in (("prefix", self.prefix), ("discovery_prefix", self.discovery_prefix)):
            if len(prefix) > _LONGEST_TOPIC or not re.fullmatch(r"[\w-]+(/[\w-]+)*", prefix):
                raise ValueError(
                    say(
                        "%(key)s is made of letters, digits, - and _, with / in between, such as "
                        "home/tidetable.",
                        key=key,
                    )
                )

    @property
    def port_in_use(self) -> int:
        """The port that was chosen, or the usual one."""
        return self.port or (TLS_PORT if self.tls else PORT)


@dataclass(frozen=True, slots=True)
class Webhook:
    """The section `[webhook]`: a program that is told. All of it takes effect without a restart.

    Attributes:
        url: where the events are posted, by http or https; without one nothing is posted. Who
            knows it may post there as well, so it is shown to nobody.
        secret: with which each post is signed; without one it is not signed.
        ca: a file with the certificate of the authority that signed the receiver's, where it is
            one of your own.
        names: tell the names of the players; without, they are Player 1, Player 2 and so on.

    Raises:
        ValueError: a value that cannot be used.
    """

    url: str | None = field(default=None, repr=False, metadata=SECRET)
    secret: str | None = field(default=None, repr=False, metadata=SECRET)
    ca: Path | None = None
    names: bool = True

    def __post_init__(self) -> None:
        if self.url is None:
            return
        try:
            parts = urlsplit(self.url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable or not re.fullmatch("[!-~]+", self.url):
            raise ValueError(say("url is an address such as https://example.org/hook."))
        if self.ca is not None and parts.scheme != "https":
            raise ValueError(say("ca is of use with a url that begins with https alone."))
        if parts.username is not None:
            raise ValueError(say("url has a name before its host: sign by secret instead."))
