"""The refusals of full tracking. They name no card: who reads them may not know it."""

from __future__ import annotations

from companion.rules.api import Refusal
from companion.rules.sea_salt_paper.cards import NAMES, set_of
from companion.rules.sea_salt_paper.state import State, can_take
from companion.rules.sea_salt_paper.words import unknown_card
from companion.said import Thing, say


def told(cards: tuple[str, ...] | None) -> tuple[str, ...]:
    """The cards, or a refusal where chance was not told and nobody deals."""
    if cards is None:
        raise Refusal("bad-command", say("Name the cards that came (rules 2 and 3)."))
    return cards


def known(state: State, names: tuple[str | None, ...]) -> int:
    """The set of these cards, or a refusal where one is no card of this game."""
    if None in names:
        raise Refusal("bad-command", say("Name the card that was taken (rules 8, 10 and 11)."))
    if unknown_card(state.terms, *names):
        raise Refusal(
            "unknown-card",
            say(
                "There is no such card: a card is called like %(card)s (rule 1).",
                card=Thing(NAMES[0]),
            )
            if state.terms.salt
            else say(
                "There is no such card: a card is called like %(card)s (rule 1); Extra Salt's are "
                "with salt=true only (rule 30).",
                card=Thing(NAMES[0]),
            ),
        )
    return set_of(name for name in names if name)


def named_twice() -> Refusal:
    """Rule 1: no card is there twice."""
    return Refusal(
        "card-not-available", say("One card is named twice: there is one of each (rule 1).")
    )


def not_there(told: str) -> Refusal:
    """The same sentence wherever the card lies, since that may be a secret (rule 26).

    Args:
        told: that the card cannot be where it was told to be, in which `instead` is still open.
    """
    instead = say("it lies elsewhere: read it again, or take back what was misread (rule 26)")
    return Refusal("card-not-available", say(told, instead=instead))


def deck_empty(state: State) -> Refusal:
    """Rule 6: what can be done when nothing is left to draw."""
    return Refusal(
        "not-legal",
        say("The deck is empty: take from a pile (rule 6).")
        if state.piles[0] or state.piles[1]
        else say("The deck is empty: skip (rule 6)."),
    )


def pile_empty(state: State, pile: int) -> Refusal:
    """Rule 3: what can be done when this pile is empty."""
    other = 3 - pile
    if not state.piles[2 - pile]:
        told = (
            say("Pile %(pile)s is empty: draw from the deck (rule 3).", pile=pile)
            if state.deck
            else say("Pile %(pile)s is empty: skip (rule 3).", pile=pile)
        )
    elif state.deck:
        told = say(
            "Pile %(pile)s is empty: draw from the deck or take from pile %(other)s (rule 3).",
            pile=pile,
            other=other,
        )
    else:
        told = say(
            "Pile %(pile)s is empty: take from pile %(other)s (rule 3).", pile=pile, other=other
        )
    return Refusal("not-legal", told)


def not_now(state: State, refused: str) -> Refusal:
    """What is possible instead.

    Args:
        state: of the game.
        refused: a sentence on what was wished, in which `possible` is still open.
    """
    return Refusal("not-legal", say(refused, possible=possible_now(state)))


def possible_now(state: State) -> str:
    """What the player in turn may or must do, as a part of a sentence."""
    player = state.terms.players[state.seat]
    match state.phase:
        case "deal":
            return say(
                "%(player)s begins the round, so open both piles first (rule 2)", player=player
            )
        case "take" if can_take(state):
            return say("%(player)s must take a card first (rule 3)", player=player)
        case "take":
            return say("%(player)s must skip taking a card first (rule 6)", player=player)
        case "keep":
            return say("%(player)s must keep one of the two cards drawn (rule 3)", player=player)
        case "discard":
            return say("%(player)s must choose a pile for the other card (rule 4)", player=player)
        case "play" if state.caller is None:
            return say(
                "%(player)s may play a duo, pass or, with 7 points, end the round (rules 7 and 12)",
                player=player,
            )
        case "play":
            return say("%(player)s may play a duo or pass (rule 19)", player=player)
        case "look":
            return say("%(player)s must choose the pile to look through (rule 8)", player=player)
        case "pick":
            return say(
                "%(player)s must pick one of the cards looked at (rules 8 and 31)", player=player
            )
        case "fish":
            return say("%(player)s must draw one card (rule 10)", player=player)
        case "steal":
            return say("%(player)s must choose whose hand to draw from (rule 11)", player=player)
        case _ if state.deck:  # stung
            return say("%(player)s only draws one card in this turn (rule 32)", player=player)
    return say("%(player)s can only pass in this turn (rule 32)", player=player)
