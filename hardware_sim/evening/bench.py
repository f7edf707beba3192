"""A bench for tests of a reader or a game: a real table, readers of each kind, tags, a ship.

`hardware_sim.pytest_plugin` hands these out as fixtures (docs/testing-your-own.md).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random
from typing import Any, Literal, TypeAlias

from companion import codec
from companion.drivers import registry
from companion.drivers.api import (
    Attitude,
    Clock,
    DeviceBack,
    DeviceLost,
    Driver,
    Reading,
    Report,
    Settling,
    TagOff,
    TagOn,
)
from companion.match import Match, Setup
from companion.rules import GAMES, game_named
from companion.rules.api import Action, Game
from companion.snapshot import Answer, Event, Snapshot
from hardware_sim.evening.api import CONTROL_TAGS, World, numbered_tags
from hardware_sim.evening.faults import ALL_KINDS, KINDS, UNKNOWN_UID, Plan, Tap, steps_of
from hardware_sim.evening.hands import PAGE
from hardware_sim.evening.room import HandClock, Room
from hardware_sim.tags import Tag, make_tag, parse_uid

LIMIT_S = 5.0
"""How long is waited for what a real driver is to tell."""

SHIP = "ship"
AT_A_TAP = frozenset({*KINDS["hands"], *KINDS["readers"]} - {"wrong-reader", "misplace"})
"""Faults that strike one tap; the others befall the room."""

Ending: TypeAlias = Literal["capsized", "upright"]


class MachineClock(HandClock):
    """The real monotonic clock, for tables with real drivers."""

    def __call__(self) -> int:
        """What it shows."""
        return time.monotonic_ns()

    def pass_time(self, seconds: float) -> None:
        """Nobody can make it go on: a test waits for what is to happen."""


def tags_of(game: str, players: Sequence[str], options: Mapping[str, Any] | None = None) -> World:
    """A tag on everything of a game, the players' tokens and the control tokens.

    Where the game does not say how many pieces there are, each component is there once.

    Raises:
        Refusal: it cannot be set up so.
    """
    rules = game_named(game)
    state = rules.start(players, None, options)
    total = rules.pieces(state).total or dict.fromkeys(rules.components, 1)
    return World(
        numbered_tags(
            [
                *(f"{game}/{name}" for name, count in total.items() for _ in range(count)),
                *(f"player/{number}" for number in range(1, len(players) + 1)),
                *CONTROL_TAGS,
            ]
        )
    )


def setup_of(
    game: str, players: Sequence[str], starter: str | None, options: Mapping[str, Any]
) -> Setup:
    """How a game begins at a table of wood, where nothing is dealt by the program."""
    return Setup(game, tuple(players), starter, options)


class SimulatedTable:
    """A real table on a real record, and hands at its readers.

    Args:
        folder: for the record.
        setup: how the game begins.
        world: the tags; those of the whole game if left out.
        stations: where readers by hand stand.
        clock: by which everything is stamped.
        chance: decides on times.

    Attributes:
        room: where it stands; the deeper things are there.
        world: the tags.
    """

    def __init__(
        self,
        folder: Path,
        setup: Setup,
        world: World | None = None,
        *,
        stations: Sequence[str],
        clock: HandClock,
        chance: Random,
    ) -> None:
        world = world or tags_of(setup.game, setup.players, setup.options)
        self.room = Room(folder, setup, world.tags, stations, clock=clock)
        self._station = next(iter(stations), "")
        self.world = world
        self._chance = chance
        self._drivers: list[Driver] = []

    def close(self) -> None:
        """End the drivers, then the service."""
        for driver in self._drivers:
            driver.close()
        self.room.close()

    # What people do

    def tap(self, what: str, station: str | None = None, *, faults: Sequence[str] = ()) -> Event:
        """Lay a tag on a reader and lift it.

        Args:
            what: a component, such as `tentacles/dots` (a card that was not laid before, where
                there is one), or a UID.
            station: whose reader; the first if left out.
            faults: kinds of `hardware_sim.evening.faults` that strike, of hands and readers.

        Returns:
            The last thing that the table told.

        Raises:
            LookupError: there is no such tag, station or fault.
        """
        unknown = set(faults) - AT_A_TAP
        if unknown:
            raise LookupError(f"There is no fault {', '.join(sorted(unknown))} of one tap.")
        reader = self.room.reader_at[station or self._station]
        uid = self._uid(what)
        beside = next((other for other in self.world.tags if other != uid), None)
        self.room.play(steps_of(Tap(reader, uid), beside, frozenset(faults), self._chance))
        self.world.put(uid, "laid")
        return self.room.look().event

    def tap_unknown(self, station: str | None = None) -> Event:
        """Lay a tag on a reader that is not enrolled."""
        reader = self.room.reader_at[station or self._station]
        self.room.play(steps_of(Tap(reader, UNKNOWN_UID), None, frozenset(), self._chance))
        return self.room.look().event

    def touch(self, action: Action) -> Answer:
        """Choose an action on a page."""
        return self.room.table.act(action, source=PAGE)

    def undo(self, count: int = 1) -> Answer:
        """Take back on a page."""
        return self.room.table.undo(count, source=PAGE)

    def answer(self, question: str, choice: str) -> Answer:
        """Answer a question of the table."""
        return self.room.table.answer(question, choice, source=PAGE)

    # What everybody sees

    @property
    def snapshot(self) -> Snapshot:
        """The newest one."""
        return self.room.look()

    @property
    def turn(self) -> str | None:
        """Who is in turn."""
        return self.snapshot.standing.turn

    @property
    def state(self) -> Mapping[str, Any]:
        """What a spectator may see."""
        return self.snapshot.state

    @property
    def told(self) -> list[str]:
        """Kinds of what the table told since this was asked last, such as `action`."""
        self.room.look()
        return [event.kind for event in self.room.listen()]

    @property
    def match(self) -> Match:
        """What the table holds to be true; no page shows all of it."""
        self.room.look()
        return self.room.record

    # Real drivers

    def attach(self, driver: Driver | str) -> Driver:
        """Open a driver at this table; it is closed with it.

        Args:
            driver: one of your own, or a name such as `line:/dev/pts/3`.
        """
        opened = registry.make(driver) if isinstance(driver, str) else driver
        if isinstance(opened, Settling):
            opened.settle_with(self.room.table.settle)
        self._drivers.append(opened)
        opened.open(self.room.table.report, self.room.clock)
        return opened

    def wait_until(self, happens: Callable[[Snapshot], bool], limit_s: float = LIMIT_S) -> Snapshot:
        """Wait for what a real driver brings about.

        Raises:
            TimeoutError: it does not happen within the limit.
        """
        end_s = time.monotonic() + limit_s
        snapshot = self.room.look()
        while not happens(snapshot):
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                event = snapshot.event
                raise TimeoutError(
                    f"It did not happen within {limit_s} s; the last thing told was "
                    f"{event.kind} {event.code} {event.message}"
                )
            snapshot = self.room.table.wait(snapshot.revision, left_s)
        return snapshot

    def _uid(self, what: str) -> str:
        if what in self.world.tags:
            return what
        uids = self.world.all(what)
        if not uids:
            raise LookupError(f"There is no {what} at this table.")
        fresh = (uid for uid in uids if self.world.place(uid) is None)
        return next(fresh, uids[0])


class Readings:
    """What a driver reports, one after the other: hand it to `Driver.open` as `report`."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Reading] = SimpleQueue()

    def __call__(self, reading: Reading) -> None:
        """Take it; returns at once, as a table does."""
        self._queue.put(reading)

    def next(self, limit_s: float = LIMIT_S) -> Reading:
        """The next one.

        Raises:
            TimeoutError: none comes.
        """
        try:
            return self._queue.get(timeout=limit_s)
        except Empty:
            raise TimeoutError(f"No reading came within {limit_s} s.") from None

    def next_tag(self, limit_s: float = LIMIT_S) -> TagOn | TagOff:
        """The next one of a tag, whatever devices report before it.

        Raises:
            TimeoutError: none comes.
        """
        while not isinstance(reading := self.next(limit_s), TagOn | TagOff):
            pass
        return reading


