"""Score tracking: people play with their cards; the table hears how a round ended and the hands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from companion.rules.api import Action, Json, Outcome, Refusal, Standing
from companion.rules.sea_salt_paper.cards import NAMES, set_of
from companion.rules.sea_salt_paper.endings import called, scored, unscored, won
from companion.rules.sea_salt_paper.words import Call, Hand, Reason, Terms, unknown_card
from companion.said import Listed, Thing, either, say


class Tally(NamedTuple):
    """A game between two actions.

    Attributes:
        terms: what was agreed.
        round: from 1.
        totals: points by seat.
        starter: the seat that began this round.
        phase: `call`, `hand` or `over`.
        reason: how this round ended; None in the phase `call`.
        caller: the seat that ended it.
        hands: by seat, the set of all cards; None while it is still to come.
        winners: seats.
    """

    terms: Terms
    round: int
    totals: tuple[int, ...]
    starter: int
    phase: str
    reason: Reason | None
    caller: int
    hands: tuple[int | None, ...]
    winners: tuple[int, ...]


_Result = tuple[Tally, tuple[Outcome, ...]]


def start(terms: Terms, starter: int) -> Tally:
    """The state before the first action."""
    nothing = (None,) * len(terms.players)
    totals = (0,) * len(terms.players)
    return Tally(terms, 1, totals, starter, "call", None, starter, nothing, ())


def _next_round(state: Tally, ender: int) -> Tally:
    """Rule 22: the player to the left of the one who ended the round begins the next."""
    count = len(state.terms.players)
    return state._replace(
        round=state.round + 1,
        starter=(ender + 1) % count,
        phase="call",
        reason=None,
        hands=(None,) * count,
    )


def _call(state: Tally, action: Call) -> _Result:
    terms = state.terms
    if action.player is None or action.call is None:
        raise Refusal(
            "bad-command",
            say(
                "With tracking=score nothing is dealt: name the player who ended the round, and how "
                "(rule 29)."
            ),
        )
    if state.phase != "call":
        raise _not_now(state)
    if action.player not in terms.players:
        raise _nobody(state, action.player)
    seat = terms.players.index(action.player)
    match action.call:
        case "mermaids":
            over = state._replace(phase="over", winners=(seat,))
            return over, (*unscored(terms, "mermaids", None), *won(terms, (seat,)))
        case "deck-empty":
            return _next_round(state, seat), unscored(terms, "deck-empty", None)
    waiting = state._replace(phase="hand", reason=action.call, caller=seat)
    return waiting, (called(terms, seat, action.call),)


def _hand(state: Tally, action: Hand) -> _Result:
    terms = state.terms
    if action.cards is None:
        raise Refusal(
            "bad-command", say("Name all cards of that player, hand and table (rule 29).")
        )
    if state.reason is None:
        raise _not_now(state)
    if unknown_card(terms, *action.cards):
        raise Refusal(
            "unknown-card",
            say(
                "One of these is no card of this game: a card is called like %(card)s (rule 1).",
                card=Thing(NAMES[0]),
            ),
        )
    if action.player not in terms.players:
        raise _nobody(state, action.player)
    seat = terms.players.index(action.player)
    cards = set_of(action.cards)
    if cards.bit_count() < len(action.cards):
        raise Refusal(
            "card-not-available", say("A card is named twice: there is one of each (rule 1).")
        )
    for player, other in zip(terms.players, state.hands, strict=True):
        if other is not None and other & cards:
            raise Refusal(
                "card-not-available",
                say(
                    "A card of these was entered for %(player)s already (rule 1): take that back, or "
                    "read these again.",
                    player=player,
                ),
            )
    if state.hands[seat] is not None:
        raise Refusal(
            "not-legal",
            say(
                "The cards of %(player)s were entered already (rule 29): take that back to change "
                "them.",
                player=action.player,
            ),
        )
    hands = (*state.hands[:seat], cards, *state.hands[seat + 1 :])
    reason = state.reason
    state = state._replace(hands=hands)
    entered = [(hand, 0) for hand in hands if hand is not None]
    if len(entered) < len(hands):
        return state, ()
    ending = scored(terms, state.totals, reason, state.caller, entered)
    if ending.winners:
        state = state._replace(totals=ending.totals, phase="over", winners=ending.winners)
    else:
        state = _next_round(state._replace(totals=ending.totals), state.caller)
    return state, ending.outcomes


def _nobody(state: Tally, name: str) -> Refusal:
    return Refusal(
        "unknown-player",
        say(
            "%(name)s does not play here: name %(players)s (rule 29).",
            name=repr(name),
            players=either(state.terms.players),
        ),
    )


def _not_now(state: Tally) -> Refusal:
    if state.phase == "call":
        return Refusal(
            "not-legal",
            say("Play on, and say who ended the round and how; then come the cards (rule 29)."),
        )
    missing = [
        player
        for player, hand in zip(state.terms.players, state.hands, strict=True)
        if hand is None
    ]
    return Refusal(
        "not-legal",
        say(
            "The round is over: enter the cards of %(players)s (rule 29).", players=Listed(missing)
        ),
    )


_HANDLERS: Mapping[type[Action], Callable[[Tally, Any], _Result]] = {Call: _call, Hand: _hand}


def apply(state: Tally, action: Action) -> _Result:
    """The next state and what came of the action (see `Game.apply`)."""
    handler = _HANDLERS.get(type(action))
    if handler is None:
        raise Refusal(
            "not-legal",
            say("With tracking=score only calls and hands are entered (rule 29)."),
        )
    return handler(state, action)


def standing(state: Tally) -> Standing:
    """Whose turn it is, the phase, the totals and the winners."""
    players = state.terms.players
    over = state.phase == "over"
    return Standing(
        turn=None if over else players[state.starter],
        phase=state.phase,
        scores=dict(zip(players, state.totals, strict=True)),
        over=over,
        winners=tuple(players[seat] for seat in state.winners),
    )


def legal(state: Tally) -> tuple[Action, ...]:
    """Every action open now (see `Game.legal`)."""
    match state.phase:
        case "call":
            return (Call(),)
        case "hand":
            pairs = zip(state.terms.players, state.hands, strict=True)
            return tuple(Hand(player) for player, hand in pairs if hand is None)
    return ()


def view(state: Tally) -> Json:
    """What everybody may see."""
    terms = state.terms
    last_chance = state.reason == "last-chance"
    return {
        "round": state.round,
        "totals": dict(zip(terms.players, state.totals, strict=True)),
        "called": terms.players[state.caller] if last_chance else None,
    }
