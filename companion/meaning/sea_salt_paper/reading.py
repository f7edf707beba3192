"""One card at one place, in the game as it stands: what every phase of a turn says of it."""

from __future__ import annotations

from dataclasses import replace

from companion.match import Match
from companion.meaning.api import Do, Notice, Refuse, Tap
from companion.meaning.sea_salt_paper.asked import Answered, Asked, refusal_of
from companion.meaning.sea_salt_paper.waiting import NOTHING, Meant, Role, Waiting, waits_for
from companion.rules.api import Action, Refusal
from companion.rules.sea_salt_paper.cards import BIT
from companion.rules.sea_salt_paper.refusals import possible_now
from companion.rules.sea_salt_paper.state import DECK_LOOKED_AT, State, can_take
from companion.rules.sea_salt_paper.words import PILES, Pile, Skip
from companion.said import say


def place_of(station: str) -> tuple[str, int]:
    """What stands there, and its number, 0 where there is none; ("", 0) for any other place."""
    place, _, number = station.partition("-")
    if place in ("discard", "seat") and number.isdecimal() and int(number):
        return place, int(number)
    return (place, 0) if place in ("draw", "play") else ("", 0)


def skipped(match: Match) -> tuple[Action, ...]:
    """Rule 6: where there is no card to take, nothing can be tapped, and so it follows."""
    state = match.state
    return (Skip(),) if state.phase == "take" and not can_take(state) else ()


class Reading:
    """One card at one place, in the game as it stands."""

    def __init__(self, memory: Waiting, tap: Tap, match: Match) -> None:
        self.memory = replace(memory, state=match.state, asked=None)
        self.before = memory
        self.name, self.card, self.uid = tap.name, BIT[tap.name], tap.uid
        self.place, self.number = place_of(tap.station)
        self.match = match
        self.prefix = skipped(match)
        for action in self.prefix:
            match = match.do(action)
        self.state: State = match.state
        self.seat = self.state.seat
        self.anywhere = not self.place
        self.at_own_seat = self.place == "seat" and self.number == self.seat + 1
        self.player = self.state.terms.players[self.seat]

    def do(self, *actions: Action) -> Meant:
        """The actions, unless the rules refuse them."""
        all_of_them = (*self.prefix, *actions)
        refusal = refusal_of(self.match, all_of_them)
        if refusal is not None:
            return self.refuse(refusal)
        return NOTHING, Do(all_of_them)

    def refuse(self, refusal: Refusal) -> Meant:
        """Nothing changes."""
        return self.before, Refuse(refusal.code, refusal.message)

    def wait(self, *cards: tuple[str, Role]) -> Meant:
        """These wait now, and nothing else."""
        memory = replace(self.memory, cards=cards)
        return memory, waits_for(memory)

    def ask(self, key: str, text: str, *answers: Answered[Waiting]) -> Meant:
        """The player in turn is asked."""
        asked = Asked.of(key, text, answers, self.player)
        return replace(self.memory, asked=asked), asked.ask

    def choice(self, key: str, label: str, *actions: Action) -> tuple[Answered[Waiting], ...]:
        """An answer that does this; none where the rules refuse it."""
        if refusal_of(self.match, actions) is not None:
            return ()
        return (Answered(key, label, NOTHING, Do(actions, uid=self.uid)),)

    def twice(self) -> Meant:
        """It waits already, and no tap of it alone changes what it means."""
        return self.before, Notice("known", say("This card was tapped already and waits."))

    def known_there(self) -> Meant | None:
        """The card lies by the record where it was read: nothing is new."""
        state, index = self.state, self.number - 1
        match self.place:
            case "seat":
                there = state.hands[index] | state.tables[index]
            case "discard" if index in (0, 1):
                there = sum(state.piles[index])
            case "play":
                there = sum(state.tables)
            case "draw":
                there = sum(state.drawn)
                if state.looking == DECK_LOOKED_AT:
                    there |= state.looked or state.deck
            case _:
                return None
        if not self.card & there:
            return None
        here = self._here()
        return self.before, Notice(
            "known", say("The table knows this card to be %(here)s.", here=here)
        )

    def _here(self) -> str:
        match self.place:
            case "seat":
                return say("with %(player)s", player=self.state.terms.players[self.number - 1])
            case "discard":
                return say("on pile %(pile)s", pile=self.number)
            case "play":
                return say("among the cards played")
            case "draw":
                return say("at the deck")
        return say("here")

    def cannot_be_here(self) -> Meant:
        """One sentence wherever the card is hidden; where it lies openly, that is told."""
        openly = self.lies_openly()
        here, possible = self._here(), possible_now(self.state)
        if openly:
            told = say(
                "This card cannot be %(here)s now, it lies %(openly)s by the record: %(possible)s. "
                "If it is right, something before it was missed or misread.",
                here=here,
                openly=openly,
                possible=possible,
            )
        else:
            told = say(
                "This card cannot be %(here)s now: %(possible)s. If it is right, something before "
                "it was missed or misread.",
                here=here,
                possible=possible,
            )
        return self.before, Refuse("card-not-available", told)

    def lies_openly(self) -> str:
        """Where everybody sees the card, by the record; empty for a hidden one."""
        state = self.state
        for pile in PILES:
            if state.piles[pile - 1][-1:] == (self.card,):
                return say("on pile %(pile)s", pile=pile)
        for seat, player in enumerate(state.terms.players):
            if self.card & state.tables[seat]:
                return say("on the table before %(player)s", player=player)
            if self.card & state.hands[seat] and state.revealed[seat]:
                return say("in the open hand of %(player)s", player=player)
        return ""

    @property
    def pile_here(self) -> Pile | None:
        """The pile where the card was read."""
        here = self.number if self.place == "discard" else None
        return next((pile for pile in PILES if pile == here), None)

    @property
    def pile(self) -> Pile | None:
        """The pile that the card is in, also further down."""
        for pile in PILES:
            if self.card in self.state.piles[pile - 1]:
                return pile
        return None
