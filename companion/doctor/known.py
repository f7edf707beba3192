"""What of a table must not leave the house: read from its record, its household, its settings."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from companion.data_folder import JOURNAL
from companion.doctor.system import System
from companion.household import HOUSEHOLD, NewerHousehold, NotRemembered, remembered
from companion.installing.files import USER
from companion.masking import Mask
from companion.record.reading import Unreadable, reading_without_a_trace
from companion.settings.secret import secrets_of
from web_ui.access import TableLink

_HOOK = re.compile(r"(\bWebhook: )(?!\d+ events |this |the ca )\S+")
"""Where events went, also before the settings named another address or broke."""
_CERTIFICATE = re.compile(r"(certificate is not valid for )'[^']*'")
_V4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)")
_V6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,8}(?![\w:])")
USUAL = frozenset(
    {"", "(none)", "admin", "debian", "localhost", "nobody", "pi", "raspberrypi", "root", "user"}
    | {USER}
)
"""Names of computers and accounts that tell nobody from others."""


@dataclass(frozen=True, slots=True)
class Known:
    """What must not be in the file.

    Attributes:
        names: of players, of all games and of the household.
        uids: of tags, enrolled or read.
        secrets: tokens, codes and passwords.
        token: opens the service; None where it is not known.
        whole: all of it was read; else nothing may be told that only this knowledge makes safe.
    """

    names: frozenset[str] = frozenset()
    uids: frozenset[str] = frozenset()
    secrets: frozenset[str] = frozenset()
    token: str | None = None
    whole: bool = True

    def mask(self) -> Mask:
        """What leaves it out."""
        return _Mask(self.names, self.uids, self.secrets)


class _Mask(Mask):
    """Also leaves out addresses, and what was said of settings that may not be known any more."""

    def text(self, text: str) -> str:
        """The text without what was named, where events went, and where this house is."""
        text = _CERTIFICATE.sub(r"\1…", _HOOK.sub(r"\1…", text))
        text = _V4.sub(_unless_of_a_home, text)
        return super().text(_V6.sub(_unless_of_a_home, text))


def _unless_of_a_home(found: re.Match[str]) -> str:
    return found[0] if _tells_nobody(found[0]) else "…"


def _tells_nobody(text: str) -> bool:
    """Whether a name or an address is one that every other home has, too, or no address at all.

    One of IPv6 may be the only one in the world, also where it is for a home alone.
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text.casefold() in USUAL or not text.strip(":.0123456789")
    if address.version == 6:
        return address.is_loopback or address.is_unspecified
    return not address.is_global


def known_of(system: System) -> Known:
    """All names, UIDs and secrets of this table."""
    names: set[str] = set()
    uids: set[str] = set()
    config = system.settings.config
    secrets = set() if config is None else set(secrets_of(config))
    if config is not None:
        names |= {*config.players, *filter(None, (config.starter,))}
        personal = (config.wifi.ssid, config.mqtt.username)
        secrets |= {text for text in personal if text}
    secrets |= {text for text in _of_this_computer(system) if not _tells_nobody(text)}
    data = system.data
    token, whole = None if config is None else config.token, True
    try:
        with reading_without_a_trace(data / JOURNAL) as connection:
            about = dict(connection.execute("SELECT name, value FROM about"))
            token = token or about.get("token")
            secrets |= {text for text in (token, about.get("token")) if text}
            for key in filter(None, {token, about.get("token")}):
                secrets |= set(_derived(key, connection))
            names |= _names_in(connection)
            uids |= _uids_in(connection)
    except Unreadable:
        whole = not (data / JOURNAL).exists() and _may_look(data)
    except (OSError, sqlite3.Error, ValueError, TypeError):  # the latter of a damaged record
        whole = False
    try:
        names |= _names_of_household(data / HOUSEHOLD)
    except (OSError, NewerHousehold, NotRemembered):
        whole = False
    return Known(frozenset(names), frozenset(uids), frozenset(secrets), token, whole)


def _of_this_computer(system: System) -> Iterator[str]:
    """How it and its neighbours in the network are called, and who is asking."""
    yield system.word("/proc/sys/kernel/hostname")
    yield system.user.name
    yield system.environ.get("SUDO_USER", "")
    config = system.settings.config
    if config is not None:
        yield config.network.name
        yield config.mqtt.host or ""
        yield urlsplit(config.webhook.url or "").hostname or ""


def _may_look(folder: Path) -> bool:
    return not folder.exists() or os.access(folder, os.R_OK | os.X_OK)


def _derived(token: str, connection: sqlite3.Connection) -> Iterator[str]:
    """The codes that follow from a token at the tables of this record."""
    for (table,) in connection.execute("SELECT DISTINCT table_id FROM game").fetchall():
        link = TableLink(token, table)
        yield from (link.join_code, link.pin)


def _names_in(connection: sqlite3.Connection) -> set[str]:
    found: set[str] = set()
    for (players,) in connection.execute("SELECT players FROM game"):
        found |= {str(name) for name in json.loads(players)}
    # Who helps has a name as well, and may sit in no game.
    for (source,) in connection.execute("SELECT DISTINCT reader FROM entry WHERE source = 'page'"):
        found |= {source} if source else set()
    return found


def _uids_in(connection: sqlite3.Connection) -> set[str]:
    found = {uid for (uid,) in connection.execute("SELECT uid FROM tag")}
    found |= {
        uid for (uid,) in connection.execute("SELECT DISTINCT uid FROM entry WHERE uid IS NOT NULL")
    }
    for (body,) in connection.execute("SELECT DISTINCT body FROM note"):
        found |= set(re.findall(r'"((?:[0-9A-F]{2}){4}(?:(?:[0-9A-F]{2}){3}){0,2})"', body))
    return found


def _names_of_household(path: Path) -> set[str]:
    """The names in a household.

    Raises:
        OSError: this user may not see it.
        NotRemembered: it cannot be read without a trace.
        NewerHousehold: a newer version made it.
    """
    if path.with_name(f"{path.name}-journal").exists():
        raise NotRemembered("The household is being written now.")
    if path.exists() and not path.is_file():
        raise NotRemembered("The household is no file.")
    told = remembered(path)
    seated = {device.player for device in told.devices.values()}
    return {*told.names, *told.shapes, *told.hidden, *seated}
