"""Sea Salt & Paper as a game: the two ways of tracking it under one name, and the dealing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from companion.rules.api import (
    Action,
    Chance,
    Game,
    GameWon,
    Json,
    Option,
    OptionValue,
    Outcome,
    Refusal,
    Standing,
    TurnEnded,
)
from companion.rules.sea_salt_paper import full_tracking, score_tracking
from companion.rules.sea_salt_paper.cards import BIT, DECK, NAMES, SALT_DECK, names_of, set_of
from companion.rules.sea_salt_paper.duos import EFFECT_OF
from companion.rules.sea_salt_paper.score_tracking import Tally
from companion.rules.sea_salt_paper.state import State, before_first_deal, victims
from companion.rules.sea_salt_paper.view import odds, tells_of_a_hand, view
from companion.rules.sea_salt_paper.words import (
    IN_SHORT,
    LOOKED_AT_BY_LOBSTER,
    OPTIONS,
    TARGETS,
    AnotherTurn,
    Call,
    Called,
    Deal,
    Dealt,
    Discard,
    Discarded,
    Draw,
    DrawOne,
    Drew,
    Duo,
    DuoPlayed,
    Fizzled,
    Hand,
    Keep,
    LastChance,
    Look,
    Mermaids,
    Pass,
    Pick,
    Picked,
    RoundEnded,
    Skip,
    Steal,
    Stole,
    Stop,
    Stung,
    Take,
    Terms,
    Took,
)
from companion.said import say, together


class SeaSaltPaper(Game[State | Tally]):
    """Sea Salt & Paper for 2 to 4 players, with Extra Salt as an option."""

    name: ClassVar[str] = "sea-salt-paper"
    actions: ClassVar[tuple[type[Action], ...]] = (
        *(Deal, Draw, Take, Skip, Keep, Discard),
        *(Duo, Look, Pick, DrawOne, Steal),
        *(Pass, Stop, LastChance, Mermaids),
        *(Call, Hand),
    )
    outcomes: ClassVar[tuple[type[Outcome], ...]] = (
        *(Dealt, Drew, Discarded, Took),
        *(DuoPlayed, Picked, Stole, Stung, AnotherTurn, Fizzled),
        *(Called, TurnEnded, RoundEnded, GameWon),
    )
    seats: ClassVar[range] = range(2, 5)
    components: ClassVar[tuple[str, ...]] = NAMES
    boxes: ClassVar[tuple[Mapping[str, int], ...]] = (
        dict.fromkeys(names_of(DECK), 1),
        dict.fromkeys(names_of(SALT_DECK & ~DECK), 1),
    )
    options: ClassVar[tuple[Option, ...]] = OPTIONS
    in_short: ClassVar[str] = IN_SHORT

    def setup(
        self, players: Sequence[str], starter: str, options: Mapping[str, OptionValue]
    ) -> State | Tally:
        """The state before the first action (see `Game.setup`)."""
        terms = Terms(
            players=tuple(players),
            cards=SALT_DECK if options.get("salt") else DECK,
            target=TARGETS[len(players)],
            tie_by_round=options.get("tie") == "last-round-points",
        )
        seat = players.index(starter)
        if options.get("tracking") == "score":
            return score_tracking.start(terms, seat)
        return before_first_deal(terms, seat)

    def apply(
        self, state: State | Tally, action: Action
    ) -> tuple[State | Tally, tuple[Outcome, ...]]:
        """The next state and what came of the action (see `Game.apply`)."""
        if type(action) is Duo and len(action.cards) > 2 and not state.terms.salt:
            raise Refusal(
                "bad-command",
                say(
                    "A duo has two cards, and three make a trio only with salt=true (rules 7 and 34)."
                ),
            )
        if state.phase == "over":
            winners = together(state.terms.players[seat] for seat in state.winners)
            raise Refusal(
                "game-over",
                say(
                    "The game is over, won by %(players)s: take back or start anew.",
                    players=winners,
                ),
            )
        if isinstance(state, State):
            return full_tracking.apply(state, action)
        return score_tracking.apply(state, action)

    def standing(self, state: State | Tally) -> Standing:
        """Whose turn it is, the phase, the totals and the winners."""
        if isinstance(state, State):
            return full_tracking.standing(state)
        return score_tracking.standing(state)

    def legal(self, state: State | Tally) -> tuple[Action, ...]:
        """Every action open to the player in turn; it can name that player's cards."""
        if isinstance(state, State):
            return full_tracking.legal(state)
        return score_tracking.legal(state)

    def may_act(self, state: State | Tally, player: str) -> bool:
        """With score tracking, after a round, all whose cards were not told yet (rule 29)."""
        if isinstance(state, State) or state.phase != "hand":
            return super().may_act(state, player)
        return state.hands[state.terms.players.index(player)] is None

    def view(self, state: State | Tally, viewer: str | None) -> Json:
        """What that player, or a spectator, may know (rules 26 and 27)."""
        return view(state, viewer) if isinstance(state, State) else score_tracking.view(state)

    def odds(self, state: State | Tally) -> Json | None:
        """What the player in turn can know about the top of the deck (rule 37)."""
        return odds(state) if isinstance(state, State) else None

    def secret(self, action: Action) -> bool:
        """Whether the action tells something of a card that not everybody may see (rule 26)."""
        return tells_of_a_hand(action)

    def deal(self, state: State | Tally, action: Action, chance: Chance) -> Action:
        """Fill in what lies on top of the deck, or is drawn blindly (see `Game.deal`)."""
        if not isinstance(state, State):
            return action
        match action, state.phase:
            case Deal(cards), "deal":
                anew = state._replace(
                    deck=state.terms.cards, shuffled=state.terms.cards, shuffles=0
                )
                dealt = _top(anew, 2, chance, state.dealt + 1)
                if _may_stand(state, cards):
                    _must_be(cards is None or cards == dealt)
                    return Deal(dealt)
            case Draw(cards), "take" if state.deck:
                drawn = _top(state, 2, chance)
                if _may_stand(state, cards) and (cards is None or len(cards) == len(drawn)):
                    _must_be(cards is None or set(cards) == set(drawn))
                    return Draw(drawn)
            case DrawOne(card), "fish" | "stung" if state.deck:
                drawn = _top(state, 1, chance)
                if _may_stand(state, _one(card)):
                    _must_be(card in (None, *drawn))
                    return DrawOne(*drawn)
            case Duo(cards, looked), "play" if _lobster_comes(state, cards):
                top = _top(state, LOOKED_AT_BY_LOBSTER, chance)
                if _may_stand(state, looked):
                    _must_be(not looked or set(looked) == set(top))
                    return replace(action, looked=top)
            case Steal(name, card), "steal" if _may_stand(state, _one(card)):
                return _stolen(state, name, card, chance) or action
        return action


