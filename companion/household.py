"""What a table remembers of its people and their devices, beside the games.

It lies in a small SQLite file of its own, so that it can be lost or removed without any game
being touched. Each change is on the disk before it is seen.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from companion.data_folder import newer
from companion.disk_words import not_taken
from companion.errors import PlainError
from companion.record.files import to_read

HOUSEHOLD = "household.sqlite"
HOUSEHOLD_VERSION = 1
"""Of the file; those of version 0.1 of the program have no number, 0, and the same contents."""
SHAPES = ("circle", "square", "triangle", "diamond", "plus", "heart")
"""What players are told apart by, beside their names and colours."""
REMEMBERED_NAMES = 24
"""So many names of players are offered again."""
MOST_DEVICES = 200
"""Of more devices the one that was not seen for longest is forgotten."""

_SETTINGS = ("stations", "upright", "choices")
"""What it held before the settings had a file that pages write."""

_SCHEMA = """
PRAGMA journal_mode = DELETE;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS thing (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""
_ROWS = "SELECT key, value FROM thing"
_UNREADABLE = (OSError, sqlite3.Error, ValueError, TypeError, KeyError, AttributeError)
"""What the reading of a damaged household ends with."""


class NotRemembered(PlainError):
    """The disk did not take it; nothing has changed."""


class NotWritable(PlainError):
    """The file cannot be opened for writing; what is in it is as it was."""


class NewerHousehold(PlainError):
    """The file was made by a newer version of this program; nothing of it was touched."""


@dataclass(frozen=True, slots=True)
class Device:
    """A phone or tablet that joined the table.

    Attributes:
        player: at whose seat it sits; it has no seat in a game without that player.
        joined: when, as a number that counts up.
        seen_on: the day on which it was last seen, such as `2026-05-01`; empty where the
            clock was not set.
    """

    player: str
    joined: int
    seen_on: str = ""


@dataclass(frozen=True, slots=True)
class Remembered:
    """All of it, at one moment.

    Attributes:
        devices: by their ids.
        shapes: of players, by name; one of `SHAPES`.
        names: of players who sat at the table, newest first.
        hidden: players whose names the history shows no more, in the order in which they were
            hidden, each with the number of the last game that this holds for.
    """

    devices: Mapping[str, Device] = field(default_factory=dict)
    shapes: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict)


