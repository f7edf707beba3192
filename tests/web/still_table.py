"""A table that stands still at one snapshot, for the face of a game that has none of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from evening import HOSTILE_NAMES

from companion.rules.api import (
    Action,
    GameWon,
    Nothing,
    Outcome,
    Pieces,
    Standing,
    TurnEnded,
)
from companion.snapshot import Event, Moment, ReaderStatus, ShipStatus, Snapshot, Source


@dataclass(frozen=True, slots=True)
class Take(Action):
    stack: int


@dataclass(frozen=True, slots=True)
class Steal(Action):
    from_: str


@dataclass(frozen=True, slots=True)
class LastChance(Action):
    pass


@dataclass(frozen=True, slots=True)
class Flip(Action):
    tile: int
    face: str | None = None


@dataclass(frozen=True, slots=True)
class Give(Action):
    card: str | Nothing
    times: int = 1


@dataclass(frozen=True, slots=True)
class Stop(Action):
    pass


@dataclass(frozen=True, slots=True)
class Swing(Action):
    ship: Literal["capsized", "upright"] | None = None


@dataclass(frozen=True, slots=True)
class AnimalTaken(Outcome):
    player: str
    animal: str
    stack: int


@dataclass(frozen=True, slots=True)
class TileSeen(Outcome):
    area: int
    face: str


class StillTable:
    """Shows one snapshot for ever."""

    closed = False

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    @property
    def moment(self) -> Moment:
        return Moment(self.snapshot, None)

    def wait(self, after_revision: int, timeout_s: float) -> Snapshot:
        return self.snapshot


def snapshot(players=("Ann", "Bo"), *, state=None, legal=(), event=None, **standing) -> Snapshot:
    given = {
        "turn": players[0],
        "phase": "choose",
        "scores": dict.fromkeys(players, 0),
        "over": False,
        "winners": (),
    }
    kinds = {"kind": "started", "outcomes": (), "action": None, "code": "", "message": ""}
    return Snapshot(
        epoch="epoch",
        revision=7,
        table="table",
        game="game",
        game_name="sunken-garden",
        players=tuple(players),
        options={},
        step=3,
        standing=Standing(**{**given, **standing}),
        state=state or {},
        pieces=Pieces({}, {}),
        legal=tuple(legal),
        readers=(ReaderStatus("sim", ready=True, hardware="Virtual reader", trouble=""),),
        event=Event(
            number=3,
            player=players[0],
            count=0,
            source=Source("reader", "sim"),
            **{**kinds, **(event or {})},
        ),
    )


FOUR = ("Ann", "Bo", "Cy", "Dora")
BOATS = snapshot(
    FOUR,
    turn="Bo",
    phase="take",
    scores={"Ann": 4, "Bo": 2, "Cy": 0, "Dora": 8},
    state={
        "ship": 0,
        "billy": 3,
        "face_up": {f"{area}-{tile}": "wave" for area in range(3) for tile in range(3)},
        "reef": ["crab", None, "unknown", "crab"],
        "reef_left": [6, 5, 6, 6],
        "animals": {
            "Ann": ["crab", "seal", "puffin", "whale"],
            "Bo": ["crab", "ray"],
            "Cy": [],
            "Dora": ["crab", "seal", "puffin", "whale", "eel", "ray", "gull", "cod"],
        },
        "provisions": {"Ann": 3, "Bo": 2, "Cy": 0, "Dora": 1},
        "target": 9,
        "swinger": None,
    },
    legal=[Take(0), Take(3), Steal("Ann"), Flip(1), LastChance()],
    event={"kind": "action", "outcomes": (AnimalTaken("Ann", "crab", 2), TurnEnded("Ann"))},
)
CARDS = snapshot(
    FOUR,
    turn="Cy",
    phase="play",
    scores={"Ann": 14, "Bo": 23, "Cy": 7, "Dora": 31},
    state={
        "round": 2,
        "deck": 31,
        "piles": [{"top": "crab-dark-blue-1", "count": 4}, {"top": None, "count": 0}],
        "tables": {
            "Ann": ["fish-black-1", "fish-black-2"],
            "Bo": [],
            "Cy": ["crab-dark-blue-2", "crab-yellow-1", "boat-yellow-1", "boat-black-1"],
            "Dora": [],
        },
        "hand_counts": {"Ann": 5, "Bo": 7, "Cy": 3, "Dora": 0},
        "totals": {"Ann": 14, "Bo": 23, "Cy": 7, "Dora": 31},
        "called": None,
        "revealed": {"Ann": None, "Bo": None, "Cy": None, "Dora": ["lighthouse-purple"]},
    },
    legal=[Stop(), LastChance(), Take(1), Take(2)],
    event={"kind": "action"},
)
ALARM = replace(
    BOATS,
    standing=replace(BOATS.standing, phase="alarm"),
    state={**BOATS.state, "swinger": "Cy"},
    legal=(Swing(),),
    ship=ShipStatus("armed", 2, ""),
)
ASKING = replace(
    ALARM,
    ship=ShipStatus("asking", 40, "The ship leans by 40 degrees."),
    event=replace(
        BOATS.event,
        kind="notice",
        outcomes=(),
        code="ship-unsure",
        message="The ship leans by 40 degrees: say whether it has capsized (rule 7).",
        source=Source("reader", "gpio-17", "ship"),
    ),
)
STATES = {
    "alarm": ALARM,
    "asking": ASKING,
    "boats": BOATS,
    "cards": CARDS,
    "start": snapshot(phase="reveal", legal=[Flip(0)]),
    "refused": replace(
        BOATS,
        event=replace(
            BOATS.event,
            kind="refused",
            outcomes=(),
            code="not-legal",
            message="It is not possible to take from stack 2: the crab lies on stacks 0 and 3 "
            "(rule 6), so choose one of these.",
        ),
    ),
    "over": snapshot(
        FOUR,
        turn=None,
        phase="over",
        over=True,
        scores={"Ann": 9, "Bo": 2, "Cy": 9, "Dora": 1},
        winners=("Ann", "Cy"),
        state={"ship": 2, "animals": {"Ann": ["crab"] * 9}},
        event={
            "kind": "action",
            "outcomes": (AnimalTaken("Ann", "crab", 2), GameWon("Ann"), GameWon("Cy")),
        },
    ),
    "hostile": snapshot(
        HOSTILE_NAMES,
        scores=dict.fromkeys(HOSTILE_NAMES, 12),
        state={
            "of": {name: name for name in HOSTILE_NAMES},
            "holder": HOSTILE_NAMES[0],
            "long": "W" * 200,
        },
        legal=[Steal(name) for name in HOSTILE_NAMES[1:]],
        event={"kind": "action", "outcomes": (AnimalTaken(HOSTILE_NAMES[4], "crab", 2),)},
    ),
}
