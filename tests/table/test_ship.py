"""The judge of an alarm at the table: armed, told, asked, and answered by people."""

from __future__ import annotations

import sqlite3
import threading

import pytest

from companion.drivers.api import Attitude, DeviceLost
from companion.match import Setup
from companion.record.journal import Journal
from companion.rules.api import Leave
from companion.rules.octopus_alarm_words import Flip, Reef, Sail, Swing
from companion.ship import KNOCK, Thresholds
from companion.ship_watch import CARRY, LAID, PLACED
from tests.support.tables import API, SECOND_NS, running

UPRIGHT, LYING, LEANING = (0, 0, 1000), (1000, 0, 0), (643, 0, 766)
SETUP = Setup("octopus-alarm", ("Ann", "Bo", "Cy"))
TOPS = ("crab", "fish", "squid", "snail")
BEAT_NS = SECOND_NS // 50


class Evening:
    """A table with a ship, on a clock that the test moves."""

    def __init__(self, clock):
        self.clock = clock
        self.table = None
        self.pose = UPRIGHT
        self.revisions = []

    def act(self, action):
        answer = self.table.act(action, source=API)
        assert answer.code is None, answer.message
        return answer.snapshot

    def to_alarm(self):
        """The reef is told, and a tile brings the alarm: Ann is in turn, and Bo swings."""
        for stack, animal in enumerate(TOPS):
            self.act(Reef(stack, animal))
        self.act(Sail(2))
        return self.act(Flip(0, "wave"))

    def feel(self, pose, seconds, *, reader="gpio-17", shake=False):
        """The ship lies so for a while, at 50 readings a second."""
        for number in range(int(seconds * 50)):
            self.clock.now_ns += BEAT_NS
            felt = LYING if shake and number % 2 else pose
            if felt == LEANING:  # an accelerometer, and these are never quite still
                felt = (felt[0], number % 3, felt[2])
            self.table.report(Attitude(reader, *felt, self.clock.now_ns))
            if number % 25 == 0:
                self.table.settle()
        return self.table.settle()

    def hit(self, ends, seconds=4, reader="gpio-17"):
        """The ship was carried to its place; the ball hits it, and it comes to rest."""
        self.feel(UPRIGHT, 0.5, reader=reader)
        self.feel(UPRIGHT, 0.8, reader=reader, shake=True)
        self.feel(UPRIGHT, 2, reader=reader)
        self.feel(UPRIGHT, 1, reader=reader, shake=True)
        return self.feel(ends, seconds, reader=reader)

    def wait(self, seconds):
        self.clock.now_ns += int(seconds * SECOND_NS)
        return self.table.settle()


class Clock:
    now_ns = 10**12

    def __call__(self):
        return self.now_ns


@pytest.fixture
def evening(tmp_path):
    clock = Clock()
    evening = Evening(clock)
    with running(tmp_path, SETUP, clock=clock) as table:
        evening.table = table
        evening.feel(UPRIGHT, 0.1)
        yield evening


def test_attitudes_outside_an_alarm_change_nothing_and_publish_nothing(evening):
    before = evening.table.snapshot
    evening.feel(UPRIGHT, 2, shake=True)
    evening.feel(LYING, 5)
    assert evening.table.snapshot is before
    assert before.ship is None


def test_a_ship_that_falls_outside_an_alarm_means_nothing_and_is_asked_about(evening):
    evening.feel(UPRIGHT, 4)
    before = evening.table.snapshot
    evening.feel(LYING, 2.9)
    evening.feel(UPRIGHT, 4)
    assert evening.table.snapshot is before, "it was only carried"
    (question,) = evening.feel(LYING, 3.1).questions
    assert question.key == "ship-fell"
    assert evening.table.snapshot.state == before.state
    answer = evening.table.answer("ship-fell", "nothing", source=API)
    assert answer.snapshot.questions == ()
    assert evening.feel(LYING, 30).questions == (), "it is asked once"
    evening.feel(UPRIGHT, 4)
    assert len(evening.feel(LYING, 4).questions) == 1


def test_a_ship_that_has_capsized_in_an_alarm_has_not_fallen(evening):
    evening.to_alarm()
    evening.hit(LYING)
    assert evening.feel(LYING, 30).questions == ()
    evening.feel(UPRIGHT, 4)
    assert len(evening.feel(LYING, 4).questions) == 1


