"""What a correction would change, before anybody decides on it.

Nothing is told in here that a spectator may not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.match import Match
from companion.repair.public import public_action
from companion.repair.timeline import DoesNotFit, Edit, Insert, Timeline
from companion.rules.api import Code


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
        after: as it would stand; where something does not fit, as far as it goes.
        replayed: how many later actions are carried out again, or would have to be.
        fitting: how many of these fit.
        misfit: the first that does not fit; None when all do.
    """

    before: Side
    after: Side
    replayed: int
    fitting: int
    misfit: Misfit | None


def preview(timeline: Timeline, edits: Sequence[Edit]) -> Preview:
    """What these edits would change.

    Raises:
        Refusal: they are no correction of this timeline (see `Timeline.corrected`).
    """
    number = 1 + max((link.entry for link in timeline.links), default=0)
    labels = [link.label for link in timeline.links]
    edited = {edit.label for edit in edits if not isinstance(edit, Insert)}
    named = edited | {edit.before for edit in edits if isinstance(edit, Insert) and edit.before}
    first = next((place for place, label in enumerate(labels) if label in named), len(labels))
    later = [label for label in labels[first:] if label not in edited]
    return _tried(timeline, lambda: timeline.corrected(edits, number), later)


def preview_of_restoring(timeline: Timeline, entry: int) -> Preview:
    """What taking this correction back would change.

    Raises:
        Refusal: it cannot be taken back (see `Timeline.restored`).
    """
    correction = timeline.correction
    later = [link.label for link in timeline.links[correction.length if correction else 0 :]]
    return _tried(timeline, lambda: timeline.restored(entry), later)


def preview_of_undo(timeline: Timeline, count: int) -> Preview:
    """What taking back the last `count` actions would change.

    Raises:
        Refusal: there are fewer.
    """
    return _tried(timeline, lambda: timeline.undo(count), ())


def _tried(timeline: Timeline, change: Callable[[], Timeline], later: Sequence[str]) -> Preview:
    before = _side(timeline.match)
    try:
        after = change()
    except DoesNotFit as misfit:
        done = {link.label for link in misfit.so_far.links}
        fitting = sum(label in done for label in later)
        return Preview(
            before,
            _side(misfit.so_far.match),
            len(later),
            fitting,
            Misfit(
                misfit.label,
                public_action(timeline.match, misfit.so_far.match, misfit.action),
                misfit.player,
                misfit.edit,
                misfit.code,
                misfit.reason,
                tuple(label for label in later if label not in done),
            ),
        )
    return Preview(before, _side(after.match), len(later), len(later), None)


def _side(match: Match) -> Side:
    standing = match.game.standing(match.state)
    return Side(dict(standing.scores), standing.turn, standing.phase, standing.winners)


def preview_to_json(shown: Preview) -> dict[str, Any]:
    """The preview as the HTTP API tells it."""
    misfit = shown.misfit
    return {
        "before": _side_to_json(shown.before),
        "after": _side_to_json(shown.after),
        "replayed": shown.replayed,
        "fitting": shown.fitting,
        "fits": misfit is None,
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
