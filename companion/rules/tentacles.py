"""Five tentacles: turn cards and push your luck until each tentacle holds a fish.

Clause numbers ("rule 7") are those of `docs/rules/tentacles.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from companion.rules.api import (
    Action,
    Chance,
    Choice,
    Game,
    GameWon,
    Json,
    Leave,
    Option,
    OptionValue,
    Outcome,
    Pieces,
    PlayerLeft,
    Refusal,
    Standing,
    TagKind,
    TurnEnded,
)
from companion.rules.tentacles_words import (
    DECK_OPTIONS,
    FACES,
    IN_SHORT,
    KIND_OF,
    KINDS,
    OCTOPUS,
    PATTERNS,
    Card,
    Decline,
    FishLost,
    FishStolen,
    FishWon,
    Lose,
    Reshuffle,
    Reshuffled,
    Reveal,
    State,
    Steal,
    Stop,
    Terms,
    no_card,
    no_copy,
    no_fish_to_lose,
    no_fish_to_take,
    not_now,
    read_deck,
)
from companion.said import either, say

# Outcomes are values: one object of each serves all games.
_card = {name: Card(name) for name in FACES}
_fish_won = cache(FishWon)
_fish_lost = cache(FishLost)
_turn_ended = cache(TurnEnded)


_Fish = tuple[frozenset[str], ...]
_Result = tuple[State, tuple[Outcome, ...]]


def _seated(fish: _Fish, seat: int, own: frozenset[str]) -> _Fish:
    seats = list(fish)
    seats[seat] = own
    return tuple(seats)


# `State(...)` in half the time, for the hot path.
_new = tuple.__new__


def _next_turn(state: State, fish: _Fish, outcomes: tuple[Outcome, ...]) -> _Result:
    """The turn of the seat in turn is over, with the fish as they are now: play passes on."""
    terms, _, left, pile, seat, _, _, _, after, shuffles = state
    return (
        _new(State, (terms, fish, left, pile, after[seat], "reveal", 0, "", after, shuffles)),
        (*outcomes, _turn_ended(terms.players[seat])),
    )


def _reveal(state: State, action: Reveal) -> _Result:
    phase = state.phase
    if phase != "reveal" and phase != "choose":  # noqa: PLR1714 - the hot path
        raise not_now(state, "It is not possible to turn a card now: %(possible)s.")
    terms, fish, left, pile, seat, _, reveals, _, after, shuffles = state
    if not pile:
        raise Refusal(
            "not-legal", say("The pile is empty: shuffle all cards and confirm it first (rule 9).")
        )
    name = action.card
    if name is None:
        raise Refusal("bad-command", say("Name the card that was turned up (rule 10)."))
    kind = KIND_OF.get(name)
    if kind is None:
        raise no_card(name)
    place, _, pattern, sign = kind
    count = left[place]
    if not count:
        raise no_copy(state, name)
    counts = list(left)
    counts[place] = count - 1
    left = tuple(counts)
    pile -= 1
    reveals += 1
    turned = _card[name]
    if sign != "plain":
        state = _new(State, (terms, fish, left, pile, seat, "choose", reveals, "", after, shuffles))
        return _EFFECTS[sign](state, pattern, turned)
    own = fish[seat]
    if pattern in own:
        state = _new(State, (terms, fish, left, pile, seat, "choose", reveals, "", after, shuffles))
        return state, (turned,)
    own |= {pattern}
    fish = _seated(fish, seat, own)
    player = terms.players[seat]
    won = _fish_won(player, pattern)
    if len(own) < len(PATTERNS):
        state = _new(State, (terms, fish, left, pile, seat, "choose", reveals, "", after, shuffles))
        return state, (turned, won)
    state = _new(State, (terms, fish, left, pile, seat, "over", reveals, "", after, shuffles))
    return state, (turned, won, GameWon(player))


def _eyes(state: State, pattern: str, turned: Card) -> _Result:
    """Rule 7: the eyes take the fish of their own pattern, no other."""
    own = state.fish[state.seat]
    if pattern not in own:
        return state, (turned,)
    lost = _fish_lost(state.terms.players[state.seat], pattern)
    return _next_turn(state, _seated(state.fish, state.seat, own - {pattern}), (turned, lost))


def _octopus(state: State, pattern: str, turned: Card) -> _Result:
    """Rule 8: all own fish, or one of the player's choice."""
    del pattern
    own = state.fish[state.seat]
    if not state.terms.octopus_takes_all and len(own) > 1:
        return state._replace(phase="lose"), (turned,)
    player = state.terms.players[state.seat]
    lost = tuple(_fish_lost(player, pattern) for pattern in sorted(own))
    return _next_turn(state, _seated(state.fish, state.seat, frozenset()), (turned, *lost))


