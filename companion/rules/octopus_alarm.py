"""Octopus alarm: remember the tiles, collect animals, and mind the octopus with the ball.

Clause numbers ("rule 7") are those of `docs/rules/octopus-alarm.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Literal

from companion.rules.api import (
    Action,
    Chance,
    Game,
    GameWon,
    Json,
    Leave,
    Nothing,
    Option,
    OptionValue,
    Outcome,
    PlayerLeft,
    Refusal,
    Standing,
    TagKind,
    TurnEnded,
)
from companion.rules.octopus_alarm_dealing import dealt
from companion.rules.octopus_alarm_setup import OPTIONS, first_state
from companion.rules.octopus_alarm_tiles import checked, odds
from companion.rules.octopus_alarm_words import (
    AREAS,
    BILLY,
    CHIPS,
    IN_SHORT,
    PIECES,
    UNKNOWN,
    WAVE,
    Alarm,
    AnimalNotVisible,
    AnimalTaken,
    BillyMoved,
    Crew,
    Flip,
    PlayerStranded,
    ProvisionLost,
    Reef,
    ReefTop,
    Sail,
    ShipCapsized,
    ShipMoved,
    ShipUpright,
    Stacks,
    State,
    Stop,
    Swing,
    Take,
    Tile,
    no_animal,
    no_chip_left,
    no_landing,
    not_now,
    not_on_stack,
    places,
    swinger,
)
from companion.said import either, say, together

# Outcomes are values: one object of each serves all games.
_tile = cache(Tile)
_taken = cache(AnimalTaken)
_not_visible = cache(AnimalNotVisible)
_reef_top = cache(ReefTop)
_alarm_by = cache(Alarm)
_turn_ended = cache(TurnEnded)
_ship_moved = tuple(map(ShipMoved, range(AREAS)))
_billy_moved = tuple(map(BillyMoved, range(AREAS)))

_Result = tuple[State, tuple[Outcome, ...]]
_Stack = Literal[0, 1, 2, 3]

# `State(...)` in half the time, for the hot path.
_new = tuple.__new__


def _next_turn(state: State, outcomes: tuple[Outcome, ...], to: int | None = None) -> _Result:
    """The turn of the seat in turn is over: all tiles go face down, play passes on."""
    terms, reef, crew, ship, billy, _, seen, seat, _, _, swings = state
    # A top that was not told before a player left is asked of the next one.
    phase = "reef" if UNKNOWN in reef[0] else "sail"
    after = crew[2][seat] if to is None else to
    return (
        _new(State, (terms, reef, crew, ship, billy, 0, seen, after, phase, "", swings)),
        (*outcomes, _turn_ended(terms.players[seat])),
    )


def _reef(state: State, action: Reef) -> _Result:
    """Rule 4: a new top counts from now on, never for a tile that is up already."""
    terms, reef, crew, ship, billy, up, seen, seat, phase, _, swings = state
    if phase != "reef":
        raise not_now(state, "It is not possible to tell a top of the reef now: %(possible)s.")
    animal, stack = action.animal, action.stack
    tops, left, told = reef
    if animal is None:
        if tops[stack] != UNKNOWN:
            raise _known(tops, stack)
        raise Refusal("bad-command", say("Name the animal on top of the stack (rule 4)."))
    if animal is Nothing.NOTHING:
        raise Refusal(
            "card-not-available",
            say(
                "There is always a chip on top of a stack that is not empty (rule 8): name its "
                "animal."
            ),
        )
    if animal not in terms.animals:
        raise no_animal(terms, animal)
    if told.count(animal) == CHIPS:
        raise no_chip_left(animal)
    if tops[stack] != UNKNOWN:
        raise _known(tops, stack)
    tops = (*tops[:stack], animal, *tops[stack + 1 :])
    reef = _new(Stacks, (tops, left, (*told, animal)))
    outcomes = (_reef_top(stack, animal),)
    if UNKNOWN in tops:
        return _new(
            State, (terms, reef, crew, ship, billy, up, seen, seat, "reef", "", swings)
        ), outcomes
    phase = "choose" if up else "sail"
    state = _new(State, (terms, reef, crew, ship, billy, up, seen, seat, phase, "", swings))
    if up >> 4 * ship & 15 == 15:
        return _next_turn(state, outcomes)  # rule 3
    return state, outcomes


def _known(tops: Sequence[str | None], stack: int) -> Refusal:
    return Refusal(
        "not-legal",
        say(
            "The top of stack %(stack)s is known: tell stack %(stacks)s (rule 4).",
            stack=stack,
            stacks=either(places(tops, UNKNOWN)),
        ),
    )


def _sail(state: State, action: Sail) -> _Result:
    terms, reef, crew, ship, billy, up, seen, seat, phase, _, swings = state
    if phase != "sail":
        raise not_now(state, "It is not possible to sail now: %(possible)s.")
    ship = (ship + action.areas) % AREAS
    moved = _ship_moved[ship]
    if ship != billy:
        return _new(State, (terms, reef, crew, ship, billy, up, seen, seat, "flip", "", swings)), (
            moved,
        )
    if not terms.landing:
        raise no_landing(billy, 3 - action.areas)
    return _new(State, (terms, reef, crew, ship, billy, up, seen, seat, "alarm", "", swings)), (
        moved,
        _alarm_by(swinger(terms, crew, seat)),
    )


def _flip(state: State, action: Flip) -> _Result:
    terms, reef, crew, ship, billy, up, seen, seat, phase, _, swings = state
    if phase != "flip" and phase != "choose":  # noqa: PLR1714 - the hot path
        raise not_now(state, "It is not possible to flip a tile now: %(possible)s.")
    face, tile = action.face, action.tile
    place = 4 * ship + tile
    before = seen[place]
    if face is None or before != face:
        face = checked(state, place, face)
        seen = (*seen[:place], face, *seen[place + 1 :])
    if up >> place & 1:
        raise Refusal(
            "not-legal",
            say(
                "Tile %(tile)s of area %(area)s is up already: flip tile %(tiles)s (rule 2).",
                tile=tile,
                area=ship,
                tiles=either(_face_down(state)),
            ),
        )
    up |= 1 << place
    turned = _tile(ship, tile, face)
    if face == WAVE:
        ship = (ship + 1) % AREAS
        outcomes: tuple[Outcome, ...] = (turned, _ship_moved[ship])
    elif face == BILLY:
        billy = (billy + 1) % AREAS
        outcomes = (turned, _billy_moved[billy])
    else:
        state = _new(State, (terms, reef, crew, ship, billy, up, seen, seat, "take", face, swings))
        stacks = reef[0].count(face)
        if stacks == 1:
            return _take_from(state, reef[0].index(face), (turned,))
        if stacks:
            return state, (turned,)
        return _next_turn(state, (turned, _not_visible(face)))
    if ship == billy:
        return _new(State, (terms, reef, crew, ship, billy, up, seen, seat, "alarm", "", swings)), (
            *outcomes,
            _alarm_by(swinger(terms, crew, seat)),
        )
    state = _new(State, (terms, reef, crew, ship, billy, up, seen, seat, "choose", "", swings))
    if up >> 4 * ship & 15 == 15:
        return _next_turn(state, outcomes)  # rule 3
    return state, outcomes


def _face_down(state: State) -> list[int]:
    """The tiles of the ship's area that can be flipped."""
    return [tile for tile in range(4) if not state.up >> 4 * state.ship + tile & 1]


