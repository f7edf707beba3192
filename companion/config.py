"""What a service is told: from the command line, from TOML, or both.

The command line wins over the file. Unknown keys and wrong types are refused.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeGuard

from companion.drivers import ports
from companion.drivers.api import DriverName
from companion.errors import PlainError
from companion.ship import Thresholds


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
        seats: the readers at the players' places, in seating order, for the sign that it is
            their turn; empty, or an empty name, where none stands.
        stations: where readers stand on the table, by their names, such as `pcsc-1`.
        ship: when the judge of the ship believes what.
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
    seats: tuple[str, ...] = ()
    stations: Mapping[str, str] = field(default_factory=dict)
    ship: Thresholds = field(default_factory=Thresholds)
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
        pins = [name.partition("?")[0] for name in self.readers if name.startswith("gpio:")]
        if len(set(pins)) < len(pins):
            raise ConfigError("A pin can be one thing: name each gpio: pin once.")
        _refuse_namesakes(self.readers)


def _refuse_namesakes(readers: Sequence[str]) -> None:
    """Two boards of a kind with one number would be taken for one."""
    taken: set[tuple[str, int]] = set()
    for name in readers:
        kind, _, where = name.partition(":")
        if kind not in ("bridge", "line", "pn532"):
            continue
        try:
            number = ports.cut_option(f"{kind}:", where, "number", 1)[1]
        except DriverName as error:
            raise ConfigError(str(error)) from None
        if (kind, number) in taken:
            raise ConfigError(
                f"Two readers are called {kind}-{number}: give one of them another number, "
                f"such as ?number={number + 1}."
            )
        taken.add((kind, number))


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
        case (("players" | "readers" | "seats"), list()) if all(
            isinstance(entry, str) for entry in value
        ):
            return tuple(entry.strip() for entry in value)
        case "set", dict():
            return value
        case "ship", dict():
            return _thresholds(path, value)
        case "port", int() if type(value) is int:
            return value
        case "stations", dict():
            return _stations(path, value)
        case "data", str():
            return Path(value).expanduser()
        case (("game" | "starter" | "host" | "token"), str()):
            return value
    expected = {
        "players": "a list of names",
        "readers": "a list of names of readers",
        "seats": "a list of names of readers",
        "set": "a table of options",
        "ship": "a table of numbers",
        "stations": "a table of stations by readers",
        "port": "a number",
    }.get(key, "a text")
    raise ConfigError(f"In the configuration {path}, {key} is {expected}.")


STATION = re.compile(r"play|draw|reef|discard-[12]|seat-[1-6]|area-[0-3]")


def _stations(path: Path, settings: Mapping[str, object]) -> Mapping[str, str]:
    """The table `stations`: where each reader stands."""
    for reader, station in settings.items():
        if not isinstance(station, str) or not STATION.fullmatch(station):
            raise ConfigError(
                f"In the configuration {path}, the station of {reader} is play, draw, reef, "
                "discard-1 or discard-2, seat-1 to seat-6, or area-0 to area-3."
            )
    return {reader: str(station) for reader, station in settings.items()}


LONGEST_S = 3600
"""Longer than anybody waits for a ship."""


def _thresholds(path: Path, settings: Mapping[str, object]) -> Thresholds:
    """The table `ship`: numbers by the names of `Thresholds`, and `upright`, a vector of three."""
    known = tuple(entry.name for entry in fields(Thresholds))
    checked: dict[str, Any] = {}
    for key, value in settings.items():
        where = f"In the configuration {path}, {key} of ship is"
        if key not in known:
            raise ConfigError(
                f"The configuration {path} has an unknown key {key!r} in ship; known are "
                f"{', '.join(known)}."
            )
        if key == "upright":
            if not isinstance(value, list) or len(value) != 3 or not all(map(_is_number, value)):
                raise ConfigError(f"{where} three numbers, such as [0, 0, 1000].")
            if not any(value):
                raise ConfigError(f"{where} what the sensor feels of gravity: not all zero.")
            checked[key] = tuple(map(float, value))
            continue
        high = {"deg": 180, "mg": 1000}.get(key.rpartition("_")[2], LONGEST_S)
        if not _is_number(value) or not 0 < value <= high:
            raise ConfigError(f"{where} a number above 0, and at most {high}.")
        checked[key] = float(value)
    found = Thresholds(**checked)
    if found.upright_deg > found.capsized_deg:
        raise ConfigError(
            f"In the configuration {path}, a ship would stand and have capsized at one angle: "
            "upright_deg of ship is at most capsized_deg."
        )
    return found


def _is_number(value: object) -> TypeGuard[float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value)
