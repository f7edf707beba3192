"""What a service is told: from the command line, from TOML, or both.

The command line wins over the file. Unknown keys and wrong types are refused.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from companion.errors import PlainError


class ConfigError(PlainError, ValueError):
    """The configuration cannot be used."""


def default_data_folder() -> Path:
    """Where the record is kept when nobody says otherwise (XDG base directories)."""
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "tidetable"


@dataclass(frozen=True, slots=True)
class Config:
    """How to run a table.

    Attributes:
        game: which game a new one is; None for five tentacles, or for the game that goes on.
        players: names in seating order; empty for those of the game that goes on, and Ann
            and Bo in a new one.
        starter: who begins; None for the first player.
        set: options of the game.
        data: the folder of the record.
        host: the address to serve on; 0.0.0.0 for the whole home network.
        port: 0 for any free one.
        readers: drivers by name, such as `pcsc:`; `sim:` is the simulated table.
        token: opens the table's link; None for one that is made once and kept.
        new: begin a new game, also when one goes on.

    Raises:
        ConfigError: a value that cannot be used.
    """

    game: str | None = None
    players: tuple[str, ...] = ()
    starter: str | None = None
    set: Mapping[str, object] = field(default_factory=dict)
    data: Path = field(default_factory=default_data_folder)
    host: str = "127.0.0.1"
    port: int = 8080
    readers: tuple[str, ...] = ("sim:",)
    token: str | None = None
    new: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ConfigError(f"port is a number from 0 to 65535, and not {self.port}.")
        if self.token is not None and not 1 <= len(self.token) <= 200:
            raise ConfigError("token is a text of 1 to 200 characters; a long one is safer.")
        if self.token is not None and not re.fullmatch("[!-~]+", self.token):
            raise ConfigError("token is made of plain letters, digits and signs, without spaces.")
        if self.data == Path():
            raise ConfigError("data names the folder of the record, and it is empty.")
        if not self.readers:
            raise ConfigError("readers names at least one reader, such as sim: or pcsc:.")
        if sum(name.startswith("pcsc:") for name in self.readers) > 1:
            raise ConfigError(
                "Name pcsc: once: it takes every reader that has its text in its name."
            )
        doubled = [name for name in self.readers if self.readers.count(name) > 1]
        if doubled:
            raise ConfigError(f"The reader {doubled[0]} is named twice: name it once.")


FILE_KEYS = tuple(entry.name for entry in fields(Config) if entry.name != "new")


def read_toml(path: Path) -> dict[str, Any]:
    """The settings of a file such as `table.toml`, checked, ready for `Config(**…)`.

    Raises:
        ConfigError: unreadable, not TOML, an unknown key or a wrong type.
    """
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"The configuration {path} cannot be read ({error.strerror}).") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"The configuration {path} is not TOML: {error}.") from None
    checked: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in FILE_KEYS:
            raise ConfigError(
                f"The configuration {path} has an unknown key {key!r}; known are "
                f"{', '.join(FILE_KEYS)}."
            )
        checked[key] = _checked(path, key, value)
    return checked


def _checked(path: Path, key: str, value: object) -> object:
    match key, value:
        case (("players" | "readers"), list()) if all(isinstance(entry, str) for entry in value):
            return tuple(entry.strip() for entry in value)
        case "set", dict():
            return value
        case "port", int() if type(value) is int:
            return value
        case "data", str():
            return Path(value).expanduser()
        case (("game" | "starter" | "host" | "token"), str()):
            return value
    expected = {
        "players": "a list of names",
        "readers": "a list of names of readers",
        "set": "a table of options",
        "port": "a number",
    }.get(key, "a text")
    raise ConfigError(f"In the configuration {path}, {key} is {expected}.")