def _take_from(state: State, stack: int, outcomes: tuple[Outcome, ...]) -> _Result:
    """Rules 4 and 8: the chip comes, the one below is asked for, and the target wins."""
    terms, reef, crew, ship, billy, up, seen, seat, _, animal, swings = state
    tops, left, told = reef
    animals, provisions, after, winners = crew
    own = (*animals[seat], animal)
    animals = (*animals[:seat], own, *animals[seat + 1 :])
    chips = left[stack] - 1
    left = (*left[:stack], chips, *left[stack + 1 :])
    tops = (*tops[:stack], UNKNOWN if chips else None, *tops[stack + 1 :])
    reef = _new(Stacks, (tops, left, told))
    player = terms.players[seat]
    outcomes = (*outcomes, _taken(player, animal, stack))
    phase = "reef" if chips else "choose"
    if len(own) == terms.target:
        winners = (seat,)
        phase = "over"
        outcomes = (*outcomes, GameWon(player))
    crew = _new(Crew, (animals, provisions, after, winners))
    state = _new(State, (terms, reef, crew, ship, billy, up, seen, seat, phase, "", swings))
    if phase == "choose" and up >> 4 * ship & 15 == 15:
        return _next_turn(state, outcomes)  # rule 3
    return state, outcomes


def _take(state: State, action: Take) -> _Result:
    if state.phase != "take":
        raise not_now(state, "It is not possible to take a chip now: %(possible)s.")
    stack = action.stack
    if state.reef.tops[stack] != state.animal:
        raise not_on_stack(state, stack)
    return _take_from(state, stack, ())


def _stop(state: State, action: Stop) -> _Result:
    del action
    if state.phase != "choose":
        raise not_now(state, "It is not possible to stop now: %(possible)s.")
    return _next_turn(state, ())


