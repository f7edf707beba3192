"""What a game is: the vocabulary that every rules module speaks.

Rules are pure. A game turns an immutable state and an action into the next state and
what came of it, or refuses with a code and a sentence. It knows no clock, no chance, no
device, no file and no page; what chance decides on the table arrives inside the action.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

from companion.said import Listed, either, say

S = TypeVar("S")
T = TypeVar("T")

Code = Literal[
    "bad-command",
    "no-game",
    "game-over",
    "not-legal",
    "unknown-card",
    "unknown-player",
    "tile-mismatch",
    "card-not-available",
    "bad-option",
]
"""The error codes of the play protocol, in the order in which they are reported."""

Json: TypeAlias = Mapping[str, Any]
OptionValue: TypeAlias = int | str | bool | Mapping[str, int] | tuple[str, ...]


TagKind = Literal["component", "player", "control", "ship"]
"""What a tag can be on: a card, tile or chip of the game; a player's token; a control token.
`ship` is no tag: what its sensor tells, how the ship stands."""


class Refusal(Exception):
    """The rules say no: nothing has changed.

    Attributes:
        code: which kind of refusal, as in the play protocol.
        message: one plain sentence that says why and what to do.
    """

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code: Code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a player does. Each verb of a game is a subclass.

    The class name is the verb of the play protocol (`LastChance` is `last-chance`), its
    fields are the fields of the command (`from_` is `from`). A field whose default is
    None is decided by chance: at a physical table the command must name it, and where
    the engine deals it may be left out. A field with any other default may always be
    left out.
    """


class Nothing(Enum):
    """The `null` of JSON, for a field that tells it from being left out."""

    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Something that an action brought about, as everyone at the table can see it.

    The class name is `what` in the play protocol (`FishWon` is `fish-won`).
    """


@dataclass(frozen=True, slots=True)
class TurnEnded(Outcome):
    """Play passes on from this player to the next one."""

    player: str


@dataclass(frozen=True, slots=True)
class PlayerLeft(Outcome):
    """The player has left the game."""

    player: str


@dataclass(frozen=True, slots=True)
class GameWon(Outcome):
    """The game has ended and this player has won it."""

    player: str


@dataclass(frozen=True, slots=True)
class Leave(Action):
    """A player leaves, at any moment."""

    player: str


@dataclass(frozen=True, slots=True)
class Number:
    """An option that is a whole number from `low` to `high`.

    The default may depend on the number of players: then it is a mapping from that number.
    """

    name: str
    default: int | Mapping[int, int]
    low: int
    high: int

    def read(self, value: object) -> int:
        """The value, or a refusal (`bad-option`)."""
        if type(value) is not int or not self.low <= value <= self.high:
            raise Refusal(
                "bad-option",
                say(
                    "The option %(name)s is a whole number from %(low)s to %(high)s.",
                    name=self.name,
                    low=self.low,
                    high=self.high,
                ),
            )
        return value


@dataclass(frozen=True, slots=True)
class Choice:
    """An option that is one of a few words; the first is the default."""

    name: str
    words: tuple[str, ...]

    @property
    def default(self) -> str:
        """What holds when the table chose nothing."""
        return self.words[0]

    def read(self, value: object) -> str:
        """The value, or a refusal (`bad-option`)."""
        if not isinstance(value, str) or value not in self.words:
            raise Refusal(
                "bad-option",
                say("The option %(name)s is %(words)s.", name=self.name, words=either(self.words)),
            )
        return value


@dataclass(frozen=True, slots=True)
class Switch:
    """An option that is on (true) or off (false, the default)."""

    name: str

    default: ClassVar[bool] = False

    def read(self, value: object) -> bool:
        """The value, or a refusal (`bad-option`)."""
        if type(value) is not bool:
            raise Refusal(
                "bad-option", say("The option %(name)s is true or false.", name=self.name)
            )
        return value


@dataclass(frozen=True, slots=True)
class Counts:
    """An option that counts kinds of things, such as the cards of a deck; no default."""

    name: str
    kinds: tuple[str, ...]
    high: int

    default: ClassVar[None] = None

    def read(self, value: object) -> Mapping[str, int]:
        """The value, or a refusal (`bad-option`)."""
        if not isinstance(value, Mapping) or not all(
            kind in self.kinds and type(count) is int and 0 <= count <= self.high
            for kind, count in value.items()
        ):
            raise Refusal(
                "bad-option",
                say(
                    "The option %(name)s is an object of whole numbers from 0 to %(high)s, by %(kinds)s.",
                    name=self.name,
                    high=self.high,
                    kinds=Listed(self.kinds),
                ),
            )
        return dict(value)


@dataclass(frozen=True, slots=True)
class Names:
    """An option that names things: so many different names, parted by commas.

    Attributes:
        default: what holds when the table chose nothing; its length is the number of names.
        never: names that mean something else in the game.
    """

    name: str
    default: tuple[str, ...]
    never: tuple[str, ...]

    def read(self, value: object) -> tuple[str, ...]:
        """The names without the blanks around them, or a refusal (`bad-option`)."""
        names = tuple(map(str.strip, value.split(","))) if isinstance(value, str) else ()
        count = len(self.default)
        if len(set(names)) != count or len(names) != count or not all(names):
            raise Refusal(
                "bad-option",
                say(
                    "The option %(name)s is a text of %(count)s different names, parted by commas.",
                    name=self.name,
                    count=count,
                ),
            )
        if not set(names).isdisjoint(self.never):
            raise Refusal(
                "bad-option",
                say(
                    "The option %(name)s cannot have the names %(names)s: they mean something else.",
                    name=self.name,
                    names=Listed(self.never),
                ),
            )
        return names


Option: TypeAlias = Number | Choice | Switch | Counts | Names


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a game stands, as everybody may know it.

    Attributes:
        turn: the player in turn; None when the game is over.
        phase: what the rules wait for; `over` at the end.
        scores: by player, in seating order.
        winners: names; more than one only for a shared win.
        gone: names of those who have left.
    """

    turn: str | None
    phase: str
    scores: Mapping[str, int]
    over: bool
    winners: tuple[str, ...]
    gone: tuple[str, ...] = ()


