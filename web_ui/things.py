"""Small words that stand inside the engine's sentences, for the catalogues to know them.

Cards, tiles and chips have the names that the face of their game gives them; these are the others.
"""

from __future__ import annotations

from companion.said import template

TOKENS = (
    template("pass"),
    template("stop"),
    template("last-chance"),
    template("mermaids"),
)
"""What control tokens are called."""

DECK_EMPTY = template("deck-empty")
"""How a round ended; the other ways are called like the tokens."""

SHIP = (template("capsized"), template("upright"))

CHIP = template("chip")
"""A chip of the reef that nobody has told."""

KINDS = (
    template("crab"),
    template("boat"),
    template("fish"),
    template("swimmer"),
    template("shark"),
    template("mermaid"),
    template("shell"),
    template("octopus"),
    template("penguin"),
    template("sailor"),
    template("lighthouse"),
    template("shoal"),
    template("colony"),
    template("captain"),
    template("jellyfish"),
    template("lobster"),
    template("cast of crabs"),
    template("starfish"),
    template("seahorse"),
)
"""Of the cards of Sea Salt & Paper."""

COLOURS = (
    template("dark blue"),
    template("light blue"),
    template("black"),
    template("yellow"),
    template("green"),
    template("white"),
    template("purple"),
    template("grey"),
    template("light orange"),
    template("pink"),
    template("orange"),
)
"""Of the cards of Sea Salt & Paper."""

VERBS = (
    template("reef"),
    template("sail"),
    template("flip"),
    template("take"),
    template("stop"),
    template("swing"),
    template("leave"),
    template("deal"),
    template("draw"),
    template("skip"),
    template("keep"),
    template("discard"),
    template("duo"),
    template("look"),
    template("pick"),
    template("draw one"),
    template("steal"),
    template("pass"),
    template("last chance"),
    template("mermaids"),
    template("call"),
    template("hand"),
    template("reveal"),
    template("decline"),
    template("lose"),
    template("reshuffle"),
)
"""What players do, where an action is told as a program spells it."""

KEYS = (
    template("stack"),
    template("animal"),
    template("areas"),
    template("tile"),
    template("face"),
    template("ship"),
    template("cards"),
    template("pile"),
    template("card"),
    template("looked"),
    template("from"),
    template("call"),
    template("pattern"),
    template("unseen"),
)
"""What belongs to it: `take, pile 1`."""
