"""A ship's tilt switch on a pin of gpiozero, from the swing of the ball to the table's verdict.

The simulated world moves a mock pin, the driver of the pin reads it, and the real table
judges what the driver reports. The time is the world's: each look of the driver is one
sample later than the one before it, and nobody waits.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator
from random import Random

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from companion.drivers import gpio, registry
from companion.match import Setup
from companion.rules.octopus_alarm_words import Flip, Reef, Sail, Swing
from companion.signals import Signals
from hardware_sim import ship
from tests.support.tables import API, running

pytestmark = pytest.mark.timeout(120)

PIN, READER = 17, "gpio-17"
SETUP = Setup("octopus-alarm", ("Ann", "Bo", "Cy"))
SAMPLE_NS = round(gpio.SAMPLE_S * ship.S)
SAMPLES_A_SECOND = ship.S // SAMPLE_NS
LIMIT_S = 30

SWINGS = {
    "upright": (2, 5, 71, 84),
    "capsized": (0, 1, 3, 4, 6),
    "righted": (316, 373, 410, 547, 1278),
    "missed": (9, 28, 46, 63, 74),
}
"""Chances that end so."""

LIKE_A_KNOCK = {2, 5}
"""Of those that stay upright: what the switch feels could be a knock on the table."""


class Pin:
    """A mock pin on which the world moves, and the clock of the driver that looks at it.

    Args:
        factory: whose pin it is.
        upright_low: whether the level of a ship that stands is low.

    Attributes:
        now_ns: the time in the world. It passes only while something is played.
    """

    def __init__(self, factory: MockFactory, *, upright_low: bool) -> None:
        self.now_ns = 10**12
        self._pin = factory.pin(PIN)
        self._upright_low = upright_low
        self._samples: queue.Queue[bool | None] = queue.Queue()
        self._looked = False
        self._over = False

    def clock(self) -> int:
        """The driver is about to look: when that is; and what it will see is brought about."""
        if self._looked:
            self._samples.task_done()  # what it saw before was reported
        upright = None if self._over else self._samples.get()
        self._looked = upright is not None
        if upright is None:
            self._over = True
        else:
            self.now_ns += SAMPLE_NS
            self._pin.drive_low() if upright == self._upright_low else self._pin.drive_high()
        return self.now_ns

    def play(self, levels: Iterable[bool], *, until: Callable[[], bool] = lambda: False) -> None:
        """Let the driver see these, one after the other; whether it stands, at each sample."""
        for number, upright in enumerate(levels, start=1):
            self._samples.put(upright)
            if number % 20 == 0:
                self._samples.join()
                if until():
                    return
        self._samples.join()

    def end(self) -> None:
        """Nothing more is played, and nobody waits for it."""
        self._samples.put(None)


class Armed:
    """Stands behind the driver in the row of those that are told of an alarm."""

    def __init__(self) -> None:
        self._told: queue.Queue[bool] = queue.Queue()

    def signal(self, reader, sign):
        pass

    def arm(self, *, armed):
        self._told.put(armed)

    def next(self) -> bool:
        return self._told.get(timeout=LIMIT_S)


@pytest.fixture
def pins(monkeypatch):
    factory = MockFactory()
    monkeypatch.setattr(gpiozero.Device, "pin_factory", factory)
    # The clock passes from one look to the next, and so nothing has to be waited for.
    monkeypatch.setattr(gpio, "SAMPLE_S", 0)
    yield factory
    factory.reset()


def standing(seconds: float, *, shaken: bool = False) -> Iterator[bool]:
    """A ship in somebody's hand, or on the table."""
    for number in range(round(seconds * SAMPLES_A_SECOND)):
        yield not (shaken and number % 4 < 2)


def felt(swing: ship.Swing) -> Iterator[bool]:
    """Whether the switch says that the ship stands, at each sample."""
    at_ns, upright = 0, True
    for reading in swing.readings():
        while at_ns + SAMPLE_NS < reading.at_ns:
            at_ns += SAMPLE_NS
            yield upright
        upright = reading.z_mg > 0


def to_alarm(table):
    """A wave washes Ann's ship on, which somebody carries there; then she swings."""
    for stack, animal in enumerate(("crab", "fish", "squid", "snail")):
        assert table.act(Reef(stack, animal), source=API).code is None
    assert table.act(Sail(2), source=API).code is None
    snapshot = table.act(Flip(0, "wave"), source=API).snapshot
    assert snapshot.ship.phase == "armed"
    return snapshot


def how_it_went(swing: ship.Swing) -> str:
    truth = swing.truth()
    if not swing.touched:
        return "missed"
    return "righted" if swing.world.fell and truth == "upright" else truth


@pytest.mark.parametrize("level", ["low", "high"])
@pytest.mark.parametrize(
    ("ends", "chance"), [(ends, chance) for ends, chances in SWINGS.items() for chance in chances]
)
def test_the_table_says_what_is_true_or_asks(tmp_path, pins, ends, chance, level):
    swing = ship.Swing(Random(chance), "tilt switch")
    pin = Pin(pins, upright_low=level == "low")
    driver = registry.make(f"gpio:{PIN}?upright={level}")
    armed = Armed()
    with running(tmp_path, SETUP, clock=lambda: pin.now_ns) as table:
        signals = Signals(table, lambda: [driver, armed])
        signals.start()
        driver.open(table.report, pin.clock)
        try:
            pin.play(standing(1))
            before = to_alarm(table)
            assert armed.next()
            pin.play(standing(0.5))
            pin.play(standing(0.8, shaken=True))
            pin.play(standing(2))

            def is_decided():
                now = table.settle()
                return now.step > before.step or now.ship.phase == "asking"

            assert not is_decided()
            pin.play(felt(swing), until=is_decided)
            assert is_decided()
            assert swing.touched == (ends != "missed")
        finally:
            pin.end()
            driver.close()
        after = table.snapshot
        assert how_it_went(swing) == ends
        if ends == "missed" or chance in LIKE_A_KNOCK:
            assert (after.event.kind, after.event.code) == ("notice", "ship-unsure")
            assert ("felt no ball" if ends == "missed" else "knock") in after.event.message
            after = table.act(Swing(swing.truth()), source=API).snapshot
        else:
            source = after.event.source
            assert (source.kind, source.name, source.sense) == ("reader", READER, "ship")
        assert after.event.action == Swing(swing.truth())
        assert after.standing.turn == "Bo"
        assert not armed.next()
    signals.close()
