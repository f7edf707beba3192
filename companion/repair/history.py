"""All that was ever told of a game: what each action was at first, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from companion.codec import outcome_to_json
from companion.match import Match, Setup
from companion.record.journal import Entry, Note
from companion.repair.public import forgotten, public_action
from companion.repair.timeline import Timeline, actor
from companion.rules.api import Action, Outcome
from companion.snapshot import Source

Fate = Literal["undone", "deleted", "replaced", "restored", "withdrawn"]
"""What an entry did to an action that was told before: took it back with others; left it out;
made it another one, or the same one by decision; brought it back or made it again what it was;
took it out with the correction that had inserted it."""


@dataclass(frozen=True, slots=True)
class Past:
    """What the record holds of a game.

    Attributes:
        game: its id.
        setup: how it began.
        entries: all of them, in order.
    """

    game: str
    setup: Setup
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Was:
    """An action as it stood at some time.

    Attributes:
        action: the action.
        player: whose it was; None when nobody was in turn.
        outcomes: what it brought about.
        here: the match in which it was done.
    """

    action: Action
    player: str | None
    outcomes: tuple[Outcome, ...]
    here: Match = field(compare=False)


@dataclass(frozen=True, slots=True)
class Change:
    """Something that an entry did to an action.

    Attributes:
        entry: its number.
        fate: what it did.
        source: where it came from.
        now: the action from then on; None when it is no longer in force.
    """

    entry: int
    fate: Fate
    source: Source
    now: Was | None


@dataclass(frozen=True, slots=True)
class Told:
    """An action that was told at some time.

    Attributes:
        label: names it for ever.
        entry: the number of the entry that told it.
        source: where it came from.
        inserted: a correction told it afterwards.
        first: as it was told first.
        now: as it is now; None when it is not in force.
        changes: by corrections and undos, oldest first.
    """

    label: str
    entry: int
    source: Source
    inserted: bool
    first: Was
    now: Was | None
    changes: tuple[Change, ...] = ()

    @property
    def struck(self) -> tuple[Was, ...]:
        """What it was and is no more, oldest first."""
        versions = [self.first, *(change.now for change in self.changes)]
        before = versions if self.now is None else versions[:-1]
        kept = [was for was in before if was is not None]
        return tuple(
            was
            for place, was in enumerate(kept)
            if was.action not in [other.action for other in kept[:place]]
            and (self.now is None or was.action != self.now.action)
        )


@dataclass(frozen=True, slots=True)
class History:
    """A game and its past.

    Attributes:
        timeline: the actions in force.
        told: every action ever told, in the order of the game.
        entries: the number of the last entry; 0 before the first.
    """

    timeline: Timeline
    told: tuple[Told, ...]
    entries: int


def history(setup: Setup, record: Iterable[Entry | Note]) -> History:
    """The whole past of a game.

    Args:
        setup: how it began.
        record: of the game, in order; notes are passed over.

    Raises:
        Refusal: the record makes no sense.
    """
    return continued(History(Timeline.start(setup), (), 0), record)


def continued(past: History, record: Iterable[Entry | Note]) -> History:
    """The same past with what came after it: what a fold of the whole record gives.

    Args:
        past: of the game so far.
        record: what was recorded since, in order.

    Raises:
        Refusal: the record makes no sense.
    """
    timeline, told, entries = past.timeline, list(past.told), past.entries
    for entry in record:
        if isinstance(entry, Note):
            continue
        before, timeline = timeline, timeline.after(entry.command, entry.entry, entry.uid)
        if "do" in entry.command:
            told.append(_told(str(entry.entry), entry, timeline.match))
        else:
            told = _changed(told, entry, before, timeline)
        entries = entry.entry
    # Later corrections can change what a kept action brought about, and whose it is.
    now = _matches(timeline)
    told = [replace(one, now=_was(now[one.label])) if one.label in now else one for one in told]
    return History(timeline, tuple(told), entries)


def _told(label: str, entry: Entry, match: Match) -> Told:
    was = _was(match)
    return Told(label, entry.entry, entry.source, "do" not in entry.command, was, was)


def _was(match: Match) -> Was:
    if match.action is None or match.before is None:
        raise ValueError("nothing was done in this match")
    return Was(match.action, actor(match.before, match.action), match.outcomes, match.before)


def _matches(timeline: Timeline) -> dict[str, Match]:
    """By label, the match after each action in force, oldest first."""
    past = list(zip(reversed(timeline.links), timeline.match.back(), strict=True))
    return {link.label: match for link, match in reversed(past)}


def _changed(told: list[Told], entry: Entry, before: Timeline, after: Timeline) -> list[Told]:
    """What an undo, a correction or a restoration makes of the actions told so far."""
    was, now = _matches(before), _matches(after)
    makers = {link.label: link.entry for link in after.links}
    restoring = "restore" in entry.command

    def fate(one: Told) -> Fate | None:
        label = one.label
        if label in was and label not in now:
            if restoring:
                return "withdrawn"
            return "undone" if "undo" in entry.command else "deleted"
        if label in now and label not in was:
            return "restored"
        if label in now and (
            makers[label] == entry.entry or was[label].action != now[label].action
        ):
            return "restored" if restoring else "replaced"
        return None

    changed: list[Told] = []
    for one in told:
        found = fate(one)
        here = _was(now[one.label]) if one.label in now else None
        changed.append(one if found is None else _with(one, found, entry, here))
    known = {one.label for one in told}
    following: str | None = None
    for label in reversed(now):
        if label not in known:
            changed.insert(_place(changed, following), _told(label, entry, now[label]))
        following = label
    return changed


def _with(one: Told, fate: Fate, entry: Entry, now: Was | None) -> Told:
    change = Change(entry.entry, fate, entry.source, now)
    return replace(one, now=now, changes=(*one.changes, change))


def _place(told: list[Told], following: str | None) -> int:
    """Where the action before that one belongs."""
    if following is None:
        return len(told)
    return next(place for place, one in enumerate(told) if one.label == following)


# As JSON, for everybody


def history_to_json(past: History) -> list[dict[str, Any]]:
    """What was told, as everybody may know it."""
    now = past.timeline.match
    return [_told_to_json(now, one) for one in past.told]


def _told_to_json(now: Match, one: Told) -> dict[str, Any]:
    return {
        "entry": one.label,
        "source": one.source.kind,
        "reader": one.source.name,
        "inserted": one.inserted,
        "first": _was_to_json(now, one.first),
        "now": one.now and _was_to_json(now, one.now),
        "changes": [
            {
                "by": change.entry,
                "what": change.fate,
                "source": change.source.kind,
                "now": change.now and _was_to_json(now, change.now),
            }
            for change in one.changes
        ],
    }


def _was_to_json(now: Match, was: Was) -> dict[str, Any]:
    return {
        "player": was.player,
        "action": public_action(now, was.here, was.action),
        "outcomes": [outcome_to_json(outcome) for outcome in public_outcomes(now, was)],
    }


def public_outcomes(now: Match, was: Was) -> tuple[Outcome, ...]:
    """What everybody may be shown of what an action brought about."""
    return () if forgotten(now, was.here, was.action) else was.outcomes