def _swing(state: State, action: Swing) -> _Result:
    """Rules 5, 6 and 7: how the ship stands in the end counts; what was taken is kept."""
    terms, reef, crew, ship, billy, up, seen, seat, phase, animal, swings = state
    if phase != "alarm":
        raise not_now(state, "It is not possible to swing the ball now: %(possible)s.")
    if action.ship is None:
        raise Refusal("bad-command", say("Say whether the ship is capsized or upright (rule 7)."))
    swings += 1
    if action.ship == "upright":
        state = _new(State, (terms, reef, crew, ship, billy, up, seen, seat, phase, animal, swings))
        return _next_turn(state, _UPRIGHT)
    animals, provisions, after, winners = crew
    left = provisions[seat] - 1
    provisions = (*provisions[:seat], left, *provisions[seat + 1 :])
    crew = _new(Crew, (animals, provisions, after, winners))
    state = _new(State, (terms, reef, crew, ship, billy, up, seen, seat, phase, animal, swings))
    outcomes = (*_CAPSIZED, ProvisionLost(terms.players[seat], left))
    if left:
        return _next_turn(state, outcomes)
    return _stranded(state, (*outcomes, PlayerStranded(terms.players[seat])))


def _stranded(state: State, outcomes: tuple[Outcome, ...]) -> _Result:
    """Rules 9 and 10: the player in turn has lost the last provision."""
    terms, crew, seat = state.terms, state.crew, state.seat
    if terms.stranded == "eliminate":
        return _out(state, seat, outcomes)
    rivals = [
        rival for rival in _in_game(crew) if rival != seat or terms.stranded == "end-included"
    ]

    def standing(rival: int) -> tuple[int, int]:
        return len(crew.animals[rival]), 0 if terms.tie_shared else crew.provisions[rival]

    best = max(map(standing, rivals))
    return _won(state, [rival for rival in rivals if standing(rival) == best], outcomes)


def _won(state: State, winners: Sequence[int], outcomes: tuple[Outcome, ...]) -> _Result:
    crew = state.crew._replace(winners=tuple(winners))
    players = state.terms.players
    return (
        state._replace(crew=crew, phase="over", animal=""),
        (*outcomes, *(GameWon(players[winner]) for winner in winners)),
    )


def _out(state: State, seat: int, outcomes: tuple[Outcome, ...]) -> _Result:
    """Rules 9 and 13: this seat is skipped from now on, and the last one left wins."""
    before = state.crew.after
    successor = before[seat]
    crew = state.crew._replace(
        after=tuple(
            None if each == seat else successor if following == seat else following
            for each, following in enumerate(before)
        )
    )
    state = state._replace(crew=crew)
    here = _in_game(crew)
    if len(here) == 1:
        return _won(state, here, outcomes)
    if state.seat == seat:
        return _next_turn(state, outcomes, successor)
    return state, outcomes


def _in_game(crew: Crew) -> list[int]:
    return [seat for seat, after in enumerate(crew.after) if after is not None]


def _leave(state: State, action: Leave) -> _Result:
    """Rule 13: their chips are set aside, and a top that they should tell is still asked for."""
    players, crew = state.terms.players, state.crew
    here = _in_game(crew)
    names = [players[seat] for seat in here]
    if action.player not in names:
        raise Refusal(
            "unknown-player",
            say(
                "%(player)s is not in this game: %(players)s can leave (rule 13).",
                player=repr(action.player),
                players=either(names),
            ),
        )
    leaver = here[names.index(action.player)]
    animals = tuple(() if seat == leaver else own for seat, own in enumerate(crew.animals))
    state = state._replace(crew=crew._replace(animals=animals))
    return _out(state, leaver, (PlayerLeft(action.player),))


_UPRIGHT = (ShipUpright(),)
_CAPSIZED = (ShipCapsized(),)
_HANDLERS: Mapping[type[Action], Callable[[State, Any], _Result]] = {
    Reef: _reef,
    Sail: _sail,
    Flip: _flip,
    Take: _take,
    Stop: _stop,
    Swing: _swing,
    Leave: _leave,
}


