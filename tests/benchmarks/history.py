"""The pages of the games that were played, with thousands of games in the record."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from flask.testing import FlaskClient

from companion.chronicle import Aliases
from companion.clocks import machine_clocks
from companion.data_folder import JOURNAL
from companion.match import Setup
from companion.record.archive import Archive
from companion.record.journal import Journal
from companion.record.summaries import SUMMARIES
from companion.table import Table
from tests.benchmarks import many_games
from tests.benchmarks.report import Aim, Row, median
from web_ui import create_app

GAMES = 10_000
QUICK_GAMES = 300
TIMES = 15
LIST_AIM = Aim(300)
FLOOR_NAME = "a page without games"


def measure(*, quick: bool) -> list[Row]:
    count = QUICK_GAMES if quick else GAMES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        many_games.make(folder, count)
        journal = Journal(folder / JOURNAL, machine_clocks())
        table = Table(journal, lambda _: None, lambda: Setup("tentacles", ("Ann", "Bo")))
        table.start()
        archive = Archive(folder / JOURNAL, folder / SUMMARIES)
        client = create_app(table, token="benchmark", games=archive).test_client()
        newest = archive.listed(Aliases(), count=1).games[0].id
        floor_ms = median(_each_ms(lambda: _got(client, "/rules")))

        def page_ms(path: str, what: str, aim: Aim | None = None) -> Row:
            name = f"{what}, {count:,} games"
            return Row(
                name, median(_each_ms(lambda: _got(client, path))), "ms", floor_ms, FLOOR_NAME, aim
            )

        archive.close()
        (folder / SUMMARIES).unlink()
        first_ms = _once_ms(lambda: _got(client, "/history"))
        rows = [
            Row(
                f"list, first look, {count:,} games", first_ms, "ms", floor_ms, FLOOR_NAME, LIST_AIM
            ),
            page_ms("/history", "list", LIST_AIM),
            page_ms(f"/history?before={count // 2}", "list, in the middle", LIST_AIM),
            page_ms(f"/history/{newest}/replay?step=9", "a step of a replay"),
            page_ms("/history/charts", "charts"),
        ]
        archive.close()
        table.close()
        journal.close()
    return rows


def _each_ms(do: Callable[[], object]) -> list[float]:
    return [_once_ms(do) for _ in range(TIMES)]


def _got(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 200, path


def _once_ms(do: Callable[[], object]) -> float:
    before_s = time.perf_counter()
    do()
    return 1000 * (time.perf_counter() - before_s)
