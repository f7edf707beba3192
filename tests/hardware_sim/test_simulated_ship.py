"""A ship, a ball and a sensor in software, and the judge of an alarm against their truth."""

import itertools
import math
from collections import Counter
from random import Random

import pytest

from companion import ship
from companion.ship import Thresholds, arm, due_ns
from hardware_sim.ship import Knock, Shove, Swing, random_accelerometer, random_knocks, random_shove
from hardware_sim.ship_physics import Ball, Hull, World
from hardware_sim.ship_sensors import (
    TILTED,
    UPRIGHT,
    Accelerometer,
    TiltSwitch,
    restless,
    running_flat,
    silenced,
    stuck,
)
from tests.benchmarks.ship import judged, knocked, share_asked, swing, tally, wrong

KINDS = ("accelerometer", "tilt switch")
SWINGS = 150
LIMITS = {"accelerometer": 0.1, "tilt switch": 0.5}
"""Above what the benchmark finds of many swings: of few the share that is asked may be larger."""


def swung(hull, ball, for_s=20.0):
    world = World(hull, ball)
    world.advance(for_s)
    return world


# --- the world ---------------------------------------------------------------------------


def test_a_ship_that_nothing_touches_stands():
    world = swung(Hull(), Ball(beside=0.1))
    assert (world.blows, world.angle, world.still, world.ending) == (0, 0.0, True, "upright")


def test_a_ball_that_does_not_reach_the_ship_touches_nothing():
    assert swung(Hull(), Ball(pulled=math.radians(5), away=0.15)).blows == 0


def test_a_light_ball_rocks_the_ship_and_a_heavy_one_fells_it():
    light = swung(Hull(mass=0.1), Ball(mass=0.002, pulled=0.4))
    assert light.blows
    assert (light.fell, light.ending) == (False, "upright")
    heavy = swung(Hull(), Ball(mass=0.05))
    assert (heavy.fell, heavy.ending) == (True, "capsized")


def test_a_ship_beyond_its_tipping_angle_falls_and_below_it_rights_itself():
    hull = Hull()
    for angle, ending in ((hull.tipping * 0.95, "upright"), (hull.tipping * 1.05, "capsized")):
        world = World(hull, Ball())
        world.hold_ball()
        world.place(angle)
        world.turning, world._resting = 0.001, False
        world.advance(20.0)
        assert (world.ending, world.still) == (ending, True)


def test_something_beside_the_ship_holds_it_leaning():
    world = swung(Hull(leans=math.radians(43)), Ball(mass=0.03))
    assert world.ending == "leaning"
    assert math.degrees(world.angle) == pytest.approx(43)


def test_energy_only_goes():
    world = World(Hull(rounded=True, damping=0.0), Ball())
    world.hold_ball()
    world.angle, world._resting = 0.3, False
    world.advance(10.0)
    assert abs(world.angle) <= 0.31


def test_the_ship_feels_gravity_at_rest_and_more_when_struck():
    world = World(Hull(), Ball())
    world.hold_ball()
    assert world.advance(0.1) == (0.0, 1.0, 0.0)
    world.place(math.pi / 2)
    across, along, jolt = world.advance(0.2)
    assert (across, along, jolt) == (-1.0, pytest.approx(0), 0.0)
    world.place(0.0)
    world.let_go()
    assert max(world.advance(0.2 + n / 100)[2] for n in range(200)) > 1


# --- the sensors -------------------------------------------------------------------------


def test_a_tilt_switch_chatters_and_then_tells_the_truth():
    counts, lengths = set(), set()
    for chance in range(50):
        switch = TiltSwitch(Random(chance), on_deg=42, off_deg=34)
        levels = [(n / 1000, switch.sample(n / 1000, 0.0, 1.0, 0.0)) for n in range(10)]
        assert all(level == UPRIGHT for _, level in levels)
        levels = [(n / 1000, switch.sample(n / 1000, -1.0, 0.0, 0.0)) for n in range(10, 300)]
        edges = [at_s for (at_s, one), (_, other) in itertools.pairwise(levels) if one != other]
        counts.add(len(edges))
        lengths.add(edges[-1] - 0.01 if edges else 0.0)
        assert levels[-1][1] == TILTED
    assert max(counts) > 8
    assert max(lengths) > 0.1
    assert max(lengths) <= 0.2