class Chance(Protocol):
    """Chance, handed in where the engine deals."""

    def shuffled(self, key: str, items: Sequence[T]) -> Sequence[T]:
        """The items in an order that depends on nothing but the seed and `key`."""
        ...


@dataclass(frozen=True, slots=True)
class Pieces:
    """The cards, tiles or chips of a game, as everybody may know them.

    Attributes:
        total: how many there are in play, by component.
        turned: how many of them lie face up, by component.
    """

    total: Mapping[str, int]
    turned: Mapping[str, int]


class Game(ABC, Generic[S]):
    """The rules of one game. One instance serves every game that is played.

    Attributes:
        name: as the play protocol and the command line spell it.
        actions: the verbs, as classes.
        outcomes: all that can come of them.
        options: what a table may choose.
        seats: how many can play.
        components: what can carry a tag, beside players and controls: kinds of cards,
            tiles or chips, without the game's name before them.
        boxes: how many pieces of each component there are, in the game and then in each
            addition to it; empty where the pieces of a new game say it.
        rules_version: raised when a sequence of actions that was allowed before leads to
            another state, or is refused now: a record of an older version could not be trusted
            to replay as it did then.
        in_short: the rules in short, in plain text, for people at the table.
        ship: whether a ship belongs to the game, whose sensor is listened to.
    """

    name: ClassVar[str]
    actions: ClassVar[tuple[type[Action], ...]]
    outcomes: ClassVar[tuple[type[Outcome], ...]]
    options: ClassVar[tuple[Option, ...]] = ()
    seats: ClassVar[range]
    components: ClassVar[tuple[str, ...]]
    boxes: ClassVar[tuple[Mapping[str, int], ...]] = ()
    rules_version: ClassVar[int] = 1
    in_short: ClassVar[str]
    ship: ClassVar[bool] = False

    @abstractmethod
    def setup(self, players: Sequence[str], starter: str, options: Mapping[str, OptionValue]) -> S:
        """The state before the first action, or a refusal.

        Args:
            players: names in seating order, clockwise; checked by `start`.
            starter: one of them.
            options: checked values of those options that were chosen; others are absent.
        """

    @abstractmethod
    def apply(self, state: S, action: Action) -> tuple[S, tuple[Outcome, ...]]:
        """The next state and what came of the action, or a `Refusal`."""

    @abstractmethod
    def standing(self, state: S) -> Standing:
        """Whose turn it is, the phase, the scores and the end."""

    @abstractmethod
    def legal(self, state: S) -> tuple[Action, ...]:
        """Every action open to the player in turn; what chance decides is left None."""

    def may_act(self, state: S, player: str) -> bool:
        """Whether that player is to act now: who is in turn, where a game says nothing else."""
        return player == self.standing(state).turn

    @abstractmethod
    def view(self, state: S, viewer: str | None) -> Json:
        """What that player, or a spectator, may know of the state."""

    def odds(self, state: S) -> Json | None:
        """What is known about the next card or tile; None where none can be drawn, or told."""
        del state
        return None

    @abstractmethod
    def deal(self, state: S, action: Action, chance: Chance) -> Action:
        """The action with what chance decides filled in, or a refusal.

        A field that is given all the same must be what comes, else `card-not-available`.
        Where the action is not legal it comes back as it is.
        """

    def meaning(self, state: S, kind: TagKind, name: str) -> Action | None:
        """What a person at the table does by laying down a tag now, or the ship by coming to rest.

        Args:
            state: the state now.
            kind: what the tag is on.
            name: one of `components`, a player's name, `stop` or `shuffle`; of the ship
                `capsized` or `upright`.

        Returns:
            The action, legal or not; None when such a tag has no meaning in this game. For the
            ship, an action while it is to be judged and None at all other times.
        """
        del state, kind, name
        return None

    def carries(self, outcomes: Sequence[Outcome]) -> bool:
        """Whether people carry the ship to another place after this, by hand."""
        del outcomes
        return False

    def secret(self, action: Action) -> bool:
        """Whether the action, done or merely possible, tells what not everybody may know.

        What is left of `legal` without such actions is the same in any two states that
        look the same to a spectator.
        """
        del action
        return False

    def gathers(self, action: Action) -> bool:
        """Whether the action puts all cards back into the pile, so that each can come again."""
        del action
        return False

    def pieces(self, state: S) -> Pieces:
        """What lies on the table."""
        del state
        return Pieces({}, {})

    def with_enrolled(self, options: Json, pieces: Mapping[str, int]) -> Json:
        """The options for playing with the pieces that carry tags.

        Args:
            options: as chosen; a choice of pieces among them is kept.
            pieces: how many are enrolled, by component; may be empty.
        """
        del pieces
        return options

    def warnings(self, options: Mapping[str, OptionValue]) -> tuple[str, ...]:
        """Sentences about options that are allowed and make a poor game."""
        del options
        return ()

    def start(
        self, players: Sequence[str], starter: str | None = None, options: Json | None = None
    ) -> S:
        """Check what every game checks alike, and set up.

        Raises:
            Refusal: `bad-option` or, for the starter, `unknown-player`.
        """
        if len(players) not in self.seats:
            raise Refusal(
                "bad-option",
                say(
                    "%(game)s is for %(fewest)s to %(most)s players, and %(players)s came.",
                    game=self.name,
                    fewest=self.seats[0],
                    most=self.seats[-1],
                    players=len(players),
                ),
            )
        if len(set(players)) != len(players):
            raise Refusal("bad-option", say("Two players have one name: give each their own."))
        if not all(player.strip() for player in players):
            raise Refusal("bad-option", say("A player's name is empty: give each a name."))
        known = {option.name: option for option in self.options}
        read: dict[str, OptionValue] = {}
        for name, value in (options or {}).items():
            if name not in known:
                raise Refusal(
                    "bad-option",
                    say(
                        "%(game)s has no option %(name)s; it has %(options)s.",
                        game=self.name,
                        name=repr(name),
                        options=Listed(known),
                    )
                    if known
                    else say(
                        "%(game)s has no option %(name)s; it has none.",
                        game=self.name,
                        name=repr(name),
                    ),
                )
            read[name] = known[name].read(value)
        first = players[0] if starter is None else starter
        if first not in players:
            raise Refusal(
                "unknown-player",
                say(
                    "The starter %(player)s is not one of %(players)s.",
                    player=repr(first),
                    players=Listed(players),
                ),
            )
        return self.setup(players, first, read)
