"""What a ship's sensor feels when the ship stands, by two poses that people make."""

import io
import math
import os
import random
import subprocess
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from companion.calibration import CalibrationError, calibrate, pose, refuse_without_sensor
from companion.cli import main
from companion.config import Told
from companion.drivers.api import Attitude, DeviceLost
from companion.ship import S, Thresholds, tilt_deg
from hardware_sim.ship_sensors import Accelerometer
from tests.support.service import command

RULES = Thresholds()


class Ship:
    """A driver whose sensor tells some seconds of samples whenever people have done something.

    `felt` is what the ship feels across and along its mast in each pose, in g.
    """

    def __init__(self, *felt, chance=1, shaken=False, reader="ship", silent=False):
        self.felt = list(felt)
        self.now_ns = self.told_ns = 0
        self.armed = []
        self.closed = False
        self.shaken = shaken
        self.silent = silent
        self.reader = reader
        self.sensor = Accelerometer(random.Random(chance), noise_mg=5)

    def open(self, report, clock):
        self.report = report

    def close(self):
        self.closed = True

    def signal(self, reader, sign):
        pass

    def arm(self, *, armed):
        self.armed.append(armed)

    def clock(self):
        return self.now_ns

    def people(self, what):
        """What happens before they press Enter is a hand on the ship, and counts for nothing."""
        self.now_ns = self.told_ns
        self.tell(3.0, -3.0)
        self.now_ns = pressed_ns = self.now_ns + S
        across, along = self.felt.pop(0)
        if self.silent:
            return
        for sample in range(150):
            self.now_ns += S // 50
            if self.shaken:
                across = random.Random(sample).uniform(-1, 1)
            self.tell(across, along)
        self.told_ns, self.now_ns = self.now_ns, pressed_ns

    def tell(self, across, along):
        x, y, z = self.sensor.sample(0.0, across, along, 0.0)
        self.report(Attitude(self.reader, x, y, z, self.now_ns))


def calibrated(ship):
    out = io.StringIO()
    upright = calibrate([ship], ship.clock, RULES, ship.people, out, limit_s=2.0)
    return upright, out.getvalue()


@pytest.mark.parametrize("chance", range(20))
def test_two_poses_tell_upright_however_the_sensor_is_mounted(chance):
    ship = Ship((0.0, 1.0), (-1.0, 0.0), chance=chance)
    upright, said = calibrated(ship)
    feels = ship.sensor.sample(0.0, 0.0, 1.0, 0.0)
    assert tilt_deg(feels, upright) < 2
    assert all(part == round(part) for part in upright)
    assert tilt_deg(ship.sensor.sample(0.0, -1.0, 0.0, 0.0), upright) > 80
    assert "degrees apart" in said
    assert "upright:" in said
    assert "lying:" in said
    assert ship.closed
    assert ship.armed == [True, False]


@pytest.fixture
def calibrating(monkeypatch):
    """The command, with a ship in place of hardware: its exit status."""

    def run(*words):
        ship = Ship((0.0, 1.0), (-1.0, 0.0))
        monkeypatch.setattr("companion.drivers.registry.make", lambda name: ship)
        monkeypatch.setattr("companion.calibration.press_enter", ship.people)
        monkeypatch.setattr(
            "companion.clocks.machine_clocks", lambda: SimpleNamespace(monotonic_ns=ship.clock)
        )
        return main(["calibrate", "ship", *map(str, words)])

    return run


def test_the_pose_is_written_where_the_service_reads_it(calibrating, tmp_path, capsys):
    path = tmp_path / "table.toml"
    path.write_text("readers = ['ship:'] # a boat\n")
    assert calibrating("--data", tmp_path) == 0
    assert path.read_text().startswith("readers = ['ship:'] # a boat\n\n[ship]\nupright = [")
    upright = Told({"data": tmp_path}).settings().now.ship.upright
    assert math.hypot(*upright) == pytest.approx(1000, abs=60)
    assert f"It is in {path} now" in capsys.readouterr().out
    other = tmp_path / "other.toml"
    other.write_text("")
    assert calibrating("--config", other, "--reader", "ship:") == 0
    assert Told({}, other).settings().now.ship.upright == upright


