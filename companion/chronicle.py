"""Games of the record in short, and one of them in full: what lists, charts and exports tell.

Nothing in here reads a file: `companion.record.archive` does, and hands these in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal, Protocol

from companion.clocks import CLOCK_KNOWN_FROM
from companion.codec import outcome_to_json
from companion.errors import PlainError
from companion.match import Match, Setup
from companion.repair.history import History
from companion.repair.timeline import actor
from companion.rules.api import Outcome
from companion.snapshot import Source

GameState = Literal["going-on", "over", "given-up", "damaged", "unread"]
"""`given-up`: another game was begun before this one was over; `damaged`: the record of it
cannot be trusted; `unread`: it was not looked at yet."""

BREAK_S = 15 * 60
"""Between two actions so much time is a break, and none of the game."""

_PEOPLE = ("player", "from")
"""The keys of a command that name a player."""


class NotReadable(PlainError):
    """The record cannot be read now."""


class NoSuchGame(PlainError):
    """There is no game of this id in the record."""


class DamagedGame(PlainError):
    """The record of this game is not what was written, or does not play."""


@dataclass(frozen=True, slots=True)
class Time:
    """When something was done.

    Attributes:
        monotonic_ns: since the boot.
        boot: names it.
        wall: UTC, as ISO 8601; of a clock that may not have been set.
    """

    monotonic_ns: int
    boot: str
    wall: str

    @property
    def known(self) -> str:
        """The wall clock to the second, such as `2026-05-01T18:00:00+00:00`; else empty."""
        text = f"{self.wall[:19]}+00:00"
        return text if self.wall >= CLOCK_KNOWN_FROM else ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A game in short, as everybody may know it.

    Attributes:
        id: its UUID.
        number: counts the games of this table from 1.
        game: such as `tentacles`.
        players: in seating order.
        options: as the table chose them.
        state: how it stands.
        began: when its first action was done, UTC; empty where the clock was not set.
        length_s: from the first action to the last, without breaks.
        actions: in force.
        turns: that were played.
        corrections: of the past, beside what was taken back.
        scores: by player; empty where the game cannot be read.
        winners: names.
        tallies: what came about how often, by its word and by whom (empty for nobody), such as
            `{"fish-lost": {"Ann": 2}}`.
        trouble: what is wrong with a damaged game; else empty.
    """

    id: str
    number: int
    game: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    state: GameState
    began: str = ""
    length_s: int = 0
    actions: int = 0
    turns: int = 0
    corrections: int = 0
    scores: Mapping[str, int] = field(default_factory=dict)
    winners: tuple[str, ...] = ()
    tallies: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """Some of the games, newest first.

    Attributes:
        games: of this page.
        total: how many there are of this kind.
        more: whether there are older ones.
    """

    games: tuple[Summary, ...]
    total: int
    more: bool


@dataclass(frozen=True, slots=True)
class Figures:
    """Numbers over all finished games of a kind.

    Attributes:
        games: how many.
        unread: how many of the record were not looked at yet, and are not counted.
        seats: by player: how many games, and how many of them won.
        lengths_s: of each game whose length is known.
        tallies: as in `Summary`, of all games together.
    """

    games: int
    unread: int
    seats: Mapping[str, tuple[int, int]]
    lengths_s: tuple[int, ...]
    tallies: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Played:
    """A game in full, with everybody's secrets.

    Attributes:
        summary: the game in short.
        history: all that was told of it.
        times: when each entry was written, by its number.
        sources: where each entry came from, by its number.
    """

    summary: Summary
    history: History
    times: Mapping[int, Time]
    sources: Mapping[int, Source]

    @property
    def matches(self) -> list[Match]:
        """The game after 0, 1, 2 … actions in force."""
        match = self.history.timeline.match
        past = [*match.back()]
        past.reverse()
        return [past[0].before or match, *past] if past else [match]

    def entry_of(self, step: int) -> int:
        """The number of the entry that told this action, from 1."""
        return int(self.history.timeline.links[step - 1].label.partition(".")[0])


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that was played.

    Attributes:
        step: the number of actions in force after it.
        player: whose it was; None before the first one.
        scores: by player, after it.
    """

    step: int
    player: str | None
    scores: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Moment:
    """The turn in which somebody gained most.

    Attributes:
        step: after its last action.
        player: who gained.
        gain: how much.
    """

    step: int
    player: str
    gain: int


Alias = Callable[[int], str]
"""What a player is called who is the 1st, 2nd … to be named no more."""


class Games(Protocol):
    """The games of the record. Its methods may be called by any thread.

    Each raises `NotReadable` where the record cannot be read. Names that are hidden
    (`companion.household.Household.forget`) come as their aliases.
    """

    def listed(
        self, aliases: Aliases, *, game: str | None = None, before: int | None = None, count: int
    ) -> Listing:
        """The newest games, of one kind or of all, that began before the game of that number."""
        ...

    def kinds(self) -> Mapping[str, int]:
        """How many games there are of each kind, the most played first."""
        ...

    def played(self, identity: str, aliases: Aliases) -> Played:
        """A game in full.

        Raises:
            NoSuchGame: there is none of this id.
            DamagedGame: it cannot be trusted.
        """
        ...

    def figures(self, aliases: Aliases, game: str | None = None) -> Figures:
        """Numbers over all finished games, of one kind or of all."""
        ...

    def everything(self, aliases: Aliases, game: str | None = None) -> Iterator[Summary]:
        """All games, newest first, each of them looked at, however long it takes."""
        ...

    def newest(self) -> int:
        """The number of the newest game; 0 without one."""
        ...

    def people(self) -> Mapping[str, tuple[int, int]]:
        """How many games each player is in, and the number of the newest; by true names."""
        ...


@dataclass(frozen=True, slots=True)
class Aliases:
    """What players are called who are not to be named any more.

    Attributes:
        hidden: by name, the number of the last game that it holds for; in the order in which
            they were hidden.
        spelled: gives the alias of the 1st, 2nd … of them.
    """

    hidden: Mapping[str, int] = field(default_factory=dict)
    spelled: Alias = "Player {}".format

    def of(self, players: Sequence[str], number: int, state: GameState) -> Mapping[str, str]:
        """The aliases of this game's players, by name; of those who have one.

        A game that goes on shows its players' names: people must know whose turn it is.
        """
        if state == "going-on":
            return {}
        found: dict[str, str] = {}
        for place, (name, last) in enumerate(self.hidden.items(), 1):
            if name in players and number <= last:
                alias = self.spelled(place)
                while alias in players or alias in found.values():
                    alias += "*"  # somebody calls themselves so
                found[name] = alias
        return found


def renamed(command: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A command of the journal, with these players called otherwise."""
    body = dict(command)
    for key in _PEOPLE:
        if isinstance(body.get(key), str):
            body[key] = names.get(body[key], body[key])
    if isinstance(body.get("correct"), list):
        body["correct"] = [
            renamed(edit, names) if isinstance(edit, Mapping) else edit for edit in body["correct"]
        ]
    return body


