"""`companion sim pn532`, as people and scripts start it."""

import select
import signal
import subprocess
import sys

import pytest
import serial

from companion.cli import main
from hardware_sim.pn532_frames import ACK
from tests.support.pn532_host import (
    BOTH_FOUND,
    CLASSIC_FOUND,
    LOOK_FOR_ONE,
    LOOK_FOR_TWO,
    NTAG_FOUND,
    SAM_CONFIGURATION,
    WAKE_UP,
)

NTAG, CLASSIC = "04517CE1ED2580", "82ACB95D"
LIMIT_S = 60


@pytest.fixture
def link(tmp_path):
    return tmp_path / "pn532"


@pytest.fixture
def program(link):
    """Starts it with these arguments, and waits until its line is there."""
    running = []

    def start(*arguments):
        command = [sys.executable, "-m", "companion.cli", "sim", "pn532", "--link", str(link)]
        process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout.readline().startswith(f"PN532 at {link}, which is /dev/")
        return process

    yield start
    for process in running:
        process.kill()
        process.wait(LIMIT_S)
        process.stdout.close()


def configured(link):
    line = serial.Serial(str(link), timeout=LIMIT_S)
    line.write(WAKE_UP + SAM_CONFIGURATION)
    assert line.read(15)[:6] == ACK
    return line


def look(line, command=LOOK_FOR_ONE):
    line.write(command)
    assert line.read(6) == ACK
    head = line.read(5)
    return head + line.read(head[3] + 2)


def test_tags_lie_there_until_it_is_ended(program, link):
    process = program("--uid", f"{NTAG},{CLASSIC}")
    assert process.stdout.readline() == f"{NTAG},{CLASSIC}\n"
    with configured(link) as line:
        assert look(line, LOOK_FOR_TWO) == BOTH_FOUND
    process.send_signal(signal.SIGTERM)
    assert process.wait(LIMIT_S) == 0
    assert not link.is_symlink()


def test_it_can_be_ended_before_anybody_looked(program, link):
    process = program("--uid", NTAG, "--hold-ms", "60000")
    with configured(link):
        assert select.select([process.stdout], [], [], 0.3)[0] == []
    process.send_signal(signal.SIGTERM)
    assert process.wait(LIMIT_S) == 0
    assert process.stdout.read() == ""
    assert not link.is_symlink()


def test_a_script_begins_with_the_first_look(program, link, tmp_path):
    script = tmp_path / "visits"
    script.write_text(f"# two\n{NTAG} 200 50\n{CLASSIC} 600 1\n")
    process = program("--script", str(script))
    with configured(link) as line:
        assert look(line) == NTAG_FOUND
        while (answer := look(line)) == NTAG_FOUND:
            pass
        assert answer == CLASSIC_FOUND
        assert look(line) == CLASSIC_FOUND  # the first is gone
        assert process.wait(LIMIT_S) == 0
    assert process.stdout.read() == f"{NTAG} for 200 ms\n{CLASSIC} for 600 ms\n"


def test_kind_text_and_faults(program, link):
    program("--uid", NTAG, "--tag", "ntag216", "--text", "crab", "--fault", "glue", "--fault",
            "no-first-ack", "--seed", "3")  # fmt: skip
    with serial.Serial(str(link), timeout=0.2) as line:
        line.write(WAKE_UP + SAM_CONFIGURATION)
        assert line.read(15) == b""
    with configured(link) as line:
        assert look(line) == NTAG_FOUND
        line.write(bytes.fromhex("0000FF05FBD440013004B700"))
        assert line.read(30)[14:28].hex().upper() == "030BD1010754" + "02656E63726162" + "FE"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--uid", "04A8"], "--uid: '04A8' has 2 bytes"),
        (["--uid", ",".join([NTAG] * 9)], "9 tags, and at most 8"),
        (["--uid", NTAG, "--hold-ms", "0"], "cannot be held for 0 ms"),
        (["--uid", CLASSIC, "--text", "crab"], "choose an NTAG"),
        (["--uid", NTAG, "--text", "x" * 200], "holds 144 user bytes"),
        (["--uid", NTAG, "--fault", "drip"], "'drip' is no fault"),
        (["--script", "/nowhere/at.all"], "/nowhere/at.all cannot be read"),
    ],
)
def test_bad_arguments_are_told(arguments, words, link, capsys):
    assert main(["sim", "pn532", "--link", str(link), *arguments]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
    assert not link.is_symlink()


def test_every_bad_line_of_a_script_is_named(link, tmp_path, capsys):
    script = tmp_path / "visits"
    script.write_text(f"{NTAG},{CLASSIC} 5\n{NTAG},\nnonsense\n")
    assert main(["sim", "pn532", "--link", str(link), "--script", str(script)]) == 2
    lines = capsys.readouterr().err.splitlines()[1:]
    assert [line.partition(":")[0] for line in lines] == ["line 2", "line 3"]


def test_a_link_that_cannot_be_made(tmp_path, capsys):
    for path in (tmp_path, tmp_path / "nowhere" / "line"):
        assert main(["sim", "pn532", "--link", str(path), "--uid", NTAG]) == 2
        assert f"The link {path} cannot be made" in capsys.readouterr().err