def test_no_ship_is_asked_about_where_none_sails(tmp_path):
    clock = Clock()
    evening = Evening(clock)
    with running(tmp_path, Setup("tentacles", ("Ann", "Bo")), clock=clock) as table:
        evening.table = table
        evening.feel(UPRIGHT, 4)
        assert evening.feel(LYING, 4).questions == ()


@pytest.mark.parametrize(("ends", "verdict"), [(UPRIGHT, "upright"), (LYING, "capsized")])
def test_the_ship_judges_the_alarm(evening, ends, verdict):
    snapshot = evening.to_alarm()
    assert snapshot.standing.phase == "alarm"
    assert snapshot.ship.phase == "armed"
    snapshot = evening.hit(ends)
    assert snapshot.event.action == Swing(verdict)
    source = snapshot.event.source
    assert (source.kind, source.name, source.sense) == ("reader", "gpio-17", "ship")
    assert snapshot.standing.turn == "Bo"
    assert snapshot.state["provisions"]["Ann"] == (3 if verdict == "upright" else 2)


def test_people_see_that_a_ship_which_has_sailed_is_put_in_its_place_first(evening):
    status = evening.to_alarm().ship
    assert (status.phase, status.reason) == ("armed", CARRY)
    evening.feel(UPRIGHT, 0.5)
    status = evening.feel(UPRIGHT, 0.8, shake=True).ship
    assert (status.phase, status.reason) == ("swinging", CARRY)
    status = evening.feel(UPRIGHT, 2).ship
    assert (status.phase, status.reason) == ("armed", PLACED)
    status = evening.feel(UPRIGHT, 1, shake=True).ship
    assert (status.phase, status.reason) == ("swinging", "")
    evening.feel(LYING, 3.1)
    status = evening.feel(LYING, 1).ship
    assert (status.phase, status.reason) == ("stand-up", ""), "what the ball felled was in place"


def test_a_ship_that_hands_lay_down_on_its_way_costs_nothing(evening):
    evening.to_alarm()
    evening.feel(UPRIGHT, 0.5)
    evening.feel(UPRIGHT, 0.8, shake=True)
    snapshot = evening.feel(LYING, 4)
    assert snapshot.standing.phase == "alarm"
    assert (snapshot.ship.phase, snapshot.ship.reason) == ("stand-up", LAID)
    status = evening.feel(UPRIGHT, 2).ship
    assert (status.phase, status.reason) == ("armed", PLACED)
    evening.feel(UPRIGHT, 1, shake=True)
    assert evening.feel(LYING, 4).event.action == Swing("capsized")


def test_what_people_tell_of_a_ship_on_its_way_ends_the_hints(evening):
    evening.to_alarm()
    evening.feel(UPRIGHT, 0.5)
    evening.feel(UPRIGHT, 0.8, shake=True)
    evening.feel(LYING, 4)
    evening.act(Swing("capsized"))
    status = evening.feel(LYING, 1).ship
    assert (status.phase, status.reason) == ("stand-up", "")


def test_a_verdict_comes_once(evening):
    evening.to_alarm()
    step = evening.hit(LYING).step
    assert evening.feel(LYING, 20).step == step


def test_a_ship_that_is_knocked_over_and_righted_is_upright(evening):
    evening.to_alarm()
    evening.hit(LYING, seconds=2)
    evening.feel(UPRIGHT, 0.5, shake=True)
    assert evening.feel(UPRIGHT, 4).event.action == Swing("upright")


def test_only_phases_are_published_and_not_each_reading(evening):
    evening.to_alarm()
    evening.feel(UPRIGHT, 1)
    before = evening.table.snapshot.revision
    evening.feel(UPRIGHT, 10)
    assert evening.table.snapshot.revision == before
    evening.hit(UPRIGHT)
    assert evening.table.snapshot.revision - before <= 8


def test_after_capsizing_people_see_that_the_ship_is_to_be_stood_up(evening):
    evening.to_alarm()
    evening.hit(LYING)
    assert evening.feel(LYING, 1).ship.phase == "stand-up"
    evening.act(Sail(1))
    assert evening.feel(UPRIGHT, 2).ship is None
    assert evening.feel(LYING, 5).ship is None


