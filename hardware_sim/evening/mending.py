"""How people who know what happened set the page right, by as few edits as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from companion.match import Match
from companion.repair.timeline import Delete, DoesNotFit, Edit, Insert, Replace, Timeline
from companion.rules.api import Action, Refusal

TAPS_TO_CORRECT = 3


def actions_of(match: Match) -> list[Action]:
    """All that was done, oldest first."""
    actions = [each.action for each in match.back() if each.action is not None]
    actions.reverse()
    return actions


def edits_between(
    told: Sequence[Action], real: Sequence[Action], labels: Sequence[str]
) -> list[Edit]:
    """The correction that makes of what was told what really happened.

    Args:
        told: the actions in force.
        real: what should be in force.
        labels: of the actions in force.
    """
    edits: list[Edit] = []
    spelt_told, spelt_real = ([repr(action) for action in actions] for actions in (told, real))
    for what, start, end, real_start, real_end in SequenceMatcher(
        None, spelt_told, spelt_real, autojunk=False
    ).get_opcodes():
        if what == "equal":
            continue
        wrong, right = labels[start:end], real[real_start:real_end]
        both = min(len(wrong), len(right))
        edits += [Replace(label, action) for label, action in zip(wrong, right, strict=False)]
        edits += [Delete(label) for label in wrong[both:]]
        before = labels[end] if end < len(labels) else None
        edits += [Insert(before, action) for action in right[both:]]
    return edits


@dataclass(frozen=True, slots=True)
class Mending:
    """A correction that the page takes.

    Attributes:
        edits: of which it is made.
        taps: what it takes: three for what was wrong, one for what was right and only becomes
            another player's.
    """

    edits: Sequence[Edit]
    taps: int


def mending(timeline: Timeline, target: Match) -> Mending | None:
    """The edits that bring the page to what really happened, as its preview takes them.

    Where a later action would become another player's, the preview names it; people who know
    that it was indeed that player's say so, one action after the other.

    Returns:
        None where no such correction is possible.
    """
    real = actions_of(target)
    told = actions_of(timeline.match)
    labels = [link.label for link in timeline.links]
    edits = edits_between(told, real, labels)
    wrong = len(edits)
    for _ in range(len(told) + 1):
        try:
            corrected = timeline.corrected(edits, 1)
        except DoesNotFit as misfit:
            changed = {edit.label for edit in edits if isinstance(edit, Replace | Delete)}
            if misfit.edit is not None or misfit.label in changed:
                return None
            edits.append(Replace(misfit.label, misfit.action))
        except Refusal:
            return None
        else:
            if actions_of(corrected.match) != real:
                return None
            return Mending(edits, TAPS_TO_CORRECT * wrong + len(edits) - wrong)
    return None
