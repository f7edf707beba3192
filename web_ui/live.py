"""Pages that follow the table by themselves: what each of them needs.

A live page is rendered once for all who see the same of it, sent whole over an event stream
at each change, and put in place by the page's script.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.choices import Choices
from companion.household import Remembered
from companion.rules.api import Json
from companion.snapshot import Moment, Seen, Snapshot
from web_ui.access import Role
from web_ui.games.face import Face


@dataclass(frozen=True, slots=True)
class View:
    """Which page, for whom. Whoever has the same view is sent the same bytes.

    Attributes:
        page: its name.
        role: of the device.
        seat: the player whose private things are shown; None for none.
        language: such as `pl`.
        form_key: what the forms carry.
        topic: what the page is about, where it is about one of several things.
    """

    page: str
    role: Role
    seat: str | None
    language: str
    form_key: str = ""
    topic: str = ""

    @property
    def helper(self) -> bool:
        """Whether the device may do everything."""
        return self.role is Role.HELPER


@dataclass(frozen=True, slots=True)
class Scene:
    """What is to be rendered.

    Attributes:
        view: for whom.
        moment: of the table.
        face: of the game.
        remembered: of the household.
        choices: what the household chose for its table.
    """

    view: View
    moment: Moment
    face: Face
    remembered: Remembered
    choices: Choices

    @property
    def snapshot(self) -> Snapshot:
        """What everybody may know."""
        return self.moment.snapshot

    @property
    def odds(self) -> Json | None:
        """What may be told of the next card or tile; None where the household wants none.

        In a game with secrets they are those of the player in turn, and told to no other.
        """
        in_turn = self.view.seat is not None and self.view.seat == self.snapshot.standing.turn
        if self.choices.odds and (self.face.open_odds or in_turn):
            return self.moment.odds
        return None

    @property
    def seen(self) -> Seen | None:
        """What the player of this seat may see; None without a seat in this game."""
        seat = self.view.seat
        # A stream may be older than the game that it shows.
        if seat is None or seat not in self.snapshot.players:
            return None
        return self.moment.seen_by(seat)


@dataclass(frozen=True, slots=True)
class LivePage:
    """A page that follows the table.

    Attributes:
        name: of the page and, with `.html`, of the template of its inside.
        address: where it is.
        role: who may see it.
        context: what the template needs beside the board, which every page has.
        facts: what beside the table decides what is shown, for the virtual table and for
            diagnostics: equal values show the same.
        tick_s: how often those facts are looked at; None where each change of them also
            changes the table's revision.
        private: it shows what only the player of this seat may see.
        available: raises a Problem where the page cannot be had.
        style: a style sheet that it needs beside the board's; or empty.
        topics: it is about one of several things, which the device names.
    """

    name: str
    address: str
    role: Role
    context: Callable[[Scene], Mapping[str, Any]] = lambda _: {}
    facts: Callable[[], object] | None = None
    tick_s: float | None = None
    private: bool = False
    available: Callable[[], None] = lambda: None
    style: str = ""
    topics: bool = False
