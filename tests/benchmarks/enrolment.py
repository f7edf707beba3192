"""Enrolment: from a tag that is laid to the page that asks for the next card, and on the disk."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from companion.clocks import machine_clocks
from companion.drivers.api import TagOff, TagOn
from companion.enrolling.acts import Begin, End
from companion.enrolling.places import places_of
from companion.match import Setup
from companion.record.journal import Journal
from companion.snapshot import Source
from companion.table import Table
from tests.benchmarks.report import Aim, Row, percentile
from web_ui import create_app

GAME = "sea-salt-paper"
TOKEN = "benchmark"
ROUNDS, QUICK_ROUNDS = 5, 1
CARD_S = 3.1
"""In three minutes there are 58 cards; so much is left to each."""
DECK_AIM = Aim(180 - 58 * 2.5)
"""Hands take 2.5 s a card; the rest of three minutes is what the software may take."""
FLOOR_NAME = "the disk alone"


def measure(*, quick: bool) -> list[Row]:
    taps_ms: list[float] = []
    disk_ms: list[float] = []
    deck_s: list[float] = []
    cards = [place for place in places_of(GAME).values() if place.part == "cards"]
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "record.sqlite", machine_clocks())
        for number in range(len(cards)):
            began = time.perf_counter()
            journal.change_tags({f"04F1{number:010X}": "tentacles/dots"}, {"floor": "x" * 4000})
            disk_ms.append(1000 * (time.perf_counter() - began))
        table = Table(journal, journal.component, lambda: Setup("tentacles", ("Ann", "Bo")))
        table.start()
        client = create_app(table, token=TOKEN).test_client()
        client.get(f"/link/{TOKEN}")
        now_ns = time.monotonic_ns()
        for turn in range(QUICK_ROUNDS if quick else ROUNDS):
            table.enrol(Begin(GAME), source=Source("page"))
            first = len(taps_ms)
            for number in range(len(cards)):
                uid = f"04A3{turn:02X}{number:08X}"
                now_ns += int(CARD_S * 1e9)
                began = time.perf_counter()
                table.report(TagOn("reader", uid, now_ns))
                table.report(TagOff("reader", uid, now_ns + 1))
                table.settle()
                page = client.get("/enrol")
                taps_ms.append(1000 * (time.perf_counter() - began))
                _see(page.text, number + 1)
            deck_s.append(sum(taps_ms[first:]) / 1000)
            table.enrol(End(), source=Source("page"))
            # The next round begins with no card enrolled.
            for uid, component in table.enrolled.items():
                if component.startswith(GAME):
                    journal.forget_tag(uid)
        table.close()
        journal.close()
    floor = {50: percentile(disk_ms, 50), 99: percentile(disk_ms, 99)}
    return [
        *(
            Row(
                f"tag laid to page asked for, p{percent}",
                percentile(taps_ms, percent),
                "ms",
                floor[percent],
                FLOOR_NAME,
            )
            for percent in floor
        ),
        Row("all that 58 cards wait for", max(deck_s), "s", aim=DECK_AIM),
    ]


def _see(page: str, count: int) -> None:
    if f"<b>{count}/58</b>" not in page:
        raise RuntimeError(f"the page does not show {count} cards")
