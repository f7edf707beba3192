"""Pins of a Pi: the debouncing on a clock that the test moves, the driver on gpiozero's mock pins."""

from __future__ import annotations

import os
import random
import time

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from companion import ship
from companion.drivers import gpio, registry
from companion.drivers.api import (
    Attitude,
    ButtonPressed,
    DriverMissing,
    DriverName,
    Signalling,
)
from companion.drivers.gpio import MS, PATTERNS, Button, Debounce, TiltSwitch
from tests.support.waiting import until

SAMPLE_NS = 10 * MS

CHATTER_MS = (
    # How a switch bounced before it rested: the times of its edges since the first one.
    (0, 1, 5),
    (0, 2, 3, 6, 9, 13, 14, 20, 24, 31, 38, 45, 52, 60, 66),
    (0, 8, 30, 41, 90, 120, 200),
    (0, 66, 132),
    (0, 60, 66, 126, 132, 190, 198),
    (0, 15, 30, 45, 60, 75, 90, 105, 120, 135, 150, 165, 180, 195, 200),
    (0, 100, 200),
)
assert all(3 <= len(edges) <= 15 and 5 <= edges[-1] <= 200 for edges in CHATTER_MS)
CHATTER = [*CHATTER_MS]
_chance = random.Random(4)
for _ in range(200):
    _count = _chance.choice(range(3, 16, 2))
    _lasts = _chance.randint(5, 200)
    CHATTER.append(tuple(sorted({0, _lasts, *(_chance.randint(1, 199) for _ in range(_count))})))


def level_at(edges, moment_ms, *, before: bool) -> bool:
    """The level at a moment: it changes with each edge, and rests changed after the last."""
    passed = sum(edge <= moment_ms for edge in edges)
    return before if passed == 0 else not before if passed == len(edges) else before ^ passed % 2


