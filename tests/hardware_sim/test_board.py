"""The simulated board: the real firmware in the real MicroPython, with a world at its pins."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from firmware_bridge import messages as m
from firmware_bridge.presence import MISSES
from hardware_sim.board.cable import CableFaults, parse_faults
from hardware_sim.board.program import ScriptError, read_script
from hardware_sim.board.simulated_board import SimulatedBoard
from tests.support.board_host import Host

pytestmark = pytest.mark.needs("micropython")

SEVEN = bytes.fromhex("04A3C6CAE26180")
FOUR = bytes.fromhex("82ACB95D")


@pytest.fixture
def line(tmp_path):
    return tmp_path / "board"


@pytest.mark.parametrize("pins", ["pico", "esp32"])
@pytest.mark.parametrize(("reader", "places"), [("pn532-spi", 3), ("pn532-uart", 2), ("rc522", 3)])
def test_tags_come_and_go(line, reader, places, pins):
    last = places - 1
    with SimulatedBoard(line, places, reader=reader, pins=pins) as board, Host(board.path) as host:
        host.until_ready(places)
        assert board.world.wait_for_looks(last, 20)
        board.world.put(last, SEVEN)
        assert m.unpack_tag_on(host.until_kind(m.TAG_ON))[:2] == (last, SEVEN)
        board.world.put(0, FOUR)
        assert m.unpack_tag_on(host.until_kind(m.TAG_ON))[:2] == (0, FOUR)
        board.world.take(last, SEVEN)
        assert m.unpack_tag_off(host.until_kind(m.TAG_OFF))[:2] == (last, SEVEN)
        # On a busy machine the board may give a chip up whose answer comes late.
        assert board.world.crowded <= sum(board.world.looks) // 20
        assert board.complaints == ""


def test_a_tag_that_lies_there_at_the_start(line):
    board = SimulatedBoard(line)
    board.world.put(0, SEVEN)
    with board, Host(board.path) as host:
        assert m.unpack_tag_on(host.until_kind(m.TAG_ON))[3]


def test_a_chip_without_power_is_lost_and_comes_back(line):
    with SimulatedBoard(line, 2) as board, Host(board.path) as host:
        host.until_ready(2)
        board.world.silence(1)
        assert m.unpack_place(host.until_kind(m.PLACE_LOST))[0] == 1
        board.world.silence(1, on=False)
        assert m.unpack_place(host.until_kind(m.PLACE_BACK))[0] == 1


def test_a_button(line):
    with SimulatedBoard(line, 2, buttons=["stop", "undo"]) as board, Host(board.path) as host:
        host.until_ready(2)
        board.world.hold(1, down=True)
        assert m.unpack_button(host.until_kind(m.BUTTON))[:2] == (1, m.UNDO)


def test_lights_and_sounds(line):
    with SimulatedBoard(line, 3) as board, Host(board.path) as host:
        host.until_ready(3)
        for sign, times_dark in ((m.ACCEPTED, 1), (m.REFUSED, 2)):
            before = len(board.world.shown)
            host.say(m.SIGNAL, m.pack_signal(2, sign))
            deadline = time.monotonic() + 30
            while board.world.shown[before:].count((2, (0, 0, 0))) < times_dark:
                assert time.monotonic() < deadline
                host.turn()
        assert {place for place, _ in board.world.shown} == {2}
        tones = [what for _, what in board.world.shown if isinstance(what, int)]
        assert tones == [1760, 0, 220, 0, 220, 0]


@pytest.mark.parametrize("ship", ["lis3dh", "adxl345", "mpu6050", "tilt-switch"])
def test_how_the_ship_lies(line, ship):
    with SimulatedBoard(line, 0, ship=ship) as board, Host(board.path) as host:
        assert m.unpack_attitude(host.until_kind(m.ATTITUDE))[:3] == (0, 0, 1000)
        host.say(m.SAMPLING, m.pack_sampling(50))
        board.world.tilt((1000, 0, 0))
        host.until(lambda kind, body: kind == m.ATTITUDE and m.unpack_attitude(body)[2] == 0)
        times = [m.unpack_attitude(host.until_kind(m.ATTITUDE))[3] for _ in range(20)]
        # 380 on a machine that has nothing else to do; at its own rate it would be 4000.
        assert 300 <= times[-1] - times[0] <= 2000


def test_the_ships_sensor_loses_its_power(line):
    with SimulatedBoard(line, 0, ship="lis3dh") as board, Host(board.path) as host:
        assert m.unpack_place(host.until_kind(m.PLACE_BACK))[0] == m.SHIP
        host.say(m.SAMPLING, m.pack_sampling(50))
        board.world.sensor.silent = True
        assert m.unpack_place(host.until_kind(m.PLACE_LOST))[0] == m.SHIP
        board.world.sensor.brown_out()
        board.world.sensor.silent = False
        assert m.unpack_place(host.until_kind(m.PLACE_BACK))[0] == m.SHIP
        host.until(lambda kind, body: kind == m.ATTITUDE and m.unpack_attitude(body)[2] == 1000)


def test_reset_by_the_host(line):
    with SimulatedBoard(line) as board, Host(board.path) as host:
        host.until_ready(1)
        before = host.link.peer_boot_id
        host.say(m.RESET)
        host.until_kind(m.HELLO)
        assert host.link.peer_boot_id not in (0, before)
        assert board.resets == 1


def test_a_reboot_is_another_boot_id(line):
    with SimulatedBoard(line) as board, Host(board.path) as host:
        host.until_ready(1)
        before = host.link.peer_boot_id
        board.reboot()
        host.until_kind(m.HELLO)
        assert host.link.peer_boot_id not in (0, before)


def test_what_happened_while_the_cable_was_cut(line):
    with SimulatedBoard(line) as board, Host(board.path) as host:
        host.until_ready(1)
        assert board.world.wait_for_looks(0, 60)  # past the time in which tags lay there
        board.cut()
        uids = [bytes([4, 1, 2, 3, 4, 5, number]) for number in range(3)]
        for uid in uids:
            board.world.put(0, uid)
            assert board.world.wait_for_looks(0, 5)
            board.world.take(0, uid)
            assert board.world.wait_for_looks(0, 2 * MISSES)
        assert host.told == []
        board.mend()
        on_and_off = [host.until(lambda kind, _: kind in (m.TAG_ON, m.TAG_OFF)) for _ in range(6)]
        assert [(kind, body[5:]) for kind, body in on_and_off] == [
            (kind, uid) for uid in uids for kind in (m.TAG_ON, m.TAG_OFF)
        ]


def test_a_bad_cable(line):
    """Every tap once and in order, though a fifth of what passes is spoilt."""
    faults = CableFaults(garble=10, drop=5, duplicate=5)
    with SimulatedBoard(line, faults=faults) as board, Host(board.path) as host:
        host.until_ready(1)
        number = 0
        while number < 10 or not host.link.bad_frames:
            uid = bytes([4, 1, 2, 3, 4, 5, number])
            board.world.put(0, uid)
            assert m.unpack_tag_on(host.until_kind(m.TAG_ON))[1] == uid
            board.world.take(0, uid)
            number += 1
            assert number < 200, "nothing was spoilt"


def test_a_board_with_wifi(line):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with SimulatedBoard(line, 1, wifi_port=port) as board:
        for boot_id in (1, 2):  # a second host takes over from the first one
            with Host(f"socket://127.0.0.1:{port}", boot_id) as host:
                host.until_kind(m.HELLO)
                uid = bytes([4, 1, 2, 3, 4, 5, boot_id])
                board.world.put(0, uid)
                assert m.unpack_tag_on(host.until_kind(m.TAG_ON))[1] == uid
                board.world.take(0, uid)
                host.until_kind(m.TAG_OFF)


def test_a_button_that_is_held_at_power_on_leaves_the_board_to_its_owner(line):
    board = SimulatedBoard(line)
    board.world.hold(0, down=True)
    with board:
        assert board.wait_for_end(30) == 0
        assert board.complaints == ""


def test_an_error_that_nobody_thought_of_is_a_reset(line):
    with SimulatedBoard(line) as board, Host(board.path) as host:
        host.until_ready(1)
        before = host.link.peer_boot_id
        board.world.break_next_answer()
        host.until(lambda kind, _: kind == m.HELLO and host.link.peer_boot_id != before)
        assert board.resets == 1
        assert "Traceback" in board.complaints


def test_eight_places_in_the_memory_of_a_pico(line):
    """A Pico leaves about 190 KB to a program; what takes 256 KB here takes half of it there."""
    board = SimulatedBoard(line, 8, ship="lis3dh", heap_bytes=256 * 1024)
    with board, Host(board.path) as host:
        host.until_ready(8)
        board.cut()
        for number in range(40):  # most of what the link keeps while nobody hears it
            board.world.put(number % 8, bytes([4, 0, 0, 0, 0, 0, number]))
            # Two are enough; on a busy machine one of the answers may come too late.
            assert board.world.wait_for_looks(number % 8, 4)
            board.world.take(number % 8, bytes([4, 0, 0, 0, 0, 0, number]))
        board.mend()
        told = [m.unpack_tag_on(host.until_kind(m.TAG_ON))[1][-1]]
        while told[-1] < 39:
            told.append(m.unpack_tag_on(host.until_kind(m.TAG_ON))[1][-1])
        assert list(dict.fromkeys(told)) == list(range(40))
        assert board.resets == 0
        assert board.complaints == ""


# --- the program ----------------------------------------------------------------------

SCRIPT = """
wait 100
put 0 04A3C6CAE26180   # a card
press 1
tilt 1000 0 0
silence 1
revive 1
garbage 00FF00
reboot
cut
mend
unplug
plug
take 0 04:A3:C6:CA:E2:61:80
wait 1
"""


def companion(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "companion.cli", "sim", "board", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_a_script_from_end_to_end(line, tmp_path):
    script = tmp_path / "script"
    script.write_text(SCRIPT)
    program = companion("--link", line, "--places", 2, "--ship", "lis3dh", "--script", script)
    output, errors = program.communicate(timeout=60)
    assert (program.returncode, errors) == (0, "")
    lines = [text.partition("#")[0].split() for text in SCRIPT.strip().splitlines()]
    told = [text.split() for text in output.splitlines() if not text.startswith("place ")]
    assert told == [["board", "at", str(line)], *lines]
    assert not line.is_symlink()


def test_every_bad_line_is_named(tmp_path):
    script = tmp_path / "script"
    script.write_text("put 8 04A3C6CAE26180\nput 0 04A3\nfly\nwait\ngarbage xyz\nwait 5\n")
    with pytest.raises(ScriptError) as refused:
        read_script(script)
    numbers = [text.split(":")[0] for text in str(refused.value).splitlines()]
    assert numbers == [f"line {number}" for number in range(1, 6)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--fault", "fire=3"], "fire"),
        (["--fault", "drop=300"], "percentage"),
        (["--chip", "pn532-uart", "--places", "3"], "2 places at most"),
        (["--script", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_is_one_sentence(line, arguments, says):
    program = companion("--link", line, *arguments)
    _, errors = program.communicate(timeout=60)
    assert program.returncode == 2
    assert says in errors
    assert "Traceback" not in errors


def test_it_ends_on_sigterm_and_leaves_nothing(line):
    program = companion("--link", line)
    assert program.stdout.readline() == f"board at {line}\n"
    program.send_signal(signal.SIGTERM)
    _, errors = program.communicate(timeout=60)
    assert (program.returncode, errors) == (0, "")
    assert not os.path.lexists(line)


def test_when_the_program_is_killed_the_board_has_no_power(line):
    program = companion("--link", line)
    program.stdout.readline()
    with Host(str(line)) as host:
        host.until_kind(m.HELLO)
    tasks = Path(f"/proc/{program.pid}/task").glob("*/children")
    boards = [int(pid) for task in tasks for pid in task.read_text().split()]
    assert boards
    ends = [os.pidfd_open(pid) for pid in boards]
    program.kill()
    program.communicate()
    for end in ends:
        readable, _, _ = select.select([end], [], [], 30)
        assert readable, "the firmware runs on without its world"
        os.close(end)


def test_faults_of_a_cable():
    assert parse_faults(["garble=10", "drop=1"]) == CableFaults(garble=10, drop=1)
    assert parse_faults([]) == CableFaults()
