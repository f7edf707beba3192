"""The face of a game that has none of its own: turn, scores and what can be pressed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from companion.codec import action_to_json, outcome_to_json
from companion.rules.api import Action
from companion.snapshot import Event, Snapshot
from web_ui.games.face import Button, Face
from web_ui.sentences import Sentence, Tone
from web_ui.words import gettext


def _to_do(snapshot: Snapshot) -> Sentence:
    if snapshot.standing.over:
        return Sentence("crown", gettext("The game is over"))
    return Sentence("card", gettext("Your move"))


def _words(snapshot: Snapshot, event: Event) -> tuple[tuple[Sentence, ...], Tone, str | None]:
    del snapshot
    happened = [_spelt(outcome_to_json(outcome)) for outcome in event.outcomes]
    if not happened and event.action is not None:
        happened = [_spelt(action_to_json(event.action))]
    sentence = Sentence("card", "%(what)s", {"what": ", ".join(happened)})
    return (sentence,), "plain", None


def _spelt(plain: Mapping[str, Any]) -> str:
    return " ".join(str(value) for value in plain.values())


def _button(action: Action) -> Button | None:
    if any(getattr(action, entry.name) is None for entry in fields(action)):
        return None
    label = Sentence("touch", "%(what)s", {"what": _spelt(action_to_json(action))})
    return Button(action, label, "choice")


FACE = Face(
    template="game/plain.html",
    title=lambda: gettext("Game"),
    to_do=_to_do,
    words=_words,
    button=_button,
    facts=lambda snapshot: {"scores": snapshot.standing.scores},
    component=lambda name: name,
)
