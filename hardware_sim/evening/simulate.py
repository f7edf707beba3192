"""`companion simulate`: many games with faults, in parallel, and the figures of them."""

from __future__ import annotations

import argparse
import logging
import os
import resource
import shutil
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TextIO

from companion.rules import GAMES
from hardware_sim.evening import has_people, people_of
from hardware_sim.evening.faults import USUAL, Plan
from hardware_sim.evening.room import Room, quick_folder
from hardware_sim.evening.runner import Evening, Temper, play_one
from hardware_sim.evening.tally import Tally, Wrong

GAMES_AT_ONCE = 10
"""Games that a process plays before it tells its figures."""

BAR_WIDTH = 30
ALL = "all"
BOTH = "both"


@dataclass(frozen=True, slots=True)
class Run:
    """What is played.

    Attributes:
        game: its name.
        plan: of faults.
        seed: with a game's number it says all that chance decides in it.
        temper: of the people.
        keep: where the records of games stay that went wrong; None for nowhere.
    """

    game: str
    plan: Plan
    seed: int
    temper: Temper
    keep: Path | None = None

    def play(self, numbers: range) -> Tally:
        """Play the games of these numbers, each on a record of its own."""
        logging.getLogger("companion").setLevel(logging.CRITICAL)  # faults are meant here
        people = people_of(self.game)
        whole = Tally()
        with TemporaryDirectory(dir=quick_folder(), prefix="tidetable-") as place:
            for number in numbers:
                folder, tally = Path(place) / f"{self.game}-{self.seed}-{number}", Tally()
                try:
                    play_one(
                        people,
                        folder,
                        self.plan,
                        seed=self.seed,
                        number=number,
                        temper=self.temper,
                        tally=tally,
                    )
                except Exception as error:  # noqa: BLE001 - it is told, with the game's number
                    what = f"{type(error).__name__}: {error}"
                    tally.crashed.append(Wrong(self.seed, number, 0, what))
                for kept in Path(place).iterdir():
                    if self.keep is not None and not tally.sound:
                        shutil.copytree(kept, self.keep / kept.name, dirs_exist_ok=True)
                    shutil.rmtree(kept)
                whole.add(tally)
        return whole

    def play_at_one_table(self, games: int) -> Iterator[tuple[Tally, int, int]]:
        """Play one game after the other in one run of the service.

        Yields:
            After each game: the figures of it, the resident memory in KiB, and how many files
            are open.
        """
        logging.getLogger("companion").setLevel(logging.CRITICAL)  # faults are meant here
        people = people_of(self.game)
        setup = people.invitation(Random(f"{self.seed}"))  # noqa: S311 - cards, not secrets
        with TemporaryDirectory(dir=quick_folder(), prefix="tidetable-") as place:
            room: Room | None = None
            try:
                for number in range(games):
                    tally = Tally()
                    players = people(setup, Random(f"{self.seed}/{number}/people"))  # noqa: S311
                    slips = Random(f"{self.seed}/{number}/faults")  # noqa: S311
                    if room is None:
                        room = Room(
                            Path(place) / "record",
                            setup,
                            players.world.tags,
                            people.stations(setup),
                        )
                    else:
                        room.begin_again()
                    Evening(
                        players,
                        room,
                        self.plan,
                        slips,
                        name=(self.seed, number),
                        temper=self.temper,
                        tally=tally,
                    ).play()
                    yield tally, _resident_kib(), _open_files()
            finally:
                if room is not None:
                    room.close()


def _resident_kib() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() // 1024


def _open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


class Bar:
    """Progress in one line on standard error; where that is no terminal, a line now and then."""

    def __init__(self, what: str, games: int, out: TextIO) -> None:
        self._what = what
        self._games = games
        self._out = out
        self._began_s = time.monotonic()
        self._told_tenth = 0

    def show(self, tally: Tally) -> None:
        """So much is done."""
        done = tally.games
        tenth = 10 * done // self._games
        if not self._out.isatty() and tenth == self._told_tenth:
            return
        self._told_tenth = tenth
        filled = BAR_WIDTH * done // self._games
        left_s = (time.monotonic() - self._began_s) * (self._games - done) / max(done, 1)
        bar = "#" * filled + "." * (BAR_WIDTH - filled)
        line = (
            f"{self._what} [{bar}] {done:,} of {self._games:,} games, {len(tally.silent)} silent errors, "
            f"{int(left_s) // 60}:{int(left_s) % 60:02} left"
        )
        end = "\r" if self._out.isatty() and done < self._games else "\n"
        self._out.write(line + end)
        self._out.flush()


def run(chosen: argparse.Namespace) -> int:
    """Do what the command line asks for; the exit status is 1 when a game went wrong."""
    plan = Plan.of(USUAL) if chosen.faults is None else Plan.read(chosen.faults)
    games = [chosen.game]
    if chosen.game == ALL:
        games = [game for game in GAMES if has_people(game)]
    tempers: tuple[Temper, ...] = (
        ("attentive", "careless") if chosen.people == BOTH else (chosen.people,)
    )
    for game in games:
        people_of(game)
    if chosen.keep is not None:
        chosen.keep.mkdir(parents=True, exist_ok=True)
    if chosen.trace:
        logging.basicConfig(stream=sys.stderr, format="%(message)s")
        logging.getLogger("hardware_sim.evening").setLevel(logging.DEBUG)
        chosen.jobs = 1
    runs = [
        Run(game, plan, chosen.seed, temper, chosen.keep) for game in games for temper in tempers
    ]
    sound = [_run(each, chosen) for each in runs]
    return 0 if all(sound) else 1


def _run(wanted: Run, chosen: argparse.Namespace) -> bool:
    """Play one kind of games with one kind of people; whether nothing went wrong."""
    what = f"{wanted.game}, {wanted.temper} people, seed {wanted.seed}"
    bar, whole = Bar(what, chosen.games, sys.stderr), Tally()
    notes = ""
    if chosen.one_table:
        sizes = []
        for tally, kib, files in wanted.play_at_one_table(chosen.games):
            whole.add(tally)
            bar.show(whole)
            sizes.append((kib, files))
        notes = _growth(sizes)
    else:
        _in_parallel(wanted, chosen, bar, whole)
    print(f"{what}\n\n{whole.report()}{notes}\n", flush=True)  # noqa: T201 - the command's answer
    return whole.sound


def _in_parallel(wanted: Run, chosen: argparse.Namespace, bar: Bar, whole: Tally) -> None:
    last = chosen.first + chosen.games
    with ProcessPoolExecutor(chosen.jobs or os.cpu_count()) as processes:
        parts = [
            processes.submit(wanted.play, range(start, min(start + GAMES_AT_ONCE, last)))
            for start in range(chosen.first, last, GAMES_AT_ONCE)
        ]
        try:
            for part in as_completed(parts):
                whole.add(part.result())
                bar.show(whole)
        except KeyboardInterrupt:
            processes.shutdown(wait=False, cancel_futures=True)


def _growth(sizes: list[tuple[int, int]]) -> str:
    first, last = sizes[len(sizes) // 4], sizes[-1]
    return (
        f"\n\nOne service: after {len(sizes) // 4 + 1} games {first[0]:,} KiB and {first[1]} open "
        f"files, after {len(sizes)} games {last[0]:,} KiB and {last[1]} open files."
    )