class Household:
    """The people and devices of one table; its methods may be called by any thread.

    Args:
        path: of the SQLite file; `:memory:` keeps it for this run alone.

    Attributes:
        settings: `stations`, `upright` and `choices` of a table that kept them here, until they
            are forgotten (`companion.places.hand_over`).

    Raises:
        NotRemembered: the file cannot be read or is none of ours.
        NewerHousehold: it was made by a newer version of this program.
        NotWritable: the disk does not take it.
    """

    def __init__(self, path: Path | str = ":memory:") -> None:
        self._lock = threading.Lock()
        self._here: set[str] = set()
        if path != ":memory:":
            remembered(Path(path))
        try:
            if path != ":memory:":
                Path(path).touch(mode=0o600)  # who sits where is nobody else's business
            self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._file.executescript(_SCHEMA)
            if self._file.execute("PRAGMA user_version").fetchone() != (HOUSEHOLD_VERSION,):
                self._file.execute(f"PRAGMA user_version = {HOUSEHOLD_VERSION}")
            rows = dict(self._file.execute(_ROWS))
            self._now = _read(rows)
            self.settings: Mapping[str, Any] = {
                key: json.loads(rows[key]) for key in _SETTINGS if key in rows
            }
        except (OSError, sqlite3.Error) as error:
            raise NotWritable(
                f"The household {path} cannot be written ({error}): make room, mend the disk or "
                "give yourself the right to write; or choose another folder with --data."
            ) from error

    @property
    def now(self) -> Remembered:
        """What is remembered."""
        return self._now

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    # What changes it

    def sit(self, device: str, player: str, shape: str | None, day: str = "") -> None:
        """This device is the player's from now on.

        Args:
            device: its id.
            player: the name.
            shape: one of `SHAPES`; None leaves what it was.
            day: today, such as `2026-05-01`, or empty.
        """

        def change(now: Remembered) -> Remembered:
            last = max((each.joined for each in now.devices.values()), default=0)
            devices = {**now.devices, device: Device(player, last + 1, day)}
            while len(devices) > MOST_DEVICES:
                gone = self._least_missed(devices, device)
                del devices[gone]
                self._here.discard(gone)
            shapes = now.shapes if shape is None else {**now.shapes, player: shape}
            return replace(now, devices=devices, shapes=shapes)

        self._change(change)

    def meet(self, device: str) -> None:
        """This device came back since the service was started: it is not forgotten for others."""
        if device in self._now.devices:
            self._here.add(device)

    def _least_missed(self, devices: Mapping[str, Device], comes: str) -> str:
        """Which device makes room for the one that comes.

        It is the oldest of those that did not come back; when all did, the newest one, so that
        nobody takes the seats from those who play by joining again and again.
        """
        away = devices.keys() - self._here - {comes}
        if away:
            return min(away, key=lambda each: devices[each].joined)
        return max(devices.keys() - {comes}, key=lambda each: devices[each].joined)

    def stand_up(self, device: str) -> None:
        """This device has no seat any more."""
        self._change(
            lambda now: replace(
                now, devices={key: each for key, each in now.devices.items() if key != device}
            )
        )

    def shape(self, player: str, shape: str) -> None:
        """This player has this shape, one of `SHAPES`."""
        self._change(lambda now: replace(now, shapes={**now.shapes, player: shape}))

    def remember(self, names: tuple[str, ...]) -> None:
        """These sat at the table; they are offered first the next time."""

        def change(now: Remembered) -> Remembered:
            known = dict.fromkeys((*names, *now.names))
            return replace(now, names=tuple(known)[:REMEMBERED_NAMES])

        self._change(change)

    def forget(self, player: str, last_game: int | None = None) -> None:
        """Remember nothing of this player: no name, no shape, no device.

        Args:
            player: the name.
            last_game: the history does not show the name any more, up to the game of this
                number; for that the name is kept with it. None leaves the history as it is.
        """

        def change(now: Remembered) -> Remembered:
            hidden = now.hidden if last_game is None else {**now.hidden, player: last_game}
            return replace(
                now,
                hidden=hidden,
                devices={key: each for key, each in now.devices.items() if each.player != player},
                shapes={name: shape for name, shape in now.shapes.items() if name != player},
                names=tuple(name for name in now.names if name != player),
            )

        self._change(change)

    def forget_settings(self) -> None:
        """The settings that it held have another place now (`settings`)."""
        with self._lock, self._storing():
            marks = ", ".join("?" * len(_SETTINGS))
            self._file.execute(f"DELETE FROM thing WHERE key IN ({marks})", _SETTINGS)  # noqa: S608
        self.settings = {}

    def _change(self, change: Callable[[Remembered], Remembered]) -> None:
        with self._lock:
            then = change(self._now)
            with self._storing():
                self._file.executemany(
                    "INSERT OR REPLACE INTO thing (key, value) VALUES (?, ?)",
                    [
                        (key, json.dumps(value, ensure_ascii=False))
                        for key, value in asdict(then).items()
                    ],
                )
            self._now = then

    @contextmanager
    def _storing(self) -> Iterator[None]:
        """All of it on the disk, or none.

        Raises:
            NotRemembered: none.
        """
        try:
            self._file.execute("BEGIN IMMEDIATE")
            yield
            self._file.execute("COMMIT")
        except sqlite3.Error as error:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            raise NotRemembered(not_taken(error)) from error


def remembered(path: Path) -> Remembered:
    """What a household's file says; it is not touched. Nothing where there is no file.

    Raises:
        NotRemembered: it cannot be read or is none of ours.
        NewerHousehold: it was made by a newer version of this program.
    """
    if not path.exists():
        return Remembered()
    try:
        with closing(to_read(path)) as file:
            (version,) = file.execute("PRAGMA user_version").fetchone()
            if version > HOUSEHOLD_VERSION:
                raise NewerHousehold(newer("household", path))
            if not file.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                return Remembered()  # a service was killed while it made the file
            (verdict,) = file.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise sqlite3.DatabaseError(" ".join(str(verdict).split()))
            return _read(dict(file.execute(_ROWS)))
    except _UNREADABLE as error:
        raise NotRemembered(_unreadable(path, error)) from error


def version_of(path: Path) -> int | None:
    """The version of a household's file; None where there is none that can be read."""
    try:
        with closing(to_read(path)) as file:
            (version,) = file.execute("PRAGMA user_version").fetchone()
            (tables,) = file.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            return int(version) if tables else None
    except sqlite3.Error:
        return None


def _unreadable(path: Path, error: Exception) -> str:
    plain = isinstance(error, OSError | sqlite3.Error)
    reason = error if plain else "what is in it is none of ours"
    return f"The household's file {path} cannot be read ({reason})."


def _read(rows: Mapping[str, str]) -> Remembered:
    found: dict[str, Any] = {key: json.loads(value) for key, value in rows.items()}
    return Remembered(
        devices={key: Device(**each) for key, each in found.get("devices", {}).items()},
        shapes={name: shape for name, shape in found.get("shapes", {}).items() if shape in SHAPES},
        names=tuple(found.get("names", ())),
        hidden={name: int(last) for name, last in found.get("hidden", {}).items()},
    )
