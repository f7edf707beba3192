"""What a game must bring to be shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

from companion.rules.api import Action
from companion.snapshot import Seen, Snapshot
from web_ui.sentences import OutcomeWords, Sentence

Group = Literal["answer", "go-on", "end", "choice", "against"]
"""Where a button stands: what would be opposite never stands side by side. An `answer` is one
word of a few that are wanted now, on a big button."""

FEW = 4
"""Of so many words each gets a button."""


def spelled_out(action: Action) -> Iterator[Action]:
    """The action; where it leaves open one of a few words, the action with each of them.

    How the ship ended is such a word: chance decides it, and people can tell it by touch.
    """
    match [each.name for each in fields(action) if getattr(action, each.name) is None]:
        case [name]:
            words = _words(get_type_hints(type(action))[name])
            if 0 < len(words) <= FEW:
                yield from (replace(action, **{name: word}) for word in words)
                return
    yield action


def _words(hint: object) -> tuple[str, ...]:
    """The words of a `Literal`, or of one that may be None as well; () for any other type."""
    parts = (hint, *get_args(hint))
    literal = next((part for part in parts if get_origin(part) is Literal), None)
    words = get_args(literal)
    return words if all(isinstance(word, str) for word in words) else ()


@dataclass(frozen=True, slots=True)
class Button:
    """A touch button for one action.

    Attributes:
        action: what it does.
        label: what it says.
        group: where it stands.
        player: whom it is about; None for nobody.
        hold: on a phone it is to be held for a second, since it is not easily taken back.
    """

    action: Action
    label: Sentence
    group: Group
    player: str | None = None
    hold: bool = False


@dataclass(frozen=True, slots=True)
class Face:
    """How one game is shown.

    Attributes:
        template: the board, below the folder of templates.
        title: the game's name in the reader's language.
        to_do: what the player in turn should do now.
        words: what an action brought about, in words.
        button: the touch button for an action; None where it needs something physical.
        facts: what the board's template needs, of what everybody may know.
        open_odds: what is known about the next card or tile is known to everybody.
        mine: what the template of a player's own phone needs beside it, of what that player
            alone may see.
        component: what a component of the virtual table is called; its icons are shown.
        turn: what a person tells by touch who turned this card while no reader saw it; None
            in a game without cards to turn.
    """

    template: str
    title: Callable[[], str]
    to_do: Callable[[Snapshot], Sentence]
    words: OutcomeWords
    button: Callable[[Action], Button | None]
    facts: Callable[[Snapshot], Mapping[str, Any]]
    component: Callable[[str], str]
    turn: Callable[[str], Action] | None = None
    open_odds: bool = False
    mine: Callable[[Snapshot, Seen], Mapping[str, Any]] = lambda _, __: {}