def test_a_tilt_switch_goes_back_at_a_smaller_angle():
    switch = TiltSwitch(Random(1), on_deg=42, off_deg=34)
    told = []
    for second, deg in enumerate((0, 41, 43, 41, 35, 33, 41)):
        across, along = math.sin(math.radians(deg)), math.cos(math.radians(deg))
        switch.sample(second, across, along, 0.0)
        told.append(switch.sample(second + 0.5, across, along, 0.0))
    assert told == [UPRIGHT, UPRIGHT, TILTED, TILTED, TILTED, UPRIGHT, UPRIGHT]


def test_an_accelerometer_feels_gravity_wherever_it_is_mounted():
    for chance in range(50):
        random = Random(chance)
        sensor = random_accelerometer(random)
        upright = sensor.sample(0.0, 0.0, 1.0, 0.0)
        lying = sensor.sample(0.0, 1.0, 0.0, 0.0)
        assert math.hypot(*upright) == pytest.approx(1000, abs=160)
        assert ship.tilt_deg(lying, upright) == pytest.approx(90, abs=12)


# --- the table ---------------------------------------------------------------------------


def felt(disturbance, since_s, until_s):
    return [
        math.hypot(*disturbance.felt(since_s + n / 1000))
        for n in range(round(1000 * (until_s - since_s)))
    ]


def test_a_knock_rings_down_from_where_it_began():
    knock = Knock(at_s=1.0, jolt=2.0, rings_hz=40, fades_s=0.05, steep=1.0, phase=0.0)
    assert max(felt(knock, 0.5, 1.0)) == 0
    assert max(felt(knock, 1.0, 1.02)) == pytest.approx(2, rel=0.05)
    assert max(felt(knock, 1.15, 1.2)) == pytest.approx(2 * math.exp(-3), rel=0.05)
    assert max(felt(knock, knock.ends_s, 3)) < 0.001


def test_a_shove_is_slow_and_leaves_the_table_as_it_was():
    shove = Shove(at_s=1.0, lasts_s=0.5, way_m=0.02, leans=0.0)
    across = [shove.felt(1 + n / 1000)[0] for n in range(500)]
    assert max(across) == pytest.approx(0.051, rel=0.05)  # 2 cm in half a second
    assert sum(across) == pytest.approx(0, abs=0.1)
    leaning = Shove(at_s=1.0, lasts_s=0.5, way_m=0.0, leans=0.03)
    assert leaning.felt(1.25) == pytest.approx((0.03, 0), abs=0.001)


def test_knocks_and_shoves_are_of_every_kind():
    random = Random(1)
    knocks = [knock for _ in range(100) for knock in random_knocks(random, 3)]
    for name, low, high in (
        ("jolt", 0.1, 2),
        ("rings_hz", 15, 60),
        ("fades_s", 0.005, 0.06),
    ):
        values = sorted(getattr(knock, name) for knock in knocks)
        assert low <= values[0] < values[-1] <= high
        assert values[-1] - values[0] > 0.9 * (high - low)
    assert sum(knock.steep > math.radians(45) for knock in knocks) > 200, "mostly from above"
    apart = [b.at_s - a.at_s for a, b in itertools.pairwise(knocks) if b.at_s > a.at_s]
    assert min(apart) >= 0.3
    shoves = [random_shove(random) for _ in range(300)]
    hardest = max(max(felt(shove, shove.at_s, shove.ends_s)) for shove in shoves)
    assert 0.1 < hardest < 0.18


def test_a_sensor_that_averages_feels_less_of_a_knock_than_one_that_looks_at_moments():
    shaken = [(0.0, 1.0), (0.0, -1.0), (0.0, 1.0), (0.0, -1.0), (0.0, 1.0)]
    told = {}
    for blurred in (False, True):
        sensor = Accelerometer(Random(1), noise_mg=0, offset_mg=0, blurred=blurred, straight=True)
        told[blurred] = sensor.sample(0.0, 0.0, 1.0, 0.0, shaken)
    assert told == {False: (0, 0, 2000), True: (0, 0, 1200)}


def test_a_tilt_switch_chatters_on_a_knock():
    switch = TiltSwitch(Random(1), chatter_g=0.3)
    for hardest, chatters in ((0.2, False), (0.4, True)):
        levels = [switch.sample(0.0, 0.0, 1.0, 0.0, [(0.0, hardest), (0.0, 0.0)])]
        levels += [switch.sample(n / 1000, 0.0, 1.0, 0.0) for n in range(1, 250)]
        assert (TILTED in levels) == chatters
        assert levels[-1] == UPRIGHT


