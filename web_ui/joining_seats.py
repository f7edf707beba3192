"""Who may sit where: the seats of the game in progress, and how a newcomer gets one."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from companion.household import SHAPES, Household, Remembered
from companion.match import Match, Setup
from companion.rules.api import Refusal
from companion.snapshot import Snapshot, Source
from web_ui.contracts import Table
from web_ui.errors import Problem
from web_ui.names import LONGEST_NAME, alike, one_line
from web_ui.views import colour_of, shapes_of
from web_ui.words import gettext

OFFERED_NAMES = 8


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat of the game in progress.

    Attributes:
        player: whose it is.
        number: from 1; chooses the colour.
        shape: of the player.
        devices: how many have it.
        gone: the player has left the game.
    """

    player: str
    number: int
    shape: str
    devices: int
    gone: bool


@dataclass(frozen=True, slots=True)
class Offer:
    """What a device that joins can choose.

    Attributes:
        seats: of the game in progress, without those that wait for a newcomer.
        newcomer: somebody new can sit down.
        names: of players who sat here before and do not now, newest first, with their shapes.
        shapes: that no other player has.
    """

    seats: tuple[Seat, ...]
    newcomer: bool
    names: tuple[tuple[str, str], ...]
    shapes: tuple[str, ...]

    @property
    def possible(self) -> bool:
        """Whether anybody is still missing."""
        return self.newcomer or any(not seat.devices and not seat.gone for seat in self.seats)


class Seats:
    """Gives out the seats of one table; may be asked by any thread.

    Args:
        table: the authority.
        household: which device sits where.
        placeholders: names of players that a table has when it was started without any; they
            give way to the first who join.
    """

    def __init__(self, table: Table, household: Household, placeholders: Collection[str]) -> None:
        self._table = table
        self._household = household
        self._placeholders = placeholders
        self._lock = threading.Lock()

    def offer(self) -> Offer:
        """What can be chosen now."""
        return self.offer_of(self._table.snapshot, self._household.now)

    def offer_of(self, snapshot: Snapshot, now: Remembered) -> Offer:
        """What can be chosen at this moment."""
        devices = [device.player for device in now.devices.values()]
        waiting = self._waiting(snapshot, now)
        shapes = shapes_of(snapshot.players, now.shapes)
        taken = {shapes[name] for name in snapshot.players if name not in waiting}
        free = tuple(shape for shape in SHAPES if shape not in taken)
        newcomer = bool(waiting) or self._takes_more(snapshot)
        names = tuple(
            (name, _shape_for(name, now.shapes, free))
            for name in now.names
            if name not in snapshot.players
        )
        return Offer(
            seats=tuple(
                Seat(
                    name,
                    colour_of(number),
                    shapes[name],
                    devices.count(name),
                    name in snapshot.standing.gone,
                )
                for number, name in enumerate(snapshot.players)
                if name not in waiting
            ),
            newcomer=newcomer and bool(free),
            names=names[:OFFERED_NAMES] if newcomer and free else (),
            shapes=free if newcomer else (),
        )

    def seat_of(self, device: str) -> str | None:
        """The player of the game in progress whose seat this device has."""
        known = self._household.now.devices.get(device)
        if known is None or known.player not in self._table.snapshot.players:
            return None
        self._household.meet(device)
        return known.player

    def take(self, device: str, player: str) -> None:
        """Sit down at a seat of the game in progress.

        Raises:
            Problem: there is no such seat, or the disk did not take it.
        """
        with self._lock:
            if player not in self._table.snapshot.players:
                raise Problem("unknown-player", gettext("There is no such seat in this game."))
            self._household.sit(device, player, None, today())
        self._table.refresh()

    def come(self, device: str, text: str, shape: str) -> None:
        """Sit down as somebody new, while nothing was done yet in the game.

        Args:
            device: that joins.
            text: the name as it was typed.
            shape: the one that was chosen; empty for the first that is free.

        Raises:
            Problem: it is not possible, with a sentence that says why.
        """
        name = name_of(text)
        with self._lock:
            snapshot, now = self._table.snapshot, self._household.now
            offer = self.offer_of(snapshot, now)
            if any(alike(seat.player, name) for seat in offer.seats):
                raise Problem(
                    "not-legal",
                    gettext("Somebody at the table is called so: take that seat, or add a letter."),
                )
            if not offer.newcomer:
                raise Problem(
                    "not-legal",
                    gettext("Nobody new can sit down in this game: take a seat, or watch."),
                )
            if not shape:
                shape = _shape_for(name, now.shapes, offer.shapes)
            if shape not in offer.shapes:
                raise Problem(
                    "not-legal", gettext("Somebody else has this shape: choose another one.")
                )
            setup = self._with(self._setup(), name, self._waiting(snapshot, now))
            answer = self._table.new_game(
                setup, source=Source("page", name), revision=snapshot.revision
            )
            if answer.code is not None:
                raise Problem(answer.code, answer.message)
            self._household.remember((name,))
            self._household.sit(device, name, shape, today())
        self._table.refresh()

    def _waiting(self, snapshot: Snapshot, now: Remembered) -> tuple[str, ...]:
        """Players who are nobody yet: they give way to newcomers."""
        if snapshot.step or snapshot.standing.over:
            return ()
        real = {*now.names, *(device.player for device in now.devices.values())}
        return tuple(
            name for name in snapshot.players if name in self._placeholders and name not in real
        )

    def _takes_more(self, snapshot: Snapshot) -> bool:
        if snapshot.step or snapshot.standing.over:
            return False
        try:
            Match.start(self._with(self._setup(), "\N{FULL BLOCK}", ()))
        except Refusal:
            return False
        return True

    def _setup(self) -> Setup:
        return self._table.past.setup

    @staticmethod
    def _with(setup: Setup, name: str, waiting: Sequence[str]) -> Setup:
        if not waiting:
            return replace(setup, players=(*setup.players, name))
        players = tuple(name if each == waiting[0] else each for each in setup.players)
        starter = name if setup.starter == waiting[0] else setup.starter
        return replace(setup, players=players, starter=starter)


def name_of(text: str) -> str:
    """A name as it was typed, in one line.

    Raises:
        Problem: it is empty or too long.
    """
    name = one_line(text)
    if not name:
        raise Problem("bad-command", gettext("A name is missing: type yours."))
    if len(name) > LONGEST_NAME:
        raise Problem(
            "bad-command",
            gettext("The name is too long: %(most)d letters fit.") % {"most": LONGEST_NAME},
        )
    return name


def _shape_for(name: str, chosen: Mapping[str, str], free: Sequence[str]) -> str:
    shape = chosen.get(name, "")
    return shape if shape in free or not free else free[0]


def today() -> str:
    """The day, as the household notes it."""
    return datetime.now(UTC).date().isoformat()
