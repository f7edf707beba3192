"""`companion check-board` against simulated hardware, with a person who does what is asked."""

import io
import os
import queue
import re
import threading
import time

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from companion import check_board as checks
from companion.check_board import NothingToCheck, check_board
from companion.check_talk import cause_and_fix
from companion.drivers import registry
from companion.drivers.api import (
    DeviceBack,
    DeviceLost,
    Driver,
    SeveralTags,
    TagOff,
    TagOn,
    TagUnreadable,
)
from firmware_bridge import signs
from hardware_sim.board.simulated_board import SimulatedBoard
from hardware_sim.pn532_chip import Pn532Chip
from hardware_sim.pty import DeviceOnPty, PseudoTerminal
from hardware_sim.tags import make_tag

A, B = "04A3C6CAE26180", "82ACB95D"


@pytest.fixture(autouse=True)
def impatient(mocker):
    """What is waited for in any case is waited for shortly."""
    mocker.patch.object(checks, "GATHER_S", 0.6)
    mocker.patch.object(checks, "HOLD_S", 0.3)
    mocker.patch.object(checks, "UPRIGHT_S", 0.6)


class Person(io.StringIO):
    """Reads what is printed, and does what is agreed for what it says; each once.

    Args:
        habits: pairs of a pattern and what to do; a text, or one that comes of it, is typed.
    """

    def __init__(self, *habits):
        super().__init__()
        self._habits = list(habits)
        self._typed = queue.SimpleQueue()

    def write(self, text):
        for habit in self._habits:
            pattern, do = habit
            if re.search(pattern, text):
                self._habits.remove(habit)
                typed = do if isinstance(do, str) else do()
                if typed is not None:
                    self._typed.put(typed)
                break
        return super().write(text)

    @property
    def lines(self):
        return iter(self._typed.get, None)

    def leave(self):
        self._typed.put(None)

    @property
    def idle(self):
        """The patterns that nothing was done for."""
        return [pattern for pattern, _ in self._habits]


class Clock:
    """Stands while something is to come, however long it takes a busy machine."""

    def __init__(self):
        self._lag_ns = 0
        self._stands_at_ns = None

    def __call__(self):
        now_ns = time.monotonic_ns() if self._stands_at_ns is None else self._stands_at_ns
        return now_ns - self._lag_ns

    def stand(self):
        self._stands_at_ns = time.monotonic_ns()

    def go(self):
        self._lag_ns += time.monotonic_ns() - self._stands_at_ns
        self._stands_at_ns = None


def walk(name, person, *, driver=None, clock=time.monotonic_ns, limit_s=20.0, **options):
    """The findings as (what, state) and the whole text."""
    found = check_board(
        driver or registry.make(name),
        name,
        clock,
        person.lines,
        person,
        limit_s=limit_s,
        **options,
    )
    person.leave()
    return {finding.what: finding for finding in found}, person.getvalue()


def states(found):
    return {what: finding.state for what, finding in found.items()}


# --- a PN532 ------------------------------------------------------------------------------


@pytest.fixture
def chip(tmp_path):
    """A simulated PN532, its tags by UID, and the driver's name for it."""
    device = Pn532Chip()
    device.tags = {uid: make_tag(bytes.fromhex(uid)) for uid in (A, B)}
    with DeviceOnPty(device, tmp_path / "pn532") as line:
        device.name = f"pn532:{line.path}"
        yield device


def test_a_pn532_is_walked_through(chip):
    person = Person(
        ("Lay one card on pn532-1", lambda: chip.put(chip.tags[A])),
        ("Take it away", lambda: chip.take(chip.tags[A])),
    )
    found, text = walk(chip.name, person)
    assert states(found) == {"pn532-1": "works", "a card on pn532-1": "works"}
    assert "pn532-1 answers: PN532 1.6" in text
    assert "gone after" in found["a card on pn532-1"].said
    assert "…6180" in text
    assert A not in text
    assert "Works:" in text
    assert "Does not work:" not in text


def test_uids_are_shown_to_who_asks_for_them(chip):
    chip.put(chip.tags[A])
    found, text = walk(chip.name, Person(("Take it away", "")), show_uids=True)
    assert f"Tag {A}, it lay there already" in text
    assert states(found)["a card on pn532-1"] == "works"


def test_no_card_is_a_failure_with_a_cause_and_a_fix(chip):
    found, text = walk(chip.name, Person(), limit_s=0.4)
    finding = found["a card on pn532-1"]
    assert finding.state == "fails"
    assert "no card was seen within 0.4 s" in finding.said
    assert f"cause: {finding.said}\n    fix:   {finding.fix}" in text


