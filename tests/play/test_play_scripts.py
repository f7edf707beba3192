"""Expect-and-reply scripts for the sentences of the protocol, through the real program.

A script in `scripts/` is read line by line:

    # a comment
    $ tentacles --players Ann,Bo      how `companion play` is started; else with nothing
    > {"do": "reveal", "card": "dots"}   a line of input, as it stands
    < {"phase": "choose"}                a part of the reply to the line above
    < refused not-legal                  the same for a refusal, by its code
    < same                               but for its outcomes, the reply is that before it

Behind every command the runner looks at the game (`{"odds": true}` and `{"view": null}`)
and sees to it that a refused command, a view and a question for the odds changed nothing.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from play_talk import differences, run_play

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.txt"))
LOOKS = ('{"odds": true}', '{"view": null}')
CHANGE_NOTHING = ('{"view"', '{"odds"')


@dataclass
class Exchange:
    line: int
    command: str | None
    parts: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class Script:
    arguments: list[str]
    exchanges: list[Exchange]


def read_script(text):
    script = Script([], [])
    for number, line in enumerate(text.splitlines(), 1):
        sign, rest = line[:1], line[1:].removeprefix(" ")
        match sign:
            case "" | "#":
                continue
            case "$":
                script.arguments = shlex.split(rest)
                script.exchanges.append(Exchange(number, None))
            case ">":
                script.exchanges.append(Exchange(number, rest))
            case "<":
                script.exchanges[-1].parts.append((number, rest))
            case _:
                raise ValueError(f"line {number} begins with {sign!r}")
    return script


def disagreements(exchange, reply, before):
    for number, part in exchange.parts:
        word, _, code = part.partition(" ")
        if word == "refused":
            expected = {"ok": False, "step": before["step"], "error": {"code": code, "message": ""}}
        elif part == "same":
            expected = {**before, "outcomes": []}
        else:
            expected = {"ok": True, **json.loads(part)}
        yield from (f"line {number}: {text}" for text in differences(expected, reply))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_script_is_answered_as_written(path):
    script = read_script(path.read_text(encoding="utf-8"))
    typed = [exchange for exchange in script.exchanges if exchange.command is not None]

    finished = run_play(
        *script.arguments,
        commands=[text for exchange in typed for text in (exchange.command, *LOOKS)],
    )

    replies = iter(finished.replies)
    assert finished.status == 0, finished.errors
    assert len(finished.replies) == len(typed) * 3 + bool(script.arguments)
    wrong = []
    before = {"step": 0}
    seen = None
    for exchange in script.exchanges:
        reply = next(replies)
        wrong += disagreements(exchange, reply, before)
        if exchange.command is None:
            before = reply
            continue
        looks = [next(replies), next(replies)]
        refused = not reply["ok"]
        if (refused or exchange.command.startswith(CHANGE_NOTHING)) and seen not in (None, looks):
            wrong.append(f"line {exchange.line}: the game has changed: {looks}")
        seen = looks
        if not refused:
            before = reply
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_command_of_a_script_says_what_is_expected(path):
    script = read_script(path.read_text(encoding="utf-8"))
    assert [exchange.line for exchange in script.exchanges if not exchange.parts] == []


@pytest.mark.parametrize(
    ("part", "reply", "agrees"),
    [
        ("refused not-legal", {"ok": False, "step": 4, "error": {"code": "not-legal"}}, False),
        (
            "refused not-legal",
            {"ok": False, "step": 4, "error": {"code": "not-legal", "message": "No."}},
            True,
        ),
        (
            "refused not-legal",
            {"ok": False, "step": 5, "error": {"code": "not-legal", "message": "No."}},
            False,
        ),
        (
            "refused no-game",
            {"ok": False, "step": 4, "error": {"code": "not-legal", "message": "No."}},
            False,
        ),
        ('{"step": 4}', {"ok": False, "step": 4, "error": {"code": "not-legal"}}, False),
        ('{"step": 4}', {"ok": True, "step": 4}, True),
        ("same", {"ok": True, "step": 4, "outcomes": [], "turn": "Bo"}, True),
        ("same", {"ok": True, "step": 4, "outcomes": [], "turn": "Ann"}, False),
    ],
)
def test_the_runner_tells_a_wrong_reply_from_a_right_one(part, reply, agrees):
    before = {"ok": True, "step": 4, "outcomes": [{"what": "card"}], "turn": "Bo"}
    assert (list(disagreements(Exchange(1, "", [(2, part)]), reply, before)) == []) is agrees
