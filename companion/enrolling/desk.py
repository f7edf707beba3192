"""Where enrolment is carried out: each step is on the disk before anybody is shown it.

It belongs to the table's thread.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import replace

from companion.announcer import Announcer
from companion.beginning import NoWholeGame, setup_of
from companion.drivers.api import TagOn
from companion.enrolling import steps
from companion.enrolling.acts import Begin, Bring, End, Undo
from companion.enrolling.session import Changes, Session
from companion.inbox import Enrol
from companion.interpreter import HandReading, Heard, Laid, Together
from companion.match import Setup
from companion.meaning.api import Notice
from companion.record.journal import Journal
from companion.rules import GAMES
from companion.rules.api import Refusal
from companion.said import say

log = logging.getLogger(__name__)

OPEN = "enrolling"
"""The name under which the record keeps a session that is open."""
DECK = "enrolled/"
"""With a game's name after it, the name under which the record keeps that its pieces got tags
here: then a game that is played again is played with those."""


class Desk:
    """Holds the session that is open, and carries its steps out.

    Args:
        journal: keeps the table of tags, and how far a session is.
        told: what everybody is told has the session as pages show it.

    Attributes:
        unknown: the UID of the tag that the table met last and did not know.
    """

    def __init__(self, journal: Journal, told: Announcer) -> None:
        self._journal = journal
        self._told = told
        self._session: Session | None = None
        self.unknown = ""
        kept = journal.recall(OPEN)
        if kept is not None:
            try:
                self._show(Session.from_json(json.loads(kept), journal.tags()))
            except (KeyError, TypeError, ValueError, Refusal) as error:
                # The tags themselves are all there: only how far it was is not known.
                log.warning("enrolment cannot go on where it was: %s", error)

    @property
    def is_open(self) -> bool:
        """Whether readers are for enrolment now, and not for the game."""
        return self._session is not None

    def hears(self, reading: HandReading, heard: Heard) -> bool:
        """What people did at a reader while it is open; whether there is news of it.

        Args:
            reading: what they did.
            heard: what that was, for the interpreter.
        """
        uid = reading.uid if isinstance(reading, TagOn) else None
        match heard:
            case Laid("control/undo", None):
                self._try(lambda now: steps.done(now, Undo()))
            case Together(since_ns):
                self._try(lambda now: steps.together(now, reading.reader, since_ns))
            case Laid() | Notice("unknown-tag" | "before-game") if uid is not None:
                self._try(lambda now: steps.laid(now, uid, reading.reader, reading.at_ns))
            case Notice():
                self._try(lambda now: steps.trouble(now, heard.message, reading.reader))
            case _:
                return False
        return True

    def carries_out(self, wish: Enrol) -> None:
        """What people want on a page.

        Raises:
            Refusal: it cannot be.
            sqlite3.Error: the disk does not take it, and nothing has changed.
        """
        match wish.act:
            case Begin():
                self._begin(wish.act)
            case End():
                self._journal.change_tags({}, {OPEN: None})
                self._show(None)
            case Bring(tags) if self._session is None:
                self._journal.change_tags(tags, _games_of(tags.values()))
            case act:
                session = self._now()
                if wish.at not in (None, session.number):
                    raise Refusal(
                        "not-legal",
                        say("Another card was laid meanwhile: look again, then choose."),
                    )
                self._keep(*steps.done(session, act))

    def setup_again(self, before: Setup) -> Setup:
        """The same game again; with the pieces that carry tags now, where those have changed."""
        if self._journal.recall(DECK + before.game) is None:
            return before
        options = {name: value for name, value in before.options.items() if name != "deck"}
        try:
            return setup_of(
                before.game, before.players, before.starter, options, self._journal.tags()
            )
        except NoWholeGame:
            return before

    def _begin(self, act: Begin) -> None:
        session = self._session
        if session is None or session.game != act.game:
            session = steps.begun(act.game, self._journal.tags(), act.mode)
        changes: Changes = {}
        if act.adding and self.unknown:
            free = replace(session, next=None, counting=None, stage="lay")
            session, changes = steps.laid(free, self.unknown)
        self._keep(session, changes)

    def _now(self) -> Session:
        """The session with the tags as another program may have left them.

        Raises:
            Refusal: none is open.
        """
        if self._session is None:
            raise Refusal("not-legal", say("No cards are being enrolled: choose a game first."))
        return replace(self._session, tags=self._journal.tags())

    def _try(self, step: Callable[[Session], steps.Step]) -> None:
        try:
            self._keep(*step(self._now()))
        except Refusal as refusal:
            self._say(refusal.message)
        except sqlite3.Error as error:
            log.warning("a tag was not enrolled: %s", error)
            self._say(
                say(
                    "The disk did not take it, so nothing has changed: make room or mend the "
                    "disk, then lay the card down again."
                )
            )

    def _say(self, sentence: str) -> None:
        if self._session is not None:
            self._show(steps.trouble(self._session, sentence)[0])

    def _keep(self, session: Session, changes: Changes) -> None:
        kept = json.dumps(session.to_json(), ensure_ascii=False)
        self._journal.change_tags(changes, {OPEN: kept, **_games_of(changes.values())})
        self._show(session)

    def _show(self, session: Session | None) -> None:
        self._session = session
        self._told.enrolment = None if session is None else session.shown()


def _games_of(components: Iterable[str | None]) -> dict[str, str]:
    """What the record keeps of the games to which these belong."""
    games = {component.partition("/")[0] for component in components if component}
    return dict.fromkeys((DECK + game for game in sorted(games & GAMES.keys())), "yes")
