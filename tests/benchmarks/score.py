"""Hands a second through a real `companion score`, fed by a pipe."""

from __future__ import annotations

import json
from random import Random

from companion.rules.sea_salt_paper.cards import NAMES, PLAIN_COUNT
from tests.benchmarks.play import ECHO, json_only_s, one_by_one, python, through_pipe
from tests.benchmarks.report import Aim, Row, median
from tests.support.service import command

AIM = Aim(100_000, at_least=True)
MOST_CARDS = 20
SCORE = command("score", "sea-salt-paper")


def measure(*, quick: bool) -> list[Row]:
    lines = _lines(5_000 if quick else 50_000)
    scored, json_only = [], []
    # In turn, so that a slow moment of the machine hits both.
    for _ in range(3 if quick else 7):
        seconds, replies = through_pipe(SCORE, lines)
        scored.append(len(lines) / seconds)
        json_only.append(len(lines) / json_only_s(lines, replies))
    few = lines[: len(lines) // 5]
    waited = len(few) / one_by_one(SCORE, few)
    echo = len(few) / one_by_one(python(ECHO), few)
    floor = "json.loads + json.dumps of the same lines"
    return [
        Row("hands, best round", max(scored), "/s", max(json_only), floor, AIM),
        Row("hands, median round", median(scored), "/s", median(json_only), floor, AIM),
        Row("hands, one by one", waited, "/s", echo, "a Python process that echoes lines"),
    ]


def _lines(count: int) -> list[bytes]:
    """Hands of one to twenty cards, no two alike but by chance, a part of each on the table."""
    chance = Random(1)
    lines = []
    for _ in range(count):
        cards = chance.sample(NAMES[:PLAIN_COUNT], chance.randint(1, MOST_CARDS))
        on_table = chance.randint(0, len(cards) // 2)
        hand = {"hand": cards[on_table:], "table": cards[:on_table]}
        lines.append(json.dumps(hand).encode() + b"\n")
    return lines
