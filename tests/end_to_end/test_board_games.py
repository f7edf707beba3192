"""Whole games of octopus alarm through a board: the firmware in the real MicroPython, on a
serial line, with the real driver over pyserial, while the line and the board fail.

What a tap means is the test's own: it gives a fresh tag to each action, lays it at the next
place, and does in the game what the reading says. How the ship ended is judged from its
readings. The same game is played beside it without any hardware, and both must be equal.
"""

from __future__ import annotations

import itertools
import random
import threading
import time

import pytest

from companion import ship
from companion.drivers.api import (
    Attitude,
    ButtonPressed,
    DeviceBack,
    DeviceLost,
    SeveralTags,
    TagOff,
    TagOn,
    TagUnreadable,
)
from companion.drivers.registry import make
from companion.match import Match, Setup
from companion.rules.octopus_alarm_words import Stop, Swing
from firmware_bridge.presence import MISSES
from hardware_sim.board.cable import CableFaults
from hardware_sim.board.simulated_board import SimulatedBoard

pytestmark = [pytest.mark.needs("micropython"), pytest.mark.timeout(300)]

LIMIT_S = 60.0
UPRIGHT, LYING, ROCKING = (0, 0, 1000), (980, 40, 195), ((420, 0, 900), (-380, 60, 920))
QUICK = ship.Thresholds(rest_s=1.0, capsized_s=0.3, upright_s=0.1, placed_s=0.2)


class Table:
    """A board with four places, its driver, and what the driver has reported."""

    def __init__(self, board):
        self.board = board
        self.world = board.world
        self.driver = make(f"bridge:{board.path}")
        self.readings = []
        self._new = threading.Condition()
        self._read = 0
        self.laid = []
        self.meanings = {}

    def __enter__(self):
        self.driver.open(self.report, time.monotonic_ns)
        for _ in range(5):
            self.next(DeviceBack)
        return self

    def __exit__(self, *error):
        self.driver.close()

    def report(self, reading):
        with self._new:
            self.readings.append(reading)
            self._new.notify_all()

    def next(self, *kinds):
        """The next reading of these kinds; others are passed over, unless they are wrong."""
        deadline = time.monotonic() + LIMIT_S
        with self._new:
            while True:
                while self._read < len(self.readings):
                    reading = self.readings[self._read]
                    self._read += 1
                    assert not isinstance(reading, SeveralTags | TagUnreadable), reading
                    if isinstance(reading, kinds):
                        return reading
                    assert isinstance(reading, TagOff | Attitude | DeviceBack | DeviceLost), reading
                assert self._new.wait(deadline - time.monotonic()), f"no {kinds} in {LIMIT_S} s"

    def lay(self, action):
        """Lay a fresh tag that means this action at the next place; place and UID."""
        number = len(self.laid)
        place = number % len(self.world.antennas)
        uid = bytes([4, 0x5A, 0, 0, 0, number >> 8, number & 0xFF])
        self.laid.append(uid.hex().upper())
        self.meanings[uid.hex().upper()] = action
        self.world.put(place, uid)
        return place, uid

    def read_tag(self):
        reading = self.next(TagOn)
        assert reading.uid == self.laid[-1]
        return self.meanings[reading.uid]

    def tap(self, action):
        """Lay a tag down, and lift it when it was read; what the reading means."""
        place, uid = self.lay(action)
        meaning = self.read_tag()
        self.world.take(place, uid)
        return meaning

    def press(self):
        self.world.hold(3, down=True)
        reading = self.next(ButtonPressed)
        assert (reading.reader, reading.button) == ("bridge-1/3", "stop")
        self.world.hold(3, down=False)
        assert self.world.wait_for_looks(3, 4)  # let go for long enough to be pressed again
        return Stop()

    def swing(self, ends):
        """The ball hits, the ship rocks and ends as the world has it; what the judge says."""
        self.driver.arm(armed=True)
        judge = ship.arm(time.monotonic_ns(), QUICK)
        count = itertools.count()
        # At rest first, then longer than a knock, also where this machine hears them in heaps.
        poses = [*[UPRIGHT] * 20, *ROCKING * 16]
        while judge.verdict is None:
            judge = ship.heard(judge, self.next(Attitude), QUICK)
            assert judge.phase != "asking", judge.reason
            x, y, z = LYING if ends == "capsized" else UPRIGHT
            trembling = (x + next(count) % 2 * 12, y, z)  # as every sensor does, also at rest
            self.world.tilt(poses.pop(0) if poses else trembling)
        self.world.tilt(UPRIGHT)
        self.driver.arm(armed=False)
        return Swing(judge.verdict)

    # --- what befalls it ------------------------------------------------------------------

    def cut(self, action):
        """A tag comes and goes while the cable carries nothing."""
        self.wait_until_clear()
        self.board.cut()
        place, uid = self.lay(action)
        assert self.world.wait_for_looks(place, 6)
        self.world.take(place, uid)
        assert self.world.wait_for_looks(place, 2 * MISSES)
        self.next(DeviceLost)
        self.board.mend()
        return self.read_tag()

    def unplug(self, action):
        """A tag is laid down while the board is unplugged."""
        self.board.unplug()
        self.next(DeviceLost)
        place, uid = self.lay(action)
        assert self.world.wait_for_looks(place, 6)
        self.board.plug()
        meaning = self.read_tag()
        self.world.take(place, uid)
        return meaning

    def reboot(self, action):
        """The power goes while a tag lies there that was read: it is not read again."""
        place, uid = self.lay(action)
        meaning = self.read_tag()
        self.board.reboot()
        self.next(DeviceLost)
        self.next(DeviceBack)
        assert self.world.wait_for_looks(place, 6)
        self.world.take(place, uid)
        return meaning

    def reboot_before(self, action):
        """The power goes in the moment in which a tag is laid down: it is read once."""
        place, uid = self.lay(action)
        self.board.reboot()
        meaning = self.read_tag()
        self.world.take(place, uid)
        return meaning

    def garbage(self, action):
        """The line carries noise before, and while the tag is read."""
        chance = random.Random(len(self.laid))
        place, uid = self.lay(action)
        for size in (1, 300, 7, 50):
            self.board.garbage(chance.randbytes(size))
        meaning = self.read_tag()
        self.board.garbage(chance.randbytes(100))
        self.world.take(place, uid)
        return meaning

    def silence(self, action):
        """A reader's chip is without power for a while."""
        place = len(self.laid) % len(self.world.antennas)
        self.world.silence(place)
        lost = self.next(DeviceLost)
        assert lost.reader == f"bridge-1/{place}"
        self.world.silence(place, on=False)
        assert self.next(DeviceBack).reader == lost.reader
        return self.tap(action)

    def wait_until_clear(self):
        """Until every tag that was read was seen to leave."""

        def count(kind):
            return sum(isinstance(reading, kind) for reading in self.readings)

        with self._new:
            assert self._new.wait_for(lambda: count(TagOn) <= count(TagOff), LIMIT_S)

    def clear(self):
        """Until every tag was seen to leave; then every tap was told once and in order."""
        on = [reading.uid for reading in self.readings if isinstance(reading, TagOn)]
        assert on == self.laid
        self.wait_until_clear()
        off = [reading.uid for reading in self.readings if isinstance(reading, TagOff)]
        assert sorted(off) == sorted(on)
        for uid in on:
            kinds = [
                type(r) for r in self.readings if isinstance(r, TagOn | TagOff) and r.uid == uid
            ]
            assert kinds == [TagOn, TagOff]