def renamed_source(source: Source, names: Mapping[str, str]) -> Source:
    """A source, which for a phone names its player, with these players called otherwise."""
    if source.kind != "page" or source.name not in names:
        return source
    return Source("page", names[source.name], source.sense)


def renamed_setup(setup: Setup, names: Mapping[str, str]) -> Setup:
    """How a game began, with these players called otherwise."""
    players = tuple(names.get(player, player) for player in setup.players)
    starter = None if setup.starter is None else names.get(setup.starter, setup.starter)
    return Setup(setup.game, players, starter, setup.options, setup.seed)


def renamed_summary(summary: Summary, names: Mapping[str, str]) -> Summary:
    """A game in short, with these players called otherwise."""
    if not names:
        return summary

    def called(name: str) -> str:
        return names.get(name, name)

    return replace(
        summary,
        players=tuple(map(called, summary.players)),
        scores={called(name): score for name, score in summary.scores.items()},
        winners=tuple(map(called, summary.winners)),
        tallies={
            what: {called(name): count for name, count in by_name.items()}
            for what, by_name in summary.tallies.items()
        },
    )


def length_ns(times: Sequence[Time]) -> int:
    """Nanoseconds from the first to the last of these, without breaks and across boots."""
    known = (
        now.monotonic_ns - then.monotonic_ns
        for then, now in pairwise(times)
        if now.boot == then.boot
    )
    return sum(step for step in known if 0 <= step <= BREAK_S * 1_000_000_000)


def turns(matches: Sequence[Match]) -> list[Turn]:
    """The score at the start, after each turn, and at the end.

    Args:
        matches: the game after 0, 1, 2 … actions.
    """
    game = matches[0].game
    standing = game.standing(matches[0].state)
    found = [Turn(0, None, standing.scores)]
    for match in matches[1:]:
        before, standing = standing, game.standing(match.state)
        last = match.step == len(matches) - 1
        if standing.turn != before.turn or standing.over or last:
            found.append(Turn(match.step, before.turn, standing.scores))
    return found


def best_moment(played: Sequence[Turn]) -> Moment | None:
    """The turn in which somebody gained most, the first of them; None where nobody gained."""
    best: Moment | None = None
    for before, after in pairwise(played):
        for player, score in after.scores.items():
            gain = score - before.scores.get(player, 0)
            if gain > (0 if best is None else best.gain):
                best = Moment(after.step, player, gain)
    return best


def tallies(matches: Sequence[Match]) -> dict[str, dict[str, int]]:
    """What came about how often, and by whom: see `Summary`."""
    counted: Counter[tuple[str, str]] = Counter()
    for match in matches[1:]:
        for outcome in match.outcomes:
            counted.update(_tallied(outcome))
    found: dict[str, dict[str, int]] = {}
    for (what, player), count in sorted(counted.items()):
        found.setdefault(what, {})[player] = count
    return found


def _tallied(outcome: Outcome) -> Iterator[tuple[str, str]]:
    plain = outcome_to_json(outcome)
    yield plain["what"], str(plain.get("player") or plain.get("swinger") or "")
    if "from" in plain:
        yield f"{plain['what']}-from", str(plain["from"])


def player_of(match: Match) -> str | None:
    """Whose the last action of a match was."""
    if match.action is None or match.before is None:
        return None
    return actor(match.before, match.action)