class World:
    """A pin whose level is sampled while the time of the test passes."""

    def __init__(self, sensed):
        self.sensed = sensed
        self.now_ns = 7 * 10**9
        self.low = False
        self.told = []

    def rest(self, milliseconds):
        self.play((), milliseconds)

    def spike(self, milliseconds):
        """Another level for a moment, and then the old one for a while."""
        self.change(milliseconds=milliseconds)
        self.change(milliseconds=400)

    def change(self, edges=(0,), milliseconds=1000):
        self.play(edges, milliseconds)
        self.low = not self.low

    def play(self, edges, milliseconds):
        for moment_ms in range(0, milliseconds, SAMPLE_NS // MS):
            self.now_ns += SAMPLE_NS
            low = bool(level_at(edges, moment_ms, before=self.low))
            reading = self.sensed.sampled(self.now_ns, low=low)
            if reading is not None:
                self.told.append(reading)


# --- the pure core -----------------------------------------------------------------------


def test_a_level_is_believed_when_it_has_stayed():
    level = Debounce(30, 50)
    assert [level.sampled(True, now) for now in (0, 29)] == [False, False]
    assert level.level is None
    level.sampled(True, 30)
    assert level.level is True
    for now in (40, 60, 80):
        assert not level.sampled(False, now)
        assert not level.sampled(True, now + 10)
    assert not level.sampled(False, 100)
    assert not level.sampled(False, 149)
    assert level.sampled(False, 150)
    assert level.level is False


@pytest.mark.parametrize("edges", CHATTER, ids=str)
def test_a_press_that_chatters_is_one_press(edges):
    world = World(Button("gpio-22", "stop"))
    world.rest(400)
    for _ in range(2):
        world.change(edges)
        world.change(edges)
    assert [reading.button for reading in world.told] == ["stop", "stop"]
    assert isinstance(world.told[0], ButtonPressed)


def test_a_short_press_counts_and_a_spike_does_not():
    world = World(Button("gpio-22", "undo"))
    world.rest(400)
    world.spike(20)
    assert world.told == []
    world.spike(60)
    assert len(world.told) == 1


def test_a_button_that_is_held_at_the_start_was_not_pressed():
    world = World(Button("gpio-22", "stop"))
    world.low = True
    world.rest(2000)
    assert world.told == []
    world.change()
    world.change()
    assert len(world.told) == 1


@pytest.mark.parametrize("upright_low", [True, False])
@pytest.mark.parametrize("edges", CHATTER_MS, ids=str)
def test_a_tilt_that_chatters_changes_the_attitude_once(edges, upright_low):
    world = World(TiltSwitch("gpio-17", upright_low=upright_low))
    world.low = upright_low
    world.rest(300)
    world.change(edges)
    world.change(edges)
    poses = [(reading.x_mg, reading.y_mg, reading.z_mg) for reading in world.told]
    upright, tilted = (0, 0, 1000), (1000, 0, 0)
    changes = [pose for before, pose in zip([None, *poses], poses, strict=False) if pose != before]
    assert changes == [upright, tilted, upright]


def test_what_is_too_short_is_no_tilt():
    world = World(TiltSwitch("gpio-17", upright_low=False))
    world.rest(300)
    for _ in range(20):
        world.spike(70)
    assert {reading.z_mg for reading in world.told} == {1000}


def test_a_tilt_switch_is_heard_twice_a_second_and_in_an_alarm_fifty_times():
    switch = TiltSwitch("gpio-17", upright_low=False)
    world = World(switch)
    world.rest(10_000)
    assert 18 <= len(world.told) <= 20
    gaps = [b.at_ns - a.at_ns for a, b in zip(world.told, world.told[1:], strict=False)]
    assert max(gaps) <= 1000 * MS
    world.told.clear()
    switch.armed = True
    world.rest(2000)
    assert 98 <= len(world.told) <= 101


@pytest.mark.parametrize("edges", CHATTER_MS, ids=str)
def test_in_an_alarm_the_chatter_is_passed_on_and_ends_at_the_right_pose(edges):
    switch = TiltSwitch("gpio-17", upright_low=False)
    world = World(switch)
    world.rest(300)
    switch.armed = True
    began_ns = world.now_ns
    world.change(edges)
    last_change = max(
        b.at_ns for a, b in zip(world.told, world.told[1:], strict=False) if a.x_mg != b.x_mg
    )
    assert abs(last_change - began_ns - edges[-1] * MS) <= 2 * SAMPLE_NS
    assert world.told[-1].x_mg == 1000


@pytest.mark.parametrize(
    ("edges", "verdict"),
    [
        ((0, 8, 30, 41, 90, 120, 200), "capsized"),
        ((0, 8, 30, 41, 90, 120, 160, 200) * 4, "upright"),
    ],
)
def test_the_judge_of_an_alarm_feels_the_hit_in_the_chatter(edges, verdict):
    """The ball strikes, the switch chatters for longer than from a knock, and the ship rests."""
    switch = TiltSwitch("gpio-17", upright_low=False)
    switch.armed = True
    world = World(switch)
    judge = ship.arm(world.now_ns, ship.Thresholds())
    world.rest(2000)
    if verdict == "capsized":
        world.change(edges, 4000)
    else:
        for moment in (*edges, None):
            world.play((), 20)
            world.low = not world.low if moment is not None else False
        world.rest(4000)
    for reading in world.told:
        judge = ship.heard(judge, reading, ship.Thresholds())
    assert judge.verdict == verdict


def test_every_sign_differs():
    assert set(PATTERNS) == {"accepted", "refused", "your-turn", "alarm"}
    shapes = {tuple(round(seconds, 1) for seconds in pattern) for pattern in PATTERNS.values()}
    assert len(shapes) == 4
    assert all(len(pattern) % 2 for pattern in PATTERNS.values())  # it begins and ends with on


# --- the driver on mock pins -------------------------------------------------------------


@pytest.fixture
def pins():
    factory = MockFactory()
    before, gpiozero.Device.pin_factory = gpiozero.Device.pin_factory, factory
    yield factory
    factory.reset()
    gpiozero.Device.pin_factory = before


@pytest.fixture
def opened_pin(pins, readings):
    drivers = []

    def opened_pin(name):
        driver = registry.make(name)
        drivers.append(driver)
        driver.open(readings, time.monotonic_ns)
        return driver

    yield opened_pin
    for driver in drivers:
        driver.close()


def next_pose(readings, wanted):
    for _ in range(1000):
        reading = readings.next()
        assert isinstance(reading, Attitude)
        if (reading.x_mg, reading.y_mg, reading.z_mg) == wanted:
            return reading
    pytest.fail("the pose did not come")


def test_a_tilt_switch_tells_how_the_ship_lies(pins, opened_pin, readings):
    driver = opened_pin("gpio:17")
    readings.expect_back("gpio-17", "Tilt switch on pin 17 (Mock)")
    pins.pin(17).drive_low()
    reading = next_pose(readings, (0, 0, 1000))
    assert reading.reader == "gpio-17"
    assert isinstance(driver, Signalling)
    driver.arm(armed=True)
    pins.pin(17).drive_high()
    next_pose(readings, (1000, 0, 0))
    first = readings.take(1)[0].at_ns
    last = readings.take(25)[-1].at_ns
    assert last - first < 5 * 10**9  # heartbeats alone would take twelve seconds


def test_upright_may_be_the_high_level(pins, opened_pin, readings):
    opened_pin("gpio:17?kind=tilt&upright=high")
    readings.expect_back("gpio-17", "Tilt switch on pin 17 (Mock)")
    next_pose(readings, (0, 0, 1000))
    pins.pin(17).drive_low()
    next_pose(readings, (1000, 0, 0))


@pytest.mark.parametrize("button", ["stop", "undo", "shuffle"])
def test_a_button_is_pressed(pins, opened_pin, readings, button):
    driver = opened_pin(f"gpio:22?kind={button}")
    readings.expect_back("gpio-22", f"Button {button} on pin 22 (Mock)")
    # Until the driver has believed that it is not pressed, a press would be one from before.
    samples = _count_samples(driver, pins.pin(22))
    until(lambda: samples() > 40)
    pins.pin(22).drive_low()
    reading = readings.next()
    assert (reading.reader, reading.button) == ("gpio-22", button)
    pins.pin(22).drive_high()
    readings.expect_nothing(0.1)


def _count_samples(driver, pin):
    """How often the driver has looked at the pin since now."""
    count = 0
    look = pin._get_state

    def looked():
        nonlocal count
        count += 1
        return look()

    pin._get_state = looked
    return lambda: count


@pytest.mark.parametrize("kind", ["buzzer", "led"])
def test_a_sign_is_given_in_its_pattern_and_then_it_is_dark(pins, opened_pin, readings, kind):
    driver = opened_pin(f"gpio:27?kind={kind}")
    readings.expect_back("gpio-27", f"{'LED' if kind == 'led' else 'Buzzer'} on pin 27 (Mock)")
    pin = pins.pin(27)
    pin.clear_states()
    assert isinstance(driver, Signalling)
    driver.signal("pcsc-1", "your-turn")
    until(lambda: len(pin.states) == 5)
    assert [bool(change.state) for change in pin.states] == [False, True, False, True, False]
    until(lambda: not driver._waiting)
    pin.clear_states()
    driver.signal("", "refused")
    until(lambda: len(pin.states) == 3)
    assert pin.states[2].timestamp > 0.5


def test_a_sign_that_waits_is_not_given_twice(pins, opened_pin, readings):
    driver = opened_pin("gpio:27?kind=buzzer")
    readings.next()
    pin = pins.pin(27)
    pin.clear_states()
    for reader in range(8):
        driver.signal(f"bridge-1/{reader}", "accepted")
    until(lambda: not driver._waiting)
    assert len(pin.states) == 3


def test_a_lamp_at_a_place_hears_that_place_alone(pins, opened_pin, readings):
    driver = opened_pin("gpio:5?kind=led&at=bridge-1/0,gpio-22")
    readings.next()
    pin = pins.pin(5)
    pin.clear_states()
    driver.signal("bridge-1/1", "refused")
    driver.signal("gpio-22", "accepted")
    until(lambda: len(pin.states) == 3)
    assert pin.states[2].timestamp < 0.5


def test_a_closed_lamp_is_dark_and_its_pin_is_free(pins, opened_pin, readings):
    driver = opened_pin("gpio:5?kind=led")
    readings.next()
    pin = pins.pin(5)
    driver.signal("x", "alarm")
    until(lambda: pin.state)
    before = time.monotonic()
    driver.close()
    assert time.monotonic() - before < 3
    assert not pin.state
    assert pin.function == "input"


def test_a_pin_that_is_taken_is_told_and_tried_again(pins, opened_pin, readings, mocker):
    mocker.patch.object(gpio, "RETRY_S", 0.01)
    other = gpiozero.LED(22)
    opened_pin("gpio:22?kind=stop")
    readings.expect_lost("gpio-22", "Pin 22 cannot be used")
    other.close()
    readings.expect_back("gpio-22", "Button stop on pin 22 (Mock)")


def test_without_gpiozero_it_says_what_to_install(mocker, readings):
    mocker.patch.dict("sys.modules", {"gpiozero": None})
    with pytest.raises(DriverMissing, match="pip install gpiozero lgpio"):
        registry.make("gpio:17").open(readings, time.monotonic_ns)


def test_without_a_way_to_the_pins_it_says_what_to_install(mocker, readings, monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "no-such-way")
    mocker.patch.object(gpiozero.Device, "pin_factory", None)
    with pytest.raises(DriverMissing, match=r"no-such-way.*install lgpio"):
        registry.make("gpio:17").open(readings, time.monotonic_ns)


def test_where_nothing_can_be_written_lgpio_gets_another_folder(pins, mocker):
    mocker.patch.dict(os.environ)
    os.environ.pop("LG_WD", None)
    mocker.patch("os.access", return_value=True)
    gpio._library()
    assert "LG_WD" not in os.environ
    mocker.patch("os.access", return_value=False)
    gpio._library()
    assert os.environ["LG_WD"]


@pytest.mark.parametrize(
    "name",
    [
        "gpio:",
        "gpio:x",
        "gpio:28",
        "gpio:-1",
        "gpio:²",
        "gpio:17?kind=lamp",
        "gpio:17?kind",
        "gpio:17?kind=tilt&upright=yes",
        "gpio:22?kind=stop&upright=high",
        "gpio:22?kind=stop&at=pcsc-1",
        "gpio:22?colour=red",
    ],
)
def test_a_name_that_no_pin_has_is_refused_with_what_can_be_named(name):
    with pytest.raises(DriverName, match=r"gpio:22\?kind=stop"):
        registry.make(name)
