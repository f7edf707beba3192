"""The words of five tentacles: cards and decks, actions and outcomes, and how a game stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from companion.rules.api import (
    Action,
    Counts,
    Number,
    Option,
    OptionValue,
    Outcome,
    Refusal,
)
from companion.said import Listed, Thing, either, say

PATTERNS = ("dots", "rings", "stars", "stripes", "waves")
OCTOPUS = "octopus"
IN_SHORT = """\
FIVE TENTACLES, for 2 to 6 players

Everybody is an octopus with five tentacles, one for each pattern: dots,
rings, stars, stripes and waves. A tentacle holds one fish. Whoever first
has a fish on all five wins at once.

In your turn, turn up the top card of the pile and do what it says. If it
lets you go on, turn another one, or stop and keep what you have.

  a pattern             If your tentacle of that pattern is empty, a fish
                        comes onto it from the sea. Go on or stop.
  a pattern with eyes   The eyes take your fish of that pattern, and your
                        turn is over. If you have none there, go on or stop.
  a pattern with a      If your tentacle of that pattern is empty, you may
  tentacle              take that fish from one opponent, and your turn is
                        over either way. If it is full, go on or stop.
  the octopus           All your fish go back into the sea, and your turn
                        is over.

When the pile is empty, shuffle all cards into a new one and go on where
you were. The discard is open, so count what is still to come.

A table may choose the deck (pattern, eyes, tentacle, octopus) and what is
kinder or harsher (dry_tentacle, steal, octopus_takes), each with --set.
"""

LARGEST_COUNT = 1000
"""Of one kind of card in an explicit deck: far more than any table holds."""


class Kind(NamedTuple):
    """One kind of card: a pattern plain, with eyes or with a tentacle, or the octopus."""

    place: int
    name: str
    pattern: str
    sign: str


KINDS: tuple[Kind, ...] = (
    *(
        Kind(3 * number + variant, pattern + suffix, pattern, sign)
        for number, pattern in enumerate(PATTERNS)
        for variant, (suffix, sign) in enumerate(
            (("", "plain"), ("-eyes", "eyes"), ("-tentacle", "tentacle"))
        )
    ),
    Kind(3 * len(PATTERNS), OCTOPUS, "", OCTOPUS),
)
FACES = tuple(kind.name for kind in KINDS)
KIND_OF = {kind.name: kind for kind in KINDS}

DECK_OPTIONS: tuple[Option, ...] = (
    Number("pattern", 4, 1, 20),
    Number("eyes", 2, 0, 20),
    Number("tentacle", 2, 0, 20),
    Number("octopus", 3, 0, 20),
    Counts("deck", FACES, LARGEST_COUNT),
)


# What players do


@dataclass(frozen=True, slots=True)
class Reveal(Action):
    """Turn up the top card of the pile."""

    card: str | None = None


@dataclass(frozen=True, slots=True)
class Stop(Action):
    """End the turn and keep what was won."""


@dataclass(frozen=True, slots=True)
class Steal(Action):
    """Take the fish of the tentacle card's pattern from this opponent."""

    from_: str


@dataclass(frozen=True, slots=True)
class Decline(Action):
    """Take nobody's fish."""


@dataclass(frozen=True, slots=True)
class Lose(Action):
    """Give the fish on this tentacle to the octopus."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Reshuffle(Action):
    """Confirm that all cards were shuffled into a new pile.

    Attributes:
        unseen: how many cards of the old pile were never told, as people found out when it was
            through: all that were left in it.
    """

    unseen: int = 0


# What comes of it


@dataclass(frozen=True, slots=True)
class Card(Outcome):
    """This card was turned up."""

    card: str


@dataclass(frozen=True, slots=True)
class FishWon(Outcome):
    """A fish came out of the sea onto this tentacle."""

    player: str
    pattern: str


@dataclass(frozen=True, slots=True)
class FishLost(Outcome):
    """The fish on this tentacle went back into the sea."""

    player: str
    pattern: str


@dataclass(frozen=True, slots=True)
class FishStolen(Outcome):
    """The fish on this tentacle came over from an opponent's."""

    player: str
    from_: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Reshuffled(Outcome):
    """All cards lie in the pile again."""


class Terms(NamedTuple):
    """What was agreed before the first card and never changes."""

    players: tuple[str, ...]
    deck: tuple[int, ...]
    dry_ends: bool
    must_steal: bool
    octopus_takes_all: bool


class State(NamedTuple):
    """A game between two actions.

    Attributes:
        terms: what was agreed.
        fish: by seat, the patterns of the tentacles that hold a fish.
        left: by `Kind.place`, how many of that kind lie in the pile.
        pile: how many cards lie in the pile: the sum of `left`.
        seat: the seat in turn; at the end the winner's.
        phase: `reveal`, `choose`, `steal`, `lose` or `over`.
        reveals: cards turned this turn, before and after a shuffle.
        pattern: of the tentacle card that waits for a choice; else empty.
        after: by seat, who comes next; None for a player who has left.
        shuffles: how often the pile was made anew.
    """

    terms: Terms
    fish: tuple[frozenset[str], ...]
    left: tuple[int, ...]
    pile: int
    seat: int
    phase: str
    reveals: int
    pattern: str
    after: tuple[int | None, ...]
    shuffles: int


