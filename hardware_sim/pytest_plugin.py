"""A plugin for pytest: a simulated table, readers, tags, a ship, a clock and faults as fixtures.

Whoever has Tidetable installed has the fixtures; docs/testing-your-own.md shows how they are
used. Each is made when it is asked for, and nothing of the table is imported before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from hardware_sim.evening.api import People, World
    from hardware_sim.evening.bench import (
        BoardReader,
        FaultMenu,
        LineReader,
        Pn532Reader,
        ReaderByHand,
        Readings,
        Ship,
        SimulatedTable,
    )
    from hardware_sim.evening.faults import Plan
    from hardware_sim.evening.room import HandClock
    from hardware_sim.evening.tally import Tally

PLAYERS = ("Ann", "Bo")


@pytest.fixture
def _tidetable_stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def tidetable_clock() -> HandClock:
    """A monotonic clock that goes on when the test says so: `tidetable_clock.pass_time(3)`."""
    from hardware_sim.evening.room import HandClock  # noqa: PLC0415

    return HandClock()


@pytest.fixture
def tidetable_tags() -> Callable[..., World]:
    """Makes the tags of a game: `tidetable_tags("tentacles", ["Ann", "Bo"])`."""
    from hardware_sim.evening.bench import tags_of  # noqa: PLC0415

    return tags_of


@pytest.fixture
def tidetable_table(
    _tidetable_stack: ExitStack,
    tmp_path_factory: pytest.TempPathFactory,
    tidetable_clock: HandClock,
) -> Callable[..., SimulatedTable]:
    """Makes a real table: `tidetable_table("tentacles", players=["Ann", "Bo"])`.

    Args of what it returns: the game; by name `players`, `starter`, `options`, `stations` (where
    readers stand), `tags` (a `World`), and `real_time` (for drivers with hardware behind them,
    simulated or not; then the table goes by the machine's clock).
    """
    from hardware_sim.evening.bench import MachineClock, SimulatedTable, setup_of  # noqa: PLC0415

    def make(
        game: str = "tentacles",
        *,
        players: Sequence[str] = PLAYERS,
        starter: str | None = None,
        options: Mapping[str, Any] | None = None,
        stations: Sequence[str] = ("play",),
        tags: World | None = None,
        real_time: bool = False,
    ) -> SimulatedTable:
        table = SimulatedTable(
            tmp_path_factory.mktemp("table") / "record",
            setup_of(game, players, starter, options or {}),
            tags,
            stations=stations,
            clock=MachineClock() if real_time else tidetable_clock,
            chance=Random(1),  # noqa: S311 - it keeps no secret
        )
        _tidetable_stack.callback(table.close)
        return table

    return make


@pytest.fixture
def tidetable_hand_reader() -> ReaderByHand:
    """A driver that the test moves by hand, of which nothing is simulated."""
    from hardware_sim.evening.bench import ReaderByHand  # noqa: PLC0415

    return ReaderByHand()


@pytest.fixture
def tidetable_reader(
    _tidetable_stack: ExitStack, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], LineReader | Pn532Reader | BoardReader]:
    """Makes simulated hardware: `tidetable_reader("pn532")`, `"line"` or `"board"`.

    Its `name` is what a driver is opened by. A test that asks for a board is skipped where
    MicroPython is not installed.
    """
    from hardware_sim.board.simulated_board import NoMicroPython  # noqa: PLC0415
    from hardware_sim.evening.bench import READERS  # noqa: PLC0415

    def make(kind: str) -> LineReader | Pn532Reader | BoardReader:
        if kind not in READERS:
            raise LookupError(f"There is no reader {kind!r}; there is {', '.join(READERS)}.")
        try:
            return READERS[kind](_tidetable_stack, tmp_path_factory.mktemp(kind))
        except NoMicroPython as error:
            pytest.skip(str(error))

    return make


@pytest.fixture
def tidetable_readings() -> Readings:
    """Stands for a table where a driver is tested alone: hand it over as `report`."""
    from hardware_sim.evening.bench import Readings  # noqa: PLC0415

    return Readings()


@pytest.fixture
def tidetable_ship() -> Callable[[SimulatedTable], Ship]:
    """Puts a ship with a sensor on a table: `tidetable_ship(table).swings("capsized")`."""
    from hardware_sim.evening.bench import Ship  # noqa: PLC0415

    return lambda table: Ship(table, Random(1))  # noqa: S311 - it keeps no secret


@pytest.fixture
def tidetable_faults() -> FaultMenu:
    """Makes plans of faults, `tidetable_faults(miss=0.03)`; `tidetable_faults.kinds` is the menu."""
    from hardware_sim.evening.bench import FaultMenu  # noqa: PLC0415

    return FaultMenu()


@pytest.fixture
def tidetable_game(_tidetable_stack: ExitStack) -> Callable[[Any], None]:
    """Lets a game of your own be played while the test runs: `tidetable_game(MyGame())`.

    What it takes is a `companion.rules.api.Game`.
    """
    from hardware_sim.evening.bench import add_game  # noqa: PLC0415

    return lambda game: add_game(game, _tidetable_stack)


@pytest.fixture
def tidetable_evenings() -> Callable[..., Tally]:
    """Lets robot people play: `tidetable_evenings(MyPeople, games=20, faults=plan)`.

    Args of what it returns: the people's class; by name `games`, `faults` (a plan; the usual one if
    left out), `careless` (whether they do not care for a missing sign) and `seed`. The tally
    that comes back is `sound` when the table was never wrong in silence.
    """
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    from hardware_sim.evening.faults import USUAL, Plan  # noqa: PLC0415
    from hardware_sim.evening.room import quick_folder  # noqa: PLC0415
    from hardware_sim.evening.runner import play_one  # noqa: PLC0415
    from hardware_sim.evening.tally import Tally  # noqa: PLC0415

    def play(
        people: type[People],
        *,
        games: int = 10,
        faults: Plan | None = None,
        careless: bool = False,
        seed: int = 1,
    ) -> Tally:
        tally = Tally()
        with TemporaryDirectory(dir=quick_folder()) as place:
            for number in range(games):
                play_one(
                    people,
                    Path(place) / str(number),
                    Plan.of(USUAL) if faults is None else faults,
                    seed=seed,
                    number=number,
                    temper="careless" if careless else "attentive",
                    tally=tally,
                )
        return tally

    return play
