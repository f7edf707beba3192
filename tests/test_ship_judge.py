"""The judge of an alarm, told by hand what a sensor feels (rule 7, "the ship's sensor")."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion import ship
from companion.drivers.api import Attitude
from companion.ship import KNOCK, S, Thresholds, arm, due_ns, over, tilt_deg

RULES = Thresholds()
EVERY_S = 0.02


class Alarm:
    """An alarm that begins at 100 s, and a sensor that trembles by a thousandth of g."""

    def __init__(self, rules=RULES, **how):
        self.rules = rules
        self.at_ns = 100 * S
        self.judge = arm(self.at_ns, rules, **how)
        self.odd = False
        self.verdicts = []

    def told(self, x, y, z, after_s=EVERY_S):
        self.at_ns += round(after_s * S)
        before = self.judge.verdict
        self.judge = ship.heard(self.judge, Attitude("ship", x, y, z, self.at_ns), self.rules)
        if before != self.judge.verdict:
            self.verdicts.append(self.judge.verdict)

    def lies(self, deg, for_s, every_s=EVERY_S):
        """At rest, at this angle; y trembles, so that a sensor is known to live."""
        x, z = (round(1000 * part(math.radians(deg))) for part in (math.sin, math.cos))
        for _ in range(round(for_s / every_s)):
            self.odd = not self.odd
            self.told(x, int(self.odd), z, every_s)
        return self

    def rocks(self, for_s=0.5):
        for sample in range(round(for_s / EVERY_S)):
            self.told(300 if sample % 2 else -300, 0, 950)
        return self

    def knock(self, jolt=2000, fades_s=0.06, rings_hz=25, for_s=0.3):
        """It rings down; at every second reading it is at its highest."""
        for sample in range(round(for_s / EVERY_S)):
            at_s = sample * EVERY_S
            left = jolt * math.exp(-at_s / fades_s) * math.cos(math.tau * rings_hz * at_s)
            self.told(0, sample % 2, 1000 + round(left))
        return self

    def pushed(self, strength, for_s):
        """As a ship that rocks feels it: from the beginning to the end as hard."""
        for sample in range(round(for_s / EVERY_S) + 1):
            self.told(strength if sample % 2 else -strength, sample % 2, 1000)
        return self

    def passes(self, for_s):
        """Time goes by without a reading."""
        self.at_ns += round(for_s * S)
        self.judge = ship.ticked(self.judge, self.at_ns, self.rules)
        return self

    @property
    def phase(self):
        return self.judge.phase

    @property
    def verdict(self):
        return self.judge.verdict


def hit(deg, **how):
    """The ball strikes a ship that stood, and it comes to rest at this angle."""
    return Alarm(**how).lies(0, 1).rocks().lies(deg, 3.1)


# --- the way of an alarm -----------------------------------------------------------------


def test_the_phases_of_a_swing_that_capsizes_the_ship():
    alarm = Alarm()
    assert alarm.phase == "armed"
    assert alarm.lies(0, 5).phase == "armed"
    assert alarm.rocks().phase == "swinging"
    assert alarm.lies(90, 0.4).phase == "swinging"
    assert alarm.lies(90, 0.4).phase == "settling"
    assert alarm.lies(90, 2.1).phase == "settling"
    while alarm.verdict is None:
        alarm.lies(90, EVERY_S)
    assert (alarm.phase, alarm.verdict) == ("judged", "capsized")
    assert alarm.lies(90, 1).phase == "stand-up"
    assert not over(alarm.judge)
    assert alarm.lies(0, 0.4).phase != "judged"
    assert alarm.lies(0, 0.3).phase == "judged"
    assert over(alarm.judge)
    assert alarm.verdicts == ["capsized"]


def test_only_the_final_state_counts():
    alarm = Alarm().lies(0, 1).rocks().lies(90, 2.5).rocks().lies(0, 3.1)
    assert alarm.verdict == "upright"
    assert over(alarm.judge)
    assert Alarm().lies(0, 1).rocks().lies(0, 2.5).rocks().lies(90, 3.1).verdict == "capsized"


@pytest.mark.parametrize(
    ("deg", "ended"),
    [(0, "upright"), (30, "upright"), (31, None), (44, None), (45, "capsized"), (180, "capsized")],
)
@pytest.mark.parametrize("side", [1, -1])
def test_the_angles_of_the_rules(deg, ended, side):
    alarm = hit(side * deg)
    assert alarm.verdict == ended
    assert (alarm.phase == "asking") == (ended is None)
    assert ("leans" in (alarm.judge.reason or "")) == (ended is None)


@pytest.mark.parametrize("deg", [0, 90])
def test_rest_is_three_seconds_without_motion(deg):
    alarm = Alarm().lies(0, 1).rocks().lies(deg, 2.9)
    assert alarm.verdict is None
    assert alarm.lies(deg, 0.2).verdict is not None


def test_capsized_takes_its_own_time_where_rest_is_short():
    rules = Thresholds(rest_s=0.3)
    alarm = Alarm(rules).lies(0, 1).rocks().lies(90, 0.9)
    assert alarm.verdict is None
    assert alarm.lies(90, 0.2).verdict == "capsized"


def test_upright_is_what_was_calibrated():
    rules = Thresholds(upright=(800.0, 0.0, 600.0))
    leans = math.degrees(math.atan2(800, 600))
    assert Alarm(rules).lies(leans, 1).rocks().lies(leans, 3.1).verdict == "upright"
    assert Alarm(rules).lies(leans, 1).rocks().lies(leans - 50, 3.1).verdict == "capsized"


# --- what is no ball ---------------------------------------------------------------------


@pytest.mark.parametrize("deg", [0, 20])
def test_a_ship_that_nothing_touched_is_asked_about_after_the_time_for_an_answer(deg):
    alarm = Alarm().lies(deg, 59.9)
    assert alarm.phase == "armed"
    assert alarm.lies(deg, 0.2).phase == "asking"
    assert "no ball" in alarm.judge.reason


def test_a_knock_on_the_table_is_no_ball():
    alarm = Alarm().lies(0, 1)
    for _ in range(5):
        alarm.knock().lies(0, 4)
    assert alarm.phase == "armed"
    assert alarm.rocks().lies(90, 3.1).verdict == "capsized"


@pytest.mark.parametrize("knocks", [1, 2, 3])
@pytest.mark.parametrize("apart_s", [0.3, 0.6, 1.0, 2.5])
@pytest.mark.parametrize("jolt", [100, 300, 500, 2000])
@pytest.mark.parametrize("fades_s", [0.005, 0.03, 0.06])
def test_after_knocks_people_are_asked_and_nothing_is_judged(knocks, apart_s, jolt, fades_s):
    alarm = Alarm().lies(0, 1).knock(jolt, fades_s)
    for _ in range(knocks - 1):
        alarm.lies(0, apart_s - 0.3).knock(jolt, fades_s)
    assert alarm.lies(0, 4).phase == "armed"
    assert alarm.lies(0, 1.1).phase == "asking"
    assert alarm.judge.reason == KNOCK
    assert alarm.lies(0, 5).verdict is None


@pytest.mark.parametrize(
    ("strength", "for_s", "is_ball"),
    [
        (2600, 0.0, True),  # no knock is so hard
        (2400, 0.0, False),
        (300, 0.12, False),  # 300 are left of the hardest knock after 0.127 s
        (300, 0.14, True),
        (190, 0.14, False),
        (190, 0.16, True),
        (170, 0.48, False),  # so much a shove may be, for so long
        (170, 0.5, True),
        (70, 0.5, True),
        (50, 5.0, False),
    ],
)
def test_a_movement_is_the_balls_when_no_knock_is_so_strong_so_late(strength, for_s, is_ball):
    alarm = Alarm().lies(0, 1).pushed(strength, for_s).lies(0, 3.1)
    assert alarm.verdict == ("upright" if is_ball else None)


@pytest.mark.parametrize(("pause_s", "is_ball"), [(0.06, True), (0.1, False)])
def test_what_comes_after_a_pause_is_another_movement(pause_s, is_ball):
    alarm = Alarm().lies(0, 1).pushed(150, 0.3).lies(0, pause_s - EVERY_S).pushed(150, 0.3)
    assert alarm.lies(0, 3.1).verdict == ("upright" if is_ball else None)


def test_the_judge_listens_on_after_it_has_asked_about_a_knock():
    alarm = Alarm().lies(0, 1).knock().lies(0, 20).knock().lies(0, 60)
    assert (alarm.phase, alarm.judge.reason) == ("asking", KNOCK)
    assert alarm.rocks().phase == "swinging"
    assert alarm.judge.reason is None
    assert alarm.lies(0, 3.1).verdict == "upright"


def test_a_ship_that_falls_after_the_question_has_capsized():
    alarm = Alarm().lies(0, 1).knock().lies(0, 20)
    assert alarm.lies(90, 3.1).verdict == "capsized"
    assert alarm.judge.reason is None
    assert alarm.lies(0, 1).judge.stands


@pytest.mark.parametrize("asked", [False, True])
def test_a_noise_without_end_after_a_knock_is_asked_about(asked):
    alarm = Alarm().lies(0, 1).knock().lies(0, 61 if asked else 4)
    assert alarm.rocks(50).phase == "swinging"
    assert alarm.rocks(11).phase == "asking"
    assert "come to rest" in alarm.judge.reason


def test_a_sensor_that_is_lost_after_the_question_leaves_the_end_to_people():
    alarm = Alarm().lies(0, 1).knock().lies(0, 6)
    alarm.judge = ship.lost(alarm.judge)
    assert (alarm.phase, alarm.judge.reason) == (
        "asking",
        "The ship's sensor went silent: say how the ship lies.",
    )
    left = alarm.judge
    assert alarm.rocks().lies(90, 5).judge == left, "back, and the ship lies: nobody saw it fall"
    assert due_ns(left, RULES) is None


@pytest.mark.parametrize("answer_s", [5.0, 60.0, 3600.0])
def test_a_sensor_that_goes_silent_after_the_question_leaves_the_end_to_people(answer_s):
    alarm = Alarm(Thresholds(answer_s=answer_s, doubt_s=1.0)).lies(0, 1).knock().lies(0, 2)
    assert due_ns(alarm.judge, alarm.rules) == alarm.at_ns + 10 * S
    assert alarm.passes(9.9).judge.reason == KNOCK
    assert "is silent" in alarm.passes(0.1).judge.reason
    assert alarm.lies(90, 5).phase == "asking"
    assert alarm.verdict is None


def test_people_say_after_the_question_that_the_ball_has_swung():
    alarm = Alarm().lies(0, 1).knock().lies(0, 6)
    alarm.judge = ship.swung(alarm.judge, alarm.at_ns)
    assert (alarm.phase, alarm.judge.reason) == ("settling", None)
    assert alarm.lies(0, 3.1).verdict == "upright"


def test_a_knock_is_not_the_carrying_of_the_ship():
    alarm = Alarm(carried=True).lies(0, 1).knock().lies(0, 20)
    assert alarm.phase == "armed", "it is asked about when the ship is in its place"
    assert alarm.rocks(2).lies(0, 6).phase == "armed", "and then nothing was felt yet"
    assert alarm.knock().lies(0, 6).judge.reason == KNOCK


def test_a_knock_while_the_ship_is_to_be_stood_up_is_forgotten():
    alarm = Alarm().lies(90, 2).knock().lies(0, 10)
    assert (alarm.phase, alarm.judge.doubtful) == ("armed", False)


def test_a_light_ball_that_is_felt_like_a_knock_is_asked_about_though_it_comes_back():
    alarm = Alarm().lies(0, 1).knock().lies(0, 1).knock().lies(0, 5.1)
    assert alarm.judge.reason == KNOCK


def test_a_ship_that_slowly_tips_over_has_capsized():
    alarm = Alarm().lies(0, 2)
    for deg in range(0, 90, 2):
        alarm.lies(deg, 0.1)
    assert alarm.lies(90, 3.1).verdict == "capsized"


def test_people_carry_the_ship_to_its_area_first():
    alarm = Alarm(carried=True).lies(0, 1).rocks(2).lies(0, 10)
    assert alarm.phase == "armed"
    assert alarm.rocks().lies(0, 3.1).verdict == "upright"
    assert Alarm().lies(0, 1).rocks(2).lies(0, 3.1).verdict == "upright", "else it is the ball's"


def test_a_carried_ship_has_its_time_from_when_it_is_there():
    alarm = Alarm(carried=True).lies(0, 1).rocks(30).lies(0, 50)
    assert alarm.phase == "armed"


@pytest.mark.parametrize("deg", [38, 90, 180])
@pytest.mark.parametrize("carries_s", [0, 2, 20])
def test_a_ship_that_is_laid_down_before_it_is_in_its_place_has_not_capsized(deg, carries_s):
    for first_s in (0, 1):
        alarm = Alarm(carried=True).lies(0, first_s).rocks(carries_s).lies(deg, 4)
        assert (alarm.phase, alarm.verdict) == ("stand-up", None)
        assert alarm.judge.carried
        assert alarm.rocks(2).lies(0, 1.6).phase == "armed"
        assert not alarm.judge.carried
        assert alarm.rocks().lies(90, 3.1).verdict == "capsized", "that was the ball"


def test_a_ship_to_be_carried_that_lies_where_nobody_listened_before_is_asked_about():
    assert Alarm(carried=True, unseen=True).lies(90, 1.1).phase == "asking"


def test_what_ends_in_its_place_is_the_hands_and_the_judge_knows():
    alarm = Alarm(carried=True).lies(0, 10)
    assert (alarm.judge.carried, alarm.judge.placed) == (True, False)
    assert alarm.rocks(0.6).lies(0, 1.6).judge.placed, "a ball it was, and it is not counted"
    assert not Alarm().lies(0, 1).rocks().lies(0, 3.1).judge.placed


def test_people_say_that_the_ball_has_swung():
    alarm = Alarm().lies(0, 10)
    alarm.judge = ship.swung(alarm.judge, alarm.at_ns)
    assert alarm.lies(0, 2.9).verdict is None
    assert alarm.phase == "settling"
    assert alarm.lies(0, 0.2).verdict == "upright"
    assert ship.swung(alarm.judge, alarm.at_ns) == alarm.judge


# --- a ship that lies at the beginning ---------------------------------------------------


def test_a_ship_that_lies_at_the_beginning_is_stood_up_first():
    alarm = Alarm().lies(90, 0.9)
    assert alarm.phase == "armed"
    assert alarm.lies(90, 20).phase == "stand-up"
    assert alarm.rocks(2).lies(0, 1.4).phase == "stand-up"
    assert alarm.lies(0, 0.2).phase == "armed"
    assert alarm.lies(0, 50).phase == "armed", "its time begins when it stands"
    assert alarm.rocks().lies(90, 3.1).verdict == "capsized"


def test_a_ship_that_nobody_stands_up_is_asked_about():
    alarm = Alarm().lies(90, 60.1)
    assert alarm.phase == "asking"
    assert "stand it up" in alarm.judge.reason


def test_a_ship_that_is_seen_too_late_may_have_been_hit():
    alarm = Alarm().passes(5).lies(90, 1.1)
    assert alarm.phase == "asking"
    assert alarm.verdict is None


def test_a_ship_that_lies_where_nobody_listened_before_is_asked_about_at_once():
    alarm = Alarm(unseen=True).lies(90, EVERY_S)
    assert alarm.phase == "asking"
    assert "nobody felt it fall" in alarm.judge.reason
    assert Alarm(unseen=True).knock().lies(90, 1.1).phase == "asking", "after rest"


def test_a_ship_that_stands_where_nobody_listened_before_is_judged():
    """People may have righted it: upright it is only when the ball was felt since."""
    assert Alarm(unseen=True).lies(0, 1).rocks().lies(0, 3.1).verdict == "upright"
    assert Alarm(unseen=True).lies(0, 1).rocks().lies(90, 3.1).verdict == "capsized"
    assert Alarm(unseen=True).lies(0, 1).knock().lies(0, 6).judge.reason == KNOCK
    assert Alarm(unseen=True).rocks(2).lies(0, 6).judge.reason == KNOCK, "hands that right it"
    assert "no ball" in Alarm(unseen=True).lies(0, 61).judge.reason


# --- faults ------------------------------------------------------------------------------


def test_a_sensor_that_was_never_heard_is_silent_after_ten_seconds():
    judge = arm(7 * S, RULES)
    assert due_ns(judge, RULES) == 17 * S
    assert ship.ticked(judge, 17 * S - 1, RULES) == judge
    assert "silent" in ship.ticked(judge, 17 * S, RULES).reason


def test_a_sensor_that_goes_silent_is_not_judged():
    alarm = Alarm().lies(0, 1).rocks().lies(90, 2.9)
    assert due_ns(alarm.judge, RULES) == alarm.at_ns + 10 * S
    assert alarm.passes(9.9).phase == "settling"
    assert alarm.passes(0.1).phase == "asking"
    assert "silent" in alarm.judge.reason


@pytest.mark.parametrize("after_s", [0.5, 1.0])
def test_a_short_gap_is_jitter(after_s):
    alarm = Alarm().lies(0, 1).rocks().lies(90, 2.5)
    alarm.told(1000, 0, 0, after_s)
    assert alarm.lies(90, 0.1).verdict == "capsized"


def test_a_longer_gap_begins_the_rest_anew():
    alarm = Alarm().lies(0, 1).rocks().lies(90, 2.5)
    alarm.told(1000, 0, 0, 1.01)
    assert alarm.lies(90, 2.9).verdict is None
    assert alarm.lies(90, 0.2).verdict == "capsized"


def test_a_ship_that_fell_in_a_gap_has_capsized():
    alarm = Alarm().lies(0, 1).passes(5).lies(90, 3.1)
    assert alarm.verdict == "capsized"


@pytest.mark.parametrize(
    "stuck_at", [(700, 10, 700), (1000, 3, 0), (30, 0, 999), (0, 0, 1000), (1000, 0, 0)]
)
def test_a_sensor_that_is_stuck_is_not_judged(stuck_at):
    alarm = Alarm().lies(0, 1).rocks()
    for _ in range(520):
        alarm.told(*stuck_at)
    assert alarm.phase == "asking"
    assert "stuck" in alarm.judge.reason


def test_a_tilt_switch_never_varies_and_is_judged():
    for end in ((0, 0, 1000), (1000, 0, 0)):
        alarm = Alarm()
        for vector in [(0, 0, 1000)] * 50 + [(1000, 0, 0), (0, 0, 1000)] * 14 + [end] * 160:
            alarm.told(*vector)
        assert alarm.verdict == ("capsized" if end[0] else "upright")


@pytest.mark.parametrize("chatters_s", [0.04, 0.2, 0.4])
def test_a_tilt_switch_that_chatters_for_no_longer_than_after_a_knock_asks(chatters_s):
    alarm = Alarm()
    upright, tilted = (0, 0, 1000), (1000, 0, 0)
    for _ in range(3):
        for vector in [upright] * 50 + [tilted, upright] * round(chatters_s / EVERY_S / 2):
            alarm.told(*vector)
    for _ in range(300):
        alarm.told(*upright)
    assert (alarm.phase, alarm.judge.reason) == ("asking", KNOCK)


@pytest.mark.parametrize("vector", [(0, 0, 0), (0, 0, 400), (400, 0, 1), (-32768, -32768, 32767)])
def test_a_gravity_that_cannot_be_is_not_judged(vector):
    alarm = Alarm().lies(0, 1).rocks()
    x, y, z = vector
    for sample in range(160):
        alarm.told(x, y + sample % 2, z)
    assert alarm.phase == "asking"
    assert "battery" in alarm.judge.reason


def test_a_noise_without_end_is_asked_about():
    alarm = Alarm().lies(0, 1).rocks(58.9)
    assert alarm.phase == "swinging"
    assert alarm.rocks(0.2).phase == "asking"
    assert "come to rest" in alarm.judge.reason


def test_readings_from_before_the_alarm_mean_nothing():
    judge = arm(50 * S, RULES)
    assert ship.heard(judge, Attitude("ship", 1000, 0, 0, 50 * S - 1), RULES) == judge


def test_a_reading_that_comes_out_of_order_turns_no_time_back():
    alarm = Alarm().lies(0, 1)
    now_ns = alarm.judge.heard_ns
    alarm.told(0, 0, 1000, -0.01)
    assert alarm.judge.heard_ns == now_ns


# --- people ------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", ["capsized", "upright"])
@pytest.mark.parametrize("so_far", [0, 10, 59.98, 70])
def test_people_may_answer_at_any_time(verdict, so_far):
    alarm = Alarm().lies(0, so_far)
    alarm.judge = ship.answered(alarm.judge, verdict, alarm.at_ns)
    assert (alarm.phase, alarm.verdict) == ("judged", verdict)
    assert alarm.judge.reason is None
    assert due_ns(alarm.judge, RULES) is None


def test_an_answer_stands_whatever_is_felt_after_it():
    alarm = hit(90)
    assert ship.answered(alarm.judge, "upright", alarm.at_ns) == alarm.judge
    alarm = hit(38)
    assert alarm.lies(90, 10).phase == "asking", "people handle the ship while they are asked"
    assert due_ns(alarm.judge, RULES) is None
    alarm.judge = ship.answered(alarm.judge, "capsized", alarm.at_ns)
    assert alarm.lies(38, 1).phase == "stand-up"
    assert alarm.lies(0, 1).judge.stands


# --- always ------------------------------------------------------------------------------

vectors = st.tuples(*[st.integers(-2000, 2000)] * 3)
poses = st.sampled_from([(0, 0, 1000), (1000, 0, 0), (600, 1, 800), (0, 3, 998), (0, 0, 0)])
stretches = st.lists(
    st.tuples(vectors | poses, st.integers(1, 200), st.sampled_from([0.0, 0.02, 0.4, 1.5])),
    max_size=12,
)


@given(stretches)
def test_whatever_is_felt_there_is_one_end_and_it_is_in_time(stretches):
    alarm = Alarm()
    for (x, y, z), times, every_s in stretches:
        for sample in range(times):
            due = due_ns(alarm.judge, RULES)
            alarm.told(x, y + sample % 2, z, every_s)
            assert due is None or alarm.at_ns < due or alarm.phase != "swinging"
    assert len(alarm.verdicts) <= 1
    assert (alarm.phase == "asking") == (alarm.judge.reason is not None)
    assert alarm.phase != "judged" or alarm.verdict is not None
    for _ in range(2):  # standing up gives time anew, once
        due = due_ns(alarm.judge, RULES)
        if due is not None:
            alarm.judge = ship.ticked(alarm.judge, due, RULES)
    assert alarm.verdict is not None or alarm.phase == "asking"


knocks = st.lists(
    st.tuples(st.floats(100, 2000), st.floats(0.005, 0.06), st.floats(15, 60), st.floats(0.3, 2.5)),
    min_size=1,
    max_size=3,
)


@given(knocks, st.booleans())
def test_no_knocks_are_ever_judged(knocks, unseen):
    alarm = Alarm(unseen=unseen).lies(0, 1)
    for jolt, fades_s, rings_hz, apart_s in knocks:
        alarm.knock(jolt, fades_s, rings_hz).lies(0, apart_s - 0.3)
    alarm.lies(0, 6)
    assert alarm.verdict is None
    assert not alarm.judge.felt
    assert alarm.rocks().lies(0, 3.1).verdict == "upright", "a ball that swings then is judged"


@given(vectors, st.floats(0.1, 10))
def test_the_tilt_does_not_depend_on_how_hard_gravity_is_felt(vector, scale):
    x, y, z = vector
    scaled = (x * scale, y * scale, z * scale)
    assert tilt_deg(scaled, (0, 0, 1000)) == pytest.approx(tilt_deg(vector, (0, 0, 1)), abs=0.11)
    assert 0 <= tilt_deg(vector, (3, -2, 7)) <= 180
