"""`python -m tests.keeping.make_data FOLDER`: a data folder as the present program leaves it.

Two finished games and one that goes on, with undo and corrections in them; enrolled tags; a
household with seats and shapes; a copy. Run once for each version whose folders later ones
are to go on with, and kept for ever (see `data-0.1/README.md`).
"""

from __future__ import annotations

import argparse
import json
import urllib.parse
import urllib.request
from pathlib import Path

from companion.clocks import machine_clocks
from companion.codec import action_from_json
from companion.data_folder import JOURNAL, LOCK
from companion.household import HOUSEHOLD, Choices, Household
from companion.match import Setup
from companion.record.journal import Journal
from companion.repair.timeline import edits_from_json
from companion.snapshot import Source
from companion.table import Table
from tests.journal.make_golden import Evening
from tests.support.service import serving

GAMES = (
    # how it begins, the seed of who plays, whether it is finished
    (Setup("tentacles", ("Ann", "Bo", "Cy"), "Bo", {"octopus": 2}), 3, True),
    (Setup("sea-salt-paper", ("Ann", "Bo")), 5, True),
    (Setup("octopus-alarm", ("Kari", "Ola")), 2, False),
)
TAGS = {
    "04A3C6CAE26180": "tentacles/dots",
    "04B1C2D3E4F580": "tentacles/rings",
    "0411223344AA80": "player/1",
    "0411223344BB80": "control/stop",
}


class AtTheTable(Evening):
    """Plays at random at a real table."""

    def __init__(self, table: Table, setup: Setup, seed: int) -> None:
        super().__init__(setup, seed)
        self.table = table
        self.game = setup.game
        self.timeline = table.timeline

    def tell(self, command, uid=None) -> bool:
        match json.loads(json.dumps(command)):
            case {"undo": count}:
                answer = self.table.undo(count, source=Source("page"))
            case {"correct": edits}:
                answer = self.table.correct(
                    edits_from_json(self.game, edits), source=Source("page")
                )
            case {"restore": entry}:
                answer = self.table.restore(entry, source=Source("page"))
            case action:
                answer = self.table.act(action_from_json(self.game, action), source=Source("api"))
        self.timeline = self.table.timeline
        self.entries = list(self.table._authority.course.told)
        return answer.code is None


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a data folder of the present version.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir()
    journal = Journal(folder / JOURNAL, machine_clocks())
    journal.enrol(TAGS)
    for setup, seed, finished in GAMES:
        table = Table(journal, TAGS.get, lambda setup=setup: setup, fresh=True)
        table.start()
        evening = AtTheTable(table, setup, seed)
        if finished:
            evening.play()
        else:
            while len(evening.entries) < 30:
                evening.act()
            evening.undo(2)
            while not evening.corrections:
                evening.correct()
        table.close()
        print(f"{setup.game}: {len(evening.entries)} entries, {evening.corrections} corrections")
    journal.close()
    household = Household(folder / HOUSEHOLD)
    household.remember(("Kari", "Ola", "Ann", "Bo", "Cy"))
    household.shape("Kari", "heart")
    household.place({"sim": "play"})
    household.choose(Choices(odds=True, hints=True))
    household.close()
    with serving(folder) as service:  # it takes a copy, sums up the history, and somebody joins
        join(service, "Kari")
        join(service, "Ola")
        service.stop()
    (folder / LOCK).unlink()


def join(service, player: str) -> None:
    """Somebody takes a seat by the code on the terminal."""
    service.log.seek(0)
    code = next(
        line.rsplit(" ", 1)[1]
        for line in service.log.read().splitlines()
        if line.startswith("Phones join at")
    )
    form = urllib.parse.urlencode({"code": code, "seat": player}).encode()
    urllib.request.urlopen(f"{service.url}/join", form, timeout=30).close()


if __name__ == "__main__":
    main()
