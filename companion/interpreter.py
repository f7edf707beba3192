"""From readings to what people mean by them.

It suppresses repeats, looks tags up and asks the rules what a tag means now. It changes
nothing: the table does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from companion import uid as uids
from companion.drivers.api import SeveralTags, TagOff, TagOn, TagUnreadable
from companion.match import Match
from companion.rules.api import Action
from companion.snapshot import ErrorCode

REPEAT_NS = 1_500_000_000
"""The same tag read again within this time, with nothing read in between, is one tap: a
hand that trembles, an antenna that blinks, two antennas side by side."""

STARTING_NS = 1_000_000_000
"""A tag read this soon after a reader's start lay there before."""


@dataclass(frozen=True, slots=True)
class Do:
    """The person does this action.

    Attributes:
        action: what the rules are asked.
        unless: why the tag itself forbids what the rules would allow; empty when it does not.
    """

    action: Action
    unless: str = ""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The person takes the last action back."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """The tag means something that cannot be: nothing changes, and the person is told why."""

    code: ErrorCode
    message: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to tell that is no action: nothing changes."""

    code: str
    message: str


Meaning: TypeAlias = Do | TakeBack | Refuse | Notice | None
"""None is the same read once more: nothing to say."""

TagReading: TypeAlias = TagOn | TagOff | SeveralTags | TagUnreadable

ONE_AT_A_TIME = Notice("several-tags", "More than one card lies on the reader: one card at a time.")


class Interpreter:
    """Remembers what lies on each reader, and nothing of the game.

    Args:
        look_up: what a tag is on, by UID; None for an unknown tag.
        last_read: by reader, the UID that the record's last entry from there came from; if
            that tag still lies there when the reader starts, it is the same read.
    """

    def __init__(self, look_up: Callable[[str], str | None], last_read: Mapping[str, str]) -> None:
        self._look_up = look_up
        self._last_read = last_read
        self._lying: dict[str, str] = {}
        self._started_ns: dict[str, int] = {}
        self._recent: tuple[str, int] | None = None
        self._swaps: dict[str, tuple[str, ...]] = {}
        self._told: set[str] = set()
        self._off_ns: dict[str, int] = {}

    def started(self, reader: str, at_ns: int) -> None:
        """The reader answers; only the first time in this run of the service matters."""
        self._started_ns.setdefault(reader, at_ns)

    def read(self, reading: TagReading, match: Match, spent: Collection[str]) -> Meaning:
        """What the reading means now.

        Args:
            reading: from a driver.
            match: the game as it stands.
            spent: UIDs of the cards turned since the last shuffle.
        """
        match reading:
            case TagOn():
                return self._on(reading, match, spent)
            case TagOff(reader, uid, at_ns):
                self._off_ns[reader] = at_ns
                if self._lying.pop(reader, None) == uid:
                    self._recent = (uid, at_ns)
                return None
            case SeveralTags():
                return ONE_AT_A_TIME
            case TagUnreadable(_, reason, _):
                return Notice(
                    "unreadable-tag", f"That cannot be read ({reason}): lay it down once more."
                )

    def _on(self, reading: TagOn, match: Match, spent: Collection[str]) -> Meaning:
        same = self._is_same_read(reading)
        alternating = self._alternates(reading)
        self._lying[reading.reader] = reading.uid
        self._recent = (reading.uid, reading.at_ns)
        if alternating:
            told = reading.reader in self._told
            self._told.add(reading.reader)
            return None if told else ONE_AT_A_TIME
        self._told.discard(reading.reader)
        return None if same else self._meaning(reading.uid, match, spent)

    def _is_same_read(self, reading: TagOn) -> bool:
        if self._lying.get(reading.reader) == reading.uid:
            return True
        started_ns = self._started_ns.get(reading.reader)
        lay_before = started_ns is not None and reading.at_ns - started_ns <= STARTING_NS
        if lay_before and self._last_read.get(reading.reader) == reading.uid:
            return True
        if self._recent is None:
            return False
        uid, at_ns = self._recent
        return uid == reading.uid and reading.at_ns - at_ns < REPEAT_NS

    def _alternates(self, reading: TagOn) -> bool:
        """Two cards laid at once are read in turn, with no moment of an empty reader between."""
        swapped = self._off_ns.get(reading.reader) == reading.at_ns
        earlier = self._swaps.get(reading.reader, ()) if swapped else ()
        self._swaps[reading.reader] = (*earlier[-1:], reading.uid)
        return len(earlier) > 1 and earlier[-2] == reading.uid != earlier[-1]

    def _meaning(self, uid: str, match: Match, spent: Collection[str]) -> Meaning:
        component = self._look_up(uid)
        if component is None:
            reason = (
                " It makes up a new UID at each tap and cannot be used."
                if uids.is_random(uid)
                else ""
            )
            return Notice("unknown-tag", f"This tag is not enrolled: nothing has changed.{reason}")
        where, _, name = component.partition("/")
        game = match.game
        if component == "control/undo":
            return TakeBack()
        if where == "player":
            number = int(name)
            players = match.setup.players
            if number > len(players):
                return Refuse(
                    "unknown-player", f"Nobody sits at seat {number}: {len(players)} play."
                )
            action = game.meaning(match.state, "player", players[number - 1])
        elif where == "control":
            action = game.meaning(match.state, "control", name)
        elif where == game.name:
            action = game.meaning(match.state, "component", name)
            if action is not None and uid in spent:
                return Do(
                    action,
                    f"This card ({name}) was turned since the last shuffle: it cannot come again.",
                )
        else:
            return Notice("no-meaning", f"This tag belongs to {where}, and {game.name} is played.")
        if action is None:
            return Notice("no-meaning", f"This tag ({component}) means nothing in {game.name}.")
        return Do(action)
