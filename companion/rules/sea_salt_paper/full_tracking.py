"""Full tracking: every card is followed, and the rules of a turn are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from companion.rules.api import Action, Outcome, Refusal, Standing, TurnEnded
from companion.rules.sea_salt_paper.cards import BIT, MERMAIDS, name_of, names_of
from companion.rules.sea_salt_paper.duos import STARFISH, pairs_in
from companion.rules.sea_salt_paper.endings import called, scored, unscored, won
from companion.rules.sea_salt_paper.playing_duos import duo, look, pick, steal
from companion.rules.sea_salt_paper.refusals import (
    deck_empty,
    known,
    named_twice,
    not_now,
    not_there,
    pile_empty,
    told,
)
from companion.rules.sea_salt_paper.scoring import card_points
from companion.rules.sea_salt_paper.state import (
    DECK_LOOKED_AT,
    State,
    can_take,
    next_deal,
    victims,
    with_pile,
    with_seat,
)
from companion.rules.sea_salt_paper.words import (
    PILES,
    POINTS_TO_CALL,
    AnotherTurn,
    Deal,
    Dealt,
    Discard,
    Discarded,
    Draw,
    DrawOne,
    Drew,
    Duo,
    Fizzled,
    Keep,
    LastChance,
    Look,
    Mermaids,
    Pass,
    Pick,
    Picked,
    Reason,
    Skip,
    Steal,
    Stole,
    Stop,
    Take,
    Took,
)
from companion.said import say

_Result = tuple[State, tuple[Outcome, ...]]

# Outcomes are values: one object of each serves all games.
_drew = cache(Drew)
_discarded = cache(Discarded)
_took = cache(Took)
_picked = cache(Picked)
_stole = cache(Stole)
_turn_ended = cache(TurnEnded)
_ANOTHER_TURN = AnotherTurn()
_FIZZLED = Fizzled()


# Taking cards


def _deal(state: State, action: Deal) -> _Result:
    if state.phase != "deal":
        raise not_now(state, "It is not possible to deal now: %(possible)s.")
    names = told(action.cards)
    cards = known(state, names)
    if cards.bit_count() < 2:
        raise named_twice()
    first, second = names
    return next_deal(state, BIT[first], BIT[second]), (Dealt(names),)


def _draw(state: State, action: Draw) -> _Result:
    if state.phase != "take":
        raise not_now(state, "It is not possible to draw now: %(possible)s.")
    deck = state.deck
    if not deck:
        raise deck_empty(state)
    names = told(action.cards)
    count = 1 if deck & (deck - 1) == 0 else 2
    if len(names) != count:
        raise Refusal(
            "bad-command",
            say("Name as many cards as are drawn: one card is left (rules 3 and 5).")
            if count == 1
            else say("Name as many cards as are drawn: two cards are drawn (rules 3 and 5)."),
        )
    cards = known(state, names)
    if cards.bit_count() < count:
        raise named_twice()
    if cards & ~deck:
        raise not_there("That card cannot be the top of the deck now, %(instead)s.")
    seat = state.seat
    drew = (_drew(state.terms.players[seat], count),)
    if count == 1:
        hands = with_seat(state.hands, seat, state.hands[seat] | cards)
        return state._replace(deck=0, hands=hands, phase="play"), drew
    drawn = tuple(BIT[name] for name in names)
    return state._replace(deck=deck ^ cards, drawn=drawn, phase="keep"), drew


def _keep(state: State, action: Keep) -> _Result:
    if state.phase != "keep":
        raise not_now(state, "It is not possible to keep a card now: %(possible)s.")
    card = known(state, (action.card,))
    if card not in state.drawn:
        raise Refusal(
            "card-not-available",
            say("That is none of the two cards drawn: keep one of them (rule 3)."),
        )
    seat = state.seat
    other = tuple(drawn for drawn in state.drawn if drawn != card)
    hands = with_seat(state.hands, seat, state.hands[seat] | card)
    state = state._replace(hands=hands, drawn=other, phase="discard")
    for pile in PILES:  # rule 4
        if not state.piles[pile - 1]:
            return _lay_down(state, pile)
    return state, ()


def _discard(state: State, action: Discard) -> _Result:
    if state.phase != "discard":
        raise not_now(state, "It is not possible to lay a card on a pile now: %(possible)s.")
    return _lay_down(state, action.pile)


def _lay_down(state: State, pile: int) -> _Result:
    first, second = state.piles
    (card,) = state.drawn
    piles = ((*first, card), second) if pile == 1 else (first, (*second, card))
    return (
        state._replace(piles=piles, drawn=(), phase="play"),
        (_discarded(name_of(card), pile),),
    )


def _take(state: State, action: Take) -> _Result:
    if state.phase != "take":
        raise not_now(state, "It is not possible to take from a pile now: %(possible)s.")
    pile = action.pile
    cards = state.piles[pile - 1]
    if not cards:
        raise pile_empty(state, pile)
    seat = state.seat
    card = cards[-1]
    hands = with_seat(state.hands, seat, state.hands[seat] | card)
    return (
        state._replace(piles=with_pile(state, pile, cards[:-1]), hands=hands, phase="play"),
        (_took(state.terms.players[seat], name_of(card), pile),),
    )


def _skip(state: State, action: Skip) -> _Result:
    del action
    if state.phase != "take":
        raise not_now(state, "It is not possible to skip taking a card now: %(possible)s.")
    if can_take(state):
        raise Refusal(
            "not-legal", say("There are cards to take, so one must be taken (rules 3 and 6).")
        )
    return state._replace(phase="play"), ()


def _draw_one(state: State, action: DrawOne) -> _Result:
    if state.phase not in ("fish", "stung") or not state.deck:
        raise not_now(state, "It is not possible to draw one card now: %(possible)s.")
    card = known(state, (action.card,))
    if not card & state.deck:
        raise not_there("That card cannot be the top of the deck now, %(instead)s.")
    seat = state.seat
    hands = with_seat(state.hands, seat, state.hands[seat] | card)
    stung = state.phase == "stung"
    state = state._replace(deck=state.deck ^ card, hands=hands, phase="play")
    drew = (_drew(state.terms.players[seat], 1),)
    return _end_turn(state, drew) if stung else (state, drew)


# The end of a turn, a round, a game


def _pass(state: State, action: Pass) -> _Result:
    del action
    if state.phase == "stung" and not state.deck:
        return _end_turn(state, ())
    if state.phase != "play":
        raise not_now(state, "It is not possible to pass now: %(possible)s.")
    if _four_mermaids(state):
        return _win_by_mermaids(state)
    return _end_turn(state, ())


def _end_turn(state: State, outcomes: tuple[Outcome, ...]) -> _Result:
    seat = state.seat
    after = (seat + 1) % len(state.hands)
    if state.caller is None:
        if not state.deck:
            return _deck_empty(state, outcomes)
    else:
        revealed = list(state.revealed)
        revealed[seat] = True
        state = state._replace(revealed=tuple(revealed))
        if after == state.caller:
            return _score(state, "last-chance", state.caller, outcomes)
    ended = (*outcomes, _turn_ended(state.terms.players[seat]))
    if state.stinger is None:
        return state._replace(seat=after, phase="take"), ended
    if state.stinger == after:
        return state._replace(seat=after, phase="take", stinger=None), ended
    return state._replace(seat=after, phase="stung"), ended


def _deck_empty(state: State, outcomes: tuple[Outcome, ...]) -> _Result:
    """Rule 21: nobody has called, so nobody scores."""
    cards = tuple(zip(state.hands, state.tables, strict=True))
    starter = (state.seat + 1) % len(state.hands)
    return (
        state._replace(phase="deal", seat=starter),
        (*outcomes, *unscored(state.terms, "deck-empty", cards)),
    )


def _stop(state: State, action: Stop) -> _Result:
    """Rule 18: everybody shows their hand."""
    del action
    _may_call(state)
    if _four_mermaids(state):
        return _win_by_mermaids(state)
    call = called(state.terms, state.seat, "stop")
    state = state._replace(revealed=(True,) * len(state.hands))
    return _score(state, "stop", state.seat, (call,))


def _last_chance(state: State, action: LastChance) -> _Result:
    """Rule 19: the caller's hand lies open and is safe."""
    del action
    _may_call(state)
    if _four_mermaids(state):
        return _win_by_mermaids(state)
    state = state._replace(caller=state.seat)
    return _end_turn(state, (called(state.terms, state.seat, "last-chance"),))


