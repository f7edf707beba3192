"""What people ask of enrolment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Mode = Literal["guided", "free"]
"""The session names the next card, or the cards come in any order."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Open enrolment for a game, or go on with it.

    Attributes:
        game: its name.
        mode: how.
        adding: begin with the tag that the table met last and did not know.
    """

    game: str
    mode: Mode = "guided"
    adding: bool = False


@dataclass(frozen=True, slots=True)
class Choose:
    """The tag in hand is on this; without one in hand the next tag will be."""

    component: str


@dataclass(frozen=True, slots=True)
class Skip:
    """Another one first."""


@dataclass(frozen=True, slots=True)
class MoveHere:
    """The tag in hand is not where it was enrolled, but on what comes next."""


@dataclass(frozen=True, slots=True)
class TakeOff:
    """The tag in hand is on nothing any more."""


@dataclass(frozen=True, slots=True)
class Allow:
    """The tag in hand is as it is read, though its UID looks like one that was cut."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the last step back."""


@dataclass(frozen=True, slots=True)
class SetMode:
    """Guided or free from now on."""

    mode: Mode


@dataclass(frozen=True, slots=True)
class SetColour:
    """What the cards that are laid now have in common, as a page shows them."""

    colour: str


@dataclass(frozen=True, slots=True)
class Recount:
    """Something of this kind was lost: what is laid from now on is what there is."""

    component: str


@dataclass(frozen=True, slots=True)
class Counted:
    """All that there is of the kind was laid."""


@dataclass(frozen=True, slots=True)
class Check:
    """Name what is laid, as a proof."""


@dataclass(frozen=True, slots=True)
class LayOn:
    """Enough named: go on with enrolling."""


@dataclass(frozen=True, slots=True)
class Bring:
    """Tags out of a file: component by UID."""

    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class End:
    """Close enrolment; the game has the readers again."""


Act: TypeAlias = (
    Begin
    | Choose
    | Skip
    | MoveHere
    | TakeOff
    | Allow
    | Undo
    | SetMode
    | SetColour
    | Recount
    | Counted
    | Check
    | LayOn
    | Bring
    | End
)
