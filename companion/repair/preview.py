"""What a correction would change, before anybody decides on it.

Nothing is told in here that a spectator may not know: where something hidden decides, whether
a change fits and what it brings shows only when it is made, before everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.match import Match
from companion.repair.by_hand import HandMove, moves
from companion.repair.public import cards_lie_hidden, public_action
from companion.repair.timeline import (
    Concealed,
    Delete,
    DoesNotFit,
    Edit,
    Insert,
    Replace,
    Timeline,
)
from companion.rules.api import Code
from companion.said import say

CONCEALED = say(
    "This is about what lies hidden: whether it fits, and what it changes, nobody is "
    "told before. Once it is made everybody is shown it, and it can be taken back."
)


@dataclass(frozen=True, slots=True)
class Side:
    """Where the game stands, before or after.

    Attributes:
        scores: by player, in seating order.
        turn: the player in turn; None when the game is over.
        phase: what the rules wait for.
        winners: of the game.
    """

    scores: Mapping[str, int]
    turn: str | None
    phase: str
    winners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Misfit:
    """The first action that cannot be where the correction would leave it.

    Attributes:
        label: names it.
        action: as everybody may know it, as JSON.
        player: whose it was; None for an edit.
        edit: which of the edits it is, from 0; None for an action told before.
        code: as the rules refuse it.
        reason: why, as a sentence.
        rest: the labels of all actions from this one on that were told before.
    """

    label: str
    action: Mapping[str, Any]
    player: str | None
    edit: int | None
    code: Code
    reason: str
    rest: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What would change.

    Attributes:
        before: the game as it stands.
        after: as it would stand; where something does not fit, as far as it goes. None where
            something hidden decides.
        replayed: how many later actions are carried out again, or would have to be.
        fitting: how many of these fit, as far as everybody may know.
        misfit: the first that does not fit; None when all do, or something hidden decides.
        changed: the timeline after the change; None when there is none, or it is not told.
    """

    before: Side
    after: Side | None
    replayed: int
    fitting: int
    misfit: Misfit | None
    changed: Timeline | None = None

    @property
    def concealed(self) -> str:
        """Why it is not told what would change, as a sentence; or empty."""
        return CONCEALED if self.after is None else ""


def preview(timeline: Timeline, edits: Sequence[Edit], *, attempted: bool = False) -> Preview:
    """What these edits would change.

    Args:
        timeline: the game.
        edits: the edits.
        attempted: the table has just refused them before everybody: what hidden things decided
            is no longer to be kept.

    Raises:
        Refusal: they are no correction of this timeline (see `Timeline.corrected`).
    """
    number = 1 + max((link.entry for link in timeline.links), default=0)
    labels = [link.label for link in timeline.links]
    edited = {edit.label for edit in edits if not isinstance(edit, Insert)}
    named = edited | {edit.before for edit in edits if isinstance(edit, Insert) and edit.before}
    first = next((place for place, label in enumerate(labels) if label in named), len(labels))
    later = [label for label in labels[first:] if label not in edited]
    decided = {edit.label for edit in edits if isinstance(edit, (Delete, Replace))}
    left = [label for label in labels[first:] if label not in decided]
    return _tried(
        timeline,
        lambda: timeline.corrected(edits, number, silently=not attempted),
        later,
        left,
    )


def preview_of_restoring(timeline: Timeline, entry: int) -> Preview:
    """What taking this correction back would change.

    Raises:
        Refusal: it cannot be taken back (see `Timeline.restored`).
    """
    correction = timeline.correction
    later = [link.label for link in timeline.links[correction.length if correction else 0 :]]
    return _tried(timeline, lambda: timeline.restored(entry, silently=True), later, later)


def preview_of_undo(timeline: Timeline, count: int) -> Preview:
    """What taking back the last `count` actions would change.

    Raises:
        Refusal: there are fewer.
    """
    return _tried(timeline, lambda: timeline.undo(count), (), ())


def _tried(
    timeline: Timeline, change: Callable[[], Timeline], later: Sequence[str], left: Sequence[str]
) -> Preview:
    """Of `left`, which can still be decided on, the misfit names those that come after it."""
    before = _side(timeline.match)
    try:
        after = change()
    except Concealed as concealed:
        done = {link.label for link in concealed.so_far.links}
        return Preview(before, None, len(later), sum(label in done for label in later), None)
    except DoesNotFit as misfit:
        labels = [link.label for link in timeline.links]
        done = {link.label for link in misfit.so_far.links}
        fitting = sum(label in done for label in later)
        return Preview(
            before,
            _side(misfit.so_far.match),
            len(later),
            fitting,
            Misfit(
                misfit.label,
                public_action(timeline.match, misfit.told_in, misfit.action),
                misfit.player,
                misfit.edit,
                misfit.code,
                misfit.reason,
                tuple(label for label in labels if label in {*left, misfit.label} - done),
            ),
        )
    return Preview(before, _side(after.match), len(later), len(later), None, after)


def moves_ahead(timeline: Timeline, shown: Preview) -> tuple[HandMove, ...]:
    """What hands would have to move; with hidden cards, that is told when it is made."""
    if shown.changed is None or cards_lie_hidden(timeline.match):
        return ()
    return moves(timeline, shown.changed)


def _side(match: Match) -> Side:
    standing = match.game.standing(match.state)
    return Side(dict(standing.scores), standing.turn, standing.phase, standing.winners)


def preview_to_json(shown: Preview) -> dict[str, Any]:
    """The preview as the HTTP API tells it."""
    misfit = shown.misfit
    return {
        "before": _side_to_json(shown.before),
        "after": shown.after and _side_to_json(shown.after),
        "replayed": shown.replayed,
        "fitting": shown.fitting,
        "fits": None if shown.concealed else misfit is None,
        "concealed": shown.concealed,
        "misfit": None
        if misfit is None
        else {
            "entry": misfit.label,
            "action": dict(misfit.action),
            "player": misfit.player,
            "edit": misfit.edit,
            "code": misfit.code,
            "reason": misfit.reason,
            "rest": list(misfit.rest),
        },
    }


def _side_to_json(side: Side) -> dict[str, Any]:
    return {
        "scores": dict(side.scores),
        "turn": side.turn,
        "phase": side.phase,
        "winners": list(side.winners),
    }