def _may_call(state: State) -> None:
    if state.phase != "play":
        raise not_now(state, "It is not possible to end the round now: %(possible)s.")
    if state.caller is not None:
        raise Refusal(
            "not-legal",
            say(
                "%(player)s has called LAST CHANCE already: play duos or pass (rule 19).",
                player=state.terms.players[state.caller],
            ),
        )
    if _points(state) < POINTS_TO_CALL:
        raise Refusal(
            "not-legal", say("Ending the round takes 7 points: play duos or pass (rule 12).")
        )


def _points(state: State) -> int:
    return card_points(state.hands[state.seat], state.tables[state.seat])


def _score(state: State, reason: Reason, caller: int, outcomes: tuple[Outcome, ...]) -> _Result:
    cards = tuple(zip(state.hands, state.tables, strict=True))
    ending = scored(state.terms, state.totals, reason, caller, cards)
    return (
        state._replace(
            totals=ending.totals,
            phase="over" if ending.winners else "deal",
            seat=(caller + 1) % len(state.hands),
            winners=ending.winners,
        ),
        (*outcomes, *ending.outcomes),
    )


def _mermaids(state: State, action: Mermaids) -> _Result:
    del action
    if state.phase != "play":
        raise not_now(state, "It is not possible to show the mermaids now: %(possible)s.")
    if not _four_mermaids(state):
        raise Refusal(
            "not-legal",
            say(
                "It takes all four mermaids in the hand to win by them (rule 25): play duos or pass."
            ),
        )
    return _win_by_mermaids(state)


