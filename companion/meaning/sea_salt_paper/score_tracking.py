"""Score tracking: who ended the round and how, and then everybody's cards, one hand after another.

After a call all hands are laid open (rules 18 and 19), and whoever taps their cards shows them:
so the number of cards and their points are told while they are tapped. The cards themselves are
named only where something is wrong with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from companion.match import Match
from companion.meaning.api import Do, Known, Meaning, Notice, Refuse, TakeBack, Tap, Wait
from companion.meaning.sea_salt_paper.asked import Answered, Asked, refusal_of
from companion.meaning.sea_salt_paper.gathering import (
    gathering,
    hands_of_last_round,
    missing_cards,
    progress,
    what_is_missing,
)
from companion.meaning.sea_salt_paper.taps import Meant, Taps, followed
from companion.rules.sea_salt_paper.cards import BIT, names_of, set_of
from companion.rules.sea_salt_paper.score_tracking import Tally
from companion.rules.sea_salt_paper.scoring import card_points
from companion.rules.sea_salt_paper.words import Call, Hand, Reason
from companion.said import Capital, Thing, say, say_number
from companion.snapshot import Choice, Question

_WORDS: Mapping[Reason, str] = {
    "stop": say("STOP"),
    "last-chance": say("LAST CHANCE"),
    "deck-empty": say("the deck ran out"),
    "mermaids": say("four mermaids"),
}
_WHO: Mapping[Reason, str] = {
    "stop": say("Who called STOP?"),
    "last-chance": say("Who called LAST CHANCE?"),
    "deck-empty": say("Whose turn was over when the deck was empty?"),
    "mermaids": say("Who has shown four mermaids?"),
}
_CONTROLS: Mapping[str, Reason] = {
    "stop": "stop",
    "last-chance": "last-chance",
    "mermaids": "mermaids",
}
ALL, ANEW, GATHERED = "all", "anew", "gathered"


def tapped(memory: Taps, tap: Tap, known: Known) -> Meant:
    """A card was laid on a reader."""
    memory = followed(memory, known)
    state: Tally = known.match.state
    if BIT[tap.name] & state.terms.cards == 0:
        return memory, Refuse(
            "unknown-card",
            say(
                "%(card)s is of Extra Salt, which is not played (rule 30): put it aside.",
                card=Thing(tap.name),
            ),
        )
    seat = _seat_at(tap.station)
    if seat is not None and seat >= len(state.terms.players):
        return memory, Refuse(
            "unknown-player",
            say(
                "Nobody sits at seat %(seat)s: %(players)s play.",
                seat=seat + 1,
                players=len(state.terms.players),
            ),
        )
    if state.phase == "hand":
        return _into_a_hand(replace(memory, asked=None, token=None), memory, tap.name, seat, known)
    ended = hands_of_last_round(known.match)
    if ended is None:
        if state.phase == "over":
            return memory, Notice("no-meaning", say("The game is over."))
        asked = _how_ended(memory, known)
        return replace(memory, asked=asked), asked.ask
    return gathering(memory, tap.name, ended, known)


def control(memory: Taps, name: str, station: str, known: Known) -> Meant | None:
    """A control token: a call, or that a hand is complete."""
    memory = followed(memory, known)
    state: Tally = known.match.state
    if state.phase == "hand" and name == "stop":
        memory = replace(memory, token=None)
        return _complete(memory, _seat_telling(memory, state, station), known)
    reason = _CONTROLS.get(name)
    if reason is None:
        return None
    caller = _seat_at(station)
    called = _called(replace(memory, asked=None), reason, caller, known)
    ended = hands_of_last_round(known.match)
    if not memory.gathered or memory.closed or ended is None or isinstance(called[1], Refuse):
        return called
    missing = missing_cards(memory, ended, state)
    asked = Asked.of(
        "unfinished",
        say(
            "Not all cards were tapped while gathering: %(count)s were not. Go on?",
            count=len(missing),
        ),
        (
            Answered("on", say("Go on: %(reason)s", reason=_WORDS[reason]), *called),
            Answered(
                "not-yet", say("Tap on"), replace(memory, asked=None), Wait(say("Then tap on."))
            ),
        ),
    )
    if missing and not (memory.asked and memory.asked.question.key == "unfinished"):
        return replace(memory, asked=asked), asked.ask
    return called


def player(memory: Taps, name: str, station: str, known: Known) -> Meant | None:
    """A player's token: who called, or whose cards come now, or that they are complete."""
    del station
    memory = followed(memory, known)
    state: Tally = known.match.state
    seat = state.terms.players.index(name)
    if state.phase == "call":
        if memory.call is not None:
            return _called(replace(memory, asked=None), memory.call, seat, known)
        if memory.token == seat:
            # It told the last hand, and may only have been read once more.
            return memory, Wait(
                say("If %(player)s has ended the round, say first how, then who.", player=name)
            )
        memory = replace(memory, who=seat, asked=None)
        return memory, Wait(say("%(player)s: how did the round end?", player=name))
    if state.phase != "hand":
        return None
    now = _teller(memory, state)
    if state.hands[seat] is not None:
        return memory, Notice(
            "known", say("The cards of %(player)s were entered already.", player=name)
        )
    if now == seat and memory.hands[seat]:
        return _complete(replace(memory, token=seat), seat, known)
    memory = replace(memory, teller=seat, asked=None)
    left = state.terms.players[now]
    if now == seat or not memory.hands[now]:
        return memory, Wait(say("%(player)s: tap all cards of your hand and table.", player=name))
    done = Hand(left, memory.hands[now])
    asked = Asked.of(
        "changed",
        say("%(cards)s Is that all?", cards=_sum(memory, now, state)),
        (
            Answered(
                ALL, say("Yes, and now %(player)s", player=name), memory, _done(known.match, done)
            ),
            Answered(
                "no",
                say("No, more of %(player)s", player=left),
                replace(memory, teller=now),
                Wait(say("Tap on.")),
            ),
        ),
        left,
    )
    return replace(memory, asked=asked, teller=now), asked.ask


