"""How octopus alarm is shown: the sea, the reef, the crew, and what is to be done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.codec import action_to_json
from companion.rules.api import Action, Leave
from companion.rules.octopus_alarm_words import (
    ANIMALS,
    AREAS,
    BILLY,
    UNKNOWN,
    WAVE,
    Flip,
    Reef,
    Sail,
    Stop,
    Swing,
    Take,
    places,
)
from companion.said import either
from companion.ship_watch import CARRY, LAID, PLACED
from companion.snapshot import ShipStatus, Snapshot
from web_ui.games.face import Button, Face
from web_ui.games.octopus_alarm_words import face_icon, face_name, is_own, spoken, words
from web_ui.sentences import Sentence
from web_ui.words import gettext, ngettext, told

PROVISIONS = 3
"""So many each has where the table chose nothing else."""
BARRELS = 5
"""Of more provisions the number alone is shown."""
STACKS = 4

# The sea, drawn in 400 by 400.
_SIDE, _GAP, _EDGE = 58, 6, 10
_FAR = 400 - _EDGE - 2 * _SIDE - _GAP
_CORNERS = ((_EDGE, _EDGE), (_FAR, _EDGE), (_FAR, _FAR), (_EDGE, _FAR))


@dataclass(frozen=True, slots=True)
class SeaTile:
    """One tile as everybody sees it.

    Attributes:
        number: in its area.
        x: of its left edge, in the drawing.
        y: of its upper edge.
        face: what it shows; None while it lies face down.
        seen: what it showed earlier in the game, where a table has chosen to be told.
        wanted: it can be flipped now.
    """

    number: int
    x: int
    y: int
    face: str | None
    seen: str | None
    wanted: bool


@dataclass(frozen=True, slots=True)
class ReefStack:
    """One stack of the reef.

    Attributes:
        number: of the stack.
        top: the animal on top; None while it is not told, and when the stack is empty.
        left: how many chips.
        wanted: its top is to be told or taken now.
        sends: takes its top, as JSON; empty while that cannot be.
    """

    number: int
    top: str | None
    left: int
    wanted: bool
    sends: str


@dataclass(frozen=True, slots=True)
class Sailor:
    """What a player has.

    Attributes:
        animals: in the order in which they were caught.
        open: how many are missing to win.
        barrels: for each provision, whether it is still there; () where they are too many.
        provisions: how many are left.
        stranded: without provisions.
        place: 1 for the first, at the end; 0 before.
    """

    animals: Sequence[str]
    open: int
    barrels: Sequence[bool]
    provisions: int
    stranded: bool
    place: int


@dataclass(frozen=True, slots=True)
class Way:
    """One way to sail.

    Attributes:
        areas: how far.
        to: where the ship comes to.
        sends: the action as JSON; empty where the rules do not allow it.
    """

    areas: int
    to: int
    sends: str


@dataclass(frozen=True, slots=True)
class Pick:
    """One face that can be told.

    Attributes:
        face: of the tile or chip.
        sends: the action as JSON.
    """

    face: str
    sends: str


def animals_of(snapshot: Snapshot) -> tuple[str, ...]:
    """The eight animals of this table."""
    chosen = snapshot.options.get("animals")
    return tuple(map(str.strip, chosen.split(","))) if isinstance(chosen, str) else ANIMALS


# What is to be done


def _to_do(snapshot: Snapshot) -> Sentence:
    phase, state, ship = snapshot.standing.phase, snapshot.state, snapshot.ship
    if snapshot.standing.over:
        return Sentence("crown", gettext("Wins the game!"))
    if phase == "alarm":
        return _of_alarm(ship, str(state.get("swinger") or snapshot.standing.turn))
    if ship is not None:
        return Sentence("ship-up", gettext("Stand the ship up, then sail on"))
    match phase:
        case "reef":
            return _of_reef(snapshot)
        case "sail":
            return _of_sailing(snapshot)
        case "flip":
            return Sentence("tile", gettext("Flip a tile"))
        case "choose":
            return Sentence("tile-or-stop", gettext("Flip a tile, or stop"))
        case _:
            animal = _wanted(snapshot) or ""
            return spoken(face_icon(animal), gettext("Take: %(animal)s. From which stack?"), animal)


def _of_reef(snapshot: Snapshot) -> Sentence:
    unknown = places(snapshot.state["reef"], UNKNOWN)
    if len(unknown) == 1:
        return spoken("reef", gettext("What came up on stack %(stack)s?"), stack=unknown[0])
    template = gettext("What lies on top of the reef? Stack %(stacks)s")
    return spoken("reef", template, stacks=told(either(unknown)))


def _of_sailing(snapshot: Snapshot) -> Sentence:
    match [action.areas for action in snapshot.legal if isinstance(action, Sail)]:
        case [areas]:
            sail = ngettext("Sail %(num)d area", "Sail %(num)d areas", areas)
            return spoken(f"sail-{areas}", sail, num=areas)
    return Sentence("ship", gettext("Sail 1 or 2 areas"))


def _of_alarm(ship: ShipStatus | None, swinger: str) -> Sentence:
    match _step(ship):
        case "place":
            template = gettext("Put the ship in its place, then %(swinger)s swings the ball")
            return spoken("ship", template, swinger=swinger)
        case "stand-up":
            template = gettext("Stand the ship up, then %(swinger)s swings the ball")
            return spoken("ship-up", template, swinger=swinger)
        case "swinging":
            return Sentence("hands-off", gettext("Hands off! The ball swings"))
        case "settling":
            return Sentence("hands-off", gettext("Hands off until the ship is at rest"))
        case "asking":
            return Sentence("asked", gettext("Is the ship standing?"))
        case _:
            return spoken("swing", gettext("Alarm! %(swinger)s swings the ball"), swinger=swinger)


def _step(ship: ShipStatus | None) -> str:
    """How far an alarm is: what the judge of the ship waits for, or who else is asked."""
    if ship is None:
        return "unwatched"
    if ship.phase in ("armed", "swinging", "settling") and ship.reason == CARRY:
        return "place"
    return "asking" if ship.phase == "judged" else ship.phase


# Buttons


def _sends(action: Action) -> str:
    return json.dumps(action_to_json(action), separators=(",", ":"))


def _button(action: Action) -> Button | None:
    match action:
        case Sail(areas):
            sail = ngettext("Sail %(num)d area", "Sail %(num)d areas", areas)
            return Button(action, spoken(f"sail-{areas}", sail, num=areas), "choice")
        case Take(stack):
            label = spoken("reef", gettext("Stack %(stack)s"), stack=stack)
            return Button(action, label, "choice")
        case Stop():
            return Button(action, Sentence("stop", gettext("Stop")), "end")
        case Swing("capsized"):
            return Button(action, Sentence("ship-capsized", gettext("Capsized")), "answer")
        case Swing("upright"):
            return Button(action, Sentence("ship", gettext("Standing")), "answer")
        case Leave(player):
            label = spoken("leave", gettext("%(player)s leaves"), player=player)
            return Button(action, label, "against", player)
        case Flip(tile, str(face)):
            template = gettext("Tile %(tile)s: %(animal)s")
            return Button(action, spoken(face_icon(face), template, face, tile=tile), "choice")
        case Reef(stack, str(animal)):
            template = gettext("Stack %(stack)s: %(animal)s")
            return Button(
                action, spoken(face_icon(animal), template, animal, stack=stack), "choice"
            )
        case _:
            # What a tile or chip shows must be told: see the macro `play` of the template.
            return None


# What the board shows


def _facts(snapshot: Snapshot) -> Mapping[str, Any]:
    state = snapshot.state
    ship, billy = state["ship"], state["billy"]
    reef, crew = _reef(snapshot), _crew(snapshot)
    return {
        "areas": [_area(snapshot, area) for area in range(AREAS)],
        "ship": ship,
        "billy": billy,
        "reef": reef,
        "takes": [stack for stack in reef if stack.sends],
        "crew": crew,
        "order": sorted(range(len(crew)), key=[each.place for each in crew.values()].__getitem__),
        "target": state["target"],
        "alarm": _alarm(snapshot),
        "lies": snapshot.ship is not None and snapshot.ship.phase == "stand-up",
        "ways": _ways(snapshot),
        "picks": _picks(snapshot),
        "by_touch": not all(reader.ready for reader in snapshot.readers) or not snapshot.readers,
        "face_name": face_name,
        "face_icon": face_icon,
        "is_own": is_own,
        "tints": {
            animal: f"own-{number}"
            for number, animal in enumerate(animals_of(snapshot))
            if is_own(animal)
        },
        # What the pages of any game ask for.
        "card_name": face_name,
    }


def _area(snapshot: Snapshot, area: int) -> Sequence[SeaTile]:
    up: Mapping[str, str] = snapshot.state["face_up"]
    seen: Mapping[str, str] = snapshot.state.get("seen", {})
    wanted = {action.tile for action in snapshot.legal if isinstance(action, Flip)}
    here = area == snapshot.state["ship"]
    left, top = _CORNERS[area]
    return [
        SeaTile(
            number=tile,
            x=left + tile % 2 * (_SIDE + _GAP),
            y=top + tile // 2 * (_SIDE + _GAP),
            face=up.get(f"{area}-{tile}"),
            seen=seen.get(f"{area}-{tile}"),
            wanted=here and tile in wanted,
        )
        for tile in range(4)
    ]


def _wanted(snapshot: Snapshot) -> str | None:
    """The animal that is to be taken."""
    stacks = [action.stack for action in snapshot.legal if isinstance(action, Take)]
    return snapshot.state["reef"][stacks[0]] if stacks else None


def _reef(snapshot: Snapshot) -> Sequence[ReefStack]:
    asked = {action.stack for action in snapshot.legal if isinstance(action, Reef)}
    taken: dict[int, str] = {
        action.stack: _sends(action) for action in snapshot.legal if isinstance(action, Take)
    }
    tops: Sequence[str | None] = snapshot.state["reef"]
    return [
        ReefStack(
            number=stack,
            top=None if top == UNKNOWN else top,
            left=left,
            wanted=stack in asked or stack in taken,
            sends=taken.get(stack, ""),
        )
        for stack, (top, left) in enumerate(zip(tops, snapshot.state["reef_left"], strict=True))
    ]


def _crew(snapshot: Snapshot) -> Mapping[str, Sailor]:
    state, gone = snapshot.state, snapshot.standing.gone
    at_first = snapshot.options.get("provisions", PROVISIONS)
    order = _placing(snapshot) if snapshot.standing.over else {}
    crew = {}
    for player in snapshot.players:
        animals, left = state["animals"][player], state["provisions"][player]
        crew[player] = Sailor(
            animals=animals,
            open=max(0, state["target"] - len(animals)),
            barrels=() if at_first > BARRELS else [each < left for each in range(at_first)],
            provisions=left,
            stranded=left == 0 and player not in gone,
            place=order.get(player, 0),
        )
    return crew


def _placing(snapshot: Snapshot) -> Mapping[str, int]:
    """Winners first, then by animals and provisions; who left comes last."""
    state, standing = snapshot.state, snapshot.standing

    def merit(player: str) -> tuple[bool, bool, int, int]:
        won = player in standing.winners
        provisions = 0 if won else state["provisions"][player]
        animals = 0 if won else len(state["animals"][player])
        return won, player not in standing.gone, animals, provisions

    merits = {player: merit(player) for player in snapshot.players}
    return {
        player: 1 + sum(other > own for other in merits.values()) for player, own in merits.items()
    }


def _alarm(snapshot: Snapshot) -> Mapping[str, Any] | None:
    if snapshot.standing.phase != "alarm":
        return None
    ship = snapshot.ship
    reason = "" if ship is None or ship.reason in (CARRY, PLACED) else ship.reason
    step = _step(ship)
    return {
        "step": step,
        "swinger": snapshot.state["swinger"],
        "angle": None if ship is None else ship.angle,
        "placed": ship is not None and ship.reason == PLACED,
        "reason": gettext("The ship lies: put it in its place") if reason == LAID else reason,
        "watched": step not in ("unwatched", "asking"),
    }


def _ways(snapshot: Snapshot) -> Sequence[Way]:
    if snapshot.standing.phase != "sail":
        return ()
    allowed: dict[int, str] = {
        action.areas: _sends(action) for action in snapshot.legal if isinstance(action, Sail)
    }
    ship = snapshot.state["ship"]
    return [Way(areas, (ship + areas) % AREAS, allowed.get(areas, "")) for areas in (1, 2)]


def _picks(snapshot: Snapshot) -> Mapping[int, Sequence[Pick]]:
    """What each tile, or each top of the reef, can be told to show now."""
    animals = animals_of(snapshot)
    picks: dict[int, Sequence[Pick]] = {}
    for action in snapshot.legal:
        match action:
            case Flip(tile):
                faces = (WAVE, BILLY, *animals)
                picks[tile] = [Pick(face, _sends(Flip(tile, face))) for face in faces]
            case Reef(stack):
                picks[stack] = [Pick(face, _sends(Reef(stack, face))) for face in animals]
    return picks


FACE = Face(
    template="game/octopus-alarm.html",
    title=lambda: gettext("Octopus alarm"),
    to_do=_to_do,
    words=words,
    button=_button,
    facts=_facts,
    component=face_name,
    open_odds=True,
)
