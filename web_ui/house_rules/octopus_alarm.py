"""Octopus alarm in plain words: what a table may choose, and the rules in short."""

from __future__ import annotations

from web_ui.house_rules.words import HouseRule, Value
from web_ui.sentences import Sentence
from web_ui.words import gettext

TARGET = {2: 9, 3: 7, 4: 6}


def house_rules(players: int) -> tuple[HouseRule, ...]:
    """The options of the game (docs/rules/octopus-alarm.md)."""
    return (
        HouseRule(
            "target",
            Sentence("crown", gettext("Animals that win")),
            number=(1, 12),
            usual=TARGET.get(players, TARGET[4]),
        ),
        HouseRule(
            "provisions",
            Sentence("plus", gettext("Provisions of each player")),
            number=(1, 1000),
            usual=3,
        ),
        HouseRule(
            "memory_aid",
            Sentence("seen", gettext("Help for small children")),
            (
                Value(
                    "off", Sentence("decline", gettext("No: what was seen must be kept in mind"))
                ),
                Value("on", Sentence("seen", gettext("Tiles that were seen are shown"))),
            ),
            usual="off",
        ),
        HouseRule(
            "stranded",
            Sentence("leave", gettext("Somebody has lost the last provision")),
            (
                Value(
                    "end-excluded",
                    Sentence("crown", gettext("The game is over, and the others count")),
                ),
                Value(
                    "end-included", Sentence("crown", gettext("The game is over, and all count"))
                ),
                Value("eliminate", Sentence("leave", gettext("Only that player is out"))),
            ),
            usual="end-excluded",
        ),
        HouseRule(
            "tie",
            Sentence("crown", gettext("As many animals as somebody else")),
            (
                Value("provisions", Sentence("plus", gettext("More provisions win"))),
                Value("shared", Sentence("crown", gettext("Both win"))),
            ),
            usual="provisions",
        ),
        HouseRule(
            "landing",
            Sentence("octopus", gettext("The ship to where the octopus is")),
            (
                Value("forbidden", Sentence("refused", gettext("Not allowed"))),
                Value("alarm", Sentence("octopus", gettext("Allowed, and an alarm follows"))),
            ),
            usual="forbidden",
        ),
        HouseRule(
            "layout",
            Sentence("pile", gettext("How the tiles are laid out")),
            (
                Value(
                    "fixed",
                    Sentence(
                        "pile",
                        gettext("In each area a wave, an octopus and two different animals"),
                    ),
                ),
                Value("waves-only", Sentence("waves", gettext("In each area one wave, else free"))),
                Value("free", Sentence("shuffle", gettext("All sixteen anywhere"))),
            ),
            usual="fixed",
            seldom=True,
        ),
        HouseRule(
            "ship",
            Sentence("touch", gettext("Area where the ship starts")),
            number=(0, 3),
            usual=0,
            seldom=True,
        ),
        HouseRule(
            "billy",
            Sentence("octopus", gettext("Area where the octopus starts")),
            number=(0, 3),
            usual=3,
            seldom=True,
        ),
        HouseRule(
            "animals",
            Sentence("tag", gettext("Other animals: all eight, parted by commas")),
            free_text=True,
            usual=(
                "crab",
                "fish",
                "jellyfish",
                "seahorse",
                "snail",
                "squid",
                "starfish",
                "turtle",
            ),
            seldom=True,
        ),
    )


def in_short() -> tuple[Sentence, ...]:
    """The rules in short."""
    return (
        Sentence("crown", gettext("First to have enough animals wins.")),
        Sentence("again", gettext("Sail one or two areas on, never to where the octopus is.")),
        Sentence("card", gettext("Flip a tile there. Then flip another, or stop.")),
        Sentence("seen", gettext("An animal on top of the reef: take it.")),
        Sentence("refused", gettext("An animal that is not on top: your turn is over.")),
        Sentence("waves", gettext("A wave: the ship goes one area on. Flip there.")),
        Sentence("octopus", gettext("The octopus goes one area on, where its tile says so.")),
        Sentence(
            "turn-over", gettext("Ship and octopus meet: alarm! Who sits left swings the ball.")
        ),
        Sentence("leave", gettext("The ship lies: one provision is lost. Your turn is over.")),
        Sentence("touch", gettext("Tiles go face down again. Remember what you saw.")),
    )
