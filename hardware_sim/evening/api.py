"""Robot people at a table: what truly happens there, and by which movements they tell it.

A game's people are one class, `People`. One object of it plays one game. It is handed the
*truth*, a `Match` that was fed with what truly happened, and says what happens next: a
`Move`, which is the actions in the words of the rules and the gestures that tell the table.
It never sees the table's mind. Readers fail and hands fumble elsewhere
(`hardware_sim.evening.faults`); people here do everything right.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar, TypeAlias

from companion.codec import action_to_json
from companion.match import Match, Setup
from companion.rules.api import Action
from companion.snapshot import Question, Snapshot


@dataclass(frozen=True, slots=True)
class Lay:
    """A tag is laid on the reader of a station and lifted again.

    Attributes:
        station: one of the people's `stations`.
        uid: of the tag: two cards of one face are two tags.
    """

    station: str
    uid: str


@dataclass(frozen=True, slots=True)
class Touch:
    """An action is chosen on a page."""

    action: Action


@dataclass(frozen=True, slots=True)
class Press:
    """A button beside the board: `stop`, `undo` or `shuffle`."""

    button: str


@dataclass(frozen=True, slots=True)
class Say:
    """A choice of the question that is open now; nothing where none is open.

    Only for a question that always comes. Others are answered by `People.answer`.
    """

    choice: str


@dataclass(frozen=True, slots=True)
class Pose:
    """How the ship's sensor feels, some time after the pose before.

    Attributes:
        after_s: seconds.
        x_mg, y_mg, z_mg: as in `companion.drivers.api.Attitude`.
    """

    after_s: float
    x_mg: int
    y_mg: int
    z_mg: int


@dataclass(frozen=True, slots=True)
class Rock:
    """The ship rocks and comes to rest.

    Attributes:
        poses: in order; the last of them is how it rests.
    """

    poses: tuple[Pose, ...]


Gesture: TypeAlias = Lay | Touch | Press | Say | Rock
"""One movement by which people tell the table something."""


@dataclass(frozen=True, slots=True)
class Move:
    """What truly happens next, and how people tell it.

    A move is as small as it can be told: where the table knows of an action only with the next
    one (a voyage with the tile that is turned after it), both are in one move.

    Attributes:
        actions: in the words of the rules, in order; empty for gestures that change nothing in
            the game, such as building the reef.
        gestures: in order; empty where the table finds out by itself.
    """

    actions: tuple[Action, ...]
    gestures: tuple[Gesture, ...]


@dataclass
class World:
    """Which physical tag is which, and where it lies. Two waves are two tags.

    A place is any name that the people give it: `pile`, `discard-1`, `hand/Ann`.

    Attributes:
        tags: component by UID, as enrolled: `tentacles/dots`, `player/1`, `control/stop`.
        lying: UIDs by place, bottom to top.
    """

    tags: Mapping[str, str]
    lying: dict[str, list[str]] = field(default_factory=dict)

    def all(self, component: str) -> list[str]:
        """The UIDs of all tags on such a component, in the order of `tags`."""
        return [uid for uid, name in self.tags.items() if name == component]

    def one(self, component: str) -> str:
        """The UID of the only such tag, or of the first.

        Raises:
            LookupError: there is none.
        """
        found = next((uid for uid, name in self.tags.items() if name == component), None)
        if found is None:
            raise LookupError(f"There is no {component} on this table.")
        return found

    def face(self, uid: str) -> str:
        """What a card, tile or chip is, without the game's name: `dots` of `tentacles/dots`."""
        return self.tags[uid].partition("/")[2]

    def at(self, place: str) -> list[str]:
        """What lies there, bottom to top."""
        return self.lying.setdefault(place, [])

    def place(self, uid: str) -> str | None:
        """Where a tag lies; None for one that was never put anywhere."""
        return next((place for place, uids in self.lying.items() if uid in uids), None)

    def put(self, uid: str, place: str) -> None:
        """Lay it on top of what lies there, from wherever it is."""
        before = self.place(uid)
        if before is not None:
            self.lying[before].remove(uid)
        self.at(place).append(uid)

    def shuffle(self, place: str, chance: Random) -> None:
        """Bring what lies there into another order."""
        chance.shuffle(self.at(place))


def numbered_tags(components: Iterable[str]) -> dict[str, str]:
    """A tag for each component, one copy after the other: component by UID.

    The UIDs are 7 bytes with a first byte that no maker of tags has.
    """
    return {f"FE{number:012X}": component for number, component in enumerate(components, start=1)}


CONTROL_TAGS = ("control/stop", "control/undo", "control/shuffle")