def test_a_step_is_left_out_by_enter(chip):
    found, text = walk(chip.name, Person(("Lay one card", "")))
    assert states(found) == {"pn532-1": "works", "a card on pn532-1": "not checked"}
    assert "Not checked:\n  a card on pn532-1: left out" in text


def test_two_cards_are_told(chip):
    def both():
        chip.put(chip.tags[A])
        chip.put(chip.tags[B])

    person = Person(
        ("Lay one card", both),
        ("More than one", lambda: chip.take(chip.tags[B])),
        ("Take it away", lambda: chip.take(chip.tags[A])),
    )
    found, text = walk(chip.name, person)
    assert "More than one card lies there" in text
    assert states(found)["a card on pn532-1"] == "works"


def test_a_silent_chip_is_told_with_what_to_check(tmp_path, mocker):
    mocker.patch.object(checks, "ANSWER_S", 3.0)
    with PseudoTerminal(tmp_path / "nobody") as terminal:
        found, text = walk(f"pn532:{terminal.link}", Person())
    assert states(found) == {"pn532-1": "fails"}
    assert "No PN532 answers at" in found["pn532-1"].said
    assert "HSU" in found["pn532-1"].fix
    assert "Lay one card" not in text


def test_a_port_that_is_not_there_is_told(tmp_path, mocker):
    mocker.patch.object(checks, "ANSWER_S", 0.5)
    found, _ = walk(f"pn532:{tmp_path}/none", Person())
    assert "Nothing is plugged in" in found["pn532-1"].said
    assert "plug the board in" in found["pn532-1"].fix


# --- a board ------------------------------------------------------------------------------


COLOURS = {
    "accepted": signs.GREEN,
    "refused": signs.RED,
    "your-turn": signs.BLUE,
    "alarm": signs.AMBER,
}


def looks_for(board, colour, places=2):
    """Looks until that colour was shown at so many places, and says whether it was."""

    def look():
        world = board.world
        with world.changed:
            return "ny"[
                world.changed.wait_for(
                    lambda: sum(what == colour for _, what in world.shown) >= places, 5
                )
            ]

    return look


def two_places(board):
    """A person who does right all that is asked at a board with two places and a ship."""
    uids = {0: bytes.fromhex(A), 1: bytes.fromhex(B)}
    world = board.world

    def press(place):
        world.hold(place, down=True)

    return Person(
        ("Lay one card on bridge-1/0", lambda: world.put(0, uids[0])),
        ("Take it away", lambda: world.take(0, uids[0])),
        ("Lay one card on bridge-1/1", lambda: world.put(1, uids[1])),
        ("Take it away", lambda: world.take(1, uids[1])),
        ("Stand the ship upright", ""),
        ("Tip the ship", lambda: world.tilt((990, 0, 140))),
        ("Stand it up again", lambda: world.tilt((30, 0, 1000))),
        ("Press the button at bridge-1/0", lambda: press(0)),
        ("Press the button at bridge-1/1", lambda: press(1)),
        *((f"Sign '{sign}'", looks_for(board, colour)) for sign, colour in COLOURS.items()),
    )


@pytest.mark.needs("micropython")
def test_a_whole_board_is_walked_through(tmp_path):
    with SimulatedBoard(tmp_path / "board", 2, ship="lis3dh", buttons=("undo", "stop")) as board:
        board.world.tilt((20, 10, 1000))
        person = two_places(board)
        found, text = walk(f"bridge:{board.path}", person)
    assert set(states(found).values()) == {"works"}, text
    assert list(found)[:3] == ["bridge-1/0", "bridge-1/1", "bridge-1/ship"]
    assert found["the button of bridge-1/0"].said == "means undo"
    assert found["the button of bridge-1/1"].said == "means stop"
    assert "speaks version 1 of the board protocol" in text
    assert re.search(r"^ +8\d degrees$", text, re.MULTILINE)
    assert person.idle == []


