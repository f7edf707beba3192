"""All games of a record, to be read while the table writes: lists, single games, figures.

What a game was, only its fold tells. So of each game that was folded once a summary is kept
(`companion.record.summaries`).
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from companion.chronicle import (
    Aliases,
    DamagedGame,
    Figures,
    Listing,
    NoSuchGame,
    NotReadable,
    Played,
    Summary,
    renamed_summary,
)
from companion.errors import course_of
from companion.record import summaries
from companion.record.folding import folded_game, unfolded
from companion.record.journal import UNREADABLE
from companion.record.reading import RecordedGame

log = logging.getLogger(__name__)

BUDGET_S = 0.06
"""So long a page waits for summaries that are missing; the others come with the next look."""
PAUSE_SHARE = 4
"""While all are made in the background, it rests so many times as long as it worked."""
AT_ONCE = 50
"""So many games are read in one go: nobody waits long, and the record's log neither."""
KEPT_OPEN = 4
"""So many games that were read in full are kept, for a replay that is dragged through."""

_GAMES = """
FROM record.game AS game
LEFT JOIN record.head AS head ON head.game = game.id
LEFT JOIN summary ON summary.game = game.id AND summary.head = head.hash
"""
_ALONE = "FROM record.game AS game"
# A game in which nothing was ever done is one that gave way to another, but for the newest.
_SHOWN = """
WHERE (:rules IS NULL OR game.rules = :rules)
AND (EXISTS (SELECT 1 FROM record.entry AS entry WHERE entry.game = game.id)
    OR game.number = (SELECT max(number) FROM record.game))
"""
NOT_KEPT = "the disk takes no summaries"
_OF_KIND = "(:rules IS NULL OR rules = :rules)"
_HIDDEN = """
LEFT JOIN (SELECT key AS name, value AS last FROM json_each(:hidden)) AS hidden
ON name = player AND number <= last
"""