def question(memory: Taps, known: Known) -> Question | None:
    """What is open; else whether a hand, or what was gathered, is complete."""
    memory = followed(memory, known)
    state: Tally = known.match.state
    if memory.asked is not None:
        return memory.asked.question
    if state.phase == "hand":
        seat = _teller(memory, state)
        if not memory.hands[seat]:
            return None
        return Question(
            ALL,
            say("%(cards)s Is that all?", cards=_sum(memory, seat, state)),
            (Choice(ALL, say("Yes, that is all")), Choice(ANEW, say("No: tap them anew"))),
            state.terms.players[seat],
        )
    if memory.gathered and not memory.closed:
        return Question(
            GATHERED,
            say("%(cards)s Is that all?", cards=waiting(memory, known)),
            (
                Choice(GATHERED, say("That is all")),
                Choice("ended", say("These are hands: another round has ended")),
            ),
        )
    return None


def answered(memory: Taps, choice: str, known: Known) -> Meant:
    """Somebody chose this."""
    memory = followed(memory, known)
    state: Tally = known.match.state
    if memory.asked is not None:
        answer = memory.asked.answer(choice)
        return answer.memory, answer.meaning
    if state.phase == "hand":
        seat = _teller(memory, state)
        if choice == ALL:
            return _complete(memory, seat, known)
        anew = _with_hand(memory, seat, ())
        return anew, Wait(
            say(
                "%(player)s: tap all cards of your hand and table.",
                player=state.terms.players[seat],
            )
        )
    if choice == GATHERED:
        return replace(memory, closed=True), what_is_missing(memory, known)
    asked = _how_ended(replace(memory, gathered=()), known)
    return replace(memory, gathered=(), asked=asked), asked.ask


