"""The composition root: builds the table, its drivers and its pages, and starts and stops them."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import quote

from companion import addresses, notify
from companion.beginning import NoWholeGame, setup_of, unmet
from companion.clocks import Clocks, machine_clocks
from companion.config import USUAL_GAME, Config, Told
from companion.data_folder import JOURNAL, Hold
from companion.drivers import registry
from companion.drivers.api import Driver, DriverError, SimulatedDriver, Turned
from companion.errors import PlainError
from companion.instruments import Instruments
from companion.log_file import writing
from companion.log_tail import listening
from companion.machine import MachineFacts
from companion.match import Setup
from companion.network.addresses import ANYWHERE
from companion.network.nearby import Nearby, at
from companion.network.presence import present
from companion.places import follow, hand_over, seats_of
from companion.readers import Readers
from companion.record import recovery
from companion.record.archive import Archive
from companion.record.copier import Copier
from companion.record.household_file import household_of
from companion.record.journal import Journal
from companion.record.summaries import SUMMARIES
from companion.rules import game_named
from companion.rules.api import Refusal
from companion.settings.live import LiveSettings
from companion.settings.secret import secrets_of
from companion.signals import Signals
from companion.snapshot import Snapshot
from companion.table import Table
from companion.table_top import table_top
from companion.tags import controls_of
from companion.telling.teller import telling
from web_ui import Server, create_app, listen
from web_ui.access import TableLink
from web_ui.contracts import VirtualTable
from web_ui.diagnostics_report import names_of

log = logging.getLogger(__name__)

SIGNAL_S = 0.5
"""After this time at most a signal is heeded."""

DEFAULT_PLAYERS = ("Ann", "Bo")


class ServiceError(PlainError):
    """The service cannot start."""


def run(told: Told) -> None:
    """Run the service until SIGTERM or SIGINT; on SIGHUP it looks at the file of the settings.

    Raises:
        PlainError: it cannot start.
    """
    end, came_back = threading.Event(), threading.Event()
    settings = told.settings()

    def start_anew() -> None:
        came_back.set()
        end.set()

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        end.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGHUP, lambda *_: settings.wake())
    try:
        with serving(settings, machine_clocks(), start_anew) as lines:
            addresses.tell(settings.now.data, lines)
            print(lines[0].replace("Scoreboard: ", "ready "), flush=True)
            # The kernel may hand the signal to another thread, and then nothing wakes this one.
            while not end.wait(SIGNAL_S):
                pass
    except (DriverError, Refusal) as error:
        raise ServiceError(str(error)) from error
    if came_back.is_set():
        raise ServiceError(
            f"The disk with {settings.now.data} was pulled out and is in again: start the service "
            "anew (systemd does), and the game goes on where it was."
        )


@contextmanager
def serving(
    settings: LiveSettings[Config], clocks: Clocks, start_anew: Callable[[], None] = lambda: None
) -> Iterator[Sequence[str]]:
    """The running service, as lines that tell people where to go; the first is the scoreboard.

    Args:
        settings: of the table; they may change meanwhile.
        clocks: of the machine.
        start_anew: called when only another start can go on: the disk was pulled out and is back.

    Raises:
        PlainError, DriverError, Refusal: it cannot start; nothing runs then.
    """
    config = settings.now  # as at the start; what may change meanwhile is asked for anew
    drivers = [registry.make(name) for name in config.readers]
    with ExitStack() as stack:
        tail = stack.enter_context(listening())
        _warn(config.strangers(settings.file.get("readers", ())))
        hold = stack.enter_context(Hold(config.data))
        kept = stack.enter_context(writing(config.data, config.log))
        # All that can be refused comes before a game is begun.
        listener = _listen(config)
        stack.callback(listener.close)
        record = recovery.opened(config.data, clocks)
        _warn(record.sentences)
        found = record.in_one_line
        journal = stack.enter_context(closing(record.journal))
        household = stack.enter_context(closing(household_of(config.data, clocks)))
        simulated = [driver for driver in drivers if isinstance(driver, SimulatedDriver)]
        software = stations_in_software(simulated)
        hand_over(household, settings, software)

        def lay_out_all() -> None:
            for virtual in simulated:
                lay_out(virtual, table, journal.tags())

        table = Table(
            journal,
            _look_up(journal, simulated),
            lambda: _setup(config, journal.tags()),
            fresh=config.new or _gives_way(journal, config),
            clock=clocks.monotonic_ns,
            thresholds=settings.now.ship,
            stations={**software, **settings.now.stations},
            began=lay_out_all,  # another game has other things
        )
        token = config.token or journal.recall("token") or secrets.token_urlsafe(16)
        if config.token is None:
            journal.remember("token", token)
        link = TableLink(token, table.snapshot.table)
        kept.hide(
            lambda: names_of(table.snapshot, household.now),
            lambda: (token, link.join_code, link.pin, *secrets_of(settings.now)),
        )
        lay_out_all()
        readers = _readers(config, drivers, table, clocks)
        app = create_app(
            table,
            token=token,
            virtual=next((each for each in drivers if isinstance(each, VirtualTable)), None),
            household=household,
            settings=settings,
            instruments=Instruments(
                table.passages,
                tail,
                MachineFacts(config.data),
                readers.restart,
                readers.bus_of,
                readers.taps,
            ),
            nearby=lambda: presence.now,
            placeholders=() if config.players else DEFAULT_PLAYERS,
            games=stack.enter_context(_history(config.data)),
        )
        server = Server(app, listener)
        signals = Signals(
            table,
            lambda: readers.signalling,
            lambda: settings.now.seats or seats_of(table.stations),
        )
        copier = Copier(
            table, config.data / JOURNAL, config.backup, clocks=clocks, came_back=start_anew
        )
        stack.enter_context(telling(table, clocks.wall, settings))
        follow(settings, table, software)
        table.start()
        signals.start()
        copier.start()
        # What was started last ends first; the table ends before those that wait for it: the
        # signals, and the streams of the server.
        for its in (server, signals, copier, table, readers):
            stack.callback(its.close)
        presence = stack.enter_context(
            present(listener, config.network, config.wifi, changed=table.refresh)
        )
        _subscribe(
            settings,
            {
                "readers": readers.follow,
                "backup": copier.use,
                "log": kept.use,
                "network": presence.use,
            },
        )
        stack.enter_context(settings)
        readers.open()
        table.settle()  # the first page shows the readers that are there already
        threading.Thread(target=server.run, name="web", daemon=True).start()
        address = at("127.0.0.1" if config.host in ANYWHERE else config.host, server.port)
        hold.say(f"the service with process id {os.getpid()} at {address}")
        log.info("%s", found)
        _say_what_runs(config, table)
        stack.enter_context(
            notify.told(address, table.settle, f"{found} The pages are at {address}")
        )
        yield _addresses(address, token, link, presence.now, virtual=bool(simulated))


def _subscribe(
    settings: LiveSettings[Config], followers: Mapping[str, Callable[[Any], None]]
) -> None:
    for section, follow_it in followers.items():
        settings.subscribe(section, follow_it)


def _warn(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        log.warning("%s", sentence)


def _look_up(journal: Journal, simulated: Sequence[SimulatedDriver]) -> Callable[[str], str | None]:
    """What a tag is on, by UID: as enrolled, else as a table in software says."""

    def look_up(uid: str) -> str | None:
        virtual = (driver.component(uid) for driver in simulated)
        return journal.component(uid) or next(filter(None, virtual), None)

    return look_up


def _readers(config: Config, drivers: Sequence[Driver], table: Table, clocks: Clocks) -> Readers:
    named = tuple(zip(config.readers, drivers, strict=True))
    return Readers(named, table.report, table.settle, clocks.monotonic_ns)


def _say_what_runs(config: Config, table: Table) -> None:
    snapshot = table.snapshot
    log.info("Tidetable %s begins with %s.", version("tidetable"), ", ".join(config.readers))
    for warning in game_named(snapshot.game_name).warnings(snapshot.options):
        log.warning("%s", warning)
    if table.resumed:
        log.info("%s", _goes_on(snapshot))
        asked = unmet(
            table.timeline.match.setup, config.game, config.players, config.starter, config.set
        )
        if asked:
            log.info(
                "What was asked of a new game (%s) waits for --new, or for the next game that is "
                "set up.",
                ", ".join(asked),
            )


def _goes_on(snapshot: Snapshot) -> str:
    who = ", ".join(snapshot.players)
    how = "is over" if snapshot.standing.over else f"goes on at step {snapshot.step}"
    return f"The game of {snapshot.game_name} with {who} {how}."


def _listen(config: Config) -> socket.socket:
    try:
        return listen(config.host, config.port)
    except OSError as error:
        raise ServiceError(
            f"Port {config.port} of {config.host} cannot be had ({error.strerror}): choose "
            "another by companion config set port=8081 or with --port, or stop the program that "
            "has it."
        ) from None


def _players(config: Config) -> tuple[str, ...]:
    return config.players or DEFAULT_PLAYERS


def _gives_way(journal: Journal, config: Config) -> bool:
    """Whether nothing was done yet in the recorded game, and another one is asked for."""
    begun = journal.newest()
    if begun is None or not journal.untouched(begun.id):
        return False
    setup = begun.setup
    return config.players not in ((), setup.players) or config.game not in (None, setup.game)


def _setup(config: Config, enrolled: Mapping[str, str]) -> Setup:
    """A new game as configured, played with the pieces that carry tags."""
    try:
        return setup_of(
            config.game or USUAL_GAME, _players(config), config.starter, config.set, enrolled
        )
    except NoWholeGame as refusal:
        raise ServiceError(
            f"The enrolled tags make no whole game yet. {refusal.message} Enrol the rest with "
            "companion tags import, or choose what to play with by --set."
        ) from None


@contextmanager
def _history(folder: Path) -> Iterator[Archive]:
    """The games of the record, gone through beside the play."""
    archive = Archive(folder / JOURNAL, folder / SUMMARIES)
    archive.start()
    try:
        yield archive
    finally:
        archive.close()


def lay_out(driver: SimulatedDriver, table: Table, enrolled: Mapping[str, str]) -> None:
    """Give the virtual table the things of the game in progress, and eyes for the table."""
    prefix = f"{table.snapshot.game_name}/"

    def turned() -> Turned:
        counts = table.snapshot.pieces.turned
        return Turned(table.spent, {prefix + name: count for name, count in counts.items()})

    players = range(1, len(table.snapshot.players) + 1)
    controls = controls_of(table.snapshot.game_name)
    setup, seed = table.timeline.match.setup, driver.seed(table.snapshot.game)
    driver.lay_out(
        cards={prefix + name: count for name, count in table.snapshot.pieces.total.items()},
        tokens=[*(f"control/{name}" for name in controls), *(f"player/{n}" for n in players)],
        enrolled=enrolled,
        turned=turned,
        settle=table.settle,
        top=table_top(setup, seed, enrolled, lambda: table.timeline),
    )


def stations_in_software(simulated: Iterable[SimulatedDriver]) -> Mapping[str, str]:
    """Where the readers of tables in software stand: they say so themselves."""
    return {reader: at for driver in simulated for reader, at in driver.stations.items()}


def _addresses(
    address: str, token: str, link: TableLink, nearby: Nearby, *, virtual: bool
) -> Sequence[str]:
    elsewhere = nearby.address
    lines = [f"Scoreboard: {address}"]
    opener = f"/link/{quote(token, safe='')}"
    if virtual:
        lines.append(f"Virtual table: {address}{opener}?to=virtual")
    lines.append(f"Touch buttons on this device: {address}{opener}")
    if elsewhere is not None:
        lines.append(f"From other devices: {elsewhere}")
        lines.append(f"Touch buttons there: {elsewhere}{opener}")
    lines.append(f"Phones join at {elsewhere or address}/join with the code {link.join_code}")
    lines.append(f"Helpers: {elsewhere or address}/helper with the PIN {link.pin}")
    return lines