# Readers of each kind: tags are laid on them, and a driver opens them by their name.


def _nowhere(reading: Reading) -> None:
    """Nobody listens yet, or any more."""


class ReaderByHand(Driver):
    """A driver that is moved by hand, of which nothing is simulated."""

    def __init__(self, name: str = "hand") -> None:
        self.name = name
        self._report: Report = _nowhere
        self._clock: Clock = time.monotonic_ns

    def open(self, report: Report, clock: Clock) -> None:
        """Start to report (see `Driver.open`)."""
        self._report, self._clock = report, clock
        self.plug()

    def close(self) -> None:
        """Stop reporting."""
        self._report = _nowhere

    def lay(self, uid: str) -> None:
        """A tag comes into the field."""
        self._report(TagOn(self.name, uid, self._clock()))

    def lift(self, uid: str) -> None:
        """It leaves the field."""
        self._report(TagOff(self.name, uid, self._clock()))

    def unplug(self) -> None:
        """The cable is pulled."""
        self._report(DeviceLost(self.name, "It is unplugged: plug it in.", self._clock()))

    def plug(self) -> None:
        """The cable is plugged in."""
        self._report(DeviceBack(self.name, "Reader by hand", self._clock()))


class LineReader:
    """A board that writes plain lines, at one end of a pseudo terminal.

    Attributes:
        name: what a driver is made from, such as `line:/dev/pts/3`.
    """

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        from hardware_sim.pty import PseudoTerminal  # noqa: PLC0415

        del folder
        self._terminal = stack.enter_context(PseudoTerminal())
        self.name = f"line:{self._terminal.name}"

    def lay(self, uid: str) -> None:
        """A tag comes to place 1."""
        self.write(f"1 {uid} on\n".encode())

    def lift(self, uid: str) -> None:
        """It leaves place 1."""
        self.write(f"1 {uid} off\n".encode())

    def write(self, data: bytes) -> None:
        """The board says this, sense or not."""
        os.write(self._terminal.master, data)


