"""The things of octopus alarm: ship, Lille-Billy, tiles, chips and provisions."""

from __future__ import annotations

from companion.match import Match
from companion.repair.things import Things, Transfer, transfers
from companion.repair.timeline import Timeline
from companion.rules.api import PlayerLeft
from companion.rules.octopus_alarm_words import AREAS, STACK, AnimalTaken
from companion.said import Thing, say

UNKNOWN = "chip"
"""A chip of the reef that nobody has told."""

_Chip = tuple[int, int]
"""A stack, and the height in it, from 1 at the bottom."""


def needed(
    before: Timeline, after: Timeline
) -> tuple[Things, Things, list[tuple[Transfer, tuple[str | None, str]]]]:
    """Where the things lie, where they belong, and how they get there."""
    holders, names = _chips(before.match)
    holders_after, names_after = _chips(after.match)
    # A chip that was misread is still the same chip: its last name counts.
    names |= names_after
    here = {**_things(before.match), **_held(holders, names)}
    wanted = {**_things(after.match), **_held(holders_after, names)}
    moves = sorted(transfers(here, wanted), key=_order)
    return here, wanted, [(move, _words(move)) for move in moves]


def _chips(match: Match) -> tuple[dict[_Chip, str], dict[_Chip, str]]:
    """Where the chips are that do not lie on the reef, and what those show."""
    left = [STACK] * AREAS
    holders: dict[_Chip, str] = {}
    names: dict[_Chip, str] = {}
    for past in reversed(list(match.back())):
        for outcome in past.outcomes:
            match outcome:
                case AnimalTaken(player, animal, stack):
                    chip = stack, left[stack]
                    left[stack] -= 1
                    holders[chip], names[chip] = f"chips/{player}", animal
                case PlayerLeft(player):
                    for chip, holder in holders.items():
                        if holder == f"chips/{player}":
                            holders[chip] = "aside"
    return holders, names


def _held(holders: dict[_Chip, str], names: dict[_Chip, str]) -> dict[str, tuple[str, ...]]:
    things: dict[str, tuple[str, ...]] = {}
    for stack in range(AREAS):
        for height in range(1, STACK + 1):
            chip = stack, height
            place = holders.get(chip, f"reef/{stack}/{height}")
            things[place] = (*things.get(place, ()), names.get(chip, UNKNOWN))
    return things


def _things(match: Match) -> dict[str, tuple[str, ...]]:
    state = match.state
    areas: dict[str, tuple[str, ...]] = {f"area/{area}": () for area in range(AREAS)}
    areas[f"area/{state.ship}"] += ("ship",)
    areas[f"area/{state.billy}"] += ("Lille-Billy",)
    tiles = {
        up: tuple(
            f"{place // 4}-{place % 4}"
            for place in range(4 * AREAS)
            if bool(state.up >> place & 1) == (up == "up")
        )
        for up in ("up", "down")
    }
    provisions: dict[str, tuple[str, ...]] = {}
    most = _provisions_at_the_start(match)
    for player, left in zip(match.setup.players, state.crew.provisions, strict=True):
        provisions[f"provisions/{player}"] = (f"provision/{player}",) * left
        provisions[f"lost/{player}"] = (f"provision/{player}",) * (most - left)
    return {**areas, **tiles, **provisions}


def _provisions_at_the_start(match: Match) -> int:
    first = Match.start(match.setup)
    most: int = first.state.crew.provisions[0]
    return most


def _order(move: Transfer) -> tuple[int, int, str, str]:
    """Chips go back to the reef from the bottom up, and come off it from the top down."""
    if move.target.startswith("reef/"):
        return 0, int(move.target.rpartition("/")[2]), move.target, move.source
    if move.source.startswith("reef/"):
        return 1, -int(move.source.rpartition("/")[2]), move.source, move.target
    return 2, 0, move.thing, move.target


def _words(move: Transfer) -> tuple[str | None, str]:
    thing = move.thing
    kind, _, which = move.source.partition("/")
    where, _, wanted = move.target.partition("/")
    if where == "area":
        if thing == "ship":
            return None, say("put the ship in area %(area)s.", area=wanted)
        return None, say("put Lille-Billy in area %(area)s.", area=wanted)
    if where in ("up", "down"):
        area, _, tile = thing.partition("-")
        if where == "up":
            return None, say("turn tile %(tile)s of area %(area)s face up.", tile=tile, area=area)
        return None, say("turn tile %(tile)s of area %(area)s face down.", tile=tile, area=area)
    if kind == "provisions":
        return which, say("put one of your provisions away.")
    if where == "provisions":
        return wanted, say("take one of your provisions back.")
    player = which if kind == "chips" else None
    if where == "reef":
        stack = wanted.partition("/")[0]
        return player, say(
            "put the %(animal)s back on stack %(stack)s of the reef.",
            animal=Thing(thing),
            stack=stack,
        )
    if kind == "reef":
        stack = which.partition("/")[0]
        taker = wanted if where == "chips" else None
        return taker, say(
            "take the %(animal)s from stack %(stack)s of the reef.",
            animal=Thing(thing),
            stack=stack,
        )
    if where == "chips":
        return player, say("give the %(animal)s to %(player)s.", animal=Thing(thing), player=wanted)
    return player, say("lay the %(animal)s aside.", animal=Thing(thing))
