"""How the past, and what may be done about it, is told on the pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.codec import action_to_json
from companion.repair.history import History, Told, Was, public_outcomes
from companion.repair.likely import Blank
from companion.repair.public import forgotten
from companion.repair.timeline import Delete, Edit, Insert, Keep, Replace, edit_to_json
from companion.rules.api import Action
from companion.snapshot import Event, Snapshot, Source
from web_ui.games.face import Face
from web_ui.games.plain import in_full
from web_ui.sentences import Sentence, follow_ups
from web_ui.words import gettext, ngettext


@dataclass(frozen=True, slots=True)
class Line:
    """One action of the history.

    Attributes:
        label: names it.
        player: whose it is or was; None for nobody's.
        now: as it stands, in words; None when it is not in force.
        struck: what it was and is no more, oldest first.
        note: what became of it, in a few words; or empty.
        source: where it came from.
        by: where what became of it came from; None where nothing did.
    """

    label: str
    player: str | None
    now: Sentence | None
    struck: tuple[Sentence, ...]
    note: str
    source: Sentence
    by: Sentence | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """A button that chooses an edit.

    Attributes:
        label: what it says.
        card: the card that it shows; None for another action.
        sends: the edit as JSON.
    """

    label: Sentence
    card: str | None
    sends: str


@dataclass(frozen=True, slots=True)
class Filling:
    """A form in which cards are chosen.

    Attributes:
        title: of the action.
        sends: the edit as JSON, without the cards.
        field: that they are filled into.
        names: what can be chosen, each with its words.
        fewest: how many at least.
        most: how many at most.
    """

    title: str
    sends: str
    field: str
    names: Sequence[tuple[str, str]]
    fewest: int
    most: int


class Words:
    """Tells one history; nothing in it is secret.

    Args:
        snapshot: of the table.
        history: of its game.
        face: of the game.
    """

    def __init__(self, snapshot: Snapshot, history: History, face: Face) -> None:
        self._snapshot = snapshot
        self._now = history.timeline.match
        self._told = {one.label: one for one in history.told}
        self._face = face

    def line(self, one: Told) -> Line:
        """An action of the history."""
        was = one.now or one.first
        return Line(
            label=one.label,
            player=was.player,
            now=None if one.now is None else self._was(one.now),
            struck=tuple(map(self._was, one.struck)),
            note=_note(one),
            source=_source(one.source),
            by=_source(one.changes[-1].source) if one.changes else None,
        )

    def fixed(self, history: History) -> Sentence | None:
        """What the last entry, a correction, made of the past; None where that is not told."""
        changed = [
            one
            for one in history.told
            if (one.changes and one.changes[-1].entry == history.entries)
            or (one.inserted and one.entry == history.entries)
        ]
        if not changed:
            return None
        one, more = changed[0], len(changed) - 1
        was = self._was(one.now or one.struck[-1])
        if one.now is None:
            template = gettext("Fixed: it never happened: %(what)s")
        elif more:
            template = ngettext(
                "Fixed: %(what)s, and %(num)d more", "Fixed: %(what)s, and %(num)d more", more
            )
        else:
            template = gettext("Fixed: %(what)s")
        return Sentence(was.icon, template, {"what": was.text}, {"num": more} if more else {})

    def edit(self, edit: Edit) -> tuple[Sentence | None, Sentence | None]:
        """What an edit strikes out, and what it says in its place."""
        match edit:
            case Insert(_, action):
                return None, self._action(action)[0]
            case Delete(label):
                return self._label(label), None
            case Keep(label):
                return None, self._label(label)
            case Replace(label, action):
                return self._label(label), self._action(action)[0]

    def choice(self, edit: Edit) -> Chosen:
        """A button for a likely edit."""
        sends = json.dumps(edit_to_json(edit))
        match edit:
            case Delete():
                return Chosen(Sentence("refused", gettext("Read twice")), None, sends)
            case Keep():
                return Chosen(
                    Sentence("touch", gettext("Keep it, whoever is in turn")), None, sends
                )
            case Replace(_, action) | Insert(_, action):
                label, card = self._action(action)
                return Chosen(label, card, sends)

    def other(self, action: Action, where: Mapping[str, Any]) -> Chosen:
        """A button for any action at that place."""
        label, card = self._action(action)
        return Chosen(label, card, json.dumps({**where, **action_to_json(action)}))

    def blank(self, blank: Blank, where: Mapping[str, Any]) -> Filling:
        """A form for an action that needs cards to be chosen."""
        body = action_to_json(blank.action)
        body.pop(blank.field, None)
        names = [(name, self._face.component(name)) for name in blank.names]
        title = in_full(body)
        sends = json.dumps({**where, **body})
        return Filling(title, sends, blank.field, names, blank.fewest, blank.most)

    def _label(self, label: str) -> Sentence:
        one = self._told[label]
        return self._was(one.now or one.first)

    def _action(self, action: Action) -> tuple[Sentence, str | None]:
        """What an action is called, and the card that it turns up, if it does."""
        turn = self._face.turn
        if turn is not None and type(action) is type(turn("")):
            card = str(action_to_json(action)["card"])
            return Sentence("card", "%(card)s", {}, {"card": self._face.component(card)}), card
        button = self._face.button(action)
        if button is not None:
            return button.label, None
        return Sentence("touch", "%(what)s", {"what": in_full(action_to_json(action))}), None

    def _was(self, was: Was) -> Sentence:
        """What an action brought about, in one line."""
        now = self._now
        if forgotten(now, was.here, was.action):
            tile = {"tile": action_to_json(was.action)["tile"], "area": was.here.state.ship}
            template = gettext("%(player)s: tile %(tile)s of area %(area)s, face down again")
            return Sentence("card", template, {"player": was.player or ""}, tile)
        shown = None if now.game.secret(was.action) else was.action
        outcomes = public_outcomes(now, was)
        event = Event(0, "action", was.player, shown, 0, outcomes, Source("page"), "", "")
        state, _ = now.game.apply(was.here.state, was.action)
        then = replace(self._snapshot, standing=now.game.standing(state))
        sentences = (*self._face.words(then, event)[0], *follow_ups(outcomes))
        if not sentences:
            told = {} if shown is None else action_to_json(was.action)
            verb = {"do": action_to_json(was.action)["do"]}
            return Sentence("card", "%(what)s", {"what": in_full(told or verb)})
        text = "; ".join(sentence.text for sentence in sentences)
        return Sentence(sentences[0].icon, "%(what)s", {"what": text})


def _note(one: Told) -> str:
    if not one.changes:
        return gettext("added afterwards") if one.inserted else ""
    match one.changes[-1].fate:
        case "undone":
            return gettext("taken back")
        case "deleted":
            return gettext("it never happened")
        case "replaced":
            return gettext("corrected")
        case "restored":
            return gettext("the correction was taken back")
        case "withdrawn":
            return gettext("the correction was taken back")


def _source(source: Source) -> Sentence:
    match source.kind:
        case "reader":
            return Sentence("reader", "%(reader)s", {"reader": source.name})
        case "page" if source.name:
            return Sentence("touch", gettext("phone of %(player)s"), {"player": source.name})
        case "page":
            return Sentence("touch", gettext("touch"))
        case "api":
            return Sentence("program", gettext("program"))
        case "service":
            return Sentence("service", gettext("by itself"))
