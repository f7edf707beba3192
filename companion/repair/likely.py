"""What may have been misread: the likeliest first, then all that the rules would take there.

Nothing in here depends on what not everybody sees. A secret action is offered wherever its verb
may be possible, and never as a likely one; the cards to choose from are all that nobody sees
elsewhere, wherever they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice, product
from typing import Any, Literal, get_args, get_origin, get_type_hints

from companion.match import Match
from companion.repair.public import forgotten, may_show
from companion.repair.suspects import counts, hidden_verbs, names_in_play, suspects, unseen
from companion.repair.timeline import (
    Concealed,
    Delete,
    DoesNotFit,
    Edit,
    Insert,
    Keep,
    Replace,
    Timeline,
)
from companion.rules.api import Action, Leave, Nothing, Refusal
from companion.rules.octopus_alarm_words import Flip

MOST = 3
"""So many likely ones are offered."""

TRIED = 24
"""Of so many it is tried whether all later actions fit."""


@dataclass(frozen=True, slots=True)
class Blank:
    """An action for which people choose the cards themselves.

    Attributes:
        action: the action, its cards still open or of no meaning.
        field: what is filled in: `cards`, or another field for one card.
        names: what can be chosen.
        fewest: how many are chosen at least.
        most: how many at most.
    """

    action: Action
    field: str
    names: tuple[str, ...]
    fewest: int
    most: int


@dataclass(frozen=True, slots=True)
class Choices:
    """What people can choose from when something is to be set right.

    Attributes:
        likely: edits, the likeliest first; at most three.
        actions: all that is possible there and needs nothing more; without the action told.
        blanks: what needs cards to be chosen.
    """

    likely: tuple[Edit, ...]
    actions: tuple[Action, ...]
    blanks: tuple[Blank, ...]


def instead_of(timeline: Timeline, label: str) -> Choices:
    """What an action may have been.

    Args:
        timeline: the game.
        label: of the action.

    Raises:
        Refusal: `not-legal`, no such action is in force.
    """
    after = timeline.found(label)
    told, here = after.action, after.before
    if told is None or here is None:
        raise ValueError("nothing was done in this match")
    now = timeline.match
    if _hidden(now, here, told):
        return _possible(now, here, None)
    choices = _possible(now, here, told)
    found: list[Edit] = [Delete(label)] if _read_twice(here, told) else []
    candidates = _accepted(now, here, told, [*suspects(here, told), *choices.actions])
    tried: list[Edit] = [Replace(label, action) for action in islice(candidates, TRIED)]
    if not isinstance(told, Flip):  # else it would show what other tiles were seen to be
        tried.sort(key=lambda edit: not _all_fits(timeline, edit))
    return replace(choices, likely=tuple([*found, *tried][:MOST]))


def missed_before(timeline: Timeline, label: str | None) -> Choices:
    """What may have been missed before an action, or at the end.

    Args:
        timeline: the game.
        label: of the action; None for the end.

    Raises:
        Refusal: `not-legal`, no such action is in force.
    """
    here = timeline.match if label is None else timeline.found(label).before
    if here is None:
        raise ValueError("nothing was done in this match")
    choices = _possible(timeline.match, here, None)
    tried: list[Edit] = [
        Insert(label, action)
        for action in choices.actions[:TRIED]
        if not isinstance(action, Flip) and not here.game.secret(action)
    ]
    if label is not None:
        tried = [edit for edit in tried if _all_fits(timeline, edit)]
    return replace(choices, likely=tuple(tried[:MOST]))


def instead_of_misfit(timeline: Timeline, misfit: DoesNotFit) -> Choices:
    """What an action may have been that does not fit, as the correction leaves the game there."""
    now, here, told, label = timeline.match, misfit.so_far.match, misfit.action, misfit.label
    shut = _hidden(now, misfit.told_in, told)
    choices = _possible(now, here, None if shut else told, all_names=True)
    found: list[Edit] = [Keep(label)] if misfit.may_stay else []
    if not shut:
        candidates = _accepted(now, here, told, [*suspects(here, told), *choices.actions])
        found += [Replace(label, action) for action in islice(candidates, MOST)]
    return replace(choices, likely=tuple(found[:MOST]))


def _hidden(now: Match, here: Match, told: Action) -> bool:
    return here.game.secret(told) or forgotten(now, here, told)


def _read_twice(here: Match, told: Action) -> bool:
    """Whether the action before tells the same: a card that was read twice."""
    return bool(fields(told)) and here.action == told


def _accepted(now: Match, here: Match, told: Action, actions: Iterable[Action]) -> Iterator[Action]:
    """Those of the actions that the rules take there, each once and not the one told."""
    seen = {told}
    for action in actions:
        if action not in seen:
            seen.add(action)
            if not here.game.secret(action) and _may(now, here, action):
                yield action


def _may(now: Match, here: Match, action: Action) -> bool:
    """Whether the rules take it there, as far as everybody may know."""
    return may_show(now, here, action) if isinstance(action, Flip) else _does(here, action)


def _does(here: Match, action: Action) -> bool:
    try:
        here.do(action)
    except Refusal:
        return False
    return True


def _all_fits(timeline: Timeline, edit: Edit) -> bool:
    try:
        entry = 1 + max((link.entry for link in timeline.links), default=0)
        timeline.corrected([edit], entry, silently=True)
    except Concealed:
        return True
    except Refusal:
        return False
    return True


def _possible(now: Match, here: Match, told: Action | None, *, all_names: bool = False) -> Choices:
    """All that can be told there, in the order of `legal`; what not everybody may know is open.

    With `all_names` the match is one that never was, and what lies open in it may be a secret.
    """
    game = here.game
    actions: list[Action] = []
    blanks: list[Blank] = []
    legal = [each for each in game.legal(here.state) if not game.secret(each)]
    for action in legal:
        open_fields = [each.name for each in fields(action) if getattr(action, each.name) is None]
        values = [_values(here, action, name) for name in open_fields]
        if all(value is not None for value in values):
            filled = [
                replace(action, **dict(zip(open_fields, chosen, strict=True)))
                for chosen in product(*(value for value in values if value is not None))
            ]
            actions += [each for each in filled if _may(now, here, each)]
        else:
            blanks.append(_blank(here, action, open_fields[0], all_names=all_names))
    for verb in hidden_verbs(here):
        hidden = [each.name for each in fields(verb) if each.name in ("card", "cards")]
        if hidden:
            blanks.append(_blank(here, verb, hidden[0], all_names=all_names))
        else:
            actions.append(verb)
    if Leave in game.actions and not game.standing(here.state).over:
        leaving = [Leave(player) for player in here.setup.players]
        actions += [each for each in leaving if _does(here, each)]
    if told is not None:
        actions = [each for each in actions if each != told]
        actions.sort(key=lambda each: -_alike(each, told))
    return Choices((), tuple(actions), tuple(blanks))


def _alike(action: Action, told: Action) -> int:
    """How much of an action is as it was told."""
    if type(action) is not type(told):
        return 0
    same = [bool(getattr(action, each.name) == getattr(told, each.name)) for each in fields(told)]
    return 1 + sum(same)


def _values(here: Match, action: Action, name: str) -> Sequence[Any] | None:
    """All that could stand in an open field; None where people must choose from many cards."""
    if name == "player":
        return here.setup.players
    hint = get_type_hints(type(action))[name]
    parts = [hint, *get_args(hint)]
    for part in parts:
        if get_origin(part) is Literal:
            return get_args(part)
        if get_origin(part) is tuple:
            return None
    names: list[Any] = list(names_in_play(here))
    example = replace(action, **{name: names[0]})
    if here.game.secret(example):
        return None
    return [*names, Nothing.NOTHING] if Nothing in parts else names


def _blank(here: Match, action: Action, field: str, *, all_names: bool) -> Blank:
    names = names_in_play(here) if all_names else unseen(here, action)
    fewest, most = counts(here, action)
    return Blank(action, field, names, fewest, most)
