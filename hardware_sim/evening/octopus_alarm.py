"""The people of octopus alarm: they lay out the board, sail, flip, take chips and swing the ball.

Some have one reader for everything, others one in each area and one at the reef; who starts
decides which, so that both are played. Some tap the tiles before the game, and some the reef as
they build it; others tell the tops by tapping them, or on the page. How the ship ended is told
on the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import starmap
from random import Random
from typing import Any, ClassVar, Literal, cast

from companion.match import Match, SeededChance, Setup
from companion.rules.api import Action
from companion.rules.octopus_alarm_dealing import arranged
from companion.rules.octopus_alarm_tiles import LAYOUTS
from companion.rules.octopus_alarm_words import (
    ANIMALS,
    AREAS,
    BILLY,
    CHIP_TAGS,
    CHIPS,
    STACK,
    UNKNOWN,
    WAVE,
    AnimalTaken,
    Flip,
    Reef,
    Sail,
    State,
    Stop,
    Swing,
    Take,
)
from companion.snapshot import Question, Snapshot
from hardware_sim.evening.api import CONTROL_TAGS, Lay, Move, People, Touch, numbered_tags

PLAY = "play"
REEF = "reef"
NAMES = ("Ann", "Bo", "Cy", "Dora")
OTHER_ANIMALS = "cat,dog,hen,pig,cow,fox,owl,bee"

Place = Literal[0, 1, 2, 3]


class OctopusAlarmPeople(People):
    """Two to four who play with tags on all tiles and chips (see `People`).

    Attributes:
        tiles_first: they tap the tiles before the game.
        reef: how they tell it: `built`, chip by chip, or its `tops`, or those by `touch`.
    """

    game: ClassVar[str] = "octopus-alarm"
    telling: ClassVar[frozenset[str]] = frozenset({"meant", "tile", "reef", "laid"})

    def __init__(self, setup: Setup, chance: Random) -> None:
        super().__init__(setup, chance)
        self.tiles_first = chance.random() < 0.5
        self.reef = chance.choice(("built", "tops", "touch"))
        self._places: dict[str, int] = {}
        self._marks = {"ship": 0, "billy": 0}
        self._lay_out()

    def _lay_out(self) -> None:
        world = self.world
        dice = SeededChance(self.chance.randrange(2**32))
        always = LAYOUTS[self.setup.options.get("layout", "fixed")]
        faces = {face: world.all(f"{self.game}/{face}") for face in (WAVE, BILLY, *ANIMALS)}
        for place, face in enumerate(arranged(always, ANIMALS, dice)):
            world.put(faces[face].pop(), f"area-{place // 4}")
        chips = [uid for name in CHIP_TAGS for uid in world.all(f"{self.game}/{name}")]
        self.chance.shuffle(chips)
        for number, uid in enumerate(chips):
            world.put(uid, f"stack-{number // STACK}")

    @classmethod
    def invitation(cls, chance: Random) -> Setup:
        """A few players, some house rules, some other names of animals."""
        players = NAMES[: chance.choice((2, 2, 3, 4))]
        options: dict[str, Any] = {
            "layout": chance.choice(("fixed", "fixed", "waves-only", "free")),
            "landing": chance.choice(("forbidden", "alarm")),
            "stranded": chance.choice(("end-excluded", "end-included", "eliminate")),
            "memory_aid": chance.choice(("off", "on")),
            "ship": chance.randrange(AREAS),
        }
        options["billy"] = chance.choice(((options["ship"] + 3) % AREAS, chance.randrange(AREAS)))
        if chance.random() < 0.2:
            options["animals"] = OTHER_ANIMALS
        return Setup(cls.game, players, chance.choice(players), options)

    @classmethod
    def stations(cls, setup: Setup) -> Sequence[str]:
        """One reader, or one in each area and at the reef; the latter if the second starts."""
        if setup.starter != setup.players[1]:
            return (PLAY,)
        return (REEF, *(f"area-{area}" for area in range(AREAS)))

    @classmethod
    def tags(cls, setup: Setup) -> Mapping[str, str]:
        """Sixteen tiles, 24 chips and the control tokens."""
        del setup
        names = (*(WAVE, BILLY) * AREAS, *ANIMALS, *CHIP_TAGS * CHIPS)
        return numbered_tags([*(f"{cls.game}/{name}" for name in names), *CONTROL_TAGS])

    def set_up(self, truth: Match) -> Sequence[Move]:
        """The tiles, area by area, and the reef."""
        moves = []
        if self.tiles_first:
            areas = [self.world.at(f"area-{area}") for area in range(AREAS)]
            moves += [self._tapped(uid) for uids in areas for uid in uids]
        stacks = [list(self.world.at(f"stack-{stack}")) for stack in range(4)]
        tops = tuple(starmap(Reef, enumerate(self._named(truth, uids[-1]) for uids in stacks)))
        match self.reef:
            case "built":
                told = [uid for uids in stacks for uid in uids]
            case "tops":
                told = [uids[-1] for uids in stacks]
            case _:
                return [*moves, *(Move((top,), (Touch(top),)) for top in tops)]
        *before, last = [self._tapped(uid) for uid in told]
        return [*moves, *before, Move(cast("tuple[Action, ...]", tops), last.gestures)]

    def move(self, truth: Match) -> Move:
        """What the player in turn does next, and the tag that tells it."""
        state: State = truth.state
        match state.phase:
            case "reef":
                stack = cast(Place, state.reef.tops.index(UNKNOWN))
                top = self.world.at(f"stack-{stack}")[-1]
                return self._tapped(top, self._came_up(truth, stack))
            case "take":
                take = cast(Take, self.chance.choice(truth.game.legal(state)))
                chip = self.world.at(f"stack-{take.stack}")[-1]
                return self._tapped(chip, *self._with_chips(truth, take))
            case "alarm":
                swing = Swing(self.chance.choice(("capsized", "upright")))
                return Move((swing,), (Touch(swing),))
            case "sail":
                return self._sail(truth)
            case "choose" if self.chance.random() < 0.3:
                stop = self.world.one("control/stop")
                return Move((Stop(),), (Lay(self.stations(self.setup)[0], stop),))
        return self._flip(truth)

    def _sail(self, truth: Match) -> Move:
        sail = self.chance.choice(truth.game.legal(truth.state))
        after = truth.do(sail)
        if after.state.phase == "alarm" or self.chance.random() < 0.1:
            return Move((sail,), (Touch(sail),))
        flip = self._flip(after)
        return Move((sail, *flip.actions), flip.gestures)

    def _flip(self, truth: Match) -> Move:
        state: State = truth.state
        uids = self.world.at(f"area-{state.ship}")
        down = [uid for uid in uids if not self._lies_up(state, uid)]
        tile = self.chance.choice(down)
        place = self._places.get(tile)
        if place is None:
            places = range(4 * state.ship, 4 * state.ship + 4)
            place = next(each for each in places if each not in self._places.values())
            self._places[tile] = place
        flip = Flip(cast(Place, place % 4), self._named(truth, tile))
        return self._tapped(tile, *self._with_chips(truth, flip))

    def _lies_up(self, state: State, uid: str) -> bool:
        return uid in self._places and bool(state.up >> self._places[uid] & 1)

    def _with_chips(self, truth: Match, action: Action) -> Iterator[Action]:
        """The action; a chip that it brings is taken, and the one below is seen."""
        yield action
        after = truth.do(action)
        for outcome in after.outcomes:
            if isinstance(outcome, AnimalTaken):
                stack = cast(Place, outcome.stack)
                chip = self.world.at(f"stack-{stack}")[-1]
                self.world.put(chip, f"own/{outcome.player}")
                if self.reef == "built" and after.state.phase == "reef":
                    yield self._came_up(after, stack)

    def _came_up(self, truth: Match, stack: Place) -> Reef:
        return Reef(stack, self._named(truth, self.world.at(f"stack-{stack}")[-1]))

    def _tapped(self, uid: str, *actions: Action) -> Move:
        """A tile at the reader of its area, a chip at the one of the reef; or at the only one."""
        stations = self.stations(self.setup)
        place = self.world.place(uid) or ""
        station = place if place in stations else stations[0]
        return Move(actions, (Lay(station, uid),))

    def _named(self, truth: Match, uid: str) -> str:
        """The face of a tile or chip in the words of this game."""
        face = self.world.face(uid).removeprefix("chip-")
        animals = truth.state.terms.animals
        return str(animals[ANIMALS.index(face)]) if face in ANIMALS else face

    def answer(self, question: Question, truth: Match) -> str | None:
        """What a tap meant: people have seen it."""
        done = list(truth.back())
        flip = next((each for each in done if isinstance(each.action, Flip)), None)
        flipped = None if flip is None else cast(Flip, flip.action).face
        match question.key:
            case "reef":
                if self.reef == "built":
                    return "built"
                started = any(isinstance(each.action, Sail | Flip) for each in done)
                return "tops" if truth.state.reef.told and not started else "anew"
            case "laid":
                return "laid-out" if flip is None else "flipped"
            case "sailed" if flipped is not None and f" {flipped} " in question.text:
                sail = next(each.action for each in done if isinstance(each.action, Sail))
                return f"sail-{sail.areas}"
            case "tile" if flip is not None and flip.before is not None:
                state: State = flip.before.state
                place = 4 * state.ship + cast(Flip, flip.action).tile
                return "first" if state.seen[place] is None else "again"
            case "stack":
                take = next((each.action for each in done if isinstance(each.action, Take)), None)
                return "none" if take is None else f"stack-{take.stack}"
            case "chip":
                return "came-up"
            case "meant":
                return "done" if f" {flipped} " in question.text else "none"
            case "sailed":
                return "none"
        return None

    def differs(self, truth: Match, table: Match) -> str:
        """The places within an area have no meaning: the tiles of an area are compared.

        Of a flip that nobody told, and that left no trace on the board, the table cannot know.
        Without the memory aid nobody is shown which tiles were seen before, so one may be
        missing there; none may be wrong.
        """
        if _tiles(table) - _tiles(truth):
            return "a tile that was never seen there"
        return super().differs(_sorted(truth), _sorted(table))

    def sees(self, truth: Match, shown: Snapshot) -> str:
        """They see the whole board, too."""
        real = truth.game.view(truth.state, None)
        for what in ("ship", "billy", "reef", "reef_left", "animals", "provisions"):
            if real[what] != shown.state[what]:
                return what
        for what in ("face_up", "seen"):
            if _by_area(real.get(what, {})) != _by_area(shown.state.get(what, {})):
                return what
        return super().sees(truth, shown)

    def misplace(self, before: Match, after: Match, chance: Random) -> bool:
        """The ship or Lille-Billy is put in another area than the rules say."""
        moved = [
            mark
            for mark in self._marks
            if getattr(before.state, mark) != getattr(after.state, mark)
        ]
        if not moved:
            return False
        self._marks[chance.choice(moved)] += chance.randrange(1, AREAS)
        return True

    def tidied(self, truth: Match) -> int:
        """The ship and Lille-Billy are put where the screen shows them."""
        del truth
        moved = sum(away % AREAS != 0 for away in self._marks.values())
        self._marks = dict.fromkeys(self._marks, 0)
        return moved


def _sorted(match: Match) -> Match:
    """The same with the tiles of each area in an order that tells nothing."""
    state: State = match.state
    tiles = [(face or "", state.up >> place & 1) for place, face in enumerate(state.seen)]
    if not state.terms.memory_aid:
        tiles = [(face if lies_up else "", lies_up) for face, lies_up in tiles]
    tiles = [tile for area in range(AREAS) for tile in sorted(tiles[4 * area : 4 * area + 4])]
    up = sum(lies_up << place for place, (_, lies_up) in enumerate(tiles))
    seen = tuple(face or None for face, _ in tiles)
    return replace(match, state=state._replace(seen=seen, up=up))


def _tiles(match: Match) -> Counter[tuple[int, str]]:
    """The tiles that were seen: how often each face in each area."""
    return Counter((place // 4, face) for place, face in enumerate(match.state.seen) if face)


def _by_area(seen: Mapping[str, str]) -> Counter[tuple[str, str]]:
    """The same, of what everybody is shown: `{"0-2": "wave"}`."""
    return Counter((place.partition("-")[0], face) for place, face in seen.items())


PEOPLE = OctopusAlarmPeople
