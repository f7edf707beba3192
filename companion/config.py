"""What a service is told: from the command line, from TOML, or both.

The command line wins over the file. Unknown keys and wrong types are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.choices import Choices
from companion.data_folder import SETTINGS
from companion.drivers import ports, registry
from companion.drivers.api import DriverName
from companion.log_file import Log
from companion.network.settings import Network, Wifi
from companion.record.backup_section import Backup
from companion.said import say
from companion.settings.live import LiveSettings
from companion.settings.reading import load, placed, text_of
from companion.settings.sections import LIVE, SECRET, UNWRITTEN, ConfigError, Fault
from companion.ship import Thresholds
from companion.telling.settings import Mqtt, Webhook

__all__ = [
    "Config",
    "ConfigError",
    "Told",
    "default_data_folder",
]


def default_data_folder() -> Path:
    """Where the record is kept when nobody says otherwise.

    The command of an installed table says so in TIDETABLE_DATA; else it is where the XDG base
    directories have it.
    """
    if told := os.environ.get("TIDETABLE_DATA"):
        return Path(told)
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "tidetable"


@dataclass(frozen=True, slots=True)
class Config:
    """How to run a table: the top of `table.toml`, and its sections.

    A section comes in by one line here (`companion.settings.sections`).

    Attributes:
        game: which game a new one is: `tentacles`, `octopus-alarm` or `sea-salt-paper`; without
            it the game that goes on, or `tentacles`.
        players: names in seating order, for a new game; without them those of the game that
            goes on, or Ann and Bo.
        starter: who begins a new game; without it the first player.
        set: options of a new game, see the rules of each (docs/rules).
        data: the folder of the record; it cannot be said in the `table.toml` that lies in it.
        host: the address to serve on; `0.0.0.0` for the whole home network.
        port: where the pages are served; 0 for any free port.
        readers: by name, such as `pcsc:` (docs/hardware.md); `sim:` is the virtual table, which
            alone comes and goes at the next start.
        token: opens the table's link; without it one is made once and kept.
        seats: the readers at the players' places, in seating order, for the sign that it is
            their turn; an empty name where none stands; without it those that `stations` puts
            at `seat-1` and so on.
        stations: where readers stand, by their names such as `pcsc-1`: `play`, `draw`, `reef`,
            `discard-1` and `discard-2`, `seat-1` to `seat-6`, `area-0` to `area-3`; a reader
            that is not named stands anywhere.
        ship: when the judge of the ship believes what.
        network: the table's name in the home network.
        wifi: the access point that the table itself is.
        log: what is kept of the log in the data folder.
        backup: which copies of the record are kept, and where else.
        mqtt: the broker that is told how the table stands, and what happens.
        webhook: the program that is told what happens.
        choices: what the household chose for its table.
        new: begin a new game, also when one goes on.

    Raises:
        ConfigError: a value that cannot be used.
    """

    game: str | None = field(default=None, metadata=LIVE)
    players: tuple[str, ...] = field(default=(), metadata=LIVE)
    starter: str | None = field(default=None, metadata=LIVE)
    set: Mapping[str, object] = field(default_factory=dict, metadata=LIVE)
    data: Path = field(default_factory=default_data_folder)
    host: str = "127.0.0.1"
    port: int = 8080
    readers: tuple[str, ...] = field(default=("sim:",), metadata=LIVE)
    token: str | None = field(default=None, repr=False, metadata=SECRET)
    seats: tuple[str, ...] = field(default=(), metadata=LIVE)
    stations: Mapping[str, str] = field(default_factory=dict, metadata=LIVE)
    ship: Thresholds = field(default_factory=Thresholds, metadata=LIVE)
    network: Network = field(default_factory=Network, metadata=LIVE)
    # The Wi-Fi itself comes with the next start of the computer: no code leads there before.
    wifi: Wifi = field(default_factory=Wifi)
    log: Log = field(default_factory=Log, metadata=LIVE)
    backup: Backup = field(default_factory=Backup, metadata=LIVE)
    mqtt: Mqtt = field(default_factory=Mqtt, metadata=LIVE)
    webhook: Webhook = field(default_factory=Webhook, metadata=LIVE)
    choices: Choices = field(default_factory=Choices, metadata=LIVE)
    new: bool = field(default=False, metadata=UNWRITTEN)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ConfigError(
                say("port is a number from 0 to 65535, and not %(given)s.", given=self.port)
            )
        if not self.host.strip():
            raise ConfigError(
                say("host is an address, such as 0.0.0.0 or 127.0.0.1, and it is empty.")
            )
        if self.token is not None and not 1 <= len(self.token) <= 200:
            raise ConfigError(say("token is a text of 1 to 200 characters; a long one is safer."))
        if self.token is not None and not re.fullmatch("[!-~]+", self.token):
            raise ConfigError(
                say("token is made of plain letters, digits and signs, without spaces.")
            )
        if self.data == Path():
            raise ConfigError(say("data names the folder of the record, and it is empty."))
        for reader, station in self.stations.items():
            if not STATION.fullmatch(station):
                raise ConfigError(
                    say(
                        "stations: the station of %(reader)s is play, draw, reef, discard-1 or "
                        "discard-2, seat-1 to seat-6, or area-0 to area-3.",
                        reader=reader,
                    )
                )
        if not self.readers:
            raise ConfigError(say("readers names at least one reader, such as sim: or pcsc:."))
        if sum(name.startswith("pcsc:") for name in self.readers) > 1:
            raise ConfigError(
                say("Name pcsc: once: it takes every reader that has its text in its name.")
            )
        doubled = [name for name in self.readers if self.readers.count(name) > 1]
        if doubled:
            raise ConfigError(
                say("The reader %(reader)s is named twice: name it once.", reader=doubled[0])
            )
        pins = [name.partition("?")[0] for name in self.readers if name.startswith("gpio:")]
        if len(set(pins)) < len(pins):
            raise ConfigError(say("A pin can be one thing: name each gpio: pin once."))
        _refuse_namesakes(self.readers)
        _refuse_crowds(self.seats, self.stations)

    def strangers(self, others: Sequence[str] = ()) -> Iterator[str]:
        """A sentence for each name in `seats` and `stations` that is no reader's: misspelt, perhaps.

        It is no fault: a reader may stand on the table today that is not named in the file.

        Args:
            others: readers that are not in force, and yet known.
        """
        readers = tuple(dict.fromkeys((*self.readers, *others)))
        for key, names in (("seats", self.seats), ("stations", self.stations)):
            for name in names:
                if name and not _belongs(name, readers):
                    calls = "; ".join(
                        f"{reader} is called {_called(reader)[1]}" for reader in readers
                    )
                    yield f"{key} has {name!r}, and no reader is called so: {calls}."


def unknown_readers(config: Config) -> Iterator[Fault]:
    """The readers that the next start would be refused for."""
    for name in config.readers:
        try:
            registry.make(name)
        except DriverName as fault:
            yield Fault("", "readers", say("readers: %(fault)s", fault=str(fault)))


def _refuse_namesakes(readers: Sequence[str]) -> None:
    """Two boards of a kind with one number would be taken for one, and a port is only one board."""
    taken: set[tuple[str, int]] = set()
    held: dict[tuple[str, str], str] = {}
    for name in readers:
        kind, _, where = name.partition(":")
        if kind not in ("bridge", "line", "pn532"):
            continue
        try:
            where, number = ports.cut_option(f"{kind}:", where, "number", 1)
            if kind == "pn532":
                where, _ = ports.cut_option("pn532:", where, "targets", 2)
            port = ports.parse(f"{kind}:", where).port
        except DriverName as error:
            raise ConfigError(str(error)) from None
        if port in held:
            raise ConfigError(
                say(
                    "%(one)s and %(other)s are one port: name it once.",
                    one=held[port],
                    other=name,
                )
            )
        held[port] = name
        if (kind, number) in taken:
            raise ConfigError(
                say(
                    "Two readers are called %(name)s: give one of them another number, such as "
                    "?number=%(next)s.",
                    name=f"{kind}-{number}",
                    next=number + 1,
                )
            )
        taken.add((kind, number))


STATION = re.compile(r"play|draw|reef|discard-[12]|seat-[1-6]|area-[0-3]")
ONE_READER = re.compile(r"draw|discard-[12]|seat-[1-6]")
"""A station that is one place. The others are wide enough for several antennas."""


def _refuse_crowds(seats: Sequence[str], stations: Mapping[str, str]) -> None:
    """One reader stands at one seat, and at a pile or seat stands one reader."""
    for reader in seats:
        if reader and seats.count(reader) > 1:
            raise ConfigError(
                say(
                    "seats names %(reader)s twice: each player has a reader, or an empty ''.",
                    reader=reader,
                )
            )
    held: dict[str, str] = {}
    for reader, station in stations.items():
        if station in held and ONE_READER.fullmatch(station):
            raise ConfigError(
                say(
                    "In stations, %(one)s and %(other)s both stand at %(station)s, which is one "
                    "place: leave one of them out.",
                    one=held[station],
                    other=reader,
                    station=station,
                )
            )
        held[station] = reader


def _belongs(name: str, readers: Sequence[str]) -> bool:
    return any(re.fullmatch(_called(reader)[0], name) for reader in readers)


def _called(reader: str) -> tuple[str, str]:
    """What a reader that is named so calls its places: a pattern, and in words."""
    kind, _, where = reader.partition(":")
    match kind:
        case "pcsc":
            return "pcsc-[1-9][0-9]*", "pcsc-1, pcsc-2 and so on"
        case "bridge" | "line":
            board = f"{kind}-{ports.cut_option(f'{kind}:', where, 'number', 1)[1]}"
            return f"{board}/.+", f"{board}/PLACE"
        case "pn532":
            board = f"pn532-{ports.cut_option('pn532:', where, 'number', 1)[1]}"
            return board, board
        case "gpio":
            pin = f"gpio-{where.partition('?')[0].lstrip('0') or '0'}"
            return re.escape(pin), pin
        case "sim":
            return re.escape(where or "sim"), where or "sim"
    return ".+", "as it likes"  # a kind that is not known here


USUAL_GAME = "tentacles"
"""A new game is this one, where nobody says which: it is the quickest to understand."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the command line says: which file is read, and what wins over it.

    Attributes:
        line: settings, as arguments of `Config`; options of `set` win one by one.
        file: the file that was named; None for that of the data folder.
    """

    line: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = None

    @property
    def folder(self) -> Path:
        """The data folder, as long as no file says otherwise."""
        return Path(self.line.get("data") or default_data_folder())

    @property
    def path(self) -> Path:
        """The file that is read, and that pages write; it need not be there unless it was named."""
        return self.file or self.folder / SETTINGS

    @property
    def there(self) -> bool:
        """Whether there is a file, though it may not be readable."""
        try:
            self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        return True

    def read(self) -> dict[str, Any]:
        """What the file says; nothing where there is none.

        Raises:
            ConfigError: it cannot be used.
        """
        return load(Config, self.path) if self.file or self.there else {}

    def put(self, file: Mapping[str, Any], text: str | None = None) -> Config:
        """The settings, where the file says this.

        Args:
            file: what it says.
            text: as it is written there; None for what is there now.

        Raises:
            ConfigError: they cannot be.
        """
        line = dict(self.line)
        if self.file is None:
            named = file.get("data", self.folder)
            if named.resolve() != self.folder.resolve():
                sentence = say(
                    "data names %(named)s, and this file is read because it lies in %(folder)s: "
                    "leave data out of it, or start with --data %(named)s.",
                    named=f"{named}",
                    folder=f"{self.folder}",
                )
                fault = Fault("", "data", sentence)
                text = text_of(self.path) if text is None else text
                raise ConfigError(*placed(self.path, text, [fault]))
            line["data"] = self.folder
        line["set"] = {**file.get("set", {}), **line.get("set", {})}
        return Config(**{**file, **line})

    def settings(self) -> LiveSettings[Config]:
        """The settings in force from now on.

        Raises:
            ConfigError: they cannot be.
        """
        file = self.read()
        return LiveSettings(self.put(file), self.path, self._put_later, file)

    def _put_later(self, file: Mapping[str, Any]) -> Config:
        """As `put`; also refuses what the service would be refused for at its next start.

        Raises:
            ConfigError: they cannot be.
        """
        config = self.put(file)
        if fault := next(unknown_readers(config), None):
            raise ConfigError(*placed(self.path, text_of(self.path), [fault]))
        return config
