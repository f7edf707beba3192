"""Whatever people do, the table that its record makes is the table that they had.

Random taps at random places, also of one card at two readers and of cards that take turns,
answers, undo, corrections and requests: after each, the record is folded anew.
"""

from __future__ import annotations

import random
from contextlib import closing

import pytest

from companion.course import Course
from companion.drivers.api import TagOff, TagOn
from companion.match import Setup
from companion.record.journal import Journal
from companion.repair.timeline import Delete
from companion.rules import game_named
from tests.support.tables import API, SECOND_NS, running, still_clocks

PLACES = {
    "tentacles": ["play"],
    "octopus-alarm": ["area-0", "area-1", "area-2", "area-3", "reef", ""],
    "sea-salt-paper": ["draw", "discard-1", "discard-2", "seat-1", "seat-2", "play"],
}
OPTIONS = {"score": {"tracking": "score"}, "full": {}}
CONTROLS = ("stop", "undo", "shuffle", "pass", "last-chance", "mermaids")
STEPS = 60


def tags_of(game):
    names = game_named(game).components
    copies = 1 if game == "sea-salt-paper" else 3
    components = [f"{game}/{name}" for name in names for _ in range(copies)]
    components += [f"control/{name}" for name in CONTROLS] + ["player/1", "player/2"]
    return {f"04{number:012X}": component for number, component in enumerate(components)}


def something(table, chance, tags, readers, now_ns):
    """People do one thing or another; what time it is after that."""
    uid, reader = chance.choice(list(tags)), chance.choice(readers)
    kind = chance.random()
    snapshot = table.snapshot
    if kind < 0.1 and snapshot.questions:
        question = chance.choice(snapshot.questions)
        table.answer(question.key, chance.choice(question.choices).key, source=API)
    elif kind < 0.15 and snapshot.legal:
        table.undo(1, source=API)
    elif kind < 0.2 and table.timeline.links:
        table.correct([Delete(chance.choice(table.timeline.links).label)], source=API)
    elif kind < 0.3:
        others = [uid, chance.choice(list(tags))]
        for number in range(4):
            now_ns = lay(table, reader, others[number % 2], now_ns + SECOND_NS // 20)
    elif kind < 0.4:
        now_ns = lay(table, reader, uid, now_ns + 2 * SECOND_NS)
        now_ns = lay(table, chance.choice(readers), uid, now_ns + SECOND_NS // 20)
    else:
        now_ns = lay(table, reader, uid, now_ns + 2 * SECOND_NS)
    return now_ns


def lay(table, reader, uid, now_ns):
    table.report(TagOn(reader, uid, now_ns))
    table.report(TagOff(reader, uid, now_ns + SECOND_NS // 20))
    return now_ns + SECOND_NS // 20


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("game", "how"),
    [
        ("tentacles", "full"),
        ("octopus-alarm", "full"),
        ("sea-salt-paper", "full"),
        ("sea-salt-paper", "score"),
    ],
)
def test_the_fold_of_the_record_is_what_the_table_has(tmp_path, game, how, seed):
    chance, tags, now_ns = random.Random(f"{game}/{how}/{seed}"), tags_of(game), SECOND_NS
    stations = {f"r{number}": place for number, place in enumerate(PLACES[game]) if place}
    readers = [f"r{number}" for number in range(len(PLACES[game]))]
    setup = Setup(game, ("Ann", "Bo"), None, OPTIONS[how])
    with running(tmp_path, setup, tags=tags, stations=stations) as table:
        for _ in range(STEPS):
            now_ns = something(table, chance, tags, readers, now_ns)
            had = table.settle()
            with closing(Journal(tmp_path / "table.sqlite", still_clocks())) as journal:
                folded = Course.resume(journal, journal.newest())
                rows = sum(1 for _ in journal.record(folded.begun.id))
            assert folded.match.state == table.timeline.match.state
            assert folded.timeline.links == table.timeline.links
            assert (folded.questions, folded.waiting) == (had.questions, had.waiting)
    assert rows > STEPS // 2, "there was something to fold"
