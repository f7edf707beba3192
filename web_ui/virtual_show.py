"""A game that plays itself on the virtual table, in a minute: what people do, and why.

It moves the same things as the page does, so what the table says to them is no show.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from companion.match import Setup
from companion.snapshot import Answer, Source
from web_ui.contracts import Table, VirtualTable
from web_ui.sentences import Sentence
from web_ui.virtual_scripts import SCRIPTS, Script, Step

log = logging.getLogger(__name__)

READS_S = 2.2
"""A caption stands so long before what it tells is done."""

NAMES = ("Ann", "Bo")


class Pace(Protocol):
    """Waits, in its own way."""

    def __call__(self, seconds: float) -> bool:
        """Wait so long; True when the show is to end."""
        ...


@dataclass(frozen=True, slots=True)
class Shown:
    """How far a show is.

    Attributes:
        caption: what is told now.
        number: of the step, from 1.
        count: how many steps there are.
        over: all was shown.
    """

    caption: Sentence
    number: int
    count: int
    over: bool = False


class Show:
    """At most one at a time; it ends by itself.

    Args:
        table: at which it plays.
        virtual: whose things it moves.
        pace: waits; on the clock where left out.
        start: runs the show beside the service; in a thread where left out.
    """

    def __init__(
        self,
        table: Table,
        virtual: VirtualTable,
        *,
        pace: Pace | None = None,
        start: Callable[[Callable[[], None]], object] | None = None,
    ) -> None:
        self._table = table
        self._virtual = virtual
        self._end = threading.Event()
        self._pace = pace or self._end.wait
        self._start = start or _in_a_thread
        self._lock = threading.Lock()
        self._game = ""
        self._shown: Shown | None = None

    @property
    def shown(self) -> Shown | None:
        """What is told now; None while nothing is shown, or another game has begun since."""
        shown = self._shown
        return shown if shown is not None and self._table.snapshot.game == self._game else None

    @property
    def progress(self) -> object:
        """Changes whenever `shown` does, in whatever language."""
        shown = self.shown
        return shown and (shown.number, shown.over)

    def begin(self, game: str, source: Source) -> Answer:
        """Begin a fresh game and show it; the game in progress stays in the record.

        Raises:
            LookupError: there is nothing to show of this game.
        """
        script = SCRIPTS.get(game)
        if script is None:
            raise LookupError(f"There is nothing to show of {game}.")
        with self._lock:
            self.stop()
            self._virtual.fix_next(script.seed)
            answer = self._table.new_game(_setup(game, script), source=source, instead=True)
            if answer.code is not None:
                return answer
            self._end.clear()
            self._game = self._table.snapshot.game
            first = script.steps[0]
            self._shown = Shown(first.caption(NAMES), 1, len(script.steps))
        self._start(lambda: self._play(script.steps, self._game))
        return answer

    def stop(self) -> None:
        """End it; the game stays as it is, and people may go on with it."""
        self._end.set()
        self._shown = None
        self._table.refresh()

    def _play(self, steps: Iterable[Step], game: str) -> None:
        steps = tuple(steps)
        for number, step in enumerate(steps, start=1):
            if not self._tell(Shown(step.caption(NAMES), number, len(steps)), game):
                return
            for gesture in step.gestures:
                if self._pace(READS_S) or self._table.snapshot.game != game:
                    return
                try:
                    gesture(self._virtual)
                except LookupError as error:
                    # Somebody pulled a cable, or moved things: it is their table now.
                    log.info("the show ends: %s", error)
                    self.stop()
                    return
            self._agree()
            if self._pace(step.looks_s + (0 if step.gestures else READS_S)):
                return
        last = Shown(steps[-1].caption(NAMES), len(steps), len(steps), over=True)
        self._tell(last, game)

    def _agree(self) -> None:
        """Say yes to what the table asks people to compare."""
        for question in self._table.snapshot.questions:
            if not question.blocking:
                self._table.answer(question.key, question.choices[0].key, source=Source("page"))

    def _tell(self, shown: Shown, game: str) -> bool:
        with self._lock:
            if self._end.is_set() or self._table.snapshot.game != game:
                return False
            self._shown = shown
        self._table.refresh()
        return True


def _setup(game: str, script: Script) -> Setup:
    return Setup(game, NAMES, NAMES[0], dict(script.options))


def _in_a_thread(run: Callable[[], None]) -> None:
    threading.Thread(target=run, name="show", daemon=True).start()