def waiting(memory: Taps, known: Known) -> str:
    """How many cards were tapped, and for how many points."""
    memory = followed(memory, known)
    state: Tally = known.match.state
    if state.phase == "hand":
        seat = _teller(memory, state)
        return _sum(memory, seat, state) if memory.hands[seat] else ""
    if memory.call is not None:
        return _WHO[memory.call]
    if memory.who is not None:
        return say("%(player)s: how did the round end?", player=state.terms.players[memory.who])
    return progress(memory, known)


# The call


def _how_ended(memory: Taps, known: Known) -> Asked[Taps]:
    """Cards come before a call."""
    memory = replace(memory, asked=None)
    return Asked.of(
        "ended",
        say("How did the round end?"),
        tuple(
            Answered(
                reason,
                Capital(words),
                *_called(memory, reason, None, known),
            )
            for reason, words in _WORDS.items()
        ),
    )


def _called(memory: Taps, reason: Reason, caller: int | None, known: Known) -> Meant:
    """The call, when it is known whose it is; else people are asked."""
    match = known.match
    state: Tally = match.state
    players = state.terms.players
    seat = memory.who if caller is None else caller
    if seat is not None and seat >= len(players):
        return memory, Refuse(
            "unknown-player",
            say(
                "Nobody sits at seat %(seat)s: %(players)s play.",
                seat=seat + 1,
                players=len(players),
            ),
        )
    if seat is not None:
        return memory, _done(match, Call(players[seat], reason))
    refusal = refusal_of(match, (Call(players[0], reason),))
    if refusal is not None:
        return memory, Refuse(refusal.code, refusal.message)
    memory = replace(memory, call=reason)
    asked = Asked.of(
        "who",
        _WHO[reason],
        tuple(
            Answered(
                f"player-{number}", name, replace(memory, call=None), Do((Call(name, reason),))
            )
            for number, name in enumerate(players, 1)
        ),
    )
    return replace(memory, asked=asked), asked.ask


# The hands


def _teller(memory: Taps, state: Tally) -> int:
    """Whose cards are tapped: as somebody said, else from the caller on in turn."""
    if memory.teller is not None and state.hands[memory.teller] is None:
        return memory.teller
    count = len(state.hands)
    order = ((state.caller + step) % count for step in range(count))
    return next(seat for seat in order if state.hands[seat] is None)


def _seat_telling(memory: Taps, state: Tally, station: str) -> int:
    seat = _seat_at(station)
    if seat is None or seat >= len(state.hands) or state.hands[seat] is not None:
        return _teller(memory, state)
    return seat


def _into_a_hand(memory: Taps, before: Taps, name: str, station: int | None, known: Known) -> Meant:
    state: Tally = known.match.state
    players = state.terms.players
    seat = _teller(memory, state) if station is None else station
    told = state.hands[seat]
    if told is not None:
        if told & BIT[name]:
            return before, Notice(
                "known", say("This card is in %(player)s's hand already.", player=players[seat])
            )
        return before, Refuse(
            "not-legal",
            say(
                "The cards of %(player)s were entered already (rule 29): take that back to change "
                "them.",
                player=players[seat],
            ),
        )
    for other in range(len(players)):
        if name in _held(memory, state, other):
            if other == seat:
                return _twice(memory, name, seat, state)
            return _of_two(memory, name, other, seat, known)
    memory = _with_hand(replace(memory, teller=seat), seat, (*memory.hands[seat], name))
    return memory, Wait(_sum(memory, seat, state))


def _held(memory: Taps, state: Tally, seat: int) -> Iterable[str]:
    told = state.hands[seat]
    return memory.hands[seat] if told is None else names_of(told)


