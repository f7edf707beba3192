"""What happened, and why, in short sentences without grammatical gender.

A sentence is kept as a translated template and its parts until it is written out, so
that a page can set each name apart (a name may be written from right to left) and the
API can have it as plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from markupsafe import Markup, escape

from companion.rules.api import GameWon, Leave, Outcome, PlayerLeft, TurnEnded
from companion.snapshot import Event, Snapshot
from web_ui.words import gettext, ngettext

Tone = Literal["plain", "good", "bad", "refused", "over"]

_NAME = Markup("<bdi>{}</bdi>")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One short sentence and the icon that says the same to those who cannot read.

    Attributes:
        icon: a symbol of the sprite.
        template: translated, with `%(key)s` where a part belongs.
        names: what people called themselves or their things.
        words: translated words and numbers.
    """

    icon: str
    template: str
    names: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The plain text."""
        return self.template % {**self.words, **self.names}

    @property
    def html(self) -> Markup:
        """The same with each name set apart, so that its direction stays its own."""
        parts: dict[str, object] = {
            key: escape(word) if isinstance(word, str) else word for key, word in self.words.items()
        }
        parts.update((key, _NAME.format(name)) for key, name in self.names.items())
        return escape(self.template) % parts


@dataclass(frozen=True, slots=True)
class Story:
    """The last event as people see it.

    Attributes:
        sentences: the first says what happened, the others what follows from it.
        cause: why: who or what brought it about.
        reason: the rule that was in the way, or why the ship's judge asks; else empty.
        tone: how it feels, for the colour.
        card: the card that was turned up, if one was.
    """

    sentences: tuple[Sentence, ...]
    cause: Sentence
    reason: str = ""
    tone: Tone = "plain"
    card: str | None = None

    @property
    def text(self) -> str:
        """All sentences on one line."""
        line = "; ".join(sentence.text for sentence in self.sentences)
        return f"{line}: {self.reason}" if self.reason else line


OutcomeWords = Callable[[Snapshot, Event], tuple[tuple[Sentence, ...], Tone, str | None]]
"""A game's own words for an action: sentences, tone, and the card that was turned up."""


def story(snapshot: Snapshot, words_of_game: OutcomeWords) -> Story:
    """The last event of the table in words."""
    event = snapshot.event
    if event.kind == "action":
        sentences, tone, card = words_of_game(snapshot, event)
        return Story((*sentences, *follow_ups(event.outcomes)), cause(event), "", tone, card)
    if event.kind == "taken":
        # What it waits for or asks stands beside it.
        shown = event.code in ("waiting", "question")
        taken = Sentence("touch", gettext("Taken"))
        return Story((taken,), cause(event), "" if shown else event.message)
    if event.kind == "refused":
        what = Sentence("refused", gettext("Not possible now, nothing changed"))
        return Story((what,), cause(event), event.message, "refused")
    if event.kind == "notice":
        reason = event.message if event.code == "ship-unsure" else ""
        return Story((_notice(event),), cause(event), reason, "refused")
    return Story((_course(snapshot),), cause(event))


def follow_ups(outcomes: tuple[Outcome, ...]) -> tuple[Sentence, ...]:
    """What any game may bring about: a turn ends, somebody leaves, somebody wins."""
    sentences = []
    for outcome in outcomes:
        match outcome:
            case PlayerLeft(player):
                who = {"player": player}
                sentences.append(Sentence("leave", gettext("%(player)s leaves"), who))
            case TurnEnded():
                sentences.append(Sentence("turn-over", gettext("the turn ends")))
            case GameWon(player):
                who = {"player": player}
                sentences.append(Sentence("crown", gettext("%(player)s wins"), who))
    return tuple(sentences)


def cause(event: Event) -> Sentence:
    """Where the last event came from."""
    match event.source.kind:
        case "reader" if event.source.sense == "ship":
            names = {"reader": event.source.name}
            return Sentence("reader", gettext("sensor of the ship: %(reader)s"), names)
        case "reader" if event.source.sense == "button":
            names = {"reader": event.source.name}
            taken_back = gettext("taken back: button %(reader)s")
            pressed = gettext("button %(reader)s")
            return Sentence("touch", taken_back if event.kind == "undo" else pressed, names)
        case "reader":
            names = {"reader": event.source.name}
            if event.kind == "undo":
                template = gettext("taken back: tag on %(reader)s")
            elif isinstance(event.action, Leave) or event.kind == "notice":
                template = gettext("tag read on %(reader)s")
            else:
                template = gettext("card read on %(reader)s")
            return Sentence("reader", template, names)
        case "page":
            if event.source.name:
                by = gettext("taken back: phone of %(player)s")
                plain = gettext("phone of %(player)s")
                names = {"player": event.source.name}
                return Sentence("touch", by if event.kind == "undo" else plain, names)
            taken_back, plain = gettext("taken back: touch"), gettext("touch")
            return Sentence("touch", taken_back if event.kind == "undo" else plain)
        case "api":
            taken_back, plain = gettext("taken back: program"), gettext("program")
            return Sentence("program", taken_back if event.kind == "undo" else plain)
        case "service":
            return Sentence("service", gettext("the service started"))


def named(icon: str, template: str, player: str, **words: str | int) -> Sentence:
    """A sentence about one player; the template is translated and names it `player`."""
    return Sentence(icon, template, {"player": player}, words)


def _notice(event: Event) -> Sentence:
    templates = {
        "unknown-tag": ("tag-unknown", gettext("This tag is not known yet, nothing changed")),
        "several-tags": ("tag-several", gettext("One card at a time, please")),
        "lay-there": (
            "reader",
            gettext("This lay there at the start: lift it and lay it down again to count it"),
        ),
        "before-game": (
            "reader",
            gettext("This was laid before the game began: lay it down again to count it"),
        ),
        "unreadable-tag": ("tag-unknown", gettext("This card could not be read: lay it again")),
        "two-places": (
            "tag-several",
            gettext("Seen at two places, counted at neither: lift it and lay it on one"),
        ),
        "ship-unsure": ("touch", gettext("Is the ship standing? Tell it by touch")),
        "no-meaning": ("refused", gettext("This means nothing now, nothing changed")),
    }
    icon, template = templates.get(event.code, ("refused", gettext("Nothing changed")))
    return Sentence(icon, template)


def _course(snapshot: Snapshot) -> Sentence:
    event = snapshot.event
    if event.kind == "undo":
        taken_back = ngettext("One step taken back", "%(num)d steps taken back", event.count)
        return Sentence("undo", taken_back, {}, {"num": event.count})
    if event.kind == "corrected":
        return Sentence("undo", gettext("The past was set right"))
    if event.kind == "resumed":
        return Sentence("octopus", gettext("The game goes on where it was"))
    starter = snapshot.standing.turn or snapshot.players[0]
    who = {"player": starter}
    return Sentence("octopus", gettext("A new game: %(player)s starts"), who)
