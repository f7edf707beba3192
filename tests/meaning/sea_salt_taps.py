"""Taps in short sentences: `draw crab-grey; seat-1 crab-grey; pass`.

A tap is a station and a card, with `-` for a reader that has no station. A token of a control or
a player stands for itself, `pass` or `player/2`, with a station before it where that matters. An
answer is `= kept`. What the rules were told comes back in the words of the play protocol.
"""

from __future__ import annotations

from dataclasses import replace

from companion.codec import action_to_json
from companion.match import Match, Setup
from companion.meaning.api import Ask, Do, Notice, Refuse, TakeBack, Wait
from companion.meaning.sea_salt_paper import SeaSaltPaper
from companion.rules.sea_salt_paper.cards import BIT, names_of, set_of
from companion.rules.sea_salt_paper.words import Deal
from companion.tags import CONTROLS
from tests.support.understanding import Listener

PLAYERS = ("Ann", "Bo", "Cy")


def listening(players=PLAYERS, **options):
    """Nothing was tapped."""
    return Listener(SeaSaltPaper(), Setup("sea-salt-paper", tuple(players), None, options))


def given(
    hands=("", "", ""),
    tables=("", "", ""),
    piles=("crab-grey", "boat-yellow-2"),
    deck=None,
    phase="play",
    **options,
):
    """A game with full tracking in which the cards lie so and Ann is in turn."""
    listener = listening(**options)
    listener.match = listener.match.do(Deal(("crab-grey", "boat-yellow-2")))
    state = listener.match.state
    hands, tables = (tuple(set_of(cards.split()) for cards in part) for part in (hands, tables))
    piles = tuple(tuple(BIT[name] for name in pile.split()) for pile in piles)
    elsewhere = sum((*hands, *tables, *piles[0], *piles[1]))
    rest = state.terms.cards & ~elsewhere if deck is None else set_of(deck.split())
    state = state._replace(
        hands=hands, tables=tables, piles=piles, deck=rest, shuffled=rest, phase=phase
    )
    listener.match = Match(listener.match.game, listener.match.setup, state)
    return listener


def lying_there(listener, **changes):
    """The same with the state changed so."""
    state = listener.match.state._replace(**changes)
    listener.match = replace(listener.match, state=state)
    return listener


def tap(listener, text):
    """Make all these taps; what the last of them means, in short."""
    meaning = None
    for part in text.split(";"):
        meaning = _tap(listener, part.split())
    return short(meaning)


def _tap(listener, words):
    match words:
        case ["=", choice]:
            return listener.answer(choice)
        case [token]:
            return listener.tap(_token(token))
        case [station, what]:
            station = "" if station == "-" else station
            component = what if what in BIT else _token(what)
            return listener.tap(component, station)
    raise AssertionError(words)


def _token(word):
    return f"control/{word}" if word in CONTROLS else word


def short(meaning):
    match meaning:
        case Do(actions):
            return said(actions)
        case Wait():
            return "wait"
        case Ask(question):
            return f"ask {question.key}: {' '.join(choice.key for choice in question.choices)}"
        case Refuse(code):
            return f"refuse {code}"
        case Notice(code):
            return code
        case TakeBack():
            return "undo"
    raise AssertionError(meaning)


def said(actions):
    return "; ".join(_words(action_to_json(action)) for action in actions)


def _words(body):
    parts = []
    for key, value in body.items():
        if isinstance(value, list | tuple):
            parts += value
        elif not (key == "looked" and not value):
            parts.append(str(value))
    return " ".join(parts)


def done(listener):
    """All that the rules were told since the game was given, oldest first."""
    return said(reversed([match.action for match in listener.match.back()]))


def hidden_from_all(state):
    """The cards whose place a spectator may not know."""
    shown = sum(state.tables)
    for hand, revealed in zip(state.hands, state.revealed, strict=True):
        shown |= hand if revealed else 0
    for pile in state.piles:
        shown |= pile[-1] if pile else 0
    return names_of(state.terms.cards & ~shown)


def lying_otherwise(match, chance):
    """The same to a spectator, with hidden cards in each other's places; and which became which."""
    hidden = hidden_from_all(match.state)
    goes_to = dict(zip(hidden, chance.sample(hidden, len(hidden)), strict=True))

    def moved(cards):
        return set_of(goes_to.get(name, name) for name in names_of(cards))

    state = match.state
    state = state._replace(
        deck=moved(state.deck),
        piles=tuple(tuple(map(moved, pile)) for pile in state.piles),
        hands=tuple(map(moved, state.hands)),
        drawn=tuple(map(moved, state.drawn)),
        looked=moved(state.looked),
        shuffled=moved(state.shuffled),
    )
    return replace(match, state=state), goes_to
