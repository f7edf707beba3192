"""The people of Sea Salt & Paper: they draw, keep, lay down, play pairs, steal and call.

Some have readers at the deck, the piles, the seats and the table, some have only one, and some
play by themselves and tap only their hands when a round is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from companion.match import Match, Setup
from companion.rules import game_named
from companion.rules.api import Action
from companion.rules.sea_salt_paper.cards import MERMAIDS, name_of, names_of
from companion.rules.sea_salt_paper.state import DECK_LOOKED_AT, State, victims
from companion.rules.sea_salt_paper.words import (
    PILES,
    Call,
    Deal,
    Discard,
    Draw,
    DrawOne,
    Duo,
    Hand,
    Keep,
    LastChance,
    Look,
    Mermaids,
    Pass,
    Pick,
    Pile,
    Reason,
    Skip,
    Steal,
    Stop,
    Take,
)
from companion.snapshot import Question
from hardware_sim.evening.api import Gesture, Lay, Move, People, Say, Touch, numbered_tags

PLAY, DRAW = "play", "draw"
MANY_READERS = ("Ann", "Bo", "Cy", "Dora")
ONE_READER = ("Fay", "Gus", "Hal", "Ivy")
"""Who comes says also how many readers stand on the table."""

CONTROLS = ("stop", "undo", "pass", "last-chance", "mermaids")
_TOKEN_OF: Mapping[type[Action], str] = {
    Pass: "control/pass",
    Stop: "control/stop",
    LastChance: "control/last-chance",
    Mermaids: "control/mermaids",
}


@dataclass
class _Round:
    """A round that people play by themselves.

    Attributes:
        hands: by player, the names of all cards.
        to_tell: whose hands are still to be told, in order.
        called: how it ends, and by whom.
    """

    hands: dict[str, list[str]]
    to_tell: list[str]
    called: Call


class SeaSaltPaperPeople(People):
    """Two to four (see `People`)."""

    game: ClassVar[str] = "sea-salt-paper"
    telling: ClassVar[frozenset[str]] = frozenset(
        {
            *(
                "unfinished/pass",
                "unfinished/stop",
                "unfinished/last-chance",
                "unfinished/mermaids",
            ),
            "whose",
        }
    )

    def __init__(self, setup: Setup, chance: Random) -> None:
        super().__init__(setup, chance)
        self.one_reader = setup.players[0] in ONE_READER
        self._round: _Round | None = None
        self._says: dict[str, str] = {}
        self._gathers = False
        self._last = ""

    @classmethod
    def invitation(cls, chance: Random) -> Setup:
        """A few players, one reader or many, either way of tracking."""
        names = chance.choice((MANY_READERS, MANY_READERS, ONE_READER))
        players = names[: chance.choice((2, 3, 4))]
        options: dict[str, Any] = {
            "tracking": chance.choice(("full", "full", "score")),
            "tie": chance.choice(("ended-last", "last-round-points")),
            "salt": chance.random() < 0.4,
        }
        return Setup(cls.game, players, chance.choice(players), options)

    @classmethod
    def stations(cls, setup: Setup) -> Sequence[str]:
        """One reader that nobody gave a place, or one at each place."""
        if setup.options.get("tracking") == "score" or setup.players[0] in ONE_READER:
            return ("",)
        seats = range(1, len(setup.players) + 1)
        return (PLAY, DRAW, "discard-1", "discard-2", *(f"seat-{number}" for number in seats))

    @classmethod
    def tags(cls, setup: Setup) -> Mapping[str, str]:
        """The cards in play, a token for each player, and the control tokens."""
        state = game_named(cls.game).start(setup.players, setup.starter, setup.options)
        return numbered_tags(
            [
                *(f"{cls.game}/{name}" for name in names_of(state.terms.cards)),
                *(f"player/{number}" for number in range(1, len(setup.players) + 1)),
                *(f"control/{name}" for name in CONTROLS),
            ]
        )

    def move(self, truth: Match) -> Move:
        """What happens next, and the taps that tell it."""
        self._says = {}
        if not isinstance(truth.state, State):
            return self._scored(truth)
        before = truth.state
        prefix: tuple[Action, ...] = ()
        if truth.game.legal(before) == (Skip(),):
            prefix = (Skip(),)
            truth = truth.do(Skip())
        move = self._tracked(truth)
        for action in move.actions:
            truth = truth.do(action)
        self._lay_out(truth.state)
        laid = [gesture.uid for gesture in move.gestures if isinstance(gesture, Lay)]
        self._last = laid[-1] if laid else ""
        return Move((*prefix, *move.actions), move.gestures)

    def answer(self, question: Question, truth: Match) -> str | None:
        """What people know of the card that they have just tapped."""
        del truth
        keys = [choice.key for choice in question.choices]
        if question.key.startswith("unfinished/"):
            return "forget"
        if question.key == "twice":
            return "stay"
        if question.key == "again":
            return self._says.get("again", "again")
        if question.key == "unfinished":
            return "on"
        if question.key == "trio":
            return next(key for key in ("another", "none") if key in keys)
        if question.key == "whose":
            return self._owner(question.text)
        if question.key == "passed":
            return self._says.get("passed", "no")
        return self._says.get(question.key)

    # Full tracking

    def _tracked(self, truth: Match) -> Move:
        state: State = truth.state
        match state.phase:
            case "deal":
                cards = self.chance.sample(names_of(state.terms.cards), 2)
                if self._uid(cards[0]) == self._last:
                    cards.reverse()  # with one reader it would be asked for
                laid = [
                    self._lay(card, f"discard-{pile}")
                    for card, pile in zip(cards, PILES, strict=True)
                ]
                actions: tuple[Action, ...] = (Deal((cards[0], cards[1])),)
                if not self.one_reader:
                    self.chance.shuffle(laid)
                return Move(actions, tuple(laid))
            case "take":
                return self._take(truth)
            case "play":
                return self._play(truth)
            case "look":
                return self._look(state)
            case "pick":
                return self._pick(state, state.looking)
            case "fish" | "stung" if state.deck:
                card = self.chance.choice(names_of(state.deck))
                where = self.chance.choice((DRAW, self._seat(state)))
                return Move((DrawOne(card),), (self._lay(card, where),))
            case "steal":
                victim = self.chance.choice(victims(state))
                card = self.chance.choice(names_of(state.hands[victim]))
                steal = Steal(state.terms.players[victim], card)
                return Move((steal,), (self._lay(card, self._seat(state)),))
        return self._ended(Pass())

    def _take(self, truth: Match) -> Move:
        state: State = truth.state
        takes = [action for action in truth.game.legal(state) if isinstance(action, Take)]
        if takes and (not state.deck or self.chance.random() < 0.35):
            take = self.chance.choice(takes)
            card = name_of(state.piles[take.pile - 1][-1])
            self._says["again"] = "now"
            return Move((take,), (self._lay(card, self._seat(state)),))
        deck = names_of(state.deck)
        cards = self.chance.sample(deck, min(2, len(deck)))
        if len(cards) == 1:
            where = self.chance.choice((DRAW, self._seat(state)))
            return Move((Draw((cards[0],)),), (self._lay(cards[0], where),))
        return self._keep(state, cards)

    def _keep(self, state: State, cards: list[str]) -> Move:
        """Two cards drawn: one is kept, the other laid down, told in one of several ways."""
        kept = cards[0] if self.one_reader else self.chance.choice(cards)
        (other,) = (card for card in cards if card != kept)
        empty = [pile for pile in PILES if not state.piles[pile - 1]]
        pile: Pile = empty[0] if empty else self.chance.choice(PILES)
        actions: list[Action] = [Draw((cards[0], cards[1])), Keep(kept)]
        if not empty:
            actions.append(Discard(pile))
        drawn = [self._lay(card, DRAW) for card in cards]
        keeps = self._lay(kept, self._seat(state))
        lays = self._lay(other, f"discard-{pile}")
        self._says["kept"] = self._says["laid"] = f"pile-{pile}"
        if self.one_reader:
            return Move(tuple(actions), (*drawn, lays))
        ways: list[list[Gesture]] = [[*drawn, keeps, lays], [*drawn, lays]]
        if cards[0] == kept:
            ways.append([keeps, lays])
        else:
            ways.append([lays, keeps])
        way = self.chance.choice(ways)
        if empty and way[:2] == drawn and keeps in way:
            way.remove(lays)
        return Move(tuple(actions), tuple(way))

    def _play(self, truth: Match) -> Move:
        state: State = truth.state
        legal = truth.game.legal(state)
        duos = [action for action in legal if isinstance(action, Duo)]
        if duos and self.chance.random() < 0.7:
            duo = self.chance.choice(duos)
            first = [card for card in duo.cards if card.startswith("starfish")]
            others = [card for card in duo.cards if card not in first]
            self.chance.shuffle(others)
            cards = (*first, *others)
            self._says["again"] = "now"
            return Move((duo,), tuple(self._lay(card, PLAY) for card in cards))
        calls = [action for action in legal if isinstance(action, Stop | LastChance)]
        if state.hands[state.seat] & MERMAIDS == MERMAIDS:
            return self._ended(Mermaids())
        if calls and self.chance.random() < 0.4:
            return self._ended(self.chance.choice(calls))
        return self._ended(Pass())

    def _ended(self, action: Action) -> Move:
        self._says["passed"] = "yes"
        if self.chance.random() < 0.2:
            return Move((action,), (Touch(action),))
        return Move((action,), (self._token(_TOKEN_OF[type(action)]),))

    def _look(self, state: State) -> Move:
        pile = self.chance.choice(PILES)
        top = name_of(state.piles[pile - 1][-1])
        looks = self._lay(top, f"discard-{pile}")
        picks = self._pick(state, pile)
        gestures = picks.gestures
        if not self.one_reader and self.chance.random() < 0.5:
            gestures = (looks, *gestures)
        return Move((Look(pile), *picks.actions), gestures)

    def _pick(self, state: State, pile: int | None) -> Move:
        if pile == DECK_LOOKED_AT:
            cards = names_of(state.deck)
        else:
            cards = [name_of(card) for card in state.piles[(pile or 1) - 1]]
        card = self.chance.choice(cards)
        return Move((Pick(card),), (self._lay(card, self._seat(state)),))

    def _lay_out(self, state: State) -> None:
        """Where the cards lie after a move."""
        places: dict[str, Iterable[str]] = {
            "deck": names_of(state.deck),
            "drawn": map(name_of, state.drawn),
        }
        for pile in PILES:
            places[f"pile-{pile}"] = map(name_of, state.piles[pile - 1])
        for player, hand, table in zip(state.terms.players, state.hands, state.tables, strict=True):
            places[f"hand/{player}"] = names_of(hand)
            places[f"table/{player}"] = names_of(table)
        self.world.lying = {
            place: [self._uid(card) for card in cards] for place, cards in places.items()
        }

    # Score tracking

    def _scored(self, truth: Match) -> Move:
        state = truth.state
        if state.phase == "call":
            return self._call(truth)
        now = self._round
        assert now is not None  # noqa: S101 - it was called
        player = now.to_tell.pop(0)
        missing = [
            one for one, hand in zip(state.terms.players, state.hands, strict=True) if hand is None
        ]
        cards = now.hands[player]
        gestures: list[Gesture] = []
        token = self._token(f"player/{state.terms.players.index(player) + 1}")
        if len(missing) > 1:
            gestures.append(token)
        gestures += [self._lay(card, PLAY) for card in cards]
        agree: list[Gesture] = [self._token("control/stop")]
        if cards:
            agree += [token, Say("all")]
        self._says["none"] = "tap" if cards else "none"
        gestures.append(self.chance.choice(agree))
        self._gathers = len(missing) == 1 and self.chance.random() < 0.1
        return Move((Hand(player, tuple(cards)),), tuple(gestures))

    def _call(self, truth: Match) -> Move:
        if self._gathers and self._round is not None:
            return self._gather(truth)
        players = truth.setup.players
        deck = names_of(truth.state.terms.cards)
        self.chance.shuffle(deck)
        hands: dict[str, list[str]] = {}
        for player in players:
            count = self.chance.choice((0, 3, 6, 7, 8, 9, 11))
            hands[player], deck = deck[:count], deck[count:]
        reasons: tuple[Reason, ...] = (*("stop", "last-chance") * 8, "deck-empty", "mermaids")
        called = Call(self.chance.choice(players), self.chance.choice(reasons))
        to_tell = list(players)
        self.chance.shuffle(to_tell)
        self._round = _Round(hands, to_tell, called)
        self.world.lying = {
            f"hand/{player}": [self._uid(card) for card in cards] for player, cards in hands.items()
        } | {"rest": [self._uid(card) for card in deck]}
        caller = players.index(called.player or "") + 1
        if called.call == "deck-empty" or self.chance.random() < 0.2:
            return Move((called,), (Touch(called),))
        self._says["who"] = f"player-{caller}"
        call = self._token(f"control/{called.call}")
        if self.chance.random() < 0.5:
            return Move((called,), (self._token(f"player/{caller}"), call))
        return Move((called,), (call,))

    def _gather(self, truth: Match) -> Move:
        """All other cards are tapped once more, so that none can have been missed."""
        del truth
        self._gathers = False
        rest = self.world.at("rest")
        return Move((), (*(Lay("", uid) for uid in rest), Say("gathered")))

    def _owner(self, text: str) -> str | None:
        """Whose the card is that a question names first."""
        name = text.partition(" ")[0]
        if self._round is None:
            return None
        for number, cards in enumerate(self._round.hands.values(), 1):
            if name in cards:
                return f"player-{number}"
        return None

    # Gestures

    def _uid(self, card: str) -> str:
        return self.world.one(f"{self.game}/{card}")

    def _lay(self, card: str, station: str) -> Lay:
        return Lay(station if station in self.stations(self.setup) else "", self._uid(card))

    def _token(self, component: str) -> Lay:
        return Lay(self.stations(self.setup)[0], self.world.one(component))

    def _seat(self, state: State) -> str:
        return f"seat-{state.seat + 1}"


PEOPLE = SeaSaltPaperPeople
