"""Whole games of octopus alarm through the API, in which the ship itself says how it ended."""

from __future__ import annotations

import json
import random
import threading
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from companion.clocks import Clocks
from companion.config import Config
from companion.drivers import registry
from companion.drivers.api import Attitude, DeviceBack, Driver
from companion.service import serving
from companion.settings.live import LiveSettings
from companion.ship import Thresholds
from hardware_sim.ship import Swing
from tests.support.waiting import until

ANIMALS = ("crab", "fish", "jellyfish", "seahorse", "snail", "squid", "starfish", "turtle")
READER = "bridge-1/ship"
TOKEN = "table-link-token"
S = 1_000_000_000
LIMIT_S = 30


class Ship(Driver):
    """A sensor that tells what the simulated world lets it feel, at times of the test's clock."""

    def __init__(self):
        self.now_ns = 10**12
        self.armed = threading.Event()

    def open(self, report, clock):
        self._report = report
        report(DeviceBack(READER, "A ship in software", clock()))

    def close(self):
        pass

    def signal(self, reader, sign):
        pass

    def arm(self, *, armed):
        if armed:
            self.armed.set()
        else:
            self.armed.clear()

    def tell(self, x_mg, y_mg, z_mg, at_ns):
        self.now_ns = max(self.now_ns, at_ns)
        self._report(Attitude(READER, x_mg, y_mg, z_mg, at_ns))


@dataclass
class Evening:
    """People who play, and the world in which their ship is hit."""

    url: str
    ship: Ship
    chance: random.Random
    kind: str
    sensor: object
    tally: Counter = field(default_factory=Counter)

    def __post_init__(self):
        self.tiles = {}
        animals = list(ANIMALS)
        self.chance.shuffle(animals)
        for area in range(4):
            faces = ["wave", "billy", *animals[2 * area : 2 * area + 2]]
            self.chance.shuffle(faces)
            self.tiles.update({(area, tile): face for tile, face in enumerate(faces)})
        chips = [animal for animal in ANIMALS for _ in range(3)]
        self.chance.shuffle(chips)
        self.stacks = [chips[6 * stack : 6 * stack + 6] for stack in range(4)]

    def table(self):
        with urllib.request.urlopen(f"{self.url}/api/v1/table", timeout=LIMIT_S) as response:
            return json.load(response)

    def do(self, verb, **fields):
        request = urllib.request.Request(
            f"{self.url}/api/v1/actions",
            json.dumps({"do": verb, **fields}).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"},
        )
        with urllib.request.urlopen(request, timeout=LIMIT_S) as response:
            return json.load(response)

    def play(self):
        """Until the game is over; what everybody sees then."""
        view = self.table()
        while not view["over"]:
            view = self.move(view)
        return view

    def move(self, view):
        state = view["state"]
        match view["phase"]:
            case "reef":
                stack = state["reef"].index("unknown")
                return self.do("reef", stack=stack, animal=self.stacks[stack].pop())
            case "sail":
                ways = [way for way in (1, 2) if (state["ship"] + way) % 4 != state["billy"]]
                return self.do("sail", areas=self.chance.choice(ways))
            case "choose" if self.chance.random() < 0.1:
                return self.do("stop")
            case "flip" | "choose":
                area = state["ship"]
                down = [tile for tile in range(4) if f"{area}-{tile}" not in state["face_up"]]
                tile = self.chance.choice(down)
                return self.do("flip", tile=tile, face=self.tiles[area, tile])
            case "take":
                stack = state["reef"].index(view["outcomes"][0]["face"])
                return self.do("take", stack=stack)
            case "alarm":
                return self.alarm(view)
        raise AssertionError(view["phase"])

    def alarm(self, view):
        assert self.ship.armed.wait(LIMIT_S)
        assert view["ship"]["alarm"]
        carried = any(outcome["what"] == "ship-moved" for outcome in view["outcomes"])
        if carried:
            self.stand(0.5)
            self.stand(0.8, shaken=True)
            self.stand(2)
        swing = Swing(self.chance, self.kind, reader=READER, knocks=self.chance.randint(0, 2))
        if self.sensor is not None:
            swing.sensor = self.sensor
        began_ns = self.ship.now_ns
        for reading in swing.readings():
            self.ship.tell(reading.x_mg, reading.y_mg, reading.z_mg, began_ns + reading.at_ns)
            if swing.touched and swing.world.still and reading.at_ns > (swing.let_go_s + 20) * S:
                break  # a ball that misses is waited for until the table is asked
        after = self.until_judged(view["step"])
        if after["step"] == view["step"]:
            self.tally["asked"] += 1
            assert after["ship"]["reason"]
            after = self.do("swing", ship=str(swing.truth()))
        else:
            judged = "capsized" if self.lost(view, after) else "upright"
            assert judged == swing.truth()
            assert after["last_event"]["cause"] == f"sensor of the ship: {READER}"
            self.tally[judged] += 1
        if not after["over"]:
            self.stand(3)  # somebody stands it up, and the next player sails on
        return self.table()

    def stand(self, seconds, *, shaken=False):
        for number in range(int(seconds * 50)):
            at_ns = self.ship.now_ns + S // 50
            lean = 0.6 if shaken and number % 2 else 0.0
            if self.sensor is None:
                felt = (1000, 0, 0) if lean else (0, 0, 1000)
            else:
                felt = self.sensor.sample(at_ns / S, lean, 1.0 - lean / 2, 0.0)
            self.ship.tell(*felt, at_ns)

    def until_judged(self, step):
        pause = threading.Event()
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            view = self.table()
            if view["step"] != step or view["ship"]["phase"] == "asking":
                return view
            pause.wait(0.01)
        raise AssertionError(f"nobody judged, and nobody asked: {view['ship']}")

    def lost(self, before, after):
        who = before["turn"]
        return after["state"]["provisions"][who] < before["state"]["provisions"][who]


@pytest.mark.parametrize(("kind", "most"), [("accelerometer", 4), ("tilt switch", 1)])
def test_the_ship_judges_every_alarm_of_whole_games(tmp_path, monkeypatch, kind, most):
    """Judged right or asked of people, and never judged wrong."""
    tally: Counter[str] = Counter()
    make = registry.make
    for number in range(3):
        ship = Ship()
        chance = random.Random(f"{kind} {number}")
        thresholds, sensor = Thresholds(), None
        if kind == "accelerometer":
            calibrated = Swing(chance, kind)
            sensor = calibrated.sensor
            thresholds = replace(thresholds, upright=calibrated.upright)
        monkeypatch.setattr(
            registry, "make", lambda name, ship=ship: ship if name == "ship:" else make(name)
        )
        config = Config(
            game="octopus-alarm",
            players=("Ann", "Bo", "Cy")[: 2 + number % 2],
            data=tmp_path / str(number),
            port=0,
            readers=("ship:",),
            token=TOKEN,
            ship=thresholds,
        )
        clocks = Clocks(lambda ship=ship: ship.now_ns, lambda: datetime.now(UTC), "boot")
        with serving(LiveSettings(config), clocks) as lines:
            url = lines[0].removeprefix("Scoreboard: ")
            evening = Evening(url, ship, chance, kind, sensor)
            evening.stand(1)
            view = evening.play()
            assert view["winners"]
            until(lambda ship=ship: not ship.armed.is_set())
        tally += evening.tally
    assert tally["upright"] >= 1
    assert tally["capsized"] >= 1
    # A tilt switch feels hardly more of a ship that stays upright than of a knock on the table.
    assert tally["asked"] <= (tally["upright"] + tally["capsized"]) / most, tally
