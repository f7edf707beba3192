"""The touch buttons of Sea Salt & Paper."""

from __future__ import annotations

from companion.rules.api import Action
from companion.rules.sea_salt_paper.words import (
    Discard,
    Duo,
    Keep,
    LastChance,
    Look,
    Mermaids,
    Pass,
    Pick,
    Skip,
    Steal,
    Stop,
    Take,
)
from web_ui.games.face import Button
from web_ui.games.sea_salt_paper.cards import card_name, kind_of
from web_ui.sentences import Sentence, named
from web_ui.words import gettext


def button(action: Action) -> Button | None:
    """The button for an action; None where a card must be told first."""
    match action:
        case Take(pile):
            label = gettext("Take from pile %(pile)s")
            return Button(action, Sentence("salt-take", label, {}, {"pile": pile}), "choice")
        case Discard(pile):
            label = gettext("On pile %(pile)s")
            return Button(action, Sentence("salt-take", label, {}, {"pile": pile}), "choice")
        case Look(pile):
            label = gettext("Look through pile %(pile)s")
            return Button(action, Sentence("seen", label, {}, {"pile": pile}), "choice")
        case Skip():
            return Button(action, Sentence("turn-over", gettext("Go on")), "go-on")
        case Keep(card) | Pick(str(card)):
            return Button(action, _card(card), "choice")
        case Duo(cards):
            what = " + ".join(map(card_name, cards))
            return Button(action, Sentence("salt-pair", "%(cards)s", {}, {"cards": what}), "choice")
        case Steal(victim, str()):
            return Button(action, named("salt-shark", "%(player)s", victim), "choice", victim)
        case Pass():
            return Button(action, Sentence("turn-over", gettext("Pass")), "end")
        case Mermaids():
            label = gettext("Show four mermaids")
            return Button(action, Sentence("salt-mermaid", label), "answer")
        case Stop():
            return Button(action, Sentence("stop", gettext("STOP")), "end")
        case LastChance():
            return Button(action, Sentence("salt-last-chance", gettext("LAST CHANCE")), "end")
        case _:
            return None


def _card(card: str) -> Sentence:
    return Sentence(f"salt-{kind_of(card)}", "%(card)s", {}, {"card": card_name(card)})
