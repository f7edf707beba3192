"""A table without hardware: things to move by hand, and readers beside them.

It is a driver like any other. Its world is physical: it knows where each card, tile and chip
lies, and nothing of the rules. A game of one pile of cards has one reader; another one has a
reader at each of its stations, and a ship if it needs one (see `TableTop`).
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

from companion.drivers.api import (
    Clock,
    DeviceBack,
    DeviceGone,
    DeviceLost,
    Place,
    Report,
    SeveralTags,
    Sign,
    SimulatedDriver,
    TableTop,
    TagOff,
    TagOn,
    TagUnreadable,
    Turned,
)
from companion.said import say
from companion.uid import VIRTUAL_MAKER
from hardware_sim.virtual_ship import Push, VirtualShip

HARDWARE = "Virtual reader"
SHIP_HARDWARE = "Virtual ship's sensor"
UNKNOWN_UID = VIRTUAL_MAKER + "FFFFFFFFFFFF"
UNPLUGGED = say("The reader is unplugged: plug it in again.")

SECOND_NS = 1_000_000_000
CARRIES_S = 1.6
"""A hand needs at least so long to carry a card from one reader to another."""

HANDS = ("hand-", "drawn", "looked")
"""Places whose cards somebody holds, and may show; what else lies face down is nobody's to see."""

PLAY = "play"
MOST_SEATS = 6
STATIONS = (
    *("draw", "discard-1", "discard-2", "reef", "area-0", "area-1", "area-2", "area-3"),
    *(f"seat-{number}" for number in range(1, MOST_SEATS + 1)),
)