class Archive:
    """The games of one record (`companion.chronicle.Games`).

    Args:
        record: the file.
        place: where summaries are kept; None for memory alone.
        clock: to keep to a budget of time, in seconds.
    """

    def __init__(
        self,
        record: Path,
        place: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._record = record
        self._place = place
        self._clock = clock
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._in_full: OrderedDict[object, Played] = OrderedDict()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._make_all, name="history", daemon=True)

    def start(self) -> None:
        """Begin to make the summaries that are missing, in a thread of its own."""
        self._thread.start()

    def close(self) -> None:
        """Stop, and let go of the files."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()
        with self._lock:
            self._drop()

    # What pages ask: see `companion.chronicle.Games`

    def listed(
        self, aliases: Aliases, *, game: str | None = None, before: int | None = None, count: int
    ) -> Listing:
        """The newest games, of one kind or of all, that began before the game of that number."""
        with self._reading() as connection:
            found = self._page(connection, game, before, count + 1, self._clock() + BUDGET_S)
            newest = _newest(connection)
            (total,) = connection.execute(
                f"SELECT count(*) {_ALONE} {_SHOWN}", {"rules": game}
            ).fetchone()
        shown = tuple(_as_it_stands(each, newest, aliases) for each in found[:count])
        return Listing(shown, total, len(found) > count)

    def kinds(self) -> Mapping[str, int]:
        """How many games there are of each kind, the most played first."""
        with self._reading() as connection:
            return dict(
                connection.execute(
                    f"SELECT game.rules, count(*) {_ALONE} {_SHOWN} GROUP BY 1 ORDER BY 2 DESC, 1",
                    {"rules": None},
                )
            )

    def newest(self) -> int:
        """The number of the newest game; 0 without one."""
        with self._reading() as connection:
            return _newest(connection)

    def people(self) -> Mapping[str, tuple[int, int]]:
        """How many games each player is in, and the number of the newest; by true names."""
        found: dict[str, tuple[int, int]] = {}
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT number, players {_ALONE} {_SHOWN} ORDER BY number",
                {"rules": None},
            ).fetchall()
        for number, players in rows:
            with suppress(ValueError, TypeError):  # a damaged game names nobody
                for player in map(str, json.loads(players)):
                    found[player] = found.get(player, (0, 0))[0] + 1, number
        return found

    def figures(self, aliases: Aliases, game: str | None = None) -> Figures:
        """Numbers over all finished games, of one kind or of all."""
        try:
            return self._figures(aliases, game)
        except NotReadable:  # a disk that took nothing: what is opened anew is in memory
            return self._figures(aliases, game)

    def _figures(self, aliases: Aliases, game: str | None) -> Figures:
        hidden = json.dumps(aliases.hidden, ensure_ascii=False)
        asked = {"rules": game, "hidden": hidden}
        with self._reading() as connection:
            missing = _unread(connection, game)
            summaries.forget_games(connection, (each.id for each in missing))
            made = self._made(connection, missing, self._clock() + BUDGET_S)
            over = {identity for identity, each in made.items() if each.state == "over"}
            if any(each.id in over for each in _unread(connection, game)):
                raise sqlite3.OperationalError(NOT_KEPT)  # it would not be counted
            lengths = connection.execute(
                f"SELECT length_s FROM summary WHERE over AND {_OF_KIND}",  # noqa: S608
                asked,
            ).fetchall()
            seats = connection.execute(
                f"SELECT player, last IS NOT NULL, count(*), sum(won) FROM seat {_HIDDEN}"  # noqa: S608
                f" WHERE {_OF_KIND} GROUP BY 1, 2",
                asked,
            ).fetchall()
            tallied = connection.execute(
                f"SELECT what, player, last IS NOT NULL, sum(count) FROM tally {_HIDDEN}"  # noqa: S608
                f" WHERE {_OF_KIND} GROUP BY 1, 2, 3",
                asked,
            ).fetchall()
        unread = len(missing) - len(made)
        places = {name: place for place, name in enumerate(aliases.hidden, 1)}

        def called(name: str, is_hidden: int) -> str:
            return aliases.spelled(places[name]) if is_hidden else name

        by_player: dict[str, tuple[int, int]] = {}
        for name, is_hidden, played, won in seats:
            before = by_player.get(called(name, is_hidden), (0, 0))
            by_player[called(name, is_hidden)] = before[0] + played, before[1] + won
        tallies: dict[str, dict[str, int]] = {}
        for what, name, is_hidden, count in tallied:
            of_kind = tallies.setdefault(what, {})
            of_kind[called(name, is_hidden)] = of_kind.get(called(name, is_hidden), 0) + count
        known = tuple(seconds for (seconds,) in lengths if seconds)
        return Figures(len(lengths), unread, by_player, known, tallies)

    def everything(self, aliases: Aliases, game: str | None = None) -> Iterator[Summary]:
        """All games, newest first, each of them looked at, however long it takes."""
        before: int | None = None
        while True:
            with self._reading() as connection:
                found = self._page(connection, game, before, AT_ONCE, None)
                newest = _newest(connection)
            if not found:
                return
            for each in found:
                yield _as_it_stands(each, newest, aliases)
            before = found[-1].number

    def played(self, identity: str, aliases: Aliases) -> Played:
        """A game in full.

        Raises:
            NoSuchGame: there is none of this id.
            DamagedGame: it cannot be trusted.
        """
        with self._reading() as connection:
            columns = connection.execute(
                "SELECT * FROM record.game WHERE id = ?", (identity,)
            ).fetchone()
            if columns is None:
                raise NoSuchGame("There is no such game in this record.")
            game = RecordedGame(columns)
            found = self._fully(connection, game, {})
            summary = _as_it_stands(found.summary, _newest(connection), Aliases())
            names = aliases.of(summary.players, summary.number, summary.state)
            if names:
                found = self._fully(connection, game, names)
            return replace(found, summary=renamed_summary(summary, names))

    def _fully(
        self, connection: sqlite3.Connection, game: RecordedGame, names: Mapping[str, str]
    ) -> Played:
        head = _head(connection, game.id)
        key = game.id, head, tuple(names.items())
        found = self._in_full.get(key)
        if found is None:
            try:
                found = folded_game(connection, game, names)
            except DamagedGame as damage:
                _keep(connection, head, unfolded(game, str(damage)))
                raise
            self._in_full[key] = found
            while len(self._in_full) > KEPT_OPEN:
                self._in_full.popitem(last=False)
        self._in_full.move_to_end(key)
        return found

    # Summaries

    def _page(
        self,
        connection: sqlite3.Connection,
        game: str | None,
        before: int | None,
        count: int,
        until: float | None,
    ) -> list[Summary]:
        """So many games, newest first; those that time did not allow to look at are unread."""
        asked = {"rules": game, "before": before, "count": count}
        rows = connection.execute(
            f"SELECT game.*, summary.body {_GAMES} {_SHOWN}"
            " AND (:before IS NULL OR game.number < :before)"
            " ORDER BY game.number DESC LIMIT :count",
            asked,
        ).fetchall()
        games = [RecordedGame(row[:-1]) for row in rows]
        missing = [game for game, row in zip(games, rows, strict=True) if row[-1] is None]
        made = self._made(connection, missing, until)
        return [
            made.get(game.id) or unfolded(game) if row[-1] is None else summaries.from_text(row[-1])
            for game, row in zip(games, rows, strict=True)
        ]

    def _made(
        self, connection: sqlite3.Connection, games: Iterable[RecordedGame], until: float | None
    ) -> dict[str, Summary]:
        """Summaries of these, as many as time allows and one at least, by the games' ids."""
        made = {}
        for game in games:
            made[game.id] = self._summary(connection, game)
            if until is not None and self._clock() >= until:
                break
        return made

    def _summary(self, connection: sqlite3.Connection, game: RecordedGame) -> Summary:
        """The summary of a game, made now if it is missing."""
        head = _head(connection, game.id)
        summary = summaries.kept(connection, game.id, head)
        if summary is None:
            try:
                summary = folded_game(connection, game, {}).summary
            except DamagedGame as damage:
                summary = unfolded(game, str(damage))
            _keep(connection, head, summary)
        return summary

    def _make_all(self) -> None:
        """Make what is missing, newest first, without standing in anybody's way."""
        try:
            with self._reading() as connection:
                missing = _unread(connection, None)
            for game in missing:
                began = self._clock()
                with self._reading() as connection:
                    self._summary(connection, game)
                if self._ending.wait(PAUSE_SHARE * (self._clock() - began)):
                    return
        except NotReadable as error:
            log.warning("%s", error)
        except Exception as error:  # noqa: BLE001 - the table goes on without it
            log.error("the history could not be gone through: %s", course_of(error))  # noqa: TRY400

    # The files

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The summaries with the record attached; one thread at a time may have them."""
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = summaries.opened(self._record, self._place)
                yield self._connection
            except UNREADABLE as error:
                self._drop()
                if self._place is not None:
                    summaries.forget(self._place)  # the damage may be there
                raise NotReadable(f"The record cannot be read now ({error}).") from error

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _unread(connection: sqlite3.Connection, game: str | None) -> list[RecordedGame]:
    """The games without a summary, newest first."""
    return [
        RecordedGame(columns)
        for columns in connection.execute(
            f"SELECT game.* {_GAMES} {_SHOWN} AND summary.body IS NULL ORDER BY game.number DESC",
            {"rules": game},
        )
    ]


def _newest(connection: sqlite3.Connection) -> int:
    (number,) = connection.execute("SELECT coalesce(max(number), 0) FROM record.game").fetchone()
    return int(number)


def _head(connection: sqlite3.Connection, game: str) -> bytes:
    """The hash that a game ends with; empty where it is missing."""
    row = connection.execute("SELECT hash FROM record.head WHERE game = ?", (game,)).fetchone()
    return b"" if row is None else bytes(row[0])


def _keep(connection: sqlite3.Connection, head: bytes, summary: Summary) -> None:
    """Keep a summary; on a full disk it is made again when it is asked for."""
    with suppress(sqlite3.OperationalError):
        summaries.keep(connection, head, summary)


def _as_it_stands(summary: Summary, newest: int, aliases: Aliases) -> Summary:
    """A summary with what does not depend on its game alone."""
    if summary.state == "given-up" and summary.number == newest:
        summary = replace(summary, state="going-on")
    return renamed_summary(summary, aliases.of(summary.players, summary.number, summary.state))
