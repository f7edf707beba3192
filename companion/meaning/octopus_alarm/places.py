"""Where the tags of octopus alarm lie: tiles by place, chips on top of the reef.

A tile has no place within its area that a reader could tell. The first time that it is
flipped it gets the lowest place there that nothing speaks against, and keeps it while that
flip is in force. So an undo unlearns by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from companion.meaning.api import Known
from companion.meaning.octopus_alarm.memory import LaidTile, Memory, agrees, top
from companion.rules.octopus_alarm_tiles import weight
from companion.rules.octopus_alarm_words import AREAS, BILLY, UNKNOWN, WAVE, Flip, Reef, State, Take

Kind = Literal["up", "again", "first"]
"""Which tile of the area this may be: one that lies face up, one that was flipped in an
earlier turn, or one that was not flipped yet."""


class Board(NamedTuple):
    """What is known of where the tiles lie.

    Attributes:
        state: of the rules.
        placed: place by UID, of the tiles that were flipped by their tags.
        laid: the tiles that were tapped before the game.
    """

    state: State
    placed: Mapping[str, int]
    laid: tuple[LaidTile, ...]

    def home(self, uid: str) -> int | None:
        """The area where this tile lies; None while it is not known."""
        if uid in self.placed:
            return self.placed[uid] // 4
        return next((tile.area for tile in self.laid if tile.uid == uid), None)

    def ways(self, uid: str, face: str, area: int) -> dict[Kind, int]:
        """Which tile of this area it may be: the place by kind, empty when it cannot be there."""
        up, seen = self.state.up, self.state.seen
        home = self.home(uid)
        if home is not None and home != area:
            return {}
        if uid in self.placed:
            place = self.placed[uid]
            return {"up" if up >> place & 1 else "again": place}
        taken = set(self.placed.values())
        free = [place for place in range(4 * area, 4 * area + 4) if place not in taken]
        found: dict[Kind, int] = {}
        for place in free:
            if seen[place] == face:
                found.setdefault("up" if up >> place & 1 else "again", place)
        empty = [place for place in free if seen[place] is None]
        if empty and weight(self.state.terms.always, self._filled(uid), area, face):
            found["first"] = empty[0]
        return found

    def _filled(self, uid: str) -> list[str | None]:
        """The faces by place, with the other tiles that were laid out and not flipped yet."""
        filled = list(self.state.seen)
        taken = set(self.placed.values())
        for tile in self.laid:
            if tile.uid in self.placed or tile.uid == uid:
                continue
            free = [p for p in range(4 * tile.area, 4 * tile.area + 4) if p not in taken]
            same = [place for place in free if self.state.seen[place] == tile.face]
            empty = [place for place in free if filled[place] is None]
            if same or empty:
                place = (same or empty)[0]
                taken.add(place)
                filled[place] = tile.face
        return filled


def board(memory: Memory, known: Known) -> Board:
    """What the tags have told so far.

    Where a wave was told on a page, or a missed one was put in, nobody can say which of the
    waves that was: then no tag of a wave tells its place. The same holds for Lille-Billy.
    """
    placed: dict[str, int] = {}
    flips = [
        (match.action, match.before.state.ship, uid)
        for match, uid in known.past()
        if isinstance(match.action, Flip) and match.before is not None
    ]
    alike = {flip.face for flip, _, uid in flips if uid is None} & {WAVE, BILLY}
    for flip, ship, uid in flips:
        if uid is not None and flip.face not in alike:
            placed.setdefault(uid, 4 * ship + flip.tile)
    return Board(known.match.state, placed, memory.relied_on)


class Chips(NamedTuple):
    """What is known of the chips.

    Attributes:
        tops: stack by UID, of the chips that can be seen on top.
        gone: UIDs of the chips that were on top before and were taken.
        last: by stack, the animal that was told last and the UID of that chip, if known.
    """

    tops: Mapping[str, int]
    gone: frozenset[str]
    last: Mapping[int, tuple[str, str | None]]


def chips(memory: Memory, known: Known) -> Chips:
    """What the tags have told so far."""
    tops: dict[str, int] = {}
    gone: set[str] = set()
    taken: dict[int, str] = {}
    last: dict[int, tuple[str, str | None]] = {}
    now = known.match.state.reef
    trusted = [agrees(memory, known.match, stack) for stack in range(AREAS)]
    for match, uid in known.past():
        action, before = match.action, match.before
        if isinstance(action, Take) and uid is not None:
            gone.add(uid)
            taken.setdefault(action.stack, uid)
        if not isinstance(action, Reef) or before is None:
            continue
        stack = action.stack
        chip = top(memory, stack, before.state.reef.left[stack]) if trusted[stack] else None
        tag = uid or (None if chip is None else chip.uid)
        newest = stack not in last
        if newest:
            last[stack] = (str(action.animal), tag or taken.get(stack))
        if tag is not None and newest and now.tops[stack] not in (UNKNOWN, None):
            tops[tag] = stack
        elif tag is not None:
            gone.add(tag)
    return Chips(tops, frozenset(gone - tops.keys()), last)
