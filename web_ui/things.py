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
