"""The words of Sea Salt & Paper: options, actions, outcomes and what was agreed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from companion.rules.api import Action, Choice, Nothing, Option, Outcome, Refusal, Switch
from companion.rules.sea_salt_paper.cards import BIT, PLAIN_COUNT
from companion.said import either, say

Pile = Literal[1, 2]
Reason = Literal["stop", "last-chance", "deck-empty", "mermaids"]

PILES: tuple[Pile, Pile] = (1, 2)
POINTS_TO_CALL = 7
LOOKED_AT_BY_LOBSTER = 5
TARGETS = {2: 40, 3: 35, 4: 30}
"""Points that end the game, by the number of players (rule 23)."""

OPTIONS: tuple[Option, ...] = (
    Choice("tracking", ("full", "score")),
    Choice("tie", ("ended-last", "last-round-points")),
    Switch("salt"),
)

IN_SHORT = """\
Sea Salt & Paper, for 2 to 4 players

Collect cards worth points, and be the one who says when a round ends.

Your turn
  Take: the top two cards of the deck, keep one and lay the other face up on a
  pile; or the top card of one of the piles. An empty pile is filled first.
  Play pairs from your hand, if you like, and do at once what they say:
    crabs            look through one pile and take a card of it
    boats            take another turn
    fish             take the top card of the deck
    swimmer, shark   draw a card from somebody's hand without looking
  Then pass. With seven points or more you may end the round instead:
    stop             everybody shows their cards and scores them
    last chance      show your cards; all others have one more turn. If nobody
                     has more than you, you score your cards and your colour
                     bonus, and they only their bonus. If somebody has, they
                     score their cards, and you only your bonus.
If the deck runs out first, nobody scores.

Points, in the hand and on the table alike
  Each pair 1. Shells 0 2 4 6 8 10, octopuses 0 3 6 9 12, penguins 1 3 5,
  sailors 0 5. Lighthouse 1 a boat, shoal 1 a fish, colony 2 a penguin,
  captain 3 a sailor. Each mermaid 1 for each card of your commonest colour
  that no other mermaid has counted. Four mermaids win the game at once.
  Colour bonus: 1 for each card of your commonest colour.

