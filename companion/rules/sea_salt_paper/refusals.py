"""The refusals of full tracking. They name no card: who reads them may not know it."""

from __future__ import annotations

from companion.rules.api import Refusal
from companion.rules.sea_salt_paper.cards import NAMES, set_of
from companion.rules.sea_salt_paper.state import State, can_take
from companion.rules.sea_salt_paper.words import unknown_card


def told(cards: tuple[str, ...] | None) -> tuple[str, ...]:
    """The cards, or a refusal where chance was not told and nobody deals."""
    if cards is None:
        raise Refusal("bad-command", "Name the cards that came (rules 2 and 3).")
    return cards


def known(state: State, names: tuple[str | None, ...]) -> int:
    """The set of these cards, or a refusal where one is no card of this game."""
    if None in names:
        raise Refusal("bad-command", "Name the card that was taken (rules 8, 10 and 11).")
    if unknown_card(state.terms, *names):
        salt = "" if state.terms.salt else "; Extra Salt's are with salt=true only (rule 30)"
        raise Refusal(
            "unknown-card",
            f"There is no such card: a card is called like {NAMES[0]} (rule 1){salt}.",
        )
    return set_of(name for name in names if name)


def named_twice() -> Refusal:
    """Rule 1: no card is there twice."""
    return Refusal("card-not-available", "One card is named twice: there is one of each (rule 1).")


def not_there(place: str) -> Refusal:
    """The same sentence wherever the card lies, since that may be a secret (rule 26)."""
    return Refusal(
        "card-not-available",
        f"That card cannot be {place} now, it lies elsewhere: read it again, or take back what "
        "was misread (rule 26).",
    )


def instead_of_drawing(state: State) -> str:
    """What can be done when the deck is empty."""
    return "take from a pile" if state.piles[0] or state.piles[1] else "skip"


def instead_of_pile(state: State, pile: int) -> str:
    """What can be done when this pile is empty."""
    ways = ["draw from the deck"] if state.deck else []
    if state.piles[2 - pile]:
        ways.append(f"take from pile {3 - pile}")
    return " or ".join(ways) or "skip"


def not_now(state: State, wish: str) -> Refusal:
    """What is possible instead of what was wished."""
    return Refusal("not-legal", f"It is not possible to {wish} now: {possible_now(state)}.")


def possible_now(state: State) -> str:
    """What the player in turn may or must do, as a part of a sentence."""
    player = state.terms.players[state.seat]
    possible = {
        "deal": "begins the round, so open both piles first (rule 2)",
        "take": (
            "must take a card first (rule 3)"
            if can_take(state)
            else "must skip taking a card first (rule 6)"
        ),
        "keep": "must keep one of the two cards drawn (rule 3)",
        "discard": "must choose a pile for the other card (rule 4)",
        "play": (
            "may play a duo, pass or, with 7 points, end the round (rules 7 and 12)"
            if state.caller is None
            else "may play a duo or pass (rule 19)"
        ),
        "look": "must choose the pile to look through (rule 8)",
        "pick": "must pick one of the cards looked at (rules 8 and 31)",
        "fish": "must draw one card (rule 10)",
        "steal": "must choose whose hand to draw from (rule 11)",
        "stung": (
            "only draws one card in this turn (rule 32)"
            if state.deck
            else "can only pass in this turn (rule 32)"
        ),
    }[state.phase]
    return f"{player} {possible}"
