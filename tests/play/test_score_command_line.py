"""`companion score` as it is typed: what it takes, how it ends, when it answers."""

from __future__ import annotations

import json
import signal
import subprocess
import threading

import pytest
from play_talk import ENVIRONMENT, ROOT
from score_talk import SCORE, run_score

LINE = b'{"hand": ["shell-grey", "shell-green"], "table": []}'
LIMIT_S = 60


@pytest.fixture
def process():
    """The program, waiting for its first line."""
    with subprocess.Popen(
        [*SCORE, "sea-salt-paper"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=ENVIRONMENT,
        bufsize=0,
        # A shell starts its background jobs deaf to it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no thread runs yet
    ) as started:
        watchdog = threading.Timer(LIMIT_S, started.kill)
        watchdog.start()
        yield started
        watchdog.cancel()
        started.kill()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("chess",), "sea-salt-paper"),
        (("tentacles",), "sea-salt-paper"),
        (("",), "sea-salt-paper"),
        ((b"\xff",), "sea-salt-paper"),
        (("sea-salt-paper", "more"), "more"),
        (("sea-salt-paper", "--salt"), "--salt"),
        (("--players", "Ann,Bo"), "--players"),
    ],
)
def test_a_bad_command_line_is_refused_with_a_message(arguments, word):
    finished = run_score(*arguments, lines=[LINE])
    assert (finished.status, finished.output) == (2, b"")
    assert word in finished.errors
    assert "Traceback" not in finished.errors


def test_a_game_has_to_be_named():
    said = subprocess.run(SCORE, capture_output=True, cwd=ROOT, timeout=LIMIT_S, check=False)
    assert (said.returncode, said.stdout) == (2, b"")
    assert b"game" in said.stderr


def test_the_end_of_input_ends_the_program():
    finished = run_score(lines=[])
    assert (finished.status, finished.output, finished.errors) == (0, b"", "")


def test_a_closed_input_ends_the_program_too():
    said = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *SCORE, "sea-salt-paper"],
        capture_output=True,
        cwd=ROOT,
        timeout=LIMIT_S,
        check=False,
    )
    assert (said.returncode, said.stdout, said.stderr) == (0, b"", b"")


def test_a_last_line_without_an_end_is_answered():
    said = subprocess.run(
        [*SCORE, "sea-salt-paper"],
        input=LINE + b"\n" + LINE,
        capture_output=True,
        cwd=ROOT,
        timeout=LIMIT_S,
        check=True,
    )
    assert [json.loads(line)["total"] for line in said.stdout.splitlines()] == [2, 2]


def test_each_line_is_answered_before_the_next_is_written(process):
    for count in range(1, 40):
        shells = ["shell-grey", "shell-green", "shell-black"][: 1 + count % 3]
        process.stdin.write(json.dumps({"hand": shells, "table": []}).encode() + b"\n")
        assert json.loads(process.stdout.readline())["total"] == 2 * (count % 3)


def test_a_line_may_come_in_pieces(process):
    process.stdin.write(LINE + b"\n" + LINE[:20])
    assert json.loads(process.stdout.readline())["total"] == 2
    process.stdin.write(LINE[20:])
    process.stdin.write(b"\n\n" + LINE[:1])
    assert json.loads(process.stdout.readline())["total"] == 2
    assert json.loads(process.stdout.readline())["error"]["code"] == "bad-command"
    process.stdin.write(LINE[1:] + b"\n")
    assert json.loads(process.stdout.readline())["total"] == 2
    process.stdin.close()
    assert process.wait(LIMIT_S) == 0
    assert process.stdout.read() == b""


def test_many_lines_are_answered_in_their_order():
    hands = [{"hand": ["sailor-pink"] * (number % 2), "table": []} for number in range(20_000)]
    finished = run_score(lines=hands)
    assert [reply["colour_bonus"] for reply in finished.replies] == [
        number % 2 for number in range(20_000)
    ]


def test_whoever_stops_reading_gets_no_complaint(process):
    process.stdout.close()
    process.stdin.write(LINE + b"\n")
    process.stdin.close()
    assert process.wait(LIMIT_S) == 0


def test_an_interrupt_ends_it_quietly(process):
    process.stdin.write(LINE + b"\n")
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT_S) == 130


def test_the_help_names_it():
    said = subprocess.run(
        [*SCORE[:-1], "--help"], capture_output=True, cwd=ROOT, timeout=LIMIT_S, check=True
    )
    assert b"what cards are worth" in said.stdout
