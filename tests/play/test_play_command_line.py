"""`companion play` as it is typed: what it takes, how it ends, when it answers."""

from __future__ import annotations

import json
import subprocess

import pytest
from play_talk import ENVIRONMENT, PLAY, ROOT, run_play

TENTACLES = ("tentacles", "--players", "Ann,Bo")

REFUSED = (
    # arguments, a word of the message
    (("chess", "--players", "Ann,Bo"), "tentacles"),
    (("tentacles",), "--players"),
    (("tentacles", "--players", ""), "--players"),
    (("tentacles", "--players", "Ann"), "2 to 6"),
    (("tentacles", "--players", "A,B,C,D,E,F,G"), "2 to 6"),
    (("tentacles", "--players", "Ann,Ann"), "name"),
    (("tentacles", "--players", "Ann,,Bo"), "name"),
    ((*TENTACLES, "--starter", "Zed"), "Zed"),
    ((*TENTACLES, "--starter", ""), "starter"),
    ((*TENTACLES, "--set", "octopus"), "octopus"),
    ((*TENTACLES, "--set", "=4"), "=4"),
    ((*TENTACLES, "--set", "octopus="), "octopus"),
    ((*TENTACLES, "--set", "octopus=21"), "octopus"),
    ((*TENTACLES, "--set", "octopus=four"), "octopus"),
    ((*TENTACLES, "--set", "octopus=4.0"), "octopus"),
    ((*TENTACLES, "--set", "octopus=true"), "octopus"),
    ((*TENTACLES, "--set", "octopus=NaN"), "octopus"),
    ((*TENTACLES, "--set", "octopus=" + "9" * 5000), "octopus"),
    ((*TENTACLES, "--set", "octopus=4", "--set", "octopus=4"), "twice"),
    ((*TENTACLES, "--set", "steal=maybe"), "steal"),
    ((*TENTACLES, "--set", "steal=1"), "steal"),
    ((*TENTACLES, "--set", "squid=4"), "squid"),
    ((*TENTACLES, "--set", 'deck={"kraken": 1}'), "deck"),
    ((*TENTACLES, "--set", "deck=dots"), "deck"),
    ((*TENTACLES, "--seed", "seven"), "--seed"),
    ((*TENTACLES, "--seed", "7.5"), "--seed"),
    ((*TENTACLES, "--sed", "7"), "--sed"),
    ((*TENTACLES, "more"), "more"),
    (("--players", "Ann,Bo"), "game"),
    (("--starter", "Ann"), "game"),
    (("--set", "octopus=4"), "game"),
    (("--deal",), "game"),
    (("--seed", "0"), "game"),
)


@pytest.mark.parametrize(("arguments", "word"), REFUSED, ids=lambda part: str(part)[:60])
def test_a_bad_command_line_is_refused_with_a_message(arguments, word):
    finished = run_play(*arguments, commands=[{"view": None}])
    assert finished.status == 2
    assert finished.output == b""
    assert word in finished.errors
    assert "Traceback" not in finished.errors


@pytest.mark.parametrize(
    "arguments",
    [
        ("tentacles", "--players", b"Ann,B\xff"),
        ("tentacles", "--players", "Ann,Bo", "--starter", b"B\xff"),
        ("tentacles", "--players", "Ann,Bo", "--set", b"oct\xff=4"),
        (b"tentacl\xff", "--players", "Ann,Bo"),
        ("tentacles", "--players", "Ann,Bo", "--set", "deck=" + "[" * 50_000),
    ],
    ids=["players", "starter", "option", "game", "depth"],
)
def test_a_hostile_command_line_is_refused_like_any_other(arguments):
    finished = run_play(*arguments)
    assert (finished.status, finished.output) == (2, b"")
    assert "Traceback" not in finished.errors


