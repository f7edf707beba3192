"""The command `companion check-board`: a process of its own, its exit status and its sentences."""

import os
import subprocess

import pytest

from companion import check_board as checks
from hardware_sim.pn532_chip import Pn532Chip
from hardware_sim.pty import DeviceOnPty
from hardware_sim.tags import make_tag
from tests.support.service import command

TAG = "04A3C6CAE26180"


def run(*words, **options):
    return subprocess.run(
        command("check-board", *words),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


def test_the_command_answers_by_its_exit_status(tmp_path):
    """In a terminal where a line is typed when it is asked for."""
    chip = Pn532Chip()
    chip.put(make_tag(bytes.fromhex(TAG)))
    with (
        DeviceOnPty(chip, tmp_path / "pn532") as port,
        subprocess.Popen(
            command("check-board", f"pn532:{port.path}", "--show-uids"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as done,
    ):
        printed = ""
        for line in done.stdout:
            printed += line
            if "Take it away" in line:
                done.stdin.write("\n")
                done.stdin.flush()
        errors = done.stderr.read()
    assert done.returncode == 0, printed
    assert f"tag {TAG}, it lay there already" in printed
    assert errors == ""


def test_the_command_fails_where_something_fails(tmp_path):
    done = run(f"pn532:{tmp_path}/none", input="\n")
    assert done.returncode == 1
    assert "cause: Nothing is plugged in" in done.stdout
    assert "lost." not in done.stderr


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("gpio:5?kind=led", "Was it so?"),
        ("gpio:22?kind=stop", "Press the button"),
        ("gpio:17", "Stand the ship upright"),
    ],
)
def test_where_nobody_is_at_the_terminal_it_ends_with_a_sentence(name, asked):
    done = run(name, stdin=subprocess.DEVNULL, env={**os.environ, "GPIOZERO_PIN_FACTORY": "mock"})
    assert done.returncode == 2
    assert done.stdout.count(asked) == 1
    assert "Works:" in done.stdout, "what was found so far is told"
    assert done.stderr == "companion: Nobody can press Enter here: run this in a terminal.\n"


def test_where_nobody_is_at_the_terminal_a_port_that_is_not_there_is_told(tmp_path):
    done = run(f"pn532:{tmp_path}/none", stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert "cause: Nothing is plugged in" in done.stdout


def test_a_terminal_that_is_gone_is_the_end():
    reading, writing = os.pipe()
    assert list(checks.typed_lines(writing)) == [], "it cannot be read"
    os.close(reading)
    os.close(writing)


def test_one_failure_among_what_works_is_the_exit_status():
    done = run(
        "gpio:5?kind=led",
        input="y\nn\ny\ny\n",
        env={**os.environ, "GPIOZERO_PIN_FACTORY": "mock"},
    )
    assert done.stdout.count(": seen") == 3
    assert done.stdout.count("cause:") == 1
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("words", "because"),
    [
        (("nothing:",), "No reader is called"),
        (("sim:",), "nothing to check"),
        (("gpio:99",), "BCM number"),
        (("bridge:",), "needs a port"),
    ],
)
def test_the_command_refuses_with_a_sentence(words, because):
    done = run(*words, input="")
    assert done.returncode == 2
    assert because in done.stderr
    assert len(done.stderr.splitlines()) == 1