def _top(
    state: State, count: int, chance: Chance, round_number: int | None = None
) -> tuple[str, ...]:
    """The cards on top of the deck: at most `count`, fewer where fewer are left."""
    number = state.dealt if round_number is None else round_number
    order = chance.shuffled(f"round {number}.{state.shuffles}", names_of(state.shuffled))
    gone = len(order) - state.deck.bit_count()
    return tuple(order[gone : gone + count])


def _lobster_comes(state: State, names: tuple[str, ...]) -> bool:
    if not state.deck or not all(name in BIT for name in names):
        return False
    cards = set_of(names)
    return cards & ~state.hands[state.seat] == 0 and EFFECT_OF.get(cards) == "lobster"


def _stolen(state: State, name: str, card: str | None, chance: Chance) -> Action | None:
    """A card drawn blindly from that hand, where it can be."""
    players = state.terms.players
    if name not in [players[seat] for seat in victims(state)]:
        return None
    hand = names_of(state.hands[players.index(name)])
    played = sum(table.bit_count() for table in state.tables)
    drawn = chance.shuffled(f"steal {state.dealt}.{played}", hand)[0]
    _must_be(card in (None, drawn))
    return Steal(name, drawn)


def _one(card: str | None) -> tuple[str, ...]:
    return () if card is None else (card,)


def _may_stand(state: State, cards: tuple[str, ...] | None) -> bool:
    """Whether these cards, where they are named, are such that only chance can be against them."""
    names = cards or ()
    return all(BIT.get(name, 0) & state.terms.cards for name in names) and len(set(names)) == len(
        names
    )


def _must_be(right: object) -> None:
    if not right:
        raise Refusal(
            "card-not-available",
            say("The program deals, and another card comes (rule 26): leave the card out."),
        )


GAME = SeaSaltPaper()
