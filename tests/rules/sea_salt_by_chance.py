"""Sea Salt & Paper at a physical table where chance and the players are a `Random`."""

from __future__ import annotations

from dataclasses import replace

from companion.match import Match, Setup
from companion.rules.sea_salt_paper.cards import NAMES, PLAIN_COUNT, names_of
from companion.rules.sea_salt_paper.words import (
    Deal,
    Draw,
    DrawOne,
    Duo,
    LastChance,
    Mermaids,
    Pass,
    Pick,
    Steal,
    Stop,
)

PLAYERS = ("Ann", "Bo", "Cy", "Dee")
NOT_A_WORD = "kraken"


def begin(players=2, *, seed=None, starter=None, **options):
    """A game that has just begun; with a seed the engine deals."""
    setup = Setup("sea-salt-paper", PLAYERS[:players], starter, options, seed=seed)
    return Match.start(setup)


def with_state(match, state):
    """A game that stands so, with nothing before it."""
    return Match(match.game, match.setup, state)


def cards_in_play(match):
    """The names of all cards of this game."""
    return NAMES if match.setup.options.get("salt") else NAMES[:PLAIN_COUNT]


def as_it_comes(match, action, chance):
    """The action with cards that can come at this moment."""
    state = match.state
    deck = names_of(state.deck)
    match action:
        case Deal():
            return Deal(tuple(chance.sample(cards_in_play(match), 2)))
        case Draw():
            return Draw(tuple(chance.sample(deck, min(2, len(deck)))))
        case DrawOne():
            return DrawOne(chance.choice(deck))
        case Steal(name):
            hand = names_of(state.hands[match.setup.players.index(name)])
            return Steal(name, chance.choice(hand))
        case Duo(cards) if len(cards) == 2 and any("lobster" in card for card in cards):
            # Whoever sits at the table may name the cards that are looked at, or not.
            looked = chance.sample(deck, min(5, len(deck)))
            return replace(action, looked=tuple(looked)) if chance.random() < 0.5 else action
        case Pick(None):
            return Pick(chance.choice(deck))
    return action


def chosen(legal, chance, *, duos=0.7, calls=0.4, draws=0.6):
    """One of these actions, with a liking for some so that rounds are lively and end.

    Args:
        legal: what is open.
        chance: a `Random`.
        duos: how often a duo is played where one can be.
        calls: how often a round is ended where it can be.
        draws: how often the deck is preferred to a pile.
    """
    for kind, liking in ((Duo, duos), ((Stop, LastChance, Mermaids), calls), (Draw, draws)):
        liked = [action for action in legal if isinstance(action, kind)]
        if liked and chance.random() < liking:
            return chance.choice(liked)
    others = [
        action for action in legal if not isinstance(action, (Duo, Stop, LastChance, Mermaids))
    ]
    passing = [action for action in others if isinstance(action, Pass)]
    return chance.choice(passing or others)


def played_on(match, chance, steps, **likings):
    """The matches after each of at most so many more actions; fewer where the game ends."""
    for _ in range(steps):
        legal = match.game.legal(match.state)
        if not legal:
            return
        match = match.do(as_it_comes(match, chosen(legal, chance, **likings), chance))
        yield match
