"""Games of the past: a record with whole games in it, and the application over it."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.chronicle import Aliases
from companion.clocks import Clocks
from companion.codec import action_to_json
from companion.data_folder import JOURNAL
from companion.household import Household
from companion.match import Setup
from companion.record.archive import Archive
from companion.record.journal import Begun, Entry, Journal
from companion.record.summaries import SUMMARIES
from companion.repair.timeline import Timeline
from companion.snapshot import Source
from companion.table import Table
from tests.benchmarks.games import record
from web_ui import create_app

TOKEN = "a-token-for-tests"
READER = Source("reader", "pcsc-1")
NOBODY = Aliases()
SECOND_NS = 1_000_000_000


class Past:
    """A record that is written without a table, until `open` puts one on it.

    Attributes:
        between_s: seconds before each entry.
        wall: what the clock on the wall says.
        boot: names the boot.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.between_s = 10
        self.wall = datetime(2026, 11, 1, 18, 0, tzinfo=UTC)
        self.boot = "one-boot"
        self._ns = 10**12
        self.journal = self._journal()
        self.games: list[Begun] = []
        self.archive = Archive(folder / JOURNAL, folder / SUMMARIES, clock=lambda: 0.0)
        self.household = Household()
        self.table: Table | None = None
        self.app: Flask | None = None

    def _journal(self) -> Journal:
        clocks = Clocks(lambda: self._ns, lambda: self.wall, self.boot)
        return Journal(self.folder / JOURNAL, clocks)

    def restart(self, boot: str) -> None:
        """The machine is started anew."""
        self.journal.close()
        self.boot, self._ns = boot, 5 * SECOND_NS
        self.journal = self._journal()

    def wait(self, seconds: float) -> None:
        self._ns += int(seconds * SECOND_NS)
        self.wall += timedelta(seconds=seconds)

    def begin(
        self, game: str = "tentacles", players: Sequence[str] = ("Ann", "Bo"), **options: Any
    ):
        self.games.append(self.journal.begin(Setup(game, tuple(players), None, options)))
        self.timeline = Timeline.start(self.games[-1].setup)
        self._entry = 0
        return self.games[-1]

    def tell(self, *commands: Mapping[str, Any] | str, source: Source = READER) -> None:
        """Entries of the newest game; a text is a card that is turned."""
        for command in commands:
            body = {"do": "reveal", "card": command} if isinstance(command, str) else command
            self._entry += 1
            self.timeline = self.timeline.after(body, self._entry)
            self.wait(self.between_s)
            entry = Entry(self._entry, self.timeline.match.step, body, source)
            self.journal.append(self.games[-1].id, (entry,))

    def play(
        self, game: str = "tentacles", players: int = 2, seed: int = 1, upto: int | None = None
    ):
        """A whole game, or its beginning."""
        recorded = record(1, game=game, players=players, seed=seed)[0]
        begun = self.begin(game, recorded.players)
        self.tell(*map(action_to_json, recorded.actions[:upto]))
        return begun

    def win(self, players: Sequence[str] = ("Ann", "Bo")):
        """A short game of five tentacles that the first player wins."""
        begun = self.begin("tentacles", players)
        self.tell("dots", "rings", "stars", "stripes", "waves")
        return begun

    def spoil(self, statement: str, *values: Any) -> None:
        """Change the record behind everybody's back."""
        with closing(sqlite3.connect(self.folder / JOURNAL)) as connection:
            for trigger in ("entry_stays", "entry_is_kept", "note_stays", "note_is_kept"):
                connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
            assert connection.execute(statement, values).rowcount > 0
            connection.commit()

    def open(self) -> FlaskClient:
        """The application over it, for one who looks."""
        if self.app is None:
            self.table = Table(
                self.journal, lambda _: None, lambda: Setup("tentacles", ("Ann", "Bo"))
            )
            self.table.start()
            self.app = create_app(
                self.table, token=TOKEN, household=self.household, games=self.archive
            )
        return self.app.test_client()

    def helper(self) -> FlaskClient:
        client = self.open()
        assert client.get(f"/link/{TOKEN}").status_code == 303
        return client

    def close(self) -> None:
        self.archive.close()
        if self.table is not None and not self.table.closed:
            self.table.close()
        self.journal.close()
        self.household.close()


@pytest.fixture
def pasts(tmp_path: Path) -> Iterator[Callable[..., Past]]:
    made: list[Past] = []

    def make(name: str = "one") -> Past:
        made.append(Past(tmp_path / name))
        return made[-1]

    yield make
    for past in made:
        past.close()


@pytest.fixture
def past(pasts) -> Past:
    return pasts()


def mixed(past: Past) -> None:
    """Games of each kind, one that was not played to its end, and one that goes on."""
    chance = random.Random(5)
    for game, players in (("tentacles", 3), ("octopus-alarm", 4), ("sea-salt-paper", 2)):
        past.play(game, players, seed=chance.randrange(100))
        past.wait(3600)
    past.play("tentacles", 2, seed=3, upto=9)
    past.wait(3600)
    past.play("tentacles", 4, seed=4)
    past.wait(3600)
    past.play("tentacles", 2, seed=5, upto=12)
