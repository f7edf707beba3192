"""Ten thousand swings of a simulated ball at a ship, judged by what the ship's sensor feels."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from random import Random

from companion import ship
from companion.drivers.api import Attitude
from companion.ship import Judge, Thresholds, arm
from hardware_sim.ship import SensorKind, Swing
from hardware_sim.ship_physics import Ending
from tests.benchmarks.report import Aim, Row

KINDS: tuple[SensorKind, ...] = ("accelerometer", "tilt switch")
ASKED = Aim(2.0)
NONE = Aim(0.0)


@dataclass(frozen=True)
class Case:
    """How a swing ended, and what the judge said: a verdict, or `asked`.

    Attributes:
        touched: the ball struck the ship.
        righted: it lay and was righted by the ball.
    """

    touched: bool
    truth: Ending
    said: str
    righted: bool


def judged(alarm: Swing, readings: Iterable[Attitude] | None = None) -> Judge:
    """The judge after all that the sensor told, or as soon as it has decided or asks."""
    thresholds = Thresholds(upright=alarm.upright)
    judge = arm(0, thresholds)
    for reading in alarm.readings() if readings is None else readings:
        judge = ship.heard(judge, reading, thresholds)
        if judge.verdict is not None or judge.phase == "asking":
            return judge
    due = ship.due_ns(judge, thresholds)
    return judge if due is None else ship.ticked(judge, due, thresholds)


def swing(chance_and_kind: tuple[int, SensorKind]) -> Case:
    chance, kind = chance_and_kind
    alarm = Swing(Random(chance), kind)
    said = judged(alarm).verdict or "asked"
    truth = alarm.truth()
    return Case(alarm.touched, truth, said, alarm.world.fell and truth == "upright")


def tally(kind: SensorKind, chances: Iterable[int], pool: Executor | None = None) -> Counter[Case]:
    swings = [(chance, kind) for chance in chances]
    return Counter(map(swing, swings) if pool is None else pool.map(swing, swings, chunksize=20))


def share_asked(seen: Counter[Case]) -> float:
    """Of the swings that touched the ship: nobody can feel a ball that missed."""
    touched = [case for case in seen.elements() if case.touched]
    return sum(case.said == "asked" for case in touched) / len(touched)


def wrong(seen: Counter[Case]) -> list[Case]:
    """Said to be one thing, and the other; of a ship that leans neither is wrong nor right."""
    return [
        case
        for case in seen.elements()
        if case.said != "asked" and case.truth not in ("leaning", case.said)
    ]


def measure(*, quick: bool) -> list[Row]:
    count = 200 if quick else 5_000
    began_s = time.perf_counter()
    with ProcessPoolExecutor() as pool:
        by_kind = {kind: tally(kind, range(count), pool) for kind in KINDS}
    took_s = time.perf_counter() - began_s
    every = sum(by_kind.values(), Counter[Case]())
    note = (
        f"{every.total():,} swings, half of them with each kind of sensor. A ball that missed the "
        "ship is always asked about, and counts only beside it; what leans between the angles "
        "of upright and capsized counts as asked where it is."
    )
    beside = "with the balls that missed"
    return [
        Row("judged wrong", len(wrong(every)), "swings", aim=NONE, note=note),
        Row("asked, both", *_asked(every), beside, ASKED),
        *(Row(f"asked, {kind}", *_asked(seen), beside) for kind, seen in by_kind.items()),
        Row("righted by the ball", sum(case.righted for case in every.elements()), "swings"),
        Row("swings", every.total() / took_s, "/s"),
    ]


def _asked(seen: Counter[Case]) -> tuple[float, str, float]:
    of_all = sum(case.said == "asked" for case in seen.elements()) / seen.total()
    return 100 * share_asked(seen), "%", 100 * of_all
