"""From readings to taps: what was really laid down, once.

It suppresses repeats and tells what cannot be believed: a tag that lay there at the start,
two tags on one reader, one tag at two places. It knows nothing of the game; what a tap means
there is the matter of `companion.meaning`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias

from companion import uid as uids
from companion.drivers.api import ButtonPressed, SeveralTags, TagOff, TagOn, TagUnreadable
from companion.meaning.api import Notice
from companion.said import say

REPEAT_NS = 1_500_000_000
"""The same tag read again within this time of a tap that counted, with nothing read and
nothing done in between, is that tap: a hand that trembles, two antennas side by side."""

TWO_PLACES_NS = 300_000_000
"""A card that two places see within this time lies between them, and at neither."""

BLINK_NS = 300_000_000
"""A tag that was away for less has not been lifted: an antenna that blinks."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A person laid a known tag on a reader, or pressed a button that does the same.

    Attributes:
        component: what the tag is on, such as `tentacles/dots` or `control/stop`.
        uid: of the tag; None for a button.
    """

    component: str
    uid: str | None


@dataclass(frozen=True, slots=True)
class TwoPlaces:
    """Another place has just seen this card, too: it counts at neither."""


@dataclass(frozen=True, slots=True)
class Together:
    """Two cards lie on the reader together and were read in turn: none of them counts.

    Attributes:
        since_ns: when the first of them was read.
    """

    since_ns: int


Heard: TypeAlias = Laid | Notice | TwoPlaces | Together | None
"""None is the same read once more: nothing to say."""

HandReading: TypeAlias = TagOn | TagOff | SeveralTags | TagUnreadable | ButtonPressed
"""What people do with their hands at a reader."""

ALTERNATION_NS = 1_500_000_000
"""Two tags that take turns twice within this time lie there together."""

LAY_THERE = Notice(
    "lay-there",
    say(
        "This lay on the reader when it started: lift it, and lay it down again if it is to count."
    ),
)
BEFORE_GAME = Notice(
    "before-game",
    say("This was laid down before the game began: lay it down again if it is to count."),
)
SEEN_TWICE = Notice(
    "two-places",
    say("This was seen at two places at once and counts at neither: lift it, and lay it on one."),
)
COUNTED_ALREADY = Notice(
    "two-places",
    say(
        "This was seen at two places, with another card between: what was read stands. "
        "Compare the page with the table, and set right what differs."
    ),
)
ONE_AT_A_TIME = Notice(
    "several-tags", say("More than one card lies on the reader: one card at a time.")
)


class Interpreter:
    """Remembers what lies on each reader, and nothing of the game.

    Args:
        look_up: what a tag is on, by UID; None for an unknown tag.
        last_read: the UIDs that the record's last entries of each reader came from; if one
            of them lies there when a reader starts, it is the same read.
        begun_ns: when the game began; None for one that goes on, in which a tap counts also
            when it was made while the service was away.
    """

    def __init__(
        self,
        look_up: Callable[[str], str | None],
        last_read: Collection[str],
        begun_ns: int | None,
    ) -> None:
        self._look_up = look_up
        self._begun_ns = begun_ns
        self._last_read = last_read
        self._lying: dict[str, str] = {}
        self._heard: set[str] = set()
        self._counted: tuple[str, int] | None = None
        self._lifted: tuple[str, int] | None = None
        self._places: dict[str, tuple[str, int]] = {}
        self._between: set[str] = set()
        self._swaps: dict[str, tuple[tuple[str, int], ...]] = {}
        self._told: set[str] = set()
        self._off_ns: dict[str, int] = {}

    def begin(self, at_ns: int) -> None:
        """A game begins now: what was laid down earlier, and is told only now, is none of it."""
        self._begun_ns = at_ns
        self.forget_repeats()

    def forget_repeats(self) -> None:
        """Something else was done, or a tap was refused: the same tag is a new tap now."""
        self._counted = self._lifted = None

    def read(self, reading: HandReading) -> Heard:
        """What people did."""
        match reading:
            case TagOn():
                return self._on(reading)
            case TagOff(reader, uid, at_ns):
                self._off_ns[reader] = at_ns
                if self._lying.pop(reader, None) == uid:
                    self._lifted = (uid, at_ns)
                return None
            case SeveralTags():
                return ONE_AT_A_TIME
            case ButtonPressed(_, button, _):
                return Laid(f"control/{button}", None)
            case TagUnreadable(_, reason, _):
                return Notice(
                    "unreadable-tag",
                    say("That cannot be read (%(reason)s): lay it down once more.", reason=reason),
                )

    def _on(self, reading: TagOn) -> Heard:
        same = self._is_same_read(reading)
        between = self._lies_between(reading)
        together = self._alternates(reading)
        first = reading.reader not in self._heard
        self._heard.add(reading.reader)
        self._lying[reading.reader] = reading.uid
        if together is not None:
            told = reading.reader in self._told
            self._told.add(reading.reader)
            return None if told else together
        self._told.discard(reading.reader)
        if between:
            told = reading.uid in self._between
            self._between.add(reading.uid)
            return None if told else TwoPlaces()
        if same:
            return None
        if first and reading.lay_there:
            return None if reading.uid in self._last_read else LAY_THERE
        if self._begun_ns is not None and reading.at_ns < self._begun_ns:
            return BEFORE_GAME
        self._counted = (reading.uid, reading.at_ns)
        self._places[reading.reader] = self._counted
        return self._known(reading.uid)

    def _known(self, uid: str) -> Heard:
        component = self._look_up(uid)
        if component is not None:
            return Laid(component, uid)
        return Notice(
            "unknown-tag",
            say(
                "This tag is not enrolled: nothing has changed. It makes up a new UID at each tap "
                "and cannot be used."
            )
            if uids.is_random(uid)
            else say("This tag is not enrolled: nothing has changed."),
        )

    def _lies_between(self, reading: TagOn) -> bool:
        """Whether two places see one card: at once, or still since it was told.

        What the tag of a player or of a control means is the same at every place, so there is
        nothing to ask: it counts once.
        """
        here, uid = reading.reader, reading.uid
        if self._lying.get(here) == uid or not self._is_card(uid):
            return False
        lies_elsewhere = any(
            lying == uid for reader, lying in self._lying.items() if reader != here
        )
        if uid in self._between and lies_elsewhere:
            return True
        self._between.discard(uid)
        return any(
            known == uid and abs(reading.at_ns - at_ns) < TWO_PLACES_NS
            for reader, (known, at_ns) in self._places.items()
            if reader != here
        )

    def _is_card(self, uid: str) -> bool:
        component = self._look_up(uid)
        return component is not None and component.partition("/")[0] not in ("player", "control")

    def _is_same_read(self, reading: TagOn) -> bool:
        if self._lying.get(reading.reader) == reading.uid:
            return True
        for known, limit_ns in ((self._counted, REPEAT_NS), (self._lifted, BLINK_NS)):
            if (
                known is not None
                and known[0] == reading.uid
                and reading.at_ns < known[1] + limit_ns
            ):
                return True
        return False

    def _alternates(self, reading: TagOn) -> Together | None:
        """Cards laid at once are read in turn, with hardly a moment of an empty reader between.

        Two quick hands do that once, back and forth, but not twice within a moment; nor with
        three cards.
        """
        off_ns = self._off_ns.get(reading.reader)
        swapped = off_ns is not None and reading.at_ns - off_ns < BLINK_NS
        earlier = self._swaps.get(reading.reader, ()) if swapped else ()
        chain = (*earlier[-4:], (reading.uid, reading.at_ns))
        self._swaps[reading.reader] = chain
        for count, length in ((2, 4), (3, 5)):
            turns = chain[-length:]
            uids = [uid for uid, _ in turns]
            rotate = len(turns) == length and uids[count:] == uids[:-count]
            if rotate and len(set(uids)) == count and turns[-1][1] - turns[0][1] < ALTERNATION_NS:
                return Together(turns[0][1])
        return None