class People(ABC):
    """The people of one game at one table. One object plays one game.

    A subclass that lays up its world does so in `__init__`, after calling this one.

    Args:
        setup: how the game begins.
        chance: theirs alone; all that they decide and all that chance decides comes from it.

    Attributes:
        game: the name of the game.
        telling: keys of questions that come only when something is wrong: then people look
            whether the page agrees with the table, before they answer. Those that the table
            asks by itself in every game (a reader that was away, the closing) need not be named.
        world: which tag is which, and where it lies.
    """

    game: ClassVar[str]
    telling: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, setup: Setup, chance: Random) -> None:
        self.setup = setup
        self.chance = chance
        self.world = World(self.tags(setup))

    @classmethod
    @abstractmethod
    def invitation(cls, chance: Random) -> Setup:
        """How one evening begins: who comes, who starts, which options are chosen."""

    @classmethod
    @abstractmethod
    def stations(cls, setup: Setup) -> Sequence[str]:
        """Where readers stand, such as `("play",)`; the first is where control tokens are laid."""

    @classmethod
    @abstractmethod
    def tags(cls, setup: Setup) -> Mapping[str, str]:
        """Component by UID of all that carries a tag (see `numbered_tags`)."""

    def set_up(self, truth: Match) -> Sequence[Move]:
        """What people tell before the first move, if anything."""
        del truth
        return ()

    @abstractmethod
    def move(self, truth: Match) -> Move:
        """What truly happens next; the world is as it is after it.

        Called with the truth after all moves before, and not when the game is over.
        """

    def answer(self, question: Question, truth: Match) -> str | None:
        """What a person says to this who knows the truth: the key of a choice.

        Args:
            question: that the table asks.
            truth: after the move that is being told.

        Returns:
            None where the truth does not say, or the question is not of the game: then the
            frame answers what every game's people would (a reader that was away, and so on).
        """
        del question, truth
        return None

    def differs(self, truth: Match, table: Match) -> str:
        """How the table's record differs from the truth: a short text, or empty.

        All that the rules know is compared, also what no spectator sees. A game in which the
        table cannot know a thing yet overrides this, and leaves that thing out.
        """
        return _differs(truth, table)

    def sees(self, truth: Match, shown: Snapshot) -> str:
        """What people notice who look from the screen to the table at the end; empty if nothing.

        They see what a spectator may see of the game: who has won, what everybody has, what lies
        open, how much lies in a pile. They do not see into the table's memory.
        """
        standing = truth.game.standing(truth.state)
        for what, real, seen in (
            ("whether it is over", standing.over, shown.standing.over),
            ("who has won", set(standing.winners), set(shown.standing.winners)),
            ("the scores", dict(standing.scores), dict(shown.standing.scores)),
        ):
            if real != seen:
                return what
        open_ = truth.game.view(truth.state, None)
        return next((key for key in open_ if open_[key] != shown.state.get(key)), "")

    # What hands do wrong. Chance is another than the people's own here, so that the same game
    # is played with and without faults.

    def wrong_station(self, gesture: Lay, chance: Random) -> str | None:
        """Where a hand lands that misses the station; None with no other near."""
        others = [each for each in self.stations(self.setup) if each != gesture.station]
        return chance.choice(others) if others else None

    def beside(self, gesture: Lay, chance: Random) -> str | None:
        """The UID of what may slip onto the reader along with this; None when nothing can."""
        where = self.world.place(gesture.uid)
        near = [uid for uid in self.world.at(where) if uid != gesture.uid] if where else []
        return chance.choice(near) if near else None

    def misplace(self, before: Match, after: Match, chance: Random) -> bool:
        """Put something on the board that moved in this move where it does not belong.

        Returns:
            Whether there was such a thing. `tidied` puts it back.
        """
        del before, after, chance
        return False

    def tidied(self, truth: Match) -> int:
        """Bring the board into the order that the screen shows; how many things were moved."""
        del truth
        return 0


def _differs(truth: Match, table: Match) -> str:
    game = truth.game
    real, known = game.standing(truth.state), game.standing(table.state)
    for what in ("turn", "phase", "scores", "over", "winners", "gone"):
        if getattr(real, what) != getattr(known, what):
            return f"{what}: {getattr(real, what)!r}, and the table has {getattr(known, what)!r}"
    for viewer in (None, *truth.setup.players):
        seen = game.view(truth.state, viewer)
        told = game.view(table.state, viewer)
        for key in (*seen, *told):
            if seen.get(key) != told.get(key):
                who = viewer or "everybody"
                return f"{key}, for {who}: {seen.get(key)!r}, and the table has {told.get(key)!r}"
    if set(game.legal(truth.state)) != set(game.legal(table.state)):
        return "what may be done next"
    if truth.state != table.state:
        return "what nobody sees"
    return ""


def told(actions: Iterable[Action]) -> str:
    """Actions in short, for a report: `reveal dots, stop`."""
    return ", ".join(
        " ".join(str(value) for value in action_to_json(action).values()) for action in actions
    )
