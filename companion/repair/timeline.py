"""The actions of a game that are in force, each with a label by which it can be set right.

Nothing in here forgets: a correction makes another timeline, and the one before it can be
had back. What was ever told stays in the journal, from which `Timeline.after` makes the
timeline again, command by command.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from companion.codec import action_from_json, action_to_json, undo_from_json
from companion.match import Match, Setup
from companion.repair.public import concealed, lays_open
from companion.rules.api import Action, Code, Outcome, Refusal
from companion.rules.octopus_alarm_words import Flip
from companion.said import say

LABEL = re.compile(r"[1-9][0-9]{0,9}(\.[1-9][0-9]{0,9})?")


@dataclass(frozen=True, slots=True)
class Link:
    """What is known of an action in force beside the action itself.

    Attributes:
        label: names the action for ever: the number of the entry that told it, such as `12`;
            what correction 15 has inserted is `15.1`, `15.2` …
        entry: the number of the entry that made the action what it is now.
        uid: of the tag that told it; None when no tag did.
    """

    label: str
    entry: int
    uid: str | None = None


@dataclass(frozen=True, slots=True)
class Replace:
    """It was another action. With the action as it was, the same as `Keep`."""

    label: str
    action: Action


@dataclass(frozen=True, slots=True)
class Delete:
    """It never happened."""

    label: str


@dataclass(frozen=True, slots=True)
class Keep:
    """It is right as it was told, and was indeed of whoever is in turn there."""

    label: str


@dataclass(frozen=True, slots=True)
class Insert:
    """One was missed before this action; before None: at the end."""

    before: str | None
    action: Action


Edit: TypeAlias = Replace | Delete | Keep | Insert
"""One change of the past. A correction is a list of them, carried out together or not at all."""


class DoesNotFit(Refusal):
    """An action cannot be where the correction would leave it; nothing has changed.

    Attributes:
        label: of the first action that does not fit; of an inserted one, that it would get.
        action: the action.
        edit: which of the edits it comes from, from 0; None for an action told before, that a
            further edit may leave out, change or keep.
        player: whose action it was, when it was told before; None for an edit.
        reason: why, as a sentence; `message` says it with what to do.
        so_far: what the correction makes of the game before this action.
        told_in: the match in which it was told; for a new one, that in which it does not fit.
        may_stay: it is only that it would be another player's.
    """

    def __init__(
        self, step: _Step, so_far: Timeline, code: Code, reason: str, keep_for: str = ""
    ) -> None:
        parts = {"action": step.link.label, "reason": reason}
        if step.edit is not None:
            message = reason
        elif keep_for:
            message = say(
                "Action %(action)s would no longer fit. %(reason)s Leave it out, change it, keep it "
                "as %(player)s's, or give the correction up.",
                player=keep_for,
                **parts,
            )
        else:
            message = say(
                "Action %(action)s would no longer fit. %(reason)s Leave it out, change it, or give "
                "the correction up.",
                **parts,
            )
        super().__init__(code, message)
        self.label = step.link.label
        self.action = step.action
        self.edit = step.edit
        self.player = step.player
        self.reason = reason
        self.so_far = so_far
        self.told_in = step.told_in or so_far.match
        self.may_stay = bool(keep_for)


class Concealed(Exception):
    """How a change goes on depends on what not everybody may know: only making it tells.

    Attributes:
        so_far: what the change makes of the game before that action.
    """

    def __init__(self, so_far: Timeline) -> None:
        super().__init__("what comes of it is not told before it is made")
        self.so_far = so_far


def edit_to_json(edit: Edit) -> dict[str, Any]:
    """Such as `{"entry": "5", "do": "reveal", "card": "dots"}`."""
    match edit:
        case Replace(label, action):
            return {"entry": label, **action_to_json(action)}
        case Delete(label):
            return {"entry": label, "do": None}
        case Keep(label):
            return {"entry": label, "keep": True}
        case Insert(before, action):
            return {"before": before, **action_to_json(action)}


def edits_to_json(edits: Iterable[Edit]) -> list[dict[str, Any]]:
    """The edits of a correction as the journal spells them."""
    return [edit_to_json(edit) for edit in edits]


def edit_from_json(game: str, body: object) -> Edit:
    """The edit that such an object means.

    Args:
        game: the name of the game being played.
        body: parsed JSON.

    Raises:
        Refusal: `bad-command`.
    """
    if not isinstance(body, dict) or ("entry" in body) == ("before" in body):
        raise Refusal(
            "bad-command",
            'An edit is an object with either entry or before, such as {"entry": "5", "do": null}.',
        )
    rest = dict(body)
    if "keep" in rest and "entry" in rest:
        if rest["keep"] is not True or len(rest) > 2:
            raise Refusal("bad-command", "keep is true, and goes with entry and nothing else.")
        return Keep(_label(rest["entry"], "entry"))
    if "do" not in rest:
        raise Refusal("bad-command", "An edit needs the key do: a verb, or null for an entry.")
    if "entry" in rest:
        label = _label(rest.pop("entry"), "entry")
        if rest["do"] is not None:
            return Replace(label, action_from_json(game, rest))
        if len(rest) > 1:
            raise Refusal("bad-command", "An edit that leaves an entry out takes no other key.")
        return Delete(label)
    before = rest.pop("before")
    label_before = None if before is None else _label(before, "before")
    return Insert(label_before, action_from_json(game, rest))


def edits_from_json(game: str, body: object) -> tuple[Edit, ...]:
    """The edits of a correction (see `edit_from_json`).

    Raises:
        Refusal: `bad-command`, also when there is none.
    """
    if not isinstance(body, list) or not body:
        raise Refusal("bad-command", "A correction is a list of at least one edit.")
    return tuple(edit_from_json(game, edit) for edit in body)


def _label(value: object, key: str) -> str:
    if not isinstance(value, str) or not LABEL.fullmatch(value):
        raise Refusal(
            "bad-command",
            f'The key {key} of an edit is a label of the history, such as "12".',
        )
    return value


def actor(match: Match, action: Action) -> str | None:
    """Whose the action is in this match: whom it names as `player`, else the player in turn.

    None when nobody is in turn.
    """
    named: str | None = getattr(action, "player", None)
    return match.game.standing(match.state).turn if named is None else named


@dataclass(frozen=True, slots=True)
class _Step:
    """An action to be carried out again, or for the first time.

    Attributes:
        player: whose it was; None where a person says that it is the player's in turn.
        told_in: the match in which it was told; None for one that an edit brings.
    """

    link: Link
    action: Action
    player: str | None
    edit: int | None = None
    told_in: Match | None = None

    def after(self, so_far: Timeline, silently: Match | None = None) -> Timeline:
        """The timeline after it, or `DoesNotFit`.

        Args:
            so_far: what comes before it.
            silently: the game as it stands, to tell no more than everybody may know of it:
                else `Concealed`.
        """
        match = so_far.match
        now = actor(match, self.action)
        if silently is not None and concealed(silently, match, self.action, self.told_in):
            self._check_whose(so_far, now)
            raise Concealed(so_far)
        try:
            after = match.do(self.action)
        except Refusal as refusal:
            told = self.player is not None and isinstance(self.action, Flip)
            # What a tile showed before, people must remember by themselves.
            reason = say("That tile cannot have been flipped so.") if told else refusal.message
            raise DoesNotFit(self, so_far, refusal.code, reason) from refusal
        self._check_whose(so_far, now)
        if silently is not None and lays_open(after):
            raise Concealed(so_far)
        return Timeline(after, (*so_far.links, self.link))

    def _check_whose(self, so_far: Timeline, now: str | None) -> None:
        if self.player is not None and now != self.player:
            reason = say(
                "It was %(player)s's, and %(other)s would be in turn there.",
                player=self.player,
                other=now,
            )
            raise DoesNotFit(self, so_far, "not-legal", reason, str(now))


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction that can be taken back.

    Attributes:
        entry: its number.
        before: the timeline that it was made in.
        length: how many actions were in force after it.
    """

    entry: int
    before: Timeline
    length: int


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """A game, and a label for each action in force. Immutable.

    Attributes:
        match: the game as it stands.
        links: for each action in force, oldest first.
        correction: the last one, while it can be taken back.
    """

    match: Match
    links: tuple[Link, ...] = ()
    correction: Correction | None = None

    @classmethod
    def start(cls, setup: Setup) -> Timeline:
        """A new game.

        Raises:
            Refusal: `bad-option` or `unknown-player`.
        """
        return cls(Match.start(setup))

    def do(self, action: Action, entry: int, uid: str | None = None) -> Timeline:
        """The timeline after this action.

        Raises:
            Refusal: the rules say no.
        """
        return self._with(self.match.do(action), (*self.links, Link(str(entry), entry, uid)))

    def undo(self, count: int) -> Timeline:
        """The timeline without the last `count` actions in force.

        Raises:
            Refusal: `not-legal` when there are fewer.
        """
        match = self.match.undo(count)
        timeline = self._with(match, self.links[: match.step])
        kept = self.correction is None or match.step >= self.correction.length
        return timeline if kept else replace(timeline, correction=None)

    def corrected(self, edits: Sequence[Edit], entry: int, *, silently: bool = False) -> Timeline:
        """The timeline in which the past was as these edits say.

        All edits name labels of this timeline. Later actions are carried out again as they were
        told; one that the rules refuse, or that would become another player's, does not fit.

        Args:
            edits: at least one, at most one of each action beside `Insert`; several `Insert`
                before the same action come in their order.
            entry: the number of the correction.
            silently: nobody at the table sees it, so nothing hidden may decide on it.

        Raises:
            DoesNotFit: an edit, or a later action, is not possible where it would be.
            Concealed: where `silently`, something hidden decides how it goes on.
            Refusal: `not-legal`, there is no such action in force; `bad-command`, two edits
                are of one action.
        """
        kept, steps = self._edited(edits, entry)
        now = self.match if silently else None
        corrected = _carried_out(self.undo(self.match.step - kept), steps, now)
        return replace(corrected, correction=Correction(entry, self, len(corrected.links)))

    def restored(self, entry: int, *, silently: bool = False) -> Timeline:
        """The timeline as if this correction had not been made.

        Args:
            entry: the number of the correction.
            silently: as with `corrected`.

        Raises:
            DoesNotFit: an action that came after the correction is not possible without it.
            Concealed: as with `corrected`.
            Refusal: `not-legal`, it was not the last correction, or was undone.
        """
        if self.correction is None or self.correction.entry != entry:
            raise Refusal(
                "not-legal",
                say(
                    "Correction %(entry)s cannot be taken back any more: only the last one can, while "
                    "all that it left is still in force. Correct the single actions instead.",
                    entry=entry,
                ),
            )
        before = self.correction.before
        later = [_told(link, match) for link, match in self._past()[self.correction.length :]]
        restored = _carried_out(before, later, self.match if silently else None)
        return replace(restored, correction=before.correction) if later else before

    def after(self, command: object, entry: int, uid: str | None = None) -> Timeline:
        """The timeline after a command as the journal spells it.

        Raises:
            Refusal: `bad-command`, or as the method for that command says.
        """
        if not isinstance(command, dict):
            raise Refusal("bad-command", 'A command is an object, such as {"do": "stop"}.')
        game = self.match.setup.game
        match command:
            case {"undo": count, **rest} if not rest:
                return self.undo(undo_from_json(count))
            case {"correct": edits, **rest} if not rest:
                return self.corrected(edits_from_json(game, edits), entry)
            case {"restore": number, **rest} if not rest:
                return self.restored(restore_from_json(number))
            case _:
                return self.do(action_from_json(game, command), entry, uid)

    @property
    def uids(self) -> tuple[str | None, ...]:
        """Of each action in force, oldest first: the tag that told it, or None."""
        return tuple(link.uid for link in self.links)

    def outcomes_of(self, entry: int) -> tuple[Outcome, ...]:
        """What the action of this entry brought about; () when it is not in force as told."""
        past = zip(self.match.back(), reversed(self.links), strict=True)
        told = Link(str(entry), entry)
        return next((each.outcomes for each, link in past if replace(link, uid=None) == told), ())

    def found(self, label: str) -> Match:
        """The match just after the action with this label.

        Raises:
            Refusal: `not-legal`, no such action is in force.
        """
        past = zip(self.match.back(), reversed(self.links), strict=True)
        match = next((each for each, link in past if link.label == label), None)
        if match is None:
            raise _not_in_force(label)
        return match

    def _with(self, match: Match, links: tuple[Link, ...]) -> Timeline:
        return replace(self, match=match, links=links)

    def _past(self) -> list[tuple[Link, Match]]:
        """Each link with the match after its action, oldest first."""
        past = list(zip(reversed(self.links), self.match.back(), strict=True))
        past.reverse()
        return past

    def _edited(self, edits: Sequence[Edit], entry: int) -> tuple[int, list[_Step]]:
        """How many actions stay untouched, and what is to be carried out after them."""
        if not edits:
            raise Refusal("bad-command", "A correction is a list of at least one edit.")
        changes: dict[str, _Step | None] = {}
        missed: dict[str | None, list[_Step]] = {}
        past = {link.label: link for link in self.links}
        inserted = 0
        for number, edit in enumerate(edits):
            label = edit.before if isinstance(edit, Insert) else edit.label
            if label is not None and label not in past:
                raise _not_in_force(label)
            match edit:
                case Insert(before, action):
                    inserted += 1
                    link = Link(f"{entry}.{inserted}", entry)
                    missed.setdefault(before, []).append(_Step(link, action, None, number))
                    continue
                case _ if edit.label in changes:
                    raise Refusal(
                        "bad-command",
                        say("Two edits are of action %(action)s: make one of them.", action=label),
                    )
                case Replace(label, action) if action != self.found(label).action:
                    link = Link(label, entry)
                    changes[label] = _Step(link, action, None, number)
                case Replace(label) | Keep(label):
                    link = replace(past[label], entry=entry)
                    told = _told(link, self.found(label))
                    changes[label] = replace(told, player=None, edit=number)
                case Delete(label):
                    changes[label] = None
        kept = next(
            (
                place
                for place, link in enumerate(self.links)
                if link.label in changes or link.label in missed
            ),
            len(self.links),
        )
        steps: list[_Step] = []
        for link, match in self._past()[kept:]:
            steps += missed.get(link.label, ())
            step = changes.get(link.label, _told(link, match))
            if step is not None:
                steps.append(step)
        steps += missed.get(None, ())
        return kept, steps


def _told(link: Link, match: Match) -> _Step:
    """The action that led to this match, to be carried out again as it was told."""
    assert match.action is not None and match.before is not None  # noqa: PT018, S101 - by `back`
    return _Step(link, match.action, actor(match.before, match.action), None, match.before)


def _carried_out(timeline: Timeline, steps: Sequence[_Step], silently: Match | None) -> Timeline:
    """These steps after that timeline, in one that has no correction to take back."""
    so_far = Timeline(timeline.match, timeline.links)
    for step in steps:
        so_far = step.after(so_far, silently)
    return so_far


def _not_in_force(label: str) -> Refusal:
    return Refusal(
        "not-legal",
        say("There is no action %(action)s in force: look at the history again.", action=label),
    )


def restore_from_json(entry: object) -> int:
    """Which correction to take back.

    Raises:
        Refusal: `bad-command`.
    """
    if type(entry) is not int or entry < 1:
        raise Refusal("bad-command", "restore takes the number of a correction.")
    return entry