def test_a_pose_that_cannot_be_written_is_shown(calibrating, tmp_path, capsys, monkeypatch):
    assert calibrating("--data", tmp_path / "none", "--reader", "ship:") == 0
    assert "[ship]\nupright = [" in capsys.readouterr().out

    def full(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert calibrating("--data", tmp_path, "--reader", "ship:") == 2
    said = capsys.readouterr().err
    assert "No space left on device" in said
    assert "[ship]\nupright = [" in said


@pytest.mark.parametrize(
    ("ship", "because"),
    [
        (Ship((0.0, 1.0), (-0.7, 0.7)), "degrees apart"),
        (Ship((0.0, 1.0), (0.0, 1.0)), "degrees apart"),
        (Ship((0.0, 1.0), (0.0, 1.0), shaken=True), "did not rest"),
        (Ship((0.0, 0.4), (0.4, 0.0)), "gravity"),
        (Ship((0.0, 1.0), (1.0, 0.0), silent=True), "No sensor"),
    ],
    ids=["leaning", "not laid down", "shaken", "flat battery", "silent"],
)
def test_what_is_no_pose_is_refused(ship, because):
    with pytest.raises(CalibrationError, match=because):
        calibrate([ship], ship.clock, RULES, ship.people, io.StringIO(), limit_s=1.5)
    assert ship.closed
    assert ship.armed == [True, False]


def test_a_sensor_that_was_lost_says_why():
    ship = Ship((0.0, 1.0), silent=True)
    people = ship.people

    def pull_the_plug(what):
        people(what)
        ship.report(DeviceLost("ship", "The cable is out.", ship.now_ns))

    ship.people = pull_the_plug
    with pytest.raises(CalibrationError, match="cable is out"):
        calibrate([ship], ship.clock, RULES, ship.people, io.StringIO(), limit_s=0.1)


def test_two_ships_are_one_too_many():
    one, other = Ship((0.0, 1.0)), Ship((0.0, 1.0), reader="another")

    tell = one.tell

    def both_tell(across, along):
        tell(across, along)
        other.now_ns = one.now_ns
        other.tell(across, along)

    one.tell = both_tell
    with pytest.raises(CalibrationError, match="Two sensors"):
        calibrate([one, other], one.clock, RULES, one.people, io.StringIO(), limit_s=1.0)


def test_a_second_of_rest_is_a_pose_and_less_is_none():
    readings = [Attitude("ship", 0, 0, 1000 + n % 2, n * S // 10) for n in range(11)]
    assert pose(readings, RULES).mean == pytest.approx((0, 0, 1000.45), abs=0.01)
    assert pose(readings[1:], RULES) is None
    assert pose([readings[0], readings[-1]], RULES) is None, "two readings are no second of rest"
    moved = [*readings[:5], Attitude("ship", 100, 0, 1000, readings[5].at_ns), *readings[6:]]
    assert pose(moved, RULES) is None


@pytest.mark.parametrize(
    ("arguments", "because"),
    [
        ((), "Name the ship's sensor"),
        (("--reader", "nothing:"), "No reader is called"),
        (("--config", "/nowhere.toml"), "cannot be read"),
        (("--reader", "gpio:17"), "Nobody can press Enter"),
        (("--reader", "pn532:/dev/none"), "pn532:/dev/none has no ship's sensor: name the bridge:"),
        (("--reader", "sim:"), "sim: has no ship's sensor"),
    ],
)
def test_the_command_refuses_with_a_sentence(arguments, because):
    done = subprocess.run(
        command("calibrate", "ship", *arguments),
        stdin=subprocess.DEVNULL,
        env={**os.environ, "GPIOZERO_PIN_FACTORY": "mock"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert because in done.stderr
    assert len(done.stderr.splitlines()) <= 2


@pytest.mark.parametrize(
    ("names", "feels"),
    [
        (("pcsc:ACR",), False),
        (("line:/dev/x", "pn532:/dev/y"), False),
        (("gpio:22?kind=stop", "gpio:5?at=pcsc-1&kind=led"), False),
        (("gpio:17",), True),
        (("gpio:17?upright=high",), True),
        (("gpio:17?kind=tilt&upright=high",), True),
        (("pcsc:", "bridge:/dev/x"), True),
    ],
)
def test_who_can_feel_nothing_is_refused_first(names, feels):
    with nullcontext() if feels else pytest.raises(CalibrationError, match="no ship's sensor"):
        refuse_without_sensor(names)


def test_the_command_asks_for_both_poses_of_a_tilt_switch():
    """On pins that nothing is wired to, where both poses feel the same."""
    done = subprocess.run(
        command("calibrate", "ship", "--reader", "gpio:17"),
        input="\n\n",
        env={**os.environ, "GPIOZERO_PIN_FACTORY": "mock"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "upright:" in done.stdout
    assert "lying:" in done.stdout
    assert "Stand the ship upright" in done.stderr
    assert "only 0 degrees apart" in done.stderr
