"""The words of octopus alarm: tiles and chips, actions and outcomes, and how a game stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from companion.rules.api import Action, Nothing, Outcome, Refusal
from companion.said import Thing, either, say

AREAS = 4
WAVE = "wave"
BILLY = "billy"
ANIMALS = ("crab", "fish", "jellyfish", "seahorse", "snail", "squid", "starfish", "turtle")
CHIP_TAGS = tuple(f"chip-{animal}" for animal in ANIMALS)
"""What a tag on a chip of the reef is called, in the order of the animals."""
UNKNOWN = "unknown"
"""A top of the reef that has not been told yet."""
CHIPS = 3
"""Of each animal."""
PIECES = {WAVE: AREAS, BILLY: AREAS, **dict.fromkeys(ANIMALS, 1), **dict.fromkeys(CHIP_TAGS, CHIPS)}
"""What can carry a tag, and how many of each there are: tiles and chips."""
STACK = 6
"""Chips in each of the four stacks at the start."""
TARGETS = {2: 9, 3: 7, 4: 6}
"""How many animals win, by the number of players."""

IN_SHORT = """\
Octopus alarm, for 2 to 4 players. Be the first to collect 9 animals (7 when
three play, 6 when four do).

Four areas of the sea hold four tiles each, face down. Each area has a wave,
Lille-Billy and two different animals. On the reef lie four stacks of animals;
only the top ones can be seen.

Your turn:
- Sail the ship one or two areas clockwise, but never to where Lille-Billy is.
- Flip a face-down tile of the ship's area. Then flip another, or stop.
  An animal on top of the reef: take one such chip. If it lies on several
  stacks, choose one.
  An animal that is not on top of the reef: your turn is over.
  Billy: Lille-Billy moves one area clockwise.
  A wave: the ship moves one area clockwise, and you flip there.
- All four tiles of the ship's area are up: your turn is over.
- At the end of your turn all tiles go face down again, where they lie.

Alarm! When ship and Lille-Billy are in one area, the player to your left
swings the ball. If the ship lies when the ball has come to rest, you lose one
of your three provisions. Either way your turn is over; what you took is
yours.

Whoever loses the last provision is stranded. The game is over, and of the
others the one with most animals wins.

Remember what you saw: nobody may look under a tile.
"""


# What players do


@dataclass(frozen=True, slots=True)
class Reef(Action):
    """Tell which animal lies on top of a stack of the reef."""

    stack: Literal[0, 1, 2, 3]
    animal: str | Nothing | None = None


@dataclass(frozen=True, slots=True)
class Sail(Action):
    """Move the ship clockwise."""

    areas: Literal[1, 2]


@dataclass(frozen=True, slots=True)
class Flip(Action):
    """Turn up a tile of the ship's area."""

    tile: Literal[0, 1, 2, 3]
    face: str | None = None


@dataclass(frozen=True, slots=True)
class Take(Action):
    """Choose the stack from which the chip comes."""

    stack: Literal[0, 1, 2, 3]


@dataclass(frozen=True, slots=True)
class Stop(Action):
    """End the turn."""


@dataclass(frozen=True, slots=True)
class Swing(Action):
    """Tell how the ship stands, now that the ball rests."""

    ship: Literal["capsized", "upright"] | None = None


# What comes of it


@dataclass(frozen=True, slots=True)
class Tile(Outcome):
    """This tile was turned up."""

    area: int
    tile: int
    face: str


@dataclass(frozen=True, slots=True)
class AnimalTaken(Outcome):
    """A chip came from the top of this stack to the player."""

    player: str
    animal: str
    stack: int


@dataclass(frozen=True, slots=True)
class AnimalNotVisible(Outcome):
    """This animal lies on top of no stack."""

    animal: str


@dataclass(frozen=True, slots=True)
class ShipMoved(Outcome):
    """The ship has come to this area."""

    to: int


@dataclass(frozen=True, slots=True)
class BillyMoved(Outcome):
    """Lille-Billy has come to this area."""

    to: int


@dataclass(frozen=True, slots=True)
class Alarm(Outcome):
    """The ship and Lille-Billy are in one area: this player swings the ball."""

    swinger: str


@dataclass(frozen=True, slots=True)
class ShipCapsized(Outcome):
    """The ship lay when the ball had come to rest."""


@dataclass(frozen=True, slots=True)
class ShipUpright(Outcome):
    """The ship stood when the ball had come to rest."""


@dataclass(frozen=True, slots=True)
class ProvisionLost(Outcome):
    """The player has one provision less: so many are left."""

    player: str
    left: int


@dataclass(frozen=True, slots=True)
class PlayerStranded(Outcome):
    """The player has lost the last provision."""

    player: str


@dataclass(frozen=True, slots=True)
class ReefTop(Outcome):
    """This animal lies on top of this stack now."""

    stack: int
    animal: str