The game ends when somebody has 40, 35 or 30 points (2, 3 or 4 players).
"""


# What players do


@dataclass(frozen=True, slots=True)
class Deal(Action):
    """Open piles 1 and 2 with these two cards."""

    cards: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """A refusal (`bad-command`) for another number of cards."""
        _needs("deal", self.cards, 2, 2)


@dataclass(frozen=True, slots=True)
class Draw(Action):
    """Take the top two cards of the deck, or the one that is left."""

    cards: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """A refusal (`bad-command`) for another number of cards."""
        _needs("draw", self.cards, 1, 2)


@dataclass(frozen=True, slots=True)
class Take(Action):
    """Take the top card of this pile."""

    pile: Pile


@dataclass(frozen=True, slots=True)
class Skip(Action):
    """Take nothing, since there is nothing."""


@dataclass(frozen=True, slots=True)
class Keep(Action):
    """Keep this one of the two cards drawn."""

    card: str


@dataclass(frozen=True, slots=True)
class Discard(Action):
    """Lay the other card on this pile."""

    pile: Pile


@dataclass(frozen=True, slots=True)
class Duo(Action):
    """Play a pair from the hand, with a starfish a trio.

    `looked`, for a lobster: the cards of the deck that are looked at, where they are known.
    """

    cards: tuple[str, ...]
    looked: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """A refusal (`bad-command`) for another number of cards."""
        _needs("duo", self.cards, 2, 3)
        if self.looked and not any(name.startswith("lobster") for name in self.cards):
            raise Refusal(
                "bad-command",
                say(
                    "Only a lobster and a crab look at cards of the deck (rule 31): leave looked out."
                ),
            )


@dataclass(frozen=True, slots=True)
class Look(Action):
    """Look through this pile (crabs)."""

    pile: Pile


@dataclass(frozen=True, slots=True)
class Pick(Action):
    """Take this one of the cards that are looked at."""

    card: str | None = None


@dataclass(frozen=True, slots=True)
class DrawOne(Action):
    """Take the top card of the deck (fish)."""

    card: str | None = None


@dataclass(frozen=True, slots=True)
class Steal(Action):
    """Draw this card from that hand without looking."""

    from_: str
    card: str | None = None


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """End the turn."""


@dataclass(frozen=True, slots=True)
class Stop(Action):
    """End the round; everybody scores."""


@dataclass(frozen=True, slots=True)
class LastChance(Action):
    """End the round after one more turn for each of the others."""


@dataclass(frozen=True, slots=True)
class Mermaids(Action):
    """Show four mermaids and win."""


@dataclass(frozen=True, slots=True)
class Call(Action):
    """Score tracking: how the round ended, and by whom."""

    player: str | None = None
    call: Reason | None = None


@dataclass(frozen=True, slots=True)
class Hand(Action):
    """Score tracking: all cards of this player, hand and table."""

    player: str
    cards: tuple[str, ...] | None = None


def _needs(verb: str, cards: tuple[str, ...] | None, fewest: int, most: int) -> None:
    if cards is not None and not fewest <= len(cards) <= most:
        number = either(sorted({fewest, most}))
        raise Refusal(
            "bad-command",
            say("The key cards of %(verb)s has %(number)s cards.", verb=verb, number=number),
        )


# What comes of it


@dataclass(frozen=True, slots=True)
class Dealt(Outcome):
    """These cards open piles 1 and 2."""

    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drew(Outcome):
    """So many cards were drawn from the deck, unseen by the others."""

    player: str
    count: int


@dataclass(frozen=True, slots=True)
class Discarded(Outcome):
    """This card was laid on that pile."""

    card: str
    pile: int


@dataclass(frozen=True, slots=True)
class Took(Outcome):
    """This card was taken from the top of that pile."""

    player: str
    card: str
    pile: int


@dataclass(frozen=True, slots=True)
class DuoPlayed(Outcome):
    """These cards lie before the player now."""

    player: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picked(Outcome):
    """A card was taken out of that pile, or of the deck where no pile is named, unseen."""

    player: str
    pile: int | None = None


@dataclass(frozen=True, slots=True)
class Stole(Outcome):
    """A card went from one hand to the other, unseen."""

    player: str
    from_: str


@dataclass(frozen=True, slots=True)
class Stung(Outcome):
    """In the next turn this player only takes the top card of the deck (jellyfish)."""

    player: str


@dataclass(frozen=True, slots=True)
class AnotherTurn(Outcome):
    """The same player takes another turn (boats)."""


@dataclass(frozen=True, slots=True)
class Fizzled(Outcome):
    """The pair has no effect, since there is nothing to take."""


@dataclass(frozen=True, slots=True)
class Called(Outcome):
    """This player ends the round so."""

    player: str
    call: str


@dataclass(frozen=True, slots=True)
class RoundEnded(Outcome):
    """The round is over.

    Attributes:
        reason: how it ended.
        bet_won: whether the player who called LAST CHANCE was right; else nothing.
        card_points: by player; not given where the cards are not known.
        colour_bonus: the same.
        round_points: by player, what the round was worth.
        parts: by player, what the card points are made of, where the round is scored.
    """

    reason: str
    bet_won: bool | Nothing
    card_points: Mapping[str, int] | None
    colour_bonus: Mapping[str, int] | None
    round_points: Mapping[str, int]
    parts: Mapping[str, Mapping[str, Any]] | None = None


class Terms(NamedTuple):
    """What was agreed before the first card and never changes.

    Attributes:
        players: in seating order.
        cards: the set of all cards in play.
        target: the points that end the game.
        tie_by_round: a tie goes to the higher points of the last round.
    """

    players: tuple[str, ...]
    cards: int
    target: int
    tie_by_round: bool

    @property
    def salt(self) -> bool:
        """Whether Extra Salt is played."""
        return self.cards.bit_count() > PLAIN_COUNT


def unknown_card(terms: Terms, *names: str | None) -> bool:
    """Whether one of these is no card of this game."""
    return any(BIT.get(name or "", 0) & terms.cards == 0 for name in names)
