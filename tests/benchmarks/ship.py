"""Ten thousand swings of a simulated ball at a ship, judged by what the ship's sensor feels.

And as many alarms in which somebody knocks on the table and no ball swings.
"""

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
from hardware_sim.ship import LONGEST_S, S, SensorKind, Swing, random_shove
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
        often: the sensor was looked at as often as the firmware does in an alarm.
    """

    touched: bool
    truth: Ending
    said: str
    righted: bool
    often: bool


def judged(alarm: Swing, readings: Iterable[Attitude] | None = None) -> Judge:
    """The judge when it has decided, or asks and nothing will move the ship any more.

    Nobody answers, and a ball that swings after a question may still be felt.
    """
    thresholds = Thresholds(upright=alarm.upright)
    judge = arm(0, thresholds)
    for reading in alarm.readings() if readings is None else readings:
        judge = ship.heard(judge, reading, thresholds)
        is_over = alarm.world.still and reading.at_ns > alarm.let_go_s * S
        if judge.verdict is not None or (judge.phase == "asking" and is_over):
            return judge
    due = ship.due_ns(judge, thresholds)
    return judge if due is None else ship.ticked(judge, due, thresholds)


def knocked(chance_and_kind: tuple[int, SensorKind]) -> str:
    """Somebody knocks on the table one to three times, or shoves it, and no ball swings.

    Returns:
        What the judge said: a verdict, which is wrong; `asked`, or `nothing` in 13 s.
    """
    chance, kind = chance_and_kind
    random = Random(f"knocked {chance}")
    alarm = Swing(random, kind, knocks=chance % 4)
    if not alarm.shaking:
        alarm.shaking = (random_shove(random),)
    alarm.let_go_s = LONGEST_S
    thresholds = Thresholds(upright=alarm.upright)
    judge = arm(0, thresholds)
    for reading in alarm.readings():
        judge = ship.heard(judge, reading, thresholds)
        if judge.verdict is not None or judge.phase == "asking":
            return judge.verdict or "asked"
        if reading.at_ns > 13 * S:
            break
    return "nothing"


def swing(chance_and_kind: tuple[int, SensorKind]) -> Case:
    chance, kind = chance_and_kind
    alarm = Swing(Random(chance), kind)
    said = judged(alarm).verdict or "asked"
    truth = alarm.truth()
    return Case(
        alarm.touched, truth, said, alarm.world.fell and truth == "upright", alarm.rate_hz >= 50
    )


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
        knocks = [(chance, kind) for chance in range(count) for kind in KINDS]
        knocks_said = Counter(pool.map(knocked, knocks, chunksize=20))
    often = Counter(case for case in by_kind["accelerometer"].elements() if case.often)
    every = sum(by_kind.values(), Counter[Case]())
    note = (
        f"{every.total():,} swings, half of them with each kind of sensor. A ball that missed the "
        "ship is always asked about, and counts only beside it; what leans between the angles "
        "of upright and capsized counts as asked where it is."
    )
    knocks_note = (
        f"{len(knocks):,} alarms with one to three knocks on the table, or a shove, and no ball: "
        "a verdict would be wrong. Asked soon: within seconds; else only after a minute."
    )
    beside = "with the balls that missed"
    asked = 100 * knocks_said["asked"] / len(knocks)
    verdicts = knocks_said["upright"] + knocks_said["capsized"]
    return [
        Row("judged wrong", len(wrong(every)), "swings", aim=NONE, note=note),
        *(Row(f"asked, {kind}", *_asked(seen), beside, ASKED) for kind, seen in by_kind.items()),
        Row("asked, accelerometer, at least 50 a second", *_asked(often), beside, ASKED),
        Row("asked, both", *_asked(every), beside),
        Row("righted by the ball", sum(case.righted for case in every.elements()), "swings"),
        Row("swings", every.total() / took_s, "/s"),
        Row("knocks judged", verdicts, "alarms", aim=NONE, note=knocks_note),
        Row("knocks asked about soon", asked, "%"),
    ]


def _asked(seen: Counter[Case]) -> tuple[float, str, float]:
    of_all = sum(case.said == "asked" for case in seen.elements()) / seen.total()
    return 100 * share_asked(seen), "%", 100 * of_all
