"""The odds of octopus alarm, against every way in which the hidden tiles can lie.

Nothing here knows how the odds are worked out: the sixteen tiles are laid in every order
that the layout allows and that fits what is known, and what a flip brings is counted.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from random import Random

import pytest
from octopus_alarm_game import GAME

from companion.rules.api import Refusal
from companion.rules.octopus_alarm_words import ANIMALS, Flip

LAYOUTS = ("fixed", "waves-only", "free")
TILES = ("wave",) * 4 + ("billy",) * 4 + ANIMALS
FACES = ("wave", "billy", *ANIMALS)


def allowed(layout, board):
    """Whether all sixteen tiles lie as the layout says."""
    areas = [board[4 * area : 4 * area + 4] for area in range(4)]
    if sorted(board) != sorted(TILES):
        return False
    if layout != "free" and any(area.count("wave") != 1 for area in areas):
        return False
    return layout != "fixed" or all(area.count("billy") == 1 for area in areas)


def lay(known, hidden):
    """Every different way to lay these tiles into the places that are not known."""
    if None not in known:
        yield known
        return
    place = known.index(None)
    for face in sorted(set(hidden)):
        rest = list(hidden)
        rest.remove(face)
        yield from lay((*known[:place], face, *known[place + 1 :]), rest)


@cache
def boards(layout, known):
    """All boards of the layout on which these tiles lie."""
    hidden = list((Counter(TILES) - Counter(face for face in known if face)).elements())
    return [board for board in lay(known, hidden) if allowed(layout, board)]


def random_board(layout, chance):
    while True:
        loose = list(TILES)
        chance.shuffle(loose)
        if layout != "free":
            loose = [face for face in loose if face != "wave"]
            if layout == "fixed":
                loose = [face for face in loose if face != "billy"]
            size = len(loose) // 4
            kept = ("wave", "billy")[: 4 - size]
            areas = [[*kept, *loose[size * n : size * n + size]] for n in range(4)]
            for area in areas:
                chance.shuffle(area)
            loose = [face for area in areas for face in area]
        assert allowed(layout, tuple(loose))
        return tuple(loose)


def position(layout, chance, *, aid="off"):
    """A phase in which a tile can be flipped, with few enough tiles hidden to lay them all."""
    players = ("Ann", "Bo", "Cy")
    options = {"layout": layout, "memory_aid": aid, "target": chance.choice((2, 7))}
    state = GAME.start(players, options=options)
    board = random_board(layout, chance)
    hidden = chance.sample(range(16), chance.randint(1, 7))
    ship = chance.choice(hidden) // 4
    up = {place for place in range(16) if place not in hidden}
    seen = [face if place in up else None for place, face in enumerate(board)]
    if aid == "on":
        for place in chance.sample(sorted(up), chance.randint(0, len(up))):
            up.discard(place)
    else:
        for place in chance.sample(hidden, chance.randint(0, len(hidden))):
            seen[place] = board[place]
    tops = tuple(chance.choices((*ANIMALS[:5], None), k=4))
    state = state._replace(
        phase=chance.choice(("flip", "choose")),
        reef=state.reef._replace(
            tops=tops, left=tuple(chance.choice((1, 4)) * bool(top) for top in tops)
        ),
        crew=state.crew._replace(animals=(chance.choice(((), ("squid",))), (), ())),
        ship=ship,
        billy=(ship + chance.randint(1, 3)) % 4,
        up=sum(1 << place for place in up),
        seen=tuple(seen),
    )
    return state, board


def flipped(state, face, tile):
    """Whether the turn is over after this flip and, where a chip was taken, its new top.

    Returns:
        Whether it is over without a win, and whether there is an alarm.
    """
    state = state._replace(seen=(None,) * 16)
    after, outcomes = GAME.apply(state, Flip(tile, face))
    kinds = [type(outcome).__name__ for outcome in outcomes]
    while after.phase in ("take", "reef"):
        action = GAME.legal(after)[0]
        if after.phase == "reef":
            action = type(action)(action.stack, ANIMALS[7])
        after, outcomes = GAME.apply(after, action)
        kinds += [type(outcome).__name__ for outcome in outcomes]
    return "Alarm" in kinds or "TurnEnded" in kinds, "Alarm" in kinds


def counted(state, known):
    """The odds by laying all boards and flipping every tile that lies face down."""
    layout = {("wave", "billy"): "fixed", ("wave",): "waves-only", (): "free"}[state.terms.always]
    down = [tile for tile in range(4) if not state.up >> 4 * state.ship + tile & 1]
    faces, ends, alarms = Counter(), 0, 0
    all_boards = boards(layout, known)
    brought = {}
    for board in all_boards:
        for tile in down:
            face = board[4 * state.ship + tile]
            if face not in brought:
                brought[face] = flipped(state, face, tile)
            faces[face] += 1
            ends += brought[face][0]
            alarms += brought[face][1]
    every = len(all_boards) * len(down)
    return {
        "next": {face: pytest.approx(float(Fraction(n, every))) for face, n in faces.items()},
        "ends_turn": pytest.approx(float(Fraction(ends, every))),
        "alarm": pytest.approx(float(Fraction(alarms, every))),
    }


def open_now(state):
    return tuple(face if state.up >> place & 1 else None for place, face in enumerate(state.seen))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(40))
def test_odds_are_those_of_all_ways_the_hidden_tiles_can_lie(layout, seed):
    state, _ = position(layout, Random(f"{layout}{seed}"))
    assert GAME.odds(state) == counted(state, open_now(state))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(40))
def test_with_the_memory_aid_they_follow_from_all_that_was_seen(layout, seed):
    state, _ = position(layout, Random(f"{layout}{seed}"), aid="on")
    assert GAME.odds(state) == counted(state, state.seen)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(20))
def test_without_it_they_do_not_depend_on_tiles_that_are_face_down_again(layout, seed):
    state, board = position(layout, Random(f"{layout}{seed}"))
    forgotten = state._replace(seen=open_now(state))
    remembered = state._replace(seen=board)
    assert GAME.odds(forgotten) == GAME.odds(remembered) == GAME.odds(state)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(40))
def test_rule_11_a_face_is_refused_exactly_when_no_way_to_lie_has_it(layout, seed):
    state, _ = position(layout, Random(f"{layout}{seed}"), aid="on")
    for tile in range(4):
        place = 4 * state.ship + tile
        if state.seen[place] is not None:
            continue
        can_be = {board[place] for board in boards(layout, state.seen)}
        assert {face for face in FACES if accepted(state, Flip(tile, face))} == can_be


def accepted(state, action):
    try:
        GAME.apply(state, action)
    except Refusal as refusal:
        return refusal.code != "card-not-available"
    return True


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_probabilities_add_up_with_nothing_known(layout):
    state = GAME.start(("Ann", "Bo"), options={"layout": layout})._replace(phase="flip")
    odds = GAME.odds(state)
    assert sum(odds["next"].values()) == pytest.approx(1)
    assert odds["next"]["wave"] == odds["next"]["billy"] == 1 / 4
    assert odds["next"]["crab"] == 1 / 16
