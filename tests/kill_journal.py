"""`python -m tests.kill_journal --times 1000`: a table is killed at random moments over whole games.

A child process plays on a real table with a real record, with its copies, and says on a pipe
what it tries and what was acknowledged. It is killed with SIGKILL, and the next one goes on in
the same folder. After each kill: what was acknowledged is there, once; of the rest there is at
most what was being tried; the chain holds and the game plays.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import select
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from companion.clocks import machine_clocks
from companion.data_folder import JOURNAL
from companion.drivers.api import TagOn
from companion.match import SeededChance, Setup
from companion.record.copier import Copier
from companion.record.reading import check_chain, games, newest_game, reading, rows
from companion.record.recovery import UNFINISHED, opened
from companion.record.verify import folded, verified
from companion.repair.timeline import Delete
from companion.rules.api import Leave, Refusal
from companion.snapshot import Source
from companion.table import Table

API = Source("api")
SETUPS = (
    Setup("tentacles", ("Ann", "Bo")),
    Setup("octopus-alarm", ("Ann", "Bo")),
    Setup("sea-salt-paper", ("Ann", "Bo")),
)
MEAN_S = 0.2
"""How long a child lives on average: it may not survive its start, or play some tens of actions."""
LONGEST_S = 1.0


# The child


def play(folder: Path, setup: Setup, run: int, say: int) -> None:
    """Play until killed, and write `told`, `try` and `ack` to the pipe `say`."""
    chance = random.Random(run)
    logging.disable()

    def tell(*words: object) -> None:
        os.write(say, (" ".join(map(str, words)) + "\n").encode())

    clocks = machine_clocks()
    found = opened(folder, clocks)
    for sentence in found.sentences:
        tell("told", "unfinished" if sentence == UNFINISHED else sentence)
    table = Table(found.journal, {}.get, lambda: setup)
    table.start()
    Copier(table, folder / JOURNAL).start()
    number = 0
    while True:
        number += 1
        snapshot = table.snapshot
        if snapshot.standing.over and chance.random() < 0.8:
            table.new_game(source=API)
            tell("game", table.snapshot.game)
            continue
        if chance.random() < 0.2:
            table.report(TagOn("r1", f"04A3{number:010}", clocks.monotonic_ns()))
        for question in snapshot.questions:
            table.answer(question.key, chance.choice(question.choices).key, source=API)
        identity = f"{run}-{number}"
        tell("try", identity)
        answer = _something(table, chance, identity)
        if answer is not None and answer.code is None:
            tell("ack", identity)


def _something(table: Table, chance: random.Random, identity: str):
    timeline = table.timeline
    kind = chance.random()
    if timeline.links and kind < 0.05:
        return table.undo(chance.randint(1, 2), source=API, request_id=identity)
    if timeline.links and kind < 0.10:
        edit = Delete(chance.choice(timeline.links[-5:]).label)
        return table.correct([edit], source=API, request_id=identity)
    match = timeline.match
    legal = [action for action in match.game.legal(match.state) if not isinstance(action, Leave)]
    if not legal:
        return None
    try:
        dealt = SeededChance(chance.randrange(1 << 30))
        action = match.game.deal(match.state, chance.choice(legal), dealt)
    except Refusal:
        return None
    return table.act(action, source=API, request_id=identity)


# Who kills


@dataclass
class Tally:
    """What came of it so far."""

    kills: int = 0
    acknowledged: int = 0
    more: int = 0
    finished: int = 0
    wrong: list[str] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return (
            f"{self.kills} kills, {self.acknowledged} acknowledged, {self.more} on the disk though "
            f"not yet acknowledged, {self.finished} games finished, {self.told['unfinished']} torn "
            f"ends told, {len(self.wrong)} wrong"
        )


class Killer:
    """Kills children one after another, and looks at what each left behind."""

    def __init__(self, folder: Path, setup: Setup, seed: int, mean_s: float = MEAN_S) -> None:
        self._mean_s = mean_s
        self._folder = folder
        self._setup = setup
        self._seed = seed
        self._seen: set[str] = set()
        self.tally = Tally()
        folder.mkdir(exist_ok=True)

    def kill_one(self, run: int) -> None:
        life_s = min(random.Random(f"{self._seed} {run}").expovariate(1 / self._mean_s), LONGEST_S)
        tried, acknowledged = self._run_and_kill(run, life_s)
        self.tally.kills += 1
        self.tally.acknowledged += len(acknowledged)
        if not (self._folder / JOURNAL).exists():
            return  # killed before the record was begun
        with reading(self._folder / JOURNAL) as connection:
            newest = newest_game(connection)
            if newest is None:
                return
            check_chain(connection, newest)
            folded(connection, newest)
            recorded = connection.execute(
                "SELECT request FROM entry JOIN game ON game = id WHERE request LIKE ? "
                "ORDER BY number, entry",
                (f"{run}-%",),
            ).fetchall()
        found = [request for (request,) in recorded]
        rest = found[len(acknowledged) :]
        self.tally.more += len(rest)
        if found[: len(acknowledged)] != acknowledged or rest not in ([], tried[-1:]):
            self.tally.wrong.append(f"run {run}: {acknowledged} acknowledged, {found} there")

    def _run_and_kill(self, run: int, life_s: float) -> tuple[list[str], list[str]]:
        """What a child tried, and what was acknowledged."""
        hear, say = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(hear)
            try:
                play(self._folder, self._setup, run, say)
            except BaseException as error:  # noqa: BLE001 - the parent is to hear of it
                os.write(say, f"failed {type(error).__name__} {error}\n".encode())
            os._exit(1)
        os.close(say)
        said = b""
        end = time.monotonic() + life_s
        while (left := end - time.monotonic()) > 0:
            if select.select([hear], [], [], left)[0]:
                chunk = os.read(hear, 65536)
                if not chunk:
                    break
                said += chunk
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while chunk := os.read(hear, 65536):
            said += chunk
        os.close(hear)
        words = [line.partition(" ")[::2] for line in said.decode().splitlines()]
        for verb, rest in words:
            if verb == "told":
                self.tally.told[rest] += 1
                if rest != "unfinished":
                    self.tally.wrong.append(f"run {run}: told {rest}")
            if verb == "failed":
                self.tally.wrong.append(f"run {run}: {rest}")
            self.tally.finished += verb == "game"
        return [rest for verb, rest in words if verb == "try"], [
            rest for verb, rest in words if verb == "ack"
        ]

    def end(self) -> None:
        """Look at everything once more, and at every copy."""
        with closing(opened(self._folder, machine_clocks()).journal):
            pass
        for path in (self._folder / JOURNAL, *(self._folder / "backups").glob("table-*.sqlite")):
            with reading(path) as connection:
                self.tally.wrong += verified(connection).troubles
                requests = [
                    row.columns[7]
                    for game in games(connection)
                    for row in rows(connection, game.id)
                    if row.table == "entry"
                ]
            if len(set(requests)) != len(requests):
                self.tally.wrong.append(f"{path}: a request twice")
        if list(self._folder.glob("table.damaged-*")):
            self.tally.wrong.append("a record was set aside")


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill a table at random moments.")
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mean", type=float, default=MEAN_S, help="seconds that a child lives")
    chosen = parser.parse_args()
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        killers = [
            Killer(Path(folder) / setup.game, setup, chosen.seed, chosen.mean) for setup in SETUPS
        ]
        for run in range(chosen.times):
            killers[run % len(killers)].kill_one(run)
            if sys.stderr.isatty():
                print(f"\r{run + 1} kills", end="", file=sys.stderr, flush=True)
        wrong = 0
        for killer, setup in zip(killers, SETUPS, strict=True):
            killer.end()
            wrong += len(killer.tally.wrong)
            print(f"{setup.game}: {killer.tally}", *killer.tally.wrong, sep="\n  ")
    print(f"{time.monotonic() - began_s:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
