"""What of a table must not leave the house: read from its record, its household, its settings."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from companion.data_folder import JOURNAL
from companion.doctor.system import System
from companion.household import HOUSEHOLD, NewerHousehold, NotRemembered, remembered
from companion.masking import Mask
from companion.record.reading import Unreadable, reading_without_a_trace
from companion.settings.secret import secrets_of
from web_ui.access import TableLink

_HOOK = re.compile(r"(\bWebhook: )(?!\d+ events |this |the ca )\S+")
"""Where events went, also before the settings named another address or broke."""


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
    """Also leaves out what the program said of settings that may not be known any more."""

    def text(self, text: str) -> str:
        """The text without what was named, and without where events went."""
        return super().text(_HOOK.sub(r"\1…", text))


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
    except (OSError, sqlite3.Error):
        whole = False
    try:
        names |= _names_of_household(data / HOUSEHOLD)
    except (OSError, NewerHousehold, NotRemembered):
        whole = False
    return Known(frozenset(names), frozenset(uids), frozenset(secrets), token, whole)


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
    told = remembered(path)
    seated = {device.player for device in told.devices.values()}
    return {*told.names, *told.shapes, *told.hidden, *seated}