def test_a_leaning_ship_asks_and_people_answer(evening):
    evening.to_alarm()
    snapshot = evening.hit(LEANING)
    assert (snapshot.event.kind, snapshot.event.code) == ("notice", "ship-unsure")
    assert "40 degrees" in snapshot.event.message
    assert (snapshot.ship.phase, snapshot.ship.angle) == ("asking", 40)
    assert snapshot.ship.reason == snapshot.event.message
    assert snapshot.standing.phase == "alarm"
    snapshot = evening.act(Swing("capsized"))
    assert snapshot.standing.turn == "Bo"
    assert evening.feel(LEANING, 10).event is snapshot.event


def test_a_knock_asks_and_the_ball_that_swings_after_the_question_is_judged(evening):
    evening.to_alarm()
    evening.feel(UPRIGHT, 0.5)
    evening.feel(UPRIGHT, 0.8, shake=True)  # somebody carries it
    evening.feel(UPRIGHT, 2)
    evening.feel(UPRIGHT, 0.1, shake=True)
    snapshot = evening.feel(UPRIGHT, 5)
    assert (snapshot.event.code, snapshot.event.message) == ("ship-unsure", KNOCK)
    assert (snapshot.ship.phase, snapshot.ship.reason) == ("asking", KNOCK)
    snapshot = evening.feel(UPRIGHT, 0.8, shake=True)
    assert (snapshot.ship.phase, snapshot.ship.reason) == ("swinging", "")
    assert evening.feel(UPRIGHT, 3.1).event.action == Swing("upright")


def test_a_sensor_that_is_lost_while_a_knock_is_asked_about_leaves_the_end_to_people(evening):
    evening.to_alarm()
    evening.feel(UPRIGHT, 0.5)
    evening.feel(UPRIGHT, 0.8, shake=True)
    evening.feel(UPRIGHT, 2)
    evening.feel(UPRIGHT, 0.1, shake=True)
    assert evening.feel(UPRIGHT, 5).event.message == KNOCK
    snapshot = lose(evening)
    assert "went silent" in snapshot.ship.reason, "people see that it is asked anew"
    assert (snapshot.event.code, snapshot.event.message) == ("ship-unsure", snapshot.ship.reason)
    assert evening.feel(LYING, 20).standing.phase == "alarm", "nobody knows what felled it"
    assert evening.act(Swing("upright")).event.action == Swing("upright")


def test_it_asks_once(evening):
    evening.to_alarm()
    event = evening.hit(LEANING).event
    assert evening.feel(LYING, 70).event is event


def test_a_silent_sensor_asks_after_a_while(evening):
    evening.to_alarm()
    evening.feel(UPRIGHT, 0.5)
    assert evening.wait(9).ship.phase == "armed"
    snapshot = evening.wait(2)
    assert (snapshot.event.code, snapshot.ship.phase) == ("ship-unsure", "asking")
    assert "silent" in snapshot.event.message


def test_the_table_wakes_by_itself_when_the_judge_is_due(tmp_path):
    """The time that it waits is real; only the moment comes from the clock handed in."""
    clock = Clock()
    evening = Evening(clock)
    with running(tmp_path, SETUP, clock=clock, thresholds=Thresholds(answer_s=0.05)) as table:
        evening.table = table
        evening.feel(UPRIGHT, 0.1)
        snapshot = evening.to_alarm()
        clock.now_ns += SECOND_NS
        for _ in range(50):
            if snapshot.ship.phase == "asking":
                break
            snapshot = table.wait(snapshot.revision, 0.2)
        assert snapshot.event.code == "ship-unsure"


def test_without_a_sensor_nothing_is_asked_and_people_tell(tmp_path):
    clock = Clock()
    evening = Evening(clock)
    with running(tmp_path, SETUP, clock=clock) as table:
        evening.table = table
        snapshot = evening.to_alarm()
        assert (snapshot.ship.phase, snapshot.ship.angle) == ("unwatched", None)
        assert evening.wait(100).event is snapshot.event
        assert evening.act(Swing("upright")).ship is None


