"""An enrolment that is open: immutable, and what pages show of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from companion.enrolling.acts import Mode
from companion.enrolling.places import Part, Place, places_of

Stage = Literal["lay", "check"]
"""Tags are put on things, or things are named as a proof."""
Why = Literal["unnamed", "elsewhere", "cut"]
"""Of a tag in hand: it is on nothing and nothing was asked for; it is on something already; its
UID looks like one that a reader's library has cut."""

USUAL_S = 3.1
"""What a card takes somebody who is not hurried, in seconds."""
PAUSE_S = 20
"""After so long between two cards something else was done: it tells nothing of the pace."""

Changes: TypeAlias = Mapping[str, str | None]
"""What each UID is on from now on; None takes it out of the table of tags."""


@dataclass(frozen=True, slots=True)
class Held:
    """The tag in hand, of which something is not settled.

    Attributes:
        uid: its UID.
        why: what is not settled.
        reader: where it was read.
        at_ns: when, monotonic.
    """

    uid: str
    why: Why
    reader: str = ""
    at_ns: int = 0


@dataclass(frozen=True, slots=True)
class Done:
    """A step that changed the table of tags.

    Attributes:
        changes: UID, what it was on before, what it is on since; None for nothing.
        next: what was asked for then.
        reader: where the tag was read; empty where none was.
        at_ns: when, monotonic.
    """

    changes: tuple[tuple[str, str | None, str | None], ...]
    next: str | None
    reader: str = ""
    at_ns: int = 0


@dataclass(frozen=True, slots=True)
class Counting:
    """What there is of one kind is laid down anew.

    Attributes:
        component: the kind.
        wanted: how many are to be laid.
        laid: their UIDs.
    """

    component: str
    wanted: int
    laid: frozenset[str] = frozenset()


ToldKind = Literal[
    "begun",
    "resumed",
    "chosen",
    "enrolled",
    "moved",
    "replaced",
    "counted",
    "undone",
    "already",
    "unnamed",
    "named",
    "taken-off",
    "cut",
    "trouble",
    "brought",
]


@dataclass(frozen=True, slots=True)
class Told:
    """What happened last.

    Attributes:
        kind: what.
        component: what it is about.
        was: what the tag was on before.
        mark: the last two digits of the tag's UID; no more of it is ever shown.
        sentence: of a `trouble`.
        twice: there are more tags on the component than there are such things.
        complete: with this all of a part is enrolled, or all that was to be named was.
        count: how many tags a file brought.
        reader: where the tag was read; empty where none was.
    """

    kind: ToldKind
    component: str | None = None
    was: str | None = None
    mark: str = ""
    sentence: str = ""
    twice: bool = False
    complete: bool = False
    count: int = 0
    reader: str = ""

    @property
    def warns(self) -> bool:
        """Whether somebody should look up before the next card."""
        return self.twice or self.kind in ("already", "trouble", "cut")