def _tentacle(state: State, pattern: str, turned: Card) -> _Result:
    if pattern in state.fish[state.seat]:
        return state, (turned,)
    return _offer_theft(state, pattern, (turned,))


def _offer_theft(state: State, pattern: str, outcomes: tuple[Outcome, ...]) -> _Result:
    """Rules 2, 3 and 4: ask whom to rob, unless there is nothing to ask."""
    victims = _victims(state, pattern)
    if not victims:
        if state.terms.dry_ends:
            return _next_turn(state, state.fish, outcomes)
        return state._replace(phase="choose", pattern=""), outcomes
    if state.terms.must_steal and len(victims) == 1:
        return _rob(state, victims[0], pattern, outcomes)
    return state._replace(phase="steal", pattern=pattern), outcomes


def _victims(state: State, pattern: str) -> list[int]:
    return [seat for seat, fish in enumerate(state.fish) if seat != state.seat and pattern in fish]


def _rob(state: State, victim: int, pattern: str, outcomes: tuple[Outcome, ...]) -> _Result:
    """Rule 6: from tentacle to tentacle; the sea does not change."""
    seat = state.seat
    players = state.terms.players
    own = state.fish[seat] | {pattern}
    fish = _seated(state.fish, victim, state.fish[victim] - {pattern})
    fish = _seated(fish, seat, own)
    outcomes = (*outcomes, FishStolen(players[seat], players[victim], pattern))
    if len(own) == len(PATTERNS):
        state = state._replace(fish=fish, phase="over", pattern="")
        return state, (*outcomes, GameWon(players[seat]))
    return _next_turn(state, fish, outcomes)


def _stop(state: State, action: Stop) -> _Result:
    del action
    if state.phase != "choose":
        raise not_now(state, "It is not possible to stop now: %(possible)s.")
    return _next_turn(state, state.fish, ())


def _steal(state: State, action: Steal) -> _Result:
    if state.phase != "steal":
        raise not_now(state, "It is not possible to take a fish from somebody now: %(possible)s.")
    players = state.terms.players
    victims = _victims(state, state.pattern)
    names = [players[victim] for victim in victims]
    if action.from_ not in names:
        raise no_fish_to_take(state, action.from_, names)
    return _rob(state, victims[names.index(action.from_)], state.pattern, ())


def _decline(state: State, action: Decline) -> _Result:
    del action
    if state.phase != "steal":
        raise not_now(state, "It is not possible to decline now: %(possible)s.")
    if state.terms.must_steal:
        raise Refusal(
            "not-legal", say("This table plays that a fish must be taken (rule 3): choose whose.")
        )
    return _next_turn(state, state.fish, ())


def _lose(state: State, action: Lose) -> _Result:
    if state.phase != "lose":
        raise not_now(state, "It is not possible to choose a fish to lose now: %(possible)s.")
    seat = state.seat
    pattern = action.pattern
    own = state.fish[seat]
    if pattern not in own:
        raise no_fish_to_lose(pattern, own)
    lost = _fish_lost(state.terms.players[seat], pattern)
    return _next_turn(state, _seated(state.fish, seat, own - {pattern}), (lost,))


def _reshuffle(state: State, action: Reshuffle) -> _Result:
    """Rule 9: the same turn goes on with a new pile."""
    if state.phase not in ("reveal", "choose"):
        raise not_now(state, "It is not possible to shuffle now: %(possible)s.")
    if state.pile != action.unseen:
        raise Refusal(
            "not-legal",
            say(
                "The pile is shuffled when its last card is turned (rule 9): %(pile)s can still be "
                "turned.",
                pile=state.pile,
            ),
        )
    deck = state.terms.deck
    return (
        state._replace(left=deck, pile=sum(deck), shuffles=state.shuffles + 1),
        (Reshuffled(),),
    )


