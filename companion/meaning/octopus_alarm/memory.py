"""What was tapped of octopus alarm before the game: the tiles by area, and the reef.

While the board is laid out, tiles may be tapped area by area, and chips as the stacks are
built, each from the bottom up. Where they lie is secret from then on (rule 12): no sentence
in here names a face, nor the place of a tag.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from companion.match import Match
from companion.meaning.api import Meaning, Notice, Refuse, Tap, Wait
from companion.rules.api import Leave, Refusal
from companion.rules.octopus_alarm_tiles import weight
from companion.rules.octopus_alarm_words import (
    ANIMALS,
    AREAS,
    CHIP_TAGS,
    CHIPS,
    STACK,
    UNKNOWN,
    Reef,
    State,
)
from companion.said import say

TILES = 16
REEF = 24
"""Chips in the four stacks."""
TOPS = 4


class LaidTile(NamedTuple):
    """A tile that was tapped when the board was laid out.

    Attributes:
        uid: of its tag.
        face: in the words of this game.
        area: where it lies.
        told: the reader stands in that area; else the area is counted off, and can be relied
            on only when all sixteen were tapped.
    """

    uid: str
    face: str
    area: int
    told: bool


class LaidChip(NamedTuple):
    """A chip that was tapped when the reef was built."""

    uid: str
    animal: str


class Pending(NamedTuple):
    """A tap that waits for an answer.

    Attributes:
        tap: as it came.
        chosen: what was answered so far.
    """

    tap: Tap
    chosen: tuple[str, ...] = ()


class Memory(NamedTuple):
    """What was tapped and is no action.

    Attributes:
        tiles: that were laid out, in the order of the taps.
        fit: whether the tiles can lie so in this layout.
        chips: of the reef; from the bottom of stack 0 on, or the four tops.
        built: whether `chips` are whole stacks (True) or the tops (False); None while the
            first four may be either.
        laying: somebody was asked, and said that the tiles are still being laid out.
        pending: what waits for an answer; None when nothing does.
    """

    tiles: tuple[LaidTile, ...] = ()
    fit: bool = True
    chips: tuple[LaidChip, ...] = ()
    built: bool | None = None
    laying: bool = False
    pending: Pending | None = None

    @property
    def relied_on(self) -> tuple[LaidTile, ...]:
        """The tiles of which the area is certain."""
        if not self.fit:
            return ()
        if len(self.tiles) == TILES:
            return self.tiles
        return tuple(tile for tile in self.tiles if tile.told)


def named(name: str, state: State) -> tuple[bool, str]:
    """What a tag is on: whether it is a chip, and the face in the words of this game.

    The n-th animal of the default list stands for the n-th one that the table has chosen.
    """
    if name in CHIP_TAGS:
        return True, state.terms.animals[CHIP_TAGS.index(name)]
    return False, state.terms.animals[ANIMALS.index(name)] if name in ANIMALS else name


def area_of(station: str) -> int | None:
    """The area that the reader stands in; None for another station."""
    where, _, number = station.rpartition("-")
    return int(number) if where == "area" and number in ("0", "1", "2", "3") else None


def opening(match: Match) -> bool:
    """Whether nobody has sailed yet."""
    return all(isinstance(past.action, Reef | Leave) for past in match.back())


# The tiles


def lay_tile(memory: Memory, tap: Tap, face: str, state: State) -> tuple[Memory, Meaning]:
    """A tile of the board, where its reader stands, or else in the next area with room.

    Laid at another area it moves there. While the tiles do not fit together nobody knows which
    of them lies elsewhere, and none is relied on. Tapped again at a reader for all areas, the
    counting goes on from there: what was tapped after it is forgotten.
    """
    told = area_of(tap.station)
    tiles = memory.tiles
    before = next((place for place, tile in enumerate(tiles) if tile.uid == tap.uid), None)
    if before is not None and told is None:
        tiles = tiles[: before + 1]
        memory = memory._replace(tiles=tiles, fit=_fit(tiles, state.terms.always))
        return memory, Wait(tiles_sentence(memory))
    if before is not None:
        tiles = (*tiles[:before], *tiles[before + 1 :])
    held = [tile.area for tile in tiles]
    area = told
    if area is None:
        area = next((each for each in range(AREAS) if held.count(each) < TOPS), AREAS - 1)
    tiles = (*tiles, LaidTile(tap.uid, face, area, told is not None))
    fit = _fit(tiles, state.terms.always)
    if not fit and told is None:
        return memory, Refuse(
            "card-not-available",
            say(
                "This tile does not fit into area %(area)s in this layout, after those that were "
                "tapped before (rule 11): look whether each was tapped in its turn, and once.",
                area=area,
            ),
        )
    memory = memory._replace(tiles=tiles, fit=fit)
    sentence = tiles_sentence(memory)
    return memory, Wait(sentence) if fit else Notice("does-not-fit", sentence)


def _fit(tiles: tuple[LaidTile, ...], always: Sequence[str]) -> bool:
    """Whether the tiles can lie so (rule 11)."""
    board: list[str | None] = [None] * TILES
    for tile in tiles:
        inside = range(4 * tile.area, 4 * tile.area + 4)
        place = next((each for each in inside if board[each] is None), None)
        if place is None or not weight(always, board, tile.area, tile.face):
            return False
        board[place] = tile.face
    return True


def tiles_sentence(memory: Memory) -> str:
    """How far the board has been tapped."""
    tiles = memory.tiles
    if not memory.fit:
        return say(
            "The tiles that were tapped do not fit together (rule 11): tap each that may lie "
            "elsewhere once more, in its own area."
        )
    if len(tiles) == TILES:
        return say("All sixteen tiles are tapped.")
    if all(tile.told for tile in tiles):
        return say("%(count)s of 16 tiles are tapped.", count=len(tiles))
    held = [tile.area for tile in tiles]
    area = next(each for each in range(AREAS) if held.count(each) < TOPS)
    return say("Area %(area)s: %(count)s of 4 tiles are tapped.", area=area, count=held.count(area))


# The reef


def lay_chip(memory: Memory, uid: str, animal: str) -> tuple[Memory, Refuse | None]:
    """A chip of the reef. Tapped again, the counting goes on from there."""
    chips = memory.chips
    before = next((place for place, chip in enumerate(chips) if chip.uid == uid), None)
    if before is not None:
        return memory._replace(chips=chips[: before + 1]), None
    if [chip.animal for chip in chips].count(animal) == CHIPS:
        return memory, Refuse(
            "card-not-available",
            say(
                "%(chips)s chips with this animal are tapped already, and there are no more "
                "(rule 8): look at it again.",
                chips=CHIPS,
            ),
        )
    chips = (*chips, LaidChip(uid, animal))
    built = True if len(chips) > TOPS else memory.built
    return memory._replace(chips=chips, built=built), None


def chips_sentence(memory: Memory) -> str:
    """How far the reef has been tapped."""
    count = len(memory.chips)
    if count < TOPS and not memory.built:
        return say(
            "%(count)s of 4 tops are tapped, stack after stack; or go on tapping the stacks, "
            "each from the bottom up.",
            count=count,
        )
    stack, chips = divmod(count, STACK)
    return say("Stack %(stack)s: %(chips)s of 6 chips are tapped.", stack=stack, chips=chips)


def top(memory: Memory, stack: int, left: int) -> LaidChip | None:
    """The chip that is on top when so many are left, as far as it was tapped before the game."""
    if memory.built and len(memory.chips) == REEF and left:
        return memory.chips[STACK * stack + left - 1]
    if memory.built is False and left == STACK and stack < len(memory.chips):
        return memory.chips[stack]
    return None


def agrees(memory: Memory, match: Match, stack: int) -> bool:
    """Whether all that was told of this stack is as it was tapped before the game."""
    return all(
        chip is None or chip.animal == action.animal
        for action, left in _told(match, stack)
        for chip in (top(memory, stack, left),)
    )


def _told(match: Match, stack: int) -> Iterator[tuple[Reef, int]]:
    """Each telling of a top of this stack, and how many chips there were, newest first."""
    for past in match.back():
        if isinstance(past.action, Reef) and past.action.stack == stack and past.before:
            yield past.action, past.before.state.reef.left[stack]


def due(memory: Memory, match: Match) -> tuple[Reef, ...]:
    """The tops that are not told yet, and that nobody need tell."""
    if len(memory.chips) < REEF and memory.built is not False:
        return ()
    found: list[Reef] = []
    reef = match.state.reef
    for action in match.game.legal(match.state) if match.state.phase == "reef" else ():
        stack = action.stack  # type: ignore[attr-defined]
        chip = top(memory, stack, reef.left[stack])
        if chip is None or reef.tops[stack] != UNKNOWN or not agrees(memory, match, stack):
            continue
        try:
            match = match.do(Reef(stack, chip.animal))
        except Refusal:
            continue  # what was told since tells otherwise
        found.append(Reef(stack, chip.animal))
    return tuple(found)
