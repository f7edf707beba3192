"""What a game must bring to be shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from companion.rules.api import Action
from companion.snapshot import Snapshot
from web_ui.sentences import OutcomeWords, Sentence

Group = Literal["go-on", "end", "choice", "against"]
"""Where a button stands: what would be opposite never stands side by side."""


@dataclass(frozen=True, slots=True)
class Button:
    """A touch button for one action.

    Attributes:
        action: what it does.
        label: what it says.
        group: where it stands.
        player: whom it is about; None for nobody.
    """

    action: Action
    label: Sentence
    group: Group
    player: str | None = None


@dataclass(frozen=True, slots=True)
class Face:
    """How one game is shown.

    Attributes:
        template: the board, below the folder of templates.
        title: the game's name in the reader's language.
        to_do: what the player in turn should do now.
        words: what an action brought about, in words.
        button: the touch button for an action; None where it needs something physical.
        facts: what the board's template needs.
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
