"""The file in which summaries of games are kept, and which can be deleted at any time.

Each summary stands beside the hash that its game ended with: a game that changed since has
another one.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zlib import crc32

from companion.chronicle import Summary
from companion.record.files import uri
from companion.rules import GAMES

log = logging.getLogger(__name__)

SUMMARIES = "history.sqlite"
FORMAT = 1

_TABLES = ("summary", "seat", "tally")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS summary (
    game TEXT PRIMARY KEY, head BLOB NOT NULL, rules TEXT NOT NULL, over INTEGER NOT NULL,
    length_s INTEGER NOT NULL, body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seat (      -- of games that are over, as the next one
    game TEXT NOT NULL, number INTEGER NOT NULL, rules TEXT NOT NULL, player TEXT NOT NULL,
    won INTEGER NOT NULL, PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tally (
    game TEXT NOT NULL, number INTEGER NOT NULL, rules TEXT NOT NULL, player TEXT NOT NULL,
    what TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (game, what, player)
) STRICT, WITHOUT ROWID;
"""


def opened(record: Path, place: Path | None) -> sqlite3.Connection:
    """The summaries, with the record attached as `record`, to be read only.

    Args:
        record: the file.
        place: where the summaries are kept; in memory where it is None or takes nothing.

    Raises:
        sqlite3.Error: the record cannot be read.
    """
    for chosen in (place, place, None):
        try:
            connection = _connected(chosen)
            break
        except sqlite3.Error as error:
            if chosen is None:
                raise
            log.info("The summaries of games in %s are made anew (%s).", chosen.name, error)
            forget(chosen)
    try:
        connection.execute("ATTACH ? AS record", (uri(record, "ro"),))
        # Of a record that gave way to its copy some may be left over.
        there = {game for (game,) in connection.execute("SELECT id FROM record.game")}
        known = {game for (game,) in connection.execute("SELECT game FROM summary")}
        for game in known - there:
            _forget_game(connection, game)
    except BaseException:
        connection.close()
        raise
    return connection


def forget(place: Path) -> None:
    """Delete the file: all that is in it can be made again."""
    for part in ("", "-journal"):
        with suppress(OSError):
            place.with_name(place.name + part).unlink(missing_ok=True)


def _connected(place: Path | None) -> sqlite3.Connection:
    name = ":memory:" if place is None else uri(place, "rwc")
    if place is not None:
        with suppress(OSError):  # SQLite says better what is wrong
            place.touch(mode=0o600)  # it tells who played with whom
            place.chmod(0o600)  # version 0.1 let everybody read it
    connection = sqlite3.connect(name, uri=True, isolation_level=None, check_same_thread=False)
    try:
        # What is lost in a power cut is made again.
        connection.execute("PRAGMA synchronous = OFF")
        ours = _fingerprint()
        if connection.execute("PRAGMA user_version").fetchone() != (ours,):
            for table in _TABLES:
                connection.execute(f"DROP TABLE IF EXISTS {table}")
            connection.execute(f"PRAGMA user_version = {ours}")
        connection.executescript(_SCHEMA)
        connection.execute("BEGIN IMMEDIATE")  # a disk that takes nothing says so here
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _fingerprint() -> int:
    """Another number for each program that may tell other things of a game."""
    rules = sorted((name, game.rules_version) for name, game in GAMES.items())
    return crc32(f"{FORMAT} {version('tidetable')} {rules}".encode()) >> 1


def kept(connection: sqlite3.Connection, game: str, head: bytes) -> Summary | None:
    """The summary of a game that ends with this hash, if it was made."""
    row = connection.execute(
        "SELECT body FROM summary WHERE game = ? AND head = ?", (game, head)
    ).fetchone()
    return None if row is None else from_text(row[0])


def keep(connection: sqlite3.Connection, head: bytes, summary: Summary) -> None:
    """Keep the summary of a game that ends with this hash.

    Raises:
        sqlite3.Error: the disk does not take it.
    """
    game = summary.id
    text = json.dumps({name: getattr(summary, name) for name in Summary.__slots__})
    counted = (game, summary.number, summary.game)
    over = summary.state == "over"
    connection.execute("BEGIN IMMEDIATE")
    try:
        _forget_game(connection, game)
        connection.execute(
            "INSERT INTO summary VALUES (?, ?, ?, ?, ?, ?)",
            (game, head, summary.game, over, summary.length_s, text),
        )
        if over:
            connection.executemany(
                "INSERT INTO seat VALUES (?, ?, ?, ?, ?)",
                [(*counted, player, player in summary.winners) for player in summary.players],
            )
            connection.executemany(
                "INSERT INTO tally VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (*counted, player, what, count)
                    for what, by_player in summary.tallies.items()
                    for player, count in by_player.items()
                ],
            )
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def forget_games(connection: sqlite3.Connection, games: Iterable[str]) -> None:
    """Drop the summaries of games that changed since they were made."""
    known = {game for (game,) in connection.execute("SELECT game FROM summary")}
    for game in known.intersection(games):
        _forget_game(connection, game)


def _forget_game(connection: sqlite3.Connection, game: str) -> None:
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table} WHERE game = ?", (game,))  # noqa: S608


def from_text(text: str) -> Summary:
    """A summary as it is kept."""
    body: dict[str, Any] = json.loads(text)
    body["players"] = tuple(body["players"])
    body["winners"] = tuple(body["winners"])
    return Summary(**body)