@pytest.mark.needs("micropython")
def test_at_a_board_each_fault_has_its_line(tmp_path, mocker):
    board = SimulatedBoard(tmp_path / "board", 2, ship="adxl345", pins="esp32")
    board.world.silence(1)
    clock = Clock()

    def lay():
        board.world.put(0, bytes.fromhex(A))
        clock.stand()

    with board:
        person = Person(
            ("Lay one card on bridge-1/0", lay),
            ("Leave it there", clock.go),
            ("Take it away", lambda: board.world.take(0, bytes.fromhex(A))),
            ("Stand the ship upright", ""),
            ("Sign 'accepted'", "y"),
            ("Sign 'refused'", "n"),
            ("Sign 'your-turn'", ""),
            ("Sign 'alarm'", "y"),
        )
        name = f"bridge:{board.path}"
        driver = registry.make(name)
        to_board = driver.open
        lost = threading.Event()

        def opened(post, _):
            def told(reading):
                post(reading)
                if isinstance(reading, DeviceLost) and not lost.is_set():
                    lost.set()
                    clock.go()

            to_board(told, time.monotonic_ns)

        mocker.patch.object(driver, "open", opened)
        clock.stand()
        found, text = walk(name, person, driver=driver, clock=clock, limit_s=1.0)
    assert found["bridge-1/1"].state == "fails", text
    assert found["bridge-1/1"].fix == "look at its wires"
    assert "told 0 degrees at most" in found["the ship"].said
    assert "GPIO 32" in found["the button of bridge-1/0"].fix
    refused = found["the sign 'refused' at bridge-1/0"]
    assert refused.state == "fails"
    assert "GPIO 27" in refused.fix
    assert "GPIO 2)" in refused.fix
    assert found["the sign 'your-turn' at bridge-1/0"].state == "not checked"


@pytest.mark.needs("micropython")
def test_a_board_whose_power_goes_fails_where_it_went(tmp_path):
    with SimulatedBoard(tmp_path / "board") as board:
        person = Person(("Lay one card on bridge-1/0", board.unplug))
        found, _ = walk(f"bridge:{board.path}", person)
    assert found["a card on bridge-1/0"].state == "fails"
    assert "broke off" in found["a card on bridge-1/0"].said


@pytest.mark.needs("micropython")
def test_what_comes_from_another_place_is_told(tmp_path):
    with SimulatedBoard(tmp_path / "board", 2, ship="mpu6050") as board:
        board.world.tilt((0, 0, 400))
        person = Person(
            ("Lay one card on bridge-1/0", lambda: board.world.put(1, bytes.fromhex(A))),
            ("Lay one card on bridge-1/1", ""),
            ("Take it away", ""),
            ("Stand the ship upright", ""),
            ("Press the button at bridge-1/0", lambda: board.world.hold(1, down=True)),
            ("Press the button at bridge-1/1", ""),
            ("Sign 'accepted'.*all places", "n"),
            ("Sign 'accepted' at bridge-1/0", "y"),
            ("Sign 'accepted' at bridge-1/1", "n"),
            *((f"Sign '{sign}'", "") for sign in list(checks.SIGNS)[1:]),
        )
        found, text = walk(f"bridge:{board.path}", person, limit_s=2)
    assert found["a card on bridge-1/0"].said == "the card was seen by bridge-1/1", text
    assert "feels 0.40 g" in found["the ship"].said
    assert found["the button of bridge-1/0"].said == "the press came from bridge-1/1"
    assert states(found)["the button of bridge-1/1"] == "not checked"
    assert states(found)["the sign 'accepted' at bridge-1/0"] == "works"
    assert states(found)["the sign 'accepted' at bridge-1/1"] == "fails"


# --- what only a driver of the test does -----------------------------------------------


class Told(Driver):
    """A driver that tells what it is told to."""

    def open(self, report, clock):
        self._report, self._clock = report, clock
        self.tell(DeviceBack, "pcsc-1", "one"), self.tell(DeviceBack, "pcsc-2", "two")

    def tell(self, kind, *words):
        self._report(kind(*words, self._clock()))

    def close(self):
        pass


def meanwhile(told, *readings):
    """While a card is watched."""
    return [
        ("Lay one card on pcsc-1", lambda: told.tell(TagOn, "pcsc-1", A)),
        ("Leave it there", lambda: [told.tell(*reading) for reading in readings] and None),
        ("Lay one card on pcsc-2", ""),
        ("Take it away", ""),
    ]


@pytest.mark.parametrize(
    ("readings", "because"),
    [
        ([(TagOff, "pcsc-1", A), (TagOn, "pcsc-1", A)], "lost once in"),
        ([(TagOff, "pcsc-1", A), (TagOn, "pcsc-1", A)] * 3, "lost 3 times in"),
        ([(SeveralTags, "pcsc-1")], "more than one card"),
        ([(TagOn, "pcsc-2", A)], "pcsc-2 sees the same card"),
        ([(DeviceLost, "pcsc-1", "It is gone: look for it.")], "It is gone"),
    ],
)
def test_a_card_that_is_not_read_well_fails(readings, because):
    told = Told()
    found, text = walk("pcsc:", Person(*meanwhile(told, *readings)), driver=told)
    assert found["a card on pcsc-1"].state == "fails", text
    assert because in found["a card on pcsc-1"].said
    assert found["a card on pcsc-1"].fix