def test_the_end_of_input_ends_the_program():
    assert run_play() == run_play(commands=[])
    finished = run_play()
    assert (finished.status, finished.output, finished.errors) == (0, b"", "")
    finished = run_play(*TENTACLES)
    assert (finished.status, len(finished.replies), finished.errors) == (0, 1, "")


def test_a_last_line_without_an_end_is_answered():
    said = subprocess.run(
        PLAY, input=b'{"odds": true}', capture_output=True, cwd=ROOT, timeout=60, check=True
    )
    assert json.loads(said.stdout)["error"]["code"] == "no-game"


def test_windows_ends_of_lines_are_none_of_its_business():
    finished = run_play(*TENTACLES, commands=[b'{"do": "reveal", "card": "dots"}\r'])
    assert finished.replies[-1]["step"] == 1


@pytest.mark.parametrize(
    ("arguments", "body"),
    [
        ([], {}),
        (["--starter", "Bo"], {"starter": "Bo"}),
        (["--set", "octopus=4"], {"set": {"octopus": 4}}),
        (["--set", "steal=forced", "--set", "eyes=0"], {"set": {"steal": "forced", "eyes": 0}}),
        (
            ["--set", 'deck={"dots":2,"rings":1,"stars":1,"stripes":1,"waves":1,"octopus":1}'],
            {
                "set": {
                    "deck": {
                        "dots": 2,
                        "rings": 1,
                        "stars": 1,
                        "stripes": 1,
                        "waves": 1,
                        "octopus": 1,
                    }
                }
            },
        ),
        (["--deal", "--seed", "7"], {"deal": True, "seed": 7}),
        (["--deal", "--seed", "-7"], {"deal": True, "seed": -7}),
    ],
)
def test_the_command_line_says_the_same_as_new(arguments, body):
    """The same opening reply, the same odds and, where the engine deals, the same cards."""
    dealt = "--deal" in arguments
    game = [{"odds": True}, {"do": "reveal"} if dealt else {"do": "reveal", "card": "dots"}]
    typed = run_play(*TENTACLES, *arguments, commands=game)
    new = {"new": {"game": "tentacles", "players": ["Ann", "Bo"], **body}}
    written = run_play(commands=[new, *game])
    assert typed == written
    assert [reply["ok"] for reply in typed.replies] == [True] * 3


def test_spaces_around_names_are_dropped():
    (opening,) = run_play("tentacles", "--players", " Ann , Bo").replies
    assert list(opening["scores"]) == ["Ann", "Bo"]


def test_names_may_be_in_any_script():
    finished = run_play("tentacles", "--players", "Żółw,海星,🐙")
    assert list(finished.replies[0]["scores"]) == ["Żółw", "海星", "🐙"]
    assert "🐙".encode() in finished.output


@pytest.mark.parametrize("value", ["4", "5", "20"])
def test_the_warning_goes_to_standard_error(value):
    finished = run_play(*TENTACLES, "--set", f"eyes={value}")
    assert finished.status == 0
    assert len(finished.replies) == 1
    assert len(finished.errors.splitlines()) == 1
    assert "eyes" in finished.errors


def test_each_reply_comes_at_once():
    """The opening one before any input, each other one before the next line is written."""
    with subprocess.Popen(
        [*PLAY, *TENTACLES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=ENVIRONMENT,
    ) as process:
        steps = [json.loads(process.stdout.readline())["step"]]
        for card in ("dots", "rings", "stars"):
            process.stdin.write(b'{"do": "reveal", "card": "%s"}\n' % card.encode())
            process.stdin.flush()
            steps.append(json.loads(process.stdout.readline())["step"])
        process.stdin.close()
        assert process.wait(timeout=60) == 0
    assert steps == [0, 1, 2, 3]


def test_a_reader_who_has_left_is_no_crash():
    with subprocess.Popen(
        [*PLAY, *TENTACLES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=ENVIRONMENT,
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        _, errors = process.communicate(b'{"odds": true}\n' * 3, timeout=60)
    assert b"Traceback" not in errors
    assert process.returncode == 0