class OctopusAlarm(Game[State]):
    """Octopus alarm for 2 to 4 players."""

    name: ClassVar[str] = "octopus-alarm"
    actions: ClassVar[tuple[type[Action], ...]] = tuple(_HANDLERS)
    outcomes: ClassVar[tuple[type[Outcome], ...]] = (
        *(Tile, AnimalTaken, AnimalNotVisible, ReefTop, ShipMoved, BillyMoved),
        *(Alarm, ShipCapsized, ShipUpright, ProvisionLost, PlayerStranded),
        *(PlayerLeft, TurnEnded, GameWon),
    )
    seats: ClassVar[range] = range(2, 5)
    components: ClassVar[tuple[str, ...]] = tuple(PIECES)
    boxes: ClassVar[tuple[Mapping[str, int], ...]] = (PIECES,)
    options: ClassVar[tuple[Option, ...]] = OPTIONS
    in_short: ClassVar[str] = IN_SHORT
    ship: ClassVar[bool] = True

    def setup(
        self, players: Sequence[str], starter: str, options: Mapping[str, OptionValue]
    ) -> State:
        """The state before the first top of the reef is told (see `Game.setup`)."""
        return first_state(players, starter, options)

    def apply(self, state: State, action: Action) -> _Result:
        """The next state and what came of the action (see `Game.apply`)."""
        if state.phase == "over":
            names = together(self.standing(state).winners)
            raise Refusal(
                "game-over",
                say(
                    "The game is over, won by %(players)s: take back or start anew.", players=names
                ),
            )
        handler = _HANDLERS.get(type(action))
        if handler is None:
            raise Refusal("bad-command", say("Octopus alarm knows no such action."))
        return handler(state, action)

    def standing(self, state: State) -> Standing:
        """Whose turn it is, the phase, the animals of each player and the winners."""
        players, crew = state.terms.players, state.crew
        over = state.phase == "over"
        return Standing(
            turn=None if over else players[state.seat],
            phase=state.phase,
            scores={player: len(own) for player, own in zip(players, crew.animals, strict=True)},
            over=over,
            winners=tuple(players[seat] for seat in crew.winners),
            gone=tuple(
                player
                for player, after, left in zip(players, crew.after, crew.provisions, strict=True)
                if after is None and left  # without provisions they are stranded
            ),
        )

    def may_act(self, state: State, player: str) -> bool:
        """The player in turn; in an alarm also who swings the ball (rule 7)."""
        if state.phase != "alarm":
            return super().may_act(state, player)
        swings = swinger(state.terms, state.crew, state.seat)
        return player in (swings, state.terms.players[state.seat])

    def legal(self, state: State) -> tuple[Action, ...]:
        """Every action open to the player in turn (see `Game.legal`)."""
        stacks: tuple[_Stack, ...] = (0, 1, 2, 3)
        tops, up, ship = state.reef.tops, state.up, state.ship
        match state.phase:
            case "reef":
                return tuple(Reef(stack) for stack in stacks if tops[stack] == UNKNOWN)
            case "sail":
                ways: tuple[Literal[1, 2], ...] = (1, 2)
                return tuple(
                    Sail(areas)
                    for areas in ways
                    if state.terms.landing or (ship + areas) % AREAS != state.billy
                )
            case "flip" | "choose":
                flips = tuple(Flip(tile) for tile in stacks if not up >> 4 * ship + tile & 1)
                return (*flips, Stop()) if state.phase == "choose" else flips
            case "take":
                return tuple(Take(stack) for stack in stacks if tops[stack] == state.animal)
            case "alarm":
                return (Swing(),)
        return ()

    def view(self, state: State, viewer: str | None) -> Json:
        """Rule 12: the same for everybody, and nothing of what lies face down."""
        del viewer
        terms, reef, crew = state.terms, state.reef, state.crew
        seen = {f"{place // 4}-{place % 4}": face for place, face in enumerate(state.seen) if face}
        view: dict[str, Any] = {
            "ship": state.ship,
            "billy": state.billy,
            "face_up": {
                f"{place // 4}-{place % 4}": face
                for place, face in enumerate(state.seen)
                if state.up >> place & 1
            },
            "reef": list(reef.tops),
            "reef_left": list(reef.left),
            "animals": dict(zip(terms.players, map(list, crew.animals), strict=True)),
            "provisions": dict(zip(terms.players, crew.provisions, strict=True)),
            "target": terms.target,
            "swinger": swinger(terms, crew, state.seat) if state.phase == "alarm" else None,
        }
        return {**view, "seen": seen} if terms.memory_aid else view

    def odds(self, state: State) -> Json | None:
        """What a face-down tile of the ship's area may be (see `octopus_alarm_tiles.odds`)."""
        return odds(state) if state.phase in ("flip", "choose") else None

    def deal(self, state: State, action: Action, chance: Chance) -> Action:
        """Turn up the tile or chip that lies there, or let the ball hit (see `Game.deal`)."""
        return dealt(state, action, chance)

    def meaning(self, state: State, kind: TagKind, name: str) -> Action | None:
        """The stop token ends the turn, and in an alarm the ship tells how it stands (rule 7).

        What a tag of a tile means cannot be told from its face.
        """
        match kind, name:
            case "control", "stop":
                return Stop()
            case "ship", ("capsized" | "upright") if state.phase == "alarm":
                return Swing("capsized" if name == "capsized" else "upright")
        return None

    def carries(self, outcomes: Sequence[Outcome]) -> bool:
        """Sailing and the wave move the ship; Lille-Billy comes by himself."""
        return any(isinstance(outcome, ShipMoved) for outcome in outcomes)


GAME = OctopusAlarm()