def play(table, seed, target, troubles):
    """A game to its end; the number of alarms.

    Args:
        troubles: what befalls the table, by the number of the action in which it does.
    """
    chance = random.Random(seed)
    options = {"target": target}
    players = ("Ann", "Bo")
    imagined = Match.start(Setup("octopus-alarm", players, options=options, seed=seed))
    played = Match.start(Setup("octopus-alarm", players, options=options))
    troubles = dict(troubles)
    alarms = 0
    while not imagined.game.standing(imagined.state).over:
        chosen = chance.choice(imagined.game.legal(imagined.state))
        imagined = imagined.do(chosen)
        action = imagined.action  # with what the table will see: a face, the ship's end
        due = [step for step in troubles if step <= played.step]
        if isinstance(action, Swing):
            alarms += 1
            meant = table.swing(action.ship)
        elif due:
            meant = getattr(table, troubles.pop(due[0]))(action)
        elif isinstance(action, Stop):
            meant = table.press()
        else:
            meant = table.tap(action)
        assert meant == action
        played = played.do(meant)
    assert troubles == {}
    assert played.state == imagined.state
    assert played.game.standing(played.state).winners
    return alarms


def test_a_whole_game(tmp_path):
    with SimulatedBoard(tmp_path / "board", 4, ship="lis3dh") as board, Table(board) as table:
        assert play(table, seed=9, target=9, troubles={}) == 6
        table.clear()
        # On a busy machine the board may give a chip up whose answer comes late.
        assert table.world.crowded <= sum(table.world.looks) // 100
        assert board.complaints == ""


def test_a_whole_game_with_everything_that_can_befall_it(tmp_path):
    troubles = {
        3: "cut",
        6: "garbage",
        9: "reboot",
        13: "unplug",
        17: "silence",
        20: "reboot_before",
        24: "garbage",
        28: "cut",
        32: "reboot",
    }
    with SimulatedBoard(tmp_path / "board", 4, ship="adxl345") as board, Table(board) as table:
        assert play(table, seed=12, target=9, troubles=troubles) == 4
        table.clear()
        reasons = {r.reason for r in table.readings if isinstance(r, DeviceLost)}
        # A reboot is told from a lost cable.
        assert any("started anew" in reason for reason in reasons)
        assert any("fallen silent" in reason for reason in reasons)
        assert board.complaints == ""


@pytest.mark.parametrize(
    ("reader", "ship_sensor"), [("rc522", "mpu6050"), ("rc522", "tilt-switch")]
)
def test_a_game_through_other_chips(tmp_path, reader, ship_sensor):
    line = tmp_path / "board"
    with SimulatedBoard(line, 4, reader=reader, ship=ship_sensor) as board, Table(board) as table:
        assert play(table, seed=4, target=3, troubles={4: "cut", 9: "reboot"}) == 2
        table.clear()


def test_a_game_over_a_bad_cable(tmp_path):
    faults = CableFaults(garble=10, drop=5, duplicate=5)
    line = tmp_path / "board"
    with SimulatedBoard(line, 4, ship="lis3dh", faults=faults) as board, Table(board) as table:
        assert play(table, seed=1, target=2, troubles={5: "garbage", 12: "reboot"}) == 3
        table.clear()


def test_a_tap_that_is_told_twice_would_be_found():
    table = Table.__new__(Table)
    table.laid = ["04", "05"]
    table.readings = [TagOn("r", "04", 1), TagOn("r", "04", 2), TagOn("r", "05", 3)]
    with pytest.raises(AssertionError):
        table.clear()