def _leave(state: State, action: Leave) -> _Result:
    """Rule 12: their fish return to the sea, the seat is skipped, the last one left wins."""
    players = state.terms.players
    here = [seat for seat, after in enumerate(state.after) if after is not None]
    names = [players[seat] for seat in here]
    if action.player not in names:
        raise Refusal(
            "unknown-player",
            say(
                "%(player)s is not in this game: %(players)s can leave (rule 12).",
                player=repr(action.player),
                players=either(names),
            ),
        )
    leaver = here[names.index(action.player)]
    left = PlayerLeft(action.player)
    in_turn = state.seat == leaver
    successor = state.after[leaver]
    state = state._replace(
        fish=_seated(state.fish, leaver, frozenset()),
        after=tuple(
            None if seat == leaver else successor if after == leaver else after
            for seat, after in enumerate(state.after)
        ),
    )
    here.remove(leaver)
    if len(here) == 1:
        winner = here[0]
        return (
            state._replace(seat=winner, phase="over", pattern=""),
            (left, GameWon(players[winner])),
        )
    if in_turn and successor is not None:
        return (
            state._replace(seat=successor, phase="reveal", reveals=0, pattern=""),
            (left, _turn_ended(action.player)),
        )
    if state.phase == "steal":
        return _offer_theft(state, state.pattern, (left,))
    return state, (left,)


_EFFECTS: Mapping[str, Callable[[State, str, Card], _Result]] = {
    "eyes": _eyes,
    "tentacle": _tentacle,
    OCTOPUS: _octopus,
}
_HANDLERS: Mapping[type[Action], Callable[[State, Any], _Result]] = {
    Reveal: _reveal,
    Stop: _stop,
    Steal: _steal,
    Decline: _decline,
    Lose: _lose,
    Reshuffle: _reshuffle,
    Leave: _leave,
}


