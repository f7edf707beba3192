"""Sea Salt & Paper in plain words: what a table may choose, and the rules in short."""

from __future__ import annotations

from web_ui.house_rules.words import HouseRule, Value
from web_ui.sentences import Sentence
from web_ui.words import gettext


def house_rules(players: int) -> tuple[HouseRule, ...]:
    """The options of the game (docs/rules/sea-salt-paper.md)."""
    del players
    return (
        HouseRule(
            "tracking",
            Sentence("reader", gettext("What the table watches")),
            (
                Value("full", Sentence("seen", gettext("The whole game, card by card"))),
                Value("score", Sentence("crown", gettext("Only the points at the end of a round"))),
            ),
            usual="full",
        ),
        HouseRule(
            "salt",
            Sentence("plus", gettext("The eight cards of Extra Salt")),
            (
                Value(False, Sentence("decline", gettext("Left in the box"))),  # noqa: FBT003
                Value(True, Sentence("plus", gettext("Shuffled in"))),  # noqa: FBT003
            ),
            usual=False,
        ),
        HouseRule(
            "tie",
            Sentence("crown", gettext("As many points as somebody else at the end")),
            (
                Value(
                    "ended-last",
                    Sentence("stop", gettext("Who ended the last round wins")),
                ),
                Value(
                    "last-round-points",
                    Sentence("crown", gettext("More points in the last round win")),
                ),
            ),
            usual="ended-last",
        ),
    )


def in_short() -> tuple[Sentence, ...]:
    """The rules in short."""
    return (
        Sentence("pile", gettext("Draw two cards, keep one and lay the other on a pile.")),
        Sentence("card", gettext("Or take the top card of a pile.")),
        Sentence("again", gettext("Two boats: take another turn.")),
        Sentence("seen", gettext("Two crabs: look through a pile and take a card.")),
        Sentence("card", gettext("Two fish: take the top card of the deck.")),
        Sentence("steal", gettext("Swimmer and shark: draw a card from somebody's hand.")),
        Sentence("turn-over", gettext("Then pass. With seven points you may end the round.")),
        Sentence("stop", gettext("Stop: everybody shows and scores the cards.")),
        Sentence(
            "asked",
            gettext(
                "Last chance: the others have one more turn. Nobody has more than you: you "
                "score your cards and your colour, they only their colour. Else the other way."
            ),
        ),
        Sentence("crown", gettext("Four mermaids win the game at once.")),
        Sentence("crown", gettext("The game ends at 40, 35 or 30 points (2, 3 or 4 players).")),
    )
