"""What waits in the table's queue beside readings."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Literal, TypeAlias

from companion.codec import action_to_json
from companion.drivers.api import Reading
from companion.rules.api import Action
from companion.snapshot import Answer, Snapshot, Source

Wish: TypeAlias = Action | int | Literal["new-game"]


def command(wish: Action | int) -> dict[str, object]:
    """The wish as the record spells it: an action, or an undo of n."""
    return {"undo": wish} if isinstance(wish, int) else action_to_json(wish)


@dataclass(frozen=True, slots=True)
class Request:
    """Something that is asked of the table: an action, an undo of n, or a new game."""

    wish: Wish
    source: Source
    revision: int | None
    identity: str | None
    answer: Future[Answer]


@dataclass(frozen=True, slots=True)
class Settle:
    """Answered when everything that was queued before it is done."""

    answer: Future[Snapshot]


@dataclass(frozen=True, slots=True)
class Stop:
    """The last thing that the table's thread takes out of the queue."""


Item: TypeAlias = Reading | Request | Settle
