"""The sixteen tiles of octopus alarm: how they may lie, and what a tile may turn out to be.

All layouts are one (rule 11): each area has one tile of certain faces, and all other tiles
lie anywhere. Every arrangement that a layout allows is equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from companion.rules.api import Json, Refusal
from companion.rules.octopus_alarm_words import AREAS, BILLY, WAVE, State
from companion.said import Thing, either, say

LAYOUTS: dict[str, tuple[str, ...]] = {
    "fixed": (WAVE, BILLY),
    "waves-only": (WAVE,),
    "free": (),
}
"""By the option `layout`, the faces of which each area has one."""


def weight(always: Sequence[str], known: Sequence[str | None], area: int, face: str) -> int:
    """How likely a tile of the area that is not known is to show this face.

    Divided by the sum for all faces it is the probability; it is 0 exactly where no
    arrangement of the tiles that are not known fits.

    Args:
        always: the faces of which each area has one.
        known: by place, the face; None where it is not known.
        area: of the tile.
        face: one of this game.
    """
    inside = known[4 * area : 4 * area + 4]
    if face in always:
        if face in inside:
            return 0
        loose = known.count(None) - sum([AREAS - known.count(each) for each in always])
        return max(loose, 1)
    left = (AREAS if face in (WAVE, BILLY) else 1) - known.count(face)
    missing = [each for each in always if each not in inside]
    return left * (inside.count(None) - len(missing))


def checked(state: State, place: int, face: str | None) -> str:
    """The face, if it can be seen in this place for the first time.

    Raises:
        Refusal: `unknown-card`, `tile-mismatch` or `card-not-available`; the sentence tells
            nothing of what the tile is, nor, without the memory aid, of what it was.
    """
    terms = state.terms
    if face is None:
        raise Refusal("bad-command", say("Name the face of the tile that was turned up (rule 2)."))
    if face not in terms.animals and face not in (WAVE, BILLY):
        raise Refusal(
            "unknown-card",
            say(
                "No tile shows %(face)s: name %(faces)s (rule 11).",
                face=repr(face),
                faces=either(map(Thing, (WAVE, BILLY, *terms.animals))),
            ),
        )
    area, tile = divmod(place, 4)
    before = state.seen[place]
    if before is not None:
        raise Refusal(
            "tile-mismatch",
            say(
                "Tile %(tile)s of area %(area)s showed the %(face)s earlier, and tiles never change "
                "place (rule 12): look at it again, or take back the one that was misread.",
                tile=tile,
                area=area,
                face=Thing(before),
            )
            if terms.memory_aid
            else say(
                "Tile %(tile)s of area %(area)s showed another face earlier, and tiles never change "
                "place (rule 12): look at it again, or take back the one that was misread.",
                tile=tile,
                area=area,
            ),
        )
    if not weight(terms.always, state.seen, area, face):
        raise Refusal(
            "card-not-available",
            say(
                "Tile %(tile)s of area %(area)s cannot show the %(face)s in this layout after what "
                "was seen (rule 11): look at it again, or take back the one that was misread.",
                tile=tile,
                area=area,
                face=Thing(face),
            ),
        )
    return face


def odds(state: State) -> Json:
    """What a face-down tile of the ship's area may be, and what would come of it.

    From the tiles that lie open, and with `memory_aid` from all that were seen.
    """
    terms, ship, up, seen = state.terms, state.ship, state.up, state.seen
    known = [
        face if terms.memory_aid or up >> place & 1 else None for place, face in enumerate(seen)
    ]
    down = [known[place] for place in range(4 * ship, 4 * ship + 4) if not up >> place & 1]
    weights = {
        face: weight(terms.always, known, ship, face) for face in (WAVE, BILLY, *terms.animals)
    }
    total = sum(weights.values()) or 1
    chances = {
        face: Fraction(down.count(face) * total + down.count(None) * own, len(down) * total)
        for face, own in weights.items()
    }
    last = len(down) == 1
    return {
        "next": {face: float(chance) for face, chance in chances.items() if chance},
        "ends_turn": float(
            sum(chance for face, chance in chances.items() if _ends_turn(state, face, last=last))
        ),
        "alarm": float(sum(chance for face, chance in chances.items() if _alarms(state, face))),
    }


def _alarms(state: State, face: str) -> bool:
    gap = (state.billy - state.ship) % AREAS
    return (face == WAVE and gap == 1) or (face == BILLY and gap == AREAS - 1)


def _ends_turn(state: State, face: str, *, last: bool) -> bool:
    """Whether this face ends the turn without winning.

    Args:
        state: before the flip.
        face: of the tile.
        last: no other tile of the ship's area is face down.
    """
    if _alarms(state, face):
        return True
    if face == WAVE:
        return state.up >> 4 * ((state.ship + 1) % AREAS) & 15 == 15
    if face == BILLY:
        return last
    if face not in state.reef.tops:
        return True
    return last and len(state.crew.animals[state.seat]) + 1 < state.terms.target