def _twice(memory: Taps, name: str, seat: int, state: Tally) -> Meant:
    player = state.terms.players[seat]
    without = _without(memory, seat, name)
    asked = Asked.of(
        "twice",
        say(
            "%(player)s: this card was tapped before and counts once. Does it stay?", player=player
        ),
        (
            Answered("stay", say("It stays"), memory, Wait(_sum(memory, seat, state))),
            Answered("out", say("Take it out"), without, Wait(_sum(without, seat, state))),
        ),
        player,
    )
    return replace(memory, asked=asked), asked.ask


def _of_two(memory: Taps, name: str, first: int, second: int, known: Known) -> Meant:
    """One card, tapped for two: people say whose it is."""
    match = known.match
    state: Tally = match.state
    players = state.terms.players
    moved = _with_hand(
        _without(replace(memory, teller=second), first, name),
        second,
        (*memory.hands[second], name),
    )
    told = state.hands[first]
    label = players[second]
    meaning: Meaning
    if told is None:
        then, meaning = moved, Wait(_sum(moved, second, state))
    elif isinstance(match.action, Hand) and match.action.player == players[first]:
        then, meaning = moved, TakeBack()
        label = say(
            "%(second)s: the cards of %(first)s are told once more",
            first=players[first],
            second=players[second],
        )
    else:
        then = memory
        meaning = Refuse(
            "card-not-available",
            say(
                "%(card)s was entered for %(first)s: correct that hand, then tap the card for "
                "%(second)s once more.",
                card=Thing(name),
                first=players[first],
                second=players[second],
            ),
        )
    asked = Asked.of(
        "whose",
        say(
            "%(card)s was tapped for %(first)s and for %(second)s: whose is it?",
            card=Thing(name),
            first=players[first],
            second=players[second],
        ),
        (
            Answered(
                f"player-{first + 1}",
                players[first],
                memory,
                Wait(say("It is %(first)s's.", first=players[first])),
            ),
            Answered(f"player-{second + 1}", label, then, meaning),
        ),
    )
    return replace(memory, asked=asked), asked.ask


def _complete(memory: Taps, seat: int, known: Known) -> Meant:
    """That was all of a hand."""
    state: Tally = known.match.state
    player = state.terms.players[seat]
    hand = Hand(player, memory.hands[seat])
    memory = replace(memory, asked=None)
    if hand.cards:
        return replace(memory, teller=None), _done(known.match, hand)
    asked = Asked.of(
        "none",
        say("%(player)s: has nobody tapped a card for you because you have none?", player=player),
        (
            Answered(
                "none",
                say("Yes, %(player)s has no card", player=player),
                memory,
                _done(known.match, hand),
            ),
            Answered(
                "tap",
                say("No: they are still to be tapped"),
                memory,
                Wait(say("%(player)s: tap them.", player=player)),
            ),
        ),
        player,
    )
    return replace(memory, asked=asked), asked.ask


def _sum(memory: Taps, seat: int, state: Tally) -> str:
    cards = memory.hands[seat]
    points = card_points(set_of(cards), 0)
    return say(
        "%(player)s: %(cards)s, %(points)s.",
        player=state.terms.players[seat],
        cards=say_number("%(num)d card", "%(num)d cards", len(cards)),
        points=say_number("%(num)d point", "%(num)d points", points),
    )


def _with_hand(memory: Taps, seat: int, cards: tuple[str, ...]) -> Taps:
    return replace(memory, hands=(*memory.hands[:seat], cards, *memory.hands[seat + 1 :]))


def _without(memory: Taps, seat: int, name: str) -> Taps:
    return _with_hand(memory, seat, tuple(card for card in memory.hands[seat] if card != name))


def _seat_at(station: str) -> int | None:
    place, _, number = station.partition("-")
    return int(number) - 1 if place == "seat" and number.isdecimal() else None


def _done(match: Match, action: Call | Hand) -> Meaning:
    refusal = refusal_of(match, (action,))
    return Do((action,)) if refusal is None else Refuse(refusal.code, refusal.message)