class Tentacles(Game[State]):
    """Five tentacles for 2 to 6 players."""

    name: ClassVar[str] = "tentacles"
    actions: ClassVar[tuple[type[Action], ...]] = tuple(_HANDLERS)
    outcomes: ClassVar[tuple[type[Outcome], ...]] = (
        *(Card, FishWon, FishLost, FishStolen, TurnEnded, Reshuffled),
        *(PlayerLeft, GameWon),
    )
    seats: ClassVar[range] = range(2, 7)
    components: ClassVar[tuple[str, ...]] = FACES
    in_short: ClassVar[str] = IN_SHORT
    options: ClassVar[tuple[Option, ...]] = (
        *DECK_OPTIONS,
        Choice("dry_tentacle", ("end", "continue")),
        Choice("steal", ("optional", "forced")),
        Choice("octopus_takes", ("all", "one")),
    )

    def setup(
        self, players: Sequence[str], starter: str, options: Mapping[str, OptionValue]
    ) -> State:
        """The state before the first card (see `Game.setup`)."""
        deck = read_deck(options)
        count = len(players)
        return State(
            terms=Terms(
                players=tuple(players),
                deck=deck,
                dry_ends=options.get("dry_tentacle") != "continue",
                must_steal=options.get("steal") == "forced",
                octopus_takes_all=options.get("octopus_takes") != "one",
            ),
            fish=(frozenset(),) * count,
            left=deck,
            pile=sum(deck),
            seat=players.index(starter),
            phase="reveal",
            reveals=0,
            pattern="",
            after=tuple((seat + 1) % count for seat in range(count)),
            shuffles=0,
        )

    def apply(self, state: State, action: Action) -> _Result:
        """The next state and what came of the action (see `Game.apply`)."""
        if state.phase == "over":
            winner = state.terms.players[state.seat]
            raise Refusal(
                "game-over",
                say(
                    "The game is over, %(player)s has won: take back or start anew.", player=winner
                ),
            )
        handler = _HANDLERS.get(type(action))
        if handler is None:
            raise Refusal("bad-command", say("Five tentacles knows no such action."))
        return handler(state, action)

    def standing(self, state: State) -> Standing:
        """Whose turn it is, the phase, the fish of each player and the winner."""
        players = state.terms.players
        over = state.phase == "over"
        return Standing(
            turn=None if over else players[state.seat],
            phase=state.phase,
            scores={player: len(fish) for player, fish in zip(players, state.fish, strict=True)},
            over=over,
            winners=(players[state.seat],) if over else (),
            gone=tuple(
                player for player, after in zip(players, state.after, strict=True) if after is None
            ),
        )

    def legal(self, state: State) -> tuple[Action, ...]:
        """Every action open to the player in turn (see `Game.legal`)."""
        turn: tuple[Action, ...] = (Reveal(),) if state.pile else (Reshuffle(),)
        match state.phase:
            case "reveal":
                return turn
            case "choose":
                return (*turn, Stop())
            case "steal":
                players = state.terms.players
                thefts = tuple(Steal(players[seat]) for seat in _victims(state, state.pattern))
                return thefts if state.terms.must_steal else (*thefts, Decline())
            case "lose":
                return tuple(Lose(pattern) for pattern in sorted(state.fish[state.seat]))
        return ()

    def view(self, state: State, viewer: str | None) -> Json:
        """The same for everybody: nothing in this game is secret but the pile's order."""
        del viewer
        terms = state.terms
        return {
            "fish": {
                player: sorted(fish) for player, fish in zip(terms.players, state.fish, strict=True)
            },
            "sea": len(terms.players) * len(PATTERNS) - sum(map(len, state.fish)),
            "pile": state.pile,
            "discard": self.pieces(state).turned,
            "reveals": state.reveals,
        }

    def odds(self, state: State) -> Json | None:
        """Rule 13: discards are open, so everybody can count what may come."""
        if state.phase not in ("reveal", "choose") or not state.pile:
            return None
        own = state.fish[state.seat]
        costly = sum(
            left
            for kind, left in zip(KINDS, state.left, strict=True)
            if (kind.sign == "eyes" and kind.pattern in own) or (kind.sign == OCTOPUS and own)
        )
        return {
            "next": {
                name: left / state.pile
                for name, left in zip(FACES, state.left, strict=True)
                if left
            },
            "lose": costly / state.pile,
        }

    def deal(self, state: State, action: Action, chance: Chance) -> Action:
        """Turn up the next card of the pile as it was shuffled (see `Game.deal`)."""
        if not isinstance(action, Reveal) or state.phase not in ("reveal", "choose"):
            return action
        if not state.pile or (action.card is not None and action.card not in KIND_OF):
            return action
        deck = state.terms.deck
        cards = [name for name, count in zip(FACES, deck, strict=True) for _ in range(count)]
        card = chance.shuffled(f"pile {state.shuffles}", cards)[len(cards) - state.pile]
        if action.card not in (None, card):
            raise Refusal(
                "card-not-available",
                say("The program deals, and another card comes (rule 10): leave the card out."),
            )
        return Reveal(card)

    def meaning(self, state: State, kind: TagKind, name: str) -> Action | None:
        """A card is turned, a player is robbed, and stop also declines a theft."""
        match kind, name:
            case "component", _:
                return Reveal(name)
            case "player", _:
                return Steal(name)
            case _, "stop":
                return Decline() if state.phase == "steal" else Stop()
            case _, "shuffle":
                return Reshuffle()
        return None

    def gathers(self, action: Action) -> bool:
        """Rule 9: a shuffle brings every card back."""
        return isinstance(action, Reshuffle)

    def pieces(self, state: State) -> Pieces:
        """The deck, and the discard: cards turned since the last shuffle."""
        deck = dict(zip(FACES, state.terms.deck, strict=True))
        return Pieces(
            total={name: count for name, count in deck.items() if count},
            turned={
                name: deck[name] - left
                for name, left in zip(FACES, state.left, strict=True)
                if deck[name] > left
            },
        )

    def with_enrolled(self, options: Json, pieces: Mapping[str, int]) -> Json:
        """The deck in play is what is enrolled, unless a deck was chosen."""
        if not pieces or any(option.name in options for option in DECK_OPTIONS):
            return options
        return {**options, "deck": dict(pieces)}

    def warnings(self, options: Mapping[str, OptionValue]) -> tuple[str, ...]:
        """Eyes in the number of patterns or more make a game drag on."""
        deck = dict(zip(FACES, read_deck(options), strict=True))
        patterns = sum(deck[pattern] for pattern in PATTERNS)
        if sum(deck[f"{pattern}-eyes"] for pattern in PATTERNS) < patterns:
            return ()
        return (
            "With as many eyes as pattern cards, or more, a game drags on for hundreds of cards.",
        )


GAME = Tentacles()