def test_a_sensor_that_comes_in_mid_alarm_judges(tmp_path):
    clock = Clock()
    evening = Evening(clock)
    with running(tmp_path, SETUP, clock=clock) as table:
        evening.table = table
        evening.to_alarm()
        assert evening.hit(LYING).event.action == Swing("capsized")


@pytest.mark.parametrize("verdict", ["capsized", "upright"])
def test_people_may_answer_at_any_time_and_it_ends_the_judging(evening, verdict):
    evening.to_alarm()
    evening.feel(UPRIGHT, 0.5)
    evening.feel(UPRIGHT, 0.5, shake=True)
    step = evening.act(Swing(verdict)).step
    assert evening.feel(LYING, 20).step == step
    assert evening.feel(UPRIGHT, 20).step == step


def test_undo_arms_the_judge_again(evening):
    evening.to_alarm()
    evening.hit(UPRIGHT)
    snapshot = evening.table.undo(1, source=API).snapshot
    assert (snapshot.standing.phase, snapshot.ship.phase) == ("alarm", "armed")
    evening.feel(UPRIGHT, 0.5)
    evening.feel(UPRIGHT, 1, shake=True)
    assert evening.feel(LYING, 4).event.action == Swing("capsized")


def test_an_undo_within_an_alarm_begins_it_anew(evening):
    evening.to_alarm()
    evening.act(Leave("Cy"))
    evening.feel(UPRIGHT, 0.5)
    evening.feel(UPRIGHT, 0.8, shake=True)
    assert evening.table.snapshot.ship.phase == "swinging"
    assert evening.table.undo(1, source=API).snapshot.ship.phase == "armed"


def test_undo_of_the_alarm_itself_ends_the_judging(evening):
    evening.to_alarm()
    snapshot = evening.table.undo(1, source=API).snapshot
    assert snapshot.ship is None
    assert evening.hit(LYING).event is snapshot.event


def test_who_leaves_during_an_alarm_does_not_disturb_the_judge(evening):
    evening.to_alarm()
    evening.feel(UPRIGHT, 0.5)
    evening.feel(UPRIGHT, 0.8, shake=True)
    evening.feel(UPRIGHT, 2)
    evening.feel(UPRIGHT, 1, shake=True)
    evening.act(Leave("Cy"))
    assert evening.feel(LYING, 4).event.action == Swing("capsized")


def test_when_the_player_in_turn_leaves_the_alarm_is_over(evening):
    evening.to_alarm()
    snapshot = evening.act(Leave("Ann"))
    assert snapshot.ship is None
    assert evening.hit(LYING).step == snapshot.step


OTHER = "bridge-1/ship"


def lose(evening, reader="gpio-17"):
    evening.table.report(DeviceLost(reader, "Gone.", evening.clock.now_ns))
    return evening.table.settle()


def test_a_second_sensor_is_not_listened_to_and_the_log_says_so_once(evening, caplog):
    evening.to_alarm()
    assert evening.hit(LYING, reader=OTHER).standing.phase == "alarm"
    assert evening.hit(UPRIGHT).event.source.name == "gpio-17"
    told = [record.getMessage() for record in caplog.records if OTHER in record.getMessage()]
    assert told == [f"the ship's sensor {OTHER} is not listened to: the ship is judged by gpio-17"]


def test_a_sensor_that_is_lost_in_an_alarm_asks_and_no_other_ship_answers(evening):
    evening.to_alarm()
    evening.feel(UPRIGHT, 1)
    snapshot = lose(evening)
    assert (snapshot.event.code, snapshot.ship.phase) == ("ship-unsure", "asking")
    assert "went silent" in snapshot.ship.reason
    assert evening.hit(LYING, reader=OTHER).standing.phase == "alarm"
    assert evening.hit(LYING).standing.phase == "alarm", "nor the same, when it is back"
    assert evening.act(Swing("upright")).ship is None


def test_nor_after_an_undo_within_the_same_alarm(evening):
    evening.to_alarm()
    evening.act(Leave("Cy"))
    lose(evening)
    evening.feel(UPRIGHT, 0.2, reader=OTHER)
    assert evening.table.undo(1, source=API).snapshot.ship.phase == "asking"
    assert evening.hit(UPRIGHT, reader=OTHER).ship.phase == "asking"