# --- the judge against the truth of the world ---------------------------------------------


@pytest.fixture(scope="module", params=KINDS)
def swings(request):
    return request.param, tally(request.param, range(SWINGS))


def test_no_swing_is_judged_wrong(swings):
    _, seen = swings
    assert not wrong(seen)


def test_a_ball_that_missed_is_always_asked_about(swings):
    _, seen = swings
    assert {case.said for case in seen if not case.touched} == {"asked"}


def test_few_swings_that_touched_are_asked_about(swings):
    kind, seen = swings
    assert 0 < share_asked(seen) < LIMITS[kind]


def test_the_swings_were_of_every_kind(swings):
    """Without which the others would show little."""
    _, seen = swings
    touched = sum(case.touched for case in seen.elements())
    assert SWINGS * 0.8 < touched < SWINGS
    for truth in ("upright", "capsized"):
        assert sum(case.touched and case.truth == truth for case in seen.elements()) > SWINGS / 5


def test_a_ship_that_the_ball_knocked_over_and_righted_is_upright():
    righted = (chance for chance in range(2000) if righted_by_ball(chance))
    for chance in (next(righted) for _ in range(3)):
        for kind in KINDS:
            case = swing((chance, kind))
            assert (case.truth, case.said, case.righted) == ("upright", "upright", True)


def righted_by_ball(chance):
    alarm = Swing(Random(chance), "accelerometer")
    return alarm.truth() == "upright" and alarm.world.fell


@pytest.mark.parametrize("kind", KINDS)
def test_a_knock_on_the_table_is_never_judged(kind):
    said = Counter(knocked((chance, kind)) for chance in range(60))
    assert set(said) == {"asked", "nothing"}
    assert said["asked"] > 25


@pytest.mark.parametrize("kind", KINDS)
def test_a_ball_that_swings_after_knocks_is_judged_though_people_were_asked(kind):
    ended = Counter()
    for chance in range(40):
        alarm = Swing(Random(chance), kind, knocks=1 + chance % 3)
        alarm.let_go_s += 6
        judge = judged(alarm)
        assert judge.verdict in (None, alarm.truth())
        assert judge.verdict or judge.reason
        ended[judge.verdict] += 1
    assert ended["capsized"] > 15
    if kind == "accelerometer":
        assert ended["upright"] > 10
    assert ended[None] < 25


FAULTS = {
    "silent": lambda readings, at_s, chance: silenced(readings, at_s, 1000),
    "stuck": lambda readings, at_s, chance: stuck(readings, at_s),
    "flat": lambda readings, at_s, chance: running_flat(readings, at_s, 1.5),
    "restless": lambda readings, at_s, chance: restless(readings, at_s, Random(chance)),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("when", ["before the swing", "in the swing"])
def test_a_sensor_with_a_fault_is_asked_about_and_never_judged_wrong(fault, when):
    """In the middle of a swing a ship may have come to rest before the fault: then it is judged."""
    asked = Counter()
    for chance in range(20):
        alarm = Swing(Random(chance), "accelerometer")
        at_s = 0.5 if when == "before the swing" else alarm.let_go_s + 0.1 + chance / 20
        judge = judged(alarm, FAULTS[fault](alarm.readings(), at_s, chance))
        asked[judge.phase == "asking"] += 1
        assert judge.verdict in (None, alarm.truth())
    assert asked[True] == 20


@pytest.mark.parametrize("fault", ["silent", "stuck"])
def test_a_tilt_switch_that_failed_before_the_swing_is_asked_about(fault):
    for chance in range(20):
        alarm = Swing(Random(chance), "tilt switch")
        readings = FAULTS[fault](alarm.readings(), 0.5, chance)
        assert judged(alarm, readings).phase == "asking"


def test_lost_readings_and_gaps_make_nothing_wrong():
    for chance in range(60):
        random = Random(chance)
        alarm = Swing(random, KINDS[chance % 2])
        gap_s = alarm.let_go_s + random.uniform(0, 4)
        rest = silenced(alarm.readings(), gap_s, random.uniform(0.3, 4))
        judge = judged(alarm, (reading for reading in rest if random.random() > 0.05))
        assert judge.verdict in (None, alarm.truth())


def test_a_judge_that_nothing_is_told_asks_when_it_is_due():
    judge = arm(0, Thresholds())
    assert ship.ticked(judge, due_ns(judge, Thresholds()), Thresholds()).phase == "asking"
