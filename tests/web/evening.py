"""What the tests of the pages share: a real table, the application over it, a browser."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.clocks import machine_clocks
from companion.codec import action_from_json
from companion.drivers.api import DeviceBack, DeviceLost, Turned
from companion.instruments import Instruments
from companion.match import Setup
from companion.places import follow
from companion.record.journal import Journal
from companion.rules.tentacles_words import FACES, read_deck
from companion.snapshot import Source
from companion.table import Table
from companion.tags import CONTROLS
from hardware_sim.virtual_table import VirtualReader
from web_ui import Server, create_app, listen

TOKEN = "a-token-for-tests"
HOSTILE_NAMES = (
    "<script>alert(1)</script>",
    "שלום \u202eevil",
    "Line\rbreak\nand\r\n\r\ndata: x",
    "🐙🦀" * 20,
    "W" * 200,
    'Ólafur & "Zoë" %(player)s',
)


class Evening:
    """A table in play, the application over it, and hands that move things."""

    def __init__(self, folder: Path, players: Sequence[str], options: Mapping[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(folder / "journal.sqlite", machine_clocks())
        self.virtual = VirtualReader("sim", Random(7))
        self.table = Table(
            self._journal,
            self.virtual.component,
            lambda: Setup("tentacles", tuple(players), None, dict(options)),
        )
        self.virtual.lay_out(
            cards={
                f"tentacles/{name}": count
                for name, count in zip(FACES, read_deck(options), strict=True)
                if count
            },
            tokens=[
                *(f"control/{name}" for name in CONTROLS),
                *(f"player/{number}" for number in range(1, len(players) + 1)),
            ],
            enrolled={},
            turned=lambda: Turned(
                self.table.spent,
                {
                    f"tentacles/{name}": count
                    for name, count in self.table.snapshot.state["discard"].items()
                },
            ),
            settle=self.table.settle,
        )
        self.table.start()
        self.virtual.open(self.table.report, machine_clocks().monotonic_ns)
        self.table.settle()
        self.app: Flask = create_app(
            self.table,
            token=TOKEN,
            virtual=self.virtual,
            instruments=Instruments(self.table.passages),
        )
        self.settings = self.app.extensions["tidetable"].settings
        follow(self.settings, self.table)

    def do(self, *commands: Mapping[str, Any] | str, kind: str = "reader") -> None:
        """Play these; a text is a card that is turned."""
        source = Source("reader", "sim") if kind == "reader" else Source(kind)  # type: ignore[arg-type]
        for command in commands:
            body = {"do": "reveal", "card": command} if isinstance(command, str) else command
            answer = self.table.act(action_from_json("tentacles", body), source=source)
            assert answer.code is None, answer.message

    def lose_reader(self, name: str = "sim") -> None:
        self.table.report(DeviceLost(name, "The reader is unplugged: plug it in again.", 0))
        self.table.settle()

    def find_reader(self, name: str = "sim") -> None:
        self.table.report(DeviceBack(name, "Virtual reader", 0))
        self.table.settle()

    def client(self, *, helper: bool = False) -> FlaskClient:
        client = self.app.test_client()
        if helper:
            assert client.get(f"/link/{TOKEN}").status_code == 303
        return client

    def close(self) -> None:
        self.virtual.close()
        if not self.table.closed:
            self.table.close()
        self._journal.close()


Evenings = Callable[..., Evening]


@pytest.fixture
def evenings(tmp_path: Path) -> Iterator[Evenings]:
    """Makes evenings; a second one in the same folder goes on where the first ended."""
    made: list[Evening] = []

    def make(
        players: Sequence[str] = ("Ann", "Bo"), folder: str = "one", **options: Any
    ) -> Evening:
        made.append(Evening(tmp_path / folder, players, options))
        return made[-1]

    yield make
    for evening in made:
        evening.close()


@pytest.fixture
def evening(evenings: Evenings) -> Evening:
    return evenings()


@contextmanager
def serving(app: Flask, port: int = 0) -> Iterator[Server]:
    """The real server on a free port of this machine only."""
    server = Server(app, listen("127.0.0.1", port))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join(5)
        assert not thread.is_alive()