def read_deck(options: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """How many there are of each kind, by `Kind.place`.

    Raises:
        Refusal: `bad-option`, for a deck that cannot be played with.
    """
    explicit = options.get("deck")
    if isinstance(explicit, Mapping):
        doubled = [
            option for option in ("pattern", "eyes", "tentacle", "octopus") if option in options
        ]
        if doubled:
            raise Refusal(
                "bad-option",
                say(
                    "The option deck stands in place of %(options)s: choose one or the other.",
                    options=Listed(doubled),
                ),
            )
        deck = tuple(explicit.get(name, 0) for name in FACES)
    else:
        counts = {
            option.name: options.get(option.name, option.default)
            for option in DECK_OPTIONS
            if isinstance(option, Number)
        }
        counts["plain"] = counts["pattern"]
        deck = tuple(int(str(counts[kind.sign])) for kind in KINDS)
    missing = [pattern for pattern in PATTERNS if not deck[KIND_OF[pattern].place]]
    if missing:
        raise Refusal(
            "bad-option",
            say(
                "The deck needs at least one card of every pattern, and has no %(patterns)s.",
                patterns=either(map(Thing, missing)),
            ),
        )
    if not any(
        count for kind, count in zip(KINDS, deck, strict=True) if kind.sign in ("eyes", OCTOPUS)
    ):
        raise Refusal(
            "bad-option", say("The deck needs at least one octopus or one card with eyes.")
        )
    return deck


def not_now(state: State, refused: str) -> Refusal:
    """What is possible instead.

    Args:
        state: of the game.
        refused: a sentence on what was wished, in which `possible` is still open.
    """
    terms = state.terms
    player = terms.players[state.seat]
    match state.phase:
        case "reveal" if state.pile:
            possible = say("%(player)s must turn a card first (rule 1)", player=player)
        case "reveal":
            possible = say(
                "%(player)s must shuffle and turn a card first (rules 1 and 9)", player=player
            )
        case "choose" if state.pile:
            possible = say("%(player)s may stop, or turn another card (rule 1)", player=player)
        case "choose":
            possible = say(
                "%(player)s may stop, or shuffle and turn another card (rules 1 and 9)",
                player=player,
            )
        case "steal":
            pattern = Thing(state.pattern)
            possible = (
                say(
                    "%(player)s must say whose fish on %(pattern)s to take (rule 3)",
                    player=player,
                    pattern=pattern,
                )
                if terms.must_steal
                else say(
                    "%(player)s must say whose fish on %(pattern)s to take, or decline (rule 3)",
                    player=player,
                    pattern=pattern,
                )
            )
        case _:
            possible = say(
                "%(player)s must choose the fish that the octopus takes (rule 8)", player=player
            )
    return Refusal("not-legal", say(refused, possible=possible))


def no_copy(state: State, name: str) -> Refusal:
    """Rule 10: why this card cannot have come."""
    total = state.terms.deck[KIND_OF[name].place]
    if not total:
        return Refusal(
            "card-not-available",
            say("This deck has no card %(card)s (rule 10): read the card again.", card=Thing(name)),
        )
    return Refusal(
        "card-not-available",
        say(
            "No card %(card)s is left in the pile, of %(total)s in this deck (rule 10): read the "
            "card again, or take back the one that was misread.",
            card=Thing(name),
            total=total,
        ),
    )


def no_card(name: str) -> Refusal:
    """Rule 10: the game has no such card at all."""
    return Refusal(
        "unknown-card",
        say(
            "There is no card %(card)s: a card is called like %(cards)s (rule 10).",
            card=repr(name),
            cards=either(map(Thing, (*FACES[:3], OCTOPUS))),
        ),
    )


def no_fish_to_take(state: State, victim: str, victims: Sequence[str]) -> Refusal:
    """Rule 3: whose fish can be taken instead."""
    return Refusal(
        "unknown-player",
        say(
            "%(player)s has no fish on %(pattern)s to take: choose %(players)s (rule 3).",
            player=repr(victim),
            pattern=Thing(state.pattern),
            players=either(victims),
        ),
    )


def no_fish_to_lose(pattern: str, own: Iterable[str]) -> Refusal:
    """Rule 8: which fish can be lost instead."""
    patterns = either(map(Thing, sorted(own)))
    if pattern not in PATTERNS:
        return Refusal(
            "unknown-card",
            say(
                "There is no pattern %(pattern)s: choose %(patterns)s (rule 8).",
                pattern=repr(pattern),
                patterns=patterns,
            ),
        )
    return Refusal(
        "not-legal",
        say(
            "There is no fish on %(pattern)s to lose: choose %(patterns)s (rule 8).",
            pattern=Thing(pattern),
            patterns=patterns,
        ),
    )