class Terms(NamedTuple):
    """What was agreed before the game and never changes.

    Attributes:
        players: names in seating order.
        animals: the names of the eight animals.
        always: the faces of which each area has one; the other tiles lie anywhere.
        target: how many animals win.
        landing: the ship may sail to where Lille-Billy is.
        stranded: what happens when somebody loses the last provision, as the option says.
        tie_shared: a tie on most animals is shared at once.
        memory_aid: the faces seen in this game are shown.
    """

    players: tuple[str, ...]
    animals: tuple[str, ...]
    always: tuple[str, ...]
    target: int
    landing: bool
    stranded: str
    tie_shared: bool
    memory_aid: bool


class Stacks(NamedTuple):
    """The reef.

    Attributes:
        tops: by stack, the animal on top; `UNKNOWN`, or None for an empty stack.
        left: by stack, how many chips.
        told: every animal that was told to be on top, in order.
    """

    tops: tuple[str | None, ...]
    left: tuple[int, ...]
    told: tuple[str, ...]


class Crew(NamedTuple):
    """The players, by seat.

    Attributes:
        animals: the chips taken.
        provisions: how many are left.
        after: who comes next to the left; None for a player who is out.
        winners: seats, at the end.
    """

    animals: tuple[tuple[str, ...], ...]
    provisions: tuple[int, ...]
    after: tuple[int | None, ...]
    winners: tuple[int, ...]


class State(NamedTuple):
    """A game between two actions.

    The place of a tile is `4 * area + tile`.

    Attributes:
        terms: what was agreed.
        reef: the stacks of chips.
        crew: the players.
        ship: the area of the ship.
        billy: the area of Lille-Billy.
        up: which tiles are face up: bit `1 << place`.
        seen: by place, the face that was seen there in this game; None for none.
        seat: the seat in turn.
        phase: `reef`, `sail`, `flip`, `choose`, `take`, `alarm` or `over`.
        animal: what is to be taken in the phase `take`; else empty.
        swings: how often the ball was swung.
    """

    terms: Terms
    reef: Stacks
    crew: Crew
    ship: int
    billy: int
    up: int
    seen: tuple[str | None, ...]
    seat: int
    phase: str
    animal: str
    swings: int


def swinger(terms: Terms, crew: Crew, seat: int) -> str:
    """Who swings the ball when this seat is in turn: the next player to the left."""
    following = crew.after[seat]
    return terms.players[seat if following is None else following]


def not_now(state: State, refused: str) -> Refusal:
    """What is possible instead.

    Args:
        state: of the game.
        refused: a sentence on what was wished, in which `possible` is still open.
    """
    player, tops = state.terms.players[state.seat], state.reef.tops
    match state.phase:
        case "reef":
            possible = say(
                "first tell which animal lies on top of stack %(stacks)s of the reef (rule 4)",
                stacks=either(places(tops, UNKNOWN)),
            )
        case "sail":
            possible = say("%(player)s must sail first (rule 1)", player=player)
        case "flip":
            possible = say(
                "%(player)s must flip a tile of the ship's area first (rule 2)", player=player
            )
        case "choose":
            possible = say(
                "%(player)s may flip another tile of the ship's area or stop (rule 2)",
                player=player,
            )
        case "take":
            possible = say(
                "%(player)s must take the %(animal)s from stack %(stacks)s first (rule 4)",
                player=player,
                animal=Thing(state.animal),
                stacks=either(places(tops, state.animal)),
            )
        case _:
            possible = say(
                "there is an alarm, so first tell how the ship stands when the ball rests (rule 7)"
            )
    return Refusal("not-legal", say(refused, possible=possible))


def no_animal(terms: Terms, name: object) -> Refusal:
    """Rule 8: there is no such animal at all."""
    return Refusal(
        "unknown-card",
        say(
            "There is no animal %(animal)s in the reef: name %(animals)s (rule 8).",
            animal=repr(name),
            animals=either(map(Thing, terms.animals)),
        ),
    )


def no_chip_left(animal: str) -> Refusal:
    """Rule 8: each animal is there so many times, and no more."""
    return Refusal(
        "card-not-available",
        say(
            "All %(chips)s chips with the %(animal)s have come up already (rule 8): look at the "
            "chip again, or take back the one that was misread.",
            chips=CHIPS,
            animal=Thing(animal),
        ),
    )


def no_landing(area: int, instead: int) -> Refusal:
    """Rule 1: how far the ship can sail instead."""
    return Refusal(
        "not-legal",
        say(
            "Lille-Billy is in area %(area)s, and nobody may stop there (rule 1): sail %(areas)s.",
            area=area,
            areas=instead,
        ),
    )


def not_on_stack(state: State, stack: int) -> Refusal:
    """Rule 4: from where the chip can be taken instead."""
    return Refusal(
        "not-legal",
        say(
            "The %(animal)s does not lie on stack %(stack)s: take it from stack %(stacks)s (rule 4).",
            animal=Thing(state.animal),
            stack=stack,
            stacks=either(places(state.reef.tops, state.animal)),
        ),
    )


def places(things: Sequence[object], wanted: object) -> list[int]:
    """Where the wanted thing stands."""
    return [place for place, thing in enumerate(things) if thing == wanted]
