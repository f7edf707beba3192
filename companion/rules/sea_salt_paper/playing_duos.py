"""Playing a duo, and what each does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from companion.rules.api import Outcome, Refusal
from companion.rules.sea_salt_paper.cards import set_of
from companion.rules.sea_salt_paper.duos import EFFECT_OF, STARFISH
from companion.rules.sea_salt_paper.refusals import known, named_twice, not_now, not_there
from companion.rules.sea_salt_paper.state import (
    DECK_LOOKED_AT,
    State,
    can_take,
    to_follow,
    victims,
    with_pile,
    with_seat,
)
from companion.rules.sea_salt_paper.words import (
    LOOKED_AT_BY_LOBSTER,
    AnotherTurn,
    Duo,
    DuoPlayed,
    Fizzled,
    Look,
    Pick,
    Picked,
    Steal,
    Stole,
    Stung,
)
from companion.said import either, say

_Result = tuple[State, tuple[Outcome, ...]]

_picked = cache(Picked)
_stole = cache(Stole)
_ANOTHER_TURN = AnotherTurn()
_FIZZLED = Fizzled()


def duo(state: State, action: Duo) -> _Result:
    """Play a pair or a trio from the hand (rule 7)."""
    if state.phase != "play":
        raise not_now(state, "It is not possible to play a duo now: %(possible)s.")
    names = action.cards
    known(state, action.looked)
    cards = known(state, names)
    if cards.bit_count() < len(names):
        raise named_twice()
    seat = state.seat
    hand = state.hands[seat]
    if cards & ~hand:
        raise Refusal(
            "card-not-available",
            say(
                "A duo is played from the hand, and not all of these cards are in it (rule 7): play "
                "others or pass."
            ),
        )
    starfish = cards & STARFISH
    effect = EFFECT_OF.get(cards ^ starfish)
    if effect is None:
        raise _no_duo(state)
    if action.looked and (effect != "lobster" or starfish):
        raise Refusal(
            "not-legal",
            say("Only a lobster and a crab alone look at cards (rule 31): leave these out."),
        )
    state = state._replace(
        hands=with_seat(state.hands, seat, hand ^ cards),
        tables=with_seat(state.tables, seat, state.tables[seat] | cards),
    )
    played = DuoPlayed(state.terms.players[seat], names)
    if starfish:  # rule 34: no effect
        return state, (played,)
    if effect == "lobster":
        return _lobster(state, action, played)
    after, outcomes = _EFFECTS[effect](state)
    return after, (played, *outcomes)


def _no_duo(state: State) -> Refusal:
    return Refusal(
        "not-legal",
        say(
            "These make no duo: it takes two crabs, two boats, two fish, or a swimmer and a shark, "
            "or a lobster and a crab, or a jellyfish and a swimmer; a starfish may join (rule 7)."
        )
        if state.terms.salt
        else say(
            "These make no duo: it takes two crabs, two boats, two fish, or a swimmer and a shark "
            "(rule 7)."
        ),
    )


def _crabs(state: State) -> _Result:
    """Rule 8: with one pile there is no choice."""
    first, second = state.piles
    if first and second:
        return state._replace(phase="look"), ()
    if first or second:
        return state._replace(phase="pick", looking=1 if first else 2), ()
    return state, (_FIZZLED,)


def _boats(state: State) -> _Result:
    """Rule 9."""
    if not can_take(state):
        return state, (_FIZZLED,)
    return state._replace(phase="take"), (_ANOTHER_TURN,)


def _fish(state: State) -> _Result:
    """Rule 10."""
    return (state._replace(phase="fish"), ()) if state.deck else (state, (_FIZZLED,))


def _swimmer_and_shark(state: State) -> _Result:
    """Rule 11."""
    return (state._replace(phase="steal"), ()) if victims(state) else (state, (_FIZZLED,))


def _jellyfish(state: State) -> _Result:
    """Rule 32."""
    stung = to_follow(state)
    if not stung:
        return state, (_FIZZLED,)
    return (
        state._replace(stinger=state.seat),
        tuple(Stung(state.terms.players[seat]) for seat in stung),
    )


def _lobster(state: State, action: Duo, played: DuoPlayed) -> _Result:
    """Rule 31."""
    looked = set_of(action.looked)
    if looked.bit_count() < len(action.looked):
        raise named_twice()
    if looked & ~state.deck:
        raise not_there("That card cannot be the top of the deck now, %(instead)s.")
    if not state.deck:
        return state, (played, _FIZZLED)
    count = min(LOOKED_AT_BY_LOBSTER, state.deck.bit_count())
    if looked and looked.bit_count() != count:
        raise Refusal(
            "bad-command",
            say(
                "The lobster looks at the top %(count)s of the deck now (rule 31): name as many, or "
                "none.",
                count=count,
            ),
        )
    return state._replace(phase="pick", looking=DECK_LOOKED_AT, looked=looked), (played,)


_EFFECTS: Mapping[str, Callable[[State], _Result]] = {
    "crabs": _crabs,
    "boats": _boats,
    "fish": _fish,
    "steal": _swimmer_and_shark,
    "jellyfish": _jellyfish,
}


def look(state: State, action: Look) -> _Result:
    """Choose the pile to look through (rule 8)."""
    if state.phase != "look":
        raise not_now(state, "It is not possible to look through a pile now: %(possible)s.")
    return state._replace(phase="pick", looking=action.pile), ()


def pick(state: State, action: Pick) -> _Result:
    """Take one of the cards looked at (rules 8 and 31)."""
    pile = state.looking
    if pile is None:
        raise not_now(state, "It is not possible to pick a card now: %(possible)s.")
    card = known(state, (action.card,))
    seat = state.seat
    hands = with_seat(state.hands, seat, state.hands[seat] | card)
    player = state.terms.players[seat]
    if pile == DECK_LOOKED_AT:
        if not card & (state.looked or state.deck):
            raise not_there("That card cannot be among the cards looked at now, %(instead)s.")
        deck = state.deck ^ card
        return (
            state._replace(
                deck=deck,
                hands=hands,
                phase="play",
                looking=None,
                looked=0,
                shuffled=deck,
                shuffles=state.shuffles + 1,
            ),
            (_picked(player),),
        )
    cards = state.piles[pile - 1]
    if card not in cards:
        raise Refusal(
            "card-not-available",
            say("That card is not in pile %(pile)s: pick one that is (rule 8).", pile=pile),
        )
    rest = tuple(other for other in cards if other != card)
    return (
        state._replace(piles=with_pile(state, pile, rest), hands=hands, phase="play", looking=None),
        (_picked(player, pile),),
    )


def steal(state: State, action: Steal) -> _Result:
    """Draw a card from a hand without looking (rule 11)."""
    if state.phase != "steal":
        raise not_now(state, "It is not possible to steal a card now: %(possible)s.")
    if action.card is not None:
        known(state, (action.card,))
    players = state.terms.players
    robbed = [players[seat] for seat in victims(state)]
    if action.from_ not in robbed:
        raise Refusal(
            "unknown-player",
            say(
                "%(player)s has no hand to draw from: choose %(players)s (rule 11).",
                player=repr(action.from_),
                players=either(robbed),
            ),
        )
    seat, victim = state.seat, players.index(action.from_)
    card = known(state, (action.card,))
    if not card & state.hands[victim]:
        raise not_there("That card cannot be in that hand now, %(instead)s.")
    hands = with_seat(state.hands, victim, state.hands[victim] ^ card)
    hands = with_seat(hands, seat, hands[seat] | card)
    return (
        state._replace(hands=hands, phase="play"),
        (_stole(players[seat], action.from_),),
    )