@pytest.mark.parametrize("reading", [(TagOff, "pcsc-2", B), (SeveralTags, "pcsc-2")])
def test_what_another_reader_tells_meanwhile_does_not_matter(reading):
    told = Told()
    found, _ = walk("pcsc:", Person(*meanwhile(told, reading)), driver=told)
    assert found["a card on pcsc-1"].state == "works"


def test_a_tag_that_cannot_be_read_is_told():
    told = Told()
    person = Person(
        ("Lay one card on pcsc-1", lambda: told.tell(TagUnreadable, "pcsc-1", "It is no tag.")),
        ("Lay one card on pcsc-2", ""),
    )
    found, _ = walk("pcsc:", person, driver=told, limit_s=0.3)
    assert found["a card on pcsc-1"].said == "It is no tag."


def test_a_simulated_table_has_nothing_to_check():
    with pytest.raises(NothingToCheck, match="in software"):
        walk("sim:", Person())


def test_a_reason_is_parted_into_cause_and_fix():
    assert cause_and_fix("It is dark: light it, at 10:00.") == ("It is dark", "light it, at 10:00")
    assert cause_and_fix("It is dark.") == ("It is dark", "see that it has power")


# --- pins of a Pi -------------------------------------------------------------------------


@pytest.fixture
def pins():
    factory, before = MockFactory(), gpiozero.Device.pin_factory
    gpiozero.Device.pin_factory = factory
    yield factory
    factory.reset()
    gpiozero.Device.pin_factory = before


def test_a_tilt_switch_is_tipped(pins):
    pin = pins.pin(17)
    person = Person(
        ("Stand the ship", lambda: pin.drive_low() or ""),
        ("Tip the ship", pin.drive_high),
        ("Stand it up again", pin.drive_low),
    )
    found, text = walk("gpio:17", person)
    assert found["the ship"].state == "works", text
    assert "90 degrees" in text


@pytest.mark.parametrize(
    ("name", "level", "fix"),
    [
        ("gpio:17", "drive_high", "call it gpio:17?upright=high"),
        ("gpio:17?upright=high", "drive_low", "call it gpio:17?upright=low"),
    ],
)
def test_a_switch_the_wrong_way_round_is_told(pins, name, level, fix):
    pin = pins.pin(17)
    person = Person(("Stand the ship", lambda: getattr(pin, level)() or ""))
    found, _ = walk(name, person)
    assert found["the ship"].state == "fails"
    assert found["the ship"].fix == fix


def test_a_button_of_the_pi_is_pressed(pins):
    pin = pins.pin(22)
    pin.drive_high()
    found, _ = walk("gpio:22?kind=undo", Person(("Press the button at gpio-22", pin.drive_low)))
    assert found["the button"].said == "means undo"


def test_a_lamp_of_the_pi_shows_each_sign(pins):
    person = Person(*((f"Sign '{sign}'", "y") for sign in checks.SIGNS))
    found, text = walk("gpio:5?kind=led&at=pcsc-2,pcsc-1", person)
    assert [what for what in found if "sign" in what] == [
        f"the sign {sign!r} at pcsc-2" for sign in checks.SIGNS
    ]
    assert set(states(found).values()) == {"works"}
    assert "twice, short" in text


# --- a plain board ------------------------------------------------------------------------


def test_a_plain_board_tells_its_places_by_cards(tmp_path):
    with PseudoTerminal(tmp_path / "line") as terminal:

        def says(*lines):
            return lambda: (
                os.write(terminal.master, "".join(f"{x}\n" for x in lines).encode()) and None
            )

        person = Person(
            ("Lay a card on each place", says(f"2 {A} on", f"2 {A} off", f"a {B} on")),
            ("line-1/a: tag", ""),
        )
        found, text = walk(f"line:{terminal.link}", person)
    assert found["a card on line-1/2"].said == "tag …6180, gone again", text
    assert found["a card on line-1/a"].said == "tag …B95D"


def test_a_plain_board_that_says_nothing_fails(tmp_path):
    with PseudoTerminal(tmp_path / "line") as terminal:
        found, _ = walk(f"line:{terminal.link}", Person(), limit_s=0.3)
    assert "no line about a card" in found["cards"].said
