"""What it means that a tile is tapped: it is laid out before the game, or flipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from companion.match import Match
from companion.meaning.api import (
    Ask,
    Do,
    Known,
    Meaning,
    Refuse,
    Tap,
)
from companion.meaning.octopus_alarm.asked import ask
from companion.meaning.octopus_alarm.memory import (
    REEF,
    TILES,
    Memory,
    area_of,
    due,
    lay_tile,
    opening,
)
from companion.meaning.octopus_alarm.places import Board, Kind, board
from companion.rules.api import Action
from companion.rules.octopus_alarm_words import (
    UNKNOWN,
    Flip,
    Sail,
    State,
    places,
)
from companion.said import Thing, either, say
from companion.snapshot import Choice

TOLD = (Choice("flipped", say("It was flipped")), Choice("laid-out", say("It is being laid out")))
WHICH: dict[Kind, Choice] = {
    "up": Choice("up", say("One that lies face up already")),
    "again": Choice("again", say("One that was flipped in an earlier turn")),
    "first": Choice("first", say("One that was not flipped before")),
}


class Tile(NamedTuple):
    """A tile that was tapped.

    Attributes:
        uid: of its tag.
        face: in the words of this game.
        told: the area where the reader stands; None for a reader of all areas.
    """

    uid: str
    face: str
    told: int | None


class Way(NamedTuple):
    """One meaning of a tile that was tapped.

    Attributes:
        sail: the voyage before the flip; None where it is told already.
        area: where the ship is then.
        kind: which tile of the area it is.
        place: of the tile.
    """

    sail: Sail | None
    area: int
    kind: Kind
    place: int


def tile_meant(
    memory: Memory, tap: Tap, face: str, known: Known, chosen: tuple[str, ...]
) -> tuple[Memory, Meaning]:
    """What the tile means after these answers.

    Args:
        memory: without what waits.
        tap: of the tile.
        face: that it shows, in the words of this game.
        known: the game.
        chosen: what was answered.
    """
    match = known.match
    tops = due(memory, match)
    if opening(match):
        memory, laid = _laid_out(memory, tap, face, match, chosen)
        if laid is not None:
            return memory, laid
    for action in tops:
        match = match.do(action)
    tile = Tile(tap.uid, face, area_of(tap.station))
    return memory, _flipped(board(memory, known), tile, match, tops, chosen)


def _laid_out(
    memory: Memory, tap: Tap, face: str, match: Match, chosen: tuple[str, ...]
) -> tuple[Memory, Meaning | None]:
    """The tile is laid out before the game, or it is asked whether it is; None: it is not.

    Tiles come before the reef. So a tile that is missing when somebody has begun with the reef
    may be one that was passed over, and is flipped now: it must not complete the count.
    """
    state, area = match.state, area_of(tap.station)
    laid = {tile.uid: tile.area for tile in memory.tiles}
    whole = len(laid) >= TILES and memory.fit
    tops_needed = state.phase == "reef" and not due(memory, match)
    if tops_needed:
        flipped = whole and (area is None or laid.get(tap.uid) == area)
        doubtful = bool(memory.chips)
    else:
        flipped = whole
        doubtful = bool(memory.tiles) or (memory.built is True and len(memory.chips) == REEF)
    if flipped:
        return memory, None
    if "laid-out" in chosen or (memory.laying and tap.uid not in laid):
        return lay_tile(memory._replace(laying=True), tap, face, state)
    if not doubtful:
        return lay_tile(memory, tap, face, state) if tops_needed else (memory, None)
    if "flipped" in chosen:
        return memory, None
    text = say("Nobody has sailed yet: was this tile flipped, or is it being laid out?")
    return memory, ask("laid", text, TOLD, state, say("Neither"))


def _flipped(
    lying: Board, tile: Tile, match: Match, before: tuple[Action, ...], chosen: tuple[str, ...]
) -> Meaning:
    """A flip, with the voyage before it where that is still to be told (rules 1 and 2).

    Args:
        lying: where the tiles lie.
        tile: that was tapped.
        match: after the actions in `before`.
        before: what is done before it.
        chosen: what was answered.
    """
    state: State = match.state
    uid, face, told = tile
    if state.phase == "reef":
        return Refuse("not-legal", _tops_first(state))
    if state.phase not in ("sail", "flip", "choose"):
        return Do((*before, Flip(0, face)))  # which the rules refuse, and say why
    home = lying.home(uid)
    if told is not None and home is not None and told != home:
        return Refuse(
            "not-legal",
            say(
                "The %(face)s does not belong to area %(area)s, where this reader stands: tap it "
                "where it lies, and put it back there (rule 2).",
                face=Thing(face),
                area=told,
            ),
        )
    voyages = _voyages(match)
    ways = [
        Way(sail, area, kind, place)
        for sail, area in voyages
        for kind, place in lying.ways(uid, face, area).items()
        if told in (None, area)
    ]
    if not ways:
        return _not_there(state, tile, home, [area for _, area in voyages])
    ways = [way for way in ways if way.sail and f"sail-{way.sail.areas}" in chosen] or ways
    if len({way.area for way in ways}) > 1:
        return _asked_how_far(ways, face, state)
    ways = [way for way in ways if way.kind in chosen] or ways
    if len(ways) > 1:
        text = say(
            "Which %(face)s of area %(area)s was tapped?", face=Thing(face), area=ways[0].area
        )
        return ask("tile", text, [WHICH[way.kind] for way in ways], state)
    (way,) = ways
    if way.kind == "up":
        return Refuse(
            "not-legal",
            say(
                "The %(face)s lies up already: flip a tile of area %(area)s that lies face down, or "
                "stop (rule 2).",
                face=Thing(face),
                area=way.area,
            ),
        )
    voyage = () if way.sail is None else (way.sail,)
    flip = Flip(way.place % 4, face)  # type: ignore[arg-type]
    return Do((*before, *voyage, flip))


def _voyages(match: Match) -> list[tuple[Sail | None, int]]:
    """How the ship may have come to where a tile is flipped, and the area."""
    if match.state.phase != "sail":
        return [(None, match.state.ship)]
    voyages: list[tuple[Sail | None, int]] = []
    for sail in match.game.legal(match.state):
        after = match.do(sail).state
        if after.phase == "flip":  # with `landing` = `alarm` no tile is flipped there (rule 1)
            voyages.append((cast(Sail, sail), after.ship))
    return voyages


def _asked_how_far(ways: Sequence[Way], face: str, state: State) -> Ask:
    player = state.terms.players[state.seat]
    areas = {way.sail.areas: way.area for way in ways if way.sail}
    choices = [
        Choice(
            f"sail-{far}",
            say("One area, to area %(area)s", area=area)
            if far == 1
            else say("Two areas, to area %(area)s", area=area),
        )
        for far, area in areas.items()
    ]
    return ask(
        "sailed",
        say(
            "The %(face)s was flipped: how far has %(player)s sailed?",
            face=Thing(face),
            player=player,
        ),
        choices,
        state,
    )


def _not_there(state: State, tile: Tile, home: int | None, reached: Sequence[int]) -> Refuse:
    """The tile cannot be where the ship is or may come to; nothing tells where it is (rule 12)."""
    player, here = state.terms.players[state.seat], either(reached)
    possible = say("flip a tile of area %(areas)s, where the ship is (rule 2)", areas=here)
    if state.phase == "sail":
        possible = say(
            "%(player)s can sail to area %(areas)s and flip there (rules 1 and 2)",
            player=player,
            areas=here,
        )
    if tile.told is not None and tile.told not in reached:
        return Refuse(
            "not-legal",
            say(
                "That was tapped in area %(area)s: %(possible)s.", area=tile.told, possible=possible
            ),
        )
    if home is not None and home not in reached:
        return Refuse(
            "not-legal",
            say(
                "The %(face)s lies in another area: %(possible)s.",
                face=Thing(tile.face),
                possible=possible,
            ),
        )
    return Refuse(
        "card-not-available",
        say(
            "The %(face)s cannot lie in area %(areas)s after what was seen (rule 11): look at it "
            "again, or take back the one that was misread; %(possible)s.",
            face=Thing(tile.face),
            areas=here,
            possible=possible,
        ),
    )


def _tops_first(state: State) -> str:
    unknown = places(state.reef.tops, UNKNOWN)
    if len(unknown) == 1:
        return say(
            "The tile must wait: first tap the chip that came up on stack %(stack)s of the reef "
            "(rule 4).",
            stack=unknown[0],
        )
    return say("The tile must wait: first tap the tops of the reef, stack after stack (rule 4).")
