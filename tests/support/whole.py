"""The whole service in this process, with the application that it serves to look into."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from companion import service
from companion.clocks import Clocks, machine_clocks
from companion.config import Config
from companion.settings.live import LiveSettings
from tests.support.service import TOKEN
from web_ui import create_app
from web_ui.parts import KEY, Parts


@dataclass
class Whole:
    """A running service.

    Attributes:
        app: the application.
        url: where it serves.
        turn: who is in turn, where a test says so.
    """

    app: Flask
    url: str
    turn: str = ""

    @property
    def parts(self) -> Parts:
        parts: Parts = self.app.extensions[KEY]
        return parts

    def client(self) -> FlaskClient:
        """A stranger's device."""
        return self.app.test_client()

    def helper(self) -> FlaskClient:
        client = self.client()
        client.get(f"/link/{TOKEN}")
        return client

    def seat(self, player: str) -> FlaskClient:
        client = self.client()
        form = {"code": self.parts.link.join_code, "seat": player}
        assert client.post("/join", data=form).status_code == 303
        return client


@contextmanager
def whole(
    folder: Path, monkeypatch: Any, *, clocks: Clocks | None = None, **settings: Any
) -> Iterator[Whole]:
    """The service with these settings; its record lies in the folder."""
    made: list[Flask] = []

    def make(*arguments: Any, **more: Any) -> Flask:
        made.append(create_app(*arguments, **more))
        return made[-1]

    monkeypatch.setattr(service, "create_app", make)
    config = Config(data=folder, port=0, token=TOKEN, **settings)
    with service.serving(LiveSettings(config), clocks or machine_clocks()) as lines:
        yield Whole(made[-1], lines[0].removeprefix("Scoreboard: "))
