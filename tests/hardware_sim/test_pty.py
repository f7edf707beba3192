"""The serial line in software, with a real pseudo terminal and a real serial library."""

import os
import threading
from pathlib import Path

import pytest
import serial

from hardware_sim.pn532_chip import Pn532Chip
from hardware_sim.pn532_frames import ACK
from hardware_sim.pty import DeviceOnPty, LinkTaken, PseudoTerminal
from hardware_sim.tags import make_tag
from tests.support.pn532_host import (
    FIRMWARE_VERSION,
    GET_FIRMWARE_VERSION,
    LOOK_FOR_ONE,
    NTAG_FOUND,
    NTAG_UID,
    SAM_CONFIGURATION,
    WAKE_UP,
)


class Parrot:
    """Says everything again, a hundred times."""

    def __init__(self):
        self.on_change = None
        self._heard = b""

    def feed(self, data, now_ms):
        self._heard += data

    def output(self, now_ms):
        heard, self._heard = self._heard, b""
        return heard * 100

    def due_ms(self):
        return None


@pytest.fixture
def chip():
    return Pn532Chip()


@pytest.fixture
def line(chip, tmp_path):
    with DeviceOnPty(chip, tmp_path / "pn532") as device, serial.Serial(device.path) as line:
        line.timeout = 5
        yield line


def open_files():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def awake(line):
    line.write(WAKE_UP + SAM_CONFIGURATION)
    assert line.read(15)[:6] == ACK


def test_every_byte_passes_unchanged(tmp_path):
    every = bytes(range(256))
    with DeviceOnPty(Parrot()) as device, serial.Serial(device.path, timeout=5) as line:
        line.write(every)
        answer = line.read(len(every))
    assert sorted(answer)[:1] == [0]
    assert answer in every * 2


def test_a_program_that_configures_nothing_gets_every_byte():
    every = bytes(range(256))
    with PseudoTerminal() as terminal:
        other = os.open(terminal.name, os.O_RDWR | os.O_NOCTTY)
        os.write(other, every)
        assert os.read(terminal.master, 1000) == every
        os.write(terminal.master, every)
        assert os.read(other, 1000) == every
        os.close(other)


def test_more_than_the_terminal_holds_is_kept():
    with DeviceOnPty(Parrot()) as device, serial.Serial(device.path, timeout=5) as line:
        line.write(b"x" * 4000)
        assert line.read(400_000) == b"x" * 400_000


def test_the_chip_is_spoken_to(line):
    awake(line)
    line.write(GET_FIRMWARE_VERSION)
    assert line.read(len(ACK + FIRMWARE_VERSION)) == ACK + FIRMWARE_VERSION


def test_a_tag_that_comes_ends_an_endless_look(chip, line):
    awake(line)
    line.write(LOOK_FOR_ONE)
    assert line.read(len(ACK)) == ACK
    chip.put(make_tag(NTAG_UID))
    assert line.read(len(NTAG_FOUND)) == NTAG_FOUND


def test_it_outlives_a_host_that_closes_its_end(chip, tmp_path):
    with DeviceOnPty(chip, tmp_path / "pn532") as device:
        for _ in range(3):
            with serial.Serial(device.path, timeout=5) as line:
                awake(line)


def test_tags_come_and_go_by_several_threads_while_it_is_looked_for(chip, line):
    awake(line)
    over = threading.Event()

    def juggle(number):
        tag = make_tag(bytes([number]) * 7)
        while not over.is_set():
            chip.put(tag)
            chip.take(tag)

    jugglers = [threading.Thread(target=juggle, args=(number,)) for number in (1, 2, 3)]
    for juggler in jugglers:
        juggler.start()
    try:
        line.write(GET_FIRMWARE_VERSION)
        assert line.read(len(ACK + FIRMWARE_VERSION)) == ACK + FIRMWARE_VERSION
        found, looks = set(), 0
        while looks < 50 or len(found) < 3:
            looks += 1
            line.write(LOOK_FOR_ONE)
            assert line.read(len(ACK)) == ACK
            found.add(line.read(len(NTAG_FOUND))[13:20])
    finally:
        over.set()
        for juggler in jugglers:
            juggler.join()
    assert found == {bytes([number]) * 7 for number in (1, 2, 3)}
    assert chip.field.tags == ()


# --- names ----------------------------------------------------------------------------


def test_the_name_lasts_as_long_as_the_terminal(tmp_path):
    link = tmp_path / "line"
    with PseudoTerminal(link) as terminal:
        assert str(link.readlink()) == terminal.name
        assert link.samefile(terminal.name)
    assert not link.is_symlink()
    terminal.close()
    assert list(tmp_path.iterdir()) == []


def test_an_old_link_is_replaced_and_the_newer_one_stays(tmp_path):
    link = tmp_path / "line"
    link.symlink_to("/dev/pts/does-not-exist")
    with PseudoTerminal(link) as first:
        with PseudoTerminal(link) as second:
            first.close()
            assert str(link.readlink()) == second.name
        assert not link.is_symlink()


def test_a_file_is_never_replaced(tmp_path):
    link = tmp_path / "line"
    link.write_text("precious")
    with pytest.raises(LinkTaken, match="no link"):
        PseudoTerminal(link)
    assert link.read_text() == "precious"


def test_where_no_link_can_be_made_nothing_stays_open(tmp_path):
    before = open_files()
    with pytest.raises(FileNotFoundError):
        PseudoTerminal(tmp_path / "nowhere" / "line")
    assert open_files() == before


def test_closing_leaves_nothing(chip, tmp_path):
    before = open_files()
    device = DeviceOnPty(chip, tmp_path / "pn532")
    device.close()
    device.close()
    chip.put(make_tag(NTAG_UID))  # nobody is told any more
    assert open_files() == before
    assert not [each for each in threading.enumerate() if each.name.startswith("device-")]