class Pn532Reader:
    """A PN532 chip at a serial line, to its frames and its radio.

    Attributes:
        name: what a driver is made from, such as `pn532:/dev/pts/3`.
        chip: the chip; its faults are in `hardware_sim.pn532_faults`.
    """

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        from hardware_sim.pn532_chip import Pn532Chip  # noqa: PLC0415
        from hardware_sim.pn532_faults import Faults  # noqa: PLC0415
        from hardware_sim.pty import DeviceOnPty  # noqa: PLC0415

        del folder
        self.chip = Pn532Chip(Faults(), Random(1).random)  # noqa: S311 - it keeps no secret
        self.name = f"pn532:{stack.enter_context(DeviceOnPty(self.chip)).path}"
        self._tags: dict[str, Tag] = {}

    def lay(self, uid: str) -> None:
        """A tag comes into the field."""
        self._tags[uid] = make_tag(parse_uid(uid))
        self.chip.put(self._tags[uid])

    def lift(self, uid: str) -> None:
        """It leaves the field."""
        self.chip.take(self._tags.pop(uid))


class BoardReader:
    """A board with the real firmware in MicroPython.

    Attributes:
        name: what a driver is made from, such as `bridge:/tmp/board`.
        board: the board: its cable, its power and what hangs on it.
    """

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        from hardware_sim.board.simulated_board import SimulatedBoard  # noqa: PLC0415

        folder.mkdir(parents=True, exist_ok=True)
        self.board = stack.enter_context(SimulatedBoard(folder / "board"))
        self.name = f"bridge:{self.board.path}"

    def lay(self, uid: str) -> None:
        """A tag comes to the first place."""
        self.board.world.put(0, parse_uid(uid))

    def lift(self, uid: str) -> None:
        """It leaves the first place."""
        self.board.world.take(0, parse_uid(uid))


READERS: Mapping[str, Callable[[ExitStack, Path], LineReader | Pn532Reader | BoardReader]] = {
    "line": LineReader,
    "pn532": Pn532Reader,
    "board": BoardReader,
}
"""Readers on simulated hardware, by kind. `board` needs MicroPython for this machine."""


STANDS = (0, 0, 1000)
LIES = (1000, 0, 0)
BEAT_S = 0.02
ROCKING_BEATS = 60
ROCKS_MG = 600
"""A ship that is hit rocks for more than a second, by this many thousandths of g at first."""


class Ship:
    """The ship of an alarm, with a sensor that feels as a good accelerometer does.

    Args:
        table: where it stands.
        chance: of the sensor's trembling.
    """

    def __init__(self, table: SimulatedTable, chance: Random) -> None:
        self._room = table.room
        self._chance = chance

    def swings(self, ending: Ending) -> Event:
        """The ball is let go, strikes the ship, and both come to rest: so.

        Returns:
            The last thing that the table told.
        """
        self._rests(STANDS, 2.0)
        ship = self._room.look().ship
        if ship is not None and ship.reason:
            self._rocks()  # hands carry it to its place
            self._rests(STANDS, 4.0)
        self._rocks()
        self._rests(STANDS if ending == "upright" else LIES, 6.0)
        return self._room.look().event

    def falls(self) -> None:
        """Somebody knocks it over, and it lies."""
        self._rests(STANDS, 1.0)
        self._rests(LIES, 6.0)

    def _rocks(self) -> None:
        for beat in range(ROCKING_BEATS):
            blow = round(ROCKS_MG * (1 - beat / ROCKING_BEATS)) + 100
            self._feels((blow if beat % 2 else -blow, 0, 1000), BEAT_S)

    def _rests(self, pose: tuple[int, int, int], seconds: float) -> None:
        for _ in range(int(seconds / BEAT_S)):
            self._feels(pose, BEAT_S)

    def _feels(self, pose: tuple[int, int, int], after_s: float) -> None:
        self._room.pass_time(after_s)
        x, y, z = (axis + self._chance.randint(-4, 4) for axis in pose)
        self._room.report(Attitude(SHIP, x, y, z, self._room.now_ns))


class FaultMenu:
    """The kinds of faults that there are, and plans made of them."""

    kinds = ALL_KINDS

    def __call__(self, **rates: float) -> Plan:
        """A plan: `faults(miss=0.03, restarted_pcscd=0.001)`.

        Raises:
            LookupError: there is no such kind.
        """
        plan = {kind.replace("_", "-"): rate for kind, rate in rates.items()}
        unknown = sorted(set(plan) - set(ALL_KINDS))
        if unknown:
            raise LookupError(f"There is no fault {unknown[0]}; there is {', '.join(ALL_KINDS)}.")
        return Plan(plan)


def add_game(game: Game[Any], stack: ExitStack) -> None:
    """Let a game that lies anywhere be played until the stack is closed.

    Raises:
        ValueError: a game of this name is there already.
    """
    if game.name in GAMES:
        raise ValueError(f"There is a game {game.name} already.")
    GAMES[game.name] = game
    stack.callback(codec._verbs.cache_clear)  # noqa: SLF001 - another may have its name next
    stack.callback(GAMES.pop, game.name)