@dataclass(frozen=True, slots=True)
class Cell:
    """A kind of thing, and how many tags are on it."""

    place: Place
    tags: int

    @property
    def open(self) -> bool:
        """Whether there are more such things than tags."""
        return self.tags < self.place.wanted

    @property
    def twice(self) -> bool:
        """Whether there are more tags than such things."""
        return self.place.exact and self.tags > self.place.wanted


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A session as pages show it: it names no UID.

    Attributes:
        game: for which the things are.
        mode: how.
        stage: what laying a tag means.
        number: counts what was told.
        colour: what people chose last (see `acts.SetColour`).
        cells: all that there is to enrol, in the order in which it is asked for.
        part: what of it is being enrolled.
        next: what is asked for; None where people say what the next tag is on.
        told: what happened last.
        held: what is not settled of the tag in hand; None without one.
        mark: the last two digits of that tag's UID.
        on: what that tag is on already.
        undoable: whether a step can be taken back.
        left_s: how long the rest of the part will take at this pace, in seconds.
        named: how many things were named as a proof.
        counting: of a recount, the component, how many were laid, how many are to be.
    """

    game: str
    mode: Mode
    stage: Stage
    number: int
    colour: str
    cells: tuple[Cell, ...]
    part: Part
    next: str | None
    told: Told
    held: Why | None
    mark: str
    on: str | None
    undoable: bool
    left_s: float
    named: int
    counting: tuple[str, int, int] | None


@dataclass(frozen=True, slots=True)
class Session:
    """Enrolment that is open.

    Attributes:
        game: for which the things are.
        tags: component by UID, as it is on the disk.
        mode: how.
        stage: what laying a tag means.
        next: the component that the next unknown tag goes on; None where people say it.
        colour: what people chose last (see `acts.SetColour`).
        held: the tag in hand.
        done: what can be taken back, oldest first.
        told: what happened last.
        number: counts what was told.
        named: UIDs that were named as a proof.
        counting: what is laid down anew.
    """

    game: str
    tags: Mapping[str, str]
    mode: Mode = "guided"
    stage: Stage = "lay"
    next: str | None = None
    colour: str = ""
    held: Held | None = None
    done: tuple[Done, ...] = ()
    told: Told = Told("begun")
    number: int = 1
    named: frozenset[str] = frozenset()
    counting: Counting | None = None
    counts: Counter[str] = field(init=False, repr=False, compare=False)
    """How many tags are on each component."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", Counter(self.tags.values()))

    def cells(self) -> Iterator[Cell]:
        """All that there is to enrol, and how far it is."""
        for place in places_of(self.game).values():
            yield Cell(place, self.counts[place.component])

    def is_open(self, part: Part) -> bool:
        """Whether something of this part has too few tags."""
        return any(cell.open for cell in self.cells() if cell.place.part == part)

    def first_open(self, component: str | None = None, *, others: bool = False) -> str | None:
        """From this on the first open one of its part, and then of those before it.

        Args:
            component: where to begin; None for the first of all.
            others: this one last.
        """
        part = [cell for cell in self.cells() if cell.place.part == self._part(component)]
        names = [cell.place.component for cell in part]
        at = names.index(component) + others if component in names else 0
        return next((cell.place.component for cell in (*part[at:], *part[:at]) if cell.open), None)

    def _part(self, component: str | None) -> Part:
        place = places_of(self.game).get(component or "")
        return place.part if place else "cards"

    def shown(self) -> Enrolment:
        """The session as pages show it."""
        held, counting = self.held, self.counting
        return Enrolment(
            game=self.game,
            mode=self.mode,
            stage=self.stage,
            number=self.number,
            colour=self.colour,
            cells=tuple(self.cells()),
            part=self._part(self.next),
            next=self.next,
            told=self.told,
            held=held.why if held else None,
            mark=mark_of(held.uid) if held else "",
            on=self.tags.get(held.uid) if held else None,
            undoable=bool(self.done),
            left_s=self._pace_s() * self._left(),
            named=len(self.named),
            counting=(counting.component, len(counting.laid), counting.wanted)
            if counting
            else None,
        )

    def _left(self) -> int:
        """How many tags are missing in the part that is being enrolled."""
        part = self._part(self.next)
        cells = (cell for cell in self.cells() if cell.place.part == part)
        return sum(max(0, cell.place.wanted - cell.tags) for cell in cells)

    def _pace_s(self) -> float:
        """Seconds that a card takes, by the last ones."""
        times = [done.at_ns for done in self.done[-9:] if done.reader]
        steps = [(after - before) / 1e9 for before, after in pairwise(times)]
        steps = [step for step in steps if 0 < step <= PAUSE_S]
        return sum(steps) / len(steps) if steps else USUAL_S

    # Across a restart

    def to_json(self) -> dict[str, Any]:
        """What has to be kept beside the table of tags to go on with it."""
        counting = self.counting
        return {
            "game": self.game,
            "mode": self.mode,
            "next": self.next,
            "colour": self.colour,
            "number": self.number,
            "counting": counting and [counting.component, counting.wanted, sorted(counting.laid)],
            "done": [[done.changes, done.next, done.reader, done.at_ns] for done in self.done],
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any], tags: Mapping[str, str]) -> Session:
        """A session as it was kept.

        Raises:
            KeyError, TypeError, ValueError, Refusal: it was not.
        """
        places = places_of(kept["game"])
        counting = kept["counting"]
        return cls(
            kept["game"],
            tags,
            kept["mode"],
            next=kept["next"] if kept["next"] in places else None,
            colour=kept["colour"],
            done=tuple(
                Done(tuple((uid, was, on) for uid, was, on in changes), *rest)
                for changes, *rest in kept["done"]
            ),
            told=Told("resumed"),
            number=kept["number"] + 1,
            counting=Counting(counting[0], counting[1], frozenset(counting[2]))
            if counting
            else None,
        )


def mark_of(uid: str) -> str:
    """The last two digits, by which people can tell two tags apart and nobody can copy one."""
    return uid[-2:]
