"""The tables of the record: made anew, or brought on from an older version."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from importlib.resources import files

from companion.record.chain import link

SCHEMA_VERSION = 2

COLUMNS = {
    "game": 12,
    "entry": 13,
    "note": 9,
    "head": 3,
}
"""How many columns each table has."""


TABLES_OF_VERSION_1 = frozenset({"about", "game", "entry", "tag"})


def insert(table: str) -> str:
    """The statement that adds a row to a table."""
    return f"INSERT INTO {table} VALUES ({', '.join('?' * COLUMNS[table])})"  # noqa: S608


def version_of(connection: sqlite3.Connection) -> int | None:
    """The version of a record; 0 for an empty database, None for one that is no record."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    tables = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    }
    if version == 0:
        return None if tables else 0
    needed = TABLES_OF_VERSION_1 if version == 1 else {*TABLES_OF_VERSION_1, "note", "head"}
    return int(version) if needed <= tables else None


def is_whole(connection: sqlite3.Connection) -> bool:
    """Whether the tables of this record of the present version are as they were made."""
    with closing(sqlite3.connect(":memory:")) as new:
        create(new)
        return _statements(new) <= _statements(connection)


def _statements(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str]]:
    """What made the tables, without comments and blanks."""
    return frozenset(
        (kind, name, re.sub(r"--.*|\s", "", statement or ""))
        for kind, name, statement in connection.execute("SELECT type, name, sql FROM sqlite_schema")
    )


def create(connection: sqlite3.Connection) -> None:
    """Make the tables, inside the caller's transaction."""
    statements = files("companion.record").joinpath("schema.sql").read_text(encoding="utf-8")
    statement = ""
    for line in statements.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def migrate(connection: sqlite3.Connection, found: int) -> None:
    """Bring the tables of an older version on, inside the caller's transaction.

    Args:
        connection: to the record.
        found: its version; 0 of an empty database.
    """
    if found == 0:
        create(connection)
    elif found == 1:
        _from_version_1(connection)


def _from_version_1(connection: sqlite3.Connection) -> None:
    """Version 2 added notes, the chain, the rules' version, and a game's clock and boot.

    A game of version 1 has none of the last two: 0 and an empty text stand for them.
    """
    for trigger in ("entry_stays", "entry_is_kept"):
        connection.execute(f"DROP TRIGGER {trigger}")
    for table in ("about", "tag", "game", "entry"):
        connection.execute(f"ALTER TABLE {table} RENAME TO {table}_1")
    create(connection)
    for table in ("about", "tag"):
        connection.execute(f"INSERT INTO {table} SELECT * FROM {table}_1")  # noqa: S608
    games = connection.execute(
        "SELECT id, table_id, number, rules, players, starter, options, program, started_at"
        " FROM game_1 ORDER BY number"
    )
    for *columns, wall in games:
        game = (*columns, 1, 0, "", wall)
        connection.execute(insert("game"), game)
        row, end = 0, link(b"", *game)
        entries = connection.execute(
            "SELECT entry, step, command, source, reader, uid, request, monotonic_ns, boot, wall"
            " FROM entry_1 WHERE game = ? ORDER BY entry",
            (game[0],),
        )
        for number, *rest in entries:
            row += 1
            entry = (number, row, *rest)
            end = link(end, "entry", *entry)
            connection.execute(insert("entry"), (game[0], *entry, end))
        connection.execute(insert("head"), (game[0], row, end))
    for table in ("entry", "game", "tag", "about"):
        connection.execute(f"DROP TABLE {table}_1")
