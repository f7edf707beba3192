"""A virtual table of any game behind the application, with time that passes by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from evening import TOKEN
from flask import Flask
from flask.testing import FlaskClient

from companion.match import Match, Setup
from companion.record.journal import Journal
from companion.service import lay_out
from companion.snapshot import Source
from companion.table import Table
from hardware_sim.virtual_table import VirtualReader
from tests.support.tables import SECOND_NS, still_clocks
from web_ui import create_app
from web_ui.virtual_show import Show

PAGE = Source("page")
TWO = ("Ann", "Bo")
SEED = 7
"""How all lies in the first game: a test is the same each time."""


class PassingTime:
    """A clock that somebody has to wait for.

    Attributes:
        step_ns: how much it goes on whenever it is looked at.
    """

    def __init__(self) -> None:
        self.now_ns = SECOND_NS
        self.step_ns = 0
        self.table: Table | None = None
        self.virtual: VirtualReader | None = None

    def __call__(self) -> int:
        self.now_ns += self.step_ns
        return self.now_ns

    def wait(self, seconds: float) -> bool:
        """So long nobody does anything; the ship tells how it lies meanwhile."""
        until_ns = self.now_ns + int(seconds * SECOND_NS)
        ship = self.virtual and self.virtual.ship
        while self.now_ns < until_ns:
            self.now_ns += SECOND_NS // 50
            if ship is not None:
                ship.tick()
        if self.table is not None and not self.table.closed:
            self.table.settle()
        return False


class VirtualEvening:
    """A table in software, its pages, and one person who plays all hands."""

    def __init__(self, folder: Path, setup: Setup, enrolled: Mapping[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.clock = PassingTime()
        self.journal = Journal(folder / "journal.sqlite", still_clocks())
        self.virtual = VirtualReader(
            "sim", Random(3), pause=self.clock.wait, start=lambda run: None
        )
        self.virtual.fix_next(SEED)
        self.enrolled = enrolled
        self.table = Table(
            self.journal,
            self.virtual.component,
            lambda: setup,
            clock=self.clock,
            stations=self.virtual.stations,
            began=self.lay_out,
        )
        self.clock.table, self.clock.virtual = self.table, self.virtual
        self.lay_out()
        self.table.start()
        self.virtual.open(self.table.report, self.clock)
        self.table.settle()
        self.run_show: list[Any] = []
        self.show = Show(self.table, self.virtual, pace=self._pace, start=self.run_show.append)
        self.app: Flask = create_app(self.table, token=TOKEN, virtual=self.virtual, show=self.show)
        self.client: FlaskClient = self.app.test_client()
        self.client.get(f"/link/{TOKEN}")
        self.key = self._key()
        self._armed = False

    def lay_out(self) -> None:
        lay_out(self.virtual, self.table, self.enrolled)

    def _key(self) -> str:
        html = self.html()
        return html.split('name="key" value="', 1)[1].split('"', 1)[0]

    def _pace(self, seconds: float) -> bool:
        self._arm()
        return self.clock.wait(seconds)

    def _arm(self) -> None:
        """What the thread of the signals does."""
        ship = self.table.snapshot.ship
        armed = ship is not None and ship.alarm
        if armed != self._armed:
            self._armed = armed
            self.virtual.arm(armed=armed)

    def html(self) -> str:
        return str(self.client.get("/virtual").text)

    def post(self, address: str, status: int = 303, **form: str) -> None:
        """Send a form of the page."""
        self.clock.wait(2)
        body = {"key": self.key, "page": "virtual", **form}
        response = self.client.post(address, data=body)
        assert response.status_code == status, response.text
        self._arm()

    def see(self, address: str, **form: str) -> str:
        """Send a form of the page, and follow it."""
        self.post(address, **form)
        return self.html()

    def lay(self, thing: str, at: str, status: int = 303) -> None:
        self.post("/virtual/lay", status, thing=thing, at=at)

    def token(self, name: str) -> None:
        self.post("/virtual/tap", component=f"control/{name}")

    def answer(self, choice: str) -> None:
        question = self.table.snapshot.questions[0].key
        snapshot = self.table.snapshot
        view = f"{snapshot.epoch}.{snapshot.revision}"
        self.post("/touch/answer", question=question, choice=choice, view=view)

    @property
    def match(self) -> Match:
        return self.table.timeline.match

    def close(self) -> None:
        self.virtual.close()
        self.table.close()
        self.journal.close()


@contextmanager
def virtual_evening(
    folder: Path, setup: Setup, enrolled: Mapping[str, str] | None = None
) -> Iterator[VirtualEvening]:
    evening = VirtualEvening(folder, setup, enrolled or {})
    try:
        yield evening
    finally:
        evening.close()


@pytest.fixture
def virtual_evenings(tmp_path):
    """Makes tables; a second one in the same folder goes on where the first ended."""
    made = []

    def make(game, players=TWO, folder="one", enrolled=None, **options):
        context = virtual_evening(
            tmp_path / folder, Setup(game, players, None, options), enrolled or {}
        )
        made.append(context)
        return context.__enter__()

    yield make
    for context in reversed(made):
        context.__exit__(None, None, None)
