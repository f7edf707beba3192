"""Cards of Sea Salt & Paper as people see them: picture, colour, and the words for both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.rules.sea_salt_paper.cards import CARDS
from web_ui.words import gettext

_CARD = {card.name: card for card in CARDS}

FEW = 12
"""So many cards are shown one by one; of more, how many there are of each kind."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A card as it is drawn.

    Attributes:
        name: by the rules.
        kind: its symbol is `salt-` and this.
        colour: its style is `hue-` and this.
        letters: one or two that tell the colour.
        says: kind and colour in words.
    """

    name: str
    kind: str
    colour: str
    letters: str
    says: str


@dataclass(frozen=True, slots=True)
class Many:
    """Some cards, few enough to be shown or counted.

    Attributes:
        cards: each of them; empty where they are too many.
        kinds: kind, its word and how many there are of it; empty where the cards are shown.
    """

    cards: Sequence[Shown] = ()
    kinds: Sequence[tuple[str, str, int]] = ()


def shown(name: str) -> Shown:
    """How this card is drawn."""
    card = _CARD[name]
    colour, letters = colour_words(card.colour)
    says = gettext("%(kind)s, %(colour)s") % {"kind": kind_name(card.kind), "colour": colour}
    return Shown(name, card.kind, card.colour, letters, says)


def many(names: Iterable[str], few: int = FEW) -> Many:
    """These cards, one by one or counted."""
    cards = [_CARD[name] for name in names]
    if len(cards) <= few:
        return Many(tuple(shown(card.name) for card in cards))
    counts = Counter(card.kind for card in cards)
    return Many((), tuple((kind, kind_name(kind), count) for kind, count in counts.items()))


def card_name(name: str) -> str:
    """Kind and colour in the reader's language; a name that is no card's stays as it is."""
    return shown(name).says if name in _CARD else name


def kind_of(name: str) -> str:
    """The kind of this card."""
    return _CARD[name].kind


def colour_words(colour: str) -> tuple[str, str]:
    """The colour's name in the reader's language, and one or two letters that tell it."""
    # One text, so that the letters are chosen together with the word that they shorten.
    match colour:
        case "dark-blue":
            words = gettext("dark blue|DB")
        case "light-blue":
            words = gettext("light blue|LB")
        case "black":
            words = gettext("black|B")
        case "yellow":
            words = gettext("yellow|Y")
        case "green":
            words = gettext("green|G")
        case "white":
            words = gettext("white|W")
        case "purple":
            words = gettext("purple|P")
        case "grey":
            words = gettext("grey|Gy")
        case "light-orange":
            words = gettext("light orange|LO")
        case "pink":
            words = gettext("pink|Pk")
        case _:
            words = gettext("orange|O")
    name, _, letters = words.partition("|")
    return name, letters


def kind_name(kind: str) -> str:  # noqa: PLR0912 - a word for each kind
    """The kind of a card in the reader's language."""
    match kind:
        case "crab":
            return gettext("crab")
        case "boat":
            return gettext("boat")
        case "fish":
            return gettext("fish")
        case "swimmer":
            return gettext("swimmer")
        case "shark":
            return gettext("shark")
        case "mermaid":
            return gettext("mermaid")
        case "shell":
            return gettext("shell")
        case "octopus":
            return gettext("octopus")
        case "penguin":
            return gettext("penguin")
        case "sailor":
            return gettext("sailor")
        case "lighthouse":
            return gettext("lighthouse")
        case "shoal":
            return gettext("shoal of fish")
        case "colony":
            return gettext("colony of penguins")
        case "captain":
            return gettext("captain")
        case "jellyfish":
            return gettext("jellyfish")
        case "lobster":
            return gettext("lobster")
        case "cast-of-crabs":
            return gettext("cast of crabs")
        case "starfish":
            return gettext("starfish")
        case _:
            return gettext("seahorse")
