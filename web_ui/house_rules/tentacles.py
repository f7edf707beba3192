"""Five tentacles in plain words: what a table may choose, and the rules in short."""

from __future__ import annotations

from web_ui.house_rules.words import HouseRule, Value
from web_ui.sentences import Sentence
from web_ui.words import gettext


def house_rules(players: int) -> tuple[HouseRule, ...]:
    """The options of the game (docs/rules/tentacles.md)."""
    del players
    return (
        HouseRule(
            "steal",
            Sentence("steal", gettext("A tentacle on the card")),
            (
                Value("optional", Sentence("steal", gettext("You may take the fish, or not"))),
                Value("forced", Sentence("steal", gettext("The fish must be taken"))),
            ),
            usual="optional",
        ),
        HouseRule(
            "dry_tentacle",
            Sentence("tentacle", gettext("A tentacle, and nobody has that fish")),
            (
                Value("end", Sentence("turn-over", gettext("The turn is over"))),
                Value("continue", Sentence("card", gettext("Turn another card, or stop"))),
            ),
            usual="end",
        ),
        HouseRule(
            "octopus_takes",
            Sentence("octopus", gettext("The octopus takes")),
            (
                Value("all", Sentence("fish-gone", gettext("All your fish"))),
                Value("one", Sentence("fish-gone", gettext("One fish that you choose"))),
            ),
            usual="all",
        ),
        HouseRule(
            "pattern",
            Sentence("fish-dots", gettext("Fish cards of each pattern")),
            number=(1, 20),
            usual=4,
            seldom=True,
        ),
        HouseRule(
            "eyes",
            Sentence("eyes", gettext("Cards with eyes of each pattern")),
            number=(0, 20),
            usual=2,
            seldom=True,
        ),
        HouseRule(
            "tentacle",
            Sentence("tentacle", gettext("Cards with a tentacle of each pattern")),
            number=(0, 20),
            usual=2,
            seldom=True,
        ),
        HouseRule(
            "octopus",
            Sentence("octopus", gettext("Octopus cards in all")),
            number=(0, 20),
            usual=3,
            seldom=True,
        ),
        HouseRule(
            "deck",
            Sentence("pile", gettext("Another deck, card by card")),
            free_text=True,
            seldom=True,
        ),
    )


def in_short() -> tuple[Sentence, ...]:
    """The rules in short."""
    return (
        Sentence("crown", gettext("First to have a fish on all five tentacles wins.")),
        Sentence("card", gettext("In your turn, turn a card and do what it says.")),
        Sentence(
            "fish-dots", gettext("A pattern: a fish comes onto that tentacle, if it is empty.")
        ),
        Sentence(
            "eyes",
            gettext("Eyes: they take your fish of that pattern, and your turn is over."),
        ),
        Sentence(
            "tentacle",
            gettext("A tentacle: take that fish from somebody, if you have none."),
        ),
        Sentence("octopus", gettext("The octopus: all your fish are gone, your turn is over.")),
        Sentence("card-or-stop", gettext("While it goes well: turn another card, or stop.")),
        Sentence("shuffle", gettext("The pile is empty: shuffle all cards and go on.")),
    )