def _four_mermaids(state: State) -> bool:
    return state.hands[state.seat] & MERMAIDS == MERMAIDS


def _win_by_mermaids(state: State) -> _Result:
    """Rule 25: at once, whatever the points are."""
    cards = tuple(zip(state.hands, state.tables, strict=True))
    winners = (state.seat,)
    return (
        state._replace(phase="over", winners=winners),
        (*unscored(state.terms, "mermaids", cards), *won(state.terms, winners)),
    )


_HANDLERS: Mapping[type[Action], Callable[[State, Any], _Result]] = {
    Deal: _deal,
    Draw: _draw,
    Take: _take,
    Skip: _skip,
    Keep: _keep,
    Discard: _discard,
    Duo: duo,
    Look: look,
    Pick: pick,
    DrawOne: _draw_one,
    Steal: steal,
    Pass: _pass,
    Stop: _stop,
    LastChance: _last_chance,
    Mermaids: _mermaids,
}


def apply(state: State, action: Action) -> _Result:
    """The next state and what came of the action (see `Game.apply`)."""
    handler = _HANDLERS.get(type(action))
    if handler is None:
        raise Refusal(
            "not-legal",
            say(
                "With tracking=full a round is ended by stop, last-chance or mermaids, and the cards "
                "are known (rule 29)."
            ),
        )
    return handler(state, action)


def standing(state: State) -> Standing:
    """Whose turn it is, the phase, the totals and the winners."""
    players = state.terms.players
    over = state.phase == "over"
    return Standing(
        turn=None if over else players[state.seat],
        phase=state.phase,
        scores=dict(zip(players, state.totals, strict=True)),
        over=over,
        winners=tuple(players[seat] for seat in state.winners),
    )


def legal(state: State) -> tuple[Action, ...]:
    """Every action open to the player in turn (see `Game.legal`)."""
    match state.phase:
        case "deal":
            return (Deal(),)
        case "take":
            draw: tuple[Action, ...] = (Draw(),) if state.deck else ()
            takes = tuple(Take(pile) for pile in PILES if state.piles[pile - 1])
            return (*draw, *takes) or (Skip(),)
        case "keep":
            return tuple(Keep(name_of(card)) for card in state.drawn)
        case "discard":
            return tuple(map(Discard, PILES))
        case "play":
            return (*_endings(state), *_duos(state))
        case "look":
            return tuple(map(Look, PILES))
        case "pick":
            return _picks(state)
        case "fish":
            return (DrawOne(),)
        case "steal":
            return tuple(Steal(state.terms.players[seat]) for seat in victims(state))
        case "stung":
            return (DrawOne(),) if state.deck else (Pass(),)
    return ()


def _endings(state: State) -> tuple[Action, ...]:
    may_call = state.caller is None and _points(state) >= POINTS_TO_CALL
    calls: tuple[Action, ...] = (Stop(), LastChance()) if may_call else ()
    return (Pass(), *calls, *((Mermaids(),) if _four_mermaids(state) else ()))


def _duos(state: State) -> tuple[Action, ...]:
    hand = state.hands[state.seat]
    starfish = names_of(hand & STARFISH)
    pairs = [tuple(names_of(pair)) for pair in pairs_in(hand)]
    trios = [(*pair, third) for pair in pairs for third in starfish]
    return tuple(map(Duo, [*pairs, *trios]))


def _picks(state: State) -> tuple[Action, ...]:
    if state.looking == DECK_LOOKED_AT:
        return tuple(map(Pick, names_of(state.looked))) or (Pick(),)
    return tuple(Pick(name_of(card)) for card in state.piles[(state.looking or 1) - 1])