def test_between_alarms_the_first_one_heard_takes_the_place_of_one_that_was_lost(evening, caplog):
    evening.to_alarm()
    lose(evening)
    evening.act(Swing("capsized"))
    assert evening.feel(LYING, 1, reader=OTHER).ship is None, "that it fell was not told of this"
    assert OTHER not in caplog.text
    evening.table.undo(1, source=API)
    assert evening.hit(UPRIGHT, reader=OTHER).event.source.name == OTHER


def test_a_sensor_that_is_lost_between_alarms_asks_nothing(evening):
    assert lose(evening).event.kind == "started"
    evening.to_alarm()
    assert evening.hit(LYING, reader=OTHER).event.source.name == OTHER


def test_what_the_disk_does_not_take_is_asked_of_people(evening, mocker):
    evening.to_alarm()
    full = mocker.patch.object(Journal, "append", side_effect=sqlite3.OperationalError("full"))
    snapshot = evening.hit(LYING)
    assert snapshot.event.code == "storage"
    assert (snapshot.standing.phase, snapshot.ship.phase) == ("alarm", "asking")
    mocker.stop(full)
    assert evening.act(Swing("capsized")).event.action == Swing("capsized")


def test_an_alarm_is_still_judged_after_a_restart(tmp_path):
    clock = Clock()
    evening = Evening(clock)
    with running(tmp_path, SETUP, clock=clock) as table:
        evening.table = table
        evening.to_alarm()
    with running(tmp_path, SETUP, clock=clock) as table:
        evening.table = table
        assert table.snapshot.ship.phase == "unwatched"
        assert evening.hit(LYING).event.action == Swing("capsized")


@pytest.mark.parametrize("lies_s", [0.2, 5])
def test_a_ship_that_lies_after_a_restart_is_asked_about_though_people_right_it(tmp_path, lies_s):
    """The ball felled it while no service ran: nobody knows that, and nothing is judged."""
    clock = Clock()
    evening = Evening(clock)
    with running(tmp_path, SETUP, clock=clock) as table:
        evening.table = table
        evening.feel(UPRIGHT, 0.1)
        evening.to_alarm()
        evening.feel(UPRIGHT, 1)
    with running(tmp_path, SETUP, clock=clock) as table:
        evening.table = table
        snapshot = evening.feel(LYING, lies_s)
        assert (snapshot.event.code, snapshot.ship.phase) == ("ship-unsure", "asking")
        assert "nobody felt it fall" in snapshot.ship.reason
        assert evening.hit(UPRIGHT).event is snapshot.event
        assert evening.act(Swing("capsized")).event.action == Swing("capsized")


def test_a_ship_that_lies_when_a_sensor_comes_in_is_asked_about_unless_the_alarm_is_young(tmp_path):
    for wait_s, phase in ((1, "stand-up"), (5, "asking")):
        clock = Clock()
        evening = Evening(clock)
        with running(tmp_path / phase, SETUP, clock=clock) as table:
            evening.table = table
            evening.to_alarm()
            evening.wait(wait_s)
            assert evening.feel(LYING, 3).ship.phase == phase


def test_an_undo_within_an_alarm_forgets_what_was_felt_and_asks_of_a_ship_that_lies(evening):
    evening.to_alarm()
    evening.act(Leave("Cy"))
    evening.hit(LYING, seconds=1)
    evening.table.undo(1, source=API)
    assert evening.feel(LYING, 1).ship.phase == "asking"


def test_thresholds_are_those_of_the_table(tmp_path):
    clock = Clock()
    evening = Evening(clock)
    lenient = Thresholds(capsized_deg=38, upright_deg=20)
    with running(tmp_path, SETUP, clock=clock, thresholds=lenient) as table:
        evening.table = table
        evening.feel(UPRIGHT, 0.1)
        evening.to_alarm()
        assert evening.hit(LEANING).event.action == Swing("capsized")


def test_no_thread_of_its_own(evening):
    """The judge lives in the table's thread: there is nothing to lock."""
    names = [thread.name for thread in threading.enumerate()]
    assert names.count("table") == 1
    assert not any("ship" in name for name in names)