class VirtualReader(SimulatedDriver):
    """The virtual table behind `sim:`; `sim:NAME` gives its first reader another name.

    Args:
        name: of the reader where tokens are laid; those of the stations begin with it.
        chance: shuffles the pile.
        pause: waits so many seconds, for a hand that carries a card.
        start: runs the loop of the ship (see `VirtualShip`).
    """

    def __init__(
        self,
        name: str,
        chance: Random | None = None,
        *,
        pause: Callable[[float], object] = time.sleep,
        start: Callable[[Callable[[], None]], object] | None = None,
    ) -> None:
        self.name = name or "sim"
        self._chance = chance or Random()  # noqa: S311 - cards, not secrets
        self._pause = pause
        self._start = start
        self._lock = threading.RLock()
        self._cards: dict[str, str] = {}
        self._tokens: dict[str, str] = {}
        self._order: list[str] = []
        self._top: TableTop | None = None
        self._turned_over: set[str] = set()
        self._report: Report | None = None
        self._clock: Clock | None = None
        self._readers: dict[str, bool] = {self.name: True}
        self._last: tuple[str, str, int] | None = None
        self._twice = False
        self._seeds: dict[str, int] = {}
        self._next_seed: int | None = None
        self.ship: VirtualShip | None = None

    @property
    def stations(self) -> Mapping[str, str]:
        """Where its readers stand (see `SimulatedDriver.stations`)."""
        return {self.name: PLAY, **{f"{self.name}/{station}": station for station in STATIONS}}

    def fix_next(self, seed: int) -> None:
        """In the game that begins next all lies as this number says."""
        self._next_seed = seed

    def seed(self, game: str) -> int:
        """What decides how things lie (see `SimulatedDriver.seed`)."""
        if game not in self._seeds:
            fixed, self._next_seed = self._next_seed, None
            self._seeds = {game: super().seed(game) if fixed is None else fixed}
        return self._seeds[game]

    def lay_out(
        self,
        cards: Mapping[str, int],
        tokens: Sequence[str],
        enrolled: Mapping[str, str],
        turned: Callable[[], Turned],
        settle: Callable[[], object],
        *,
        top: TableTop | None = None,
    ) -> None:
        """Put the things on the table (see `SimulatedDriver.lay_out`)."""
        uids: dict[str, list[str]] = {}
        for uid, component in enrolled.items():
            uids.setdefault(component, []).append(uid)
        self._top = top
        self._cards = dict(top.things) if top else {}
        self._tokens = {}
        things = {**({} if top else cards), **dict.fromkeys(tokens, 1)}
        for kind, (component, count) in enumerate(things.items(), start=0x8000 if top else 0):
            made = [f"{VIRTUAL_MAKER}{kind:04X}{copy:08X}" for copy in range(count)]
            for uid in [*uids.get(component, []), *made][:count]:
                if component in tokens:
                    self._tokens[component] = uid
                else:
                    self._cards[uid] = component
        self._order = list(self._cards)
        self._chance.shuffle(self._order)
        self._turned_over = set()
        self._turned = turned
        self._settle = settle
        self._place_readers()

    def component(self, uid: str) -> str | None:
        """What a tag of this table is on (see `SimulatedDriver.component`)."""
        known = self._cards.get(uid)
        if known is not None:
            return known
        return next((token for token, other in self._tokens.items() if other == uid), None)

    def open(self, report: Report, clock: Clock) -> None:
        """Start to report (see `Driver.open`)."""
        with self._lock:
            self._report = report
            self._clock = clock
            for reader, plugged in self._readers.items():
                if plugged:
                    report(DeviceBack(reader, HARDWARE, clock()))
            self._place_ship()

    def close(self) -> None:
        """Stop reporting."""
        with self._lock:
            self._report = None
            if self.ship is not None:
                self.ship.close()
                self.ship = None  # who opens it again gets another one

    def signal(self, reader: str, sign: Sign) -> None:
        """Light and sound are the page's own (see `Signalling`)."""

    def arm(self, *, armed: bool) -> None:
        """An alarm runs, or has ended (see `Signalling`)."""
        ship, top = self.ship, self._top
        if ship is None or top is None or top.carried is None:
            return
        if armed and top.carried():
            ship.carry()
        ship.arm(armed=armed)

    def _place_readers(self) -> None:
        """The readers that this game needs, and no others."""
        with self._lock:
            stations = self._top.stations if self._top else ()
            wanted = [self.name, *(f"{self.name}/{station}" for station in stations)]
            before, self._readers = self._readers, {}
            for reader in wanted:
                self._readers[reader] = before.get(reader, True)
            if self._report is None or self._clock is None:
                return
            for reader in before.keys() - self._readers.keys():
                self._report(DeviceGone(reader, self._clock()))
            for reader in wanted:
                if reader not in before:
                    self._report(DeviceBack(reader, HARDWARE, self._clock()))
            self._place_ship()

    def _place_ship(self) -> None:
        if self._report is None or self._clock is None:
            return
        wanted = self._top is not None and self._top.carried is not None
        reader = f"{self.name}/ship"
        if wanted and self.ship is None:
            self.ship = VirtualShip(reader, self._report, self._clock, self._chance, self._start)
            self._report(DeviceBack(reader, SHIP_HARDWARE, self._clock()))
        elif not wanted and self.ship is not None:
            self.ship.close()
            self.ship = None
            self._report(DeviceGone(reader, self._clock()))

    # What people see

    @property
    def plugged(self) -> bool:
        """Whether the cables of all readers are in."""
        return all(self._readers.values())

    def readers(self) -> Sequence[tuple[str, str, bool]]:
        """Each reader: its name, its station, and whether its cable is in."""
        return [
            (reader, self.stations.get(reader, ""), plugged)
            for reader, plugged in self._readers.items()
        ]

    @property
    def reads_twice(self) -> bool:
        """Whether the next thing will be read twice."""
        return self._twice

    def faces(self) -> Sequence[tuple[str, int]]:
        """Each kind of card of the pile, and how many of it lie face down."""
        if self._top is not None:
            return []
        down = Counter(self._cards[uid] for uid in self._face_down())
        return [(component, down[component]) for component in dict.fromkeys(self._cards.values())]

    def pile(self) -> int:
        """How many cards lie face down in the pile."""
        return 0 if self._top else len(self._face_down())

    def others(self) -> Sequence[str]:
        """The tokens that lie beside the pile."""
        return list(self._tokens)

    def places(self) -> Mapping[str, Sequence[str | None]]:
        """By place the component of all that lies there; None for what lies face down."""
        if self._top is None:
            return {}
        return {
            name: tuple(
                self._cards[uid] if uid in place.up or uid in self._turned_over else None
                for uid in place.tags
            )
            for name, place in self._top.lying().items()
        }

    def find(self, component: str, place: str = "") -> tuple[str, int]:
        """Where such a thing lies, also face down: its place, or the one named, and its number there.

        For those who show a game; what it tells is no secret to the hands that move things.

        Raises:
            LookupError: there is none.
        """
        for name, lies in self._places().items():
            for number, uid in enumerate(lies.tags if place in ("", name) else ()):
                if self._cards[uid] == component:
                    return name, number
        raise LookupError(say("There is no %(thing)s on this table.", thing=component))

    # The hands that move things

    def turn_top(self) -> None:
        """Turn the top card of the pile and lay it on the reader.

        Raises:
            LookupError: the pile is empty, or the reader is unplugged.
        """
        down = [] if self._top else self._face_down()
        if not down:
            raise LookupError(say("The pile is empty: shuffle all cards and confirm it."))
        if len(down) == 1:
            # The next pile is shuffled from all the cards, so it lies in another order.
            self._chance.shuffle(self._order)
        self._lay(down[0])

    def tap(self, component: str, station: str = "") -> None:
        """Lay a particular card or token on a reader, as a person looks it out.

        Raises:
            LookupError: there is no such thing, or the reader is unplugged.
        """
        if component in self._tokens:
            self._lay(self._tokens[component], station)
            return
        if self._top is not None:
            self.lay(*self.find(component), station)
            return
        wanted = [uid for uid in self._face_down() if self._cards[uid] == component]
        wanted += [uid for uid, other in self._cards.items() if other == component]
        if not wanted:
            raise LookupError(say("There is no %(thing)s on this table.", thing=component))
        self._lay(wanted[0], station)

    def lay(self, place: str, number: int, station: str) -> None:
        """Lay what lies there, counted from the bottom or from the left, on a reader.

        A number below 0 counts from the top.

        Raises:
            LookupError: nothing lies there, there is no such reader, or it is unplugged.
        """
        lies = self._places().get(place)
        if lies is None or not -len(lies.tags) <= number < len(lies.tags):
            raise LookupError(say("Nothing lies there any more: look at the table again."))
        self._lay(lies.tags[number], station)

    def turn_over(self, place: str) -> None:
        """Lay all cards of a hand open for those who look at this table, or cover them again.

        A card that comes to it later lies face down.

        Raises:
            LookupError: there is no such hand.
        """
        lies = self._places().get(place)
        if lies is None or not place.startswith(HANDS):
            raise LookupError(say("There is no such hand."))
        cards = set(lies.tags)
        if cards <= self._turned_over:
            self._turned_over -= cards
        else:
            self._turned_over |= cards

    def push(self, how: Push) -> None:
        """Push the ship (see `VirtualShip.push`).

        Raises:
            LookupError: there is no ship on this table.
        """
        self._the_ship().push(how)

    def lean(self, degrees: float) -> None:
        """Lay the ship down at this angle.

        Raises:
            LookupError: there is no ship on this table.
        """
        self._the_ship().lean(degrees)

    # What goes wrong

    def tap_unknown(self, reader: str = "") -> None:
        """Lay a tag on a reader that is not enrolled."""
        self._lay(UNKNOWN_UID, reader=reader)

    def lay_two(self, reader: str = "") -> None:
        """Lay two cards on a reader at once."""
        with self._lock:
            name, report, clock = self._ready(reader or self.name)
            report(SeveralTags(name, clock()))
        self._settle()

    def hiss(self, reader: str = "") -> None:
        """Something disturbs a reader: it sees a tag and cannot read it."""
        with self._lock:
            name, report, clock = self._ready(reader or self.name)
            report(TagUnreadable(name, say("noise in the field"), clock()))
        self._settle()

    def read_twice(self) -> None:
        """The next thing that is laid down is read twice, or not after all."""
        self._twice = not self._twice

    def unplug(self, reader: str = "") -> None:
        """Pull a reader's cable."""
        self._plug(reader or self.name, plugged=False)

    def plug(self, reader: str = "") -> None:
        """Plug a reader in again."""
        self._plug(reader or self.name, plugged=True)

    def _plug(self, reader: str, *, plugged: bool) -> None:
        with self._lock:
            known = self._readers.get(reader)
            if known is None:
                raise LookupError(say("There is no such reader."))
            if known != plugged and self._report is not None and self._clock is not None:
                self._readers[reader] = plugged
                now_ns = self._clock()
                self._report(
                    DeviceBack(reader, HARDWARE, now_ns)
                    if plugged
                    else DeviceLost(reader, UNPLUGGED, now_ns)
                )
        self._settle()

    def _lay(self, uid: str, station: str = "", *, reader: str = "") -> None:
        if station not in ("", PLAY):
            reader = f"{self.name}/{station}"
        with self._lock:
            name, report, clock = self._ready(reader or self.name)
            if self._last is not None and self._last[0] == uid and self._last[1] != name:
                left_s = CARRIES_S - (clock() - self._last[2]) / SECOND_NS
                if left_s > 0:
                    self._pause(left_s)
            times, self._twice = 2 if self._twice else 1, False
            for _ in range(times):
                report(TagOn(name, uid, clock()))
                report(TagOff(name, uid, clock()))
            self._last = uid, name, clock()
        self._settle()

    def _ready(self, reader: str) -> tuple[str, Report, Clock]:
        plugged = self._readers.get(reader)
        if plugged is None:
            raise LookupError(say("There is no such reader in this game."))
        if self._report is None or self._clock is None or not plugged:
            raise LookupError(UNPLUGGED)
        return reader, self._report, self._clock

    def _the_ship(self) -> VirtualShip:
        if self.ship is None:
            raise LookupError(say("There is no ship on this table."))
        return self.ship

    def _places(self) -> Mapping[str, Place]:
        return self._top.lying() if self._top else {}

    def _face_down(self) -> list[str]:
        turned = self._turned()
        room = Counter(self._cards.values())
        room.subtract(turned.counts)
        down = []
        for uid in self._order:
            component = self._cards[uid]
            if uid not in turned.uids and room[component] > 0:
                room[component] -= 1
                down.append(uid)
        return down
